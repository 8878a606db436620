//! The sentences of diagnostics: what is wrong with a file, and what was done about it.

use npuscope_messages::{Message, messages};

messages! {
    // Any file.
    "read-empty" => file_is_empty(),
    "read-utf16" => file_is_utf16(),
    "read-not-utf8" => not_utf8(),
    "read-unreadable" => unreadable(why: Message),
    "read-not-regular" => not_regular(),

    // Traces.
    "read-not-a-trace" => not_a_trace(),
    "read-events-cut" => events_cut(events: u64),
    "read-event-garbage" => event_garbage(),
    "read-event-unknown-phase" => event_unknown_phase(text: String),
    "read-event-no-time" => event_without_time(),
    "read-more-events" => more_events(count: u64),
    "read-too-much-text" => too_much_text(),
    "read-events-not-closed" => events_not_closed(events: u64),
    "read-after-events" => text_after_events(),

    // Traces of PyTorch's profiler.
    "read-gzip-offset" => offset_in_unpacked_text(diagnostic: Message),
    "read-gzip-cut" => gzip_cut(bytes: usize),
    "read-gzip-damaged" => gzip_damaged(bytes: usize),
    "read-gzip-checksum" => gzip_checksum(bytes: usize),
    "read-gzip-garbage" => gzip_garbage(bytes: usize),
    "read-gzip-too-long" => gzip_too_long(limit: usize, bytes: usize),
    "read-gzip-no-memory" => gzip_no_memory(bytes: usize),
    "read-no-base-time" => no_base_time(),
    "read-trace-settings" => trace_settings_incomplete(),
    "read-left-in-trace" => left_in_trace(left: Vec<Message>),
    "read-left-device-ranges" => left_device_ranges(count: u64),
    "read-left-host-events" => left_host_events(count: u64),
    "read-left-counter-samples" => left_counter_samples(count: u64),

    // JSON files.
    "read-entries-cut" => entries_cut(entries: u64),
    "read-entries-garbage" => entries_garbage(entries: u64),
    "read-settings-incomplete" => settings_incomplete(settings: u64),
    "read-settings-garbage" => settings_garbage(error: String, settings: u64),

    // csv files.
    "read-csv-no-header" => csv_no_header(error: String),
    "read-csv-header-cut" => csv_header_cut(),
    "read-csv-row-cut" => csv_row_cut(),
    "read-csv-bad-row" => csv_bad_row(error: String),
    "read-csv-uneven-row" => csv_uneven_row(cells: usize, headers: usize),
    "read-csv-more-uneven-rows" => csv_more_uneven_rows(count: u64),
    "read-csv-wrong-columns" => csv_wrong_columns(kind: &str, columns: Vec<&str>),
    "read-csv-bad-cells" => csv_bad_cells(count: u64, cell: String, column: &str),

    // FRAMEWORK files.
    "read-no-clock" => no_clock(),
    "read-unmatched-marks" => unmatched_marks(count: u64),
    "read-record-cut" => record_cut(bytes: usize, records: u64),
    "read-records-skipped" => records_skipped(count: u64),

    // Databases.
    "read-db-wal" => db_wal_not_read(),
    "read-db-not-sqlite" => db_not_sqlite(),
    "read-db-no-table" => db_no_table(),
    "read-db-damaged" => db_damaged(error: String),
    "read-db-empty" => db_empty(),
    "read-db-bad-cells" => db_bad_cells(count: u64, table: &str),
    "read-db-schema-damaged" => db_schema_damaged(damage: Message),
    "read-db-swapped-columns" => db_swapped_columns(),
    "read-db-dangling-ids" => db_dangling_ids(count: u64),
    "read-db-orphan-rows" => db_orphan_rows(count: usize, table: &str, lacking: &str),
    "read-db-table-damaged" => db_table_damaged(table: &str, damage: Message, rows: u64),
    "read-db-more-damage" => db_more_damage(table: &str, count: u64),
    "read-db-table-unreadable" => db_table_unreadable(table: &str, error: String, rows: u64),
    "read-db-damage-row" => db_damage_row(),
    "read-db-damage-loop" => db_damage_loop(),
    "read-db-damage-missing-page" => db_damage_missing_page(),
    "read-db-damage-foreign-page" => db_damage_foreign_page(),
    "read-db-damage-no-children" => db_damage_no_children(),
}
