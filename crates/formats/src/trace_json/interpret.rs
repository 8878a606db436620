//! From events to rows: what each event means, now that its lane is known.

use hashbrown::HashMap;
use npuscope_measures::communication::runs_on_host;
use npuscope_measures::link::STEP_PREFIX;
use npuscope_tables::Memo;
use npuscope_tables::number::float;
use npuscope_tables::table::lane::Layer;
use npuscope_tables::table::{comm_op, comm_task, host_op, overlap, task};
use npuscope_tables::{ConnectionId, Interner, LaneId, RankBuilder, Span, Str};

use super::args::{Rest, exact_number, integer, text};
use super::counters::Counters;
use super::event::{Event, Events, Flags, Phase};
use super::host_ops::{HostOps, read_host_arg};
use super::lanes::{Id, Lanes};
use super::layers;
use super::text::Cursor;
use super::wanted::Wanted;

/// How the traces write "no rank" and "no model".
const NO_RANK: i64 = 4_294_967_295;

/// Turns the slices and counters of a stretch of the file into rows. Flows and metadata are not its
/// business: they tie together events of different stretches.
pub struct Interpreter<'a> {
    bytes: &'a [u8],
    lanes: &'a Lanes,
    /// From lanes of the stretch to lanes of the file.
    lane_map: &'a [LaneId],
    wanted: &'a Wanted,
    rank: RankBuilder,
    categories: Vec<Str>,
    host_ops: HostOps,
    /// Lanes of the stretch that showed user ranges.
    mstx_lanes: Vec<LaneId>,
    /// CANN slice name → API name.
    api_names: HashMap<Str, Option<(Str, Str)>>,
    counters: Counters,
    /// Arguments that have no column.
    unread: Vec<String>,
    kinds: HashMap<(Layer, Str), (host_op::Kind, Str, Option<Str>)>,
    /// Slice name → whether it marks a step.
    step_names: Memo<bool>,
}

impl<'a> Interpreter<'a> {
    pub fn new(bytes: &'a [u8], lanes: &'a Lanes, lane_map: &'a [LaneId], wanted: &'a Wanted) -> Self {
        Interpreter {
            bytes,
            lanes,
            lane_map,
            wanted,
            rank: RankBuilder::default(),
            categories: Vec::new(),
            host_ops: HostOps::default(),
            mstx_lanes: Vec::new(),
            api_names: HashMap::default(),
            counters: Counters::default(),
            unread: Vec::new(),
            kinds: HashMap::default(),
            step_names: Memo::default(),
        }
    }

    /// The rows of `events`, the lanes on which user ranges were found, and arguments that have no column.
    pub fn run(mut self, events: Events) -> (RankBuilder, Vec<LaneId>, Vec<String>) {
        self.rank.strings = events.strings;
        self.categories = events.categories;
        let mut exact = events.exact_us.into_iter();
        for block in events.blocks {
            for event in block {
                let exact_us = if event.flags.has(Flags::EXACT) { exact.next() } else { None };
                let lane = self.lane_map.get(event.lane as usize).copied().unwrap_or_default();
                match event.phase {
                    Phase::Slice => self.slice(&event, lane, Span::new(event.duration, exact_us)),
                    Phase::Counter if self.wanted.counters => self.counter(&event, lane),
                    _ => {}
                }
            }
        }
        self.host_ops.append_to(&mut self.rank);
        (self.rank, self.mstx_lanes, self.unread)
    }

    fn category(&self, event: &Event) -> Str {
        self.categories.get(usize::from(event.category)).copied().unwrap_or_default()
    }

    fn args_of(&self, event: &Event) -> Option<Cursor<'a>> {
        (event.text_len > 0).then(|| Cursor::new(self.bytes, usize::try_from(event.text_start).unwrap_or(usize::MAX)))
    }

    fn slice(&mut self, event: &Event, lane: LaneId, duration: Span) {
        if !self.wanted.lane(lane) && !self.is_step(event) {
            return;
        }
        match self.lanes.layer(lane) {
            Layer::Hardware | Layer::Counter => self.task(event, lane, duration),
            Layer::Communication => self.communication(event, lane, duration),
            Layer::Overlap => self.overlap(event, lane, duration),
            Layer::Cann => self.cann(event, lane, duration),
            layer => self.host_op(event, lane, duration, layer),
        }
    }

    /// Whether a slice marks a step that is wanted.
    fn is_step(&mut self, event: &Event) -> bool {
        let strings = &self.rank.strings;
        self.wanted.steps && self.step_names.get(event.name, || strings.get(event.name).contains(STEP_PREFIX))
    }

    fn host_op(&mut self, event: &Event, lane: LaneId, duration: Span, layer: Layer) {
        let (mut kind, mut kind_name, category) = self.kind(layer, self.category(event));
        let mut row =
            host_op::Row { lane, start: event.time, duration, name: event.name, category, ..host_op::Row::default() };
        let mut rest = Rest::default();
        let args = self.args_of(event);
        let strings = &mut self.rank.strings;
        if let Some(mut args) = args {
            let _ = args.members(|key, cursor| {
                let read = read_host_arg(key.bytes, cursor, &mut row, strings);
                read.or_else(|| rest.keep(key, cursor))
            });
        }
        if row.event_type.is_some() && kind == host_op::Kind::Other {
            kind = host_op::Kind::Mstx;
            kind_name = strings.intern(kind.name());
            if !self.mstx_lanes.contains(&lane) {
                self.mstx_lanes.push(lane);
            }
        }
        row.kind = kind_name;
        row.args = self.finish_rest(rest, event, || host_op_has_args(&row));
        self.host_ops.push(kind, row);
    }

    fn cann(&mut self, event: &Event, lane: LaneId, duration: Span) {
        let kind = self.rank.strings.intern(host_op::Kind::Cann.name());
        let api = self.api_name(event.name);
        let (name, prefix) = api.unwrap_or((event.name, Interner::EMPTY));
        let thread = self.lanes.get(lane).map(|l| &l.tid);
        let mut row = host_op::Row { lane, kind, start: event.time, duration, name, ..host_op::Row::default() };
        let mut rest = Rest::default();
        let args = self.args_of(event);
        let strings = &mut self.rank.strings;
        if let Some(mut args) = args {
            let _ = args.members(|key, cursor| {
                let start = cursor.at;
                let read = match key.bytes {
                    b"Thread Id" => integer(cursor).filter(|&id| thread == Some(&Id::Number(id))).map(drop),
                    b"Mode" => text(cursor, strings).map(|v| row.mode = Some(v)),
                    b"level" => text(cursor, strings)
                        .filter(|&v| layers::cann_prefix(strings.get(v)) == strings.get(prefix))
                        .map(|v| row.level = Some(v)),
                    b"id" => text(cursor, strings).map(|v| row.api_id = Some(v).filter(|&v| v != name)),
                    b"item_id" => text(cursor, strings).map(|v| row.item = Some(v)),
                    b"connection_id" => integer(cursor).map(|v| row.connection_id = Some(ConnectionId(v))),
                    _ => None,
                };
                read.or_else(|| {
                    cursor.at = start;
                    rest.keep(key, cursor)
                })
            });
        }
        if row.level.is_none() {
            // The name cannot be put together again from a level: keep it whole, and what goes with it.
            rest = Rest::default();
            if let Some(mut args) = args {
                let _ = args.members(|key, cursor| match key.bytes {
                    b"connection_id" if row.connection_id.is_some() => cursor.skip_value(),
                    _ => rest.keep(key, cursor),
                });
            }
            let connection_id = row.connection_id;
            row = host_op::Row {
                lane,
                kind,
                start: event.time,
                duration,
                name: event.name,
                connection_id,
                ..host_op::Row::default()
            };
        }
        row.args = rest.finish(&mut self.rank.strings);
        self.host_ops.push(host_op::Kind::Cann, row);
    }

    fn task(&mut self, event: &Event, lane: LaneId, duration: Span) {
        let mut row = task::Row { lane, start: event.time, duration, name: event.name, ..task::Row::default() };
        let mut rest = Rest::default();
        let args = self.args_of(event);
        let strings = &mut self.rank.strings;
        if let Some(mut args) = args {
            let _ = args.members(|key, cursor| {
                let read = match key.bytes {
                    b"Model Id" => integer(cursor).map(|v| row.model_id = Some(v)),
                    b"Task Type" => text(cursor, strings).map(|v| row.task_type = Some(v)),
                    b"Physic Stream Id" => integer(cursor).map(|v| row.stream = Some(v)),
                    b"Task Id" => integer(cursor).map(|v| row.task_id = Some(v)),
                    b"Batch Id" => integer(cursor).map(|v| row.batch_id = Some(v)),
                    b"Subtask Id" => integer(cursor).map(|v| row.subtask_id = Some(v)),
                    b"connection_id" => integer(cursor).map(|v| row.connection_id = Some(ConnectionId(v))),
                    b"size(B)" => integer(cursor).map(|v| row.bytes = Some(v)),
                    b"bandwidth(GB/s)" => exact_number(cursor).map(|v| row.bandwidth = Some(v)),
                    b"operation" => text(cursor, strings).map(|v| row.operation = Some(v)),
                    _ => None,
                };
                read.or_else(|| rest.keep(key, cursor))
            });
        }
        row.args = rest.finish(&mut self.rank.strings);
        self.rank.task.push(row);
    }

    /// A slice of a communication lane: a piece if its arguments name a transport, else an operation.
    fn communication(&mut self, event: &Event, lane: LaneId, duration: Span) {
        let mut op = comm_op::Row { lane, start: event.time, duration, name: event.name, ..comm_op::Row::default() };
        let mut piece = comm_task::Row {
            lane: Some(lane),
            start: event.time,
            duration,
            name: event.name,
            ..comm_task::Row::default()
        };
        let (mut is_piece, wants_pieces) = (false, self.wanted.pieces);
        let (mut src, mut dst) = (None, None);
        let mut rest = Rest::default();
        let args = self.args_of(event);
        let strings = &mut self.rank.strings;
        if let Some(mut args) = args {
            let _ = args.members(|key, cursor| {
                if is_piece && !wants_pieces {
                    return None;
                }
                let read = match key.bytes {
                    b"connection_id" => integer(cursor).map(|v| op.connection_id = Some(ConnectionId(v))),
                    b"model id" => integer(cursor).map(|v| op.model_id = Some(v)),
                    b"data_type" => text(cursor, strings).map(|v| op.dtype = Some(v)),
                    b"alg_type" => text(cursor, strings).map(|v| op.algorithm = Some(v)),
                    b"count" => integer(cursor).map(|v| op.count = Some(v)),
                    b"rank_size" => integer(cursor).map(|v| op.rank_size = Some(v)),
                    b"relay" => text(cursor, strings).map(|v| op.relay = Some(v)),
                    b"retry" => text(cursor, strings).map(|v| op.retry = Some(v)),
                    b"notify_id" => text(cursor, strings).map(|v| piece.notify_id = Some(v)),
                    b"duration estimated(us)" => exact_number(cursor).map(|v| piece.estimated = Some(v)),
                    b"stream id" => integer(cursor).map(|v| piece.stream = Some(v)),
                    b"task id" => integer(cursor).map(|v| piece.task_id = Some(v)),
                    b"context id" => integer(cursor).map(|v| piece.context_id = Some(v)),
                    b"task type" => text(cursor, strings).map(|v| {
                        is_piece = true;
                        piece.task_type = Some(v).filter(|&v| v != event.name);
                    }),
                    b"src rank" => integer(cursor).map(|v| src = Some(v)),
                    b"dst rank" => integer(cursor).map(|v| dst = Some(v)),
                    b"transport type" => text(cursor, strings).map(|v| {
                        is_piece = true;
                        piece.transport = Some(v);
                    }),
                    b"size(Byte)" => integer(cursor).map(|v| piece.bytes = Some(v)),
                    b"data type" => text(cursor, strings).map(|v| piece.dtype = Some(v)),
                    b"link type" => text(cursor, strings).map(|v| piece.link = Some(v)),
                    b"bandwidth(GB/s)" => exact_number(cursor).map(|v| piece.bandwidth = Some(v)),
                    _ => None,
                };
                read.or_else(|| rest.keep(key, cursor))
            });
        }
        let thread = self.lanes.get(lane).and_then(|l| l.thread.as_deref()).unwrap_or_default();
        if is_piece && !wants_pieces {
            return;
        }
        if is_piece {
            piece.src_rank = src.filter(|&r| r != NO_RANK);
            piece.dst_rank = dst.filter(|&r| r != NO_RANK);
            piece.model_id = op.model_id;
            piece.plane = npuscope_measures::link::plane_in_lane(thread);
            let connection = op.connection_id.map(|id| id.0);
            let numbers = [("connection_id", connection), ("count", op.count), ("rank_size", op.rank_size)];
            let texts = [("data_type", op.dtype), ("alg_type", op.algorithm), ("relay", op.relay), ("retry", op.retry)];
            keep_read(&mut rest, &numbers, &texts, strings);
            piece.args = rest.finish(&mut self.rank.strings);
            self.rank.comm_task.push(piece);
        } else {
            // Groups of PyTorch are numbered.
            let on_host = runs_on_host(strings.get(event.name));
            let group = if on_host { layers::lane_of_group(thread) } else { layers::group_in_lane(thread) };
            op.group_name = group.map(|name| strings.intern(name));
            let numbers = [
                ("stream id", piece.stream),
                ("task id", piece.task_id),
                ("context id", piece.context_id),
                ("src rank", src),
                ("dst rank", dst),
                ("size(Byte)", piece.bytes),
            ];
            let texts = [("notify_id", piece.notify_id), ("data type", piece.dtype), ("link type", piece.link)];
            keep_read(&mut rest, &numbers, &texts, strings);
            for (key, value) in [("duration estimated(us)", piece.estimated), ("bandwidth(GB/s)", piece.bandwidth)] {
                if let Some(value) = value {
                    rest.add(key, float(value));
                }
            }
            op.args = rest.finish(&mut self.rank.strings);
            self.rank.comm_op.push(op);
        }
    }

    fn overlap(&mut self, event: &Event, lane: LaneId, duration: Span) {
        let name = self.rank.strings.get(event.name);
        let kind = match layers::overlap_kind(name) {
            Some(kind) => self.rank.strings.intern(kind.name()),
            None => event.name,
        };
        let mut rest = Rest::default();
        if let Some(mut args) = self.args_of(event) {
            let _ = args.members(|key, cursor| rest.keep(key, cursor));
        }
        let args = self.finish_rest(rest, event, || false);
        self.rank.overlap.push(overlap::Row { lane, kind, device: None, start: event.time, duration, args });
    }

    fn counter(&mut self, event: &Event, lane: LaneId) {
        if let Some(args) = self.args_of(event) {
            self.counters.read(args, event, lane, &mut self.rank);
            self.counters.note_skipped(&mut self.unread);
        }
    }

    /// The members without a column; an `args` object that is there but says nothing is kept as `{}`.
    fn finish_rest(&mut self, rest: Rest, event: &Event, has_columns: impl FnOnce() -> bool) -> Option<Str> {
        let rest = rest.finish(&mut self.rank.strings);
        if rest.is_none() && event.text_len > 0 && !has_columns() {
            return Some(self.rank.strings.intern("{}"));
        }
        rest
    }

    /// The API name and the prefix in a name such as `AscendCL@aclrtMemcpyAsync`.
    fn api_name(&mut self, name: Str) -> Option<(Str, Str)> {
        let strings = &mut self.rank.strings;
        *self.api_names.entry(name).or_insert_with(|| {
            let (prefix, api) = strings.get(name).split_once('@').map(|(p, a)| (p.to_owned(), a.to_owned()))?;
            Some((strings.intern(&api), strings.intern(&prefix)))
        })
    }

    /// Kind of a host slice, its word, and the category where the kind does not imply it.
    fn kind(&mut self, layer: Layer, category: Str) -> (host_op::Kind, Str, Option<Str>) {
        let strings = &mut self.rank.strings;
        *self.kinds.entry((layer, category)).or_insert_with(|| {
            let kind = layers::host_kind(layer, strings.get(category));
            let implied = layers::category_of(kind) == strings.get(category);
            (kind, strings.intern(kind.name()), (!implied).then_some(category))
        })
    }
}

/// Keeps arguments that were read for the other kind of communication slice.
fn keep_read(rest: &mut Rest, numbers: &[(&str, Option<i64>)], texts: &[(&str, Option<Str>)], strings: &Interner) {
    for (key, value) in numbers.iter().filter_map(|&(key, value)| Some((key, value?))) {
        rest.add(key, value);
    }
    for (key, text) in texts.iter().filter_map(|&(key, text)| Some((key, text?))) {
        rest.add(key, serde_json::Value::from(strings.get(text)));
    }
}

/// Whether any argument of a host slice went into a column.
fn host_op_has_args(row: &host_op::Row) -> bool {
    row.sequence.is_some()
        || row.forward_thread.is_some()
        || row.connection_id.is_some()
        || row.python_id.is_some()
        || row.event_type.is_some()
        || row.domain.is_some()
        || row.shapes.is_some()
        || row.stack.is_some()
}
