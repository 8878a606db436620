//! The tables of the dialects: every parameter, default, allowed and forbidden value, and the traps between them.

mod common;
mod detection;
mod explanation;
mod fsdp2;
mod llm;
mod mindspore;
mod mindspore_off;
mod rl;
mod round_trip;
mod torch_npu;
