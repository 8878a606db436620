//! `--compat` gives the results of msprof-analyze 26.2, for every recorded run whose input is available.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use npuscope_analysis::cluster::{self, Export, Options};
use npuscope_tables::Rank;
use npuscope_testing::{json, shared};
use serde_json::Value;

use crate::rank_files;
use crate::support::{Rows, Value as Cell, assert_same, csv, database, keep_tail, run, sorted, workbook};

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

    /// Whether a file of the peer holds nothing: it writes notebooks and databases without data, too.
    fn is_empty(&self, file: &str) -> bool {
        is_notebook(file) || is_empty_database(&self.place.join(file))
    }

    fn ranks(&self) -> Option<BTreeSet<Rank>> {
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
        let changed: Vec<&str> = self.files.iter().filter_map(|file| file.strip_prefix("input_changes/")).collect();
        let ours = match run(&self.input, &self.mode, self.ranks().as_ref(), &self.options()) {
            Ok(run) => run,
            Err(_) if files.iter().all(|file| self.is_empty(file)) && changed.is_empty() => return,
            Err(failure) => panic!("{name}: {failure}"),
        };
        // What the peer wrote into its input stands among our results.
        let folder = ours.output().join(cluster::find(&self.mode).unwrap().folder);
        for file in changed {
            let theirs = self.place.join("input_changes").join(file);
            rank_files::assert_same_file(&folder.join(file), &theirs, &format!("{name} {file}"));
        }
        for file in files {
            let theirs = self.place.join(file);
            if is_empty_database(&theirs) {
                continue;
            }
            let file = Path::new(file.strip_prefix("cluster_analysis_output/").unwrap());
            let mine = ours.output().join(without_time(file));
            let what = format!("{name} {}", file.display());
            match file.extension().and_then(|e| e.to_str()) {
                Some("db") if !file.ends_with("cluster_analysis.db") => {
                    rank_files::assert_same_file(&mine, &theirs, &what)
                }
                Some("db") => {
                    let (mine, theirs) = (tables(&mine), tables(&theirs));
                    for (table, rows) in &theirs {
                        let Some(ours) = mine.get(table) else {
                            assert!(rows.1.is_empty(), "{what} lacks {table}");
                            continue;
                        };
                        assert_same(&in_any_order(table, ours), &in_any_order(table, rows), &format!("{what} {table}"));
                    }
                    let more: Vec<_> = mine.keys().filter(|table| !theirs.contains_key(*table)).collect();
                    assert!(more.is_empty(), "{what} has more tables: {more:?}");
                }
                Some("xlsx") => assert_same(&workbook(&mine), &workbook(&theirs), &what),
                Some("csv") => {
                    let name = file.file_stem().unwrap().to_str().unwrap();
                    assert_same(&in_any_order(name, &csv(&mine)), &in_any_order(name, &csv(&theirs)), &what);
                }
                // What ranks reported is copied, so that every byte is the same.
                Some("json") if file.to_string_lossy().starts_with("cluster_communication") => {
                    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
                    assert_eq!(text(&mine), text(&theirs), "{what}");
                }
                Some("json") => assert_eq!(json(&mine), json(&theirs), "{what}"),
                // Notebooks and their helper are our own.
                Some("ipynb") => assert!(mine.exists() || ours.written.tables.is_empty(), "{what}"),
                Some("py") => {}
                _ => panic!("{what}: how is this compared?"),
            }
        }
    }
}

/// A name without the time of the run, which the peer gives to one file.
fn without_time(file: &Path) -> String {
    let name = file.to_str().unwrap();
    match name.split_once("cluster_time_summary_") {
        Some((folder, _)) => format!("{folder}cluster_time_summary.csv"),
        None => name.to_owned(),
    }
}

/// Whether a file is a notebook or what it needs; the peer writes them without data, too.
fn is_notebook(file: &str) -> bool {
    file.ends_with(".ipynb") || file.ends_with(".py")
}

/// The rows of a result without what the peer takes from whichever rank comes first in its directory.
fn in_any_order(table: &str, (header, rows): &Rows) -> Rows {
    let column = |name: &str| header.iter().position(|column| column == name);
    let mut rows = rows.clone();
    let mut clear = |name: &str, is_unsure: &dyn Fn(&[Cell]) -> bool| {
        let Some(at) = column(name) else { return };
        rows.iter_mut().filter(|row| is_unsure(row)).for_each(|row| row[at] = Cell::Null);
    };
    match table {
        // Rows are numbered after they were sorted by a share that many have in common.
        "MSTXMarkStats" => clear("index", &|_| true),
        // All ranks took the same time.
        _ if table.starts_with("MSTXAll") || table.starts_with("all_") => {
            let unit = if table.starts_with("MSTX") { "Ns" } else { "(Ms)" };
            let ends = column(&format!("Min{unit}")).zip(column(&format!("Max{unit}")));
            let has_equal_ends = |row: &[Cell]| ends.is_some_and(|(min, max)| row[min] == row[max]);
            clear("MinRank", &has_equal_ends);
            clear("MaxRank", &has_equal_ends);
        }
        // All ranks of an operation have one transmit time.
        "SlowLinkSum" => {
            clear("maxRank", &|_| true);
            clear("minRank", &|_| true);
        }
        _ => {}
    }
    (header.clone(), sorted(rows))
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
    calibrate_npu_gpu
    cann_api_sum
    cluster_compare_baseline
    cluster_time_summary
    communication_bottleneck
    communication_group_map
    communication_matrix
    communication_matrix_sum
    communication_time
    communication_time_sum
    computational_op_masking
    compute_op_sum
    ep_load_balance
    export_summary
    free_analysis
    freq_analysis
    hccl_sum
    module_statistic
    mstx2commop
    mstx_sum
    operator_mfu
    p2p_pairing
    pp_chart
    slow_link
    slow_rank
}
