//! Comments that end a command of the shell before its writer does.
//!
//! A line that is continued by `\\` is one with the next, and a comment in it goes to the end of that line: what is
//! continued after a comment, or around a line that is commented out, is a separate command, which is never intended.

use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

/// What was passed of a script.
#[derive(Default)]
pub(super) struct Comments {
    /// Set by the caller at a `\\` at the end of a line; the line goes on.
    pub is_continued: bool,
    /// Inside of `NAME=(…)` lines end nothing.
    array_depth: usize,
    last: Option<char>,
    /// The line of a comment that ended a command which was to go on.
    cut: Option<usize>,
}

impl Comments {
    /// A character outside of comments.
    pub fn pass(&mut self, c: char) {
        match (c, self.last) {
            // Lines of Windows are continued as well.
            ('\r', Some('\\')) => return,
            ('\n', Some('\\')) => {}
            ('\n', _) => self.is_continued = false,
            ('(', last) if last == Some('=') || self.array_depth > 0 => self.array_depth += 1,
            (')', _) => self.array_depth = self.array_depth.saturating_sub(1),
            _ => {}
        }
        self.last = Some(c);
    }

    /// Whether the end of this line ends no command.
    pub fn goes_on(&self) -> bool {
        self.last == Some('\\') || self.array_depth > 0
    }

    pub fn comment(&mut self, line: usize, text: &str) {
        let goes_on = self.is_continued || text.trim_end().ends_with('\\');
        if goes_on && self.array_depth == 0 && self.cut.is_none() {
            self.cut = Some(line);
        }
        self.is_continued = false;
        self.last = None;
    }

    /// A word begins. A command that begins with a flag was meant as part of the command before.
    pub fn word(&mut self, line: usize, is_flag: bool) -> Option<Diagnostic> {
        let cut = self.cut.take_if(|cut| *cut != line)?;
        let diagnostic =
            || Diagnostic::new(Severity::Warning, None, messages::comment_ends_command(line)).at(Some(cut));
        is_flag.then(diagnostic)
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;

    /// The lines with a diagnostic.
    fn lines(script: &str) -> Vec<usize> {
        words(script).1.iter().filter_map(|diagnostic| diagnostic.line).collect()
    }

    #[test]
    fn a_comment_ends_what_was_to_go_on() {
        assert_eq!(lines("run --a 5   # from step 5 \\\n  --b 8\n"), [1]);
        assert_eq!(lines("run \\\n  --a 5 # five\n  --b 8\n"), [2]);
        assert_eq!(lines("run \\\n  --a 5 \\\n  # --c 1 \\\n  --b 8\n"), [3], "commented out");
        assert_eq!(lines("run \\\n  # --c 1 \\\n  # --d 1 \\\n  --b 8\n"), [2], "two of them");
        assert_eq!(lines("run \\\r\n  --a 5 \\\r\n  # --c \\\r\n  --b 8\r\n"), [3], "lines of Windows");
    }

    #[test]
    fn comments_where_they_belong_are_fine() {
        for script in [
            "run --a 5 # five\n",
            "run \\\n  --a 5 # the last\necho done\n",
            "# run \\\n#  --a 5 \\\n#  --b\nrun --c\n",
            "--a 5 # a file of flags\n--b 8\n",
            "ARGS=(\n  --a 5 # five\n  # --c 1 \\\n  --b 8\n)\n",
            "run --a 5 \\\n\n# later\n--b\n",
            "run \\\r\n  --a 5\r\n# later\r\n--b\r\n",
            "ARGS=(--n $(nproc) # all \\\n  --b 8)\n",
            "run --a '#5' --path x#y \\\n --b\n",
        ] {
            assert!(lines(script).is_empty(), "{script}: {:?}", words(script).1);
        }
    }

    #[test]
    fn quotes_hold_no_comments() {
        assert_eq!(lines("ARGS=\"\n  --profile  # on \\\n  --level 1\n\"\nrun $ARGS\n"), [2]);
        assert_eq!(lines("ARGS=\"--profile\n  --level 1\"  # two\nrun $ARGS\n"), [] as [usize; 0]);
    }
}
