//! The sentences of diagnostics and warnings: what is wrong with a profile or its cache, and what was done about it.

use npuscope_messages::{Message, messages};
use npuscope_tables::Rank;

messages! {
    // Files of a rank.
    "store-same-in-database" => same_in_database(files: Vec<&str>),
    "store-more-in-trace" => more_in_trace(),
    "store-text-instead" => text_instead(),
    "store-unknown-file" => unknown_file(),
    "store-ambiguous-file" => ambiguous_file(ranks: usize),
    "store-raw-only" => raw_only(),
    "store-device-raw" => device_raw(),
    "store-cut-recording" => cut_recording(),
    "store-in-file" => in_file(file: &str, diagnostic: Message),

    // Numbers of ranks.
    "store-no-rank" => no_rank(rank: Rank),
    "store-no-rank-in-trace" => no_rank_in_trace(rank: Rank),
    "store-renumbered" => renumbered(rank: Rank, shown: Rank),

    // Jobs and windows.
    "store-several-jobs" => several_jobs(count: usize, jobs: Vec<&str>, read: &str),
    "store-steps-by-order" => steps_by_order(),

    // Directories.
    "store-symlink-loop" => symlink_loop(),
    "store-no-output" => no_output(),
    "store-too-deep" => too_deep(depth: usize),
    "store-cannot-list" => cannot_list(why: Message),

    // The cache.
    "store-cache-rebuilt" => cache_rebuilt(error: Message),
    "store-extract-not-cached" => extract_not_cached(error: Message),
    "store-rank-not-cached" => rank_not_cached(error: Message, rank: Rank),
}
