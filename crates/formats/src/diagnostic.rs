//! What a reader ran into, kept as a row of `diagnostic` instead of ending the read.

use npuscope_tables::table::diagnostic;
use npuscope_tables::{RankBuilder, RankTables};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    /// Relative to the rank's directory.
    pub file: String,
    pub offset: Option<u64>,
    /// What is wrong and what was done about it.
    pub message: String,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: Code, file: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity, code, file: file.to_owned(), offset: None, message: message.into() }
    }

    /// A row of `diagnostic` that reports a damaged database.
    pub fn damage(row: &diagnostic::Row, tables: &RankTables) -> Diagnostic {
        Diagnostic {
            severity: row.severity(tables),
            code: Code::DamagedDatabase,
            file: tables.opt_text(row.file).unwrap_or_default().to_owned(),
            offset: row.offset.and_then(|offset| u64::try_from(offset).ok()),
            message: tables.text(row.message).to_owned(),
        }
    }

    /// What makes `bytes` no text at all: there are none, or they are UTF-16.
    pub fn not_text(bytes: &[u8], file: &str) -> Option<Diagnostic> {
        let (code, message) = if bytes.strip_prefix(BOM).unwrap_or(bytes).trim_ascii().is_empty() {
            (Code::EmptyFile, "the file is empty")
        } else if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            (Code::WrongEncoding, "the file is UTF-16; deliverables are UTF-8. Convert it, for example with iconv")
        } else {
            return None;
        };
        Some(Diagnostic::new(Severity::Error, code, file, message).at(0))
    }

    /// What is not UTF-8 in a file, the first of it at `offset`.
    pub fn not_utf8(file: &str, offset: u64) -> Diagnostic {
        let message = "text that is not UTF-8; what cannot be read shows as \u{fffd}";
        Diagnostic::new(Severity::Warning, Code::WrongEncoding, file, message).at(offset)
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
            message: rank.strings.intern(&self.message),
        };
        rank.diagnostic.push(row);
    }
}
