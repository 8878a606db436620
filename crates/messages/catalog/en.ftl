# The sentences of npuscope in English, in the syntax of Project Fluent. One entry per message; crates/messages/src/lib.rs
# explains how they are used. Words follow CONTRIBUTING.md, "Words".

# Documentation of the crate `messages`.
example = { $steps ->
    [one] { $steps } step takes
   *[other] { $steps } steps take
} { $times }x as long as before
