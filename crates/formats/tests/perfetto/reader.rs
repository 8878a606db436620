//! Reads a Perfetto trace by the rules of protobuf alone: nothing here is shared with what writes it.

use std::collections::{BTreeMap, HashMap};

/// The value of a field.
#[derive(Clone, Copy)]
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message.
struct Fields<'a>(Vec<(u64, Wire<'a>)>);

impl<'a> Fields<'a> {
    fn of(mut bytes: &'a [u8]) -> Fields<'a> {
        fn varint(bytes: &mut &[u8]) -> u64 {
            let mut value = 0;
            for shift in (0..64).step_by(7) {
                let (&byte, rest) = bytes.split_first().expect("a number is cut");
                *bytes = rest;
                value |= u64::from(byte & 0x7f) << shift;
                if byte < 0x80 {
                    return value;
                }
            }
            panic!("a number has more than 64 bits");
        }
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes);
            let value = match tag & 7 {
                0 => Wire::Number(varint(&mut bytes)),
                1 => {
                    let (number, rest) = bytes.split_first_chunk().expect("a number is cut");
                    bytes = rest;
                    Wire::Number(u64::from_le_bytes(*number))
                }
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (content, rest) = bytes.split_at(length);
                    bytes = rest;
                    Wire::Bytes(content)
                }
                other => panic!("wire type {other}"),
            };
            fields.push((tag >> 3, value));
        }
        Fields(fields)
    }

    fn numbers(&self, field: u64) -> Vec<u64> {
        self.0
            .iter()
            .filter_map(|&(f, v)| {
                if let Wire::Number(n) = v
                    && f == field
                {
                    Some(n)
                } else {
                    None
                }
            })
            .collect()
    }

    fn number(&self, field: u64) -> Option<u64> {
        self.numbers(field).first().copied()
    }

    fn bytes(&self, field: u64) -> Vec<&'a [u8]> {
        self.0
            .iter()
            .filter_map(|&(f, v)| {
                if let Wire::Bytes(b) = v
                    && f == field
                {
                    Some(b)
                } else {
                    None
                }
            })
            .collect()
    }

    fn message(&self, field: u64) -> Option<Fields<'a>> {
        self.bytes(field).first().map(|bytes| Fields::of(bytes))
    }

    fn text(&self, field: u64) -> Option<String> {
        self.bytes(field).first().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    }
}

/// Where a slice or sample is: process and thread; no thread for counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub process: String,
    pub thread: Option<(i64, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReadSlice {
    pub place: Place,
    pub track: u64,
    pub name: String,
    pub category: String,
    pub begin: i64,
    pub end: i64,
    pub flows: Vec<u64>,
    pub ending_flows: Vec<u64>,
    /// Annotations, as text.
    pub annotations: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReadSample {
    pub process: String,
    pub counter: String,
    pub unit: Option<String>,
    pub time: i64,
    pub value: f64,
}

#[derive(Default)]
pub struct Trace {
    pub slices: Vec<ReadSlice>,
    pub samples: Vec<ReadSample>,
    /// Names and pids of processes, in the order that the trace asks for.
    pub processes: Vec<(String, u64)>,
}

#[derive(Clone, Default)]
struct Track {
    parent: Option<u64>,
    name: Option<String>,
    order: u64,
    process: Option<(u64, String)>,
    thread: Option<(u64, i64, String)>,
    unit: Option<String>,
}

type Texts = HashMap<(u64, u64, u64), String>;

/// Reads a trace; fails where a track has an end too many or too few, or times that go back.
pub fn read(bytes: &[u8]) -> Trace {
    let mut tracks: HashMap<u64, Track> = HashMap::new();
    let mut texts: Texts = HashMap::new();
    let mut open: HashMap<u64, Vec<ReadSlice>> = HashMap::new();
    let mut last: HashMap<u64, i64> = HashMap::new();
    let mut trace = Trace::default();
    for packet in Fields::of(bytes).bytes(1).into_iter().map(Fields::of) {
        let sequence = packet.number(10).expect("a packet without a sequence");
        if let Some(descriptor) = packet.message(60) {
            let known = tracks.insert(descriptor.number(1).unwrap(), track(&descriptor));
            assert!(known.is_none(), "a track is described twice");
        }
        if let Some(interned) = packet.message(12) {
            intern(&interned, sequence, &mut texts);
        }
        let Some(event) = packet.message(11) else { continue };
        let time = packet.number(8).unwrap().cast_signed();
        let uuid = event.number(11).unwrap();
        let track = tracks.get(&uuid).expect("an event on a track that is not described");
        let before = last.insert(uuid, time);
        assert!(before.is_none_or(|before| before <= time), "time goes back on track {uuid}");
        match event.number(9).unwrap() {
            1 => open.entry(uuid).or_default().push(slice(&event, uuid, time, sequence, &tracks, &texts)),
            2 => {
                let mut ended = open.entry(uuid).or_default().pop().expect("an end without a begin");
                ended.end = time;
                let around = open.get(&uuid).and_then(|open| open.last());
                assert!(around.is_none_or(|around| around.begin <= ended.begin));
                trace.slices.push(ended);
            }
            4 => trace.samples.push(ReadSample {
                process: tracks[&track.parent.unwrap()].process.clone().unwrap().1,
                counter: track.name.clone().unwrap(),
                unit: track.unit.clone(),
                time,
                value: f64::from_bits(event.number(44).unwrap()),
            }),
            other => panic!("an event of type {other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "a begin without an end");
    let mut processes: Vec<_> = tracks.values().filter_map(|t| Some((t.order, t.process.clone()?))).collect();
    processes.sort();
    trace.processes = processes.into_iter().map(|(_, (pid, name))| (name, pid)).collect();
    trace
}

fn track(descriptor: &Fields) -> Track {
    Track {
        parent: descriptor.number(5),
        name: descriptor.text(2),
        order: descriptor.number(12).unwrap_or_default(),
        process: descriptor.message(3).map(|process| (process.number(1).unwrap(), process.text(6).unwrap())),
        thread: descriptor.message(4).map(|thread| {
            (thread.number(1).unwrap(), thread.number(2).unwrap().cast_signed(), thread.text(5).unwrap())
        }),
        unit: descriptor.message(8).and_then(|counter| match counter.number(3) {
            Some(3) => Some("B".to_owned()),
            _ => counter.text(6),
        }),
    }
}

fn intern(interned: &Fields, sequence: u64, texts: &mut Texts) {
    for field in [1, 2, 3, 29] {
        for entry in interned.bytes(field).into_iter().map(Fields::of) {
            let key = (sequence, field, entry.number(1).unwrap());
            assert!(key.2 > 0 && texts.insert(key, entry.text(2).unwrap()).is_none(), "a text is interned twice");
        }
    }
}

fn slice(
    event: &Fields,
    uuid: u64,
    begin: i64,
    sequence: u64,
    tracks: &HashMap<u64, Track>,
    texts: &Texts,
) -> ReadSlice {
    let text = |field: u64, id: Option<u64>| texts[&(sequence, field, id.unwrap())].clone();
    let annotations = event.bytes(4).into_iter().map(Fields::of).map(|annotation| {
        let name = annotation.text(10).unwrap_or_else(|| text(3, annotation.number(1)));
        let value = None
            .or(annotation.number(2).map(|b| (b == 1).to_string()))
            .or(annotation.number(3).map(|u| u.to_string()))
            .or(annotation.number(4).map(|i| i.cast_signed().to_string()))
            .or(annotation.number(5).map(|r| f64::from_bits(r).to_string()))
            .or(annotation.text(6))
            .unwrap_or_else(|| text(29, annotation.number(17)));
        (name, value)
    });
    ReadSlice {
        place: place(uuid, tracks),
        track: uuid,
        name: text(2, event.number(10)),
        category: text(1, event.number(3)),
        begin,
        end: i64::MIN,
        flows: event.numbers(47),
        ending_flows: event.numbers(48),
        annotations: annotations.collect(),
    }
}

/// The thread of a track is its own or its parent's.
fn place(uuid: u64, tracks: &HashMap<u64, Track>) -> Place {
    let own = &tracks[&uuid];
    let thread_track = if own.thread.is_some() { own } else { &tracks[&own.parent.unwrap()] };
    let (pid, tid, name) = thread_track.thread.clone().unwrap();
    assert!(own.name.as_ref().is_none_or(|shown| *shown == name), "a sub-track has the name of its lane");
    let (process_pid, process) = tracks[&thread_track.parent.unwrap()].process.clone().unwrap();
    assert_eq!(pid, process_pid);
    Place { process, thread: Some((tid, name)) }
}
