//! Words on the terminal: results on stdout, everything else on stderr.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use npuscope_messages::{Language, Message};
use npuscope_tables::Rank;

use unicode_width::UnicodeWidthStr;

use crate::messages::output as messages;

/// When to use colours and progress bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal.
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug)]
pub enum Style {
    Bold,
    Dim,
    Red,
    Yellow,
    Green,
}

pub struct Terminal {
    color: ColorChoice,
    quiet: bool,
    language: Language,
}

impl Terminal {
    /// Whether only results and errors are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub fn new(color: ColorChoice, quiet: bool, language: Language) -> Terminal {
        Terminal { color, quiet, language }
    }

    fn colours(&self, is_terminal: bool) -> bool {
        match self.color {
            ColorChoice::Auto => is_terminal,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        }
    }

    /// Whether somebody can see a progress bar.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && self.color != ColorChoice::Never && io::stderr().is_terminal()
    }

    /// Text for stdout, styled where that is wanted.
    pub fn styled(&self, style: Style, text: &str) -> String {
        paint(self.colours(io::stdout().is_terminal()), style, text)
    }

    pub fn error(&self, message: &str) {
        self.say(Style::Red, &messages::label_error(), message);
    }

    pub fn warning(&self, message: &str) {
        if !self.quiet {
            self.say(Style::Yellow, &messages::label_warning(), message);
        }
    }

    pub fn note(&self, message: &str) {
        if !self.quiet {
            self.say(Style::Dim, &messages::label_note(), message);
        }
    }

    fn say(&self, style: Style, label: &Message, message: &str) {
        let label = paint(self.colours(io::stderr().is_terminal()), style, &label.text(self.language));
        let _ = writeln!(io::stderr(), "{}", messages::labelled(&label, message).text(self.language));
    }
}

fn paint(colours: bool, style: Style, text: &str) -> String {
    let code = match style {
        _ if !colours => return text.to_owned(),
        Style::Bold => 1,
        Style::Dim => 2,
        Style::Red => 31,
        Style::Green => 32,
        Style::Yellow => 33,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// Columns under their headers, no lines. `right` names the columns of numbers.
pub fn columns(headers: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let header: Vec<String> = headers.iter().map(|h| (*h).to_owned()).collect();
    let mut lines: Vec<Vec<String>> = vec![header];
    lines.extend(rows);
    if headers.iter().all(|h| h.is_empty()) {
        lines.remove(0);
    }
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..headers.len()).map(|column| width(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for line in &lines {
        let mut printed = String::from(" ");
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let (before, after) = if right.contains(&column) { (padding.as_str(), "") } else { ("", padding.as_str()) };
            let _ = write!(printed, " {before}{cell}{after} ");
        }
        text.push_str(printed.trim_end());
        text.push('\n');
    }
    text
}

/// 12,345,678.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `0-3, 7`.
pub fn ranges(sorted: &[Rank]) -> String {
    npuscope_messages::ranges(sorted.iter().map(|rank| rank.0)).join(", ")
}

pub use npuscope_messages::size as bytes;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1023, 1_536, 3_565_158].map(bytes), ["1023 B", "1.5 KiB", "3.4 MiB"]);
    }

    #[test]
    fn neighbouring_numbers_are_a_range() {
        assert_eq!(ranges(&[0, 1, 2, 3, 7, 9, 10].map(Rank)), "0-3, 7, 9-10");
        assert_eq!(ranges(&[]), "");
    }
}
