//! The sentences of errors that clap finds in a command line.

use npuscope_messages::{Message, messages};

messages! {
    "clap-unknown-option" => unknown_option(command: &str, option: String),
    "clap-unknown-argument" => unknown_argument(argument: String),
    "clap-unknown-command" => unknown_command(command: String),
    "clap-missing-arguments" => missing_arguments(arguments: Vec<String>),
    "clap-missing-command" => missing_command(command: String, known: Vec<String>),
    "clap-no-value" => no_value(argument: String),
    "clap-no-value-of" => no_value_of(argument: String, known: Vec<String>),
    "clap-invalid-value" => invalid_value(value: String, argument: String),
    "clap-invalid-value-of" => invalid_value_of(value: String, argument: String, known: Vec<String>),
    "clap-rejected-value" => rejected_value(value: String, argument: String, reason: Message),
    "clap-surplus-value" => surplus_value(value: String, argument: String),
    "clap-too-few-values" => too_few_values(argument: String, least: i64, given: i64),
    "clap-wrong-number-of-values" => wrong_number_of_values(argument: String, expected: i64, given: i64),
    "clap-conflict" => conflict(argument: String, others: Vec<String>),
    "clap-repeated" => repeated(argument: String),
    "clap-no-equals" => no_equals(argument: String),
    "clap-not-utf8" => not_utf8(),
    "clap-other" => other(text: String),

    // Why a value is rejected.
    "clap-not-a-number" => not_a_number(),
    "clap-number-too-large" => number_too_large(),
    "clap-out-of-range" => out_of_range(least: &str, most: &str),
    "clap-too-small" => too_small(least: &str),
    "clap-out-of-range-of" => out_of_range_of(range: &str),
    "clap-invalid" => invalid(text: String),
    "clap-not-an-address" => not_an_address(),

    // What follows the error.
    "clap-did-you-mean" => did_you_mean(suggestions: Vec<String>),
    "clap-as-value" => as_value(argument: String),
    "clap-usage" => usage(usage: String),
    "clap-help" => more_in_help(),
}
