//! From events to rows, by their categories.

use hashbrown::HashMap;
use npuscope_measures::communication::{COMMUNICATION_CORE, runs_on_host};
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::lane::Layer;
use npuscope_tables::table::{comm_op, kernel, task};
use npuscope_tables::{ConnectionId, LaneId, RankBuilder, Span, Str, TaskId};

use super::allocations::thread_of;
use super::announced::{self, Announcement, Announcements, Call};
use super::collectives::Collective;
use super::host_collectives::host_collective;
use super::memory;
use super::words::{self, Class};
use crate::trace_json::Cursor;
use crate::trace_json::args::{Rest, exact_number, integer, list_text, text};
use crate::trace_json::counters::Counters;
use crate::trace_json::event::{Event, Events, Flags, Phase};
use crate::trace_json::host_ops::{HostOps, read_host_arg};
use crate::trace_json::lanes::{Id, Lanes};
use crate::trace_json::layers;

/// What stands between the tensors of `host_op.shapes` and `host_op.dtypes`, as torch_npu writes it.
pub const TENSORS: &str = ";\r\n";

/// The rows of a stretch of the file.
#[derive(Default)]
pub struct Piece {
    pub rank: RankBuilder,
    /// Kernels, with the numbers that their tasks have within the piece.
    pub kernels: Vec<kernel::Row>,
    /// Collectives, not yet on a lane, and the streams they ran on.
    pub collectives: Vec<(Option<i64>, comm_op::Row)>,
    /// Collectives that the host ran, not yet on a lane.
    pub host_collectives: Vec<comm_op::Row>,
    /// What the host said of collectives.
    pub announcements: Announcements,
    /// Lanes that showed work of the device.
    pub device_lanes: Vec<LaneId>,
    /// Arguments that have no column.
    pub unread: Vec<String>,
}

/// Turns the slices, marks and counters of a stretch of the file into rows. Flows and metadata are not its business:
/// they tie together events of different stretches.
pub struct Interpreter<'a> {
    bytes: &'a [u8],
    lanes: &'a Lanes,
    /// From lanes of the stretch to lanes of the file.
    lane_map: &'a [LaneId],
    categories: Vec<Str>,
    /// Category and whether the lane is a stream → what it is, and the kind's word.
    classes: HashMap<(u16, bool), Class>,
    host_ops: HostOps,
    counters: Counters,
    tasks: i64,
    piece: Piece,
}

impl<'a> Interpreter<'a> {
    pub fn new(bytes: &'a [u8], lanes: &'a Lanes, lane_map: &'a [LaneId]) -> Self {
        Interpreter {
            bytes,
            lanes,
            lane_map,
            categories: Vec::new(),
            classes: HashMap::new(),
            host_ops: HostOps::default(),
            counters: Counters::default(),
            tasks: 0,
            piece: Piece::default(),
        }
    }

    pub fn run(mut self, events: Events) -> Piece {
        self.piece.rank.strings = events.strings;
        self.categories = events.categories;
        let mut exact = events.exact_us.into_iter();
        for block in events.blocks {
            for event in block {
                let exact_us = if event.flags.has(Flags::EXACT) { exact.next() } else { None };
                let lane = self.lane_map.get(event.lane as usize).copied().unwrap_or_default();
                match event.phase {
                    Phase::Slice => self.slice(&event, lane, Span::new(event.duration, exact_us)),
                    Phase::Counter => self.counter(&event, lane),
                    Phase::Other => self.mark(&event, lane),
                    Phase::Metadata | Phase::FlowStart | Phase::FlowEnd => {}
                }
            }
        }
        self.host_ops.append_to(&mut self.piece.rank);
        self.piece.unread.sort();
        self.piece.unread.dedup();
        self.piece
    }

    fn args_of(&self, event: &Event) -> Option<Cursor<'a>> {
        (event.text_len > 0).then(|| Cursor::new(self.bytes, usize::try_from(event.text_start).unwrap_or(usize::MAX)))
    }

    fn category(&self, event: &Event) -> Str {
        self.categories.get(usize::from(event.category)).copied().unwrap_or_default()
    }

    fn class(&mut self, event: &Event, lane: LaneId) -> Class {
        let on_device = self.lanes.layer(lane) == Layer::Hardware;
        let category = self.category(event);
        let strings = &self.piece.rank.strings;
        *self
            .classes
            .entry((event.category, on_device))
            .or_insert_with(|| words::class_of(strings.get(category), on_device))
    }

    fn slice(&mut self, event: &Event, lane: LaneId, duration: Span) {
        match self.class(event, lane) {
            Class::Host(kind, level) => self.host_op(event, lane, duration, kind, level),
            class => self.task(event, lane, duration, class),
        }
    }

    /// A row of the kind; the category is kept where the kind does not imply it.
    fn host_row(&mut self, event: &Event, lane: LaneId, kind: Kind) -> host_op::Row {
        let category = self.category(event);
        let strings = &mut self.piece.rank.strings;
        let is_implied = strings.get(category) == layers::category_of(kind);
        host_op::Row {
            lane,
            kind: strings.intern(kind.name()),
            start: event.time,
            name: event.name,
            category: (!is_implied).then_some(category),
            ..host_op::Row::default()
        }
    }

    fn host_op(&mut self, event: &Event, lane: LaneId, duration: Span, kind: Kind, level: Option<&str>) {
        // Ranges that a backend of the host made around its work are not the user's.
        let is_collective = kind == Kind::Mstx && runs_on_host(self.piece.rank.strings.get(event.name));
        let kind = if is_collective { Kind::Other } else { kind };
        let mut row = host_op::Row { duration, ..self.host_row(event, lane, kind) };
        let args = self.args_of(event);
        let strings = &mut self.piece.rank.strings;
        row.level = level.map(|level| strings.intern(level));
        let mut rest = Rest::default();
        if let Some(mut args) = args {
            let _ = args.members(|key, cursor| {
                let read = match key.bytes {
                    b"correlation" => integer(cursor).map(|v| row.connection_id = Some(ConnectionId(v))),
                    b"kernel" if kind == Kind::Cann => text(cursor, strings).map(|v| row.item = Some(v)),
                    b"Input Dims" => list_text(cursor, TENSORS).map(|v| row.shapes = Some(strings.intern(&v))),
                    b"Input type" => list_text(cursor, TENSORS).map(|v| row.dtypes = Some(strings.intern(&v))),
                    _ => None,
                };
                read.or_else(|| read_host_arg(key.bytes, cursor, &mut row, strings))
                    .or_else(|| rest.keep_as_json(key, cursor))
            });
        }
        row.args = rest.finish(strings);
        if kind == Kind::Op && strings.get(event.name) == announced::OPERATOR {
            self.announcement(event, &row);
        }
        if is_collective {
            self.piece.host_collectives.extend(host_collective(&row, &mut self.piece.rank.strings));
        }
        if let (Kind::Cann, Some(connection)) = (kind, row.connection_id) {
            self.piece.announcements.calls.push(Call { connection, lane, start: row.start });
        }
        self.host_ops.push(kind, row);
    }

    /// Notes the collective that an operator announces. Its arguments are those of the operator too.
    fn announcement(&mut self, event: &Event, operator: &host_op::Row) {
        let Some(mut args) = self.args_of(event) else { return };
        let strings = &mut self.piece.rank.strings;
        let mut collective = Collective::default();
        let _ = args.members(|key, cursor| collective.read(key, cursor, strings).or_else(|| cursor.skip_value()));
        let (lane, start, end) = (operator.lane, operator.start, operator.start.plus(operator.duration.ns()));
        let row = collective.finish(event.name, strings);
        self.piece.announcements.announced.push(Announcement { lane, start, end, row });
    }

    fn task(&mut self, event: &Event, lane: LaneId, duration: Span, class: Class) {
        let category = self.category(event);
        let args = self.args_of(event);
        let strings = &mut self.piece.rank.strings;
        let mut row = task::Row { lane, start: event.time, duration, name: event.name, ..task::Row::default() };
        row.task_type = (!strings.get(category).is_empty()).then_some(category);
        let (mut grid, mut block) = (None, None);
        let mut collective = None;
        if class == Class::Kernel {
            let text = args.and_then(|args| args.bytes.get(args.at..args.at.checked_add(event.text_len as usize)?));
            collective = Collective::of(strings.get(event.name), text.unwrap_or_default());
        }
        let mut rest = Rest::default();
        if let Some(mut args) = args {
            let _ = args.members(|key, cursor| {
                let read = match key.bytes {
                    b"device" => integer(cursor).map(|v| row.device = Some(v)),
                    b"stream" => integer(cursor).map(|v| row.stream = Some(v)),
                    b"correlation" => integer(cursor).map(|v| row.connection_id = Some(ConnectionId(v))),
                    b"bytes" => integer(cursor).map(|v| row.bytes = Some(v)),
                    b"memory bandwidth (GB/s)" => exact_number(cursor).map(|v| row.bandwidth = Some(v)),
                    b"kind" if class == Class::Copy => text(cursor, strings).map(|v| row.operation = Some(v)),
                    b"grid" if class == Class::Kernel => list_text(cursor, ",").map(|v| grid = Some(v)),
                    b"block" if class == Class::Kernel => list_text(cursor, ",").map(|v| block = Some(v)),
                    _ => None,
                };
                read.or_else(|| collective.as_mut()?.read(key, cursor, strings))
                    .or_else(|| rest.keep_as_json(key, cursor))
            });
        }
        if let Some(lane) = self.lanes.get(lane).filter(|lane| lane.layer == Layer::Hardware) {
            let number = |id: &Id| if let Id::Number(number) = id { Some(*number) } else { None };
            row.device = row.device.or_else(|| number(&lane.pid));
            row.stream = row.stream.or_else(|| number(&lane.tid));
        }
        row.args = rest.finish(strings);
        if class == Class::Kernel {
            let operation = collective.map(|collective| collective.finish(event.name, strings));
            self.piece.kernels.push(kernel::Row {
                task: Some(TaskId(self.tasks)),
                device: row.device,
                start: row.start,
                duration,
                name: row.name,
                op_type: operation.as_ref().and_then(|op| op.op_type),
                core: operation.is_some().then(|| strings.intern(COMMUNICATION_CORE)),
                stream: row.stream,
                grid: grid.map(|text| strings.intern(&text)),
                block: block.map(|text| strings.intern(&text)),
                ..kernel::Row::default()
            });
            if let Some(operation) = operation {
                let (connection_id, device) = (row.connection_id, row.device);
                let operation = comm_op::Row { start: row.start, duration, connection_id, device, ..operation };
                self.piece.collectives.push((row.stream, operation));
            }
        }
        self.tasks += 1;
        self.piece.rank.task.push(row);
        if !self.piece.device_lanes.contains(&lane) {
            self.piece.device_lanes.push(lane);
        }
    }

    fn counter(&mut self, event: &Event, lane: LaneId) {
        let samples = self.args_of(event).map_or(0, |args| self.counters.read(args, event, lane, &mut self.piece.rank));
        if samples > 0 {
            self.counters.note_skipped(&mut self.piece.unread);
        } else {
            let mut row = self.host_row(event, lane, Kind::Other);
            let mut rest = Rest::default();
            if let Some(mut args) = self.args_of(event) {
                let _ = args.members(|key, cursor| rest.keep_as_json(key, cursor));
            }
            let strings = &mut self.piece.rank.strings;
            (row.event_type, row.args) = (Some(strings.intern("C")), rest.finish(strings));
            self.host_ops.push(Kind::Other, row);
        }
    }

    /// An event of another phase: what happened to memory, else a slice without length, its scope, id and arguments
    /// in `args`.
    fn mark(&mut self, event: &Event, lane: LaneId) {
        let Some(mut cursor) = self.args_of(event) else { return };
        let mut phase = Vec::new();
        let mut args: Option<Cursor<'a>> = None;
        let mut rest = Rest::default();
        let _ = cursor.members(|key, cursor| match key.bytes {
            b"ph" => cursor.string().map(|text| phase = text.bytes.to_vec()),
            b"name" | b"cat" | b"pid" | b"tid" | b"ts" => cursor.skip_value(),
            b"args" if cursor.peek() == b'{' => {
                args = Some(*cursor);
                cursor.skip_value()
            }
            _ => rest.keep_as_json(key, cursor),
        });
        if let Some(args) = args
            && self.piece.rank.strings.get(event.name) == memory::MARK
            && self.memory(args, event, lane).is_some()
        {
            return;
        }
        if let Some(mut args) = args {
            let _ = args.members(|key, cursor| rest.keep_as_json(key, cursor));
        }
        let kind = match self.class(event, lane) {
            Class::Host(kind, _) => kind,
            _ => Kind::Other,
        };
        let mut row = self.host_row(event, lane, kind);
        let strings = &mut self.piece.rank.strings;
        let word = if matches!(phase.as_slice(), b"i" | b"I") { b"instant" } else { phase.as_slice() };
        (row.event_type, row.args) = (Some(strings.intern_bytes(word)), rest.finish(strings));
        self.host_ops.push(kind, row);
    }

    fn memory(&mut self, args: Cursor<'_>, event: &Event, lane: LaneId) -> Option<()> {
        let Piece { rank, unread, .. } = &mut self.piece;
        let mut without_column = Vec::new();
        let mut row = memory::read_sample(args, event.time, event.name, &mut rank.strings, &mut without_column)?;
        without_column.retain(|key| !unread.contains(key));
        unread.append(&mut without_column);
        row.thread = self.lanes.get(lane).and_then(|lane| match (&lane.pid, &lane.tid) {
            (Id::Number(pid), Id::Number(tid)) => Some(thread_of(*pid, *tid)),
            _ => None,
        });
        rank.mem_sample.push(row);
        Some(())
    }
}
