//! What one rank shows of others.

use npuscope_synth::JobConfig;
use serde_json::Value;

use crate::served::Served;

/// A job whose last rank computes slowly, so that the others wait for it.
fn slow_job() -> Served {
    let fault = "slow-rank@3:2".parse().unwrap();
    Served::of(&JobConfig { tp: 1, pp: 1, dp: 4, layers: 2, steps: 2, faults: vec![fault], ..JobConfig::default() })
}

fn lane_of(timeline: &Value, layer: &str) -> u64 {
    let lanes = timeline["lanes"].as_array().unwrap().iter().filter(|lane| lane["layer"] == layer);
    lanes.max_by_key(|lane| lane["slices"].as_u64()).unwrap()["id"].as_u64().unwrap()
}

#[test]
fn a_collective_is_found_on_all_ranks_and_the_slow_one_is_last() {
    let served = slow_job();
    let hits = served.get("/api/search?text=allreduce&ranks=0").json();
    let hits: Vec<&Value> = hits["hits"].as_array().unwrap().iter().collect();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let is_operation = |hit: &&&Value| {
        let lane = timeline["lanes"].as_array().unwrap().iter().find(|lane| lane["id"] == hit["lane"]).unwrap();
        lane["layer"] == "communication"
    };
    let ask = |slice: &Value| served.get(&format!("/api/collective?rank=0&slice={slice}")).json();
    // Ranks that have just met meet at once.
    let found = hits.iter().filter(is_operation).map(|hit| (*hit, ask(&hit["slice"])));
    let found = found.max_by_key(|(_, found)| found["skew_ns"].as_i64());
    let (hit, found) = found.expect("an allreduce on a communication lane");
    assert_eq!(found["instances"].as_array().unwrap().len(), 4, "{found}");
    assert_eq!(found["last_rank"], 3, "{found}");
    assert!(found["skew_ns"].as_i64().unwrap() > 100_000, "{found}");
    assert!(found["before"].as_array().unwrap().iter().any(|before| before["rank"] == 3));
    let align = served.get(&format!("/api/align?rank=0&slice={}&side=start", hit["slice"])).json();
    let offsets = align["offsets"].as_array().unwrap();
    assert_eq!(offsets.len(), 4);
    let of = |rank: i64| offsets.iter().find(|offset| offset["rank"] == rank).unwrap()["offset_ns"].as_i64().unwrap();
    assert_eq!((of(0), of(3) > 0), (0, true));
}

#[test]
fn a_gap_has_a_cause_and_places_that_show_it() {
    let served = slow_job();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let lane = lane_of(&timeline, "hardware");
    let [start, end] = [0, 1].map(|at| timeline["span"][at].as_i64().unwrap());
    let slices = served.get(&format!("/api/ranks/0/slices?lanes={lane}&begin={start}&end={end}")).json();
    let slices = slices["slices"].as_array().unwrap();
    let extents: Vec<(i64, i64)> =
        slices.iter().map(|slice| (slice["begin"].as_i64().unwrap(), slice["end"].as_i64().unwrap())).collect();
    let mut over = extents[0].1;
    let gaps = extents.iter().map(|(begin, end)| {
        let gap = (begin - over, (over + begin) / 2);
        over = over.max(*end);
        gap
    });
    let (gap, time) = gaps.max().unwrap();
    assert!(gap > 1000);
    let found = served.get(&format!("/api/ranks/0/gap?time={time}&lane={lane}")).json();
    assert_eq!(found["end"].as_i64().unwrap() - found["begin"].as_i64().unwrap(), gap);
    assert_ne!(found["cause"], "unknown", "{found}");
    assert!(!found["places"].as_array().unwrap().is_empty());
    let (begin, _) = extents[0];
    assert_eq!(served.get(&format!("/api/ranks/0/gap?time={begin}&lane={lane}")).status, 400);
    let before = served.get(&format!("/api/ranks/0/gap?time={}&lane={lane}", begin - 1)).json();
    assert_eq!(before["cause"], "start");
}
