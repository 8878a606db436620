//! The catalogs of documentation, in the syntax of gettext: one line for each `msgid` and each `msgstr`.

use crate::documentation::folded;

/// Pairs of `msgid` and `msgstr`.
pub(crate) fn entries(source: &str) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    let mut english = None;
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("msgid ") {
            english = Some(unquoted(text));
        } else if let (Some(text), Some(english)) = (line.strip_prefix("msgstr "), english.take()) {
            entries.push((folded(&english), unquoted(text)));
        }
    }
    entries
}

fn unquoted(text: &str) -> String {
    let inner = text.trim().trim_start_matches('"');
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_pairs_with_quotes_restored() {
        let source = "# note\nmsgid \"say \\\"x\\\" \\\\d\"\nmsgstr \"说\"\n";
        assert_eq!(entries(source), [("say \"x\" \\d".to_owned(), "说".to_owned())]);
    }
}
