//! The program as its users run it, on simulated jobs.

mod blocks;
mod cluster;
mod command_examples;
mod config;
mod convert;
mod damage;
mod dynamic;
mod errors;
mod examples;
mod exit_codes;
mod glossary;
mod golden;
mod inline_commands;
mod near_misses;
mod numbers;
mod older_names;
mod outputs;
mod parse;
mod peer_command_line;
mod program;
mod show;
mod streams;
mod synth;
mod windows;
