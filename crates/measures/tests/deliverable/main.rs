//! Summaries of traces made by hand.

mod operator_details;
mod step_trace;
