//! Tables, as Arrow.

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use arrow_ipc::reader::StreamReader;
use serde_json::json;

use crate::served::{Answer, Served};

fn batches(answer: &Answer) -> Vec<RecordBatch> {
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    StreamReader::try_new(answer.body.as_slice(), None).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_view_is_the_same_whoever_asks_and_when() {
    let served = Served::new();
    let ask = |served: &Served| batches(&served.get("/api/tables/operators?ranks=0&group=op_type"));
    let first = ask(&served);
    let counted: i64 = first
        .iter()
        .flat_map(|batch| batch.column_by_name("count").unwrap().as_primitive::<Int64Type>().values().to_vec())
        .sum();
    let (_, sums) = served.session().sql("SELECT count(*) AS n FROM kernel WHERE rank = 0").unwrap();
    assert_eq!(counted, sums[0].column(0).as_primitive::<Int64Type>().value(0));
    assert_eq!(ask(&served), first);
    assert_eq!(ask(&served.again()), first);
}

#[test]
fn what_a_query_gives_is_what_it_asks_for() {
    let served = Served::new();
    let sql = "SELECT name, count(*) AS n FROM kernel GROUP BY name ORDER BY name";
    let found = batches(&served.post("/api/query", &json!({"sql": sql})));
    let (_, expected) = served.session().sql(sql).unwrap();
    let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(rows(&found), rows(&expected));
    assert_eq!(rows(&batches(&served.post("/api/query", &json!({"sql": sql, "limit": 2})))), 2);
    let wrong = served.post("/api/query", &json!({"sql": "SELECT nothing FROM kernel"}));
    assert_eq!(wrong.status, 400);
    assert!(wrong.json()["error"]["text"]["en"].as_str().unwrap().contains("nothing"));
    assert_eq!(served.post("/api/query", &json!({"sql": "DROP TABLE kernel"})).status, 400);
    let schema = served.get("/api/schema").json();
    assert!(schema.as_array().unwrap().iter().any(|table| table["table"] == "kernel"));
}

/// A query that nobody can wait for.
const ENDLESS: &str =
    "SELECT sum(a.value * b.value % 7) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b";

fn wait_for_running(served: &Served, count: usize) {
    let begin = std::time::Instant::now();
    while served.queries.running() != count {
        assert!(begin.elapsed().as_secs() < 60, "{} queries run, not {count}", served.queries.running());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_query_ends_when_its_client_goes_away() {
    let served = Served::with_patience();
    let client = served.begin_post("/api/query", &json!({"sql": ENDLESS}));
    wait_for_running(&served, 1);
    drop(client);
    wait_for_running(&served, 0);
}

#[test]
fn a_few_queries_run_at_a_time_and_none_for_longer_than_it_may() {
    let served = Served::new();
    let clients: Vec<_> = (0..6).map(|_| served.begin_post("/api/query", &json!({"sql": ENDLESS}))).collect();
    wait_for_running(&served, 4);
    let late = served.post("/api/query", &json!({"sql": ENDLESS}));
    assert_eq!(late.status, 400);
    assert!(late.json()["error"]["text"]["en"].as_str().unwrap().contains("timed out after 5 s"), "{}", late.json());
    drop(clients);
    wait_for_running(&served, 0);
}

#[test]
fn a_cut_answer_says_so() {
    let served = Served::new();
    let ask = |sql: &str, limit: Option<usize>| served.post("/api/query", &json!({"sql": sql, "limit": limit}));
    let cut =
        |answer: &Answer| answer.head.lines().find_map(|line| line.strip_prefix("x-npuscope-cut: ").map(str::to_owned));
    assert_eq!(cut(&ask("SELECT * FROM kernel", Some(3))).as_deref(), Some("rows"));
    assert_eq!(cut(&ask("SELECT * FROM kernel LIMIT 3", Some(3))), None);
    let wide = "SELECT repeat('x', 4000) || a.name AS a FROM kernel a, kernel b, kernel c";
    assert_eq!(cut(&ask(wide, None)).as_deref(), Some("bytes"));
}

#[test]
fn deep_queries_do_not_end_the_server() {
    let served = Served::new();
    for terms in [500, 5000, 50_000] {
        let answer = served.post("/api/query", &json!({"sql": format!("SELECT {}", vec!["1"; terms].join("+"))}));
        assert_eq!(answer.status, if terms == 500 { 200 } else { 400 });
    }
}

#[test]
fn the_run_is_reported_with_its_findings() {
    let served = Served::new();
    let profile = served.get("/api/profile").json();
    assert_eq!(profile["ranks"].as_array().unwrap().len(), 2);
    assert_eq!(profile["steps"].as_array().unwrap().len(), 2);
    assert!(served.get("/api/diagnosis").json()["findings"].is_array());
    assert_eq!(served.get("/api/health").json()["ranks"].as_array().unwrap().len(), 2);
}

#[test]
fn many_who_ask_at_once_get_the_same() {
    let served = Served::new();
    let first: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| served.get("/api/profile").body)).collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    assert!(first.iter().all(|answer| *answer == first[0]));
    assert_eq!(served.again().get("/api/profile").body, first[0]);
}

#[test]
fn a_stretch_of_time_has_no_more_than_its_time() {
    let served = Served::new();
    let profile = served.get("/api/profile").json();
    let [begin, end] = [0, 1].map(|at| profile["span"][at].as_i64().unwrap());
    let until = begin + (end - begin) / 20;
    let parts = batches(&served.get(&format!("/api/tables/overall?ranks=0&begin={begin}&end={until}")));
    let shares: f64 = parts
        .iter()
        .flat_map(|batch| {
            let is_communication = batch.column_by_name("category").unwrap().as_string::<i32>();
            let shares = batch.column_by_name("share").unwrap().as_primitive::<arrow::datatypes::Float64Type>();
            let rows = (0..batch.num_rows()).filter(|row| is_communication.value(*row) == "communication");
            rows.map(|row| shares.value(row)).collect::<Vec<_>>()
        })
        .sum();
    assert!(shares < 3.0, "communication takes {shares} of the time");
}
