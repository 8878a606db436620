//! The messages of the simulator: what is wrong with a job or a fault.

use npuscope_messages::{Documentation, Message, messages};

messages! {
    // Jobs.
    "synth-zero" => zero(what: &str),
    "synth-division" => division(what: &str, whole: u64, parts: Message),
    "synth-among-stages" => among_stages(count: usize),
    "synth-among-interleaved-stages" => among_interleaved_stages(count: usize),
    "synth-among-tensor-ranks" => among_tensor_ranks(count: usize),
    "synth-among-tensor-and-context-ranks" => among_tensor_and_context_ranks(count: usize),
    "synth-among-expert-ranks" => among_expert_ranks(count: usize),
    "synth-among-heads" => among_heads(count: usize),
    "synth-number" => number(what: &str, least: String, value: String),
    "synth-interleaved" => interleaved(),
    "synth-no-experts" => no_experts(),
    "synth-no-stages" => no_stages(),
    "synth-window-order" => window_order(window: String, first: i64, last: i64),
    "synth-window-text" => window_text(text: &str),
    "synth-too-much" => too_much(what: &str, most: u64, value: u64),
    "synth-stuck" => stuck(rank: usize, step: i64),
    "synth-framework" => framework(name: String),
    "synth-no-preset" => no_preset(name: String, known: Vec<&str>),
    "synth-unknown-key" => unknown_key(key: &str),
    "synth-unknown-key-similar" => unknown_key_similar(key: &str, similar: &str),
    "synth-choice" => choice(key: &str, known: Vec<&str>, value: String),
    "synth-scenario" => scenario(text: &str),

    // Faults that a job cannot have.
    "fault" => fault(fault: &str, why: Message),
    "fault-no-rank" => no_rank(number: usize, count: usize),
    "fault-no-host" => no_host(number: usize, count: usize),
    "fault-no-stage" => no_stage(number: usize, count: usize),
    "fault-weak" => weak(least: String, strength: String),
    "fault-link-to-itself" => link_to_itself(),
    "fault-needs-experts" => needs_experts(),
    "fault-needs-pipeline" => needs_pipeline(),
    "fault-needs-hosts" => needs_hosts(),
    "fault-needs-memory" => needs_memory(),
    "fault-frequency" => frequency(mhz: String),
    "fault-in-all-steps" => in_all_steps(),
    "fault-fraction" => fraction(unit: Documentation),
    "fault-sends-nothing" => sends_nothing(rank: usize),
    "fault-steps-turned" => steps_turned(from: i64, to: i64),
    "fault-no-such-steps" => no_such_steps(first: i64, last: i64),

    // Texts that are no faults.
    "fault-expected" => expected(),
    "fault-no-kind" => no_kind(kind: String, known: Vec<&str>),
    "fault-place" => place(text: String),
    "fault-two-ranks" => two_ranks(),
    "fault-strength" => strength(text: String),
    "fault-weak-unit" => weak_unit(unit: Documentation, least: String, strength: String),
    "fault-steps" => steps(),
    "fault-step" => step(text: String),
}
