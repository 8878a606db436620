//! What a configuration will record, where and how much.

pub mod cycles;
mod kinds;
mod size;

use npuscope_messages::Message;
use serde::Serialize;

use crate::config::{Analyse, Choice, CollectConfig, UNTIL_END};
use crate::dialect::{Dialect, Notation, Run};
use crate::messages;

use cycles::{Cycle, cycle, cycles_begun};
use kinds::Framework;
pub use kinds::Kind;
pub use size::{ASSUMED_KERNELS_PER_STEP, Estimate, bytes_per_kernel};

/// Data sets that are listed one by one.
const MAX_LISTED: u64 = 20;

/// Where `DynamicProfilerMonitor` writes to unless it or the file names another directory.
const MONITOR_OUTPUT: &str = "./dyn_profile_data";

/// What will happen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    pub enabled: bool,
    pub ranks: Choice<u32>,
    /// How many those are, where that is known.
    pub rank_count: Option<u64>,
    pub stages: Choice<String>,
    /// Steps that the run makes, where that is known.
    pub run_steps: Option<u64>,
    /// `false` where recording goes from start to stop, without step markers.
    pub has_schedule: bool,
    /// The schedule begins when the configuration arrives: steps count from there.
    pub at_once: bool,
    /// The first data sets of a rank, in order.
    pub windows: Vec<Window>,
    /// Data sets of a rank, where that is known.
    pub data_sets: Option<u64>,
    /// Steps that are recorded on a rank, where that is known.
    pub recorded_steps: Option<u64>,
    pub records: Vec<Kind>,
    pub off: Vec<Kind>,
    /// Where data goes.
    pub output: String,
    /// What else decides where data goes.
    pub output_note: Option<Message>,
    /// Which reader this is for, where another one behaves differently.
    pub reader: Option<Message>,
    pub analyse: Analyse,
    pub estimate: Estimate,
}

/// A data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    pub warmup: Option<Steps>,
    pub record: Steps,
    /// `false` where the run ends before.
    pub is_complete: bool,
}

/// Steps from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Steps {
    /// In the trainer's own numbers.
    pub first: u64,
    /// `None` goes on until training ends.
    pub last: Option<u64>,
    /// Counted from 0 at the start of the run.
    pub first_index: u64,
    pub last_index: Option<u64>,
}

/// Works out what a configuration does in a run.
pub fn explain(config: &CollectConfig, run: &Run) -> Explanation {
    explain_notation(config, None, run)
}

/// The same for a configuration of this notation, whose profiler names directories and files.
pub fn explain_notation(config: &CollectConfig, notation: Option<Notation>, run: &Run) -> Explanation {
    let steps = run.steps();
    let rank_count = match (&config.ranks, run.world_size) {
        (Choice::All, world) => world.map(u64::from),
        (Choice::Only(ranks), None) => Some(ranks.len() as u64),
        (Choice::Only(ranks), Some(world)) => Some(ranks.iter().filter(|rank| **rank < world).count() as u64),
    };
    let (windows, rounds, recorded) = windows(config, steps);
    // A stage has a profiler of its own in each step.
    let (data_sets, stage_count) = match &config.stages {
        Choice::All => (rounds, 1),
        Choice::Only(stages) => (recorded.map(|steps| steps.saturating_mul(stages.len() as u64)), stages.len()),
    };
    let is_recorded = config.enabled && rank_count != Some(0) && stage_count > 0;
    let framework = match notation.map(Notation::dialect) {
        Some(Dialect::MindSpore) => Framework::MindSpore,
        _ => Framework::TorchNpu,
    };
    let (records, off) = kinds::kinds(config, framework);
    let recorded_steps = if is_recorded { recorded } else { Some(0) };
    let ranks = existing(&config.ranks, run.world_size);
    let Place { output, note, reader } = place_of(config, notation, framework, &ranks, &windows);
    Explanation {
        enabled: config.enabled,
        ranks,
        rank_count,
        stages: config.stages.clone(),
        run_steps: steps,
        has_schedule: config.schedule.is_some(),
        at_once: config.at_once,
        windows: if is_recorded { windows } else { Vec::new() },
        data_sets: if is_recorded { data_sets } else { Some(0) },
        recorded_steps,
        records: if is_recorded { records } else { Vec::new() },
        off,
        output,
        output_note: note,
        reader,
        analyse: config.analyse,
        estimate: size::estimate(config, run, recorded_steps, rank_count),
    }
}

/// Those ranks that there are.
fn existing(ranks: &Choice<u32>, world_size: Option<u32>) -> Choice<u32> {
    match (ranks, world_size) {
        (Choice::Only(ranks), Some(world)) => {
            Choice::Only(ranks.iter().copied().filter(|rank| *rank < world).collect())
        }
        (ranks, _) => ranks.clone(),
    }
}

/// The first data sets, how many there are, and how many steps are in all of them.
fn windows(config: &CollectConfig, steps: Option<u64>) -> (Vec<Window>, Option<u64>, Option<u64>) {
    let Some(schedule) = &config.schedule else {
        let record = stretch(config, 0, steps.map(|steps| steps.saturating_sub(1)));
        return (vec![Window { warmup: None, record, is_complete: true }], Some(1), steps);
    };
    // A schedule that begins when it arrives is not bound to the steps of the run.
    let steps = steps.filter(|_| !config.at_once);
    let rounds = match steps {
        Some(steps) => Some(cycles_begun(schedule, steps)),
        None if schedule.repeat > 0 => Some(schedule.repeat),
        None => None,
    };
    let listed = rounds.unwrap_or(MAX_LISTED).min(MAX_LISTED);
    let windows: Vec<Window> = (0..listed).map(|index| window(config, &cycle(schedule, index), steps)).collect();
    let is_open = schedule.active >= UNTIL_END;
    let recorded = rounds.and_then(|rounds| match (rounds.checked_sub(1), steps) {
        (None, _) => Some(0),
        (Some(_), None) if is_open => None,
        (Some(whole), None) => Some(whole.saturating_add(1).saturating_mul(schedule.active)),
        (Some(whole), Some(steps)) => {
            let last = cycle(schedule, whole).record;
            let in_last = last.end.min(steps).saturating_sub(last.start);
            Some(whole.saturating_mul(schedule.active).saturating_add(in_last))
        }
    });
    (windows, rounds, recorded)
}

fn window(config: &CollectConfig, cycle: &Cycle, steps: Option<u64>) -> Window {
    let Cycle { warmup, record } = cycle;
    let is_open = record.end - record.start >= UNTIL_END;
    let last = match steps {
        Some(steps) => Some(record.end.min(steps).saturating_sub(1)),
        None => (!is_open).then(|| record.end - 1),
    };
    Window {
        warmup: (!warmup.is_empty()).then(|| stretch(config, warmup.start, Some(warmup.end - 1))),
        record: stretch(config, record.start, last),
        is_complete: is_open || steps.is_none_or(|steps| record.end <= steps),
    }
}

fn stretch(config: &CollectConfig, first: u64, last: Option<u64>) -> Steps {
    let number = |index: u64| config.first_step.saturating_add(index);
    Steps { first: number(first), last: last.map(number), first_index: first, last_index: last }
}

/// Where data goes, and what there is to say of it.
struct Place {
    output: String,
    note: Option<Message>,
    reader: Option<Message>,
}

/// The directories of a configuration: a dynamic file has one for each rank and window, MindSpeed-RL one for each
/// stage, or `integrated` for all stages together.
fn place_of(
    config: &CollectConfig,
    notation: Option<Notation>,
    framework: Framework,
    ranks: &Choice<u32>,
    windows: &[Window],
) -> Place {
    let place = match config.output.trim_end_matches('/') {
        "" if config.output.is_empty() => ".",
        place => place,
    };
    let suffix = if notation.is_some() { framework.suffix() } else { "ascend_*" };
    if matches!(notation, Some(Notation::MindSporeDynamic | Notation::TorchNpuDynamic)) {
        let window = windows.first().map(|window| window.record).filter(|_| !config.at_once);
        let shown = |step: Option<u64>| step.map_or_else(|| "*".to_owned(), |step| step.to_string());
        let (start, stop) = (shown(window.map(|steps| steps.first)), shown(window.and_then(|steps| steps.last)));
        let rank = match ranks {
            Choice::Only(ranks) if ranks.len() == 1 => shown(ranks.first().map(|rank| u64::from(*rank))),
            _ => shown(None),
        };
        let reader = if config.at_once { messages::reader_at_once } else { messages::reader };
        // The monitor's own directory counts where the file names none.
        let own = place == ".";
        let base = if own { MONITOR_OUTPUT } else { place };
        return Place {
            output: format!("{base}/rank{rank}_start{start}_stop{stop}/*_{suffix}"),
            note: own.then(|| messages::explain_monitor_output(MONITOR_OUTPUT)),
            reader: (notation == Some(Notation::TorchNpuDynamic)).then(|| reader(place)),
        };
    }
    let below = match &config.stages {
        Choice::All if notation == Some(Notation::RlYaml) => "integrated/".to_owned(),
        Choice::All => String::new(),
        Choice::Only(stages) if stages.len() == 1 => format!("{}/", stages.concat()),
        Choice::Only(stages) => format!("{{{}}}/", stages.join(",")),
    };
    Place { output: format!("{place}/{below}*_{suffix}"), note: None, reader: None }
}
