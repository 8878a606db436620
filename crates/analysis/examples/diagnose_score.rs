//! Scores `diagnose` on a folder of scenarios: `diagnose_score FOLDER [PEER]`.
//!
//! Each job is simulated, written as databases, and diagnosed from those files. With the path of `msprof-analyze`
//! its `slow_rank` and `slow_link` are run on the same files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use npuscope_analysis::diagnose::{Diagnosis, diagnose};
use npuscope_analysis::{Finding, Severity};
use npuscope_formats::output::Output;
use npuscope_store::{OpenOptions, Store};
use npuscope_synth::{FaultTruth, Format, GroundTruth, scenario, simulate, write_job};
use npuscope_tables::Rank;

/// How far what a cause costs may be off the truth.
const TOLERANCE: f64 = 0.2;
/// Costs below this are nothing, in ms.
const NOTHING_MS: f64 = 0.05;

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().expect("a folder of scenarios");
    let peer = arguments.next();
    let mut files: Vec<PathBuf> = if folder.is_dir() {
        std::fs::read_dir(&folder).expect("a folder of scenarios").map(|entry| entry.unwrap().path()).collect()
    } else {
        vec![folder.clone()]
    };
    files.sort();
    let mut scores = Vec::new();
    println!(
        "{:<28} {:>5}  {:<62} {:>9} {:>9}  {:<7} peer",
        "scenario", "ranks", "first finding", "lost ms", "truth ms", ""
    );
    for file in &files {
        let score = score(file, peer.as_deref());
        println!("{}", score.line);
        scores.push(score);
    }
    summary(&scores);
}

struct Score {
    line: String,
    is_healthy: bool,
    /// The first finding is an injected cause; a healthy job has none above info.
    is_right: bool,
    is_cost_right: bool,
    /// Whether the peer names a rank that is at fault, where it was asked.
    peer_is_right: Option<bool>,
}

fn score(file: &Path, peer: Option<&Path>) -> Score {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    let config = scenario(&std::fs::read_to_string(file).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let job = simulate(&config).unwrap_or_else(|e| panic!("{name}: {e}"));
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path().join("profile");
    write_job(&job, Format::Db, &Output::new(&profile).unwrap(), |_| {}).unwrap();
    let truth = job.truth();
    let options = OpenOptions::new(directory.path().join("cache"));
    let diagnosis = diagnose(&Store::open(&profile, options).unwrap(), None).unwrap();
    let peer_is_right = peer.map(|peer| peer_names(peer, &profile, directory.path(), &truth));
    let first = diagnosis.findings.first();
    let (is_right, is_cost_right, truth_ms) = judge(&diagnosis, &truth);
    let claim =
        first.map_or("nothing".to_owned(), |f| format!("{:?} {} {}", f.severity, f.id, ranks(f)).to_lowercase());
    let verdict = match (is_right, is_cost_right) {
        (true, true) => "right",
        (true, false) => "cost",
        (false, _) => "WRONG",
    };
    let peer_word = match peer_is_right {
        None => "",
        Some(true) => "right",
        Some(false) => "no",
    };
    let lost = first.map_or(0.0, lost_ms);
    let error = format!("replay {:.2}%", diagnosis.replay_error * 100.0);
    let line = format!(
        "{name:<28} {:>5}  {claim:<48} {error:>13} {lost:>9.2} {truth_ms:>9.2}  {verdict:<7} {peer_word}",
        truth.ranks
    );
    Score { line, is_healthy: truth.faults.is_empty(), is_right, is_cost_right, peer_is_right }
}

fn ranks(finding: &Finding) -> String {
    format!("{:?}", finding.ranks).chars().take(24).collect()
}

fn lost_ms(finding: &Finding) -> f64 {
    finding.numbers.iter().find(|number| number.name.id() == "number-lost").map_or(0.0, |number| number.value)
}

/// Whether a finding names a fault: its cause and its ranks.
fn names(finding: &Finding, fault: &FaultTruth) -> bool {
    let at: BTreeSet<Rank> = fault.ranks.iter().map(|&rank| Rank(rank as i64)).collect();
    finding.id == fault.cause && finding.ranks.iter().copied().collect::<BTreeSet<_>>() == at
}

/// Whether the first finding is right, whether its cost is, and what the truth is.
fn judge(diagnosis: &Diagnosis, truth: &GroundTruth) -> (bool, bool, f64) {
    let loud = diagnosis.findings.iter().any(|finding| finding.severity > Severity::Info);
    if truth.faults.is_empty() {
        return (!loud, true, 0.0);
    }
    let Some(first) = diagnosis.findings.first() else { return (false, false, truth.faults[0].cost_ms_per_step) };
    let Some(fault) = truth.faults.iter().find(|fault| names(first, fault)) else {
        return (false, false, truth.faults[0].cost_ms_per_step);
    };
    // Of several faults, all that cost something must be found, and the first finding must be one of them.
    let found = |fault: &FaultTruth| diagnosis.findings.iter().any(|finding| names(finding, fault));
    let costly = |fault: &&FaultTruth| fault.cost_ms_per_step > 0.01 * truth.step_ms;
    let all = truth.faults.iter().filter(costly).all(found);
    let cost = fault.cost_ms_per_step;
    let is_cost_right = (lost_ms(first) - cost).abs() <= (TOLERANCE * cost.abs()).max(NOTHING_MS);
    (all, is_cost_right, cost)
}

/// Whether the rank that the peer's `slow_rank` names most often, or a rank of `slow_link`, is at fault.
fn peer_names(peer: &Path, profile: &Path, directory: &Path, truth: &GroundTruth) -> bool {
    let output = directory.join("peer");
    for mode in ["slow_rank", "slow_link"] {
        let run = Command::new(peer).args(["cluster", "-m", mode, "-d"]).arg(profile).arg("-o").arg(&output).output();
        run.expect("the peer runs");
    }
    let database = output.join("cluster_analysis_output/cluster_analysis.db");
    let Ok(connection) = rusqlite::Connection::open(database) else { return truth.faults.is_empty() };
    let ask = |sql: &str| -> Vec<i64> {
        let Ok(mut statement) = connection.prepare(sql) else { return Vec::new() };
        statement.query_map((), |row| row.get(0)).map(|rows| rows.flatten().collect()).unwrap_or_default()
    };
    let slow = ask("SELECT rankId FROM SlowRank ORDER BY slowAffectCount DESC LIMIT 1");
    let links = ask("SELECT maxRank FROM SlowLinkSum ORDER BY offsetRatio DESC LIMIT 1");
    let named: Vec<i64> = slow.into_iter().chain(links).collect();
    match truth.faults.is_empty() {
        true => named.is_empty(),
        false => named.iter().any(|rank| truth.faults.iter().any(|fault| fault.ranks.contains(&(*rank as usize)))),
    }
}

fn summary(scores: &[Score]) {
    let share = |part: usize, of: usize| if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 };
    let faulty: Vec<&Score> = scores.iter().filter(|score| !score.is_healthy).collect();
    let right = faulty.iter().filter(|score| score.is_right).count();
    let cost = faulty.iter().filter(|score| score.is_cost_right).count();
    let healthy: Vec<&Score> = scores.iter().filter(|score| score.is_healthy).collect();
    let quiet = healthy.iter().filter(|score| score.is_right).count();
    println!();
    println!("cause first:     {right} of {} ({:.1} %, bar 95 %)", faulty.len(), share(right, faulty.len()));
    println!("lost within 20 %: {cost} of {} ({:.1} %)", faulty.len(), share(cost, faulty.len()));
    println!("healthy, quiet:  {quiet} of {} (bar: all)", healthy.len());
    let asked: Vec<bool> = faulty.iter().filter_map(|score| score.peer_is_right).collect();
    if !asked.is_empty() {
        let right = asked.iter().filter(|right| **right).count();
        println!("msprof-analyze slow_rank or slow_link names a rank at fault: {right} of {}", asked.len());
    }
}
