//! Memory as Kineto reports it: a mark at every allocation and release.

use npuscope_tables::table::mem_sample;
use npuscope_tables::{Interner, Ns, Str};

use super::words;
use crate::trace_json::Cursor;
use crate::trace_json::args::integer;

/// The name of the marks.
pub const MARK: &str = "[memory]";

/// The words in `mem_sample` that these rows have.
pub const KIND: &str = "operator";
pub const ALLOCATE: &str = "allocate";
pub const RELEASE: &str = "release";

/// Reads the arguments of a mark, which are under the cursor. Nothing if it does not say how much and where: then
/// it is a mark like any other. Keys without a column are given to `unread`.
pub fn read_sample(
    mut args: Cursor<'_>,
    time: Ns,
    name: Str,
    strings: &mut Interner,
    unread: &mut Vec<String>,
) -> Option<mem_sample::Row> {
    let mut row = mem_sample::Row { time, name: Some(name), ..mem_sample::Row::default() };
    let (mut change, mut device_type) = (None, None);
    args.members(|key, cursor| {
        let read = match key.bytes {
            b"Bytes" => integer(cursor).map(|v| change = Some(v)),
            b"Addr" => integer(cursor).map(|v| row.address = Some(v)),
            b"Total Allocated" => integer(cursor).map(|v| row.allocated = Some(v)),
            b"Total Reserved" => integer(cursor).map(|v| row.reserved = Some(v)),
            b"Device Id" => integer(cursor).map(|v| row.device = Some(v)),
            b"Device Type" => integer(cursor).map(|v| device_type = Some(v)),
            _ => None,
        };
        if read.is_none() {
            unread.push(format!("{MARK} {}", String::from_utf8_lossy(&key.unescaped())));
            cursor.skip_value()?;
        }
        Some(())
    })?;
    let change = change?;
    row.address?;
    row.bytes = Some(change.saturating_abs());
    row.kind = strings.intern(KIND);
    row.action = Some(strings.intern(if change < 0 { RELEASE } else { ALLOCATE }));
    row.component = match device_type.map(|number| (number, words::device_type(number))) {
        Some((_, Some(word))) => strings.intern(word),
        Some((number, None)) => strings.intern(&format!("device type {number}")),
        None => Interner::EMPTY,
    };
    // The host has no devices.
    row.device = row.device.filter(|&device| device >= 0);
    Some(row)
}
