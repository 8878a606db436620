//! The csv files that versions of the frameworks write.

use npuscope_tables::number;
use npuscope_tables::{Framework, Ns};
use proptest::prelude::*;

use super::hostile::hostile;
use super::microseconds::microseconds;

/// A cell of a csv file: its encoding and how it is spelled where there is no value.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    Name,
    Text(&'static str),
    Lines,
    Int(&'static str),
    Real(&'static str),
    Time(&'static str),
    Span(&'static str),
    Life(&'static str),
    /// In units of that number of bytes.
    Size(i64, &'static str),
    Device,
    Only(&'static str),
}

const KIB: i64 = 1024;
const MIB: i64 = 1024 * 1024;
/// MindSpore's MB.
const KILO_KIB: i64 = 1000 * 1024;

impl Cell {
    pub fn strategy(self) -> BoxedStrategy<String> {
        let or = |value: BoxedStrategy<String>, null: &'static str| {
            prop_oneof![4 => value, 1 => Just(null.to_owned())].boxed()
        };
        let decimal = || {
            (-1_000_000_000i64..1_000_000_000_000, 0usize..6).prop_map(|(n, d)| format!("{:.*}", d, n as f64 / 1000.0))
        };
        match self {
            Cell::Name => prop_oneof![hostile(), Just(String::new())].boxed(),
            Cell::Text(null) => or(hostile(), null),
            Cell::Lines => prop_oneof![hostile(), "[a-z]{1,5}(;\r\n[a-z]{1,5}){0,3}", Just(String::new())].boxed(),
            Cell::Int(null) => or(prop_oneof![0i64..100, any::<i64>()].prop_map(|n| n.to_string()).boxed(), null),
            Cell::Real(null) => or(prop_oneof![decimal(), Just("6.000000000000001e-05".to_owned())].boxed(), null),
            Cell::Time(null) => or((0i64..i64::MAX).prop_map(|ns| format!("{}\t", Ns(ns))).boxed(), null),
            Cell::Span(null) => or(microseconds(), null),
            Cell::Life(null) => or(any::<i64>().prop_map(|ns| format!("{}\t", Ns(ns))).boxed(), null),
            Cell::Size(unit, null) => {
                or((-1i64 << 30..1 << 45).prop_map(move |b| python_number(b as f64 / unit as f64)).boxed(), null)
            }
            Cell::Device => (0..64).prop_map(|n| format!("NPU:{n}")).boxed(),
            Cell::Only(text) => Just(text.to_owned()).boxed(),
        }
    }
}

/// What `kernel_details.csv` has of a kernel besides its times, by the setting `aic_metrics`.
const AIC_METRICS: [(&str, &str); 7] = [
    (
        "PipeUtilization",
        "aic_mac_time(us), aic_mac_ratio, aic_scalar_time(us), aic_scalar_ratio, aic_mte1_time(us), aic_mte1_ratio, \
         aic_mte2_time(us), aic_mte2_ratio, aic_fixpipe_time(us), aic_fixpipe_ratio, aic_icache_miss_rate, \
         aiv_vec_time(us), aiv_vec_ratio, aiv_scalar_time(us), aiv_scalar_ratio, aiv_mte2_time(us), aiv_mte2_ratio, \
         aiv_mte3_time(us), aiv_mte3_ratio, aiv_icache_miss_rate, cube_utilization(%)",
    ),
    (
        "ArithmeticUtilization",
        "aic_mac_fp16_ratio, aic_mac_int8_ratio, aic_cube_fops, aiv_vec_fp32_ratio, aiv_vec_fp16_ratio, \
         aiv_vec_int32_ratio, aiv_vec_misc_ratio, aiv_vector_fops",
    ),
    (
        "Memory",
        "aic_l1_read_bw(GB/s), aic_l1_write_bw(GB/s), aic_main_mem_read_bw(GB/s), aic_main_mem_write_bw(GB/s), \
         aic_l2_read_bw(GB/s), aic_l2_write_bw(GB/s), aiv_ub_read_bw(GB/s), aiv_ub_write_bw(GB/s), \
         aiv_main_mem_read_bw(GB/s), aiv_main_mem_write_bw(GB/s), aiv_l2_read_bw(GB/s), aiv_l2_write_bw(GB/s)",
    ),
    (
        "MemoryL0",
        "aic_l0a_read_bw(GB/s), aic_l0a_write_bw(GB/s), aic_l0b_read_bw(GB/s), aic_l0b_write_bw(GB/s), \
         aic_l0c_read_bw_cube(GB/s), aic_l0c_write_bw_cube(GB/s), aiv_l0c_read_bw(GB/s), aiv_l0c_write_bw(GB/s)",
    ),
    (
        "MemoryUB",
        "aic_ub_read_bw_scalar(GB/s), aic_ub_write_bw_scalar(GB/s), aiv_ub_read_bw_vector(GB/s), \
         aiv_ub_write_bw_vector(GB/s), aiv_ub_read_bw_scalar(GB/s), aiv_ub_write_bw_scalar(GB/s)",
    ),
    (
        "L2Cache",
        "aic_write_cache_hit, aic_write_cache_miss_allocate, aic_r0_read_cache_hit, aic_r0_read_cache_miss_allocate, \
         aic_r1_read_cache_hit, aic_r1_read_cache_miss_allocate, aiv_write_cache_hit, aiv_write_cache_miss_allocate, \
         aiv_r0_read_cache_hit, aiv_r0_read_cache_miss_allocate, aiv_r1_read_cache_hit, \
         aiv_r1_read_cache_miss_allocate",
    ),
    (
        "ResourceConflictRatio",
        "aic_cube_wait_ratio, aic_mte1_iq_full_ratio, aic_mte2_iq_full_ratio, aic_cube_iq_full_ratio, \
         aiv_vec_bankgroup_cflt_ratio, aiv_vec_bank_cflt_ratio, aiv_vec_resc_cflt_ratio, aiv_mte3_iq_full_ratio, \
         aiv_vec_iq_full_ratio",
    ),
];

/// A csv file that some version of a framework writes: framework, name, columns by kind of cell.
pub type CsvLayout = (Framework, &'static str, Vec<(Cell, &'static str)>);

pub fn layouts() -> Vec<CsvLayout> {
    use Cell::*;
    use Framework::{MindSpore, TorchNpu};
    const NA: &str = "N/A";
    const AT: &str = "0.000\t";
    const SHAPES: &str =
        "Input Shapes, Input Data Types, Input Formats, Output Shapes, Output Data Types, Output Formats";
    const PIPE: &str =
        "aicore_time(us), aic_total_cycles, aic_mac_time(us), aic_mac_ratio, aiv_time(us), aiv_vec_ratio";
    const TOTALS: &str = "Allocation Total Allocated(MB), Allocation Total Reserved(MB), Allocation Total Active(MB), Release Total Allocated(MB), Release Total Reserved(MB), Release Total Active(MB)";
    const STEP: &str = "Computing, Communication(Not Overlapped), Overlapped, Communication, Free, Stage, Bubble, Communication(Not Overlapped and Exclude Receive)";
    let kernels = |first: &'static str, more: &[(Cell, &'static str)]| {
        let first =
            [(Int(""), first), (Name, "Name"), (Text(NA), "Type, Accelerator Core"), (Time(AT), "Start Time(us)")];
        [&first, [(Span("0.0"), "Duration(us), Wait Time(us)")].as_slice(), more].concat()
    };
    let of_task = [
        (Int(NA), "Model ID, Task ID, Stream ID, Context ID"),
        (Text(NA), "OP State, HF32 Eligible"),
        (Text(NA), SHAPES),
        (Real(NA), PIPE),
    ];
    let level1 = |blocks: &'static str| [of_task.as_slice(), &[(Int(NA), blocks)]].concat();
    let counted = AIC_METRICS.map(|(_, headers)| {
        let on_cores = [(Real(NA), "aicore_time(us), aic_total_cycles, aiv_time(us), aiv_total_cycles")];
        let more = [&of_task[..3], on_cores.as_slice(), &[(Real(NA), headers)]].concat();
        (TorchNpu, "kernel_details", kernels("Step Id, Device_id", &more))
    });
    let memory = |unit, null| {
        vec![
            (Name, "Name"),
            (Size(KIB, null), "Size(KB)"),
            (Time(null), "Allocation Time(us), Release Time(us), Active Release Time(us)"),
            (Life(null), "Duration(us), Active Duration(us)"),
            (Size(unit, null), TOTALS),
            (Int(null), "Stream Ptr"),
            (Device, "Device Type"),
        ]
    };
    let samples = |more: &[(Cell, &'static str)]| [&[(Name, "Component"), (Time(AT), "Timestamp(us)")], more].concat();
    let cache = |rates: &'static str| vec![(Int(""), "Stream Id, Task Id"), (Real(NA), rates), (Name, "Op Name")];
    let mut layouts = vec![
        (TorchNpu, "kernel_details", kernels("Step Id", &[(Int(NA), "Block Dim")])),
        (TorchNpu, "kernel_details", kernels("Step Id, Device_id", &[(Int(NA), "Block Num")])),
        (TorchNpu, "kernel_details", kernels("Step Id", &level1("Block Dim, Mix Block Dim"))),
        (TorchNpu, "kernel_details", kernels("Step Id, Device_id", &level1("Block Num, Mix Block Num"))),
        (
            TorchNpu,
            "kernel_details",
            kernels("Step Id", &[(Real(NA), "aic_l1_read_bw(GB/s), new_ratio"), (Text(NA), "New Notes")]),
        ),
        (MindSpore, "kernel_details", kernels("Step ID", &[(Int(NA), "Block Num")])),
        (MindSpore, "kernel_details", kernels("Step ID", &level1("Block Num, Mix Block Num"))),
        (
            TorchNpu,
            "operator_details",
            vec![
                (Name, "Name"),
                (Lines, "Input Shapes, Call Stack"),
                (
                    Real(""),
                    "Host Self Duration(us), Host Total Duration(us), Device Self Duration(us), Device Total Duration(us), Device Self Duration With AICore(us), Device Total Duration With AICore(us)",
                ),
            ],
        ),
        (TorchNpu, "operator_memory", memory(MIB, "")),
        (MindSpore, "operator_memory", memory(KILO_KIB, NA)),
        (
            TorchNpu,
            "memory_record",
            samples(&[
                (Size(MIB, ""), "Total Allocated(MB), Total Reserved(MB), Total Active(MB)"),
                (Int(""), "Stream Ptr"),
                (Device, "Device Type"),
            ]),
        ),
        (
            TorchNpu,
            "memory_record",
            samples(&[(Size(KIB, ""), "Total Allocated(KB), Total Reserved(KB)"), (Device, "Device")]),
        ),
        (
            MindSpore,
            "memory_record",
            samples(&[
                (Size(KILO_KIB, ""), "Total Allocated(MB), Total Reserved(MB), Total Active(MB)"),
                (Device, "Device Type"),
            ]),
        ),
        (TorchNpu, "npu_module_mem", samples(&[(Size(MIB, ""), "Total Reserved(MB)"), (Device, "Device")])),
        (MindSpore, "npu_module_mem", samples(&[(Size(KIB, ""), "Total Reserved(KB)"), (Device, "Device")])),
        (
            TorchNpu,
            "static_op_mem",
            vec![
                (Only("host"), "Device_id"),
                (Name, "Op Name"),
                (Text(""), "Model Name"),
                (Int(""), "Graph ID, Node Index Start, Node Index End"),
                (Size(KIB, ""), "Size(KB)"),
            ],
        ),
        (TorchNpu, "step_trace_time", vec![(Text(""), "Step"), (Real(""), STEP)]),
        (
            TorchNpu,
            "step_trace_time",
            vec![(Int(""), "Device_id"), (Text(""), "Step"), (Real(""), STEP), (Real(""), "Preparing")],
        ),
        (
            TorchNpu,
            "op_statistic",
            vec![
                (Int(""), "Device_id, Count"),
                (Name, "OP Type"),
                (Text(NA), "Core Type"),
                (Real(""), "Total Time(us), Min Time(us), Avg Time(us), Max Time(us), Ratio(%)"),
            ],
        ),
        (
            TorchNpu,
            "api_statistic",
            vec![
                (Text(""), "Device_id, Level"),
                (Name, "API Name"),
                (Int(""), "Count"),
                (Real(""), "Time(us), Avg(us), Min(us), Max(us), Variance"),
            ],
        ),
        (TorchNpu, "l2_cache", cache("Hit Rate, Victim Rate")),
        (TorchNpu, "soc_pmu", cache("TLB Hit Rate, TLB Miss Rate")),
        (
            TorchNpu,
            "data_preprocess",
            vec![
                (Time(NA), "Timestamp(us)"),
                (Name, "Node"),
                (Span(NA), "Compute_time(us), Memcpy_time(us), Task_time(us), Dispatch_time(us), Total_time(us)"),
                (Int(NA), "Stream ID, Task ID"),
            ],
        ),
        (
            MindSpore,
            "dataset",
            vec![
                (Name, "Operation"),
                (Text(""), "Stage, Custom Info"),
                (Int(""), "Occurrences"),
                (Real(""), "Avg. time (us)"),
            ],
        ),
        (
            MindSpore,
            "minddata_pipeline_raw_0",
            vec![
                (Int(""), "op_id, num_workers"),
                (Text(""), "op_type, parent_id, children_id"),
                (
                    Real(""),
                    "output_queue_size, output_queue_average_size, output_queue_length, output_queue_usage_rate, sample_interval",
                ),
            ],
        ),
        (TorchNpu, "hbm", vec![(Name, "Any Header, \"odd\"; one")]),
        (TorchNpu, "hccs", vec![(Name, "Mode"), (Real(""), "Max, Min, Average")]),
        (TorchNpu, "nic", vec![(Name, "Only Column")]),
    ];
    layouts.extend(counted);
    layouts
}

pub fn columns(layout: &CsvLayout) -> impl Iterator<Item = (Cell, &'static str)> {
    layout.2.iter().flat_map(|&(cell, headers)| headers.split(", ").map(move |header| (cell, header)))
}

/// A number as Python prints it, whole ones without decimals.
fn python_number(value: f64) -> String {
    let text = number::float(value);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
