//! What the counters of the AI Core say of a kernel: from its shapes, its time and the peaks of the chip.

use npuscope_tables::table::kernel;

use crate::config::JobConfig;
use crate::kernels::{Core, KernelSpec, size};
use crate::play::KernelRun;

/// Share of a kernel's time that its cores are at work; the rest is starting and stopping them.
const AT_WORK: f64 = 0.97;
/// Cores of each kind.
const CUBE_CORES: f64 = 24.0;
const VECTOR_CORES: f64 = 48.0;

/// The metrics of a kernel. Times are ns, ratios shares of the time that the cores are at work.
#[expect(clippy::cast_precision_loss, reason = "operations, bytes and ns are far below 2^53")]
pub fn metrics(config: &JobConfig, run: &KernelRun<'_>, frequency_mhz: f64) -> kernel::Row {
    let (spec, chip) = (run.spec, &config.chip);
    if spec.operator.core == Core::AiCpu {
        return kernel::Row::default();
    }
    let time = (run.end - run.start) as f64 * AT_WORK;
    let input: u64 = spec.inputs.iter().map(|shape| size(shape)).sum::<u64>() * spec.dtype.bytes();
    let experts = run.expert_factor;
    let share = |ns: f64| if time > 0.0 { (ns * experts / time).min(1.0) } else { 0.0 };
    // The cube multiplies at the peak of its frequency; transfers go at the peak of memory.
    let peak_flops = chip.cube_tflops * 1e3 * frequency_mhz / chip.frequency_mhz;
    let mac = share(spec.flops as f64 / peak_flops);
    let load = share(input as f64 / chip.memory_gb_per_s);
    let store = share(spec.output_bytes() as f64 / chip.memory_gb_per_s);
    let vector = share(spec.bytes as f64 / (2.0 * chip.memory_gb_per_s));
    let has_cube = matches!(spec.operator.core, Core::Cube | Core::Mix);
    let has_vector = matches!(spec.operator.core, Core::Vector | Core::Mix);
    let on = |is_on: bool, value: f64| if is_on { value } else { 0.0 };
    let ratio = |value: f64| (value * 1000.0).round() / 1000.0;
    let pair = |is_on: bool, value: f64| {
        let ratio = ratio(on(is_on, value));
        (Some((time * ratio).round()), Some(ratio))
    };
    let cycles = |is_on: bool, cores: f64| Some((on(is_on, time) * cores * frequency_mhz / 1000.0).round());
    let (aic_mac_time, aic_mac_ratio) = pair(has_cube, mac);
    let (aic_scalar_time, aic_scalar_ratio) = pair(has_cube, 0.05 + 0.1 * mac);
    let (aic_mte1_time, aic_mte1_ratio) = pair(has_cube, (0.8 * mac).min(1.0));
    let (aic_mte2_time, aic_mte2_ratio) = pair(has_cube, load);
    let (aic_fixpipe_time, aic_fixpipe_ratio) = pair(has_cube, store);
    let (aiv_vec_time, aiv_vec_ratio) = pair(has_vector, vector);
    let (aiv_scalar_time, aiv_scalar_ratio) = pair(has_vector, 0.1);
    let (aiv_mte2_time, aiv_mte2_ratio) = pair(has_vector, load);
    let (aiv_mte3_time, aiv_mte3_ratio) = pair(has_vector, store);
    kernel::Row {
        aic_total_time: Some(on(has_cube, time).round()),
        aic_total_cycles: cycles(has_cube, CUBE_CORES),
        aic_mac_time,
        aic_mac_ratio,
        aic_scalar_time,
        aic_scalar_ratio,
        aic_mte1_time,
        aic_mte1_ratio,
        aic_mte2_time,
        aic_mte2_ratio,
        aic_fixpipe_time,
        aic_fixpipe_ratio,
        aic_icache_miss_rate: Some(on(has_cube, 0.003)),
        aiv_total_time: Some(on(has_vector, time).round()),
        aiv_total_cycles: cycles(has_vector, VECTOR_CORES),
        aiv_vec_time,
        aiv_vec_ratio,
        aiv_scalar_time,
        aiv_scalar_ratio,
        aiv_mte2_time,
        aiv_mte2_ratio,
        aiv_mte3_time,
        aiv_mte3_ratio,
        aiv_icache_miss_rate: Some(on(has_vector, 0.02)),
        cube_utilization: Some((on(has_cube, mac) * 100.0 * 1000.0).round() / 1000.0),
        ..kernel::Row::default()
    }
}

/// Hit and victim rate of the L2 cache: a product reads each factor once per tile of the other, the first
/// time from memory; what reads everything once hits little.
#[expect(clippy::cast_precision_loss, reason = "sizes of tensors are far below 2^53")]
pub fn cache(spec: &KernelSpec) -> (f64, f64) {
    const TILE: f64 = 128.0;
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let hits = match (spec.operator.core, spec.inputs.as_slice()) {
        (Core::Vector | Core::AiCpu, _) | (_, []) => 0.12,
        (_, [first, ..]) => {
            let rows = first.first().copied().unwrap_or(1) as f64;
            let columns = spec.output.last().copied().unwrap_or(1) as f64;
            1.0 - 2.0 / ((rows / TILE).max(1.0) + (columns / TILE).max(1.0))
        }
    };
    (rounded(hits), rounded((1.0 - hits) * 0.3))
}
