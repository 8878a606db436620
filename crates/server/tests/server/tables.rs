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
    assert!(wrong.json()["error"].as_str().unwrap().contains("nothing"));
    assert_eq!(served.post("/api/query", &json!({"sql": "DROP TABLE kernel"})).status, 400);
    let schema = served.get("/api/schema").json();
    assert!(schema.as_array().unwrap().iter().any(|table| table["table"] == "kernel"));
}

#[test]
fn the_run_is_told_with_its_findings() {
    let served = Served::new();
    let run = served.get("/api/run").json();
    assert_eq!(run["ranks"].as_array().unwrap().len(), 2);
    assert_eq!(run["steps"].as_array().unwrap().len(), 2);
    assert!(served.get("/api/diagnosis").json()["findings"].is_array());
    assert_eq!(served.get("/api/health").json()["ranks"].as_array().unwrap().len(), 2);
}

#[test]
fn many_who_ask_at_once_get_the_same() {
    let served = Served::new();
    let first: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| served.get("/api/run").body)).collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    assert!(first.iter().all(|answer| *answer == first[0]));
    assert_eq!(served.again().get("/api/run").body, first[0]);
}

#[test]
fn a_stretch_of_time_has_no_more_than_its_time() {
    let served = Served::new();
    let run = served.get("/api/run").json();
    let [begin, end] = [0, 1].map(|at| run["span"][at].as_i64().unwrap());
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
