//! `--compat` gives what msprof-analyze 26.2 gave, for every recorded run whose input is at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use npuscope_analysis::cluster::{Export, Options};
use npuscope_testing::{json, shared};
use serde_json::Value;

use crate::support::{Rows, assert_same, csv, database, keep_tail, run};

/// One recorded run of the peer.
struct Recorded {
    mode: String,
    input: PathBuf,
    export: Export,
    extra: Vec<String>,
    /// The directory with `cluster_analysis_output`.
    place: PathBuf,
    files: Vec<String>,
}

/// The job that `gen_cluster_synthetic.py` makes, made once.
fn synthetic() -> Option<&'static Path> {
    static MADE: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let script = shared("tools/gen_cluster_synthetic.py")?;
        let directory = tempfile::tempdir().unwrap();
        let status = Command::new("python3").arg(&script).arg(directory.path()).output().unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
        Some(directory)
    });
    made.as_ref().map(|directory| directory.path())
}

/// The recorded runs of a mode.
fn recorded(mode: &str) -> Vec<Recorded> {
    let Some(root) = shared("reference/cluster") else { return Vec::new() };
    let Value::Array(entries) = serde_json::from_slice(&std::fs::read(root.join("index.json")).unwrap()).unwrap()
    else {
        panic!("index.json is no list")
    };
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let list = |entry: &Value, key: &str| -> Vec<String> {
        entry[key].as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let runs = entries.iter().filter(|entry| entry["mode"] == mode).filter_map(|entry| {
        let input = match (entry["kind"].as_str()?, entry["level"].as_str()?) {
            ("syn", "level1") => synthetic()?.join("syn12"),
            ("syn", "level_none") => synthetic()?.join("synnone"),
            // Other inputs were not kept.
            (kind @ ("text" | "db"), level @ ("level0" | "level1")) => shared(&format!("data/npu/{kind}/{level}"))?,
            _ => return None,
        };
        Some(Recorded {
            mode: mode.to_owned(),
            input,
            export: match entry["export"].as_str()? {
                "text" => Export::Text,
                "notebook" => Export::Notebook,
                _ => Export::Db,
            },
            extra: list(entry, "extra"),
            place: root.join(text(entry, "path")),
            files: list(entry, "files"),
        })
    });
    runs.collect()
}

impl Recorded {
    fn option(&self, name: &str) -> Option<&str> {
        let at = self.extra.iter().position(|word| word == name)?;
        self.extra.get(at + 1).map(String::as_str)
    }

    fn ranks(&self) -> Option<BTreeSet<i64>> {
        Some(self.option("--rank_list")?.split(',').map(|rank| rank.parse().unwrap()).collect())
    }

    fn options(&self) -> Options {
        Options {
            compat: true,
            export: Some(self.export),
            step: self.option("--step_id").map(|step| step.parse().unwrap()),
            baseline_profile: self.option("--baseline_profiling_path").map(|_| synthetic().unwrap().join("gpu.sqlite")),
            dump_intermediate_results: self.extra.iter().any(|word| word == "--dump_intermediate_results"),
            ..Options::default()
        }
    }

    /// Runs the mode and compares every file that the peer wrote beside its input. A mode that the peer could not
    /// complete may fail, saying what is missing, or give something.
    fn check(&self) {
        let name = format!("{} {}", self.mode, self.place.display());
        let files: Vec<&String> =
            self.files.iter().filter(|file| file.starts_with("cluster_analysis_output/")).collect();
        let ours = match run(&self.input, &self.mode, self.ranks().as_ref(), &self.options()) {
            Ok(run) => run,
            Err(_) if files.iter().all(|file| is_empty_database(&self.place.join(file))) => return,
            Err(failure) => panic!("{name}: {failure}"),
        };
        for file in files {
            let theirs = self.place.join(file);
            if is_empty_database(&theirs) {
                continue;
            }
            let file = Path::new(file.strip_prefix("cluster_analysis_output/").unwrap());
            let mine = ours.output().join(file);
            let what = format!("{name} {}", file.display());
            match file.extension().and_then(|e| e.to_str()) {
                Some("db") => {
                    let (mine, theirs) = (tables(&mine), tables(&theirs));
                    for (table, rows) in &theirs {
                        let Some(ours) = mine.get(table) else {
                            assert!(rows.1.is_empty(), "{what} lacks {table}");
                            continue;
                        };
                        assert_same(ours, rows, &format!("{what} {table}"));
                    }
                    let more: Vec<_> = mine.keys().filter(|table| !theirs.contains_key(*table)).collect();
                    assert!(more.is_empty(), "{what} has more tables: {more:?}");
                }
                // What ranks reported is copied, so that every byte is the same.
                Some("json") if file.to_string_lossy().starts_with("cluster_communication") => {
                    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
                    assert_eq!(text(&mine), text(&theirs), "{what}");
                }
                Some("csv") => assert_same(&csv(&mine), &csv(&theirs), &what),
                Some("json") => assert_eq!(json(&mine), json(&theirs), "{what}"),
                // Notebooks and their helper are our own.
                Some("ipynb") => assert!(mine.exists() || ours.written.tables.is_empty(), "{what}"),
                Some("py") => {}
                _ => panic!("{what}: how is this compared?"),
            }
        }
    }
}

/// The tables of a database; of paths, which say where the profile was, the last part.
fn tables(path: &Path) -> BTreeMap<String, Rows> {
    let mut tables = database(path);
    if let Some(devices) = tables.get_mut("RankDeviceMap") {
        keep_tail(devices, "profilePath");
    }
    tables
}

/// Whether the peer made a database and put nothing into it.
fn is_empty_database(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "db")
        && database(path).values().all(|(_, rows)| rows.is_empty())
}

/// Compares all recorded runs of a mode.
fn check(mode: &str) {
    recorded(mode).iter().for_each(Recorded::check);
}

macro_rules! modes {
    ($($mode:ident)+) => { $( #[test] fn $mode() { check(stringify!($mode)); } )+ };
}

modes! {
    all
    communication_time
    communication_matrix
    hccl_sum
    communication_group_map
    communication_time_sum
    communication_matrix_sum
}
