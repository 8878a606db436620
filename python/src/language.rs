//! Messages in the language of the process's locale.

use npuscope_collect::Remark;
use npuscope_messages::{Language, Message};
use serde_json::{Value, json};

/// A message in Chinese if the locale is Chinese, else in English.
pub fn text(message: &Message) -> String {
    message.text(language())
}

/// Remarks as JSON, each with its message as text.
pub fn remarks(remarks: &[Remark]) -> Value {
    let remark = |remark: &Remark| {
        let Remark { severity, key, message, line } = remark;
        json!({ "severity": severity, "key": key, "message": text(message), "line": line })
    };
    remarks.iter().map(remark).collect()
}

/// By the variables that POSIX has for it: the first that is set decides.
fn language() -> Language {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    locale.map_or(Language::English, |locale| Language::of_locale(&locale.to_string_lossy()))
}
