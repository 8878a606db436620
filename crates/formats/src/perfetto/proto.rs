//! The protobuf wire format, and the field numbers of Perfetto's messages that are written here.

/// A message, or the fields of one, as bytes.
#[derive(Default)]
pub struct Message {
    bytes: Vec<u8>,
}

const VARINT: u64 = 0;
const EIGHT_BYTES: u64 = 1;
const LENGTH: u64 = 2;

impl Message {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    pub fn uint(&mut self, field: u64, value: u64) {
        self.tag(field, VARINT);
        self.varint(value);
    }

    /// A signed number, in two's complement as `int32` and `int64` are.
    pub fn int(&mut self, field: u64, value: i64) {
        self.uint(field, value.cast_unsigned());
    }

    pub fn fixed(&mut self, field: u64, value: u64) {
        self.tag(field, EIGHT_BYTES);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn real(&mut self, field: u64, value: f64) {
        self.fixed(field, value.to_bits());
    }

    pub fn text(&mut self, field: u64, value: &str) {
        self.raw(field, value.as_bytes());
    }

    /// A message whose fields are bytes already.
    pub fn raw(&mut self, field: u64, bytes: &[u8]) {
        self.tag(field, LENGTH);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// A message inside this one.
    pub fn message(&mut self, field: u64, fill: impl FnOnce(&mut Message)) {
        self.tag(field, LENGTH);
        let start = self.bytes.len();
        fill(self);
        let end = self.bytes.len();
        // The length stands before the content and is known after it: it is written last and turned to the front.
        self.varint((end - start) as u64);
        let length_bytes = self.bytes.len() - end;
        if let Some(content) = self.bytes.get_mut(start..) {
            content.rotate_right(length_bytes);
        }
    }

    fn tag(&mut self, field: u64, wire_type: u64) {
        self.varint(field << 3 | wire_type);
    }

    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

pub mod trace {
    pub const PACKET: u64 = 1;
}

pub mod packet {
    pub const CLOCK_SNAPSHOT: u64 = 6;
    pub const TIMESTAMP: u64 = 8;
    pub const SEQUENCE: u64 = 10;
    pub const TRACK_EVENT: u64 = 11;
    pub const INTERNED_DATA: u64 = 12;
    pub const SEQUENCE_FLAGS: u64 = 13;
    pub const TRACK_DESCRIPTOR: u64 = 60;
    pub const IS_FIRST_ON_SEQUENCE: u64 = 87;

    pub const STATE_CLEARED: u64 = 1;
    pub const NEEDS_STATE: u64 = 2;
}

pub mod clock_snapshot {
    pub const CLOCKS: u64 = 1;
    pub const CLOCK_ID: u64 = 1;
    pub const CLOCK_TIMESTAMP: u64 = 2;

    pub const REALTIME: u64 = 1;
    pub const BOOTTIME: u64 = 6;
}

pub mod interned {
    pub const CATEGORIES: u64 = 1;
    pub const NAMES: u64 = 2;
    pub const ANNOTATION_NAMES: u64 = 3;
    pub const ANNOTATION_TEXTS: u64 = 29;

    pub const ID: u64 = 1;
    pub const TEXT: u64 = 2;
}

pub mod track {
    pub const UUID: u64 = 1;
    pub const NAME: u64 = 2;
    pub const PROCESS: u64 = 3;
    pub const THREAD: u64 = 4;
    pub const PARENT: u64 = 5;
    pub const COUNTER: u64 = 8;
    pub const CHILD_ORDERING: u64 = 11;
    pub const ORDER: u64 = 12;
    pub const PROCESS_ORDERING: u64 = 19;
    pub const THREAD_ORDERING: u64 = 20;

    /// The descriptor of all processes: where their ordering is set.
    pub const ROOT: u64 = 0;
    pub const CHILDREN_EXPLICIT: u64 = 3;
    pub const PROCESSES_EXPLICIT: u64 = 1;
    pub const THREADS_EXPLICIT: u64 = 1;
}

pub mod process {
    pub const PID: u64 = 1;
    pub const SORT_INDEX: u64 = 3;
    pub const NAME: u64 = 6;
    pub const LABELS: u64 = 8;
}

pub mod thread {
    pub const PID: u64 = 1;
    pub const TID: u64 = 2;
    pub const SORT_INDEX: u64 = 3;
    pub const NAME: u64 = 5;
}

pub mod counter {
    pub const UNIT: u64 = 3;
    pub const UNIT_NAME: u64 = 6;

    pub const BYTES: u64 = 3;
}

pub mod event {
    pub const CATEGORIES: u64 = 3;
    pub const ANNOTATIONS: u64 = 4;
    pub const TYPE: u64 = 9;
    pub const NAME: u64 = 10;
    pub const TRACK: u64 = 11;
    pub const REAL_VALUE: u64 = 44;
    pub const FLOWS: u64 = 47;
    pub const ENDING_FLOWS: u64 = 48;

    pub const BEGIN: u64 = 1;
    pub const END: u64 = 2;
    pub const COUNTER: u64 = 4;
}

pub mod annotation {
    pub const NAME_ID: u64 = 1;
    pub const BOOL: u64 = 2;
    pub const UINT: u64 = 3;
    pub const INT: u64 = 4;
    pub const REAL: u64 = 5;
    pub const TEXT: u64 = 6;
    pub const NAME: u64 = 10;
    pub const TEXT_ID: u64 = 17;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_spelled_as_protobuf_spells_them() {
        let mut message = Message::default();
        message.uint(1, 300);
        message.int(2, -1);
        message.real(3, 1.0);
        message.message(4, |inner| inner.text(1, &"x".repeat(130)));
        let mut expected = vec![0x08, 0xac, 0x02, 0x10];
        expected.extend([0xff; 9]);
        expected.extend([0x01, 0x19, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        expected.extend([0x22, 0x85, 0x01, 0x0a, 0x82, 0x01]);
        expected.extend([b'x'; 130]);
        assert_eq!(message.bytes(), expected);
    }
}
