//! Slices, counters and arrows.

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use serde_json::{Value, json};

use crate::served::Served;

/// The bars of a tile by lane: begin, end, row, slice, name, count.
fn bars(tile: &[u8]) -> Vec<(u32, Vec<[u32; 6]>)> {
    let u32_at = |at: usize| u32::from_le_bytes(tile[at..at + 4].try_into().unwrap());
    let u16_at = |at: usize| u32::from(u16::from_le_bytes(tile[at..at + 2].try_into().unwrap()));
    let lanes = u32_at(0) as usize;
    let mut at = 4 + 8 * lanes;
    let lanes = (0..lanes).map(|lane| {
        let (id, count) = (u32_at(4 + 8 * lane), u32_at(8 + 8 * lane));
        let bars = (0..count).map(|_| {
            let bar = [u16_at(at), u16_at(at + 2), u16_at(at + 4), u32_at(at + 8), u32_at(at + 12), u32_at(at + 16)];
            at += 20;
            bar
        });
        (id, bars.collect())
    });
    lanes.collect()
}

#[test]
fn every_slice_is_on_the_timeline_at_every_level() {
    let served = Served::new();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let lanes = timeline["lanes"].as_array().unwrap();
    assert!(!lanes.is_empty());
    let [start, end] = [0, 1].map(|at| timeline["span"][at].as_i64().unwrap());
    let list: Vec<String> = lanes.iter().map(|lane| lane["id"].to_string()).collect();
    for level in [20, 26, 40] {
        let length = 256i64 << level;
        let mut counts = std::collections::HashMap::<u32, u64>::new();
        let mut seen = std::collections::HashSet::new();
        for index in start.div_euclid(length)..=end.div_euclid(length) {
            let path = format!("/api/ranks/0/tiles/{level}/{index}?lanes={}", list.join(","));
            let answer = served.get(&path);
            assert_eq!(answer.status, 200);
            assert!(answer.head.to_lowercase().contains("immutable"), "{}", answer.head);
            for (lane, bars) in bars(&answer.body) {
                // A bar that crosses the edge of a tile is in both.
                let new = bars.iter().filter(|bar| seen.insert((lane, bar[3])));
                *counts.entry(lane).or_default() += new.map(|bar| u64::from(bar[5])).sum::<u64>();
            }
        }
        for lane in lanes {
            let id = lane["id"].as_u64().unwrap() as u32;
            assert_eq!(Some(counts[&id]), lane["slices"].as_u64(), "lane {id} at level {level}");
        }
    }
}

#[test]
fn statistics_of_an_area_equal_those_of_sql() {
    let served = Served::new();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let processes = timeline["processes"].as_array().unwrap();
    let is_hardware = |lane: &&Value| {
        let process = &processes[lane["process"].as_u64().unwrap() as usize];
        process["name"].as_str().unwrap().contains("Ascend Hardware")
    };
    let lanes: Vec<u64> =
        timeline["lanes"].as_array().unwrap().iter().filter(is_hardware).map(|l| l["id"].as_u64().unwrap()).collect();
    assert!(!lanes.is_empty());
    let [start, end] = [0, 1].map(|at| timeline["span"][at].as_i64().unwrap());
    let (begin, end) = (start + (end - start) / 4, start + (end - start) / 2);
    let body = json!({"ranks": [{"rank": 0, "lanes": lanes}], "begin": begin, "end": end});
    let found = served.post("/api/statistics", &body).json();
    let origin: i64 = served.get("/api/profile").json()["origin"].as_str().unwrap().parse().unwrap();
    let (begin, end) = (begin + origin, end + origin);
    let sql = format!(
        "SELECT name, count(*) AS n, sum(duration) AS total, min(duration) AS least, max(duration) AS most \
         FROM task WHERE rank = 0 AND start >= {begin} AND start < {end} GROUP BY name"
    );
    let (_, batches) = served.session().sql(&sql).unwrap();
    let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), rows);
    let total: i64 = found.iter().map(|row| row["total_ns"].as_i64().unwrap()).sum();
    let (_, sums) = served
        .session()
        .sql(&format!("SELECT sum(duration) AS total FROM task WHERE rank = 0 AND start >= {begin} AND start < {end}"))
        .unwrap();
    let expected = sums[0].column(0).as_primitive::<Int64Type>().value(0);
    assert_eq!(total, expected);
}

#[test]
fn a_slice_says_what_it_is_and_leads_on() {
    let served = Served::new();
    let hits = served.get("/api/search?text=matmul&ranks=1").json();
    assert!(hits["count"].as_u64().unwrap() > 0);
    let hit = &hits["hits"][0];
    assert_eq!(hit["rank"], 1);
    let slice = served.get(&format!("/api/ranks/1/slices/{}", hit["slice"])).json();
    assert_eq!((&slice["name"], &slice["begin"]), (&hit["name"], &hit["begin"]));
    assert!(slice["args"].as_object().is_some_and(|args| !args.is_empty()));
    let device = hits["hits"].as_array().unwrap().iter().find_map(|hit| {
        let slice = served.get(&format!("/api/ranks/1/slices/{}", hit["slice"])).json();
        slice["flows"].as_array().unwrap().first().cloned().map(|flow| (hit["slice"].clone(), flow))
    });
    let (from, flow) = device.expect("some matmul is launched by something");
    let other = served.get(&format!("/api/ranks/1/slices/{}", flow["slice"])).json();
    assert!(other["flows"].as_array().unwrap().iter().any(|back| back["slice"] == from));
}

#[test]
fn counters_have_their_extremes_at_every_level() {
    let served = Served::new();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let counters = timeline["counters"].as_array().unwrap();
    let counter = counters.iter().max_by_key(|counter| counter["samples"].as_u64()).unwrap();
    let [start, end] = [0, 1].map(|at| timeline["span"][at].as_i64().unwrap());
    for level in [14, 20, 40] {
        let length = 256i64 << level;
        let (mut min, mut max) = (f32::MAX, f32::MIN);
        for index in start.div_euclid(length)..=end.div_euclid(length) {
            let tile = served.get(&format!("/api/ranks/0/counters/{level}/{index}?counters={}", counter["id"])).body;
            let real = |at: usize| f32::from_le_bytes(tile[at..at + 4].try_into().unwrap());
            let points = u32::from_le_bytes(tile[8..12].try_into().unwrap()) as usize;
            assert_eq!(tile.len(), 12 + 16 * points);
            assert!(points <= 257);
            for point in (0..points).map(|point| 12 + 16 * point) {
                (min, max) = (min.min(real(point + 4)), max.max(real(point + 8)));
            }
        }
        let reported = |name: &str| counter[name].as_f64().unwrap() as f32;
        assert_eq!((min, max), (reported("min"), reported("max")), "level {level}");
    }
}

#[test]
fn a_search_has_words_and_conditions() {
    let served = Served::new();
    let search =
        |text: &str| served.get(&format!("/api/search?text={}", text.replace(' ', "%20").replace('>', "%3E"))).json();
    let all = search("matmul");
    let by_rank: u64 = all["by_rank"].as_array().unwrap().iter().map(|rank| rank["count"].as_u64().unwrap()).sum();
    assert_eq!(all["count"].as_u64(), Some(by_rank));
    let times: Vec<i64> = all["hits"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|hit| hit["rank"] == 0)
        .map(|hit| hit["begin"].as_i64().unwrap())
        .collect();
    assert!(times.len() > 1 && times.is_sorted());
    let long = search("matmul dur>100us rank:1");
    assert!(long["count"].as_u64() < all["count"].as_u64());
    for hit in long["hits"].as_array().unwrap() {
        assert_eq!(hit["rank"], 1);
        assert!(hit["end"].as_i64().unwrap() - hit["begin"].as_i64().unwrap() >= 100_000);
    }
    let later = served.get("/api/search?text=matmul&ranks=0&from=3").json();
    assert_eq!(later["hits"][0]["slice"], all["hits"][3]["slice"]);
    assert_eq!(served.get("/api/search?text=dur%3Ex").status, 400);
}

#[test]
fn arrows_in_view_end_at_slices() {
    let served = Served::new();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let (begin, end) = (&timeline["span"][0], &timeline["span"][1]);
    let flows = served.get(&format!("/api/ranks/0/flows?begin={begin}&end={end}&limit=50")).json();
    assert!(flows["count"].as_u64().unwrap() > 50);
    let listed = flows["flows"].as_array().unwrap();
    assert!(!listed.is_empty() && listed.len() <= 50);
    for flow in listed {
        assert!(flow["source"]["begin"].as_i64() <= flow["target"]["end"].as_i64(), "{flow}");
    }
    let kind = flows["kinds"][0]["kind"].as_str().unwrap();
    let of_kind = served.get(&format!("/api/ranks/0/flows?begin={begin}&end={end}&kinds={kind}")).json();
    assert_eq!(of_kind["count"], flows["kinds"][0]["count"]);
}

#[test]
fn the_strip_is_what_the_device_did() {
    let served = Served::new();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let [begin, end] = [0, 1].map(|at| timeline["span"][at].as_i64().unwrap());
    let strip = served.get(&format!("/api/ranks/0/overview?buckets=100&begin={begin}&end={end}")).body;
    let shares: Vec<f32> = strip.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(shares.len(), 300);
    assert!(shares.iter().all(|share| (-1e-4..=1.0001).contains(share)));
    let computing: f64 =
        shares.iter().step_by(3).map(|share| f64::from(*share)).sum::<f64>() / 100.0 * (end - begin) as f64;
    let (_, sums) = served
        .session()
        .sql("SELECT sum(duration) AS total FROM overlap WHERE rank = 0 AND kind = 'computing'")
        .unwrap();
    let expected = sums[0].column(0).as_primitive::<Int64Type>().value(0) as f64;
    assert!((computing - expected).abs() < expected * 1e-3, "{computing} {expected}");
}

#[test]
fn a_timeline_is_the_same_when_it_is_opened_again() {
    let served = Served::new();
    let ask = |served: &Served| {
        let timeline = served.get("/api/ranks/1/timeline").body;
        let lanes = (0..40).map(|lane| lane.to_string()).collect::<Vec<_>>().join(",");
        (
            timeline,
            served.get(&format!("/api/ranks/1/tiles/22/0?lanes={lanes}")).body,
            served.get("/api/ranks/1/names").body,
        )
    };
    let first = ask(&served);
    let again = served.again();
    assert_eq!(ask(&again), first);
    assert!(first.1.len() > 1000);
}
