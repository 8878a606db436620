//! The messages of queries: what is wrong with one, or why it has no answer.

use npuscope_messages::{Message, messages};

messages! {
    "engine-ended" => ended(),
    "engine-internal" => internal(text: Message),
    "engine-no-table" => no_table(name: &str),
    "engine-no-table-similar" => no_table_similar(name: &str, similar: &str),
    "engine-no-column" => no_column(name: &str),
    "engine-no-column-similar" => no_column_similar(name: &str, similar: &str),
    "engine-no-column-in" => no_column_in(name: &str, tables: Vec<&str>),
    "engine-no-column-in-similar" => no_column_in_similar(name: &str, tables: Vec<&str>, similar: &str),

    // Limits.
    "engine-memory" => memory(limit: String, what: &str),
    "engine-memory-exhausted" => memory_exhausted(what: &str),
    "engine-disk" => disk(),
    "engine-time" => time(limit: String),
    "engine-too-long" => too_long(bytes: usize, limit: usize),
    "engine-too-deep" => too_deep(limit: usize),
    "engine-too-many-columns" => too_many_columns(limit: usize),
    "engine-too-large" => too_large(limit: u64),

    // Syntax. `expected` and `found` are the parser's words.
    "engine-syntax" => syntax(text: String),
    "engine-syntax-at" => syntax_at(line: &str, column: &str, text: String),
    "engine-syntax-expected" => syntax_expected(line: &str, column: &str, expected: Message, found: Message),
    "engine-syntax-expected-here" => syntax_expected_here(expected: Message, found: Message),
    "engine-syntax-end-column" => syntax_end_column(error: Message),
    "engine-syntax-string-open" => syntax_string_open(line: &str, column: &str),
    "engine-token" => token(text: String),
    "engine-token-statement" => token_statement(),
    "engine-token-end" => token_end(),
    "engine-token-expression" => token_expression(),
    "engine-token-identifier" => token_identifier(),
    "engine-no-statement" => no_statement(),
    "engine-statements" => statements(),
    "engine-read-only" => read_only(what: &str),

    // Names and types.
    "engine-no-function" => no_function(name: &str),
    "engine-no-function-similar" => no_function_similar(name: &str, similar: &str),
    "engine-no-function-types" => no_function_types(call: &str),
    "engine-ambiguous-column" => ambiguous_column(name: &str),
    "engine-duplicate-column" => duplicate_column(name: &str),
    "engine-not-grouped" => not_grouped(column: &str),
    "engine-unnamed-order" => unnamed_order(),
    "engine-types" => types(expression: &str),

    // While it runs.
    "engine-division" => division(),
    "engine-overflow" => overflow(text: String),
    "engine-cast" => cast(text: String),
    "engine-cast-value" => cast_value(value: String, to: &str),
    "engine-regex" => regex(text: String),
    "engine-unsupported" => unsupported(text: String),
    "engine-query" => query(text: String),
}
