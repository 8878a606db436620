//! Messages in the language of the process's locale.

use npuscope_collect::Diagnostic;
use npuscope_messages::{Language, Message};
use serde_json::{Value, json};

/// A message in Chinese if the locale is Chinese, else in English.
pub fn text(message: &Message) -> String {
    message.text(language())
}

/// Diagnostics as JSON, each with its message as text.
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Value {
    let diagnostic = |diagnostic: &Diagnostic| {
        let Diagnostic { severity, key, message, line } = diagnostic;
        json!({ "severity": severity, "key": key, "message": text(message), "line": line })
    };
    diagnostics.iter().map(diagnostic).collect()
}

/// By the variables that POSIX has for it: the first that is set decides.
fn language() -> Language {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    locale.map_or(Language::English, |locale| Language::of_locale(&locale.to_string_lossy()))
}
