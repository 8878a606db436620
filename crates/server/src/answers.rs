//! What the server answers as JSON. The pages read the same types: `ui/src/api/types.generated.ts` is written from
//! these, and a test fails when it is out of date. Times are in ns from the origin of the profile.

use npuscope_messages::{Language, Message, documentation};
use npuscope_tables::table::lane::Layer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::timeline::details::ListedSlice;

/// The profile that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Profile {
    pub name: Option<String>,
    /// Identifies the profile: another profile, or another program, has another key.
    pub key: String,
    /// The origin of times, in ns since the epoch; text, because it has more digits than a number holds.
    pub origin: String,
    pub ranks: Vec<Rank>,
    pub steps: Vec<i64>,
    pub span: Option<[i64; 2]>,
    /// What was recorded without interruption, of the first rank.
    pub windows: Vec<Window>,
    /// Whether the page is a report.
    pub report: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rank {
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: npuscope_tables::Rank,
    pub name: String,
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Window {
    #[cfg_attr(test, ts(as = "i64"))]
    pub window: npuscope_tables::Window,
    /// The stage of reinforcement learning that was recorded.
    pub stage: Option<String>,
    pub span: Option<[i64; 2]>,
    /// First and last step.
    pub steps: Option<[i64; 2]>,
}

/// Steps, windows and time of the first rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstRank {
    pub steps: Vec<i64>,
    pub span: Option<[i64; 2]>,
    pub windows: Vec<Window>,
}

/// The lanes and counters of a rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Timeline {
    pub processes: Vec<Process>,
    pub lanes: Vec<Lane>,
    pub counters: Vec<Counter>,
    /// Null if the rank has nothing to draw.
    pub span: Option<[i64; 2]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Process {
    pub name: String,
    pub pid: i64,
    pub labels: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Lane {
    pub id: usize,
    /// Index into the processes.
    pub process: usize,
    #[cfg_attr(test, ts(type = "Layer"))]
    pub layer: Layer,
    pub name: String,
    pub tid: i64,
    pub rows: usize,
    pub slices: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counter {
    pub id: usize,
    /// Index into the processes.
    pub process: Option<usize>,
    pub name: String,
    pub unit: Option<String>,
    pub samples: usize,
    pub min: f64,
    pub max: f64,
}

/// Slices of some lanes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ListedSlices {
    /// How many there are; fewer may be listed.
    pub count: usize,
    pub slices: Vec<ListedSlice>,
}

/// All that is known of a slice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Slice {
    pub id: u32,
    pub name: String,
    pub begin: i64,
    pub end: i64,
    pub row: u32,
    pub lane: u32,
    pub lane_name: String,
    #[cfg_attr(test, ts(type = "Layer"))]
    pub layer: Layer,
    pub process: String,
    pub table: &'static str,
    /// Time of the slice in which none is open below it.
    pub self_ns: i64,
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    pub args: Map<String, Value>,
    pub flows: Vec<Flow>,
}

/// The other end of an arrow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Flow {
    #[serde(flatten)]
    pub end: ListedSlice,
    pub kind: String,
    pub outgoing: bool,
}

/// Arrows with an end in a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Flows {
    /// How many there are of the kinds asked for; fewer may be listed.
    pub count: usize,
    pub kinds: Vec<FlowKind>,
    pub flows: Vec<Arrow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FlowKind {
    pub kind: String,
    pub count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Arrow {
    pub kind: String,
    pub source: ListedSlice,
    pub target: ListedSlice,
}

/// A slice that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hit {
    #[serde(flatten)]
    pub slice: ListedSlice,
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: npuscope_tables::Rank,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hits {
    pub count: usize,
    /// Some of them, from the number that was asked for on.
    pub hits: Vec<Hit>,
    pub by_rank: Vec<RankHits>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RankHits {
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: npuscope_tables::Rank,
    pub count: usize,
}

/// A text that documents code, in every language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Texts {
    pub en: String,
    pub zh: String,
}

impl Texts {
    pub fn of(text: &str) -> Texts {
        let [en, zh] = Language::ALL.map(|language| documentation::translate(text, language).into_owned());
        Texts { en, zh }
    }
}

/// A table that a page can ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ViewInfo {
    pub view: &'static str,
    pub about: Texts,
    pub parameters: &'static [&'static str],
}

/// A table that a query can name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SchemaTable {
    pub table: &'static str,
    pub about: Texts,
    pub columns: Vec<SchemaColumn>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SchemaColumn {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: String,
    /// Empty for ids, counts and text.
    pub unit: &'static str,
    pub about: Texts,
}

/// What a profile lacks, and the setting of the collection that would have given it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Missing {
    pub what: Message,
    pub switch: Message,
}

/// The answer where a profile lacks what is asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MissingAnswer {
    pub missing: Missing,
}

/// The answer where a request failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ErrorAnswer {
    pub error: Message,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::PathBuf;

    use npuscope_analysis::{Evidence, Finding, Number, Severity, diagnose, gap, health};
    use npuscope_tables::table::diagnostic;
    use ts_rs::{Config, TS};

    use super::*;
    use crate::progress::Progress;
    use crate::routes::across;
    use crate::timeline::statistics::NameStatistics;

    /// A union of words.
    fn words<'a>(page: &mut String, name: &str, words: impl Iterator<Item = &'a str>) {
        let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
        writeln!(page, "\nexport type {name} = {};", words.join(" | ")).unwrap();
    }

    #[test]
    fn the_types_of_the_pages_are_up_to_date() {
        let mut page =
            "// Generated from crates/server/src/answers.rs and the types of npuscope-analysis. Do not edit:\n\
            // NPUSCOPE_BLESS=1 cargo test -p npuscope-server the_types_of_the_pages writes it anew.\n"
                .to_owned();
        words(&mut page, "Layer", Layer::ALL.iter().map(|layer| layer.name()));
        words(&mut page, "DiagnosticSeverity", diagnostic::Severity::ALL.iter().map(|severity| severity.name()));
        words(&mut page, "DiagnosticCode", diagnostic::Code::ALL.iter().map(|code| code.name()));
        let config = Config::new().with_large_int("number");
        macro_rules! types {
            ($($type:ty),+ $(,)?) => { [$(<$type as TS>::decl(&config)),+] };
        }
        let declared = types![
            Message,
            Profile,
            Window,
            Rank,
            Timeline,
            Process,
            Lane,
            Counter,
            ListedSlice,
            ListedSlices,
            Slice,
            Flow,
            Flows,
            FlowKind,
            Arrow,
            Hit,
            Hits,
            RankHits,
            NameStatistics,
            Texts,
            ViewInfo,
            SchemaTable,
            SchemaColumn,
            Missing,
            MissingAnswer,
            ErrorAnswer,
            Progress,
            across::GapAnswer,
            across::Place,
            across::PlaceKind,
            gap::Cause,
            across::CollectiveAnswer,
            across::Instance,
            across::RankSlice,
            across::AlignAnswer,
            across::Offset,
            diagnose::Diagnosis,
            diagnose::HostClock,
            Finding,
            Severity,
            Evidence,
            Number,
            health::Health,
            health::RankHealth,
            health::WindowHealth,
            health::FileHealth,
            health::LaneHealth,
            health::Missing,
            health::Diagnostic,
        ];
        for declared in declared {
            writeln!(page, "\nexport {declared}").unwrap();
        }
        // Asked for at run time: clones that share a target directory also share what was compiled.
        let crate_directory = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
        let path = crate_directory.join("../../ui/src/api/types.generated.ts");
        if std::env::var_os("NPUSCOPE_BLESS").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == page, "ui/src/api/types.generated.ts is out of date; its first lines say how to write it");
    }
}
