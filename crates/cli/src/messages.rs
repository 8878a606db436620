//! The messages of the command line.

pub mod clap;
pub mod errors;
pub mod output;

use std::path::Path;

use npuscope_messages::{Decimal, Message, messages};
use npuscope_tables::Rank;

messages! {
    // Findings.
    "findings-heading" => findings_heading(),
    "findings-more" => findings_more(count: usize),
    "finding-share" => finding_share(share: Decimal<0>),
    "finding-share-of-time" => finding_share_of_time(share: Decimal<0>),
    "finding-confidence" => finding_confidence(confidence: Decimal<0>, why: Message),
    "finding-seen" => finding_seen(rank: Rank, what: Message),
    "finding-seen-in-step" => finding_seen_in_step(rank: Rank, step: i64, what: Message),
    "finding-seen-again" => finding_seen_again(seen: Message, times: usize),
    "finding-try" => finding_try(suggestion: Message),
    "finding-see" => finding_see(command: &str),

    // auto-completion
    "completion-paste" => completion_paste(),

    // diagnose
    "diagnose-headline" => diagnose_headline(ranks: usize, steps: usize, step_ms: String),
    "diagnose-if-fixed" => diagnose_if_fixed(step_ms: String),
    "diagnose-layout" => diagnose_layout(layout: Message),
    "diagnose-one-host" => diagnose_one_host(),
    "diagnose-clocks-of-ranks" => diagnose_clocks_of_ranks(ranks: usize, apart: Decimal<1>, residual: Decimal<1>),
    "diagnose-clocks" => diagnose_clocks(hosts: usize, apart: Decimal<1>, residual: Decimal<1>),
    "diagnose-unaligned" => diagnose_unaligned(first: &str, hosts: Vec<&str>),
    "diagnose-clocks-unaligned" => diagnose_clocks_unaligned(first: &str, others: Vec<&str>),
    "diagnose-replay" => diagnose_replay(error: Decimal<2>),
    "diagnose-unmatched" => diagnose_unmatched(operations: usize),
    "diagnose-no-findings" => diagnose_no_findings(),

    // info
    "info-headline" => info_headline(ranks: usize, steps: usize, step_ms: String),
    "info-headline-without-markers" => info_headline_without_markers(ranks: usize, step_ms: String),
    "info-device-per-step" => info_device_per_step(),
    "info-device" => info_device(),
    "info-without-steps" => info_without_steps(count: usize, ranks: String),
    "info-longest-computing" => info_longest_computing(count: usize),
    "info-longest-steps" => info_longest_steps(count: usize),
    "info-host" => info_host(),
    "info-host-of-ranks" => info_host_of_ranks(count: usize, ranks: String),
    "info-host-work" => info_host_work(),
    "info-on-rank" => info_on_rank(value: String, rank: Rank),
    "info-no-device" => info_no_device(),
    "info-one-rank" => info_one_rank(),
    "info-no-findings" => info_no_findings(),

    // what reading met
    "reading-losses" => reading_losses(losses: u64, path: &Path),
    "reading-infos" => reading_infos(infos: u64, path: &Path),
    "reading-losses-and-infos" => reading_losses_and_infos(losses: u64, infos: u64, path: &Path),
    "reading-strict" => reading_strict(losses: usize, first: Message),

    // convert
    "convert-left-in-trace" => convert_left_in_trace(rank: Rank, left: Message),

    // doctor
    "doctor-headline" => doctor_headline(ranks: usize, path: &str),
    "doctor-files" => doctor_files(),
    "doctor-rows" => doctor_rows(),
    "doctor-missing" => doctor_missing(),
    "doctor-missing-from-file" => doctor_missing_from_file(),
    "doctor-missing-line" => doctor_missing_line(what: Message, whose: Message, purpose: Message, reason: Message),
    "doctor-on-all" => doctor_on_all(),
    "doctor-on-rank" => doctor_on_rank(rank: Rank),
    "doctor-on-ranks" => doctor_on_ranks(ranks: String),
    "doctor-no-reason" => doctor_no_reason(),
    "doctor-why" => doctor_why(why: Message),
    "doctor-was-on" => doctor_was_on(),
    "doctor-torch-npu-dynamic" => doctor_torch_npu_dynamic(),
    "doctor-nothing" => doctor_nothing(),
    "doctor-diagnostics" => doctor_diagnostics(),
    "doctor-no-diagnostics" => doctor_no_diagnostics(),
    "doctor-at-byte" => doctor_at_byte(offset: i64),
    "doctor-steps" => doctor_steps(count: usize, first: i64, last: i64),
    "doctor-window" => doctor_window(seconds: Decimal<3>, start: String),
    "doctor-more-ranks" => doctor_more_ranks(count: usize),
    "doctor-more-diagnostics" => doctor_more_diagnostics(count: usize),

    // cluster
    "cluster-left-out" => cluster_left_out(rank: Rank, why: Message),
    "cluster-left-out-file" => cluster_left_out_file(rank: Rank, file: &str, why: Message),
    "cluster-strict" => cluster_strict(count: usize, first: Message),
    "cluster-more-diagnostics" => cluster_more_diagnostics(count: usize),
    "cluster-more-files" => cluster_more_files(count: usize),
    "cluster-written" => cluster_written(mode: &str, files: usize),
    "cluster-nothing" => cluster_nothing(mode: &str),
    "ranks-left-out" => ranks_left_out(missing: String, ranks: String),
}
