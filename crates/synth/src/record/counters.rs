//! Samples of the hardware: frequency, memory bandwidth, cache, memory in use.

use npuscope_formats::lanes;
use npuscope_tables::table::{counter, mem_sample};
use npuscope_tables::{LaneId, Ns};

use super::Recorder;
use crate::kernels::KernelSpec;
use crate::noise::uniform;
use crate::play::frequency;

/// Fifty samples a second.
const EVERY_NS: u64 = 20_000_000;
/// Stacks of memory, which share the traffic.
const STACKS: u64 = 4;
/// What the device uses beside the process.
const OF_DEVICE: u64 = 2 << 30;
/// Parts of the driver that hold memory of their own, and how much, in bytes.
const MODULES: [(&str, i64); 4] = [("SLOG", 0), ("APP", 2 << 30), ("HCCL", 205 << 20), ("RUNTIME", 62 << 20)];

/// Bytes read and written in each sampling interval.
#[derive(Default)]
pub struct Traffic {
    /// Number of the first interval that is kept.
    first: u64,
    intervals: Vec<(u64, u64)>,
}

impl Traffic {
    /// Adds the transfers of a kernel to the intervals it runs in.
    pub fn add(&mut self, start: u64, end: u64, spec: &KernelSpec) {
        let written = spec.output_bytes();
        let read = spec.bytes.saturating_sub(written);
        let (from, until) = ((start / EVERY_NS).max(self.first), (end / EVERY_NS).max(self.first));
        let needed = usize::try_from(until - self.first + 1).unwrap_or_default();
        if self.intervals.len() < needed {
            self.intervals.resize(needed, (0, 0));
        }
        let count = until - from + 1;
        let skipped = usize::try_from(from - self.first).unwrap_or_default();
        for interval in self.intervals.iter_mut().skip(skipped) {
            interval.0 += read / count;
            interval.1 += written / count;
        }
    }

    /// What was read and written in an interval, which is then forgotten along with those before it.
    fn take(&mut self, interval: u64) -> (u64, u64) {
        let skipped = usize::try_from(interval.saturating_sub(self.first)).unwrap_or_default();
        let traffic = self.intervals.get(skipped).copied().unwrap_or_default();
        self.intervals.drain(..self.intervals.len().min(skipped + 1));
        self.first = self.first.max(interval + 1);
        traffic
    }
}

impl Recorder<'_> {
    /// The samples that fall into a step.
    #[expect(clippy::cast_precision_loss, reason = "bytes of 20 ms are far below 2^53")]
    pub fn record_counters(&mut self, start: u64, end: u64) {
        self.record_frequency(start, end);
        let hbm = self.lanes.device_layer(lanes::HBM, self.device, 0, || None);
        let llc = self.lanes.device_layer(lanes::LLC, self.device, 0, || None);
        let memory = self.lanes.device_layer(lanes::NPU_MEM, self.device, 0, || None);
        let per_second = |bytes: u64| (bytes as f64 / STACKS as f64 * 1e9 / EVERY_NS as f64).round();
        for number in start.div_ceil(EVERY_NS)..end.div_ceil(EVERY_NS) {
            let at = number * EVERY_NS;
            let time = self.time(at);
            // The interval that the sample ends.
            let (read, written) = if number == 0 { (0, 0) } else { self.traffic.take(number - 1) };
            for stack in 0..STACKS {
                self.sample(hbm, time, &format!("HBM {stack}/Read"), "Read", Some("B/s"), per_second(read));
                self.sample(hbm, time, &format!("HBM {stack}/Write"), "Write", Some("B/s"), per_second(written));
            }
            let noise = uniform([self.config.seed, 11, self.rank as u64, number]);
            let hits = (700.0 + 100.0 * noise).round() / 1000.0;
            self.sample(llc, time, "LLC 0 Read/Hit Rate", "Hit Rate(%)", None, hits);
            let throughput = (per_second(read) * STACKS as f64 * hits).round();
            self.sample(llc, time, "LLC 0 Read/Throughput", "Throughput", Some("B/s"), throughput);
            self.bus_samples(time, read, written);
            let process = self.memory.process_bytes(time);
            for (owner, bytes) in [("APP", process), ("Device", process + OF_DEVICE)] {
                self.sample(memory, time, &format!("{owner}/DDR"), "", Some("B"), 0.0);
                self.sample(memory, time, &format!("{owner}/HBM"), "", Some("B"), bytes as f64);
                self.sample(memory, time, &format!("{owner}/Memory"), "", Some("B"), bytes as f64);
            }
            if self.config.profile_memory {
                self.memory.sample_process(time);
                self.module_samples(time);
            }
        }
    }

    /// The frequency at the start of the job and wherever it changes.
    fn record_frequency(&mut self, start: u64, end: u64) {
        let lane = self.lanes.device_layer(lanes::AI_CORE_FREQ, self.device, 0, || None);
        let of = |step: i64| frequency(self.config, self.rank, step);
        let (now, before) = (of(self.step), of(self.step - 1));
        if self.is_first || now != before {
            let time = self.time(start);
            self.sample(lane, time, "AI Core Freq", "", Some("MHz"), now);
        }
        if self.is_last {
            let time = self.time(end);
            self.sample(lane, time, "AI Core Freq", "", Some("MHz"), now);
        }
    }

    /// How busy the accelerators' bus and the chip's memory controllers are.
    #[expect(clippy::cast_precision_loss, reason = "bytes of 20 ms are far below 2^53")]
    fn bus_samples(&mut self, time: Ns, read: u64, written: u64) {
        let accelerators = self.lanes.device_layer(lanes::ACC_PMU, self.device, 0, || None);
        for name in ["read_bandwidth", "write_band_width", "read_ost", "write_ost"] {
            let row = counter::Row {
                lane: accelerators,
                time,
                name: self.intern(name),
                series: self.intern("value"),
                instance: Some(0),
                value: 0.0,
                unit: None,
            };
            self.tables.counter.push(row);
        }
        let service = self.lanes.device_layer(lanes::QOS, self.device, 0, || None);
        let megabytes = ((read + written) as f64 / EVERY_NS as f64 * 1e3).round();
        self.sample(service, time, "QoS OTHERS", "value", None, megabytes);
        let chip = self.lanes.device_layer(lanes::SOC, self.device, 0, || None);
        let peak = self.config.chip.memory_gb_per_s * EVERY_NS as f64;
        let level = ((read + written) as f64 / peak * 10.0).round();
        for name in ["L2 Buffer Bw Level", "Mata Bw Level"] {
            self.sample(chip, time, name, name, None, level);
        }
    }

    fn module_samples(&mut self, time: Ns) {
        let kind = self.intern("module");
        for (module, bytes) in MODULES {
            let component = self.intern(module);
            self.tables.mem_sample.push(mem_sample::Row {
                kind,
                component,
                time,
                reserved: Some(bytes),
                device: Some(self.device),
                ..mem_sample::Row::default()
            });
        }
    }

    fn sample(&mut self, lane: LaneId, time: Ns, name: &str, series: &str, unit: Option<&str>, value: f64) {
        let row = counter::Row {
            lane,
            time,
            name: self.intern(name),
            series: self.intern(series),
            instance: None,
            value,
            unit: unit.map(|unit| self.tables.strings.intern(unit)),
        };
        self.tables.counter.push(row);
    }
}
