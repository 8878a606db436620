//! `npuscope diagnose`: which ranks, hosts, stages and links are slow, why, and what they cost.
//!
//! 1. [`trace`]: what each rank launched, and what its host was busy with in between.
//! 2. [`meetings`]: which operations of different ranks are one, by group, step, kind, size and order.
//! 3. [`clocks`]: operations end together, so the clocks of hosts can be aligned.
//! 4. [`graph`]: what had to wait for what; replayed unchanged it gives the times that were recorded.
//! 5. [`suspects`]: ranks, hosts, stages and links that differ from comparable ones.
//! 6. The job is replayed with each suspect changed to match the others: the time saved per step is its cost.
//!
//! A rank is never a suspect because it waits: waiting has nothing that could be changed to match the others.

mod clocks;
mod graph;
mod meetings;
mod on_host;
mod suspects;
#[cfg(test)]
mod tests;
pub(crate) mod trace;

use npuscope_measures::statistics;
use npuscope_messages::{Decimal, Message};
use npuscope_store::{Store, StoreError};
use npuscope_tables::{Rank, Selection};
use serde::{Deserialize, Serialize};

use crate::diagnostic;
use crate::extract::{self, Absent, Analysis, Diagnostic, RankData, RankExtract};
use crate::finding::{Finding, Number, Severity};
use crate::job_step::{job_step_time, job_steps};
use crate::layout::{Layout, RankGroups};
use crate::messages;
use crate::overview::Overview;

pub use clocks::HostClock;
use graph::{Change, Graph};
use meetings::Meetings;
pub use suspects::Cause;
use suspects::{Case, Suspect};
use trace::RankTrace;

/// What a step must lose for a finding to be a warning, and to be critical, as a share of it: a choice. A tenth of a
/// job is worth stopping it for.
const WARNING: f64 = 0.02;
const CRITICAL: f64 = 0.10;
/// Findings with a smaller loss are not reported: a choice, well below a warning.
const LEAST: f64 = 0.003;
/// A cause is in those steps that lose at least this share of what the step that loses most does: a choice, low so
/// that a cause that varies is still in all of them.
const STRUCK: f64 = 0.2;
/// Suspects of one cause that are replayed, those that stand out most first. Each costs a replay of the job, and more
/// findings would not be read.
const MOST_SUSPECTS: usize = 16;

/// The verdict on a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Diagnosis {
    pub ranks: usize,
    pub steps: usize,
    /// Whether something divides the time into steps; else all that was recorded counts as one.
    pub has_steps: bool,
    /// Step time of the job: see [`job_step_time`].
    pub step_ms: f64,
    /// What it would be without anything that is found.
    pub step_ms_without: f64,
    /// How far the replay without changes is off what was recorded, as a share of the step: the mean over steps.
    pub replay_error: f64,
    /// Communications that no other rank was seen to take part in.
    pub unmatched_operations: usize,
    pub clocks: Vec<HostClock>,
    /// The parallel layout.
    pub layout: Message,
    /// What could not be read.
    pub diagnostics: Vec<Message>,
    /// Those that cost most first.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// The verdict on a job that no rank showed a device of: how long the steps of its hosts are, and that nothing
    /// follows from that. Unchanged if a device was recorded, or hosts that communicate by themselves.
    pub fn without_device(self, overview: &Overview) -> Diagnosis {
        if self.ranks > 0 || overview.ranks.is_empty() || overview.ranks.iter().any(|rank| rank.has_device) {
            return self;
        }
        let step_ms = overview.step_ms;
        let finding = Finding {
            id: "no-device",
            severity: Severity::Info,
            claim: messages::claim_no_device(),
            numbers: vec![Number::new(number_step(overview.has_steps()), step_ms, "ms")],
            share_of_step: None,
            confidence: 1.0,
            doubt: None,
            ranks: Vec::new(),
            evidence: Vec::new(),
            suggestion: messages::try_no_device(),
            next: None,
        };
        Diagnosis {
            ranks: overview.ranks.len(),
            steps: overview.steps,
            has_steps: overview.has_steps(),
            step_ms,
            step_ms_without: step_ms,
            // What the finding says is not said again rank by rank.
            diagnostics: self
                .diagnostics
                .into_iter()
                .filter(|diagnostic| diagnostic.id() != messages::RANK_WITHOUT_DEVICE)
                .collect(),
            findings: vec![finding],
            ..self
        }
    }
}

/// What each rank launched, and the groups it communicated in.
#[derive(Serialize)]
struct Traces;

impl Analysis for Traces {
    type Extract = (RankTrace, RankGroups);
    const NAME: &'static str = "diagnose";
    const VERSION: u32 = 3;

    fn needs(&self) -> Selection {
        trace::SELECTION.and(RankGroups::SELECTION)
    }

    fn map(&self, rank: &RankData<'_>) -> Result<(RankTrace, RankGroups), Absent> {
        Ok((RankTrace::of(rank.rank, &rank.tables), RankGroups::of(&rank.tables)))
    }

    fn is_sound(&self, (trace, _): &(RankTrace, RankGroups)) -> bool {
        trace.is_sound()
    }
}

/// Raised whenever other findings are made of the same traces.
const ANSWER_VERSION: u32 = 5;

/// Looks into all ranks of a profile, at all steps or at one. The answer for all is kept: replaying a job takes longer
/// than reading its extracts.
pub fn diagnose(store: &Store, step: Option<i64>) -> Result<Diagnosis, StoreError> {
    let sources: Vec<_> = store.profile().ranks.iter().collect();
    if let Some(step) = step {
        let mut extracts = extract::extracts(store, &sources, &Traces, extract::Scope::default())?;
        for (trace, _) in extracts.iter_mut().filter_map(|kept| kept.extract.as_mut().ok()) {
            trace.keep_step(step);
        }
        let ranks = sources.iter().map(|source| source.rank);
        return of_extracts(ranks.zip(extracts), || store.check_stop());
    }
    extract::kept_answer(store, &sources, &Traces, ANSWER_VERSION, |extracts| {
        let ranks = sources.iter().map(|source| source.rank);
        of_extracts(ranks.zip(extracts), || store.check_stop())
    })
}

fn of_extracts(
    extracts: impl Iterator<Item = (Rank, RankExtract<(RankTrace, RankGroups)>)>,
    check_stop: impl Fn() -> Result<(), StoreError>,
) -> Result<Diagnosis, StoreError> {
    let (mut traces, mut groups, mut diagnostics) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, RankExtract { diagnostics: of_rank, extract, .. }) in extracts {
        for Diagnostic { file, message } in of_rank {
            diagnostics.push(diagnostic::of_rank(rank, file.as_deref(), message));
        }
        let Ok((trace, group)) = extract else { continue };
        groups.push((rank, group));
        // A rank that shows nothing of its device has no part in the job.
        if trace.items.is_empty() {
            diagnostics.push(messages::rank_without_device(trace.rank));
        } else {
            traces.push(trace);
        }
    }
    let layout = Layout::of(&groups);
    Ok(Diagnosis { diagnostics, ..of_traces(traces, &layout, check_stop)? })
}

/// Diagnoses ranks that were read. `check_stop` is called before each replay.
fn of_traces(
    mut traces: Vec<RankTrace>,
    layout: &Layout,
    check_stop: impl Fn() -> Result<(), StoreError>,
) -> Result<Diagnosis, StoreError> {
    let of_ranks = || traces.iter().map(|trace| trace.step_times.as_slice());
    let has_steps = traces.iter().any(|trace| !trace.steps.is_empty()) || job_steps(of_ranks()) > 1;
    let steps = trace::place_in_steps(&mut traces);
    on_host::settle(&mut traces, steps.len());
    let meetings = Meetings::of(&traces);
    let clocks = clocks::align(&mut traces, &meetings);
    on_host::end_together(&mut traces, &meetings);
    let graph = Graph::of(&traces, &meetings, steps);
    let case = Case { traces: &traces, meetings: &meetings, graph: &graph, clocks: &clocks, layout, has_steps };
    let replay = |changes: &[&Change]| {
        check_stop()?;
        Ok::<_, StoreError>(graph.with(changes).step_times())
    };
    let step = job_step_time(traces.iter().map(|trace| trace.step_times.as_slice()));
    let base = Base::of(replay(&[])?, &graph.recorded_step_times(&traces), step);
    let mut suspects = suspects::suspects(&case);
    keep_most_suspicious(&mut suspects);
    let all: Vec<&Change> = suspects.iter().map(|suspect| &suspect.change).collect();
    let without_all = replay(&all)?;
    let mut findings: Vec<(f64, Finding)> = Vec::new();
    for (index, suspect) in suspects.iter().enumerate() {
        if suspect.change.is_empty() {
            let nothing = vec![0; base.times.len()];
            findings.extend(finding(suspect, &Lost { alone: nothing, last: None }, &base, &case));
            continue;
        }
        let alone = shorter_by(&base.times, &replay(&[&suspect.change])?);
        // Two equally slow suspects hide each other: the gain when this one is removed last.
        let last = if mean(&alone) < LEAST * base.step {
            let others: Vec<&Change> =
                all.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, change)| *change).collect();
            Some(shorter_by(&replay(&others)?, &without_all))
        } else {
            None
        };
        findings.extend(finding(suspect, &Lost { alone, last }, &base, &case));
    }
    findings.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(Diagnosis {
        ranks: traces.len(),
        steps: graph.steps.len(),
        has_steps,
        step_ms: base.step / 1e6,
        step_ms_without: (base.step - mean(&shorter_by(&base.times, &without_all))) / 1e6,
        replay_error: base.replay_error,
        unmatched_operations: meetings.alone,
        clocks,
        layout: layout.message(),
        diagnostics: Vec::new(),
        findings: findings.into_iter().map(|(_, finding)| finding).collect(),
    })
}

/// The job as it was.
struct Base {
    /// How long each step takes in a replay without changes, in ns.
    times: Vec<i64>,
    /// Step time of the job, as recorded: [`job_step_time`]; the mean of the replay where no rank has steps.
    step: f64,
    replay_error: f64,
}

impl Base {
    fn of(times: Vec<i64>, recorded: &[i64], step: Option<f64>) -> Base {
        let off = times.iter().zip(recorded).filter(|(_, recorded)| **recorded > 0);
        let off: Vec<f64> = off.map(|(time, recorded)| (time - recorded).abs() as f64 / *recorded as f64).collect();
        let replay_error = off.iter().sum::<f64>() / off.len().max(1) as f64;
        Base { step: step.unwrap_or_else(|| mean(&times)), times, replay_error }
    }
}

/// What each step would be shorter by without a cause, in ns.
struct Lost {
    alone: Vec<i64>,
    /// The same with all other causes gone, where others hide it.
    last: Option<Vec<i64>>,
}

/// Of each cause, those that stand out most.
fn keep_most_suspicious(suspects: &mut Vec<Suspect>) {
    suspects.sort_by(|a, b| a.cause.cmp(&b.cause).then(b.weight.total_cmp(&a.weight)));
    let mut kept = 0;
    let mut last = None;
    suspects.retain(|suspect| {
        kept = if last.replace(suspect.cause) == Some(suspect.cause) { kept + 1 } else { 0 };
        kept < MOST_SUSPECTS
    });
}

/// How much shorter each step is with something than without, in ns.
fn shorter_by(without: &[i64], with: &[i64]) -> Vec<i64> {
    without.iter().zip(with).map(|(without, with)| without - with).collect()
}

fn mean(values: &[i64]) -> f64 {
    statistics::mean(values.iter().map(|value| *value as f64))
}

/// A finding, and what it weighs: what a step loses in the mean over all, in ns.
fn finding(suspect: &Suspect, lost: &Lost, base: &Base, case: &Case<'_>) -> Option<(f64, Finding)> {
    let Lost { alone, last } = lost;
    let in_all = mean(alone);
    let weight = last.as_deref().map_or(in_all, |last| (mean(last) + in_all) / 2.0);
    let share = weight / base.step;
    let costs_nothing = matches!(suspect.cause, Cause::Clock | Cause::MemoryLeak);
    if share < LEAST && !costs_nothing {
        return None;
    }
    let struck = struck(alone);
    let mean_of_struck = |values: &[i64]| mean(&struck.iter().map(|&step| values[step]).collect::<Vec<_>>());
    let (lost, time) = (mean_of_struck(alone), mean_of_struck(&base.times));
    let severity = match () {
        () if suspect.cause == Cause::MemoryLeak => Severity::Warning,
        () if share >= CRITICAL => Severity::Critical,
        () if share >= WARNING => Severity::Warning,
        () => Severity::Info,
    };
    let who = match (suspect.cause, suspect.ranks.as_slice()) {
        (_, [rank]) => messages::who_rank(*rank),
        (Cause::Link, [a, b]) => messages::who_link(*a, *b),
        (_, ranks) => messages::who_ranks(ranges(ranks)),
    };
    let mut numbers = vec![
        Number::new(messages::number_lost(), lost / 1e6, case.unit()),
        Number::new(number_step(case.has_steps), base.step / 1e6, "ms"),
        Number::new(number_step_if_fixed(case.has_steps), (base.step - in_all) / 1e6, "ms"),
    ];
    let last = last.as_deref().map(|last| mean(last) / 1e6);
    numbers.extend(last.map(|last| Number::new(messages::number_lost_behind_others(), last, case.unit())));
    numbers.extend(suspect.numbers.iter().cloned());
    let claim = if costs_nothing {
        messages::claim(who, suspect.what.clone())
    } else {
        let cost = messages::cost(Decimal(lost / 1e6), case.per(), when(&struck, &case.graph.steps));
        let cost = last.map_or(cost.clone(), |last| messages::cost_behind_others(cost, Decimal(last)));
        messages::claim_with_cost(who, suspect.what.clone(), cost)
    };
    let sure = Sure::of(suspect, (!costs_nothing).then_some(share), base, case.layout);
    let finding = Finding {
        id: suspect.cause.id(),
        severity,
        claim,
        numbers,
        share_of_step: (!costs_nothing).then_some(lost / time.max(1.0)),
        confidence: sure.confidence(),
        doubt: sure.doubt(),
        ranks: suspect.ranks.clone(),
        evidence: suspect.evidence.clone(),
        suggestion: suggestion(suspect.cause),
        next: None,
    };
    Some((weight, finding))
}

/// The steps that a cause is in.
fn struck(lost: &[i64]) -> Vec<usize> {
    let most = lost.iter().copied().max().unwrap_or_default();
    (0..lost.len()).filter(|&step| most > 0 && lost[step] as f64 >= STRUCK * most as f64).collect()
}

/// In which steps.
fn when(struck: &[usize], steps: &[i64]) -> Message {
    match struck {
        [first, .., last] if struck.len() < steps.len() => {
            messages::when_in_steps(struck.len(), steps[*first], steps[*last])
        }
        [only] if steps.len() > 1 => messages::when_in_step(steps[*only]),
        _ => messages::when_always(),
    }
}

fn number_step(has_steps: bool) -> Message {
    if has_steps { messages::number_step() } else { messages::number_time() }
}

fn number_step_if_fixed(has_steps: bool) -> Message {
    if has_steps { messages::number_step_if_fixed() } else { messages::number_time_if_fixed() }
}

/// The confidence of a finding: `share / (share + replay error) * compared / (compared + 1)`. Findings that depend on
/// the layout are multiplied by the confidence of the layout.
///
/// The confidence is halved if the cost is not larger than the replay error, and if there was only one other to compare
/// with, since either of the two may be the unusual one. A finding without a `share` of the step does not depend on the
/// replay.
struct Sure {
    replay: f64,
    compared: usize,
    layout: f64,
}

impl Sure {
    fn of(suspect: &Suspect, share: Option<f64>, base: &Base, layout: &Layout) -> Sure {
        let replay = share.map_or(1.0, |share| share / (share + base.replay_error));
        let layout = if suspect.cause == Cause::StageImbalance { layout.confidence } else { 1.0 };
        Sure { replay, compared: suspect.compared, layout }
    }

    fn of_compared(&self) -> f64 {
        let compared = self.compared as f64;
        compared / (compared + 1.0)
    }

    fn confidence(&self) -> f64 {
        self.replay * self.of_compared() * self.layout
    }

    /// The smallest of the three factors.
    fn doubt(&self) -> Option<Message> {
        match () {
            () if self.compared == 0 => Some(messages::doubt_no_other_rank()),
            () if self.replay.min(self.layout).min(self.of_compared()) >= 1.0 => None,
            () if self.replay < self.of_compared() && self.replay <= self.layout => Some(messages::doubt_replay()),
            () if self.layout < self.of_compared() => Some(messages::doubt_layout()),
            () => Some(messages::doubt_few()),
        }
    }
}

/// Ranks as numbers and ranges.
fn ranges(ranks: &[Rank]) -> String {
    let mut text = String::new();
    let mut rest = ranks;
    while let [first, ..] = rest {
        let run = rest.iter().zip((first.0..).map(Rank)).take_while(|(rank, expected)| *rank == expected).count();
        let last = rest[run - 1];
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&if run > 1 { format!("{first} to {last}") } else { first.to_string() });
        rest = &rest[run..];
    }
    text
}

fn suggestion(cause: Cause) -> Message {
    match cause {
        Cause::Compute => messages::try_compute(),
        Cause::Frequency => messages::try_frequency(),
        Cause::ExpertImbalance => messages::try_expert_imbalance(),
        Cause::AiCpu => messages::try_aicpu(),
        Cause::StageImbalance => messages::try_stage_imbalance(),
        Cause::Host => messages::try_host(),
        Cause::Gc => messages::try_gc(),
        Cause::DataLoader => messages::try_dataloader(),
        Cause::Synchronisation => messages::try_synchronisation(),
        Cause::Memory => messages::try_memory(),
        Cause::MemoryLeak => messages::try_memory_leak(),
        Cause::Link => messages::try_link(),
        Cause::Retransmission => messages::try_retransmission(),
        Cause::Clock => messages::try_clock(),
    }
}
