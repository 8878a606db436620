//! Messages in the language of the process's locale.

use npuscope_collect::Diagnostic;
use npuscope_messages::{Language, Message};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// A message in Chinese if the locale is Chinese, else in English.
pub fn text(message: &Message) -> String {
    message.text(language())
}

/// One of two texts, for what only the package says.
pub fn localized<T: Copy>(english: T, chinese: T) -> T {
    language().choose(english, chinese)
}

/// There is no dialect of that name.
pub fn no_dialect(name: &str) -> PyErr {
    PyValueError::new_err(if is_chinese() {
        format!("没有配置风格 {name:?}")
    } else {
        format!("there is no dialect {name:?}")
    })
}

/// Diagnostics as JSON, each with its message as text.
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Value {
    let diagnostic = |diagnostic: &Diagnostic| {
        let Diagnostic { severity, key, message, line } = diagnostic;
        json!({ "severity": severity, "key": key, "message": text(message), "line": line })
    };
    diagnostics.iter().map(diagnostic).collect()
}

/// Whether sentences of the package are in Chinese.
#[pyfunction]
pub fn is_chinese() -> bool {
    language() == Language::Chinese
}

/// By the variables that POSIX has for it: the first that is set decides.
fn language() -> Language {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    locale.map_or(Language::English, |locale| Language::of_locale(&locale.to_string_lossy()))
}
