//! What each fault costs and what it leaves in the profile.

use npuscope_synth::{Fault, FaultKind, JobConfig, preset, simulate};
use npuscope_tables::RankTables;
use npuscope_tables::table::{comm_task, counter, host_op, kernel, mem_sample};

/// Eight ranks on two hosts, with experts, a pipeline and more than one micro-batch.
fn job() -> JobConfig {
    JobConfig {
        layers: 4,
        micro_batches: 4,
        steps: 2,
        devices_per_host: 4,
        clock_skew_us: 0.0,
        tp: 1,
        pp: 2,
        dp: 4,
        ep: 2,
        ..preset("deepseek-moe").unwrap()
    }
}

/// The cost per step of a fault, and the tables of a rank with it and without it.
fn struck(fault: Fault, rank: usize) -> (f64, RankTables, RankTables) {
    let healthy = job();
    let config = JobConfig { faults: vec![fault], ..healthy.clone() };
    let job = simulate(&config).unwrap();
    (job.truth().faults[0].cost_ms_per_step, job.rank(rank), simulate(&healthy).unwrap().rank(rank))
}

fn kernel_ns(tables: &RankTables, keep: impl Fn(&kernel::Row) -> bool) -> i64 {
    tables.rows::<kernel::Row>().filter(|k| k.task.is_some() && keep(k)).map(|k| k.duration.ns()).sum()
}

fn count(tables: &RankTables, name: &str) -> usize {
    tables.rows::<host_op::Row>().filter(|op| tables.text(op.name) == name).count()
}

/// Whether a piece is of the exchange of tokens among experts, whose groups are named after their channel.
fn is_exchange(tables: &RankTables, piece: &comm_task::Row) -> bool {
    tables.opt_text(piece.group_name).unwrap().contains("_2_1767")
}

/// The longest piece of a name, in ns.
fn longest(tables: &RankTables, name: &str) -> i64 {
    let pieces = tables.rows::<comm_task::Row>().filter(|piece| tables.text(piece.name) == name);
    pieces.map(|piece| piece.duration.ns()).max().unwrap_or_default()
}

/// How much the reserved memory grows, in bytes.
fn growth(tables: &RankTables, of: fn(&mem_sample::Row) -> Option<i64>) -> i64 {
    let curve = tables.rows::<mem_sample::Row>().filter(|s| tables.text(s.component) == "PTA");
    let curve: Vec<i64> = curve.filter_map(|s| of(&s)).collect();
    curve.last().unwrap() - curve.first().unwrap()
}

#[test]
fn a_slow_rank_computes_longer() {
    let (cost, with, without) = struck(Fault::new(FaultKind::SlowRank, 5).strength(2.0), 5);
    let (with, without) = (kernel_ns(&with, |_| true), kernel_ns(&without, |_| true));
    assert!((with as f64 / without as f64 - 2.0).abs() < 0.001);
    let lost = (with - without) as f64 / 2e6;
    assert!(cost > 0.5 * lost && cost <= lost, "{cost} of {lost}");
}

#[test]
fn a_slow_host_leaves_gaps() {
    let (cost, with, without) = struck(Fault::new(FaultKind::SlowHost, 1).strength(40.0), 5);
    let calls = |tables: &RankTables| {
        let ops = tables.rows::<host_op::Row>().filter(|op| tables.text(op.name) == "aten::mm");
        ops.map(|op| op.duration.ns()).sum::<i64>()
    };
    assert!(cost > 1.0, "{cost}");
    assert!(calls(&with) > 30 * calls(&without));
    assert_eq!(kernel_ns(&with, |_| true), kernel_ns(&without, |_| true));
}

#[test]
fn a_slow_link_makes_transfers_longer() {
    let link = Fault { other: Some(5), ..Fault::new(FaultKind::SlowLink, 4) };
    let (cost, with, without) = struck(link.strength(4.0), 4);
    assert!(cost > 0.0, "{cost}");
    // The two exchange the tokens of experts.
    let exchanged = |tables: &RankTables| -> Vec<i64> {
        let pieces =
            tables.rows::<comm_task::Row>().filter(|p| is_exchange(tables, p) && tables.text(p.name) == "Memcpy");
        pieces.filter(|p| p.src_rank != p.dst_rank).map(|piece| piece.duration.ns()).collect()
    };
    let (with, without) = (exchanged(&with), exchanged(&without));
    assert!(!with.is_empty() && with.iter().zip(&without).all(|(with, without)| (with - 4 * without).abs() <= 4));
}

#[test]
fn garbage_collection_is_seen_and_holds_up_the_first_micro_batch() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Gc, 0).strength(20.0), 0);
    // The host is ahead of the device by the time of the others.
    assert!((19.0..=80.0).contains(&cost), "{cost}");
    assert_eq!((count(&with, "GC"), count(&without, "GC")), (2 * 4, 0));
}

#[test]
fn a_late_batch_costs_about_what_it_is_late() {
    let (cost, with, _) = struck(Fault::new(FaultKind::Dataloader, 0).strength(33.0), 0);
    assert!((32.0..=33.0).contains(&cost), "{cost}");
    let loads = with.rows::<host_op::Row>().filter(|op| with.text(op.name).starts_with("enumerate(DataLoader)"));
    assert!(loads.into_iter().all(|op| op.duration.ns() > 33_000_000));
}

#[test]
fn a_lower_frequency_slows_products_and_is_sampled() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Frequency, 3).strength(900.0), 3);
    let products = |tables: &RankTables| kernel_ns(tables, |k| tables.opt_text(k.op_type) == Some("GroupedMatmul"));
    let copies = |tables: &RankTables| kernel_ns(tables, |k| tables.opt_text(k.op_type) == Some("Add"));
    assert!(cost > 1.0 && products(&with) > products(&without) * 3 / 2, "{cost}");
    assert_eq!(copies(&with), copies(&without));
    let samples = with.rows::<counter::Row>().filter(|s| with.text(s.name) == "AI Core Freq");
    assert!(samples.into_iter().all(|sample| sample.value == 900.0));
}

#[test]
fn an_operator_on_the_ai_cpu_is_seen_and_costs_time() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Aicpu, 7).strength(5.0), 7);
    let on_cpu = |tables: &RankTables| kernel_ns(tables, |k| tables.opt_text(k.core) == Some("AI_CPU"));
    assert_eq!((on_cpu(&with), on_cpu(&without)), (2 * 4 * 5_000_000, 0));
    assert!((5.0..=20.1).contains(&cost), "{cost}");
}

#[test]
fn busy_experts_get_more_tokens_and_send_them_back() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Experts, 2).strength(3.0), 2);
    let products = |tables: &RankTables| kernel_ns(tables, |k| tables.opt_text(k.op_type) == Some("GroupedMatmul"));
    assert!(cost > 1.0 && products(&with) > 2 * products(&without), "{cost}");
    let shape = |tables: &RankTables| {
        let kernel =
            tables.rows::<kernel::Row>().find(|k| tables.opt_text(k.op_type) == Some("GroupedMatmul")).unwrap();
        let shapes = tables.opt_text(kernel.input_shapes).unwrap().trim_matches('"').to_owned();
        shapes.split(',').next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(shape(&with), 3 * shape(&without));
    // Dispatch and combine take turns: the one sends as before, the other three times as much.
    let sent = |tables: &RankTables| -> Vec<i64> {
        let pieces = tables.rows::<comm_task::Row>().filter(|p| is_exchange(tables, p));
        let moved = pieces.filter(|p| p.bytes > Some(0) && p.src_rank != p.dst_rank);
        moved.filter_map(|p| p.bytes).take(2).collect()
    };
    let (with, without) = (sent(&with), sent(&without));
    assert_eq!((with[0], with[1]), (without[0], 3 * without[1]));
}

#[test]
fn a_longer_stage_has_more_of_everything() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Stage, 1).strength(1.0), 5);
    let updates = |tables: &RankTables| {
        tables.rows::<kernel::Row>().filter(|k| tables.opt_text(k.op_type) == Some("ApplyAdamWV2")).count()
    };
    assert!(cost > 1.0, "{cost}");
    // Two steps, and of each layer the shared weights and those of experts.
    assert_eq!(updates(&with), updates(&without) + 2 * 2);
}

#[test]
fn what_is_sent_again_is_a_long_transfer_of_that_rank() {
    let fault = Fault::new(FaultKind::Retransmission, 3).strength(700.0);
    let (cost, with, without) = struck(fault, 3);
    assert!((cost - 700.0).abs() < 1.0, "{cost}");
    assert!(longest(&with, "RDMASend") > 700_000_000 && longest(&without, "RDMASend") < 100_000_000);
    // The others of its group wait for it, and send what they send as fast as ever.
    let (_, other, _) = struck(fault, 2);
    assert!(longest(&other, "RDMASend") < 100_000_000);
}

#[test]
fn memory_in_pieces_is_reserved_and_waits_for_the_device() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Fragmentation, 1), 1);
    assert!(cost > 1.0, "{cost}");
    assert!(growth(&with, |s| s.reserved) > growth(&without, |s| s.reserved));
    assert_eq!(count(&with, "empty_tensor"), 2 * 4);
}

#[test]
fn a_leak_and_a_wrong_clock_cost_no_time() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Leak, 1).strength(64.0), 1);
    assert_eq!((cost, growth(&with, |s| s.allocated) - growth(&without, |s| s.allocated)), (0.0, 2 * (64 << 20)));
    let (cost, with, without) = struck(Fault::new(FaultKind::Clock, 1).strength(7.0), 5);
    let start = |tables: &RankTables| tables.rows::<kernel::Row>().next().unwrap().start;
    assert_eq!((cost, start(&with).since(start(&without))), (0.0, 7_000_000));
}

#[test]
fn a_host_that_waits_after_every_layer_leaves_gaps() {
    let (cost, with, without) = struck(Fault::new(FaultKind::Synchronise, 0), 0);
    // Two layers of the stage, in each of four micro-batches of two steps.
    assert_eq!(count(&with, "aten::item"), count(&without, "aten::item") + 2 * 4 * 2);
    assert!(cost > 0.0, "{cost}");
}

#[test]
fn a_fault_strikes_in_its_steps_alone() {
    let fault = Fault { steps: Some((11, 11)), ..Fault::new(FaultKind::SlowRank, 0) };
    let truth = simulate(&JobConfig { faults: vec![fault], ..job() }).unwrap().truth();
    let costs = &truth.faults[0].cost_ms;
    assert!(costs[0] == 0.0 && costs[1] > 1.0, "{costs:?}");
    assert_eq!(truth.faults[0].cost_ms_per_step, costs[1]);
}
