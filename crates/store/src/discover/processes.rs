//! Which windows one process recorded.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use npuscope_formats::kineto;
use npuscope_formats::source::{WindowSource, process_in_directory};
use npuscope_tables::{Framework, Rank};

use super::files::file_name;
use super::times::{recorded_at, time_in_window_name};

/// A window whose rank is not settled.
pub(super) struct Candidate {
    pub(super) rank: Option<Rank>,
    /// The number is a guess from the name of a file that says nothing of its rank.
    pub(super) is_guess: bool,
    /// The process that a trace of PyTorch's profiler names.
    pub(super) process: Option<i64>,
    pub(super) source: WindowSource,
}

impl Candidate {
    pub(super) fn is_kineto(&self) -> bool {
        self.source.framework == Framework::Kineto
    }

    /// The process that wrote it, as far as its name or its events say.
    pub(super) fn identity(&self) -> Option<Identity> {
        let identity = |(host, process): (&str, &str)| Identity { host: host.to_owned(), process: process.to_owned() };
        if !self.is_kineto() {
            return process_in_directory(&self.source.directory_name()).map(identity);
        }
        let by_name = kineto::process_in_name(&self.source.files.first()?.name).map(identity);
        by_name.or_else(|| Some(Identity { host: String::new(), process: self.process?.to_string() }))
    }
}

/// A process: its number on its host. The host is not known of a trace whose name does not say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) host: String,
    pub(super) process: String,
}

/// What one process of a job recorded.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) rank: Option<Rank>,
    pub(super) is_kineto: bool,
    /// The host, where its name is known.
    host: Option<String>,
    /// The folder that its windows have in common.
    pub(super) folder: PathBuf,
    /// By time.
    pub(super) windows: Vec<Recorded>,
}

/// A window and when it was recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) at: i64,
    pub(super) source: WindowSource,
}

/// What windows of one process have in common: whether it ran on GPUs, its rank and number, and the folder of one
/// without a rank.
type Key = (bool, Option<Rank>, Identity, Option<PathBuf>);

/// The processes that recorded some windows, by rank and time. Windows of one rank, host and process belong together; a
/// process whose number is not known has one window. A process does not record twice at the same time: windows of
/// the same name are copies, and those of each folder are taken for a process of their own.
pub(super) fn processes(candidates: Vec<Candidate>) -> Vec<Process> {
    let mut known: BTreeMap<Key, Vec<WindowSource>> = BTreeMap::new();
    let mut all = Vec::new();
    for candidate in candidates {
        let (is_kineto, rank) = (candidate.is_kineto(), candidate.rank);
        match candidate.identity() {
            Some(identity) => {
                // Without a rank, the number of a process means little beyond its folder.
                let folder = rank.is_none().then(|| folder(&candidate.source));
                known.entry((is_kineto, rank, identity, folder)).or_default().push(candidate.source);
            }
            None => all.push(Process::new(rank, is_kineto, None, vec![candidate.source])),
        }
    }
    for ((is_kineto, rank, identity, _), windows) in known {
        let host = Some(identity.host).filter(|host| !host.is_empty());
        let process = |windows| Process::new(rank, is_kineto, host.clone(), windows);
        all.extend(apart(windows).into_iter().map(process));
    }
    let mut all = join_roles(all);
    all.sort_by_key(|process| (process.is_kineto, process.rank, process.begin()));
    all
}

/// Roles of reinforcement learning that share a device run in processes of their own, which have the rank's number and
/// record stages of their own: those of one rank and host are put together.
fn join_roles(processes: Vec<Process>) -> Vec<Process> {
    let stages = |process: &Process| -> Option<BTreeSet<String>> {
        process.windows.iter().map(|window| stage(&window.source)).collect()
    };
    let mut joined: Vec<Process> = Vec::new();
    for process in processes {
        let own = stages(&process).filter(|_| process.rank.is_some() && process.host.is_some());
        let is_same_rank = |other: &&mut Process| {
            let key = |process: &Process| (process.is_kineto, process.rank, process.host.clone());
            let is_apart = || Some(stages(other)?.is_disjoint(own.as_ref()?));
            key(other) == key(&process) && other.folder == process.folder && is_apart() == Some(true)
        };
        match joined.iter_mut().find(is_same_rank) {
            Some(other) => {
                other.windows.extend(process.windows);
                other.sort();
            }
            None => joined.push(process),
        }
    }
    joined
}

/// The windows of a process; if some are copies, those of each folder apart.
fn apart(windows: Vec<WindowSource>) -> Vec<Vec<WindowSource>> {
    let mut names = HashSet::new();
    let mut is_new = |window: &WindowSource| {
        let name = time_in_window_name(window).map(|_| (window.name(), dynamic_window(window)));
        name.is_none_or(|name| names.insert(name))
    };
    if windows.iter().all(&mut is_new) {
        return vec![windows];
    }
    let mut folders: BTreeMap<PathBuf, Vec<WindowSource>> = BTreeMap::new();
    for window in windows {
        folders.entry(folder(&window)).or_default().push(window);
    }
    folders.into_values().collect()
}

impl Process {
    fn new(rank: Option<Rank>, is_kineto: bool, host: Option<String>, windows: Vec<WindowSource>) -> Process {
        let folders = windows.iter().map(folder);
        let folder = folders.reduce(|a, b| common(&a, &b)).unwrap_or_default();
        let windows = windows.into_iter().map(|source| Recorded { at: recorded_at(&source), source }).collect();
        let mut process = Process { rank, is_kineto, host, folder, windows };
        process.sort();
        process
    }

    fn sort(&mut self) {
        self.windows.sort_by(|a, b| (a.at, &a.source.directory).cmp(&(b.at, &b.source.directory)));
    }

    /// When its first window was recorded.
    pub(super) fn begin(&self) -> i64 {
        self.windows.first().map_or(0, |window| window.at)
    }
}

/// The folder that a window lies in. Folders of windows of dynamic profiling and of stages do not count.
fn folder(window: &WindowSource) -> PathBuf {
    let place = window.place();
    let parent = place.parent().unwrap_or(&place);
    let is_of_window = dynamic_window(window).is_some() || stage(window).is_some();
    parent.parent().filter(|_| is_of_window).unwrap_or(parent).to_owned()
}

/// How trainers call the folders of stages: MindSpeed-RL and verl.
const STAGES: [&str; 14] = [
    "actor_generate",
    "actor_compute_log_prob",
    "actor_update",
    "actor_image_embeds",
    "reference_compute_log_prob",
    "ref_compute_log_prob",
    "critic_compute_values",
    "critic_update",
    "compute_values",
    "compute_rm_score",
    "reward_compute",
    "rollout_generate",
    "train_batch",
    "forward_backward",
];

/// The stage of reinforcement learning in the name of the folder that a window lies in.
pub(super) fn stage(window: &WindowSource) -> Option<String> {
    folder_name(window).filter(|name| STAGES.contains(&name.as_str()))
}

/// The name of the folder that a window lies in.
fn folder_name(window: &WindowSource) -> Option<String> {
    Some(file_name(window.place().parent()?))
}

fn common(a: &Path, b: &Path) -> PathBuf {
    a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

/// The steps in the name of the folder that dynamic profiling made for a window, `rank0_start2_stop5`.
pub(super) fn dynamic_window(window: &WindowSource) -> Option<(i64, i64)> {
    let name = folder_name(window)?;
    let (start, stop) = name.strip_prefix("rank")?.split_once("_start")?.1.split_once("_stop")?;
    Some((start.parse().ok()?, stop.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes of rank 0 with windows at those paths: rank by rank, the names of their windows' folders.
    fn of_rank_0(paths: &[&str]) -> Vec<Vec<String>> {
        let candidate = |path: &&str| Candidate {
            rank: Some(Rank(0)),
            is_guess: false,
            process: None,
            source: WindowSource::new(path.into(), Framework::TorchNpu),
        };
        let folder = |window: &Recorded| folder_name(&window.source).unwrap();
        let folders = |process: &Process| process.windows.iter().map(folder).collect();
        processes(paths.iter().map(candidate).collect()).iter().map(folders).collect()
    }

    #[test]
    fn roles_that_share_a_device_are_one_rank_and_other_processes_are_not() {
        let actor =
            ["out/actor_generate/node_7_20260101000001_ascend_pt", "out/actor_update/node_7_20260101000003_ascend_pt"];
        let reference = "out/reference_compute_log_prob/node_8_20260101000002_ascend_pt";
        let joined = of_rank_0(&[actor[0], actor[1], reference]);
        assert_eq!(joined, [["actor_generate", "reference_compute_log_prob", "actor_update"]]);
        // Another run of the same stage, another host, and windows without a stage.
        for other in [
            "out/actor_update/node_8_20260101000002_ascend_pt",
            "out/reference_compute_log_prob/other_8_20260101000002_ascend_pt",
            "out/node_8_20260101000002_ascend_pt",
        ] {
            assert_eq!(of_rank_0(&[actor[0], actor[1], other]).len(), 2, "{other}");
        }
    }

    #[test]
    fn copies_of_a_window_are_not_two_windows_of_a_process() {
        let paths = ["a/node_7_20260101000001_ascend_pt", "b/node_7_20260101000001_ascend_pt"];
        assert_eq!(of_rank_0(&paths), [["a"], ["b"]]);
        assert_eq!(of_rank_0(&[paths[0], "b/node_7_20260101000002_ascend_pt"]), [["a", "b"]]);
    }

    #[test]
    fn the_folder_of_a_dynamic_window_names_its_steps() {
        let window = |path: &str| WindowSource::new(path.into(), Framework::MindSpore);
        assert_eq!(dynamic_window(&window("out/rank0_start2_stop5/host_7_20260101000000000_ascend_ms")), Some((2, 5)));
        assert_eq!(dynamic_window(&window("out/rank0/host_7_20260101000000000_ascend_ms")), None);
        assert_eq!(folder(&window("out/rank0_start2_stop5/host_7_1_ascend_ms")), PathBuf::from("out"));
        assert_eq!(folder(&window("out/rank0/host_7_1_ascend_ms")), PathBuf::from("out/rank0"));
        assert_eq!(common(Path::new("a/b/c"), Path::new("a/b/d/e")), PathBuf::from("a/b"));
    }
}
