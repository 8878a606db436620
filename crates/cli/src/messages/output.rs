//! The sentences and headings that commands print besides their results.

use std::path::Path;

use npuscope_messages::{Message, messages};
use npuscope_tables::schema::Family;

messages! {
    // Words of every command.
    "label-error" => label_error(),
    "label-warning" => label_warning(),
    "label-note" => label_note(),
    "listed" => listed(items: Vec<&str>),
    "labelled" => labelled(label: &str, text: &str),
    "clauses" => clauses(first: &str, second: &str),

    // Progress; the arguments are the placeholders of the bar.
    "progress-reading" => progress_reading(rank: &str, bar: &str, done: &str, all: &str, left: &str),
    "progress-writing" => progress_writing(bar: &str, done: &str, all: &str, left: &str),

    // view
    "view-stop" => view_stop(),
    "view-open" => view_open(),

    // convert
    "convert-written" => convert_written(ranks: usize, path: &Path),
    "convert-no-text" => convert_no_text(),
    "convert-no-timeline" => convert_no_timeline(),
    "convert-loose-arrows" => convert_loose_arrows(arrows: u64),

    // synth, report
    "synth-written" => synth_written(ranks: usize, path: &Path),
    "report-written" => report_written(size: String, path: &Path),

    // Tables as results.
    "unknown-ending" => unknown_ending(ending: &str),
    "rows-shown" => rows_shown(shown: String, all: String),

    // sql
    "sql-no-rows" => sql_no_rows(table: &str, path: &Path),
    "sql-facts" => sql_facts(),
    "sql-measured" => sql_measured(),
    "sql-reported" => sql_reported(),
    "sql-about" => sql_about(),
    "sql-list-columns" => sql_list_columns(),
    "sql-list-functions" => sql_list_functions(),
    "sql-rank-column" => sql_rank_column(),
    "sql-window-column" => sql_window_column(),
    "head-table" => head_table(),
    "head-one-row" => head_one_row(),
    "head-function" => head_function(),
    "head-result" => head_result(),
    "head-column" => head_column(),
    "head-type" => head_type(),
    "head-unit" => head_unit(),
    "head-meaning" => head_meaning(),

    // show
    "head-view" => head_view(),
    "head-shows" => head_shows(),
    "head-parameters" => head_parameters(),
    "gap-cause" => gap_cause(cause: &str, what: Message),
    "gap-host-busy" => gap_host_busy(),
    "gap-host-sync" => gap_host_sync(),
    "gap-data" => gap_data(),
    "gap-gc" => gap_gc(),
    "gap-queue-empty" => gap_queue_empty(),
    "gap-waiting-for-rank" => gap_waiting_for_rank(),
    "gap-waiting-for-stream" => gap_waiting_for_stream(),
    "gap-start" => gap_start(),
    "gap-end" => gap_end(),
    "gap-unknown" => gap_unknown(),

    // info
    "head-rank" => head_rank(),
    "head-step" => head_step(),
    "head-steps" => head_steps(),
    "head-computing" => head_computing(),
    "head-exposed-communication" => head_exposed_communication(),
    "head-free" => head_free(),
    "head-mean" => head_mean(),
    "head-shortest" => head_shortest(),
    "head-longest" => head_longest(),
    "kind-range" => kind_range(),
    "kind-operator" => kind_operator(),

    // glossary
    "glossary-table" => glossary_table(),
    "glossary-option" => glossary_option(),
    "glossary-tables" => glossary_tables(),
    "glossary-options" => glossary_options(),
    "glossary-formula" => glossary_formula(),
    "glossary-other-names" => glossary_other_names(),
    "glossary-avoid" => glossary_avoid(),
    "glossary-function" => glossary_function(),
    "glossary-one" => glossary_one(),
    "head-term" => head_term(),
    "head-name" => head_name(),

    // doctor
    "doctor-jobs" => doctor_jobs(jobs: Vec<&str>),
    "doctor-windows" => doctor_windows(),
    "doctor-directories" => doctor_directories(count: usize),
    "doctor-more-windows" => doctor_more_windows(count: usize),
    "head-window" => head_window(),
    "head-stage" => head_stage(),
    "head-directories" => head_directories(),
    "head-device" => head_device(),
    "head-host" => head_host(),
    "head-chip" => head_chip(),
    "head-format" => head_format(),
    "head-framework" => head_framework(),
    "head-versions" => head_versions(),
    "head-level" => head_level(),
    "head-step-ids" => head_step_ids(),
    "head-covers" => head_covers(),
    "head-kind" => head_kind(),
    "head-files" => head_files(),
    "head-bytes" => head_bytes(),
    "head-unread-columns" => head_unread_columns(),
    "head-all-ranks" => head_all_ranks(),
    "head-least" => head_least(),
    "head-most" => head_most(),

    // config check
    "config-diagnostic" => config_diagnostic(place: String, severity: String, diagnostic: Message),

    // cluster
    "head-rows" => head_rows(),
}

/// The families of tables in the order in which they are listed, each with its title.
pub fn table_families() -> [(Family, Message); 4] {
    [
        (Family::Fact, sql_facts()),
        (Family::Measured, sql_measured()),
        (Family::Reported, sql_reported()),
        (Family::About, sql_about()),
    ]
}
