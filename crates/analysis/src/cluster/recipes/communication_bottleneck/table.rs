//! Bottlenecks as msprof-analyze writes them: its columns, units and words.

use npuscope_formats::result::{ColumnKind, ResultTable};
use npuscope_measures::intervals::Interval;
use npuscope_tables::number::float;

use super::super::us_text;
use super::reason::{Difference, HostDifference, Reason};
use super::{Bottleneck, BottleneckFinding};

/// Name in a database, title in a csv file.
const COLUMNS: [(&str, &str, ColumnKind); 8] = [
    ("startTime(us)", "Start Time(us)", ColumnKind::Text),
    ("endTime(us)", "End Time(us)", ColumnKind::Text),
    ("duration(us)", "Duration(us)", ColumnKind::Real),
    ("communicationOp", "Communication Op", ColumnKind::Text),
    ("slowRankId", "Slow Rank ID", ColumnKind::Int),
    ("fastRankId", "Fast Rank ID", ColumnKind::Int),
    ("reason", "Reason", ColumnKind::Text),
    ("step", "Step", ColumnKind::Int),
];

/// `CommunicationBottleneck`; with titles for people if it becomes text.
pub fn table(bottlenecks: Vec<Bottleneck>, is_text: bool, compat: bool) -> ResultTable {
    let columns = COLUMNS.map(|(name, title, kind)| (if is_text { title } else { name }, kind));
    let columns = if compat { &columns[..columns.len() - 1] } else { &columns[..] };
    let mut table = ResultTable::new("CommunicationBottleneck", "communication_bottleneck", columns);
    for Bottleneck { name, interval: Interval { start, end }, step, finding } in bottlenecks {
        let pair = match finding {
            BottleneckFinding::Slow { slow, fast, .. } => Some((slow, fast)),
            _ => None,
        };
        table.push([
            us_text(start).into(),
            us_text(end).into(),
            ((end - start) as f64 / 1000.0).into(),
            name.into(),
            pair.map(|(slow, _)| slow).into(),
            pair.map(|(_, fast)| fast).into(),
            finding.in_words(compat).into(),
            step.into(),
        ]);
    }
    table
}

impl BottleneckFinding {
    /// As msprof-analyze says it.
    fn in_words(&self, compat: bool) -> String {
        match self {
            BottleneckFinding::OneRank if !compat => {
                "[Skipped] Nothing to compare: the operation was seen on one rank only".to_owned()
            }
            BottleneckFinding::OneRank | BottleneckFinding::Alike => format!(
                "[Completed] No slow NPU detected: execution time difference is less than {}%",
                if compat { "0.05" } else { "5" }
            ),
            BottleneckFinding::Slow { reason, .. } => reason.in_words(),
        }
    }
}

impl Reason {
    fn in_words(&self) -> String {
        const NOT_ALIGNED: &str = "Tasks are not aligned between slow and fast NPU from the beginning";
        match self {
            Reason::Unknown => "[Failed] Insufficient data for analyzing slow NPU bottleneck".to_owned(),
            Reason::DeviceBound(Some(device)) => format!("[Device-bound]Device: {}", device.in_words()),
            Reason::DeviceBound(None) => format!("[Device-bound] {NOT_ALIGNED}"),
            Reason::HostBound(Some(HostDifference { operators, calls })) => {
                format!("[Host-bound] PyTorch: {} | CANN: {}", operators.in_words(), calls.in_words())
            }
            Reason::HostBound(None) => format!("[Host-bound] {NOT_ALIGNED}"),
        }
    }
}

impl Difference {
    fn in_words(&self) -> String {
        let words = |(ns, name): &(i64, String)| format!("op {name}, diff {} us", float(*ns as f64 / 1000.0));
        format!("max duration-diff {}, max start-time-diff {}.", words(&self.longest), words(&self.latest))
    }
}
