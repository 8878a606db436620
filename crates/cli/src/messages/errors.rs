//! The sentences of errors: what is wrong, where, and what to do.

use std::path::Path;

use npuscope_messages::{Decimal, Message, messages};

messages! {
    "cli-internal" => internal(text: String),
    "cli-input-output" => input_output(error: Message),
    "cli-closed" => output_closed(),
    "cli-no-writer" => no_writer(),
    "cli-file" => in_file(file: &Path, error: Message),
    "cli-place" => at_place(place: String, error: Message),

    // Options and files of several commands.
    "usage-threads" => threads(value: &str),
    "usage-output-name" => output_name(),
    "usage-unreadable" => unreadable(name: &str, error: Message),
    "usage-stdin" => unreadable_stdin(error: Message),
    "usage-no-such-ranks" => no_such_ranks(ranks: String),
    "usage-no-timeline" => no_timeline(),
    "usage-no-step-times" => no_step_times(path: &Path),
    "usage-no-device" => no_device(path: &Path),

    // --range
    "usage-no-events" => no_events(),
    "usage-empty-range" => empty_range(seconds: Decimal<3>, start: i64, end: i64),
    "usage-outside-profile" => outside_profile(seconds: Decimal<3>, start: i64, end: i64),
    "usage-no-such-step" => no_such_step(step: i64, low: i64, high: i64),
    "usage-no-such-steps" => no_such_steps(first: i64, last: i64, low: i64, high: i64),
    "usage-no-numbered-steps" => no_numbered_steps(),
    "usage-range-of-whole-ranks" => range_of_whole_ranks(),

    // cluster, show, glossary
    "usage-no-mode" => no_mode(name: &str),
    "usage-not-supported-yet" => not_supported_yet(command: &str),
    "usage-into-profile" => into_profile(),
    "usage-suggest-doctor" => suggest_doctor(path: &Path),
    "usage-no-view" => no_view(name: &str, path: &Path),
    "usage-parameter" => parameter(error: Message, view: &str, known: Vec<&str>),
    "usage-no-term" => no_term(name: &str),
    "usage-no-term-near" => no_term_near(name: &str, near: &str),

    // sql
    "usage-binary" => binary_to_terminal(format: &str),
    "usage-no-table" => no_table(error: Message),
    "usage-no-column" => no_column(error: Message, table: &str),
    "usage-memory" => memory(error: Message),
    "usage-time" => time(error: Message),
    "usage-no-table-to-list" => no_table_to_list(name: &str),
    "usage-no-command" => no_command(command: &str),

    // view
    "usage-weak-token" => weak_token(length: usize),
    "usage-no-token" => no_token(),
    "usage-no-random-token" => no_random_token(error: Message),
    "usage-port-in-use" => port_in_use(port: u32),
    "usage-foreign-address" => foreign_address(address: String),
    "usage-listen" => cannot_listen(address: String, error: Message),

    // config, dynamic
    "usage-too-large" => too_large(name: &str, mebibytes: u64),
    "usage-not-utf8" => not_utf8(name: &str),
    "usage-stop-after-next" => stop_after_next(),
    "usage-too-many-ranks" => too_many_ranks(),
    "usage-no-package" => no_package(tried: Vec<String>),
    "usage-no-control-file" => no_control_file(path: &Path),

    // parse, synth
    "usage-no-raw-data" => no_raw_data(path: &Path),
    "usage-no-scenarios" => no_scenarios(path: &Path),

    // Values of options.
    "value-ranks" => value_ranks(),
    "value-range" => value_range(),
    "value-range-no-unit" => value_range_no_unit(text: &str),
    "value-range-unit" => value_range_unit(unit: &str),
    "value-range-reversed" => value_range_reversed(),
    "value-steps-reversed" => value_steps_reversed(),
    "value-size" => value_size(),
    "value-size-too-large" => value_size_too_large(),
    "value-time" => value_time(),
    "value-start-step" => value_start_step(),
    "value-parameter" => value_parameter(),
}
