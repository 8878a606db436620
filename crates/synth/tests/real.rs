//! A simulated profile has the shape of a real one: what a capture in `shared/data` fills, it fills, and in the
//! same words.

use std::collections::BTreeSet;

use npuscope_formats::output::Output;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_tables::{RankTables, TableId, schema};
use npuscope_testing::tables::texts;
use npuscope_testing::{captures, entries};

/// A simulated rank, read from what was written.
fn simulated(form: Format) -> RankTables {
    let directory = tempfile::tempdir().unwrap();
    let config = JobConfig { layers: 2, micro_batches: 2, steps: 2, ..JobConfig::default() };
    write_job(&simulate(&config).unwrap(), form, &Output::new(directory.path()).unwrap(), |_| ()).unwrap();
    read(directory.path())
}

fn read(path: &std::path::Path) -> RankTables {
    read_rank(&discover(path).unwrap().ranks[0], ReadOptions::default())
}

/// `table.column` of everything that has a value.
fn filled(tables: &RankTables) -> BTreeSet<String> {
    let all = schema::all().iter().filter(|spec| spec.id != TableId::Diagnostic).flat_map(|spec| {
        let batches = tables.batches(spec.id).iter();
        let columns =
            batches.flat_map(|batch| batch.schema().fields().iter().map(|f| f.name().clone()).collect::<Vec<_>>());
        columns.map(|column| format!("{}.{column}", spec.name)).collect::<Vec<_>>()
    });
    all.collect()
}

/// What real captures have and simulated ones do not, and why.
const NOT_SIMULATED: &[&str] = &[
    // Durations with fractions of a nanosecond.
    "comm_op.duration_us",
    "comm_task.duration_us",
    "host_op.duration_us",
    "kernel.duration_us",
    "kernel.wait_us",
    "overlap.duration_us",
    "task.duration_us",
    // Numbers that a file spells in another way than its writers usually do.
    "source.spelling",
    // Ids of arrows beyond 64 bits, and arrows with several ends, of an older version.
    "flow.id_text",
    "flow.branch",
    // Contexts of kernels that are fused into one task.
    "kernel.context_id",
    // Of databases alone: what a viewer added to one, metrics of vector cores that are always 0, and
    // allocations of the graph engine, which nothing here uses.
    "comm_op.wait",
    "kernel.aiv_mac_ratio",
    "kernel.aiv_mac_time",
    "kernel.aiv_mte1_ratio",
    "kernel.aiv_mte1_time",
    "mem_sample.action",
    "mem_sample.address",
    "mem_sample.bytes",
    "mem_sample.name",
    "mem_sample.thread",
];

/// Types of tasks that the captures lack: they are older than the names that CANN gives tasks now, and have
/// neither fused kernels nor user ranges.
const NEW_TASK_TYPES: &[&str] = &["MIX_AIC", "AI_VECTOR_CORE", "MSTX", "EVENT_RECORD", "EVENT_WAIT", "MEMCPY_ASYNC"];

fn level1(form: &str) -> Vec<(String, RankTables)> {
    let level1 = captures(form).into_iter().filter(|(name, _)| name.contains("level1"));
    level1.map(|(name, path)| (name, read(&path))).collect()
}

#[test]
fn every_column_of_a_capture_is_filled() {
    for (name, form) in [("text", Format::Text), ("db", Format::Db)] {
        let ours = filled(&simulated(form));
        for (capture, tables) in level1(name) {
            let missing: Vec<String> = filled(&tables).difference(&ours).cloned().collect();
            let missing: Vec<&String> =
                missing.iter().filter(|column| !NOT_SIMULATED.contains(&column.as_str())).collect();
            assert!(missing.is_empty(), "{capture}: {missing:?}");
        }
    }
}

#[test]
fn words_are_those_of_a_capture() {
    let ours = simulated(Format::Text);
    for (capture, theirs) in level1("text") {
        for (table, column, new) in [
            (TableId::HostOp, "kind", &["mstx"][..]),
            (TableId::HostOp, "level", &[]),
            (TableId::Task, "task_type", NEW_TASK_TYPES),
            (TableId::Kernel, "core", &["MIX_AIC", "COMMUNICATION"]),
            (TableId::Kernel, "state", &[]),
            (TableId::CommOp, "dtype", &["BFP16"]),
            (TableId::CommTask, "name", &[]),
            (TableId::CommTask, "transport", &[]),
            (TableId::CommTask, "link", &[]),
            (TableId::Overlap, "kind", &[]),
            (TableId::Flow, "kind", &[]),
            (TableId::MemSample, "component", &[]),
            (TableId::Counter, "name", &[]),
        ] {
            let known = texts(&theirs, table, column);
            let strange: Vec<String> = texts(&ours, table, column).difference(&known).cloned().collect();
            let strange: Vec<&String> = strange.iter().filter(|word| !new.contains(&word.as_str())).collect();
            assert!(strange.is_empty(), "{capture} {table:?}.{column}: {strange:?}");
        }
    }
}

#[test]
fn kernels_of_a_type_are_called_what_they_are_in_a_capture() {
    let ours = simulated(Format::Text);
    let named = |tables: &RankTables| -> BTreeSet<(String, String)> {
        let kernels = tables.rows::<npuscope_tables::table::kernel::Row>();
        kernels
            .map(|k| (tables.opt_text(k.op_type).unwrap_or_default().to_owned(), tables.text(k.name).to_owned()))
            .collect()
    };
    for (capture, theirs) in level1("text") {
        let theirs = named(&theirs);
        let mut shared = 0;
        for (op_type, name) in named(&ours).iter().filter(|(op_type, _)| theirs.iter().any(|(t, _)| t == op_type)) {
            let is_communication = op_type.starts_with("hcom_");
            let known = theirs.iter().any(|(t, n)| t == op_type && (n == name || is_communication));
            assert!(known, "{capture}: {op_type} {name}");
            shared += 1;
        }
        assert!(shared >= 4, "{capture}: {shared}");
    }
}

#[test]
fn files_are_those_of_a_capture() {
    for (name, form) in [("text", Format::Text), ("db", Format::Db)] {
        let directory = tempfile::tempdir().unwrap();
        let config = JobConfig { tp: 1, pp: 1, dp: 2, layers: 1, micro_batches: 1, steps: 1, ..JobConfig::default() };
        write_job(&simulate(&config).unwrap(), form, &Output::new(directory.path()).unwrap(), |_| ()).unwrap();
        let files = |path: &std::path::Path| -> BTreeSet<String> {
            let names = entries(&path.join("ASCEND_PROFILER_OUTPUT")).into_iter();
            names.map(|file| file.file_name().unwrap().to_string_lossy().replace("_1.db", "_0.db")).collect()
        };
        let ours = files(&entries(directory.path()).into_iter().find(|path| path.is_dir()).unwrap());
        for (capture, path) in captures(name).into_iter().filter(|(name, _)| name.contains("level1")) {
            let theirs: BTreeSet<String> =
                files(&path).into_iter().filter(|file| !file.ends_with("-wal") && !file.ends_with("-shm")).collect();
            assert_eq!(ours, theirs, "{capture}");
        }
    }
}
