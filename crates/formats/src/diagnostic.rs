//! What a reader ran into, kept as a row of `diagnostic` instead of ending the read.

use npuscope_messages::Message;
use npuscope_tables::table::diagnostic;
use npuscope_tables::{RankBuilder, RankTables};

use crate::messages;

pub use npuscope_tables::table::diagnostic::{Code, Severity};

/// Keys and columns nothing was read from that are listed by name.
pub const MAX_UNREAD_KEYS: usize = 100;

/// What editors put before UTF-8.
pub const BOM: &[u8] = &[0xef, 0xbb, 0xbf];

/// Where `bytes` stop being UTF-8. A character that the end of the file cuts does not count.
pub fn first_not_utf8(bytes: &[u8]) -> Option<usize> {
    std::str::from_utf8(bytes).err().filter(|error| error.error_len().is_some()).map(|error| error.valid_up_to())
}

/// One row of `diagnostic`.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    /// Relative to the rank's directory.
    pub file: String,
    pub offset: Option<u64>,
    /// What is wrong and what was done about it.
    pub message: Message,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: Code, file: &str, message: Message) -> Diagnostic {
        Diagnostic { severity, code, file: file.to_owned(), offset: None, message }
    }

    /// A row of `diagnostic` that reports a damaged database.
    pub fn damage(row: &diagnostic::Row, tables: &RankTables) -> Diagnostic {
        Diagnostic {
            severity: row.severity(tables),
            code: Code::DamagedDatabase,
            file: tables.opt_text(row.file).unwrap_or_default().to_owned(),
            offset: row.offset.and_then(|offset| u64::try_from(offset).ok()),
            message: row.message(tables),
        }
    }

    /// What makes `bytes` no text at all: there are none, or they are UTF-16.
    pub fn not_text(bytes: &[u8], file: &str) -> Option<Diagnostic> {
        let (code, message) = if bytes.strip_prefix(BOM).unwrap_or(bytes).trim_ascii().is_empty() {
            (Code::EmptyFile, messages::file_is_empty())
        } else if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            (Code::WrongEncoding, messages::file_is_utf16())
        } else {
            return None;
        };
        Some(Diagnostic::new(Severity::Error, code, file, message).at(0))
    }

    /// What is not UTF-8 in a file, the first of it at `offset`.
    pub fn not_utf8(file: &str, offset: u64) -> Diagnostic {
        Diagnostic::new(Severity::Warning, Code::WrongEncoding, file, messages::not_utf8()).at(offset)
    }

    #[must_use]
    pub fn at(mut self, offset: u64) -> Diagnostic {
        self.offset = Some(offset);
        self
    }

    pub fn record(&self, rank: &mut RankBuilder) {
        let row = diagnostic::Row {
            severity: rank.strings.intern(self.severity.name()),
            code: rank.strings.intern(self.code.name()),
            file: (!self.file.is_empty()).then(|| rank.strings.intern(&self.file)),
            offset: self.offset.and_then(|o| i64::try_from(o).ok()),
            message: rank.strings.intern(&self.message.to_string()),
            message_data: Some(rank.strings.intern(&self.message.to_json())),
        };
        rank.diagnostic.push(row);
    }
}

#[cfg(test)]
mod tests {
    use npuscope_messages::{Language, verbatim};

    use super::*;

    #[test]
    fn a_recorded_message_comes_back_and_without_data_its_english_text() {
        let message = messages::offset_in_unpacked_text(messages::csv_wrong_columns("op_summary", vec!["a", "b"]));
        let diagnostic = Diagnostic::new(Severity::Error, Code::WrongColumns, "a.csv", message.clone()).at(3);
        let mut rank = RankBuilder::default();
        diagnostic.record(&mut rank);
        let tables = rank.finish();
        let row = tables.rows::<diagnostic::Row>().next().unwrap();
        assert_eq!(tables.text(row.message), message.text(Language::English));
        assert_eq!(row.message(&tables), message);
        let older = diagnostic::Row { message_data: None, ..row };
        assert_eq!(older.message(&tables), verbatim(message.text(Language::English)));
    }
}
