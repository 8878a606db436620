//! The messages of analyses: findings, evidence, suggestions.

pub mod cluster;
pub mod collection;
pub mod usage;

use npuscope_messages::{Decimal, Message, messages};
use npuscope_tables::Rank;

/// The id of [`rank_without_device`].
pub const RANK_WITHOUT_DEVICE: &str = "rank-without-device";

messages! {
    // Claims of findings: ranks, cause and cost.
    "claim" => claim(who: Message, what: Message),
    "claim-with-cost" => claim_with_cost(who: Message, what: Message, cost: Message),
    "claim-no-device" => claim_no_device(),
    "claim-slow-rank" => claim_slow_rank(
        rank: Rank,
        ratio: Decimal<2>,
        others: Message,
        computing: Decimal<1>,
        per: Message,
        median: Decimal<1>,
        waiting: Message,
    ),
    "claim-other-ranks" => claim_other_ranks(),
    "claim-other-ranks-of-stage" => claim_other_ranks_of_stage(),
    "claim-others-wait" => claim_others_wait(),
    "claim-others-not-seen-waiting" => claim_others_not_seen_waiting(),
    "per-step" => per_step(),
    "in-total" => in_total(),
    "of-all-recorded" => of_all_recorded(),
    "who-rank" => who_rank(rank: Rank),
    "who-ranks" => who_ranks(ranks: String),
    "who-link" => who_link(first: Rank, second: Rank),
    "cost" => cost(lost: Decimal<1>, per: Message, when: Message),
    "cost-behind-others" => cost_behind_others(cost: Message, lost: Decimal<1>),
    "when-always" => when_always(),
    "when-in-step" => when_in_step(step: i64),
    "when-in-steps" => when_in_steps(count: usize, first: i64, last: i64),

    // What stands out, by cause.
    "what-compute" => what_compute(ratio: Decimal<2>),
    "what-frequency" => what_frequency(own: Decimal<0>, others: Decimal<0>),
    "what-expert-imbalance" => what_expert_imbalance(),
    "what-aicpu" => what_aicpu(operators: usize),
    "what-stage-imbalance" => what_stage_imbalance(stage: i64, share: Decimal<0>),
    "what-host" => what_host(host: &str, ratio: Decimal<2>),
    "what-host-of-rank" => what_host_of_rank(ratio: Decimal<2>),
    "what-host-time" => what_host_time(own: Decimal<2>, per: Message, others: Decimal<2>),
    "what-gc" => what_gc(own: Decimal<1>, per: Message),
    "what-dataloader" => what_dataloader(own: Decimal<1>, per: Message, others: Decimal<1>),
    "what-synchronisation" => what_synchronisation(own: Decimal<1>, per: Message, others: Decimal<1>),
    "what-memory" => what_memory(own: Decimal<1>, per: Message),
    "what-memory-leak" => what_memory_leak(growth: Decimal<0>),
    "what-link" => what_link(transport: &str, ratio: Decimal<2>, bandwidth: Decimal<1>),
    "what-retransmission" => what_retransmission(transfers: usize, longest: Decimal<0>),
    "what-clock-ahead" => what_clock_ahead(host: &str, offset: Decimal<3>),
    "what-clock-behind" => what_clock_behind(host: &str, offset: Decimal<3>),

    // Evidence at a place of a timeline.
    "seen-kernel" => seen_kernel(name: &str, own: Decimal<3>, others: Decimal<3>),
    "seen-aicpu" => seen_aicpu(name: &str, own: Decimal<3>),
    "seen-host-time" => seen_host_time(own: Decimal<3>, others: Decimal<3>),
    "seen-gc" => seen_gc(own: Decimal<3>),
    "seen-dataloader" => seen_dataloader(own: Decimal<3>),
    "seen-synchronisation" => seen_synchronisation(own: Decimal<3>),
    "seen-allocation" => seen_allocation(own: Decimal<3>),
    "seen-retransmission" => seen_retransmission(size: String, from: Rank, to: Rank, own: Decimal<3>, usual: Decimal<3>),
    "seen-link" => seen_link(size: String, own: Decimal<3>, others: Decimal<3>),

    // What to try, by cause.
    "try-compute" => try_compute(),
    "try-frequency" => try_frequency(),
    "try-expert-imbalance" => try_expert_imbalance(),
    "try-aicpu" => try_aicpu(),
    "try-stage-imbalance" => try_stage_imbalance(),
    "try-host" => try_host(),
    "try-gc" => try_gc(),
    "try-dataloader" => try_dataloader(),
    "try-synchronisation" => try_synchronisation(),
    "try-memory" => try_memory(),
    "try-memory-leak" => try_memory_leak(),
    "try-link" => try_link(),
    "try-retransmission" => try_retransmission(),
    "try-clock" => try_clock(),
    "try-slow-rank" => try_slow_rank(),
    "try-no-device" => try_no_device(),

    // Names of the numbers of findings.
    "number-lost" => number_lost(),
    "number-lost-behind-others" => number_lost_behind_others(),
    "number-step" => number_step(),
    "number-step-if-fixed" => number_step_if_fixed(),
    "number-time" => number_time(),
    "number-time-if-fixed" => number_time_if_fixed(),
    "number-ratio" => number_ratio(),
    "number-frequency" => number_frequency(),
    "number-frequency-of-others" => number_frequency_of_others(),
    "number-aicpu" => number_aicpu(),
    "number-aicpu-of-others" => number_aicpu_of_others(),
    "number-stage" => number_stage(),
    "number-share-of-computing" => number_share_of_computing(),
    "number-per-step" => number_per_step(work: Message, per: Message),
    "work-gc" => work_gc(),
    "work-dataloader" => work_dataloader(),
    "work-host" => work_host(),
    "number-of-others" => number_of_others(),
    "number-waits-per-step" => number_waits_per_step(per: Message),
    "number-growth" => number_growth(),
    "number-bandwidth" => number_bandwidth(),
    "number-transfers" => number_transfers(),
    "number-longest" => number_longest(),
    "number-offset" => number_offset(),
    "number-drift" => number_drift(),
    "number-computing" => number_computing(),
    "number-median" => number_median(),

    // Why a finding is not sure.
    "doubt-no-other-rank" => doubt_no_other_rank(),
    "doubt-few" => doubt_few(),
    "doubt-replay" => doubt_replay(),
    "doubt-layout" => doubt_layout(),

    // The parallel layout.
    "layout-sizes" => layout_sizes(sizes: Vec<String>),
    "layout-ranks" => layout_ranks(ranks: i64),
    "layout-recorded" => layout_recorded(sizes: Message),
    "layout-inferred" => layout_inferred(sizes: Message, confidence: Decimal<0>),
    "layout-unknown" => layout_unknown(),

    // What limits a verdict.
    "rank-without-device" => rank_without_device(rank: Rank),
    "diagnostic-of-rank" => diagnostic_of_rank(rank: Rank, message: Message),
    "diagnostic-of-file" => diagnostic_of_file(rank: Rank, file: &str, message: Message),
}
