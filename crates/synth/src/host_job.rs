//! A job without a device: data-parallel ranks that compute on the host and reduce gradients with gloo, written as the
//! traces of PyTorch's profiler that such a job leaves.
//!
//! A rank runs its layers forward, then backward; after each backward layer it starts an all-reduce, which a thread of
//! gloo runs once the one before has ended. An all-reduce ends when all ranks are there and the data has moved. The rank
//! waits for all of them, and steps its optimizer.

use std::io;

use npuscope_formats::output::{Output, OutputError};
use serde_json::{Value, json};

use crate::noise::uniform;

/// A job on hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct HostJob {
    pub ranks: usize,
    pub steps: usize,
    /// Number of the first step.
    pub first_step: i64,
    pub layers: usize,
    /// What a layer takes forward, and what it takes backward, in ns.
    pub layer_ns: i64,
    /// What an all-reduce takes when all ranks are there, in ns.
    pub transit_ns: i64,
    /// Elements of an all-reduce, of type float.
    pub elements: i64,
    /// Spread of times: 0.02 is one per cent up or down.
    pub noise: f64,
    pub seed: u64,
    pub sleep: Option<Sleep>,
    /// Whether Python's calls are recorded.
    pub with_stack: bool,
}

/// A rank that sleeps in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleep {
    pub rank: usize,
    pub ns: i64,
    pub at: SleepsAt,
}

/// Where in the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SleepsAt {
    BeforeForward,
    BeforeBackward,
    BeforeOptimizer,
}

impl SleepsAt {
    pub const ALL: [SleepsAt; 3] = [SleepsAt::BeforeForward, SleepsAt::BeforeBackward, SleepsAt::BeforeOptimizer];
}

impl Default for HostJob {
    fn default() -> Self {
        HostJob {
            ranks: 4,
            steps: 5,
            first_step: 3,
            layers: 3,
            layer_ns: 2_000_000,
            transit_ns: 1_500_000,
            elements: 262_144,
            noise: 0.1,
            seed: 1,
            sleep: None,
            with_stack: true,
        }
    }
}

/// When the job begins, in ns since the epoch.
const START: i64 = 1_767_225_600_000_000_000;
/// From the call to the beginning of the operation, and from its end until the host goes on.
const HANDED_OVER: i64 = 40_000;
const WOKEN: i64 = 60_000;
const OPTIMIZER: i64 = 900_000;

/// The process of a rank; its threads have numbers from it on.
fn process(rank: usize) -> i64 {
    1000 + 10 * i64::try_from(rank).unwrap_or_default()
}

/// A rank on its way through the job.
struct Host {
    now: i64,
    /// When its thread of gloo is free.
    free: i64,
    events: Vec<Value>,
}

impl HostJob {
    /// Writes the trace of each rank into `out`.
    pub fn write(&self, out: &Output) -> Result<(), OutputError> {
        for (rank, events) in self.play().0.into_iter().enumerate() {
            let ranks: Vec<usize> = (0..self.ranks).collect();
            let group = json!({
                "pg_name": "0", "pg_desc": "default_pg", "backend_config": "cpu:gloo,cuda:gloo",
                "pg_size": self.ranks, "ranks": ranks,
            });
            let distributed = json!({
                "backend": "gloo", "rank": rank, "world_size": self.ranks, "pg_count": 1, "pg_config": [group],
            });
            let trace = json!({
                "schemaVersion": 1, "deviceProperties": [], "with_stack": i32::from(self.with_stack),
                "record_shapes": 1, "distributedInfo": distributed, "host_name": "host0",
                "displayTimeUnit": "ms", "baseTimeNanoseconds": START, "traceEvents": events,
            });
            out.file(&format!("rank{rank}.pt.trace.json"), |file| {
                serde_json::to_writer(file, &trace).map_err(io::Error::from)
            })?;
        }
        Ok(())
    }

    /// What a step takes in the mean, in ms: from the first beginning on any rank to the last end, divided by steps.
    #[expect(clippy::cast_precision_loss, reason = "a job is far shorter than 2^53 ns")]
    pub fn step_ms(&self) -> f64 {
        self.play().1 as f64 / 1e6 / self.steps.max(1) as f64
    }

    /// What the sleep costs per step, in ms: the same job without it is this much shorter.
    pub fn cost_ms(&self) -> f64 {
        self.step_ms() - HostJob { sleep: None, ..self.clone() }.step_ms()
    }

    /// The events of each rank, and what all steps take.
    fn play(&self) -> (Vec<Vec<Value>>, i64) {
        let mut hosts: Vec<Host> =
            (0..self.ranks).map(|rank| Host { now: 0, free: 0, events: names(process(rank)) }).collect();
        for step in 0..self.steps {
            self.step(step, &mut hosts);
        }
        let end = hosts.iter().map(|host| host.now).max().unwrap_or_default();
        (hosts.into_iter().map(|host| host.events).collect(), end)
    }

    fn step(&self, step: usize, hosts: &mut [Host]) {
        let starts: Vec<i64> = hosts.iter().map(|host| host.now).collect();
        let mut calls: Vec<Vec<i64>> = Vec::new();
        for (rank, host) in hosts.iter_mut().enumerate() {
            calls.push(self.until_reduced(step, rank, host));
        }
        for layer in 0..self.layers {
            let begins: Vec<i64> =
                hosts.iter().zip(&calls).map(|(host, calls)| host.free.max(calls[layer] + HANDED_OVER)).collect();
            let end = begins.iter().copied().max().unwrap_or_default() + self.transit_ns;
            for (rank, (host, begin)) in hosts.iter_mut().zip(begins).enumerate() {
                let args = json!({"Input type": ["float"], "Input Dims": [[self.elements]]});
                host.slice("user_annotation", "gloo:all_reduce", (rank, 1), (begin, end), args);
                host.free = end;
            }
        }
        for (rank, (host, start)) in hosts.iter_mut().zip(starts).enumerate() {
            host.now = host.now.max(host.free + WOKEN);
            self.sleep(SleepsAt::BeforeOptimizer, rank, host);
            let from = host.now;
            host.now += self.noisy(OPTIMIZER, [step, rank, 99]);
            host.slice("user_annotation", "Optimizer.step#SGD.step", (rank, 0), (from, host.now), json!({}));
            host.slice("cpu_op", "aten::add_", (rank, 0), (from + 1000, host.now - 1000), json!({}));
            let name = format!("ProfilerStep#{}", self.first_step + i64::try_from(step).unwrap_or_default());
            host.slice("user_annotation", &name, (rank, 0), (start, host.now), json!({}));
            if self.with_stack {
                host.slice("python_function", "train.py(12): train", (rank, 0), (start, host.now), json!({}));
            }
        }
    }

    /// Forward and backward of a rank: when it called each all-reduce.
    fn until_reduced(&self, step: usize, rank: usize, host: &mut Host) -> Vec<i64> {
        self.sleep(SleepsAt::BeforeForward, rank, host);
        let from = host.now;
        for layer in 0..self.layers {
            let begin = host.now;
            host.now += self.noisy(self.layer_ns, [step, rank, layer]);
            if self.with_stack {
                let name = format!("nn.Module: Linear_{layer}");
                host.slice("python_function", &name, (rank, 0), (begin, host.now), json!({"Python module id": layer}));
            }
            host.slice("cpu_op", "aten::linear", (rank, 0), (begin + 1000, host.now - 1000), json!({}));
        }
        if self.with_stack {
            host.slice(
                "python_function",
                "nn.Module: Net_0",
                (rank, 0),
                (from, host.now),
                json!({"Python module id": 0}),
            );
        }
        self.sleep(SleepsAt::BeforeBackward, rank, host);
        let mut calls = Vec::new();
        for layer in 0..self.layers {
            let begin = host.now;
            host.now += self.noisy(self.layer_ns, [step, rank, 50 + layer]);
            host.slice("cpu_op", "AddmmBackward0", (rank, 0), (begin, host.now), json!({}));
            calls.push(host.now);
            let args = json!({"Input type": ["TensorList", ""], "Input Dims": [[[self.elements]], []]});
            host.slice("cpu_op", "c10d::allreduce_", (rank, 0), (host.now, host.now + HANDED_OVER), args);
            host.now += HANDED_OVER;
        }
        calls
    }

    fn sleep(&self, at: SleepsAt, rank: usize, host: &mut Host) {
        if let Some(sleep) = self.sleep.filter(|sleep| sleep.rank == rank && sleep.at == at) {
            host.now += sleep.ns;
        }
    }

    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "times are far below 2^53 ns")]
    fn noisy(&self, ns: i64, [step, rank, place]: [usize; 3]) -> i64 {
        let number = uniform([self.seed, step as u64, rank as u64, place as u64]);
        (ns as f64 * (1.0 + self.noise * (number - 0.5))) as i64
    }
}

impl Host {
    /// A slice of a thread of a rank.
    fn slice(
        &mut self,
        category: &str,
        name: &str,
        (rank, thread): (usize, i64),
        (from, until): (i64, i64),
        args: Value,
    ) {
        let process = process(rank);
        #[expect(clippy::cast_precision_loss, reason = "times are far below 2^53 ns")]
        let us = |ns: i64| ns as f64 / 1e3;
        self.events.push(json!({
            "ph": "X", "cat": category, "name": name, "pid": process, "tid": process + thread,
            "ts": us(from), "dur": us(until - from), "args": args,
        }));
    }
}

/// The names of a process and of its threads.
fn names(process: i64) -> Vec<Value> {
    let one =
        |name: &str, tid: i64, args: Value| json!({"ph": "M", "name": name, "pid": process, "tid": tid, "args": args});
    vec![
        one("process_name", 0, json!({"name": "python"})),
        one("process_labels", 0, json!({"labels": "CPU"})),
        one("thread_name", process, json!({"name": format!("thread {process} (python)")})),
        one("thread_name", process + 1, json!({"name": format!("thread {} (pt_gloo_runloop)", process + 1)})),
    ]
}
