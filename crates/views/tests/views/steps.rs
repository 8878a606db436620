//! A step has the same kernels and operations wherever it is chosen, and whichever form a job was saved in.

use super::*;

/// Kernels that compute.
const COMPUTES: &str = "coalesce(core, '') NOT IN ('HCCL', 'COMMUNICATION')";

/// Kernels whose first call is not in the marker of their step.
const LAUNCHED_ELSEWHERE: &str = "SELECT count(*) FROM kernel k JOIN task t ON t.rank = k.rank AND t.task = k.task \
    JOIN (SELECT rank, connection_id, min(start) AS launch FROM host_op WHERE kind = 'cann' \
          GROUP BY rank, connection_id) h ON h.rank = t.rank AND h.connection_id = t.connection_id \
    JOIN step s ON s.rank = k.rank AND s.id = k.step WHERE h.launch < s.start OR h.launch > s.\"end\"";

/// What a step has: computing kernels, all kernels, communication operations.
type Counts = (i64, [f64; 3]);

/// What each step has by SQL, once every other way was found to say the same.
fn counts(opened: &Opened, name: &str) -> Vec<Counts> {
    let (_, batches) = opened.session.sql("SELECT DISTINCT step FROM step_time WHERE step IS NOT NULL").unwrap();
    let ids = batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec());
    let mut counts: Vec<Counts> = ids.map(|id| (id, counts_of_step(opened, id, name))).collect();
    counts.sort_by_key(|(id, _)| *id);
    counts
}

fn counts_of_step(opened: &Opened, id: i64, name: &str) -> [f64; 3] {
    let sql = |table: &str, condition: &str| {
        opened.number(&format!("SELECT count(*) FROM {table} WHERE step = {id} AND {condition}"))
    };
    let expected = [sql("kernel", COMPUTES), sql("kernel", "true"), sql("comm_op", "true")];
    let scope = || Scope { step: Some(id), ..Scope::default() };
    let page = |view: &str, own: &[(&str, &str)], count: &dyn Fn(&Made) -> f64| {
        opened.ask(view, scope(), own).map_or(0.0, |made| count(&made))
    };
    let rows = |made: &Made| made.batches.iter().map(|batch| batch.num_rows() as f64).sum::<f64>();
    let counted = |made: &Made| sum(made, "count");
    let limit = [("limit", "100000")];
    for (place, found, expected) in [
        ("operators by name", page("operators", &[("group", "name")], &counted), expected[1]),
        ("kernels", page("kernels", &limit, &rows), expected[1]),
        ("collectives", page("collectives", &limit, &rows), expected[2]),
        ("compute_op_sum", cluster_count(opened, id, "compute_op_sum", "ComputeOpAllRankStats"), expected[0]),
        ("hccl_sum", cluster_count(opened, id, "hccl_sum", "HcclAllRankStats"), expected[2]),
    ] {
        assert_eq!(found, expected, "{name}: step {id} by {place}");
    }
    let by_step = opened.ask("operators", Scope::default(), &[("group", "step")]).ok();
    let row = by_step.as_ref().and_then(|made| {
        let of_step = numbers(made, "step").iter().position(|step| *step == Some(id as f64))?;
        numbers(made, "count")[of_step]
    });
    assert_eq!(row.unwrap_or_default(), expected[1], "{name}: step {id} among kernels by step");
    expected
}

/// How many kernels or operations a mode of `cluster` counts in a step.
fn cluster_count(opened: &Opened, id: i64, mode: &str, table: &str) -> f64 {
    let options = Options { step: Some(id), ..Options::default() };
    let job = Job::new(opened.session.store(), None, &options);
    let Ok(answer) = cluster::run(cluster::find(mode).unwrap(), &job) else { return 0.0 };
    let table = answer.tables.iter().find(|known| known.name == table).unwrap();
    let count = table.columns.iter().position(|column| column.name == "Count").unwrap();
    let mut total = 0.0;
    table
        .each_row(|row| {
            match row[count] {
                Cell::Int(count) => total += count as f64,
                ref other => panic!("{other:?}"),
            }
            Ok(())
        })
        .unwrap();
    total
}

/// Kernels and operations that start after the marker of their step has ended.
fn late(opened: &Opened) -> f64 {
    let late = |table: &str| {
        opened.number(&format!(
            "SELECT count(*) FROM {table} t JOIN step s ON s.rank = t.rank AND s.id = t.step WHERE t.start > s.\"end\""
        ))
    };
    late("kernel") + late("comm_op")
}

#[test]
fn a_step_has_the_same_work_in_every_form_and_wherever_it_is_chosen() {
    // The host runs ahead: most work runs after the marker of its step, in the marker of another.
    let torch = JobConfig { tp: 2, pp: 2, dp: 1, layers: 2, steps: 3, reads_loss: false, ..JobConfig::default() };
    let mindspore = JobConfig { framework: Framework::MindSpore, ..torch.clone() };
    let mut all: Vec<(&str, Vec<Counts>)> = Vec::new();
    for (name, config, form) in [
        ("text", &torch, Format::Text),
        ("databases", &torch, Format::Db),
        ("MindSpore text", &mindspore, Format::Text),
        ("MindSpore databases", &mindspore, Format::Db),
        ("Kineto", &torch, Format::Kineto),
    ] {
        let opened = Opened::job(config, form);
        assert!(late(&opened) > 0.0, "{name}: no work runs after the marker of its step");
        assert_eq!(opened.number(LAUNCHED_ELSEWHERE), 0.0, "{name}");
        // What the queue passes on after the marker has ended belongs to the next step, or after the last to none.
        let none = opened.number("SELECT count(*) FROM kernel WHERE step IS NULL");
        assert!(none < 0.01 * opened.number("SELECT count(*) FROM kernel"), "{name}: {none} kernels have no step");
        all.push((name, counts(&opened, name)));
    }
    let (_, first) = &all[0];
    assert_eq!(first.len(), 3);
    assert!(first.iter().all(|(_, counts)| counts.iter().all(|count| *count > 0.0)), "{first:?}");
    // Databases do not list operations among kernels, as text does.
    let in_all_forms = |counts: &[Counts]| -> Vec<(i64, [f64; 2])> {
        counts.iter().map(|(id, [computing, _, operations])| (*id, [*computing, *operations])).collect()
    };
    for (name, counts) in &all {
        assert_eq!(in_all_forms(counts), in_all_forms(first), "{name}");
    }
}

#[test]
fn tasks_belong_to_the_same_step_in_text_and_databases() {
    let tasks = |form| {
        let opened = Opened::job(&small(), form);
        let by_step = "SELECT count(*) FROM task WHERE step = ";
        [10, 11].map(|step| opened.number(&format!("{by_step}{step}")))
    };
    let text = tasks(Format::Text);
    assert!(text.iter().all(|count| *count > 0.0), "{text:?}");
    assert_eq!(text, tasks(Format::Db));
}

#[test]
fn without_markers_the_numbers_of_kernels_divide_the_work() {
    let opened = {
        let directory = tempfile::tempdir().unwrap();
        let output = Output::new(directory.path().join("job")).unwrap();
        write_job(&simulate(&small()).unwrap(), Format::Text, &output, |_| {}).unwrap();
        for rank in npuscope_testing::entries(&directory.path().join("job")) {
            let _ = std::fs::remove_file(rank.join("ASCEND_PROFILER_OUTPUT/trace_view.json"));
        }
        let cache = directory.path().join("cache");
        Opened::at(&directory.path().join("job"), &cache, Some(directory))
    };
    assert_eq!(opened.number("SELECT count(*) FROM step"), 0.0);
    let counts = counts(&opened, "kernel_details.csv alone");
    assert_eq!(counts.len(), 2);
    assert!(counts.iter().all(|(_, [computing, ..])| *computing > 0.0), "{counts:?}");
}

#[test]
fn a_step_of_a_capture_has_the_same_work_wherever_it_is_chosen() {
    let names = ["text/level1", "db/level1", "text/level0", "db/level0"].map(|name| format!("npu/{name}"));
    let gpu = ["alexnet", "nccl_data"].map(|name| format!("gpu/{name}.json.gz"));
    let mut steps = 0;
    for name in names.iter().chain(&gpu) {
        let Some(path) = shared(&format!("data/{name}")) else { return };
        let cache = tempfile::tempdir().unwrap();
        steps += counts(&Opened::at(&path, cache.path(), None), name).len();
    }
    assert!(steps > 0, "no capture has steps");
}
