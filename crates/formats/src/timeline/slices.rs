//! The slices of a rank, whatever table they are in.

use std::borrow::Cow;
use std::cmp::Reverse;

use arrow::array::RecordBatch;
use hashbrown::HashSet;
use npuscope_measures::intervals::Interval;
use npuscope_tables::column::CellView;
use npuscope_tables::table::overlap;
use npuscope_tables::{LaneId, RankTables, Str, TableId, TaskId, schema};

use super::facts::{Columns, Field, field};
use super::lanes::Lanes;
use crate::trace_json::layers;

/// The tables whose rows are slices.
const TABLES: [TableId; 6] =
    [TableId::HostOp, TableId::Task, TableId::CommOp, TableId::CommTask, TableId::Overlap, TableId::Step];

/// What a slice shows in other ways than by annotations, and what is known from how slices nest.
const HIDDEN: [&str; 7] = ["lane", "start", "duration", "end", "name", "depth", "parent"];

/// A slice: where it is on the timeline, and where its row is.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// Index into [`Lanes`].
    pub lane: usize,
    pub begin: i64,
    pub end: i64,
    pub batch: usize,
    pub row: usize,
}

/// What the name of a slice is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceName {
    Text(Str),
    /// A CANN call, with its level before it as in a trace: `Node@launch`.
    Cann {
        level: Str,
        name: Str,
    },
    Overlap(overlap::Kind),
    Step(Option<i64>),
}

impl SliceName {
    pub fn text(self, tables: &RankTables) -> Cow<'_, str> {
        match self {
            SliceName::Text(name) => Cow::Borrowed(tables.text(name)),
            SliceName::Cann { level, name } => {
                Cow::Owned(format!("{}@{}", layers::cann_prefix(tables.text(level)), tables.text(name)))
            }
            SliceName::Overlap(kind) => Cow::Borrowed(layers::overlap_name(kind)),
            SliceName::Step(Some(id)) => Cow::Owned(format!("Step {id}")),
            SliceName::Step(None) => Cow::Borrowed("Step"),
        }
    }
}

/// The rows of a batch, as slices.
pub struct SliceBatch {
    pub table: TableId,
    rows: usize,
    lane: Field<LaneId>,
    start: Field<i64>,
    duration: Field<i64>,
    end: Field<i64>,
    name: Field<Str>,
    level: Field<Str>,
    kind: Field<Str>,
    id: Field<i64>,
    task: Field<TaskId>,
    pub columns: Columns,
}

impl SliceBatch {
    fn new(batch: &RecordBatch, table: TableId) -> SliceBatch {
        SliceBatch {
            table,
            rows: batch.num_rows(),
            lane: field(batch, "lane"),
            start: field(batch, "start"),
            duration: field(batch, "duration"),
            end: field(batch, "end"),
            name: field(batch, "name"),
            level: field(batch, "level"),
            kind: field(batch, "kind"),
            id: field(batch, "id"),
            task: field(batch, "task"),
            columns: Columns::of(batch, table, &HIDDEN),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The table's name, which is the slice's category.
    pub fn category(&self) -> &'static str {
        schema::spec(self.table).name
    }

    /// What kind of thing the row is, in the words of its table.
    pub fn kind_text<'a>(&self, row: usize, tables: &'a RankTables) -> Option<&'a str> {
        tables.opt_text(self.kind.get(row))
    }

    pub fn name(&self, row: usize, tables: &RankTables) -> SliceName {
        let kind = self.kind.get(row);
        match self.table {
            TableId::Step => SliceName::Step(self.id.get(row)),
            TableId::Overlap => match kind.and_then(|kind| overlap::Kind::from_name(tables.text(kind))) {
                Some(kind) => SliceName::Overlap(kind),
                None => SliceName::Text(kind.unwrap_or_default()),
            },
            _ => {
                let name = self.name.get(row).unwrap_or_default();
                self.level.get(row).map_or(SliceName::Text(name), |level| SliceName::Cann { level, name })
            }
        }
    }

    /// The task whose kernel describes the slice.
    pub fn task(&self, row: usize) -> Option<TaskId> {
        self.task.get(row).filter(|_| self.table == TableId::Task)
    }

    /// Start and duration as the source has them, where a trace cannot: Perfetto has neither times before 1970
    /// nor slices that end before they begin.
    pub fn impossible(&self, row: usize) -> Option<(i64, i64)> {
        let (start, end) = self.span(row);
        (start < 0 || end < start).then(|| (start, end.saturating_sub(start)))
    }

    /// Begin and end on the timeline. A slice that ends before it begins has no length there.
    pub fn extent(&self, row: usize) -> (i64, i64) {
        let (start, end) = self.span(row);
        let begin = start.max(0);
        (begin, end.max(begin))
    }

    fn span(&self, row: usize) -> (i64, i64) {
        let start = self.start.get(row).unwrap_or_default();
        let end = self.end.get(row);
        (start, end.unwrap_or_else(|| start.saturating_add(self.duration.get(row).unwrap_or_default())))
    }
}

/// The slices of a rank, in order of lane, begin and length, the longest first.
pub struct Slices {
    pub list: Vec<Slice>,
    pub batches: Vec<SliceBatch>,
}

impl Slices {
    /// The slices that intersect `window`.
    pub fn of(tables: &RankTables, lanes: &Lanes, window: Option<Interval>) -> Slices {
        let mut slices = Slices { list: Vec::new(), batches: batches(tables) };
        let marked = slices.marked_steps();
        slices.add(window, |batch, row| match batch.table {
            TableId::Step => (!marked.contains(&batch.span(row))).then_some(lanes.steps()),
            _ => Some(lanes.index(batch.lane.get(row))),
        });
        slices.list.sort_by_key(|slice| (slice.lane, slice.begin, Reverse(slice.end)));
        slices
    }

    /// Adds the rows that `lane_of` has a lane for.
    fn add(&mut self, window: Option<Interval>, lane_of: impl Fn(&SliceBatch, usize) -> Option<usize>) {
        for (number, batch) in self.batches.iter().enumerate() {
            for row in 0..batch.rows {
                let (begin, end) = batch.extent(row);
                let Some(lane) = lane_of(batch, row) else { continue };
                if window.is_none_or(|window| intersects(window, begin, end)) {
                    self.list.push(Slice { lane, begin, end, batch: number, row });
                }
            }
        }
    }

    /// The steps that are slices already, as the host's ranges that mark them.
    fn marked_steps(&self) -> HashSet<(i64, i64)> {
        let spans_of = |table: TableId| {
            let batches = self.batches.iter().filter(move |batch| batch.table == table);
            batches.flat_map(|batch| (0..batch.rows).map(|row| batch.span(row)))
        };
        let steps: HashSet<(i64, i64)> = spans_of(TableId::Step).collect();
        if steps.is_empty() {
            return steps;
        }
        spans_of(TableId::HostOp).filter(|span| steps.contains(span)).collect()
    }
}

/// The rows of all tables whose rows are slices, batch by batch.
pub fn batches(tables: &RankTables) -> Vec<SliceBatch> {
    let of_table = |table| tables.batches(table).iter().map(move |batch| SliceBatch::new(batch, table));
    TABLES.into_iter().flat_map(of_table).collect()
}

/// The time from the first begin to the last end of the slices.
pub fn time_span(tables: &RankTables) -> Option<Interval> {
    let extents = batches(tables).into_iter().flat_map(|batch| (0..batch.rows).map(move |row| batch.extent(row)));
    extents.map(|(begin, end)| Interval::new(begin, end)).reduce(around)
}

/// The interval from the start of one to the end of the other, whichever they are.
pub fn around(a: Interval, b: Interval) -> Interval {
    Interval::new(a.start.min(b.start), a.end.max(b.end))
}

/// Whether a slice has a part in the window; one without length is where it begins.
fn intersects(window: Interval, begin: i64, end: i64) -> bool {
    begin < window.end && (end > window.start || begin == end && begin == window.start)
}
