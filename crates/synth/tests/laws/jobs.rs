//! Random jobs, small enough to be simulated by the dozen.

use npuscope_synth::{Chip, Fault, FaultKind, JobConfig, Level, Place, Recompute, Workload, simulate};
use proptest::prelude::*;

/// A job on a random layout, with up to three faults.
pub fn any_job() -> impl Strategy<Value = JobConfig> {
    (sizes(), options(), prop::collection::vec(any_fault(), 0..4)).prop_map(|(sizes, options, faults)| {
        let mut config = sized(sizes, options);
        config.faults = faults.into_iter().filter_map(|fault| placed(fault, &config)).collect();
        config.check().expect("a job that can be run");
        config
    })
}

#[derive(Clone, Debug)]
struct Sizes {
    tp: usize,
    pp: usize,
    dp: usize,
    cp: usize,
    ep: usize,
    pieces: usize,
    rounds: usize,
    is_sparse: bool,
}

#[derive(Clone, Debug)]
struct Options {
    recompute: Recompute,
    sequence_parallel: bool,
    distributed_optimizer: bool,
    checkpoint_every: usize,
    workload: Workload,
    steps: usize,
    devices_per_host: usize,
    noise: f64,
    seed: u64,
}

fn sizes() -> impl Strategy<Value = Sizes> {
    let sizes = (1usize..=2, 1usize..=3, 1usize..=3, 1usize..=2, 1usize..=2, 1usize..=2, 1usize..=2, any::<bool>());
    sizes.prop_map(|(tp, pp, dp, cp, ep, pieces, rounds, is_sparse)| Sizes {
        ep: if is_sparse && (dp * cp).is_multiple_of(ep) { ep } else { 1 },
        pieces: if pp == 1 { 1 } else { pieces },
        tp,
        pp,
        dp,
        cp,
        rounds,
        is_sparse,
    })
}

fn options() -> impl Strategy<Value = Options> {
    let recompute = prop::sample::select(vec![Recompute::None, Recompute::Selective, Recompute::Full]);
    let workload = prop::sample::select(vec![Workload::Training, Workload::Training, Workload::ReinforcementLearning]);
    let flags = (any::<bool>(), any::<bool>());
    let noise = prop::sample::select(vec![0.0, 0.02, 0.2]);
    (recompute, workload, flags, 0usize..=2, 1usize..=3, 1usize..=8, noise, any::<u64>()).prop_map(
        |(recompute, workload, flags, checkpoint_every, steps, devices_per_host, noise, seed)| Options {
            recompute,
            workload,
            sequence_parallel: flags.0,
            distributed_optimizer: flags.1,
            checkpoint_every,
            steps,
            devices_per_host,
            noise,
            seed,
        },
    )
}

fn sized(sizes: Sizes, options: Options) -> JobConfig {
    let Sizes { tp, pp, dp, cp, ep, pieces, rounds, is_sparse } = sizes;
    JobConfig {
        tp,
        pp,
        dp,
        cp,
        ep,
        virtual_stages: pieces,
        layers: pp * pieces,
        micro_batches: rounds * pp,
        hidden: 512,
        ffn: 1024,
        heads: 8,
        kv_heads: 8,
        sequence: 512,
        vocabulary: 1000,
        experts: if is_sparse { 4 } else { 0 },
        expert_ffn: if is_sparse { 256 } else { 0 },
        recompute: options.recompute,
        sequence_parallel: options.sequence_parallel,
        distributed_optimizer: options.distributed_optimizer,
        checkpoint_every: options.checkpoint_every,
        workload: options.workload,
        steps: options.steps,
        devices_per_host: options.devices_per_host,
        noise: options.noise,
        seed: options.seed,
        ..JobConfig::default()
    }
}

/// A fault at a place that is still to be found: kind, place, other end, strength and steps.
type AnyFault = (FaultKind, usize, usize, f64, Option<(i64, i64)>);

fn any_fault() -> impl Strategy<Value = AnyFault> {
    let steps = prop::option::of((10i64..13, 0i64..2).prop_map(|(first, more)| (first, first + more)));
    (prop::sample::select(FaultKind::ALL.to_vec()), any::<usize>(), any::<usize>(), 0.0f64..1.0, steps)
}

/// The fault at a place that the job has; `None` if it has none.
fn placed((kind, place, other, strength, steps): AnyFault, config: &JobConfig) -> Option<Fault> {
    let count = match kind.place() {
        Place::Rank | Place::Link => config.ranks(),
        Place::Host => config.hosts(),
        Place::Stage => config.pp,
    };
    let strength = match kind {
        FaultKind::Frequency => 500.0 + 1000.0 * strength,
        FaultKind::Clock => 20.0 * strength - 10.0,
        _ => 1.0 + (4.0 * strength).round(),
    };
    let place = place % count;
    let other = (kind.place() == Place::Link).then(|| (place + 1 + other % count.max(2)) % count);
    let steps = steps.filter(|_| kind != FaultKind::Clock);
    let fault = Fault { kind, place, other, strength, steps };
    let config = JobConfig { faults: vec![fault], ..config.clone() };
    // Whether there is a transfer to be sent again is known only when the job is laid out.
    let is_possible = config.check().is_ok() && (kind != FaultKind::Retransmission || simulate(&config).is_ok());
    is_possible.then_some(fault)
}

/// A pipeline whose stages all do the same, on a chip without delays.
pub fn balanced_pipeline() -> impl Strategy<Value = JobConfig> {
    (2usize..=4, 1usize..=3, 1usize..=3).prop_map(|(pp, pieces, rounds)| JobConfig {
        tp: 1,
        pp,
        dp: 1,
        virtual_stages: pieces,
        layers: pp * pieces * 2,
        micro_batches: rounds * pp,
        hidden: 1024,
        ffn: 4096,
        heads: 8,
        kv_heads: 8,
        sequence: 1024,
        // As good as no embedding and no head, which the first and the last stage have beside their layers.
        vocabulary: 1,
        steps: 1,
        noise: 0.0,
        level: Level::Level1,
        chip: Chip::ideal(),
        ..JobConfig::default()
    })
}
