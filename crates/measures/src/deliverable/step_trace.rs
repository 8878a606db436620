//! `step_trace_time.csv` and `StepTraceTime`: how the time of a step divides.

use npuscope_tables::Framework;
use npuscope_tables::column::CellView;
use npuscope_tables::number::round;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::reported_step::Row;
use npuscope_tables::table::{comm_op, kernel, overlap, step, task};
use npuscope_tables::{ConnectionId, Interner, Ns, RankTables};

use super::host_work::HostWork;
use super::us;
use crate::communication::{is_bubble_in_files, is_communication, is_receive_in_files};
use crate::intervals::{Interval, gaps, subtract, total, union};
use crate::link::STEP_PREFIX;

/// A step as the device saw it.
#[derive(Clone, Copy, Debug)]
struct DeviceStep {
    id: Option<i64>,
    /// When the host began the step.
    host_start: Option<Ns>,
    start: Ns,
    end: Ns,
}

/// The rows of `step_trace_time.csv`, from the overlap intervals of a trace.
///
/// An interval belongs to the step in which it starts, whole. Times are added as floats of
/// microseconds in the order of the trace, points in time rounded to floats first, as the peers do:
/// Stage and Preparing are good to a quarter microsecond.
pub fn step_trace_text(tables: &RankTables, framework: Framework, strings: &mut Interner) -> Vec<Row> {
    match framework {
        Framework::MindSpore => step_trace_mindspore(tables, &mut Vec::new(), strings),
        _ => step_trace_of(tables, &HostWork::of(tables, &mut false), strings),
    }
}

/// [`step_trace_text`] of work that is known already, for all but MindSpore.
pub fn step_trace_of(tables: &RankTables, work: &HostWork, strings: &mut Interner) -> Vec<Row> {
    let overlaps: Vec<(overlap::Kind, f64, f64)> =
        overlaps(tables).map(|(kind, row)| (kind, row.start.us(), row.duration.us())).collect();
    let receives: Vec<(f64, f64)> = tables
        .rows::<comm_op::Row>()
        .filter(|op| is_receive_in_files(tables.text(op.name)))
        .map(|op| (op.start.us(), op.duration.us()))
        .collect();
    let mut rows = Vec::new();
    for step in text_steps(tables, work) {
        let inside = |us: f64| step.start.us() <= us && us < step.end.us();
        let mut sums = Sums::default();
        for &(kind, start, duration) in overlaps.iter().filter(|(_, start, _)| inside(*start)) {
            sums.add(kind, start, duration);
        }
        for &(start, duration) in receives.iter().filter(|(start, _)| inside(*start)) {
            sums.bubble += duration;
            sums.cover(start, duration);
        }
        rows.extend(sums.row(step, strings));
    }
    rows
}

fn overlaps(tables: &RankTables) -> impl Iterator<Item = (overlap::Kind, overlap::Row)> {
    tables.rows::<overlap::Row>().filter_map(|row| Some((overlap::Kind::from_name(tables.text(row.kind))?, row)))
}

/// Sums over the intervals of one step.
#[derive(Default)]
struct Sums {
    computing: f64,
    communication: f64,
    exposed: f64,
    free: f64,
    bubble: f64,
    extent: Option<(f64, f64)>,
    first_work: Option<f64>,
}

impl Sums {
    fn add(&mut self, kind: overlap::Kind, start: f64, us: f64) {
        let sum = match kind {
            overlap::Kind::Computing => &mut self.computing,
            overlap::Kind::Communication => &mut self.communication,
            overlap::Kind::ExposedCommunication => &mut self.exposed,
            overlap::Kind::Free => &mut self.free,
        };
        *sum += us;
        if matches!(kind, overlap::Kind::Computing | overlap::Kind::Communication) {
            self.first_work = Some(self.first_work.map_or(start, |first| first.min(start)));
        }
        self.cover(start, us);
    }

    fn cover(&mut self, start: f64, us: f64) {
        let (first, last) = self.extent.unwrap_or((start, start + us));
        self.extent = Some((first.min(start), last.max(start + us)));
    }

    fn row(&self, step: DeviceStep, strings: &mut Interner) -> Option<Row> {
        let (first, last) = self.extent?;
        let preparing = match (self.first_work, step.host_start) {
            (Some(work), Some(host)) => work - host.us(),
            _ => 0.0,
        };
        Some(Row {
            device: None,
            step: step.id.map(|id| strings.intern(&id.to_string())),
            computing: Some(self.computing),
            communication_not_overlapped: Some(self.exposed),
            overlapped: Some(self.communication - self.exposed),
            communication: Some(self.communication),
            free: Some(self.free),
            stage: Some(last - first - self.bubble),
            bubble: Some(self.bubble),
            communication_not_overlapped_exclude_receive: Some((self.exposed - self.bubble).max(0.0)),
            preparing: Some(preparing),
        })
    }
}

/// The steps of a trace on the device: from the first work that a step's operators enqueued to the end
/// of the last, or of the step on the host if that is later. Without step markers, all is one step.
fn text_steps(tables: &RankTables, work: &HostWork) -> Vec<DeviceStep> {
    let HostWork { tree, launched } = work;
    let marked = tree.nodes.iter().filter(|node| node.parent.is_none());
    let mut steps: Vec<DeviceStep> = marked
        .filter_map(|node| {
            let (_, id) = tables.text(node.name).split_once(STEP_PREFIX)?;
            let host_start = node.start;
            let host_end = host_start.plus(node.ns);
            let mut correlations: Vec<ConnectionId> = tree.correlations(node).collect();
            correlations.sort_unstable();
            let work = |id: &ConnectionId| Some(launched.of(*id)).filter(|work| !work.is_empty());
            let first = correlations.iter().find_map(work).and_then(|work| work.iter().map(|l| l.start).min());
            let last = correlations.iter().rev().find_map(work).and_then(|work| work.iter().map(|l| l.end).max());
            Some(DeviceStep {
                id: id.parse().ok(),
                host_start: Some(host_start),
                start: first.unwrap_or(host_start),
                end: last.map_or(host_end, |last| last.max(host_end)),
            })
        })
        .collect();
    if steps.is_empty() {
        let host_start = tree.nodes.iter().map(|node| node.start).min();
        steps.push(DeviceStep { id: None, host_start, start: Ns(i64::MIN), end: Ns(i64::MAX) });
    }
    steps.sort_by_key(|step| step.id);
    steps
}

/// MindSpore's definitions: steps are those of the host, both ends included; free time is cut at the
/// step; the bubble is sending and receiving; the stage is the extent of communication alone.
///
/// `free` are the free intervals of the steps before that reach into these, and then those that reach
/// beyond these.
pub fn step_trace_mindspore(tables: &RankTables, free: &mut Vec<overlap::Row>, strings: &mut Interner) -> Vec<Row> {
    let mut steps: Vec<step::Row> = tables.rows().collect();
    let host_ops = tables.rows::<host_op::Row>().filter(|op| tables.text(op.kind) == Kind::Op.name());
    let host_start = host_ops.map(|op| op.start).min();
    let is_marked = !steps.is_empty();
    if !is_marked {
        steps.push(step::Row { id: Some(0), start: Ns(i64::MIN / 2), end: Ns(i64::MAX / 2) });
    }
    let us = |ns: i64| round(us(ns), 3);
    let before = std::mem::take(free).into_iter().map(|row| (overlap::Kind::Free, row));
    let overlaps: Vec<(overlap::Kind, overlap::Row)> = before.chain(overlaps(tables)).collect();
    let last_end = steps.iter().map(|step| step.end).max();
    let reaches_on = |row: &overlap::Row| Some(row.start.plus(row.duration.ns())) > last_end;
    free.extend(
        overlaps.iter().filter(|(kind, row)| *kind == overlap::Kind::Free && reaches_on(row)).map(|(_, row)| row),
    );
    let ops: Vec<comm_op::Row> = tables.rows().collect();
    let mut rows = Vec::new();
    for step in steps {
        let inside = |time: Ns| step.start <= time && time <= step.end;
        let mut sums = [0i64; overlap::Kind::ALL.len()];
        let mut first_work: Option<Ns> = None;
        for &(kind, row) in &overlaps {
            let end = row.start.plus(row.duration.ns());
            let ns = if kind == overlap::Kind::Free {
                end.min(step.end).since(row.start.max(step.start)).max(0)
            } else if inside(row.start) {
                row.duration.ns()
            } else {
                continue;
            };
            if let Some(sum) = sums.get_mut(kind as usize) {
                *sum += ns;
            }
            if matches!(kind, overlap::Kind::Computing | overlap::Kind::Communication) {
                first_work = Some(first_work.map_or(row.start, |first| first.min(row.start)));
            }
        }
        let mut bubble = 0;
        let mut extent: Option<(Ns, Ns)> = None;
        for op in ops.iter().filter(|op| inside(op.start)) {
            let end = op.start.plus(op.duration.ns());
            let (first, last) = extent.unwrap_or((op.start, end));
            extent = Some((first.min(op.start), last.max(end)));
            if is_bubble_in_files(tables.text(op.name)) {
                bubble += op.duration.ns();
            }
        }
        let [computing, communication, exposed, free] = sums;
        let stage = extent.map_or(0, |(first, last)| last.since(first) - bubble);
        let host_start = if is_marked { Some(step.start).filter(|_| host_start.is_some()) } else { host_start };
        let preparing = first_work.zip(host_start).map_or(0, |(first, host)| first.since(host));
        rows.push(Row {
            device: None,
            step: Some(strings.intern(&step.id.unwrap_or(0).to_string())),
            computing: Some(us(computing)),
            communication_not_overlapped: Some(us(exposed)),
            overlapped: Some(us(communication - exposed)),
            communication: Some(us(communication)),
            free: Some(us(free)),
            stage: Some(us(stage)),
            bubble: Some(us(bubble)),
            communication_not_overlapped_exclude_receive: Some(us(exposed - bubble)),
            preparing: Some(us(preparing)),
        });
    }
    rows
}

/// The rows of `StepTraceTime`, from the tasks themselves, in whole nanoseconds.
///
/// Compute and communication that start in the step are united each; exposed communication is what
/// compute does not cover, free time the gaps between the first and the last of both. The bubble is
/// the plain sum of receives.
pub fn step_trace_db(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let mut compute: Vec<Interval> = tables
        .rows::<kernel::Row>()
        .filter(|row| !is_communication(tables, row))
        .map(|row| Interval::new(row.start.0, row.start.plus(row.duration.ns()).0))
        .collect();
    if compute.is_empty() {
        // A trace alone does not list kernels, but when any ran.
        let computing = overlaps(tables).filter(|(kind, _)| *kind == overlap::Kind::Computing);
        compute.extend(computing.map(|(_, row)| Interval::new(row.start.0, row.start.plus(row.duration.ns()).0)));
    }
    let ops: Vec<(Interval, bool)> = tables
        .rows::<comm_op::Row>()
        .map(|op| {
            let interval = Interval::new(op.start.0, op.start.plus(op.duration.ns()).0);
            (interval, is_receive_in_files(tables.text(op.name)))
        })
        .collect();
    let mut rows = Vec::new();
    for step in db_steps(tables) {
        let inside = |start: i64| step.start.0 <= start && start < step.end.0;
        let computing = union(compute.iter().copied().filter(|i| inside(i.start)).collect());
        let in_step = || ops.iter().filter(|(op, _)| inside(op.start));
        let bubble: i64 = in_step().filter(|(_, is_receive)| *is_receive).map(|(op, _)| op.end - op.start).sum();
        let communication = union(in_step().map(|(op, _)| *op).collect());
        let exposed = total(&subtract(&communication, &computing));
        let busy = union([computing.clone(), communication.clone()].concat());
        let (Some(first), Some(last)) = (busy.first(), busy.last()) else { continue };
        let communication = total(&communication);
        rows.push(Row {
            device: None,
            step: step.id.map(|id| strings.intern(&id.to_string())),
            computing: Some(us(total(&computing))),
            communication_not_overlapped: Some(us(exposed)),
            overlapped: Some(us(communication - exposed)),
            communication: Some(us(communication)),
            free: Some(us(total(&gaps(&busy)))),
            stage: Some(us(last.end - first.start - bubble)),
            bubble: Some(us(bubble)),
            communication_not_overlapped_exclude_receive: Some(us((exposed - bubble).max(0))),
            preparing: Some(us(step.host_start.map_or(0, |host| first.start - host.0))),
        });
    }
    rows
}

/// The calls that launch: those of nodes or, where there are none, as on GPUs, those of the runtime.
fn launches(tables: &RankTables) -> Vec<host_op::Row> {
    let of_levels = |levels: &[&str]| -> Vec<host_op::Row> {
        let is_launch = |level: Option<&str>| level.is_some_and(|level| levels.contains(&level));
        let rows = tables.rows::<host_op::Row>();
        rows.filter(|row| tables.text(row.kind) == Kind::Cann.name() && is_launch(tables.opt_text(row.level))).collect()
    };
    let of_nodes = of_levels(&["node"]);
    if of_nodes.is_empty() { of_levels(&["runtime", "driver"]) } else { of_nodes }
}

/// The steps of a database on the device: from the first to the last task that launches inside
/// the step on the host started, or to the host's end if that is later.
fn db_steps(tables: &RankTables) -> Vec<DeviceStep> {
    let steps: Vec<step::Row> = tables.rows().collect();
    if steps.is_empty() {
        let starts = tables.views::<task::Row>().flat_map(|(view, rows)| (0..rows).map(move |row| view.start.get(row)));
        let first = starts.min();
        return first
            .map(|start| DeviceStep { id: None, host_start: None, start, end: Ns(i64::MAX) })
            .into_iter()
            .collect();
    }
    let mut tasks: hashbrown::HashMap<ConnectionId, (Ns, Ns)> = hashbrown::HashMap::new();
    for row in tables.rows::<task::Row>() {
        let Some(connection) = row.connection_id else { continue };
        let end = row.start.plus(row.duration.ns());
        let range = tasks.entry(connection).or_insert((row.start, end));
        *range = (range.0.min(row.start), range.1.max(end));
    }
    let launches = launches(tables);
    steps
        .into_iter()
        .map(|step| {
            let inside = launches.iter().filter(|l| step.start <= l.start && l.start.plus(l.duration.ns()) <= step.end);
            let ranges: Vec<(Ns, Ns)> = inside.filter_map(|l| tasks.get(&l.connection_id?).copied()).collect();
            let first = ranges.iter().map(|r| r.0).min();
            let last = ranges.iter().map(|r| r.1).max();
            DeviceStep {
                id: step.id,
                host_start: Some(step.start),
                start: first.unwrap_or(step.start),
                end: last.map_or(step.end, |last| last.max(step.end)),
            }
        })
        .collect()
}
