//! Words of a shell script, with their lines.

use std::iter::Peekable;
use std::str::Chars;

use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::comments::Comments;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    pub line: usize,
    /// Whether it may belong to another command than the word before.
    pub begins: bool,
}

/// The words of a script or of a file of flags: without comments, quotes and continuations.
///
/// Scripts keep their flags in variables (`ARGS="--profile --profile-level level1"`, `ARGS=(--profile …)`), so what
/// is inside quotes is words again, and a variable's name is not part of its first word.
///
/// Comments are read as intended. Where the shell reads them differently, there is a diagnostic.
pub(super) fn words(text: &str) -> (Vec<Word>, Vec<Diagnostic>) {
    let (mut out, mut diagnostics) = (Vec::new(), Vec::new());
    split(text, 1, true, &mut out, &mut diagnostics);
    (out, diagnostics)
}

fn split(text: &str, first_line: usize, is_script: bool, out: &mut Vec<Word>, diagnostics: &mut Vec<Diagnostic>) {
    let chars = text.chars().peekable();
    let mut splitter =
        Splitter { chars, line: first_line, is_script, begins: true, comments: Comments::default(), diagnostics };
    while let Some(word) = splitter.next(out) {
        if let Some(word) = word {
            push(word, out);
        }
    }
}

/// Adds a word without the name of the variable it is given to.
fn push(word: Word, out: &mut Vec<Word>) {
    let name = word.text.find('=').filter(|_| !word.text.starts_with('-')).map(|end| &word.text[..end]);
    let is_variable = |name: &str| {
        let name = name.strip_suffix('+').unwrap_or(name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match name {
        Some(name) if is_variable(name) => {
            let rest = word.text[name.len() + 1..].trim_start_matches('(');
            if !rest.is_empty() {
                out.push(Word { text: rest.to_owned(), ..word });
            }
        }
        _ => out.push(word),
    }
}

struct Splitter<'a, 'b> {
    chars: Peekable<Chars<'a>>,
    line: usize,
    /// Quotes may hold further words; inside of quotes they are just characters.
    is_script: bool,
    /// Whether a command may begin here.
    begins: bool,
    comments: Comments,
    diagnostics: &'b mut Vec<Diagnostic>,
}

impl Splitter<'_, '_> {
    fn next_char(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        self.line += usize::from(c == '\n');
        self.comments.pass(c);
        Some(c)
    }

    /// A comment, up to the end of its line.
    fn comment(&mut self) {
        let line = self.line;
        let mut text = String::new();
        while let Some(c) = self.chars.next_if(|c| *c != '\n') {
            text.push(c);
        }
        if self.is_script {
            self.comments.comment(line, &text);
        } else {
            self.diagnostics
                .push(Diagnostic::new(Severity::Warning, None, messages::comment_in_quotes()).at(Some(line)));
        }
    }

    /// The next word, `Some(None)` where it was but words in quotes: those are added to `out` on the way.
    fn next(&mut self, out: &mut Vec<Word>) -> Option<Option<Word>> {
        loop {
            match self.chars.peek()? {
                '#' => self.comment(),
                '\\' => {
                    let mut ahead = self.chars.clone();
                    ahead.next();
                    match ahead.next() {
                        Some('\n' | '\r') | None => {
                            self.next_char();
                            self.comments.is_continued = true;
                        }
                        _ => break,
                    }
                }
                c if is_separator(*c) => {
                    let ends_line = *c == '\n' && self.is_script && !self.comments.goes_on();
                    self.begins |= ends_line || !c.is_whitespace();
                    self.next_char();
                }
                _ => break,
            }
        }
        let line = self.line;
        let begins = std::mem::take(&mut self.begins);
        let is_flag = self.chars.peek() == Some(&'-');
        self.diagnostics.extend(self.comments.word(line, is_flag));
        let mut text = String::new();
        let mut is_word = false;
        while let Some(&c) = self.chars.peek() {
            match c {
                _ if is_separator(c) => break,
                '\'' | '"' if self.is_script => {
                    self.next_char();
                    let begin = self.line;
                    let quoted = self.quoted(c);
                    // What follows a flag is its value, whatever is in it.
                    let is_value = !text.contains('=') && out.last().is_some_and(|word| word.text.starts_with("--"));
                    let holds_words = !is_value && quoted.split_whitespace().any(|word| word.starts_with("--"));
                    if !holds_words {
                        is_word = true;
                        text.push_str(&quoted);
                        continue;
                    }
                    is_word = false;
                    if !text.is_empty() {
                        push(Word { text: std::mem::take(&mut text), line, begins }, out);
                    }
                    split(&quoted, begin, false, out, self.diagnostics);
                    self.begins = true;
                }
                '\\' => {
                    self.next_char();
                    match self.next_char() {
                        Some('\n') | None => {
                            self.comments.is_continued = true;
                            break;
                        }
                        Some(escaped) => text.push(escaped),
                    }
                }
                _ => {
                    text.push(c);
                    self.next_char();
                }
            }
        }
        Some((is_word || !text.is_empty()).then_some(Word { text, line, begins }))
    }

    /// Up to the closing quote, which is taken, too.
    fn quoted(&mut self, quote: char) -> String {
        let mut text = String::new();
        while let Some(c) = self.next_char() {
            match c {
                _ if c == quote => break,
                '\\' if quote == '"' => match self.chars.peek() {
                    Some('"' | '\\' | '$' | '`') => text.extend(self.next_char()),
                    _ => text.push(c),
                },
                _ => text.push(c),
            }
        }
        text
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '<' | '>')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).0.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn comments_and_continuations_are_no_words() {
        assert_eq!(texts("--a 1 # one\n  --b \\\n  2 \\\r\n # --c\n"), ["--a", "1", "--b", "2"]);
        assert_eq!(words("--a\n\n--b").0[1], Word { text: "--b".to_owned(), line: 3, begins: true });
    }

    #[test]
    fn quotes_keep_blanks_together() {
        assert_eq!(texts(r#"--path "a b" 'c d' e\ f"#), ["--path", "a b", "c d", "e f"]);
        assert_eq!(texts(r#""a\"b" 'a\b'"#), ["a\"b", "a\\b"]);
        assert_eq!(texts("--path 'a --b'"), ["--path", "a --b"]);
    }

    #[test]
    fn flags_in_variables_are_words() {
        let script = "ARGS=\"\n  --profile \\\n  --level 'x'\n\"\nMORE=(--deep\n 2)\nrun $ARGS \"${MORE[@]}\"";
        let found = words(script).0;
        assert_eq!(found[0], Word { text: "--profile".to_owned(), line: 2, begins: true });
        let texts: Vec<_> = found.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["--profile", "--level", "'x'", "--deep", "2", "run", "$ARGS", "${MORE[@]}"]);
    }

    #[test]
    fn commands_end_at_lines_and_separators() {
        let begins = |text: &str| -> Vec<String> {
            words(text).0.into_iter().filter(|word| word.begins).map(|word| word.text).collect()
        };
        assert_eq!(begins("run --a 1 \\\n --b 2\necho x | tee log; ls"), ["run", "echo", "tee", "ls"]);
        assert_eq!(begins("ARGS=(\n --a 1\n 2\n)\nrun"), ["--a", "run"]);
        assert_eq!(begins("ARGS=\"--a 1\n 2\"\nrun"), ["--a", "run"]);
        assert_eq!(begins("run \\\r\n --a 1 \\\r\n 2\r\nls"), ["run", "ls"]);
    }

    #[test]
    fn an_open_quote_ends_with_the_text() {
        assert_eq!(texts("'--a b"), ["--a", "b"]);
        assert_eq!(texts("\"abc"), ["abc"]);
        assert_eq!(texts("--path \"\" next"), ["--path", "", "next"]);
    }
}
