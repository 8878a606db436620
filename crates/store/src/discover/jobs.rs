//! Which processes are one job.
//!
//! A rank is one process of a job. Where no rank has several processes, all of them are one job, whenever and wherever
//! they recorded. Where a rank has several, they belong to different runs, or they are copies of one run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use npuscope_tables::Rank;

use super::files::file_name;
use super::processes::Process;

/// The processes of a job, and how users choose it.
#[derive(Debug, Default)]
pub(super) struct Job {
    pub(super) name: String,
    pub(super) processes: Vec<Process>,
}

/// What distinguishes ranks of a job: those of NPUs and of GPUs both count from 0.
type Number = (bool, Rank);

/// Divides processes into jobs, by the time at which they begin; at least one job.
///
/// - Replicas of a rollout engine count their ranks from 0 each: they are jobs of their own, called after their folder.
/// - Folders are jobs if each of them has every rank once.
/// - Otherwise a job begins when a rank begins that the job before already has.
pub(super) fn jobs(processes: Vec<Process>, root: &Path) -> Vec<Job> {
    let (replicas, processes): (Vec<_>, Vec<_>) =
        processes.into_iter().map(|process| (replica(&process.folder, root), process)).partition(|(r, _)| r.is_some());
    let processes: Vec<Process> = processes.into_iter().map(|(_, process)| process).collect();
    let mut jobs = match has_one_of_each(processes.iter()) {
        true if processes.is_empty() => Vec::new(),
        true => vec![Job { name: name_of_root(root), processes }],
        false => by_folder(processes, root).unwrap_or_else(by_time),
    };
    let mut of_replicas: BTreeMap<PathBuf, Vec<Process>> = BTreeMap::new();
    for (folder, process) in replicas {
        of_replicas.entry(folder.unwrap_or_default()).or_default().push(process);
    }
    jobs.extend(of_replicas.into_iter().map(|(folder, processes)| Job { name: file_name(&folder), processes }));
    jobs.sort_by_key(|job| job.processes.iter().map(Process::begin).min());
    jobs
}

/// The job that is shown if none is chosen: the one with the most ranks, the last of those.
pub(super) fn usual(jobs: &[Job]) -> usize {
    let most = jobs.iter().enumerate().max_by_key(|(place, job)| (job.processes.len(), *place));
    most.map_or(0, |(place, _)| place)
}

fn number(process: &Process) -> Option<Number> {
    Some((process.is_kineto, process.rank?))
}

/// Whether no rank has several processes.
fn has_one_of_each<'a>(processes: impl Iterator<Item = &'a Process>) -> bool {
    let mut numbers = BTreeSet::new();
    processes.filter_map(number).all(|number| numbers.insert(number))
}

/// The folder of a replica of verl's rollout engine.
fn replica(folder: &Path, root: &Path) -> Option<PathBuf> {
    let is_replica = |path: &&Path| file_name(path).starts_with("agent_loop_rollout_replica_");
    folder.ancestors().take_while(|path| *path != root).find(is_replica).map(Path::to_owned)
}

/// Jobs by folder, as near to the root as folders distinguish them; the processes again if folders are no jobs.
fn by_folder(processes: Vec<Process>, root: &Path) -> Result<Vec<Job>, Vec<Process>> {
    let below = |process: &Process, depth: usize| -> PathBuf {
        process.folder.strip_prefix(root).unwrap_or(&process.folder).components().take(depth).collect()
    };
    let deepest = processes.iter().map(|process| below(process, usize::MAX).components().count()).max().unwrap_or(0);
    for depth in 1..=deepest {
        let mut folders: BTreeMap<PathBuf, Vec<&Process>> = BTreeMap::new();
        for process in &processes {
            folders.entry(below(process, depth)).or_default().push(process);
        }
        let ranks = |processes: &[&Process]| processes.iter().filter_map(|p| number(p)).collect::<BTreeSet<Number>>();
        let first = folders.values().next().map(|processes| ranks(processes));
        let is_job =
            |processes: &Vec<&Process>| has_one_of_each(processes.iter().copied()) && Some(ranks(processes)) == first;
        if folders.len() > 1 && folders.values().all(is_job) {
            let mut jobs: BTreeMap<PathBuf, Vec<Process>> = BTreeMap::new();
            for process in processes {
                jobs.entry(below(&process, depth)).or_default().push(process);
            }
            let job = |(folder, processes): (PathBuf, Vec<Process>)| Job {
                name: folder.to_string_lossy().replace('\\', "/"),
                processes,
            };
            return Ok(jobs.into_iter().map(job).collect());
        }
    }
    Err(processes)
}

/// Jobs by time, called after the time at which their first window was recorded.
fn by_time(mut processes: Vec<Process>) -> Vec<Job> {
    processes.sort_by_key(Process::begin);
    let mut jobs: Vec<(BTreeSet<Number>, Job)> = Vec::new();
    for process in processes {
        let number = number(&process);
        match jobs.last_mut() {
            Some((numbers, job)) if number.is_none_or(|number| !numbers.contains(&number)) => {
                numbers.extend(number);
                job.processes.push(process);
            }
            _ => {
                let name = clock_time(process.begin());
                jobs.push((number.into_iter().collect(), Job { name, processes: vec![process] }));
            }
        }
    }
    let mut jobs: Vec<Job> = jobs.into_iter().map(|(_, job)| job).collect();
    // Jobs of one second, or of unknown time.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for job in &mut jobs {
        let count = seen.entry(job.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            job.name = format!("{}-{count}", job.name);
        }
    }
    jobs
}

fn name_of_root(root: &Path) -> String {
    let path =
        if root.is_dir() { std::path::absolute(root).unwrap_or_else(|_| root.to_owned()) } else { root.to_owned() };
    file_name(&path)
}

/// A time in ns as `20260131-235959`.
fn clock_time(ns: i64) -> String {
    let seconds = ns.div_euclid(1_000_000_000);
    let (year, month, day) = npuscope_tables::date::date_of_day(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", second / 3600, second / 60 % 60, second % 60)
}
