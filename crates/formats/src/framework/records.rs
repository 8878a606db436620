//! The records of torch_npu's files and of ours, field by field.
//!
//! Text is borrowed: from the file that is read, or from whoever writes. `encode` appends one record.

use super::tlv::{Fields, Framing, Record, put_frame, put_opt_text, put_text};

/// The kinds of operator scopes that a reader distinguishes (`at::RecordScope`).
pub mod scope {
    pub const FUNCTION: u8 = 0;
    pub const BACKWARD_FUNCTION: u8 = 1;
    /// What the user marked, steps among it.
    pub const USER_SCOPE: u8 = 7;
}

/// A framework operator or a step, from start to end: `torch.op_range`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpRange<'a> {
    pub start: i64,
    pub end: i64,
    /// Ties a backward operator to its forward one; -1 if there is none.
    pub sequence: i64,
    pub pid: u64,
    pub start_tid: u64,
    pub end_tid: u64,
    /// The thread of the forward operator; 0 in a forward operator.
    pub forward_tid: u64,
    /// See [`scope`].
    pub scope: u8,
    pub is_async: bool,
    pub name: &'a str,
    /// `a;b;None;Scalar`.
    pub input_dtypes: Option<&'a str>,
    /// `2,3;4;;`: a group per input, empty for what is no tensor.
    pub input_shapes: Option<&'a str>,
    pub input_tensors: Option<&'a str>,
    pub input_tensor_lists: Option<&'a str>,
    pub input_scalars: Option<&'a str>,
    /// `file(line): function;…`, the innermost first.
    pub stack: Option<&'a str>,
    pub modules: Option<&'a str>,
    /// `key:value;…`.
    pub extra_args: Option<&'a str>,
}

impl<'a> OpRange<'a> {
    pub const TYPE: u16 = 1;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_i64(out, [self.start, self.end, self.sequence]);
            put_u64(out, [self.pid, self.start_tid, self.end_tid, self.forward_tid]);
            out.extend_from_slice(&[self.scope, u8::from(self.is_async)]);
            put_text(out, 2, self.name);
            put_opt_text(out, 3, self.input_dtypes);
            put_opt_text(out, 4, self.input_shapes);
            put_opt_text(out, 5, self.input_tensors);
            put_opt_text(out, 6, self.input_tensor_lists);
            put_opt_text(out, 7, self.input_scalars);
            put_opt_text(out, 8, self.stack);
            put_opt_text(out, 9, self.modules);
            put_opt_text(out, 10, self.extra_args);
        });
    }

    fn fields(value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let mut record = OpRange {
            start: fields.i64()?,
            end: fields.i64()?,
            sequence: fields.i64()?,
            pid: fields.u64()?,
            start_tid: fields.u64()?,
            end_tid: fields.u64()?,
            forward_tid: fields.u64()?,
            scope: fields.u8()?,
            is_async: fields.bool()?,
            ..OpRange::default()
        };
        for (kind, text) in fields.texts() {
            match kind {
                2 => record.name = text,
                3 => record.input_dtypes = Some(text),
                4 => record.input_shapes = Some(text),
                5 => record.input_tensors = Some(text),
                6 => record.input_tensor_lists = Some(text),
                7 => record.input_scalars = Some(text),
                8 => record.stack = Some(text),
                9 => record.modules = Some(text),
                10 => record.extra_args = Some(text),
                _ => {}
            }
        }
        Some(record)
    }
}

impl<'a> Record<'a> for OpRange<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(kind: u16, value: &'a [u8]) -> Option<Self> {
        Self::fields(value).filter(|_| kind == Self::TYPE)
    }
}

/// A moment in the queue between the framework and the device: `torch.op_mark`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpMark<'a> {
    pub time: i64,
    /// [`OpMark::ENQUEUE_START`] to [`OpMark::DEQUEUE_END`].
    pub category: u64,
    /// The same in both marks of what goes in and of what comes out.
    pub correlation: u64,
    pub tid: u64,
    pub pid: u64,
    pub name: &'a str,
}

impl<'a> OpMark<'a> {
    pub const TYPE: u16 = 2;
    pub const ENQUEUE_START: u64 = 0;
    pub const ENQUEUE_END: u64 = 1;
    pub const DEQUEUE_START: u64 = 2;
    pub const DEQUEUE_END: u64 = 3;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_i64(out, [self.time]);
            put_u64(out, [self.category, self.correlation, self.tid, self.pid]);
            put_text(out, 1, self.name);
        });
    }

    fn fields(value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let mut record = OpMark {
            time: fields.i64()?,
            category: fields.u64()?,
            correlation: fields.u64()?,
            tid: fields.u64()?,
            pid: fields.u64()?,
            name: "",
        };
        if let Some((_, name)) = fields.texts().filter(|(kind, _)| *kind == 1).last() {
            record.name = name;
        }
        Some(record)
    }
}

impl<'a> Record<'a> for OpMark<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(kind: u16, value: &'a [u8]) -> Option<Self> {
        Self::fields(value).filter(|_| kind == Self::TYPE)
    }
}

/// An allocation or a release: `torch.memory_usage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    pub ptr: i64,
    pub time: i64,
    /// Bytes; negative if they are released.
    pub alloc_size: i64,
    pub total_allocated: i64,
    pub total_reserved: i64,
    pub total_active: i64,
    /// -1 if it is not known.
    pub stream: i64,
    /// [`MemoryUsage::CPU`] or [`MemoryUsage::NPU`].
    pub device_type: i8,
    pub device_index: i8,
    /// 0 the caching allocator, 1 workspace.
    pub component: u8,
    /// 0 allocated, 1 released, 2 given back to the pool.
    pub data_type: u8,
    /// 0 the framework's own, 1 another one.
    pub allocator: u8,
    pub tid: u64,
    pub pid: u64,
}

impl MemoryUsage {
    pub const TYPE: u16 = 3;
    pub const CPU: i8 = 0;
    pub const NPU: i8 = 20;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_i64(out, [self.ptr, self.time, self.alloc_size]);
            put_i64(out, [self.total_allocated, self.total_reserved, self.total_active, self.stream]);
            out.extend_from_slice(&self.device_type.to_le_bytes());
            out.extend_from_slice(&self.device_index.to_le_bytes());
            out.extend_from_slice(&[self.component, self.data_type, self.allocator]);
            put_u64(out, [self.tid, self.pid]);
        });
    }

    fn fields(value: &[u8]) -> Option<Self> {
        let mut fields = Fields(value);
        Some(MemoryUsage {
            ptr: fields.i64()?,
            time: fields.i64()?,
            alloc_size: fields.i64()?,
            total_allocated: fields.i64()?,
            total_reserved: fields.i64()?,
            total_active: fields.i64()?,
            stream: fields.i64()?,
            device_type: fields.i8()?,
            device_index: fields.i8()?,
            component: fields.u8()?,
            data_type: fields.u8()?,
            allocator: fields.u8()?,
            tid: fields.u64()?,
            pid: fields.u64()?,
        })
    }
}

impl Record<'_> for MemoryUsage {
    const FRAMING: Framing = Framing::Tlv;

    fn read(kind: u16, value: &[u8]) -> Option<Self> {
        Self::fields(value).filter(|_| kind == Self::TYPE)
    }
}

/// A run of Python's garbage collector: `torch.gc_record`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcRecord {
    pub pid: u64,
    pub start: u64,
    pub end: u64,
}

impl GcRecord {
    pub const BYTES: usize = 24;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_u64(out, [self.pid, self.start, self.end]);
    }
}

impl Record<'_> for GcRecord {
    const FRAMING: Framing = Framing::Fixed(Self::BYTES);

    fn read(_: u16, value: &[u8]) -> Option<Self> {
        let mut fields = Fields(value);
        Some(GcRecord { pid: fields.u64()?, start: fields.u64()?, end: fields.u64()? })
    }
}

/// A function is entered or left: `torch.python_tracer_func`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PythonCall {
    pub time: u64,
    pub tid: u64,
    pub pid: u64,
    /// The function, by the number that [`Hash`] names; when it is left, that of [`PythonCall::EXIT`].
    pub hash: u64,
    /// [`PythonCall::PY_CALL`] to [`PythonCall::C_RETURN`].
    pub tag: u8,
}

impl PythonCall {
    pub const BYTES: usize = 33;
    pub const PY_CALL: u8 = 0;
    pub const PY_RETURN: u8 = 1;
    pub const C_CALL: u8 = 2;
    pub const C_RETURN: u8 = 3;
    /// The text whose hash stands in records of functions that are left.
    pub const EXIT: &'static str = "__torch_npu_profiler_python_tracer_exit";

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_u64(out, [self.time, self.tid, self.pid, self.hash]);
        out.push(self.tag);
    }
}

impl Record<'_> for PythonCall {
    const FRAMING: Framing = Framing::Fixed(Self::BYTES);

    fn read(_: u16, value: &[u8]) -> Option<Self> {
        let mut fields = Fields(value);
        Some(PythonCall {
            time: fields.u64()?,
            tid: fields.u64()?,
            pid: fields.u64()?,
            hash: fields.u64()?,
            tag: fields.u8()?,
        })
    }
}

/// What a number in [`PythonCall`] stands for: `torch.python_tracer_hash`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hash<'a> {
    pub key: u64,
    /// `file(line): function`, what Python shows of a built-in one, or `Class######address` of a module.
    pub text: &'a str,
}

impl<'a> Hash<'a> {
    pub const TYPE: u16 = 4;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_u64(out, [self.key]);
            put_text(out, 1, self.text);
        });
    }

    fn fields(value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let key = fields.u64()?;
        let text = fields.texts().filter(|(kind, _)| *kind == 1).last();
        Some(Hash { key, text: text.map(|(_, text)| text).unwrap_or_default() })
    }
}

impl<'a> Record<'a> for Hash<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(kind: u16, value: &'a [u8]) -> Option<Self> {
        Self::fields(value).filter(|_| kind == Self::TYPE)
    }
}

/// The parameters of a module or an optimizer: `torch.param_tensor_info`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParamTensors<'a> {
    /// The module, as in [`Hash`].
    pub key: u64,
    pub module: Option<&'a str>,
    pub optimizer: Option<&'a str>,
}

impl<'a> ParamTensors<'a> {
    pub const TYPE: u16 = 5;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_u64(out, [self.key]);
            put_opt_text(out, 1, self.module);
            put_opt_text(out, 2, self.optimizer);
        });
    }

    fn fields(value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let mut record = ParamTensors { key: fields.u64()?, ..ParamTensors::default() };
        for (kind, text) in fields.texts() {
            match kind {
                1 => record.module = Some(text),
                2 => record.optimizer = Some(text),
                _ => {}
            }
        }
        Some(record)
    }
}

impl<'a> Record<'a> for ParamTensors<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(kind: u16, value: &'a [u8]) -> Option<Self> {
        Self::fields(value).filter(|_| kind == Self::TYPE)
    }
}

pub(super) fn put_i64<const N: usize>(out: &mut Vec<u8>, fields: [i64; N]) {
    fields.iter().for_each(|field| out.extend_from_slice(&field.to_le_bytes()));
}

pub(super) fn put_u64<const N: usize>(out: &mut Vec<u8>, fields: [u64; N]) {
    fields.iter().for_each(|field| out.extend_from_slice(&field.to_le_bytes()));
}
