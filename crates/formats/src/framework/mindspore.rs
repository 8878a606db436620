//! The records of MindSpore's raw files, field by field.
//!
//! Times are ticks whose frequency only CANN's own raw data has, so no rows are made of them here.
//! The outer type of a frame says nothing: each file has records of one kind.

use super::records::put_u64;
use super::tlv::{Fields, Framing, Record, put_frame, put_opt_text, put_text};

/// The outer type that is written; any is read.
const TYPE: u16 = 1;

/// A slice of MindSpore's runtime: `mindspore.op_range`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuntimeRange<'a> {
    pub tid: u64,
    /// [`RuntimeRange::NO_FLOW`] if no arrow reaches it.
    pub flow: u64,
    pub step: u64,
    pub start: u64,
    /// The same as `start` for a moment.
    pub end: u64,
    pub pid: i32,
    pub module: u16,
    pub event: u16,
    pub stage: u16,
    pub level: i8,
    pub is_graph_data: bool,
    pub is_stage: bool,
    pub is_stack: bool,
    pub name: &'a str,
    pub full_name: Option<&'a str>,
    pub module_graph: Option<&'a str>,
    pub event_graph: Option<&'a str>,
    /// `key:value;…`.
    pub custom_info: Option<&'a str>,
}

impl<'a> RuntimeRange<'a> {
    pub const NO_FLOW: u64 = u64::MAX;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, TYPE, |out| {
            put_u64(out, [self.tid, self.flow, self.step, self.start, self.end]);
            out.extend_from_slice(&self.pid.to_le_bytes());
            for field in [self.module, self.event, self.stage] {
                out.extend_from_slice(&field.to_le_bytes());
            }
            out.extend_from_slice(&self.level.to_le_bytes());
            out.extend([self.is_graph_data, self.is_stage, self.is_stack].map(u8::from));
            put_text(out, 13, self.name);
            put_opt_text(out, 14, self.full_name);
            put_opt_text(out, 15, self.module_graph);
            put_opt_text(out, 16, self.event_graph);
            put_opt_text(out, 17, self.custom_info);
        });
    }
}

impl<'a> Record<'a> for RuntimeRange<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(_: u16, value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let mut record = RuntimeRange {
            tid: fields.u64()?,
            flow: fields.u64()?,
            step: fields.u64()?,
            start: fields.u64()?,
            end: fields.u64()?,
            pid: fields.i32()?,
            module: fields.u16()?,
            event: fields.u16()?,
            stage: fields.u16()?,
            level: fields.i8()?,
            is_graph_data: fields.bool()?,
            is_stage: fields.bool()?,
            is_stack: fields.bool()?,
            ..RuntimeRange::default()
        };
        for (kind, text) in fields.texts() {
            match kind {
                13 => record.name = text,
                14 => record.full_name = Some(text),
                15 => record.module_graph = Some(text),
                16 => record.event_graph = Some(text),
                17 => record.custom_info = Some(text),
                _ => {}
            }
        }
        Some(record)
    }
}

/// An allocation or a release: `mindspore.memory_usage`. Its time is in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryChange<'a> {
    pub device: i32,
    pub tid: u64,
    pub pid: u64,
    pub time: u64,
    pub address: u64,
    /// [`MemoryChange::RELEASED`] if it is a release.
    pub size: u64,
    pub used: u64,
    pub peak: u64,
    pub reserved: u64,
    pub used_by_event: u64,
    pub eager_free: u64,
    pub stream_ptr: u64,
    pub stream: u32,
    pub from_persistent: u8,
    pub is_persistent: u8,
    pub run_mode: u8,
    pub alloc_type: u8,
    pub owner: &'a str,
}

impl MemoryChange<'_> {
    pub const RELEASED: u64 = u64::MAX;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, TYPE, |out| {
            out.extend_from_slice(&self.device.to_le_bytes());
            put_u64(out, [self.tid, self.pid, self.time, self.address, self.size, self.used, self.peak]);
            put_u64(out, [self.reserved, self.used_by_event, self.eager_free, self.stream_ptr]);
            out.extend_from_slice(&self.stream.to_le_bytes());
            out.extend_from_slice(&[self.from_persistent, self.is_persistent, self.run_mode, self.alloc_type]);
            put_text(out, 13, self.owner);
        });
    }
}

impl<'a> Record<'a> for MemoryChange<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(_: u16, value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let record = MemoryChange {
            device: fields.i32()?,
            tid: fields.u64()?,
            pid: fields.u64()?,
            time: fields.u64()?,
            address: fields.u64()?,
            size: fields.u64()?,
            used: fields.u64()?,
            peak: fields.u64()?,
            reserved: fields.u64()?,
            used_by_event: fields.u64()?,
            eager_free: fields.u64()?,
            stream_ptr: fields.u64()?,
            stream: fields.u32()?,
            from_persistent: fields.u8()?,
            is_persistent: fields.u8()?,
            run_mode: fields.u8()?,
            alloc_type: fields.u8()?,
            owner: "",
        };
        let owner = fields.texts().filter(|(kind, _)| *kind == 13).last();
        Some(MemoryChange { owner: owner.map(|(_, text)| text).unwrap_or_default(), ..record })
    }
}

/// What an operator was given: `mindspore.record_shapes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shapes<'a> {
    pub name: &'a str,
    pub input_shapes: Option<&'a str>,
    pub input_types: Option<&'a str>,
}

impl Shapes<'_> {
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, TYPE, |out| {
            put_text(out, 0, self.name);
            put_opt_text(out, 1, self.input_shapes);
            put_opt_text(out, 2, self.input_types);
        });
    }
}

impl<'a> Record<'a> for Shapes<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(_: u16, value: &'a [u8]) -> Option<Self> {
        let mut record = Shapes::default();
        for (kind, text) in Fields(value).texts() {
            match kind {
                0 => record.name = text,
                1 => record.input_shapes = Some(text),
                2 => record.input_types = Some(text),
                _ => {}
            }
        }
        Some(record)
    }
}
