//! What queries answer is what the rows of the ranks add up to.

use std::collections::{BTreeMap, BTreeSet};

use npuscope_engine::{EngineError, Session};
use npuscope_messages::Language;
use npuscope_tables::table::{comm_op, comm_task, counter, host_op, kernel, mem_sample, step, task};
use npuscope_tables::{Rank, RankTables, Table, schema};

use crate::job::{Job, float, number, rows};

fn loaded(session: &Session) -> Vec<(Rank, RankTables)> {
    let ranks = session.store().profile().ranks.iter();
    ranks.map(|source| (source.rank, session.store().load(source).unwrap().tables().unwrap())).collect()
}

fn sum<T: Table>(ranks: &[(Rank, RankTables)], value: impl Fn(&RankTables, T) -> i64) -> i64 {
    ranks.iter().flat_map(|(_, tables)| tables.rows::<T>().map(|row| value(tables, row))).sum()
}

#[test]
fn every_table_has_the_rows_of_its_ranks() {
    let job = Job::eight_ranks();
    let session = job.open();
    let ranks = loaded(&session);
    for spec in schema::all() {
        let expected: usize = ranks.iter().map(|(_, tables)| tables.len(spec.id)).sum();
        let counted = number(&session, &format!("SELECT count(*) FROM {}", spec.name));
        assert_eq!(counted, expected as i64, "{}", spec.name);
    }
}

#[test]
fn sums_are_those_of_the_rows() {
    let job = Job::eight_ranks();
    let session = job.open();
    let ranks = loaded(&session);
    assert_eq!(ranks.len(), 8);

    let durations = sum(&ranks, |_, k: kernel::Row| k.duration.ns());
    assert!(durations > 0);
    assert_eq!(number(&session, "SELECT sum(duration) FROM kernel"), durations);

    let some: Vec<_> = ranks.iter().filter(|(rank, _)| [1, 6].contains(&rank.0)).cloned().collect();
    assert_eq!(
        number(&session, "SELECT sum(duration) FROM comm_op WHERE rank IN (1, 6)"),
        sum(&some, |_, op: comm_op::Row| op.duration.ns())
    );

    let of_aten = sum(&ranks, |tables, op: host_op::Row| i64::from(tables.text(op.name).starts_with("aten::")));
    assert!(of_aten > 0);
    assert_eq!(number(&session, "SELECT count(*) FROM host_op WHERE name LIKE 'aten::%'"), of_aten);

    let steps = sum(&ranks, |_, s: step::Row| s.end.since(s.start));
    assert_eq!(number(&session, r#"SELECT sum("end" - start) FROM step"#), steps);

    assert_eq!(rows(&session, "SELECT sum(rank), count(DISTINCT rank) FROM task"), {
        let tasks: i64 = ranks.iter().map(|(rank, tables)| rank.0 * tables.rows::<task::Row>().count() as i64).sum();
        [[tasks.to_string(), "8".to_owned()]]
    });
}

#[test]
fn extremes_are_those_of_the_rows() {
    let job = Job::eight_ranks();
    let session = job.open();
    let ranks = loaded(&session);
    let starts: Vec<i64> = ranks.iter().flat_map(|(_, t)| t.rows::<task::Row>().map(|row| row.start.0)).collect();
    assert_eq!(
        rows(&session, "SELECT min(start), max(start) FROM task"),
        [[starts.iter().min().unwrap().to_string(), starts.iter().max().unwrap().to_string()]]
    );
    let allocated = ranks.iter().flat_map(|(_, t)| t.rows::<mem_sample::Row>().filter_map(|row| row.allocated)).max();
    assert_eq!(number(&session, "SELECT max(allocated) FROM mem_sample"), allocated.unwrap());
    let values: Vec<f64> = ranks.iter().flat_map(|(_, t)| t.rows::<counter::Row>().map(|row| row.value)).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((float(&session, "SELECT avg(value) FROM counter") / mean - 1.0).abs() < 1e-9);
}

#[test]
fn groups_are_those_of_the_rows() {
    let job = Job::eight_ranks();
    let session = job.open();
    let ranks = loaded(&session);
    let mut types: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for (_, tables) in &ranks {
        for row in tables.rows::<kernel::Row>() {
            let (count, total) = types.entry(tables.opt_text(row.op_type).unwrap().to_owned()).or_default();
            *count += 1;
            *total += row.duration.ns();
        }
    }
    let expected: Vec<Vec<String>> =
        types.into_iter().map(|(name, (count, total))| vec![name, count.to_string(), total.to_string()]).collect();
    assert!(expected.len() > 3);
    assert_eq!(rows(&session, "SELECT op_type, count(*), sum(duration) FROM kernel GROUP BY 1 ORDER BY 1"), expected);

    let names: BTreeSet<String> = ranks
        .iter()
        .flat_map(|(_, tables)| tables.rows::<host_op::Row>().map(|row| tables.text(row.name).to_owned()))
        .collect();
    let expected: Vec<Vec<String>> = names.into_iter().map(|name| vec![name]).collect();
    assert_eq!(rows(&session, "SELECT DISTINCT name FROM host_op ORDER BY name"), expected);
}

#[test]
fn joins_stay_within_their_rank() {
    let job = Job::eight_ranks();
    let session = job.open();
    let ranks = loaded(&session);
    let pieces = sum(&ranks, |tables, piece: comm_task::Row| {
        tables.rows::<comm_op::Row>().filter(|op| Some(op.op) == piece.op).count() as i64
    });
    assert!(pieces > 0);
    let sql = "SELECT count(*) FROM comm_task t JOIN comm_op o ON t.rank = o.rank AND t.op = o.op";
    assert_eq!(number(&session, sql), pieces);
}

#[test]
fn a_limit_ends_a_filtered_scan_early_but_not_too_early() {
    let job = Job::eight_ranks();
    let session = job.open();
    let last = number(&session, "SELECT max(start) FROM kernel WHERE rank = 7");
    let sql = format!("SELECT start FROM kernel WHERE start >= {last} AND rank = 7 LIMIT 1");
    assert_eq!(number(&session, &sql), last);
    assert_eq!(rows(&session, "SELECT name FROM kernel LIMIT 5").len(), 5);
}

#[test]
fn a_rank_that_is_not_there_has_no_rows() {
    let job = Job::eight_ranks();
    let session = job.open();
    assert_eq!(number(&session, "SELECT count(*) FROM kernel WHERE rank = 99"), 0);
    assert!(rows(&session, "SELECT name FROM kernel WHERE rank IN (97, 98, 99) ORDER BY name").is_empty());
}

#[test]
fn names_that_are_not_there_are_distinguished() {
    let job = Job::one_rank();
    let session = job.open();
    let error = |sql: &str| session.sql(sql).unwrap_err();
    let no_table = error("SELECT * FROM kernels");
    assert_eq!(no_table.to_string(), "there is no table kernels; did you mean kernel?");
    assert!(matches!(no_table, EngineError::NoTable { name, .. } if name == "kernels"));
    let no_column = error("SELECT durations FROM kernel");
    assert_eq!(no_column.to_string(), "there is no column durations in kernel; did you mean duration?");
    assert!(matches!(no_column, EngineError::NoColumn { tables, .. } if tables == ["kernel"]));
    assert_eq!(error("SELECT weather FROM step").to_string(), "there is no column weather in step");
    assert!(matches!(error("SELEC 1"), EngineError::Query(_)));
}

#[test]
fn what_users_get_wrong_often_has_a_sentence_in_both_languages() {
    let job = Job::one_rank();
    let session = job.open();
    for (sql, english, chinese) in [
        (
            "SELEC 1",
            "syntax error at line 1, column 1: expected an SQL statement, found SELEC",
            "第 1 行第 1 列语法错误：应为 SQL 语句，实际为 SELEC",
        ),
        (
            "SELECT name FROM",
            "syntax error: expected a name, found the end of the query",
            "语法错误：应为名称，实际为查询末尾",
        ),
        (
            "SELECT 'x FROM kernel",
            "syntax error at line 1, column 8: the string that begins there has no closing quote",
            "第 1 行第 8 列语法错误：此处开始的字符串缺少结束引号",
        ),
        ("", "the query is empty", "查询为空"),
        (
            "SELECT 1; SELECT 2",
            "a query is one statement; run several statements one at a time",
            "一次只能执行一条语句；多条语句请逐条执行",
        ),
        (
            "SELECT wait_rato(1, 2)",
            "there is no function wait_rato; did you mean wait_ratio?",
            "没有函数 wait_rato；是否指 wait_ratio？",
        ),
        ("SELECT weather(1)", "there is no function weather", "没有函数 weather"),
        (
            "SELECT bandwidth('x')",
            "no function matches bandwidth(Text); check the number and the types of its arguments",
            "没有与 bandwidth(Text) 匹配的函数；请检查参数的个数和类型",
        ),
        (
            "SELECT name, sum(duration) FROM kernel",
            "column kernel.name is neither in GROUP BY nor in an aggregate function such as sum() or max()",
            "列 kernel.name 既不在 GROUP BY 中，也不在 sum()、max() 等聚合函数中",
        ),
        (
            "SELECT name FROM kernel a JOIN kernel b ON a.start = b.start",
            "column name is in more than one of the tables; write TABLE.name",
            "多个表都有列 name；请写成 TABLE.name",
        ),
        (
            "SELECT duration / 0 FROM kernel",
            "division by zero; NULLIF(…, 0) as the divisor makes the result null",
            "除数为零；将除数写成 NULLIF(…, 0)，结果即为空值",
        ),
        (
            "SELECT name + TRUE FROM kernel",
            "the types of Text + Boolean do not match; convert one side with CAST(… AS …)",
            "Text + Boolean 两侧的类型不匹配；请用 CAST(… AS …) 转换其中一侧",
        ),
        (
            "DROP TABLE kernel",
            "a query can only read; DROP TABLE is not allowed",
            "查询只能读取数据，不支持 DROP TABLE",
        ),
        ("SELECT * FROM kernels", "there is no table kernels; did you mean kernel?", "没有表 kernels；是否指 kernel？"),
        (
            "SELECT durations FROM kernel",
            "there is no column durations in kernel; did you mean duration?",
            "kernel 中没有列 durations；是否指 duration？",
        ),
    ] {
        let error = session.sql(sql).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), english, "{sql}");
        assert_eq!(error.message().text(Language::Chinese), chinese, "{sql}");
    }
}

#[test]
fn a_query_can_only_read() {
    let job = Job::one_rank();
    let session = job.open();
    let file = job.path().join("copied.csv");
    for sql in [
        "DROP TABLE kernel",
        "CREATE TABLE mine AS SELECT 1",
        "INSERT INTO step SELECT * FROM step",
        "SET datafusion.execution.batch_size = 1",
        &format!("COPY (SELECT 1) TO '{}'", file.display()),
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
    ] {
        let error = session.sql(sql).unwrap_err();
        assert!(matches!(error, EngineError::Query(_)), "{sql}: {error:?}");
    }
    assert!(!file.exists());
    assert!(number(&session, "SELECT count(*) FROM kernel") > 0);
}

#[test]
fn step_times_are_those_that_measures_computes() {
    let job = Job::eight_ranks();
    let session = job.open();
    let mut parts = [0; 4];
    for (_, tables) in loaded(&session) {
        for step in npuscope_measures::step::steps(&tables) {
            let device = step.device.unwrap();
            let of_step = [step.time(), device.computing, device.exposed, device.free];
            parts.iter_mut().zip(of_step).for_each(|(sum, part)| *sum += part);
        }
    }
    assert!(parts.iter().all(|part| *part > 0));
    let sums = ["step_time", "computing", "exposed_communication", "free"];
    let asked = sums.map(|column| number(&session, &format!("SELECT sum({column}) FROM step_time")));
    assert_eq!(asked, parts);
    let rest = "SELECT count(*) FROM step_time WHERE computing + exposed_communication + free <> device_time";
    assert_eq!(number(&session, rest), 0);
}

#[test]
fn measures_can_be_called_from_a_query() {
    let job = Job::eight_ranks();
    let session = job.open();
    let asked = rows(
        &session,
        "SELECT comm_kind('hcom_allReduce__586_0_1'), is_point_to_point('hcom_send__1_0_1'), \
         is_communication_core('HCCL'), element_bytes('BFP16'), element_bytes('weather'), wait_ratio(3, 1), \
         wait_ratio(0, 0), synchronization_ratio(1, 3), bandwidth(10, 4), bandwidth(NULL, 4)",
    );
    assert_eq!(asked, [["allreduce", "true", "true", "2", "", "0.75", "", "0.25", "2.5", ""]]);
    let transfers = loaded(&session);
    let transfers = sum(&transfers, |tables, op: comm_op::Row| {
        i64::from(npuscope_measures::communication::is_point_to_point(tables.text(op.name)))
    });
    assert!(transfers > 0);
    assert_eq!(number(&session, "SELECT count(*) FROM comm_op WHERE is_point_to_point(name)"), transfers);
}
