//! Writing a trace: tables to bytes.
//!
//! Events come table by table; within a table in the order of the source. Framework events put `ph`
//! first and msprof events last, as their producers do.

use std::io::{self, Write};

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_tables::Framework;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::table::{comm_op, comm_task, counter, flow, host_op, overlap, task};
use npuscope_tables::{LaneId, Ns, RankTables, Span, Str};

use super::layers;
use super::line::{Line, Quoted, json_string};

/// Writes the trace of a rank.
pub fn write(out: &mut impl Write, tables: &RankTables, framework: Framework) -> io::Result<()> {
    let mut trace = TraceWriter::new(framework);
    trace.append(out, tables)?;
    trace.finish(out)
}

/// Writes the trace of a rank that comes in chunks. What it keeps from one to the next are the lanes.
pub struct TraceWriter {
    framework: Framework,
    lanes: HashMap<LaneId, LaneText, FixedState>,
    /// Processes whose metadata is written: their id, as number and as text.
    processes: Vec<(i64, Option<String>)>,
    is_first: bool,
}

/// What the events of a lane have in common.
struct LaneText {
    /// `"pid": 1, "tid": 2`.
    ids: String,
    layer: Option<Layer>,
    tid: i64,
}

impl TraceWriter {
    pub fn new(framework: Framework) -> TraceWriter {
        TraceWriter { framework, lanes: HashMap::default(), processes: Vec::new(), is_first: true }
    }

    /// Writes the events of a chunk, the metadata of lanes that no chunk before had first of all.
    pub fn append(&mut self, out: &mut impl Write, tables: &RankTables) -> io::Result<()> {
        let new_lanes: Vec<lane::Row> =
            tables.rows().filter(|row: &lane::Row| !self.lanes.contains_key(&row.lane)).collect();
        self.lanes.extend(new_lanes.iter().map(|row| (row.lane, LaneText::of(row, tables))));
        let mut chunk = ChunkWriter {
            line: Line::new(out, self.is_first),
            quoted: Quoted::new(tables),
            tables,
            framework: self.framework,
            lanes: &self.lanes,
        };
        chunk.lanes(&new_lanes, &mut self.processes)?;
        chunk.host_ops()?;
        chunk.tasks()?;
        chunk.comm_ops()?;
        chunk.comm_tasks()?;
        chunk.overlaps()?;
        chunk.counters()?;
        chunk.flows()?;
        self.is_first = chunk.line.finish()?;
        Ok(())
    }

    pub fn finish(self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.is_first { b"[]" } else { b"]" })
    }
}

impl LaneText {
    fn of(row: &lane::Row, tables: &RankTables) -> LaneText {
        let ids = format!(
            "\"pid\": {}, \"tid\": {}",
            id_text(row.pid, tables.opt_text(row.pid_text)),
            id_text(row.tid, tables.opt_text(row.tid_text))
        );
        LaneText { ids, layer: Layer::from_name(tables.text(row.layer)), tid: row.tid }
    }
}

/// The id of a process or thread as JSON: the text it had, or a number.
fn id_text(number: i64, text: Option<&str>) -> String {
    text.map_or_else(|| number.to_string(), json_string)
}

struct ChunkWriter<'a, W> {
    line: Line<'a, W>,
    quoted: Quoted<'a>,
    tables: &'a RankTables,
    framework: Framework,
    lanes: &'a HashMap<LaneId, LaneText, FixedState>,
}

/// How flows of a kind are spelled.
struct FlowWords {
    /// The kind, as JSON.
    category: String,
    /// The name that the kind implies, or its beginning, as JSON.
    name: String,
    name_ends_with_id: bool,
    has_text_id: bool,
    binds_start: bool,
}

impl FlowWords {
    fn of(kind: &str) -> FlowWords {
        let name = layers::flow_name(kind, "");
        FlowWords {
            category: json_string(kind),
            // Where a name has the id in it, it stands last.
            name_ends_with_id: name != layers::flow_name(kind, "1"),
            name: json_string(&name),
            has_text_id: layers::has_text_id(kind),
            binds_start: layers::binds_start(kind),
        }
    }
}

impl<W: Write> ChunkWriter<'_, W> {
    fn push_lane(&mut self, lane: LaneId) {
        self.line.push(self.lanes.get(&lane).map_or("\"pid\": 0, \"tid\": 0", |text| &text.ids));
    }

    /// What follows the name of a slice of the device side or of CANN: its place and its time.
    fn place(&mut self, lane: LaneId, start: Ns, duration: Span) {
        self.line.push(", ");
        self.push_lane(lane);
        self.line.time(start);
        self.line.push(", \"dur\": ");
        self.line.duration(duration);
    }

    /// Starts a slice of the device side or of CANN: name first, phase last.
    fn begin_slice(&mut self, name: Str, lane: LaneId, start: Ns, duration: Span) {
        self.line.begin();
        self.line.push("\"name\": ");
        self.line.text(name, &mut self.quoted);
        self.place(lane, start, duration);
    }

    fn end_slice(&mut self) -> io::Result<()> {
        self.line.push(", \"ph\": \"X\"");
        self.line.end()
    }

    fn lanes(&mut self, rows: &[lane::Row], processes: &mut Vec<(i64, Option<String>)>) -> io::Result<()> {
        for row in rows {
            let pid_text = self.tables.opt_text(row.pid_text);
            if !processes.iter().any(|(pid, text)| *pid == row.pid && text.as_deref() == pid_text) {
                processes.push((row.pid, pid_text.map(str::to_owned)));
                // Metadata of a process stands on its thread 0.
                let ids = format!("\"pid\": {}, \"tid\": 0", id_text(row.pid, pid_text));
                self.metadata(&ids, "process_name", "name", row.process)?;
                self.metadata(&ids, "process_labels", "labels", row.label)?;
                self.sort_index(&ids, "process_sort_index", row.process_sort)?;
            }
            let ids = self.lanes.get(&row.lane).map_or("", |lane| &lane.ids);
            self.metadata(ids, "thread_name", "name", row.thread)?;
            self.sort_index(ids, "thread_sort_index", row.thread_sort)?;
        }
        Ok(())
    }

    fn metadata(&mut self, ids: &str, name: &str, key: &str, value: Option<Str>) -> io::Result<()> {
        let Some(value) = value else { return Ok(()) };
        self.line.begin();
        self.line.push(&format!("\"ph\": \"M\", \"name\": \"{name}\", {ids}, \"args\": {{\"{key}\": "));
        self.line.text(value, &mut self.quoted);
        self.line.push("}");
        self.line.end()
    }

    fn sort_index(&mut self, ids: &str, name: &str, value: Option<i64>) -> io::Result<()> {
        let Some(value) = value else { return Ok(()) };
        self.line.begin();
        self.line.push(&format!("\"ph\": \"M\", \"name\": \"{name}\", {ids}, \"args\": {{\"sort_index\": {value}}}"));
        self.line.end()
    }

    fn host_ops(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let mut kinds = Memo::default();
        for (view, rows) in tables.views::<host_op::Row>() {
            for row in 0..rows {
                let kind = view.kind.get(row);
                match kinds.get(kind, || Kind::from_name(tables.text(kind)).unwrap_or(Kind::Other)) {
                    Kind::Cann => self.cann(&view, row)?,
                    kind => self.framework(&view, row, kind)?,
                }
            }
        }
        Ok(())
    }

    fn framework(&mut self, view: &host_op::View, row: usize, kind: Kind) -> io::Result<()> {
        let lane = view.lane.get(row);
        self.line.begin();
        self.line.push("\"ph\": \"X\", \"name\": ");
        self.line.text(view.name.get(row), &mut self.quoted);
        self.line.push(", ");
        self.push_lane(lane);
        self.line.time(view.start.get(row));
        let layer = || self.lanes.get(&lane).and_then(|l| l.layer);
        let duration_is_text = self.framework == Framework::MindSpore && layer() == Some(Layer::Framework);
        let quote = if duration_is_text { "\"" } else { "" };
        self.line.push(", \"dur\": ");
        self.line.push(quote);
        self.line.duration(view.duration.get(row));
        self.line.push(quote);
        match (view.category.get(row), layers::category_of(kind)) {
            (Some(category), _) if !self.tables.text(category).is_empty() => {
                self.line.push(", \"cat\": ");
                self.line.text(category, &mut self.quoted);
            }
            (None, category) if !category.is_empty() => {
                self.line.push(", \"cat\": \"");
                self.line.push(category);
                self.line.push("\"");
            }
            _ => {}
        }
        let (quoted, mut args) = (&mut self.quoted, self.line.args());
        args.int("Sequence number", view.sequence.get(row));
        args.int("Fwd thread id", view.forward_thread.get(row));
        args.connection("correlation_id", view.connection_id.get(row));
        args.int("Python id", view.python_id.get(row));
        args.int("Python parent id", view.python_parent_id.get(row));
        args.int("Python module id", view.python_module_id.get(row));
        args.text("Input Dims", view.shapes.get(row), quoted);
        args.text("Input type", view.dtypes.get(row), quoted);
        args.text("Call stack", view.stack.get(row), quoted);
        args.text("Module Hierarchy", view.modules.get(row), quoted);
        args.text("event_type", view.event_type.get(row), quoted);
        args.text("domain", view.domain.get(row), quoted);
        args.real("flops", view.flops.get(row));
        args.end(self.tables.opt_text(view.args.get(row)));
        self.line.end()
    }

    fn cann(&mut self, view: &host_op::View, row: usize) -> io::Result<()> {
        let (name, lane, level) = (view.name.get(row), view.lane.get(row), view.level.get(row));
        let connection = view.connection_id.get(row);
        self.line.begin();
        self.line.push("\"name\": \"");
        if let Some(level) = level {
            let word = self.tables.text(level);
            match layers::cann_prefix(word) {
                prefix if prefix == word => self.line.inner_text(level, &mut self.quoted),
                prefix => self.line.push(prefix),
            }
            self.line.push("@");
        }
        self.line.inner_text(name, &mut self.quoted);
        self.line.push("\"");
        self.place(lane, view.start.get(row), view.duration.get(row));
        let (quoted, mut args) = (&mut self.quoted, self.line.args());
        if level.is_some() {
            args.int("Thread Id", self.lanes.get(&lane).map(|l| l.tid));
            args.text("Mode", view.mode.get(row), quoted);
            args.text("level", level, quoted);
            args.text("id", view.api_id.get(row).or(Some(name)), quoted);
            args.text("item_id", view.item.get(row), quoted);
        }
        args.connection("connection_id", connection);
        args.end(self.tables.opt_text(view.args.get(row)));
        self.end_slice()
    }

    fn tasks(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for (view, rows) in tables.views::<task::Row>() {
            for row in 0..rows {
                let name = view.name.get(row);
                self.begin_slice(name, view.lane.get(row), view.start.get(row), view.duration.get(row));
                let (quoted, mut args) = (&mut self.quoted, self.line.args());
                args.int("Model Id", view.model_id.get(row));
                args.text("Task Type", view.task_type.get(row), quoted);
                args.int("Physic Stream Id", view.stream.get(row));
                args.int("Task Id", view.task_id.get(row));
                args.int("Batch Id", view.batch_id.get(row));
                args.int("Subtask Id", view.subtask_id.get(row));
                args.connection("connection_id", view.connection_id.get(row));
                args.int("size(B)", view.bytes.get(row));
                args.real("bandwidth(GB/s)", view.bandwidth.get(row));
                args.text("operation", view.operation.get(row), quoted);
                args.end(tables.opt_text(view.args.get(row)));
                self.end_slice()?;
            }
        }
        Ok(())
    }

    fn comm_ops(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for (view, rows) in tables.views::<comm_op::Row>() {
            for row in 0..rows {
                let name = view.name.get(row);
                self.begin_slice(name, view.lane.get(row), view.start.get(row), view.duration.get(row));
                let (quoted, mut args) = (&mut self.quoted, self.line.args());
                args.int("rank_size", view.rank_size.get(row));
                args.connection("connection_id", view.connection_id.get(row));
                args.int("model id", view.model_id.get(row));
                args.int("count", view.count.get(row));
                args.text("data_type", view.dtype.get(row), quoted);
                args.text("alg_type", view.algorithm.get(row), quoted);
                args.text("relay", view.relay.get(row), quoted);
                args.text("retry", view.retry.get(row), quoted);
                args.end(tables.opt_text(view.args.get(row)));
                self.end_slice()?;
            }
        }
        Ok(())
    }

    fn comm_tasks(&mut self) -> io::Result<()> {
        /// How a trace writes "no rank".
        const NO_RANK: i64 = 4_294_967_295;
        let tables = self.tables;
        for (view, rows) in tables.views::<comm_task::Row>() {
            for row in 0..rows {
                let Some(lane) = view.lane.get(row) else { continue };
                let name = view.name.get(row);
                self.begin_slice(name, lane, view.start.get(row), view.duration.get(row));
                let (quoted, mut args) = (&mut self.quoted, self.line.args());
                args.text("notify_id", view.notify_id.get(row), quoted);
                args.real("duration estimated(us)", view.estimated.get(row));
                args.int("stream id", view.stream.get(row));
                args.int("task id", view.task_id.get(row));
                args.int("context id", view.context_id.get(row));
                args.text("task type", view.task_type.get(row).or(Some(name)), quoted);
                args.int("src rank", Some(view.src_rank.get(row).unwrap_or(NO_RANK)));
                args.int("dst rank", Some(view.dst_rank.get(row).unwrap_or(NO_RANK)));
                args.text("transport type", view.transport.get(row), quoted);
                args.int("size(Byte)", view.bytes.get(row));
                args.text("data type", view.dtype.get(row), quoted);
                args.text("link type", view.link.get(row), quoted);
                args.real("bandwidth(GB/s)", view.bandwidth.get(row));
                args.int("model id", view.model_id.get(row));
                args.end(tables.opt_text(view.args.get(row)));
                self.end_slice()?;
            }
        }
        Ok(())
    }

    fn overlaps(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for (view, rows) in tables.views::<overlap::Row>() {
            for row in 0..rows {
                let kind = view.kind.get(row);
                self.line.begin();
                self.line.push("\"name\": ");
                match overlap::Kind::from_name(tables.text(kind)) {
                    Some(kind) => {
                        self.line.push("\"");
                        self.line.push(layers::overlap_name(kind));
                        self.line.push("\"");
                    }
                    None => self.line.text(kind, &mut self.quoted),
                }
                self.place(view.lane.get(row), view.start.get(row), view.duration.get(row));
                self.line.args().end(tables.opt_text(view.args.get(row)));
                self.end_slice()?;
            }
        }
        Ok(())
    }

    fn counters(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let mut keys = HashMap::with_hasher(FixedState::default());
        let mut rows = tables.rows::<counter::Row>().peekable();
        let mut series = Vec::new();
        while let Some(first) = rows.next() {
            self.line.begin();
            self.line.push("\"name\": ");
            self.line.text(first.name, &mut self.quoted);
            self.line.time(first.time);
            self.line.push(", ");
            self.push_lane(first.lane);
            self.line.push(", \"args\": {");
            self.sample(&first, &mut keys);
            series.clear();
            series.push((first.series, first.unit));
            // Series of one event stand together; the same series again is the next event.
            while let Some(next) = rows.next_if(|next| {
                (next.lane, next.time, next.name, next.instance) == (first.lane, first.time, first.name, first.instance)
                    && !series.contains(&(next.series, next.unit))
            }) {
                series.push((next.series, next.unit));
                self.line.push(", ");
                self.sample(&next, &mut keys);
            }
            if let Some(instance) = first.instance {
                self.line.push(", \"acc_id\": ");
                self.line.int(instance);
            }
            self.line.push("}, \"ph\": \"C\"");
            self.line.end()?;
        }
        Ok(())
    }

    /// A series and its value; `keys` are the keys met so far and the factors of their values.
    fn sample(&mut self, row: &counter::Row, keys: &mut HashMap<(Str, Option<Str>), (String, f64), FixedState>) {
        let tables = self.tables;
        let (key, factor) = keys.entry((row.series, row.unit)).or_insert_with(|| {
            let (key, factor) = layers::counter_key(tables.text(row.series), tables.opt_text(row.unit));
            (json_string(&key), factor)
        });
        self.line.push(key);
        self.line.push(": ");
        self.line.float(row.value / *factor);
    }

    fn flows(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let mut kinds: HashMap<Str, FlowWords, FixedState> = HashMap::default();
        for (view, rows) in tables.views::<flow::Row>() {
            for row in 0..rows {
                if view.id.get(row).is_none() && view.id_text.get(row).is_none() {
                    // A database has operators that launched what it does not have: no arrow without an id.
                    continue;
                }
                let kind = view.kind.get(row);
                let words = kinds.entry(kind).or_insert_with(|| FlowWords::of(tables.text(kind)));
                let start = view.src_lane.get(row).zip(view.src_time.get(row));
                if let Some((lane, time)) = start.filter(|_| view.branch.get(row) != Some(true)) {
                    let binds = view.src_binding.get(row).unwrap_or(words.binds_start);
                    self.line.begin();
                    self.line.push(if binds { "\"ph\": \"s\", \"bp\": \"e\"" } else { "\"ph\": \"s\"" });
                    self.end_of_flow(&view, row, words, lane, time)?;
                }
                if let Some((lane, time)) = view.dst_lane.get(row).zip(view.dst_time.get(row)) {
                    self.line.begin();
                    self.line.push("\"ph\": \"f\", \"bp\": \"e\"");
                    self.end_of_flow(&view, row, words, lane, time)?;
                }
            }
        }
        Ok(())
    }

    /// What both ends of a flow say.
    fn end_of_flow(
        &mut self,
        view: &flow::View,
        row: usize,
        words: &FlowWords,
        lane: LaneId,
        time: Ns,
    ) -> io::Result<()> {
        let (id, id_text) = (view.id.get(row), view.id_text.get(row));
        self.line.push(", \"name\": ");
        match view.name.get(row) {
            Some(name) => self.line.text(name, &mut self.quoted),
            None if words.name_ends_with_id => {
                self.line.push(words.name.strip_suffix('"').unwrap_or_default());
                self.id(id, id_text);
                self.line.push("\"");
            }
            None => self.line.push(&words.name),
        }
        let quote = if id_text.is_some() || words.has_text_id { "\"" } else { "" };
        self.line.push(", \"id\": ");
        self.line.push(quote);
        self.id(id, id_text);
        self.line.push(quote);
        self.line.push(", ");
        self.push_lane(lane);
        self.line.time(time);
        self.line.push(", \"cat\": ");
        self.line.push(&words.category);
        self.line.end()
    }

    /// The id of a flow, as part of a JSON string: its number, or else its text.
    fn id(&mut self, number: Option<i64>, text: Option<Str>) {
        match (number, text) {
            (Some(number), _) => self.line.int(number),
            (None, Some(text)) => self.line.inner_text(text, &mut self.quoted),
            (None, None) => {}
        }
    }
}
