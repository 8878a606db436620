//! `freq_analysis`: Find ranks whose AI Cores run below the nominal frequency.
//!
//! Reads the counter `AI Core Freq`, and `kernel` of the ranks that were below the nominal frequency. A frequency is
//! valid from its sample until the next sample; the first one is also valid before its sample. The nominal frequency
//! is `--nominal_frequency`; default: the most common maximum frequency among the ranks. Ranks that were below the
//! nominal frequency in the selected step are listed:
//!
//! - `AbnormalFrequencyRanks`: more than 1 % of the kernel time of the rank ran below the nominal frequency. Each
//!   kernel is counted with the frequency at its start.
//! - `FreeFrequencyRanks`: all others. AI Cores lower their frequency when they are idle.
//!
//! With `--compat`: all steps are counted; the nominal frequency is 1800 MHz; a rank with the frequencies 800 and
//! 1800 MHz is free, and any other set of frequencies is abnormal.

use std::collections::BTreeMap;

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_formats::source::RankSource;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{counter, kernel};
use npuscope_tables::{Ns, Rank, Selection, TableId};
use serde::Serialize;

use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData};
use crate::communication::is_communication_core;
use crate::extract::Analysis;
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "freq_analysis",
    folder: "FreqAnalysis",
    about: "Find ranks whose AI Cores run below the nominal frequency",
    run,
};

const COUNTER: &str = "AI Core Freq";

/// A share of kernel time below the nominal frequency above this is abnormal.
const ABNORMAL: f64 = 0.01;

/// ns of kernels by frequency in MHz; 0 for frequencies at which none began.
type Frequencies = BTreeMap<i64, i64>;

/// The frequencies of each rank.
#[derive(Serialize)]
struct Samples {
    compat: bool,
    /// With the time of kernels.
    with_kernels: bool,
}

impl Analysis for Samples {
    type Extract = Frequencies;
    const NAME: &'static str = "freq_analysis";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        match self.with_kernels {
            true => Selection::of(&[TableId::Counter, TableId::Kernel]).without_metrics(),
            false => Selection::of(&[TableId::Counter]),
        }
    }

    fn map(&self, data: &RankData<'_>) -> Result<Frequencies, Absent> {
        Ok(frequencies(data, self.compat))
    }
}

/// The verdict on a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Normal,
    /// It was slower, but not while it computed.
    Free,
    /// It computed at a lower frequency than it should.
    Abnormal,
}

/// How fast the AI Cores of a rank ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankFrequency {
    pub rank: Rank,
    /// Frequencies that were seen, in MHz, ascending.
    pub frequencies: Vec<i64>,
    /// Time of computing kernels that began below the nominal frequency, in ns.
    pub below: i64,
    /// Time of all computing kernels, in ns; 0 for ranks that were never below.
    pub computing: i64,
    pub verdict: Verdict,
}

impl RankFrequency {
    /// Share of computing below the nominal frequency: `below / computing`; 0 of nothing.
    pub fn below_share(&self) -> f64 {
        if self.computing == 0 { 0.0 } else { self.below as f64 / self.computing as f64 }
    }
}

/// How fast AI Cores ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFrequency {
    /// In MHz.
    pub nominal: i64,
    pub ranks: Vec<RankFrequency>,
}

/// How fast the AI Cores of each rank ran, and whether that is what they should.
pub fn rows(job: &Job<'_>) -> Result<JobFrequency, Failure> {
    let compat = job.options.compat;
    let mut ranks = job.extracts(&Samples { compat, with_kernels: false })?;
    ranks.retain(|(_, frequencies)| !frequencies.is_empty());
    if ranks.is_empty() {
        let (what, hint) = (collection::data_frequency(), collection::collect_frequency());
        return Err(Failure::missing(MODE.name, what, hint));
    }
    let nominal = match job.options.nominal_frequency {
        _ if compat => 1800,
        Some(nominal) => nominal.round() as i64,
        None => usual_highest(&ranks),
    };
    if !compat {
        add_kernels(job, &mut ranks, nominal)?;
    }
    let of_rank = |(rank, frequencies): (Rank, Frequencies)| {
        let (below, computing) = computing(&frequencies, nominal);
        let verdict = if compat { compatible(&frequencies) } else { verdict(&frequencies, nominal) };
        RankFrequency { rank, frequencies: frequencies.into_keys().collect(), below, computing, verdict }
    };
    Ok(JobFrequency { nominal, ranks: ranks.into_iter().map(of_rank).collect() })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let compat = job.options.compat;
    let JobFrequency { nominal, ranks } = rows(job)?;
    let mut free = table("FreeFrequencyRanks", "free_frequency_ranks", compat);
    let mut abnormal = table("AbnormalFrequencyRanks", "abnormal_frequency_ranks", compat);
    for rank in &ranks {
        match rank.verdict {
            Verdict::Normal => {}
            Verdict::Free => free.push(cells(rank, nominal, false)),
            // numpy prints its integers so.
            Verdict::Abnormal => abnormal.push(cells(rank, nominal, compat)),
        }
    }
    let answer = Answer::of_tables([free, abnormal]);
    Ok(match answer.tables.iter().all(ResultTable::is_empty) {
        true => answer.note(messages::note_frequency(nominal.to_string())),
        false => answer,
    })
}

/// Adds the time of kernels for ranks that were below the nominal frequency.
fn add_kernels(job: &Job<'_>, ranks: &mut [(Rank, Frequencies)], nominal: i64) -> Result<(), Failure> {
    let is_below = |rank: Rank| ranks.iter().any(|(of, freq)| *of == rank && freq.range(..nominal).next().is_some());
    let below: Vec<&RankSource> = job.sources().iter().copied().filter(|source| is_below(source.rank)).collect();
    for (rank, with_kernels) in job.extracts_of(&below, &Samples { compat: false, with_kernels: true })? {
        ranks.iter_mut().filter(|(of, _)| *of == rank).for_each(|(_, of_rank)| of_rank.clone_from(&with_kernels));
    }
    Ok(())
}

fn frequencies(data: &RankData<'_>, compat: bool) -> Frequencies {
    let tables = &data.tables;
    let mut samples: Vec<(Ns, i64)> = tables
        .rows::<counter::Row>()
        .filter(|row| tables.text(row.name) == COUNTER)
        .map(|row| (row.time, row.value.round() as i64))
        .collect();
    samples.sort_unstable();
    let at = |time: Ns| {
        let next = samples.partition_point(|(start, _)| *start <= time);
        samples.get(next.saturating_sub(1)).map(|(_, frequency)| *frequency)
    };
    let is_seen = |time: Ns| compat || data.has_moment(time);
    let mut frequencies: Frequencies =
        samples.iter().filter(|(time, _)| is_seen(*time)).map(|(_, f)| (*f, 0)).collect();
    if !compat && let Some(frequency) = at(data.start().unwrap_or(Ns(i64::MIN))) {
        frequencies.entry(frequency).or_default();
    }
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in (0..rows).filter(|row| data.has_kernel(&view, *row)) {
            let is_computing = !tables.opt_text(view.core.get(row)).is_some_and(is_communication_core);
            if let Some(frequency) = at(view.start.get(row)).filter(|_| is_computing) {
                *frequencies.entry(frequency).or_default() += view.duration.get(row).ns();
            }
        }
    }
    frequencies
}

/// The highest frequency of most ranks; of several such, the highest.
fn usual_highest(ranks: &[(Rank, Frequencies)]) -> i64 {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for highest in ranks.iter().filter_map(|(_, frequencies)| frequencies.keys().next_back()) {
        *counts.entry(*highest).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(frequency, count)| (*count, *frequency)).map_or(0, |(frequency, _)| frequency)
}

/// ns of kernels below the nominal frequency, and of all.
fn computing(frequencies: &Frequencies, nominal: i64) -> (i64, i64) {
    (frequencies.range(..nominal).map(|(_, ns)| ns).sum(), frequencies.values().sum())
}

fn verdict(frequencies: &Frequencies, nominal: i64) -> Verdict {
    let (below, all) = computing(frequencies, nominal);
    match frequencies.range(..nominal).next() {
        None => Verdict::Normal,
        Some(_) if below as f64 > ABNORMAL * all as f64 => Verdict::Abnormal,
        Some(_) => Verdict::Free,
    }
}

fn compatible(frequencies: &Frequencies) -> Verdict {
    match frequencies.keys().copied().collect::<Vec<_>>()[..] {
        [1800] => Verdict::Normal,
        [800, 1800] => Verdict::Free,
        _ => Verdict::Abnormal,
    }
}

fn table(name: &str, file: &str, compat: bool) -> ResultTable {
    let key = [("rankId", ColumnKind::Int), ("aicoreFrequency", ColumnKind::Text)];
    let more = [
        ("nominalFrequency(MHz)", ColumnKind::Int),
        ("computingBelowNs", ColumnKind::Int),
        ("computingBelowRatio", ColumnKind::Real),
    ];
    let columns = [&key[..], if compat { &[] } else { &more }].concat();
    ResultTable::new(name, file, &columns).indexed(1)
}

fn cells(rank: &RankFrequency, nominal: i64, is_numpy: bool) -> [Cell; 5] {
    let number = |frequency: &i64| if is_numpy { format!("np.int64({frequency})") } else { frequency.to_string() };
    let list = format!("[{}]", rank.frequencies.iter().map(number).collect::<Vec<_>>().join(", "));
    [rank.rank.into(), list.into(), nominal.into(), rank.below.into(), rank.below_share().into()]
}
