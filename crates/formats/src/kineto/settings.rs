//! What stands around the list of events: who recorded, on which devices, from which base times count.

use npuscope_tables::table::metadata;
use npuscope_tables::{Ns, RankBuilder};
use serde_json::Value;

use super::SETTINGS;
use super::host_collectives::HostGroup;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::messages;
use crate::trace_json::Cursor;
use crate::trace_json::scan::End;
use crate::trace_json::text::RawString;

/// The key of the list of events.
pub const EVENTS: &[u8] = b"traceEvents";

/// What matters of the settings for the events.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The base that times count from, where the file has one.
    pub base: Option<Ns>,
    /// The group of collectives that the host runs.
    pub host_group: Option<HostGroup>,
    /// Nothing of the file's settings is missing.
    pub is_whole: bool,
}

/// Reads the members of the outermost object but for the list of events, which ends at `end`, as rows of
/// `metadata`.
pub fn read_settings(
    bytes: &[u8],
    end: End,
    file: &str,
    rank: &mut RankBuilder,
    diagnostics: &mut Vec<Diagnostic>,
) -> Around {
    let mut cursor = Cursor::of_file(bytes);
    if cursor.peek() != b'{' {
        return Around { is_whole: true, ..Around::default() };
    }
    let mut base = None;
    let mut host_group = None;
    let mut seen_list = false;
    let whole = cursor.members(|key, cursor| {
        if key.bytes == EVENTS && !seen_list {
            seen_list = true;
            let End::Closed(bracket) = end else { return None };
            cursor.at = bracket + 1;
            return Some(());
        }
        let start = cursor.at;
        cursor.skip_value()?;
        let text = bytes.get(start..cursor.at)?;
        if key.bytes == b"baseTimeNanoseconds" {
            base = std::str::from_utf8(text).ok().and_then(|text| text.trim_matches('"').parse().ok()).map(Ns);
        }
        if key.bytes == b"distributedInfo" {
            host_group = serde_json::from_slice(text).ok().and_then(|info| HostGroup::of(&info));
        }
        keep(key, text, rank);
        Some(())
    });
    // A list that does not end has been reported already.
    if whole.is_none() && matches!(end, End::Closed(_)) {
        let code = if cursor.at >= bytes.len() { Code::CutFile } else { Code::Garbage };
        let message = messages::trace_settings_incomplete();
        diagnostics.push(Diagnostic::new(Severity::Warning, code, file, message).at(cursor.at as u64));
    }
    Around { base, host_group, is_whole: whole.is_some() }
}

/// Keeps a member, as JSON if it is any.
fn keep(key: RawString<'_>, text: &[u8], rank: &mut RankBuilder) {
    let text = String::from_utf8_lossy(text);
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned()));
    let row = metadata::Row {
        file: rank.strings.intern(SETTINGS),
        key: rank.strings.intern_bytes(&key.unescaped()),
        value: rank.strings.intern(&value.to_string()),
    };
    rank.metadata.push(row);
}
