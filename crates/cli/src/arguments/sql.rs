//! Arguments of `npuscope sql`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum, ValueHint};
use npuscope_messages::Message;

use super::choice::ChoiceArguments;
use crate::commands::result::ResultFormat;
use crate::commands::sql::SqlOptions;
use crate::messages::errors as messages;

/// Query a profile with SQL
///
/// Every table has the columns `rank` and `window` and those that `\d TABLE` lists. Times are in nanoseconds since the epoch,
/// durations in nanoseconds, sizes in bytes.
#[derive(Debug, Args)]
#[command(after_help = r"Examples:
  npuscope sql DIR '\tables'
  npuscope sql DIR '\d kernel'
  npuscope sql DIR 'SELECT op_type, count(*), sum(duration) / 1e6 AS ms FROM kernel GROUP BY 1 ORDER BY 3 DESC LIMIT 10'
  npuscope sql DIR 'SELECT * FROM comm_op' --format parquet -o comm_op.parquet
  echo 'SELECT count(*) FROM task' | npuscope sql DIR -")]
pub struct SqlCommand {
    /// Profile: a directory, or a single deliverable such as trace_view.json
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// SQL query; `\tables` lists the tables, `\d TABLE` lists the columns of a table, `-` reads the query from stdin
    pub query: String,
    /// Output format [default: from the extension of FILE, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ResultFormat>,
    /// Write the result to FILE; its directory must exist
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Maximum number of rows to print as a table; files and other formats contain all rows
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_rows: usize,
    /// Stop after N rows of the result, in every format
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Memory that the query may use before it spills to disk, for example 4GiB; 0 for no limit [default: half of the
    /// machine's memory, at most 4GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<usize>,
    /// Stop the query with an error after this time, for example 30s or 5m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
    /// Directory for data that spills to disk [default: the system's temporary directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub spill_dir: Option<PathBuf>,
    /// Fail if any data cannot be read, instead of continuing without it
    #[arg(long)]
    pub strict: bool,
}

impl From<SqlCommand> for SqlOptions {
    fn from(command: SqlCommand) -> SqlOptions {
        SqlOptions {
            path: command.path,
            query: command.query,
            format: command.format,
            output: command.output,
            max_rows: command.max_rows,
            limit: command.limit,
            memory_limit: command.memory_limit,
            timeout: command.timeout,
            spill_dir: command.spill_dir,
            strict: command.strict,
        }
    }
}

impl ValueEnum for ResultFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use ResultFormat::{Arrow, Csv, Json, Parquet, Table};
        &[Table, Csv, Json, Parquet, Arrow]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            ResultFormat::Table | ResultFormat::Csv | ResultFormat::Parquet => PossibleValue::new(self.name()),
            ResultFormat::Json => PossibleValue::new(self.name()).help("Array of objects"),
            ResultFormat::Arrow => PossibleValue::new(self.name()).help("Arrow IPC stream"),
        })
    }
}

/// A size such as 512MiB or 4GiB; a bare number is bytes. MB is read as MiB: nobody limits memory in powers of ten.
pub fn parse_size(text: &str) -> Result<usize, SizeError> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default().to_ascii_uppercase();
    let shift = match unit.as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(SizeError::Invalid),
    };
    let number: usize = digits.trim().parse().map_err(|_| SizeError::Invalid)?;
    number.checked_mul(1 << shift).ok_or(SizeError::TooLarge)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    Invalid,
    TooLarge,
}

impl SizeError {
    pub fn message(&self) -> Message {
        match self {
            SizeError::Invalid => messages::value_size(),
            SizeError::TooLarge => messages::value_size_too_large(),
        }
    }
}

npuscope_messages::display_message!(SizeError, TimeError);

/// A time such as 500ms, 30s, 5m or 1h; a bare number is seconds.
pub fn parse_time(text: &str) -> Result<Duration, TimeError> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.trim().parse().map_err(|_| TimeError)?;
    let milliseconds = match text.get(digits.len()..).unwrap_or_default() {
        "ms" => 1,
        "" | "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(TimeError),
    };
    let time = number.checked_mul(milliseconds).filter(|&time| time > 0 && time <= MAX_TIME_MS);
    time.map(Duration::from_millis).ok_or(TimeError)
}

/// A year.
const MAX_TIME_MS: u64 = 365 * 24 * 3_600_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TimeError;

impl TimeError {
    pub fn message(&self) -> Message {
        messages::value_time()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_they_are_written() {
        assert_eq!(parse_time("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("5m"), Ok(Duration::from_secs(300)));
        for wrong in ["", "0s", "-1s", "5 apples", "99999999999h"] {
            assert_eq!(parse_time(wrong), Err(TimeError), "{wrong}");
        }
    }

    #[test]
    fn sizes_read_as_they_are_written() {
        assert_eq!(parse_size("4GB"), Ok(4 << 30));
        assert_eq!(parse_size("512MiB"), Ok(512 << 20));
        assert_eq!(parse_size("1024"), Ok(1024));
        assert_eq!(parse_size("4 apples"), Err(SizeError::Invalid));
        assert_eq!(parse_size("99999999TB"), Err(SizeError::TooLarge));
    }
}
