//! What a record is on its way from a recording thread to the writer: one or several slots.
//!
//! The second word of the first slot has the kind in its lowest byte, a small number in the next, and the
//! number of a text in its upper half. The thread is that of the queue.

use super::names::Name;
use super::queue::Slot;

/// A record, read back from its slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    RangeStart {
        time: i64,
        id: u64,
        message: Name,
        domain: Name,
    },
    RangeEnd {
        time: i64,
        id: u64,
    },
    Mark {
        time: i64,
        message: Name,
        domain: Name,
    },
    Counter {
        time: i64,
        name: Name,
        value: f64,
    },
    /// A function is called or returns, as [`Tag`] says.
    Call {
        time: i64,
        function: Name,
        tag: u8,
    },
    Collection {
        start: i64,
        end: i64,
    },
    Op(Op),
    Memory(Memory),
}

/// A framework operator or a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    pub start: i64,
    pub end: i64,
    pub name: Name,
    /// As `formats::framework::records::scope` has it.
    pub scope: u8,
    /// -1 if there is none.
    pub sequence: i64,
    pub forward_tid: u64,
    pub shapes: Name,
    pub dtypes: Name,
    pub stack: Name,
}

/// An allocation, or with a negative size a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub time: i64,
    pub address: i64,
    pub size: i64,
    pub total_allocated: i64,
    pub total_reserved: i64,
    pub total_active: i64,
    pub stream: i64,
    /// As `formats::framework::records::MemoryUsage` numbers them.
    pub device_type: i8,
    pub device_index: i8,
}

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tag {
    PythonCall = 0,
    PythonReturn = 1,
    NativeCall = 2,
    NativeReturn = 3,
}

#[derive(Clone, Copy)]
#[repr(u8)]
enum Kind {
    RangeStart = 1,
    RangeEnd,
    Mark,
    Counter,
    Call,
    Collection,
    Op,
    Memory,
}

#[inline(always)]
const fn head(kind: Kind, small: u8, name: Name) -> u64 {
    kind as u64 | (small as u64) << 8 | (name.0 as u64) << 32
}

#[inline(always)]
pub const fn range_start(time: i64, id: u64, message: Name, domain: Name) -> [Slot; 1] {
    [[time as u64, head(Kind::RangeStart, 0, message), id, domain.0 as u64]]
}

#[inline(always)]
pub const fn range_end(time: i64, id: u64) -> [Slot; 1] {
    [[time as u64, head(Kind::RangeEnd, 0, Name::NONE), id, 0]]
}

#[inline(always)]
pub const fn mark(time: i64, message: Name, domain: Name) -> [Slot; 1] {
    [[time as u64, head(Kind::Mark, 0, message), domain.0 as u64, 0]]
}

#[inline(always)]
pub const fn counter(time: i64, name: Name, value: f64) -> [Slot; 1] {
    [[time as u64, head(Kind::Counter, 0, name), value.to_bits(), 0]]
}

#[inline(always)]
pub const fn call(time: i64, function: Name, tag: Tag) -> [Slot; 1] {
    [[time as u64, head(Kind::Call, tag as u8, function), 0, 0]]
}

pub const fn collection(start: i64, end: i64) -> [Slot; 1] {
    [[start as u64, head(Kind::Collection, 0, Name::NONE), end as u64, 0]]
}

pub const fn op(op: &Op) -> [Slot; 2] {
    [
        [op.start as u64, head(Kind::Op, op.scope, op.name), op.end as u64, op.sequence as u64],
        [op.forward_tid, op.shapes.0 as u64, op.dtypes.0 as u64, op.stack.0 as u64],
    ]
}

pub const fn memory(memory: &Memory) -> [Slot; 3] {
    let device = memory.device_type as u8 as u64 | (memory.device_index as u8 as u64) << 8;
    [
        [memory.time as u64, head(Kind::Memory, 0, Name::NONE), memory.address as u64, memory.size as u64],
        [memory.total_allocated as u64, memory.total_reserved as u64, memory.total_active as u64, memory.stream as u64],
        [device, 0, 0, 0],
    ]
}

impl Event {
    /// The first record of some slots and the slots behind it.
    pub fn read(slots: &[Slot]) -> Option<(Self, &[Slot])> {
        let ([time, head, a, b], rest) = slots.split_first()?;
        let (time, small, name) = (*time as i64, (head >> 8) as u8, Name((head >> 32) as u32));
        let number = |word: &u64| Name(*word as u32);
        let one = |event| Some((event, rest));
        match *head as u8 {
            kind if kind == Kind::RangeStart as u8 => {
                one(Event::RangeStart { time, id: *a, message: name, domain: number(b) })
            }
            kind if kind == Kind::RangeEnd as u8 => one(Event::RangeEnd { time, id: *a }),
            kind if kind == Kind::Mark as u8 => one(Event::Mark { time, message: name, domain: number(a) }),
            kind if kind == Kind::Counter as u8 => one(Event::Counter { time, name, value: f64::from_bits(*a) }),
            kind if kind == Kind::Call as u8 => one(Event::Call { time, function: name, tag: small }),
            kind if kind == Kind::Collection as u8 => one(Event::Collection { start: time, end: *a as i64 }),
            kind if kind == Kind::Op as u8 => {
                let ([forward_tid, shapes, dtypes, stack], rest) = rest.split_first()?;
                let op = Op {
                    start: time,
                    end: *a as i64,
                    name,
                    scope: small,
                    sequence: *b as i64,
                    forward_tid: *forward_tid,
                    shapes: number(shapes),
                    dtypes: number(dtypes),
                    stack: number(stack),
                };
                Some((Event::Op(op), rest))
            }
            kind if kind == Kind::Memory as u8 => {
                let ([[allocated, reserved, active, stream], [device, ..]], rest) = rest.split_first_chunk()?;
                let memory = Memory {
                    time,
                    address: *a as i64,
                    size: *b as i64,
                    total_allocated: *allocated as i64,
                    total_reserved: *reserved as i64,
                    total_active: *active as i64,
                    stream: *stream as i64,
                    device_type: *device as u8 as i8,
                    device_index: (*device >> 8) as u8 as i8,
                };
                Some((Event::Memory(memory), rest))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_were() {
        let operator = Op {
            start: -5,
            end: i64::MAX,
            name: Name(u32::MAX),
            scope: 7,
            sequence: -1,
            forward_tid: 9,
            shapes: Name(3),
            dtypes: Name(4),
            stack: Name(5),
        };
        let allocation = Memory {
            time: 1,
            address: -1,
            size: -4096,
            total_allocated: 2,
            total_reserved: 3,
            total_active: 4,
            stream: -1,
            device_type: 20,
            device_index: -1,
        };
        let slots: Vec<Slot> = [
            &range_start(1, 2, Name(3), Name(4))[..],
            &range_end(5, 2),
            &mark(6, Name(7), Name(0)),
            &counter(8, Name(9), -0.5),
            &call(10, Name(11), Tag::NativeReturn),
            &collection(12, 13),
            &op(&operator),
            &memory(&allocation),
        ]
        .concat();
        let expected = [
            Event::RangeStart { time: 1, id: 2, message: Name(3), domain: Name(4) },
            Event::RangeEnd { time: 5, id: 2 },
            Event::Mark { time: 6, message: Name(7), domain: Name(0) },
            Event::Counter { time: 8, name: Name(9), value: -0.5 },
            Event::Call { time: 10, function: Name(11), tag: 3 },
            Event::Collection { start: 12, end: 13 },
            Event::Op(operator),
            Event::Memory(allocation),
        ];
        let mut rest = &slots[..];
        for event in expected {
            let (read, behind) = Event::read(rest).unwrap();
            assert_eq!(read, event);
            rest = behind;
        }
        assert!(rest.is_empty());
    }
}
