//! The messages of the command line.

use npuscope_messages::{Decimal, Message, messages};
use npuscope_tables::Rank;

messages! {
    // Findings.
    "findings-heading" => findings_heading(),
    "findings-more" => findings_more(count: usize),
    "severity-critical" => severity_critical(),
    "severity-warning" => severity_warning(),
    "severity-info" => severity_info(),
    "finding-share" => finding_share(share: Decimal<0>),
    "finding-confidence" => finding_confidence(confidence: Decimal<0>),
    "finding-seen" => finding_seen(rank: Rank, what: Message),
    "finding-seen-in-step" => finding_seen_in_step(rank: Rank, step: i64, what: Message),
    "finding-seen-again" => finding_seen_again(seen: Message, times: usize),
    "finding-try" => finding_try(suggestion: Message),
    "finding-see" => finding_see(command: &str),

    // auto-completion
    "completion-paste" => completion_paste(),

    // diagnose
    "diagnose-headline" => diagnose_headline(ranks: usize, steps: usize, step_ms: Decimal<1>),
    "diagnose-if-fixed" => diagnose_if_fixed(step_ms: Decimal<1>),
    "diagnose-layout" => diagnose_layout(layout: Message),
    "diagnose-one-host" => diagnose_one_host(),
    "diagnose-clocks" => diagnose_clocks(hosts: usize, apart: Decimal<1>, residual: Decimal<1>),
    "diagnose-unaligned" => diagnose_unaligned(hosts: Vec<&str>),
    "diagnose-replay" => diagnose_replay(error: Decimal<2>),
    "diagnose-unmatched" => diagnose_unmatched(operations: usize),
    "diagnose-no-findings" => diagnose_no_findings(),

    // info
    "info-headline" => info_headline(ranks: usize, steps: usize, step_ms: String),
    "info-headline-without-markers" => info_headline_without_markers(ranks: usize, step_ms: String),
    "info-device-per-step" => info_device_per_step(),
    "info-device" => info_device(),
    "info-without-steps" => info_without_steps(ranks: String),
    "info-longest-computing" => info_longest_computing(count: usize),
    "info-longest-steps" => info_longest_steps(count: usize),
    "info-host" => info_host(),
    "info-host-of-ranks" => info_host_of_ranks(ranks: String),
    "info-host-work" => info_host_work(),
    "info-on-rank" => info_on_rank(value: String, rank: Rank),
    "info-no-device" => info_no_device(),
    "info-one-rank" => info_one_rank(),
    "info-no-findings" => info_no_findings(),
}
