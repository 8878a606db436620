//! What a kernel of NCCL or RCCL says about its collective.

use npuscope_measures::link::group_hash;
use npuscope_tables::table::comm_op;
use npuscope_tables::{Interner, Str};

use super::words;
use crate::trace_json::Cursor;
use crate::trace_json::args::{Rest, integer, text};
use crate::trace_json::text::RawString;

/// Arguments about the collective that have no column: kept with the operation and not with the task.
const FURTHER: &[&[u8]] = &[
    b"Out msg nelems",
    b"In split size",
    b"Out split size",
    b"Process Group ID",
    b"Process Group Description",
    b"Process Group Ranks",
    b"Global rank start",
    b"Global rank stride",
    b"Rank",
    b"Src Rank",
    b"Dst Rank",
    b"Seq",
    b"Comms Id",
    b"Input Tensors start",
    b"Output Tensors start",
    b"Is asynchronized op",
];

/// A collective while the arguments of its kernel are read.
#[derive(Default)]
pub struct Collective {
    row: comm_op::Row,
    rest: Rest,
}

impl Collective {
    /// The collective of a kernel, if its name or its arguments, which are `args`, say that it is one.
    pub fn of(kernel: &str, args: &[u8]) -> Option<Collective> {
        let is_one = words::is_collective(kernel) || memchr::memmem::find(args, b"\"Collective name\"").is_some();
        is_one.then(Collective::default)
    }

    /// Takes an argument that is about the collective; else nothing, and the cursor stays.
    pub fn read(&mut self, key: RawString<'_>, cursor: &mut Cursor<'_>, strings: &mut Interner) -> Option<()> {
        let read = match key.bytes {
            b"Collective name" => text(cursor, strings).map(|v| self.row.op_type = Some(v)),
            b"Process Group Name" => text(cursor, strings).map(|v| self.row.group_name = Some(v)),
            b"Group size" => integer(cursor).map(|v| self.row.rank_size = Some(v)),
            b"dtype" => text(cursor, strings).map(|v| self.row.dtype = Some(v)),
            b"In msg nelems" => integer(cursor).map(|v| self.row.count = Some(v)),
            _ => None,
        };
        read.or_else(|| if FURTHER.contains(&key.bytes) { self.rest.keep_as_json(key, cursor) } else { None })
    }

    /// The operation, on no lane yet; `kernel` names it where the arguments do not.
    pub fn finish(mut self, kernel: Str, strings: &mut Interner) -> comm_op::Row {
        if self.row.op_type.is_none() {
            self.row.op_type = words::operation_in_name(strings.get(kernel)).map(|word| strings.intern(word));
        }
        if let Some(group) = self.row.group_name {
            let hash = group_hash(strings.get(group));
            self.row.group_hash = Some(strings.intern(&hash));
        }
        self.row.args = self.rest.finish(strings);
        comm_op::Row { name: kernel, ..self.row }
    }
}
