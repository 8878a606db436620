//! The messages of the server: why a request is refused or has no answer.

use npuscope_messages::messages;

messages! {
    "server-no-address" => no_address(),
    "server-no-slice" => no_slice(rank: String, slice: u32),
    "server-no-view" => no_view(name: &str),
    "server-no-pages" => no_pages(),
    "server-internal" => internal(text: &str),

    // Requests that make no sense.
    "server-request-invalid" => request_invalid(text: &str),
    "server-request-too-large" => request_too_large(limit: usize),
    "server-not-numbers" => not_numbers(name: &str),
    "server-no-level" => no_level(most: u32),
    "server-strip" => strip(most: usize),
    "server-not-idle" => not_idle(),
    "search-duration" => search_duration(text: &str),
    "search-ranks" => search_ranks(text: &str),

    // Requests of others.
    "server-refused-host" => refused_host(),
    "server-refused-origin" => refused_origin(),
    "server-refused-token" => refused_token(),
}
