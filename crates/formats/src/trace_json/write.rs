//! Writing a trace: tables to bytes.
//!
//! Events come table by table; within a table in the order of the source. Framework events put `ph`
//! first and msprof events last, as their producers do.

use std::io::{self, Write};

use hashbrown::HashMap;
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::table::{comm_op, comm_task, counter, flow, host_op, overlap, task};
use npuscope_tables::{Ns, RankTables, Span, Str};

use super::layers;
use crate::flavour::Flavour;
use crate::number::push_float;
use crate::text::push_span;

/// Writes the trace of a rank.
pub fn write(out: &mut impl Write, tables: &RankTables, flavour: Flavour) -> io::Result<()> {
    let mut writer = TraceWriter::new(out, tables, flavour);
    writer.out.write_all(b"[")?;
    writer.lanes()?;
    writer.host_ops()?;
    writer.tasks()?;
    writer.comm_ops()?;
    writer.comm_tasks()?;
    writer.overlaps()?;
    writer.counters()?;
    writer.flows()?;
    writer.out.write_all(b"]")
}

struct TraceWriter<'a, W> {
    out: &'a mut W,
    tables: &'a RankTables,
    flavour: Flavour,
    lanes: HashMap<u32, LaneText>,
    /// Strings as JSON, quotes included, as far as they were needed.
    quoted: HashMap<Str, String>,
    line: String,
    is_first: bool,
}

/// What the events of a lane have in common.
struct LaneText {
    /// `"pid": 1, "tid": 2`.
    ids: String,
    layer: Option<Layer>,
    tid: i64,
}

/// The arguments of an event, while they are put together.
struct Args<'a> {
    line: &'a mut String,
    is_empty: bool,
}

impl Args<'_> {
    fn key(&mut self, key: &str) {
        self.line.push_str(if self.is_empty { "\"" } else { ", \"" });
        self.is_empty = false;
        self.line.push_str(key);
        self.line.push_str("\": ");
    }

    fn int(&mut self, key: &str, value: Option<i64>) {
        if let Some(value) = value {
            self.key(key);
            self.line.push_str(&value.to_string());
        }
    }

    fn real(&mut self, key: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.key(key);
            push_float(self.line, value);
        }
    }

    fn json(&mut self, key: &str, value: &str) {
        self.key(key);
        self.line.push_str(value);
    }

    /// The members of a JSON object that was kept as text.
    fn members(&mut self, object: Option<&str>) {
        let inner = object.and_then(|o| o.strip_prefix('{')?.strip_suffix('}')).unwrap_or_default();
        if !inner.is_empty() {
            if !self.is_empty {
                self.line.push_str(", ");
            }
            self.is_empty = false;
            self.line.push_str(inner);
        }
    }
}

impl<'a, W: Write> TraceWriter<'a, W> {
    fn new(out: &'a mut W, tables: &'a RankTables, flavour: Flavour) -> Self {
        let lanes = tables.rows::<lane::Row>().map(|row| {
            let id = |number: i64, text: Option<Str>| match tables.opt_text(text) {
                Some(text) => json_string(text),
                None => number.to_string(),
            };
            let ids = format!("\"pid\": {}, \"tid\": {}", id(row.pid, row.pid_text), id(row.tid, row.tid_text));
            (row.lane, LaneText { ids, layer: Layer::from_name(tables.text(row.layer)), tid: row.tid })
        });
        TraceWriter {
            lanes: lanes.collect(),
            out,
            tables,
            flavour,
            quoted: HashMap::new(),
            line: String::new(),
            is_first: true,
        }
    }

    fn quote(&mut self, id: Str) {
        if !self.quoted.contains_key(&id) {
            self.quoted.insert(id, json_string(self.tables.text(id)));
        }
    }

    /// Appends an interned string to the line, as JSON.
    fn push_text(&mut self, id: Str) {
        self.quote(id);
        if let Some(text) = self.quoted.get(&id) {
            self.line.push_str(text);
        }
    }

    fn begin(&mut self) {
        self.line.clear();
        self.line.push_str(if self.is_first { "{" } else { ", {" });
        self.is_first = false;
    }

    fn end(&mut self) -> io::Result<()> {
        self.line.push('}');
        self.out.write_all(self.line.as_bytes())
    }

    fn push_lane(&mut self, lane: u32) {
        match self.lanes.get(&lane) {
            Some(text) => self.line.push_str(&text.ids),
            None => self.line.push_str("\"pid\": 0, \"tid\": 0"),
        }
    }

    fn layer(&self, lane: u32) -> Option<Layer> {
        self.lanes.get(&lane).and_then(|l| l.layer)
    }

    fn push_time(&mut self, time: Ns) {
        self.line.push_str(", \"ts\": \"");
        self.line.push_str(&time.to_string());
        self.line.push('"');
    }

    fn push_duration(&mut self, duration: Span, as_text: bool) {
        self.line.push_str(", \"dur\": ");
        if as_text {
            self.line.push('"');
        }
        push_span(&mut self.line, duration);
        if as_text {
            self.line.push('"');
        }
    }

    /// Starts a slice of the device side or of CANN: name first, phase last.
    fn begin_slice(&mut self, name: &str, lane: u32, start: Ns, duration: Span) {
        self.begin();
        self.line.push_str("\"name\": ");
        self.line.push_str(name);
        self.line.push_str(", ");
        self.push_lane(lane);
        self.push_time(start);
        self.push_duration(duration, false);
    }

    /// Ends the slice with its arguments, if it has any.
    fn end_slice(&mut self, fill: impl FnOnce(&mut Args<'_>), rest: Option<Str>) -> io::Result<()> {
        self.push_args(fill, rest);
        self.line.push_str(", \"ph\": \"X\"");
        self.end()
    }

    fn push_args(&mut self, fill: impl FnOnce(&mut Args<'_>), rest: Option<Str>) {
        let before = self.line.len();
        self.line.push_str(", \"args\": {");
        let rest = self.tables.opt_text(rest);
        let mut args = Args { line: &mut self.line, is_empty: true };
        fill(&mut args);
        args.members(rest);
        if args.is_empty && rest.is_none() {
            self.line.truncate(before);
        } else {
            self.line.push('}');
        }
    }

    /// The JSON text of an optional string, for use in arguments.
    fn json_of(&mut self, id: Option<Str>) -> Option<String> {
        let id = id?;
        self.quote(id);
        self.quoted.get(&id).cloned()
    }

    fn lanes(&mut self) -> io::Result<()> {
        let mut seen_processes = Vec::new();
        let rows: Vec<lane::Row> = self.tables.rows().collect();
        for row in rows {
            let process = (row.pid, row.pid_text);
            if !seen_processes.contains(&process) {
                seen_processes.push(process);
                // Metadata of a process stands on its thread 0.
                let ids = match self.tables.opt_text(row.pid_text) {
                    Some(text) => format!("\"pid\": {}, \"tid\": 0", json_string(text)),
                    None => format!("\"pid\": {}, \"tid\": 0", row.pid),
                };
                self.metadata(&ids, "process_name", "name", row.process)?;
                self.metadata(&ids, "process_labels", "labels", row.label)?;
                self.sort_index(&ids, "process_sort_index", row.process_sort)?;
            }
            let ids = self.lanes.get(&row.lane).map(|l| l.ids.clone()).unwrap_or_default();
            self.metadata(&ids, "thread_name", "name", row.thread)?;
            self.sort_index(&ids, "thread_sort_index", row.thread_sort)?;
        }
        Ok(())
    }

    fn metadata(&mut self, ids: &str, name: &str, key: &str, value: Option<Str>) -> io::Result<()> {
        let Some(value) = self.json_of(value) else { return Ok(()) };
        self.begin();
        self.line.push_str(&format!("\"ph\": \"M\", \"name\": \"{name}\", {ids}, \"args\": {{\"{key}\": {value}}}"));
        self.end()
    }

    fn sort_index(&mut self, ids: &str, name: &str, value: Option<i64>) -> io::Result<()> {
        let Some(value) = value else { return Ok(()) };
        self.begin();
        self.line
            .push_str(&format!("\"ph\": \"M\", \"name\": \"{name}\", {ids}, \"args\": {{\"sort_index\": {value}}}"));
        self.end()
    }

    fn host_ops(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for row in tables.rows::<host_op::Row>() {
            if tables.text(row.kind) == host_op::Kind::Cann.name() {
                self.cann(&row)?;
            } else {
                self.framework(&row)?;
            }
        }
        Ok(())
    }

    fn framework(&mut self, row: &host_op::Row) -> io::Result<()> {
        let kind = host_op::Kind::from_name(self.tables.text(row.kind)).unwrap_or(host_op::Kind::Other);
        let duration_is_text = self.flavour == Flavour::MindSpore && self.layer(row.lane) == Some(Layer::Framework);
        self.begin();
        self.line.push_str("\"ph\": \"X\", \"name\": ");
        self.push_text(row.name);
        self.line.push_str(", ");
        self.push_lane(row.lane);
        self.push_time(row.start);
        self.push_duration(row.duration, duration_is_text);
        let category = self.tables.opt_text(row.category).unwrap_or(layers::category_of(kind));
        if !category.is_empty() {
            let category = json_string(category);
            self.line.push_str(", \"cat\": ");
            self.line.push_str(&category);
        }
        let texts = [
            ("Input Dims", self.json_of(row.shapes)),
            ("Input type", self.json_of(row.dtypes)),
            ("Call stack", self.json_of(row.stack)),
            ("Module Hierarchy", self.json_of(row.modules)),
        ];
        let mstx = [("event_type", self.json_of(row.event_type)), ("domain", self.json_of(row.domain))];
        self.push_args(
            |args| {
                args.int("Sequence number", row.sequence);
                args.int("Fwd thread id", row.forward_thread);
                args.int("correlation_id", row.connection_id);
                args.int("Python id", row.python_id);
                args.int("Python parent id", row.python_parent_id);
                args.int("Python module id", row.python_module_id);
                for (key, value) in texts.iter().chain(&mstx) {
                    if let Some(value) = value {
                        args.json(key, value);
                    }
                }
                args.real("flops", row.flops);
            },
            row.args,
        );
        self.end()
    }

    fn cann(&mut self, row: &host_op::Row) -> io::Result<()> {
        let name = self.tables.text(row.name);
        let level = self.tables.opt_text(row.level);
        let full_name = match level {
            Some(level) => json_string(&format!("{}@{name}", layers::cann_prefix(level))),
            None => json_string(name),
        };
        self.begin_slice(&full_name, row.lane, row.start, row.duration);
        let thread = self.lanes.get(&row.lane).map(|l| l.tid);
        let (mode, level_text) = (self.json_of(row.mode), self.json_of(row.level));
        let (id, item) = (self.json_of(row.api_id.or(Some(row.name))), self.json_of(row.item));
        self.end_slice(
            |args| {
                if level.is_none() {
                    args.int("connection_id", row.connection_id);
                    return;
                }
                args.int("Thread Id", thread);
                for (key, value) in [("Mode", &mode), ("level", &level_text), ("id", &id), ("item_id", &item)] {
                    if let Some(value) = value {
                        args.json(key, value);
                    }
                }
                args.int("connection_id", row.connection_id);
            },
            row.args,
        )
    }

    fn tasks(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for row in tables.rows::<task::Row>() {
            let Some(name) = self.json_of(Some(row.name)) else { continue };
            let (task_type, operation) = (self.json_of(row.task_type), self.json_of(row.operation));
            self.begin_slice(&name, row.lane, row.start, row.duration);
            self.end_slice(
                |args| {
                    args.int("Model Id", row.model_id);
                    if let Some(task_type) = &task_type {
                        args.json("Task Type", task_type);
                    }
                    args.int("Physic Stream Id", row.stream);
                    args.int("Task Id", row.task_id);
                    args.int("Batch Id", row.batch_id);
                    args.int("Subtask Id", row.subtask_id);
                    args.int("connection_id", row.connection_id);
                    args.int("size(B)", row.bytes);
                    args.real("bandwidth(GB/s)", row.bandwidth);
                    if let Some(operation) = &operation {
                        args.json("operation", operation);
                    }
                },
                row.args,
            )?;
        }
        Ok(())
    }

    fn comm_ops(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for row in tables.rows::<comm_op::Row>() {
            let Some(name) = self.json_of(Some(row.name)) else { continue };
            let texts = [
                ("data_type", self.json_of(row.dtype)),
                ("alg_type", self.json_of(row.algorithm)),
                ("relay", self.json_of(row.relay)),
                ("retry", self.json_of(row.retry)),
            ];
            self.begin_slice(&name, row.lane, row.start, row.duration);
            self.end_slice(
                |args| {
                    args.int("rank_size", row.rank_size);
                    args.int("connection_id", row.connection_id);
                    args.int("model id", row.model_id);
                    args.int("count", row.count);
                    for (key, value) in &texts {
                        if let Some(value) = value {
                            args.json(key, value);
                        }
                    }
                },
                row.args,
            )?;
        }
        Ok(())
    }

    fn comm_tasks(&mut self) -> io::Result<()> {
        /// How a trace writes "no rank".
        const NO_RANK: i64 = 4_294_967_295;
        let tables = self.tables;
        for row in tables.rows::<comm_task::Row>() {
            let (Some(name), Some(lane)) = (self.json_of(Some(row.name)), row.lane) else { continue };
            let notify = self.json_of(row.notify_id);
            let task_type = self.json_of(row.task_type.or(Some(row.name)));
            let transport = self.json_of(row.transport);
            let (dtype, link) = (self.json_of(row.dtype), self.json_of(row.link));
            self.begin_slice(&name, lane, row.start, row.duration);
            self.end_slice(
                |args| {
                    let text = |args: &mut Args<'_>, key: &str, value: &Option<String>| {
                        if let Some(value) = value {
                            args.json(key, value);
                        }
                    };
                    text(args, "notify_id", &notify);
                    args.real("duration estimated(us)", row.estimated);
                    args.int("stream id", row.stream);
                    args.int("task id", row.task_id);
                    args.int("context id", row.context_id);
                    text(args, "task type", &task_type);
                    args.int("src rank", Some(row.src_rank.unwrap_or(NO_RANK)));
                    args.int("dst rank", Some(row.dst_rank.unwrap_or(NO_RANK)));
                    text(args, "transport type", &transport);
                    args.int("size(Byte)", row.bytes);
                    text(args, "data type", &dtype);
                    text(args, "link type", &link);
                    args.real("bandwidth(GB/s)", row.bandwidth);
                    args.int("model id", row.model_id);
                },
                row.args,
            )?;
        }
        Ok(())
    }

    fn overlaps(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for row in tables.rows::<overlap::Row>() {
            let kind = tables.text(row.kind);
            let name = overlap::Kind::from_name(kind).map_or(kind, |kind| layers::overlap_name(kind));
            self.begin_slice(&json_string(name), row.lane, row.start, row.duration);
            self.end_slice(|_| {}, row.args)?;
        }
        Ok(())
    }

    fn counters(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let mut rows = tables.rows::<counter::Row>().peekable();
        while let Some(first) = rows.next() {
            self.begin();
            self.line.push_str("\"name\": ");
            self.push_text(first.name);
            self.push_time(first.time);
            self.line.push_str(", ");
            self.push_lane(first.lane);
            self.line.push_str(", \"args\": {");
            self.sample(&first, true);
            let mut series = vec![(first.series, first.unit)];
            // Series of one event stand together; the same series again is the next event.
            while let Some(next) = rows.next_if(|next| {
                (next.lane, next.time, next.name, next.instance) == (first.lane, first.time, first.name, first.instance)
                    && !series.contains(&(next.series, next.unit))
            }) {
                series.push((next.series, next.unit));
                self.sample(&next, false);
            }
            if let Some(instance) = first.instance {
                self.line.push_str(&format!(", \"acc_id\": {instance}"));
            }
            self.line.push_str("}, \"ph\": \"C\"");
            self.end()?;
        }
        Ok(())
    }

    fn sample(&mut self, row: &counter::Row, is_first: bool) {
        let (key, factor) = layers::counter_key(self.tables.text(row.series), self.tables.opt_text(row.unit));
        if !is_first {
            self.line.push_str(", ");
        }
        self.line.push_str(&json_string(&key));
        self.line.push_str(": ");
        push_float(&mut self.line, row.value / factor);
    }

    fn flows(&mut self) -> io::Result<()> {
        let tables = self.tables;
        for row in tables.rows::<flow::Row>() {
            let kind = tables.text(row.kind);
            let id = row.id.map(|id| id.to_string());
            let id = id.as_deref().or(tables.opt_text(row.id_text)).unwrap_or_default();
            let name = match tables.opt_text(row.name) {
                Some(name) => json_string(name),
                None => json_string(&layers::flow_name(kind, id)),
            };
            let id = if row.id_text.is_some() || layers::has_text_id(kind) { json_string(id) } else { id.to_owned() };
            let start = row.src_lane.zip(row.src_time).filter(|_| row.branch != Some(true));
            if let Some((lane, time)) = start {
                let binds = row.src_binding.unwrap_or(layers::binds_start(kind));
                self.flow("s", binds, kind, &id, &name, lane, time)?;
            }
            if let Some((lane, time)) = row.dst_lane.zip(row.dst_time) {
                self.flow("f", true, kind, &id, &name, lane, time)?;
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "these are the members of the event")]
    fn flow(
        &mut self,
        phase: &str,
        binds: bool,
        kind: &str,
        id: &str,
        name: &str,
        lane: u32,
        time: Ns,
    ) -> io::Result<()> {
        self.begin();
        let binding = if binds { "\"bp\": \"e\", " } else { "" };
        self.line.push_str(&format!("\"ph\": \"{phase}\", {binding}\"name\": {name}, \"id\": {id}, "));
        self.push_lane(lane);
        self.push_time(time);
        self.line.push_str(", \"cat\": ");
        self.line.push_str(&json_string(kind));
        self.end()
    }
}

/// Text as a JSON string; not-ASCII stays as it is, as in the peers' files.
fn json_string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}
