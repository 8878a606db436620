//! Comments that are pages of the manual.

use std::path::Path;

/// The comment at the top of a source file as a page: without `//!`, and without the places that links lead to.
pub fn manual_page(source: &Path) -> String {
    let source = std::fs::read_to_string(source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let comment = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = comment.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    plain_links(lines.join("\n").trim())
}

/// Text without the places that links of documentation comments lead to.
fn plain_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[`") {
        let Some(end) = rest[start..].find("`]").map(|end| start + end + 1) else { break };
        plain.push_str(&rest[..start]);
        plain.push_str(&rest[start + 1..end]);
        rest = &rest[end + 1..];
        if let Some(end) = rest.strip_prefix('(').and_then(|_| rest.find(')')) {
            rest = &rest[end + 1..];
        }
    }
    plain + rest
}
