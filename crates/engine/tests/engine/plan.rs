//! How queries are run: one rank is one partition, and only what is needed is read.

use std::sync::Arc;

use datafusion::execution::TaskContext;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, collect};
use datafusion_datasource::file_groups::FileGroup;
use datafusion_datasource::file_scan_config::FileScanConfig;
use datafusion_datasource::source::DataSourceExec;
use npuscope_engine::Session;
use npuscope_store::OpenOptions;
use npuscope_tables::table::mem_sample;
use npuscope_tables::{BATCH_ROWS, Ns, RankBuilder, RankTables};

use crate::job::{Job, number, rows};

fn nodes(plan: &Arc<dyn ExecutionPlan>) -> Vec<Arc<dyn ExecutionPlan>> {
    let below = plan.children().into_iter().flat_map(nodes);
    std::iter::once(plan.clone()).chain(below).collect()
}

/// The only leaf of a plan.
fn leaf(plan: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let mut leaves: Vec<_> = nodes(plan).into_iter().filter(|node| node.children().is_empty()).collect();
    assert_eq!(leaves.len(), 1);
    leaves.remove(0)
}

fn file_groups(plan: &Arc<dyn ExecutionPlan>) -> Vec<FileGroup> {
    let leaf = leaf(plan);
    let scan = leaf.downcast_ref::<DataSourceExec>().expect("the leaf is a DataSourceExec");
    let config = scan.data_source().downcast_ref::<FileScanConfig>().expect("it scans files");
    config.file_groups.clone()
}

fn planned_ranks(session: &Session, sql: &str) -> Vec<String> {
    let groups = file_groups(&session.plan(sql).unwrap());
    groups.iter().flat_map(|g| g.files()).map(|file| file.partition_values[0].to_string()).collect()
}

/// Runs a plan and gives what its scan counted.
fn measured(session: &Session, sql: &str, metrics: &[&str]) -> Vec<usize> {
    let plan = session.plan(sql).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(collect(plan.clone(), Arc::new(TaskContext::default()))).unwrap();
    let counted = leaf(&plan).metrics().unwrap();
    metrics.iter().map(|name| counted.sum_by_name(name).map_or(0, |value| value.as_usize())).collect()
}

#[test]
fn a_scan_has_one_file_group_per_rank() {
    for (job, ranks) in [(Job::eight_ranks(), 8), (Job::one_rank(), 1)] {
        let session = job.open();
        let plan = session.plan("SELECT * FROM kernel").unwrap();
        let groups = file_groups(&plan);
        assert_eq!(groups.len(), ranks);
        assert!(groups.iter().all(|group| group.len() == 1));
        assert_eq!(leaf(&plan).output_partitioning().partition_count(), ranks);
    }
}

#[test]
fn every_rank_is_aggregated_on_its_own_first() {
    for (job, ranks) in [(Job::eight_ranks(), 8), (Job::one_rank(), 1)] {
        // One rank alone is shared out among the threads, if there are several.
        let session = Session::open(&job.path(), OpenOptions { threads: ranks.min(2), ..job.options() }).unwrap();
        for sql in ["SELECT count(*) FROM kernel", "SELECT op_type, sum(duration) FROM kernel GROUP BY op_type"] {
            let plan = session.plan(sql).unwrap();
            assert_eq!(file_groups(&plan).len(), ranks);
            let is_above_scan = |node: &&Arc<dyn ExecutionPlan>| node.children()[0].children().is_empty();
            let nodes = nodes(&plan);
            let lowest = nodes.iter().filter(|node| !node.children().is_empty()).find(is_above_scan).unwrap();
            let aggregate = lowest.downcast_ref::<AggregateExec>().expect("the scan is aggregated at once");
            assert_eq!(lowest.output_partitioning().partition_count(), ranks);
            if ranks > 1 {
                assert_eq!(*aggregate.mode(), AggregateMode::Partial);
            }
        }
    }
}

#[test]
fn only_the_columns_asked_for_are_decoded() {
    let job = Job::eight_ranks();
    let session = job.open();
    let sql = "SELECT name, duration / 1000 AS us FROM kernel WHERE core IS NOT NULL";
    let schema = leaf(&session.plan(sql).unwrap()).schema();
    let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    assert!(!names.contains(&"input_shapes") && names.contains(&"name"), "{names:?}");
    assert_eq!(measured(&session, sql, &["segments_read", "columns_read"]), [8, 3 * 8]);
    assert_eq!(measured(&session, "SELECT count(*) FROM kernel", &["segments_read", "columns_read"]), [8, 0]);
    assert_eq!(measured(&session, "SELECT rank FROM kernel", &["columns_read"]), [0]);
}

#[test]
fn filters_on_rank_leave_out_the_other_ranks() {
    let job = Job::eight_ranks();
    let session = job.open();
    let ranks = |filter: &str| planned_ranks(&session, &format!("SELECT sum(duration) FROM kernel WHERE {filter}"));
    assert_eq!(ranks("rank = 3"), ["3"]);
    assert_eq!(ranks("3 = rank AND duration > 5"), ["3"]);
    assert_eq!(ranks("rank IN (0, 7)"), ["0", "7"]);
    assert_eq!(ranks("rank IN (0, 2, 4, 6, 9)"), ["0", "2", "4", "6"]);
    assert_eq!(ranks("rank NOT IN (0, 2, 4, 6)"), ["1", "3", "5", "7"]);
    assert_eq!(ranks("rank <> 0 AND rank < 3"), ["1", "2"]);
    assert_eq!(ranks("rank BETWEEN 5 AND 6"), ["5", "6"]);
    assert_eq!(ranks("rank = 1 OR rank > 6"), ["1", "7"]);
    assert_eq!(ranks("rank = 1 OR duration > 5").len(), 8);
    assert_eq!(ranks("rank % 2 = 1").len(), 8);
}

#[test]
fn filters_on_rank_do_not_change_the_answer() {
    let job = Job::eight_ranks();
    let session = job.open();
    for filter in ["RANK = 3", "RANK IN (0, 7)", "RANK NOT IN (1, 2)", "RANK <> 4", "RANK = 1 OR RANK > 6", "RANK > 5"]
    {
        let counted = |column: &str| {
            let filter = filter.replace("RANK", column);
            rows(&session, &format!("SELECT rank, count(*) FROM task WHERE {filter} GROUP BY rank ORDER BY rank"))
        };
        let pushed = counted("rank");
        assert!(!pushed.is_empty());
        assert_eq!(pushed, counted("(rank + 0 * duration)"), "{filter}");
    }
}

/// One sample every microsecond, in four segments.
fn samples() -> RankTables {
    let mut rank = RankBuilder::default();
    let (kind, component) = (rank.strings.intern("allocator"), rank.strings.intern("PTA"));
    for i in 0..4 * BATCH_ROWS as i64 {
        let time = Ns(i * 1000);
        rank.mem_sample.push(mem_sample::Row { kind, component, time, allocated: Some(i), ..Default::default() });
    }
    rank.finish()
}

#[test]
fn a_time_range_reads_only_the_segments_it_meets() {
    let job = Job::with_tables(&samples());
    let session = job.open();
    let segment = BATCH_ROWS as i64 * 1000;
    for (filter, expected_segments) in [
        (format!("TIME < {segment}"), 1),
        (format!("TIME <= {segment}"), 2),
        (format!("TIME >= {} AND TIME < {}", segment, 3 * segment), 2),
        (format!("TIME BETWEEN {} AND {}", segment + 5, segment + 5000), 1),
        (format!("TIME = {}", 3 * segment), 1),
        (format!("TIME IN (0, {})", 2 * segment), 3),
        (format!("TIME > {}", 4 * segment), 0),
        (format!("TIME < 100000 OR TIME > {}", 4 * segment - 100_000), 4),
        ("TIME <> 0".to_owned(), 4),
    ] {
        let sql = |column: &str| {
            let filter = filter.replace("TIME", column);
            format!("SELECT count(*), sum(allocated), min(allocated), max(allocated) FROM mem_sample WHERE {filter}")
        };
        let counted = measured(&session, &sql("time"), &["segments_read", "segments_pruned"]);
        assert_eq!(counted, [expected_segments, 4 - expected_segments], "{filter}");
        let unpushed = sql("(time + 0 * allocated)");
        assert_eq!(measured(&session, &unpushed, &["segments_read"]), [4], "{filter}");
        assert_eq!(rows(&session, &sql("time")), rows(&session, &unpushed), "{filter}");
    }
}

#[test]
fn a_rank_that_ended_before_a_time_range_is_not_read() {
    let job = Job::eight_ranks();
    let session = job.open();
    let ends = rows(&session, "SELECT max(time) FROM counter GROUP BY rank ORDER BY 1");
    let earliest_end: i64 = ends[0][0].parse().unwrap();
    let later = ends.iter().filter(|end| end[0].parse::<i64>().unwrap() > earliest_end).count();
    assert!(later < 8, "some rank ends first");
    let sql = format!("SELECT count(*) FROM counter WHERE time > {earliest_end}");
    assert_eq!(measured(&session, &sql, &["segments_read", "segments_pruned"]), [later, 8 - later]);
    assert_eq!(
        number(&session, &sql),
        number(&session, &format!("SELECT count(*) FROM counter WHERE time + lane * 0 > {earliest_end}"))
    );
}
