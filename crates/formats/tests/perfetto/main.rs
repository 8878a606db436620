//! A Perfetto trace has every slice, sample and arrow of the tables, and nothing that an importer would drop.

mod reader;

use std::collections::{BTreeMap, HashMap, HashSet};

use npuscope_formats::perfetto::packing::SubTracks;
use npuscope_formats::perfetto::{Summary, Writer};
use npuscope_formats::trace_json::layers::{cann_prefix, overlap_name};
use npuscope_measures::intervals::Interval;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::{JobConfig, simulate};
use npuscope_tables::Framework;
use npuscope_tables::table::{comm_op, comm_task, counter, flow, host_op, lane, overlap, step, task};
use npuscope_tables::{LaneId, Ns, Rank, RankBuilder, RankTables, Span};
use npuscope_testing::captures;
use proptest::prelude::*;

use reader::{Place, ReadSlice, Trace, read};

/// What a slice has to be in the trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Expected {
    place: Place,
    category: &'static str,
    name: String,
    begin: i64,
    end: i64,
}

fn write(ranks: &[(Rank, &RankTables)], window: Option<Interval>) -> (Trace, Vec<Summary>) {
    let mut writer = Writer::new(Vec::new());
    let summaries = ranks.iter().map(|(rank, tables)| writer.rank(*rank, tables, window).unwrap()).collect();
    (read(&writer.finish().unwrap()), summaries)
}

/// Where the lane of a number is shown.
fn places(rank: Rank, tables: &RankTables) -> HashMap<LaneId, Place> {
    let text = |text, id: i64, what: &str| match tables.opt_text(text) {
        Some(text) => text.to_owned(),
        None => format!("{what} {id}"),
    };
    let places = tables.rows::<lane::Row>().map(|row| {
        let process = format!("rank {rank} · {}", text(row.process, row.pid, "Process"));
        (row.lane, Place { process, thread: Some((row.tid, text(row.thread, row.tid, "Thread"))) })
    });
    places.collect()
}

/// The slices of the tables, computed row by row.
fn expected_slices(rank: Rank, tables: &RankTables) -> Vec<Expected> {
    let places = places(rank, tables);
    let nowhere = Place { process: format!("rank {rank} · Other"), thread: Some((0, "without a lane".to_owned())) };
    let mut all = Vec::new();
    let mut add = |category, lane: Option<LaneId>, name: String, start: Ns, duration: Span| {
        let place = lane.and_then(|lane| places.get(&lane)).unwrap_or(&nowhere).clone();
        let begin = start.0.max(0);
        let end = start.0.saturating_add(duration.ns()).max(begin);
        all.push(Expected { place, category, name, begin, end });
    };
    let text = |id| tables.text(id).to_owned();
    let mut host_spans = HashSet::new();
    for row in tables.rows::<host_op::Row>() {
        let name = tables
            .opt_text(row.level)
            .map_or(text(row.name), |level| format!("{}@{}", cann_prefix(level), text(row.name)));
        host_spans.insert((row.start.0, row.start.0.saturating_add(row.duration.ns())));
        add("host_op", Some(row.lane), name, row.start, row.duration);
    }
    for row in tables.rows::<task::Row>() {
        add("task", Some(row.lane), text(row.name), row.start, row.duration);
    }
    for row in tables.rows::<comm_op::Row>() {
        add("comm_op", Some(row.lane), text(row.name), row.start, row.duration);
    }
    for row in tables.rows::<comm_task::Row>() {
        add("comm_task", row.lane, text(row.name), row.start, row.duration);
    }
    for row in tables.rows::<overlap::Row>() {
        let name =
            overlap::Kind::from_name(tables.text(row.kind)).map_or(tables.text(row.kind), |kind| overlap_name(kind));
        add("overlap", Some(row.lane), name.to_owned(), row.start, row.duration);
    }
    let place = Place { process: format!("rank {rank} · Steps"), thread: Some((0, "Steps".to_owned())) };
    for row in tables.rows::<step::Row>().filter(|row| !host_spans.contains(&(row.start.0, row.end.0))) {
        let name = row.id.map_or("Step".to_owned(), |id| format!("Step {id}"));
        all.push(Expected { place: place.clone(), category: "step", name, begin: row.start.0, end: row.end.0 });
    }
    all.sort();
    all
}

fn found_slices(trace: &Trace) -> Vec<Expected> {
    let categories = ["host_op", "task", "comm_op", "comm_task", "overlap", "step"];
    let mut found: Vec<Expected> = trace
        .slices
        .iter()
        .map(|slice| Expected {
            place: slice.place.clone(),
            category: categories.iter().find(|category| **category == slice.category).unwrap(),
            name: slice.name.clone(),
            begin: slice.begin,
            end: slice.end,
        })
        .collect();
    found.sort();
    found
}

type SampleKey = (String, String, Option<String>, i64, u64);

fn expected_samples(rank: Rank, tables: &RankTables) -> Vec<SampleKey> {
    let places = places(rank, tables);
    let mut samples: Vec<SampleKey> = tables
        .rows::<counter::Row>()
        .map(|row| {
            let series = Some(tables.text(row.series)).filter(|s| !s.is_empty()).map(|s| format!(" · {s}"));
            let instance = row.instance.map(|i| format!(" #{i}"));
            let name =
                format!("{}{}{}", tables.text(row.name), series.unwrap_or_default(), instance.unwrap_or_default());
            let unit = tables.opt_text(row.unit).map(str::to_owned);
            (places[&row.lane].process.clone(), name, unit, row.time.0, row.value.to_bits())
        })
        .collect();
    samples.sort();
    samples
}

fn found_samples(trace: &Trace) -> Vec<SampleKey> {
    let samples = trace.samples.iter().cloned();
    let mut samples: Vec<SampleKey> =
        samples.map(|s| (s.process, s.counter, s.unit, s.time, s.value.to_bits())).collect();
    samples.sort();
    samples
}

/// Source and target of every arrow; each has one of both, in order of time.
fn arrows(trace: &Trace) -> Vec<(&ReadSlice, &ReadSlice)> {
    let mut ends: BTreeMap<u64, (Vec<&ReadSlice>, Vec<&ReadSlice>)> = BTreeMap::new();
    for slice in &trace.slices {
        slice.flows.iter().for_each(|&flow| ends.entry(flow).or_default().0.push(slice));
        slice.ending_flows.iter().for_each(|&flow| ends.entry(flow).or_default().1.push(slice));
    }
    let arrows = ends.into_iter().map(|(flow, (sources, targets))| {
        assert_eq!((sources.len(), targets.len()), (1, 1), "flow {flow}");
        assert!(sources[0].begin <= targets[0].begin, "flow {flow} goes back in time");
        (sources[0], targets[0])
    });
    arrows.collect()
}

/// Arrows of the tables with a slice at both ends, found by trying all slices.
fn joined_flows(rank: Rank, tables: &RankTables) -> u64 {
    let places = places(rank, tables);
    let mut of_place: HashMap<Place, Vec<(i64, i64)>> = HashMap::new();
    for slice in expected_slices(rank, tables) {
        of_place.entry(slice.place).or_default().push((slice.begin, slice.end));
    }
    let has_slice = |lane: Option<LaneId>, time: Option<Ns>| {
        let of_lane = lane.and_then(|lane| of_place.get(places.get(&lane)?)).into_iter().flatten();
        time.is_some_and(|Ns(t)| of_lane.clone().any(|&(begin, end)| begin == t || begin <= t && t < end))
    };
    let flows = tables.rows::<flow::Row>();
    flows.filter(|f| has_slice(f.src_lane, f.src_time) && has_slice(f.dst_lane, f.dst_time)).count() as u64
}

fn assert_complete(rank: Rank, tables: &RankTables, what: &str) {
    let (trace, summaries) = write(&[(rank, tables)], None);
    let (expected, found) = (expected_slices(rank, tables), found_slices(&trace));
    assert!(!expected.is_empty(), "{what}");
    for (a, b) in expected.iter().zip(&found) {
        assert_eq!(a, b, "{what}");
    }
    assert_eq!(expected.len(), found.len(), "{what}");
    assert!(expected_samples(rank, tables) == found_samples(&trace), "{what}: samples differ");
    let joined = joined_flows(rank, tables);
    let is_half = |row: &flow::Row| row.src_lane.zip(row.src_time).zip(row.dst_lane.zip(row.dst_time)).is_none();
    let halves = tables.rows::<flow::Row>().filter(is_half).count() as u64;
    let summary = Summary {
        slices: expected.len() as u64,
        samples: trace.samples.len() as u64,
        flows: joined,
        loose_flows: tables.rows::<flow::Row>().count() as u64 - halves - joined,
        half_flows: halves,
    };
    assert_eq!(summaries, [summary], "{what}");
    assert_eq!(arrows(&trace).len() as u64, joined, "{what}");
}

fn small_job(framework: Framework) -> npuscope_synth::Job {
    let config =
        JobConfig { framework, pp: 2, tp: 1, dp: 1, layers: 2, micro_batches: 2, steps: 2, ..Default::default() };
    simulate(&config).unwrap()
}

#[test]
fn a_simulated_rank_is_all_there() {
    for framework in [Framework::TorchNpu, Framework::MindSpore] {
        let job = small_job(framework);
        for rank in 0..2 {
            assert_complete(Rank(rank as i64), &job.rank(rank), framework.name());
        }
    }
}

#[test]
fn a_real_rank_is_all_there() {
    for form in ["text", "db"] {
        for (name, source) in captures(form) {
            let profile = discover(&source).unwrap();
            let tables = read_rank(&profile.ranks[0], ReadOptions::default());
            assert_complete(profile.ranks[0].rank, &tables, &format!("{form} {name}"));
        }
    }
}

#[test]
fn arrows_join_the_slices_that_the_rows_point_at() {
    let tables = small_job(Framework::TorchNpu).rank(0);
    let places = places(Rank(0), &tables);
    let end = |lane: Option<LaneId>, time: Option<Ns>| (places[&lane.unwrap()].clone(), time.unwrap().0);
    let mut expected: Vec<_> =
        tables.rows::<flow::Row>().map(|f| (end(f.src_lane, f.src_time), end(f.dst_lane, f.dst_time))).collect();
    let (trace, _) = write(&[(Rank(0), &tables)], None);
    let at = |slice: &ReadSlice| (slice.place.clone(), slice.begin);
    let mut found: Vec<_> = arrows(&trace).iter().map(|(source, target)| (at(source), at(target))).collect();
    expected.sort();
    found.sort();
    assert!(!expected.is_empty() && expected == found);
}

#[test]
fn columns_and_kernels_are_annotations() {
    let tables = small_job(Framework::TorchNpu).rank(0);
    let (trace, _) = write(&[(Rank(0), &tables)], None);
    let op = tables.rows::<host_op::Row>().find(|op| op.shapes.is_some()).unwrap();
    let shown = trace.slices.iter().find(|s| s.begin == op.start.0 && s.name == tables.text(op.name)).unwrap();
    assert_eq!(shown.annotations["shapes"], tables.text(op.shapes.unwrap()));
    let kernel = trace.slices.iter().find(|s| s.category == "task" && s.annotations.contains_key("op_type")).unwrap();
    for key in ["task", "stream", "task_id", "connection_id", "input_shapes", "input_dtypes"] {
        assert!(kernel.annotations.contains_key(key), "{key}: {:?}", kernel.annotations);
    }
    let piece = trace.slices.iter().find(|s| s.category == "comm_task" && s.name == "Memcpy").unwrap();
    for key in ["bytes", "bandwidth", "link", "src_rank", "dst_rank"] {
        assert!(piece.annotations.contains_key(key), "{key}: {:?}", piece.annotations);
    }
}

#[test]
fn arguments_are_shown_whatever_they_are() {
    let mut rank = rank_with(&[]);
    for (number, args) in [r#"{"id": 18446744073709551615, "less": -1}"#, "{\"cut\": ", "[1]"].iter().enumerate() {
        let (name, args) = (rank.strings.intern(&number.to_string()), Some(rank.strings.intern(args)));
        rank.host_op.push(host_op::Row { name, args, ..Default::default() });
    }
    let (trace, _) = write(&[(Rank(0), &rank.finish())], None);
    let shown = |name: &str, key: &str| {
        let slice = trace.slices.iter().find(|slice| slice.name == name).unwrap();
        slice.annotations[key].clone()
    };
    assert_eq!((shown("0", "id"), shown("0", "less")), (u64::MAX.to_string(), "-1".to_owned()));
    assert_eq!((shown("1", "args"), shown("2", "args")), ("{\"cut\": ".to_owned(), "[1]".to_owned()));
}

#[test]
fn ranks_share_a_file_and_no_process() {
    let job = small_job(Framework::TorchNpu);
    let tables = job.rank(0);
    // The same process ids twice, as hosts of their own have them.
    let (trace, _) = write(&[(Rank(0), &tables), (Rank(3), &tables)], None);
    let mut expected = [expected_slices(Rank(0), &tables), expected_slices(Rank(3), &tables)].concat();
    expected.sort();
    assert_eq!(expected, found_slices(&trace));
    let pids: HashSet<u64> = trace.processes.iter().map(|(_, pid)| *pid).collect();
    assert_eq!(pids.len(), trace.processes.len());
    let names: Vec<&str> = trace.processes.iter().map(|(name, _)| name.as_str()).collect();
    let split = names.len() / 2;
    assert!(names[..split].iter().all(|name| name.starts_with("rank 0 · ")), "{names:?}");
    assert!(names[split..].iter().all(|name| name.starts_with("rank 3 · ")), "{names:?}");
    let place = |name: &str| names.iter().position(|n| *n == format!("rank 0 · {name}")).unwrap();
    assert!(place("Python") < place("CANN") && place("CANN") < place("Ascend Hardware"), "{names:?}");
    assert_eq!(arrows(&trace).len() % 2, 0);
}

#[test]
fn a_window_keeps_what_intersects_it_whole() {
    let tables = small_job(Framework::TorchNpu).rank(1);
    let step = tables.rows::<step::Row>().nth(1).unwrap();
    let window = Interval::new(step.start.0, step.end.0);
    let (trace, summaries) = write(&[(Rank(1), &tables)], Some(window));
    let mut expected = expected_slices(Rank(1), &tables);
    let all = expected.len();
    expected.retain(|s| s.begin < window.end && (s.end > window.start || s.begin == s.end && s.begin >= window.start));
    assert_eq!(expected, found_slices(&trace));
    assert!(expected.len() < all && !expected.is_empty());
    let mut samples = expected_samples(Rank(1), &tables);
    samples.retain(|s| (window.start..window.end).contains(&s.3));
    assert_eq!(samples, found_samples(&trace));
    assert_eq!(arrows(&trace).len() as u64, summaries[0].flows);
    assert!(summaries[0].flows > 0 && summaries[0].loose_flows == 0);
}

/// A rank with two lanes, 0 and 1, and host slices on the first.
fn rank_with(slices: &[(i64, i64)]) -> RankBuilder {
    let mut rank = RankBuilder::default();
    let process = Some(rank.strings.intern("Python"));
    for lane in 0..2 {
        rank.lane.push(lane::Row { lane: LaneId(lane), pid: 7, tid: lane.into(), process, ..Default::default() });
    }
    for (number, &(start, duration)) in slices.iter().enumerate() {
        let name = rank.strings.intern(&format!("op {number}"));
        let (start, duration) = (Ns(start), Span::from_ns(duration));
        rank.host_op.push(host_op::Row { start, duration, name, ..Default::default() });
    }
    rank
}

#[test]
fn odd_slices_are_kept() {
    let slices = [(10, 0), (10, 0), (10, 10), (10, 10), (20, 0), (20, 5), (15, 7), (30, -4), (-9, 3), (5, i64::MAX)];
    let mut rank = rank_with(&slices);
    let name = rank.strings.intern("Memcpy");
    rank.comm_task.push(comm_task::Row { name, start: Ns(3), duration: Span::from_ns(4), ..Default::default() });
    rank.task.push(task::Row {
        lane: LaneId(77),
        name,
        start: Ns(3),
        duration: Span::from_ns(4),
        ..Default::default()
    });
    rank.step.push(step::Row { id: Some(4), start: Ns(10), end: Ns(20) });
    rank.step.push(step::Row { id: Some(5), start: Ns(20), end: Ns(29) });
    let tables = rank.finish();
    assert_complete(Rank(0), &tables, "odd slices");
    let (trace, _) = write(&[(Rank(0), &tables)], None);
    let negative = trace.slices.iter().find(|s| s.name == "op 7").unwrap();
    assert_eq!((negative.begin, negative.end, negative.annotations["duration"].as_str()), (30, 30, "-4"));
    let early = trace.slices.iter().find(|s| s.name == "op 8").unwrap();
    assert_eq!((early.begin, early.annotations["start"].as_str()), (0, "-9"));
    assert_eq!(trace.slices.iter().filter(|s| s.category == "step").count(), 1, "the other is op 2 already");
}

#[test]
fn an_arrow_without_a_slice_is_counted_and_one_back_in_time_is_turned() {
    let mut rank = rank_with(&[(10, 10), (30, 10), (30, 5)]);
    let kind = rank.strings.intern("async_npu");
    let mut arrow = |src_time: Option<i64>, dst_lane: u32, dst_time: i64| {
        let (src_time, dst_time) = (src_time.map(Ns), Some(Ns(dst_time)));
        let (src_lane, dst_lane) = (Some(LaneId(0)), Some(LaneId(dst_lane)));
        rank.flow.push(flow::Row { kind, src_lane, src_time, dst_lane, dst_time, ..Default::default() });
    };
    arrow(Some(10), 0, 30);
    arrow(Some(38), 0, 15);
    arrow(Some(20), 0, 30); // ends at 20: nothing is open
    arrow(Some(10), 1, 10); // nothing on that lane
    arrow(None, 0, 30);
    let (trace, summaries) = write(&[(Rank(0), &rank.finish())], None);
    assert_eq!((summaries[0].flows, summaries[0].loose_flows, summaries[0].half_flows), (2, 2, 1));
    let names: Vec<_> = arrows(&trace).iter().map(|(a, b)| (a.name.clone(), b.name.clone())).collect();
    assert_eq!(names, [("op 0".into(), "op 2".into()), ("op 0".into(), "op 1".into())]);
}

#[test]
fn a_rank_without_events_is_no_error() {
    let empty = RankBuilder::default().finish();
    let full = rank_with(&[(1, 2)]).finish();
    let (trace, summaries) = write(&[(Rank(0), &empty), (Rank(1), &full)], None);
    assert_eq!((summaries[0], summaries[1].slices, trace.slices.len()), (Summary::default(), 1, 1));
}

/// The track of each slice, in the order they are placed.
fn pack(slices: &[(i64, i64)]) -> Vec<usize> {
    let mut tracks = SubTracks::default();
    let place = |&(begin, end): &(i64, i64)| {
        while tracks.close_one(begin).is_some() {}
        tracks.open(end)
    };
    slices.iter().map(place).collect()
}

/// Whether one ends inside the other and begins outside.
fn cross(a: (i64, i64), b: (i64, i64)) -> bool {
    let (a, b) = if (a.0, -a.1) <= (b.0, -b.1) { (a, b) } else { (b, a) };
    a.0 < b.0 && b.0 < a.1 && a.1 < b.1
}

/// Few slices, which often do not cross, or many, which do.
fn any_slices() -> impl Strategy<Value = Vec<(i64, i64)>> {
    let slices = |count| prop::collection::vec((0i64..60, 0i64..30), count);
    prop_oneof![slices(0..4), slices(4..60)]
}

#[test]
fn what_nests_or_touches_shares_a_track() {
    let slices = [(20, 10), (0, 10), (10, 10), (0, 30), (10, 0), (12, 4), (20, 0), (0, 10)];
    let (trace, _) = write(&[(Rank(0), &rank_with(&slices).finish())], None);
    let tracks: HashSet<u64> = trace.slices.iter().map(|slice| slice.track).collect();
    assert_eq!((trace.slices.len(), tracks.len()), (8, 1));
}

proptest! {
    #![proptest_config(npuscope_testing::cases(256))]

    #[test]
    fn slices_of_a_track_nest(mut slices in any_slices()) {
        slices.iter_mut().for_each(|slice| slice.1 += slice.0);
        slices.sort_by_key(|&(begin, end)| (begin, -end));
        let tracks = pack(&slices);
        prop_assert_eq!(tracks.len(), slices.len());
        let placed: Vec<_> = slices.iter().copied().zip(tracks.iter().copied()).collect();
        for (index, &(slice, track)) in placed.iter().enumerate() {
            prop_assert!(placed[..index].iter().all(|&(other, its)| its != track || !cross(slice, other)));
        }
        let nothing_crosses = slices.iter().enumerate().all(|(i, &a)| slices[..i].iter().all(|&b| !cross(a, b)));
        prop_assert_eq!(nothing_crosses, tracks.iter().all(|&track| track == 0));
        // No more tracks than slices are open at a time.
        let open_at = |time: i64| slices.iter().filter(|s| s.0 <= time && time < s.1.max(s.0 + 1)).count();
        let most_open = slices.iter().map(|s| open_at(s.0)).max().unwrap_or_default();
        prop_assert!(tracks.iter().all(|&track| track < most_open));
    }

    #[test]
    fn any_slices_are_all_there(slices in prop::collection::vec((-5i64..60, -3i64..30), 1..60)) {
        assert_complete(Rank(0), &rank_with(&slices).finish(), "random slices");
    }
}
