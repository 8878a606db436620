//! How long a training step took, and how the time of its device divides.
//!
//! A step is what the host marked (`ProfilerStep#12`, MindSpore's step markers); without markers, all that was
//! recorded is one step. Two times are measured of it:
//!
//! - **step time** ([`Step::time`]): from the beginning to the end of the marker on the host. Without markers it is
//!   the device time; [`Step::clock`] says which.
//! - **device time** ([`DeviceTime::span`]): from the first work on the device that the step launched to the first
//!   work that the next step launched, so that time between steps belongs to the step before. The last step of a window,
//!   and one that another than the next number follows, ends with its last work, or with its marker if that is later, but
//!   before the first work of a later step.
//!
//! Windows that recorded stages of one iteration each have a part of its step: [`steps`] has the parts, and [`whole`]
//! puts those of one number together. Time between them was not recorded and does not count.
//!
//! The device time divides, without overlap and without rest:
//!
//! > device time = [`computing`](DeviceTime::computing) + [`exposed`](DeviceTime::exposed) + [`free`](DeviceTime::free)
//!
//! Work counts where it ran, cut at the span. The definitions are the same whether a rank was saved as text, as a
//! database, raw or as a Kineto trace, since they rest on the tables `step`, `kernel`, `comm_op`, `task` and `host_op`
//! alone; `overlap` stands in for `kernel` where a trace is all there is.

use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{kernel, reported_step, step, step_time, task};
use npuscope_tables::{Memo, Ns, RankTables, Selection, TableId};
use serde::{Deserialize, Serialize};

use crate::busy::Busy;
use crate::communication::{device_operations, is_communication_core};
use crate::intervals::Interval;
use crate::launch::Launches;
use crate::link::with_more;
use crate::step_of::Steps;

/// What the steps of a rank are computed from.
pub const NEEDS: Selection = Selection::of(&[
    TableId::Step,
    TableId::Kernel,
    TableId::CommOp,
    TableId::Task,
    TableId::Overlap,
    TableId::ReportedStep,
])
.without_metrics()
.and_host_ops(&[Kind::Cann]);

/// Whose clock gave the time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Clock {
    /// The host marked the step.
    Host,
    /// Nothing marks steps on the host: they are found by the work on the device.
    Device,
    /// Only a file of step times was kept: no point in time is known.
    File,
}

impl Clock {
    pub const fn name(self) -> &'static str {
        match self {
            Clock::Host => "host",
            Clock::Device => "device",
            Clock::File => "file",
        }
    }
}

/// A step of one rank. Times are in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Number that the trainer gave; `None` where nothing marks steps.
    pub id: Option<i64>,
    /// When it was on the clock of [`clock`](Step::clock).
    pub span: Interval,
    /// Time of the span that was not recorded, between parts in different windows.
    pub unrecorded: i64,
    pub clock: Clock,
    /// `None` if nothing of the device was recorded in the step.
    pub device: Option<DeviceTime>,
}

impl Step {
    /// Step time: `span.end - span.start - unrecorded`.
    pub fn time(&self) -> i64 {
        self.span.length().saturating_sub(self.unrecorded)
    }

    /// Takes in another part of the step.
    fn join(&mut self, part: &Step) {
        let time = self.time().saturating_add(part.time());
        self.span = self.span.hull(part.span);
        self.unrecorded = self.span.length().saturating_sub(time);
        self.device = match (self.device, part.device) {
            (Some(device), Some(other)) => Some(device.joined(&other)),
            (device, other) => device.or(other),
        };
    }
}

/// How the device time of a step divides. Times are in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceTime {
    /// The device time, as defined for the [module](self).
    pub span: Interval,
    /// Time of the span that was not recorded, between parts in different windows.
    pub unrecorded: i64,
    /// Time in the span in which any kernel computed.
    pub computing: i64,
    /// Time in the span in which any operation communicated.
    pub communication: i64,
    /// Exposed communication: time in the span in which an operation communicated and no kernel computed.
    pub exposed: i64,
    /// Time in the span in which nothing computed or communicated: `time - computing - exposed`.
    pub free: i64,
    /// Bubble: time in the span in which a receive, or a batch of sends and receives, ran and no kernel computed.
    pub bubble: i64,
    /// Point-to-point time: time in the span in which any send, receive or batch of them ran.
    pub point_to_point: i64,
    /// Time in the span in which any copy between host and device ran.
    pub copying: i64,
    /// The part of [`free`](DeviceTime::free) in which any copy ran.
    pub bare_copying: i64,
    /// From the beginning of the marker to the first work; 0 without markers.
    pub preparing: i64,
}

impl DeviceTime {
    /// Device time: `span.end - span.start - unrecorded`.
    pub fn time(&self) -> i64 {
        self.span.length().saturating_sub(self.unrecorded)
    }

    /// The device time of two parts of a step.
    fn joined(&self, other: &DeviceTime) -> DeviceTime {
        let span = self.span.hull(other.span);
        DeviceTime {
            span,
            unrecorded: span.length().saturating_sub(self.time()).saturating_sub(other.time()),
            computing: self.computing.saturating_add(other.computing),
            communication: self.communication.saturating_add(other.communication),
            exposed: self.exposed.saturating_add(other.exposed),
            free: self.free.saturating_add(other.free),
            bubble: self.bubble.saturating_add(other.bubble),
            point_to_point: self.point_to_point.saturating_add(other.point_to_point),
            copying: self.copying.saturating_add(other.copying),
            bare_copying: self.bare_copying.saturating_add(other.bare_copying),
            preparing: self.preparing.saturating_add(other.preparing),
        }
    }

    /// Communication that computing hides: `communication - exposed`.
    pub fn overlapped(&self) -> i64 {
        self.communication.saturating_sub(self.exposed)
    }

    /// Stage time, of a pipeline: `device time - bubble`.
    pub fn stage(&self) -> i64 {
        self.time().saturating_sub(self.bubble)
    }
}

/// The steps of a rank, in order of time; of a step that several windows recorded, each part.
pub fn steps(tables: &RankTables) -> Vec<Step> {
    steps_launched(tables, &Launches::of(tables))
}

/// Steps of which each number stands once: parts that different windows recorded are one step.
pub fn whole(parts: Vec<Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::with_capacity(parts.len());
    let mut places: hashbrown::HashMap<i64, usize> = hashbrown::HashMap::new();
    for part in parts {
        let known = part.id.and_then(|id| places.get(&id)).and_then(|&place| steps.get_mut(place));
        if let Some(known) = known {
            known.join(&part);
            continue;
        }
        places.extend(part.id.map(|id| (id, steps.len())));
        steps.push(part);
    }
    steps
}

fn steps_launched(tables: &RankTables, launches: &Launches) -> Vec<Step> {
    let work = Work::of(tables, launches);
    let marked = Steps::marked(tables);
    if marked.is_empty() {
        return work
            .busy
            .extent()
            .map_or_else(|| steps_of_file(tables), |extent| unmarked_steps(tables, &work, extent));
    }
    let spans: Vec<Option<Interval>> = work.launched_in(&marked);
    let windows = marked.windows();
    let marked = marked.as_slice();
    let mut begun = i64::MIN;
    let starts: Vec<Option<i64>> = spans
        .iter()
        .map(|span| {
            // Streams run in order; what seems to begin before the step before is cut there.
            begun = span.map_or(begun, |span| span.start.max(begun));
            span.map(|_| begun)
        })
        .collect();
    // Of each step, where the first later one begins that has work.
    let mut laters: Vec<Option<i64>> = vec![None; starts.len()];
    let mut later = None;
    for (place, start) in laters.iter_mut().zip(&starts).rev() {
        *place = later;
        later = start.or(later);
    }
    let step = |(at, row): (usize, &step::Row)| {
        let span = Interval::new(row.start.0, row.end.0);
        let start = starts.get(at).copied().flatten();
        let follows = |next: &step::Row| row.id.and_then(|id| id.checked_add(1)) == next.id;
        let is_same_window = windows.get(at) == windows.get(at + 1);
        let next = marked.get(at + 1).filter(|next| is_same_window && follows(next));
        let next = next.and_then(|_| starts.get(at + 1).copied().flatten());
        let last = spans.get(at).copied().flatten().map_or(span.end, |work| work.end.max(span.end));
        // Steps do not overlap: one that ends by itself ends before the next begins.
        let last = laters.get(at).copied().flatten().map_or(last, |later| last.min(later));
        let device = start.map(|start| {
            let busy = Interval::new(start, next.unwrap_or(last));
            work.divide(busy, start.saturating_sub(span.start))
        });
        Step { id: row.id, span, unrecorded: 0, clock: Clock::Host, device }
    };
    marked.iter().enumerate().map(step).collect()
}

/// The tables of a rank with [`steps`] as the table `step_time`.
pub fn with_step_times(tables: RankTables, launches: &Launches) -> RankTables {
    with_more(tables, |tables, more| {
        for step in steps_launched(tables, launches) {
            let device = step.device;
            more.step_time.push(step_time::Row {
                step: step.id,
                clock: more.strings.intern(step.clock.name()),
                start: Ns(step.span.start),
                step_time: step.time(),
                device_start: device.map(|device| Ns(device.span.start)),
                device_time: device.map(|device| device.time()),
                computing: device.map(|device| device.computing),
                communication: device.map(|device| device.communication),
                exposed_communication: device.map(|device| device.exposed),
                overlapped: device.map(|device| device.overlapped()),
                free: device.map(|device| device.free),
                bubble: device.map(|device| device.bubble),
                p2p_time: device.map(|device| device.point_to_point),
                copying: device.map(|device| device.copying),
                preparing: device.map(|device| device.preparing),
            });
        }
    })
}

/// Number and step time in ns of each step of a rank: those of [`whole`] steps, for those who want nothing else. Where
/// steps are marked, the table `step` is enough.
pub fn step_times(tables: &RankTables) -> Vec<(Option<i64>, i64)> {
    let marked = Steps::marked(tables);
    let parts = match marked.is_empty() {
        true => steps(tables),
        false => marked.iter().map(marked_step).collect(),
    };
    whole(parts).iter().map(|step| (step.id, step.time())).collect()
}

fn marked_step(row: &step::Row) -> Step {
    let span = Interval::new(row.start.0, row.end.0);
    Step { id: row.id, span, unrecorded: 0, clock: Clock::Host, device: None }
}

/// Steps that nothing marks on the host: from the first kernel with the number of a step to the first with that of the
/// next, where `kernel_details.csv` numbers kernels; else all work is one.
fn unmarked_steps(tables: &RankTables, work: &Work, extent: Interval) -> Vec<Step> {
    let mut first: hashbrown::HashMap<i64, i64> = hashbrown::HashMap::new();
    for kernel in tables.rows::<kernel::Row>() {
        let Some(id) = kernel.reported_step else { continue };
        let start = first.entry(id).or_insert(kernel.start.0);
        *start = kernel.start.0.min(*start);
    }
    let mut starts: Vec<(i64, i64)> = first.into_iter().collect();
    starts.sort_unstable_by_key(|(id, start)| (*start, *id));
    let ids: Vec<Option<i64>> = if starts.is_empty() { vec![None] } else { starts.iter().map(|s| Some(s.0)).collect() };
    let borders: Vec<i64> = [extent.start].into_iter().chain(starts.iter().skip(1).map(|s| s.1)).collect();
    let span = |at: usize| {
        let start = borders.get(at).copied().unwrap_or(extent.start);
        Interval::new(start, borders.get(at + 1).copied().unwrap_or(extent.end))
    };
    let step = |(at, id)| {
        let span = span(at);
        Step { id, span, unrecorded: 0, clock: Clock::Device, device: Some(work.divide(span, 0)) }
    };
    ids.into_iter().enumerate().map(step).collect()
}

/// The steps of a rank of which nothing but `step_trace_time.csv` or `StepTraceTime` was kept, as that file has them.
#[expect(clippy::cast_possible_truncation, reason = "microseconds of a step are far below 2^53 ns")]
fn steps_of_file(tables: &RankTables) -> Vec<Step> {
    let rows = tables.rows::<reported_step::Row>().filter_map(|row| {
        let ns = |us: Option<f64>| us.map(|us| (us * 1e3).round() as i64);
        let (computing, exposed, free) = (ns(row.computing)?, ns(row.communication_not_overlapped)?, ns(row.free)?);
        let span = Interval::new(0, computing.saturating_add(exposed).saturating_add(free));
        let bubble = ns(row.bubble).unwrap_or(0);
        let device = DeviceTime {
            span,
            unrecorded: 0,
            computing,
            communication: ns(row.communication).unwrap_or(exposed),
            exposed,
            free,
            bubble,
            point_to_point: bubble,
            copying: 0,
            bare_copying: 0,
            preparing: ns(row.preparing).unwrap_or(0),
        };
        let id = tables.opt_text(row.step).and_then(|id| id.parse().ok());
        Some(Step { id, span, unrecorded: 0, clock: Clock::File, device: Some(device) })
    });
    rows.collect()
}

/// When the device was busy, and when the host launched its work.
struct Work {
    busy: Busy,
    /// When each piece of work was launched, or when it began if that is not known; and when it ran.
    launched: Vec<(Ns, Interval)>,
}

impl Work {
    fn of(tables: &RankTables, launches: &Launches) -> Work {
        let busy = Busy::of(tables);
        let mut launched = Vec::new();
        for op in device_operations(tables) {
            let interval = Interval::new(op.start.0, op.start.plus(op.duration.ns()).0);
            launched.push((launches.call(op.connection_id).unwrap_or(op.start), interval));
        }
        let has_ops = !launched.is_empty();
        let mut cores = Memo::default();
        let mut has_kernels = false;
        for (view, rows) in tables.views::<kernel::Row>() {
            for row in 0..rows {
                let core = view.core.get(row);
                let communicates =
                    core.is_some_and(|core| cores.get(core, || is_communication_core(tables.text(core))));
                // `comm_op` has it.
                if communicates && has_ops {
                    continue;
                }
                has_kernels |= !communicates;
                let start = view.start.get(row);
                let interval = Interval::new(start.0, start.plus(view.duration.get(row).ns()).0);
                launched.push((launches.kernel(&view, row).unwrap_or(start), interval));
            }
        }
        if !has_kernels {
            launched.extend(tasks_within(tables, &busy.computing, launches));
        }
        Work { busy, launched }
    }

    /// Of each step, from the first to the last work that was launched in it.
    fn launched_in(&self, steps: &Steps) -> Vec<Option<Interval>> {
        let mut spans: Vec<Option<Interval>> = vec![None; steps.as_slice().len()];
        for &(launch, work) in &self.launched {
            if let Some(span) = steps.place_at(launch).and_then(|place| spans.get_mut(place)) {
                let (start, end) = span.map_or((work.start, work.end), |span| (span.start, span.end));
                *span = Some(Interval::new(start.min(work.start), end.max(work.end)));
            }
        }
        spans
    }

    fn divide(&self, span: Interval, preparing: i64) -> DeviceTime {
        DeviceTime { preparing, ..self.busy.divide(span) }
    }
}

/// Launch and interval of tasks that begin while the device computes: a trace alone does not list kernels, but when any
/// ran.
fn tasks_within<'a>(
    tables: &'a RankTables,
    computing: &'a [Interval],
    launches: &'a Launches,
) -> impl Iterator<Item = (Ns, Interval)> + 'a {
    let is_inside = |time: i64| {
        let after = computing.partition_point(|interval| interval.start <= time);
        after.checked_sub(1).and_then(|at| computing.get(at)).is_some_and(|interval| time < interval.end)
    };
    let tasks = tables.views::<task::Row>().flat_map(|(view, rows)| {
        (0..rows).map(move |row| (view.connection_id.get(row), view.start.get(row), view.duration.get(row).ns()))
    });
    tasks.filter(move |(_, start, _)| is_inside(start.0)).map(|(connection, start, duration)| {
        (launches.call(connection).unwrap_or(start), Interval::new(start.0, start.plus(duration).0))
    })
}

#[cfg(test)]
mod tests {
    use npuscope_tables::table::{comm_op, host_op};
    use npuscope_tables::{ConnectionId, RankBuilder, Span, TaskId, Window, window};

    use super::*;

    /// Two steps marked by the host; kernels and operations launched by calls with connection ids.
    struct Made(RankBuilder, ConnectionId);

    impl Made {
        fn new(steps: &[(i64, i64, i64)]) -> Made {
            let mut rank = RankBuilder::default();
            for &(id, start, end) in steps {
                rank.step.push(step::Row { id: Some(id), start: Ns(start), end: Ns(end) });
            }
            Made(rank, ConnectionId(0))
        }

        fn call(&mut self, at: i64) -> ConnectionId {
            self.1.0 += 1;
            let kind = self.0.strings.intern(Kind::Cann.name());
            let connection_id = Some(self.1);
            self.0.host_op.push(host_op::Row { kind, start: Ns(at), connection_id, ..host_op::Row::default() });
            self.1
        }

        fn kernel(&mut self, launch: i64, start: i64, end: i64) {
            let id = self.call(launch);
            let duration = Span::from_ns(end - start);
            self.0.task.push(task::Row {
                task: TaskId(id.0),
                start: Ns(start),
                duration,
                connection_id: Some(id),
                ..Default::default()
            });
            self.0.kernel.push(kernel::Row {
                task: Some(TaskId(id.0)),
                start: Ns(start),
                duration,
                ..Default::default()
            });
        }

        fn op(&mut self, name: &str, launch: i64, start: i64, end: i64) {
            let id = self.call(launch);
            let name = self.0.strings.intern(name);
            let duration = Span::from_ns(end - start);
            self.0.comm_op.push(comm_op::Row {
                name,
                start: Ns(start),
                duration,
                connection_id: Some(id),
                ..Default::default()
            });
        }

        fn steps(self) -> Vec<Step> {
            steps(&self.0.finish())
        }
    }

    /// Span, computing, exposed, free, bubble, preparing.
    fn figures(step: &Step) -> ((i64, i64), [i64; 5]) {
        let device = step.device.unwrap();
        let figures = [device.computing, device.exposed, device.free, device.bubble, device.preparing];
        ((device.span.start, device.span.end), figures)
    }

    #[test]
    fn a_step_lasts_on_the_device_until_the_next_begins_there() {
        let mut made = Made::new(&[(1, 0, 100), (2, 100, 200)]);
        made.kernel(10, 50, 90);
        made.op("hcom_allReduce__1_0_1", 20, 80, 120);
        made.kernel(110, 150, 180);
        let steps = made.steps();
        assert_eq!(steps.iter().map(Step::time).collect::<Vec<_>>(), [100, 100]);
        assert_eq!(figures(&steps[0]), ((50, 150), [40, 30, 30, 0, 50]));
        assert_eq!(figures(&steps[1]), ((150, 200), [30, 0, 20, 0, 50]));
        assert!(steps.iter().all(|step| step.clock == Clock::Host));
    }

    #[test]
    fn work_that_runs_into_the_next_step_is_cut_there() {
        let mut made = Made::new(&[(1, 0, 100), (2, 100, 200)]);
        made.op("hcom_allReduce__1_0_1", 20, 80, 190);
        made.kernel(110, 150, 180);
        let steps = made.steps();
        assert_eq!(figures(&steps[0]), ((80, 150), [0, 70, 0, 0, 80]));
        assert_eq!(figures(&steps[1]), ((150, 200), [30, 10, 10, 0, 50]));
    }

    #[test]
    fn time_up_to_a_step_that_is_not_the_next_belongs_to_no_step() {
        let mut made = Made::new(&[(1, 0, 100), (7, 1000, 1100)]);
        made.kernel(10, 50, 90);
        made.kernel(1010, 1050, 1120);
        let steps = made.steps();
        assert_eq!(figures(&steps[0]), ((50, 100), [40, 0, 10, 0, 50]));
        assert_eq!(figures(&steps[1]), ((1050, 1120), [70, 0, 0, 0, 50]));
    }

    #[test]
    fn a_window_ends_with_its_last_step_even_if_the_next_window_begins_with_the_next() {
        let windows = [(1, 0, 50), (2, 1000, 1050)].map(|(id, start, work)| {
            let mut made = Made::new(&[(id, start, start + 100)]);
            made.kernel(start + 10, work, work + 40);
            made.0.finish()
        });
        let windows = windows.into_iter().enumerate().map(|(at, tables)| (Window(at as i64), tables)).collect();
        let steps = steps(&window::join(windows));
        assert_eq!(steps.iter().map(|step| figures(step).0).collect::<Vec<_>>(), [(50, 100), (1050, 1100)]);
    }

    #[test]
    fn a_step_that_several_windows_recorded_takes_the_sum_of_its_parts() {
        let windows = [(7, 0), (7, 1000), (8, 2000)].map(|(id, start)| {
            let mut made = Made::new(&[(id, start, start + 100)]);
            made.kernel(start + 10, start + 50, start + 90);
            made.0.finish()
        });
        let windows = windows.into_iter().enumerate().map(|(at, tables)| (Window(at as i64), tables)).collect();
        let tables = window::join(windows);
        assert_eq!(step_times(&tables), [(Some(7), 200), (Some(8), 100)]);
        let steps = whole(steps(&tables));
        assert_eq!((steps[0].span, steps[0].time()), (Interval::new(0, 1100), 200));
        let device = steps[0].device.unwrap();
        assert_eq!((device.time(), device.computing, device.free), (100, 80, 20));
    }

    #[test]
    fn without_markers_all_work_is_one_step_on_the_clock_of_the_device() {
        let mut made = Made::new(&[]);
        made.kernel(10, 50, 90);
        made.op("hcom_receive__1_0_1", 20, 80, 120);
        made.op("hcom_send__1_0_1", 20, 140, 150);
        let steps = made.steps();
        assert_eq!((steps.len(), steps[0].id, steps[0].clock, steps[0].time()), (1, None, Clock::Device, 100));
        assert_eq!(figures(&steps[0]), ((50, 150), [40, 40, 20, 30, 0]));
        assert_eq!(steps[0].device.map(|device| device.point_to_point), Some(50));
    }

    #[test]
    fn kernels_that_are_numbered_by_step_divide_an_unmarked_rank() {
        let mut made = Made::new(&[]);
        for (id, start) in [(7, 10), (7, 30), (8, 60)] {
            let duration = Span::from_ns(20);
            made.0.kernel.push(kernel::Row {
                reported_step: Some(id),
                start: Ns(start),
                duration,
                ..Default::default()
            });
        }
        let steps = made.steps();
        assert_eq!(steps.iter().map(|step| (step.id, step.time())).collect::<Vec<_>>(), [(Some(7), 50), (Some(8), 20)]);
        assert_eq!(figures(&steps[0]).1, [40, 0, 10, 0, 0]);
    }

    #[test]
    fn a_step_without_work_has_a_time_but_no_device_time() {
        let steps = Made::new(&[(1, 0, 100)]).steps();
        assert_eq!((steps[0].time(), steps[0].device), (100, None));
    }
}
