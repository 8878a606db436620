//! Whatever the values of a text deliverable are, reading and writing keeps them.

mod common {
    pub mod hostile;
    pub mod rows;
}

use std::path::Path;

use common::hostile::{any_json, hostile, microseconds, spelled};
use common::rows::rows;
use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::text;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::Flavour;
use npuscope_tables::number;
use npuscope_tables::table::diagnostic;
use npuscope_tables::{Ns, Rank, RankTables, TableId};
use npuscope_testing::{assert_same_json, csv, json};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// A cell of a csv file: its notation and how it is spelled where there is no value.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Name,
    Text(&'static str),
    Lines,
    Int(&'static str),
    Real(&'static str),
    Time(&'static str),
    Span(&'static str),
    Life(&'static str),
    /// In units of so many bytes.
    Size(i64, &'static str),
    Device,
    Only(&'static str),
}

const KIB: i64 = 1024;
const MIB: i64 = 1024 * 1024;
/// MindSpore's MB.
const KILO_KIB: i64 = 1000 * 1024;

impl Cell {
    fn strategy(self) -> BoxedStrategy<String> {
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

/// A csv file that some version of a framework writes: flavour, name, columns by notation.
type CsvLayout = (Flavour, &'static str, Vec<(Cell, &'static str)>);

fn layouts() -> Vec<CsvLayout> {
    use Cell::*;
    use Flavour::{MindSpore, TorchNpu};
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
    let level1 = [
        (Int(NA), "Model ID, Task ID, Stream ID, Context ID"),
        (Text(NA), "OP State, HF32 Eligible"),
        (Text(NA), SHAPES),
        (Real(NA), PIPE),
    ];
    let level1 = |blocks: &'static str| [level1.as_slice(), &[(Int(NA), blocks)]].concat();
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
    let cache = |rates| vec![(Int(""), "Stream Id, Task Id"), (Real(NA), rates), (Name, "Op Name")];
    vec![
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
    ]
}

fn columns(layout: &CsvLayout) -> impl Iterator<Item = (Cell, &'static str)> {
    layout.2.iter().flat_map(|&(cell, headers)| headers.split(", ").map(move |header| (cell, header)))
}

/// A csv file, any of the layouts with a few rows.
fn csv_file() -> impl Strategy<Value = (CsvLayout, Vec<Vec<String>>)> {
    select(layouts()).prop_flat_map(|layout| {
        let row: Vec<_> = columns(&layout).map(|(cell, _)| cell.strategy()).collect();
        (Just(layout), vec(row, 1..6))
    })
}

/// A rank with one file, read, written and read again: the tables of both readings.
fn through_a_rank(flavour: Flavour, name: &str, text: &str, check: impl Fn(&Path, &Path)) -> (RankTables, RankTables) {
    let suffix = if flavour == Flavour::MindSpore { "ms" } else { "pt" };
    let directory = tempfile::tempdir().unwrap();
    let [source, target] = ["a", "b"].map(|name| directory.path().join(format!("{name}_ascend_{suffix}")));
    let place = |rank: &Path| match name.starts_with("profiler_") {
        true => rank.join(name),
        false => rank.join(OUTPUT_DIRECTORY).join(name),
    };
    std::fs::create_dir_all(source.join(OUTPUT_DIRECTORY)).unwrap();
    std::fs::write(place(&source), text).unwrap();
    let read = |rank: &Path| {
        let profile = discover(rank).unwrap();
        assert_eq!(profile.ranks[0].flavour, flavour);
        read_rank(&profile.ranks[0], ReadOptions::default())
    };
    let before = read(&source);
    text::write_rank(before.clone(), Rank(0), &Output::new(&target).unwrap()).unwrap();
    check(&place(&source), &place(&target));
    (before, read(&target))
}

fn assert_same_rows(before: &RankTables, after: &RankTables, tables: impl Fn(TableId) -> bool) {
    for &table in TableId::ALL.iter().filter(|&&table| tables(table)) {
        assert_eq!(rows(before, table), rows(after, table), "{table:?}");
    }
}

/// The tables that csv files are read into.
fn is_of_csv(table: TableId) -> bool {
    use TableId::*;
    matches!(
        table,
        Kernel
            | KernelCache
            | AicpuOp
            | MemEvent
            | MemSample
            | DatasetOp
            | PipelineOp
            | ReportedStep
            | ReportedOperator
            | ReportedOpType
            | ReportedApi
            | Sheet
    )
}

fn quoted(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
    cells.join(",") + "\r\n"
}

fn object(entries: impl IntoIterator<Item = (impl Into<String>, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn figure() -> BoxedStrategy<Value> {
    prop_oneof![
        (0.0..1e9).prop_map(|n: f64| json!(n)),
        (0i64..1_000_000).prop_map(|n| json!(n)),
        Just(json!(0)),
        Just(json!(1_736_408_883_813_620.2)),
        Just(json!(6.000000000000001e-05)),
    ]
    .boxed()
}

/// An object with a figure for each key.
fn figures(keys: &'static [&'static str]) -> BoxedStrategy<Value> {
    vec(figure(), keys.len()).prop_map(|values| object(keys.iter().copied().zip(values))).boxed()
}

/// Operations under steps and classes, or by themselves as CANN has them.
fn nested_ops(op: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let name = ("[a-z]", hostile(), prop_oneof![Just(String::new()), "@[0-9]{1,20}"]);
    let name = name.prop_map(|(letter, rest, group)| format!("{letter}{rest}{group}"));
    let ops = btree_map(name, op, 1..4).prop_map(object);
    let classes = (ops.clone(), ops.clone(), prop::option::of(ops.clone()));
    let classes = classes.prop_map(|(p2p, collective, odd)| {
        object([("p2p", p2p), ("collective", collective)].into_iter().chain(odd.map(|ops| ("odd class", ops))))
    });
    prop_oneof![3 => btree_map("step[0-9]{0,3}", classes, 1..3).prop_map(object), 1 => ops].boxed()
}

fn communication() -> BoxedStrategy<Value> {
    let times = figures(&[
        "Start Timestamp(us)",
        "Elapse Time(ms)",
        "Transit Time(ms)",
        "Wait Time(ms)",
        "Synchronization Time(ms)",
        "Idle Time(ms)",
        "Wait Time Ratio",
        "Synchronization Time Ratio",
    ]);
    let sizes = btree_map(
        "[0-9]{1,4}\\.[0-9]{1,6}",
        (0i64..1000, figure()).prop_map(|(count, time)| json!([count, time])),
        0..4,
    );
    let transport =
        (figures(&["Transit Size(MB)", "Transit Time(ms)", "Bandwidth(GB/s)", "Large Packet Ratio"]), sizes);
    let transport = transport.prop_map(|(mut transport, sizes)| {
        transport["Size Distribution"] = object(sizes);
        transport
    });
    let transports = btree_map(select(vec!["RDMA", "HCCS", "PCIE", "SDMA", "SIO"]), transport, 0..5);
    let op = (times, transports).prop_map(|(times, transports)| {
        object([("Communication Time Info", times), ("Communication Bandwidth Info", object(transports))])
    });
    nested_ops(op.boxed())
}

fn communication_matrix(op_name: &'static str) -> BoxedStrategy<Value> {
    let link = (figures(&["Transit Size(MB)", "Transit Time(ms)", "Bandwidth(GB/s)"]), hostile(), hostile());
    let link = link.prop_map(move |(mut link, transport, op)| {
        link["Transport Type"] = transport.into();
        link[op_name] = op.into();
        link
    });
    nested_ops(btree_map("[0-9]{1,3}-[0-9]{1,3}", link, 1..4).prop_map(object).boxed())
}

/// A number as Python prints it, whole ones without decimals.
fn python_number(value: f64) -> String {
    let text = number::float(value);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A number as some version of some program has printed it, or what stands in its place.
fn spelled_number() -> BoxedStrategy<String> {
    let fixed = select(vec![
        "0",
        "0.0",
        "-0.0",
        "0.00",
        "00",
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "1e-05",
        "1E-05",
        "1.0e5",
        "9.4509E+13",
        "1e400",
        "",
        "nan",
        "NaN",
        "inf",
        "None",
        "N/A",
        " 12 ",
        "12\t",
        "0.10",
        "8827.472999999998",
        "123456789012345678901",
    ]);
    let decimal = (any::<i32>(), 0usize..9).prop_map(|(n, d)| format!("{:.*}", d, f64::from(n) / 1e4));
    prop_oneof![
        2 => fixed.prop_map(str::to_owned),
        2 => decimal,
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_map(|n| format!("{n:e}")),
        1 => any::<f64>().prop_map(|n| n.to_string()),
    ]
    .boxed()
}

/// A file of any of these layouts with any numbers in all columns of numbers, as bytes.
fn spelled_file() -> impl Strategy<Value = (Flavour, String, String)> {
    let is_table = |(_, kind, _): &CsvLayout| *kind != "hbm";
    let layouts = layouts().into_iter().filter(is_table).collect::<Vec<_>>();
    let file = select(layouts).prop_flat_map(|layout| {
        let cell = |cell: Cell| match cell {
            Cell::Name | Cell::Text(_) | Cell::Device | Cell::Only(_) => cell.strategy(),
            Cell::Lines => "[a-z]{1,5}(;\n[a-z]{1,5}){0,3}".boxed(),
            // Where a waiting time cannot be read it is computed.
            Cell::Span(_) => {
                prop_oneof![microseconds(), select(vec!["0", "12", "12.50", "0.00"]).prop_map(str::to_owned)].boxed()
            }
            _ => spelled_number(),
        };
        let row: Vec<_> = columns(&layout).map(|(notation, _)| cell(notation)).collect();
        (Just(layout), vec(row, 1..6), any::<[bool; 4]>())
    });
    file.prop_map(|(layout, rows, [lf, bom, quotes_all, spaces])| {
        let space = if spaces { " " } else { "" };
        let headers: Vec<String> = columns(&layout).map(|(_, header)| format!("{header}{space}")).collect();
        let quoted = |cell: &String| {
            let cell = if lf { cell.clone() } else { cell.replace('\n', "\r\n") };
            let is_needed = cell.contains([',', '"', '\r', '\n']);
            if quotes_all || is_needed { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
        };
        let mut text = if bom { "\u{feff}".to_owned() } else { String::new() };
        for row in std::iter::once(&headers).chain(&rows) {
            let cells: Vec<String> = row.iter().map(quoted).collect();
            text += &cells.join(",");
            text += if lf { "\n" } else { "\r\n" };
        }
        let (flavour, kind, _) = layout;
        (flavour, format!("{kind}.csv"), text)
    })
}

fn assert_same_lines(source: &Path, target: &Path) {
    let [before, after] = [source, target].map(|path| std::fs::read_to_string(path).unwrap());
    for (a, b) in before.split('\n').zip(after.split('\n')) {
        assert_eq!(a, b);
    }
    assert_eq!(before.len(), after.len());
}

#[test]
fn step_trace_time_keeps_whole_numbers_among_floats() {
    let text = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,\
        Communication(Not Overlapped and Exclude Receive),Preparing\r\n\
        50,8827.472999999998,81515.607,0,85516.889,1e-05,116251.25,0,81515.607,19358.0\r\n\
        51,8827.0,0.0,0.10,,nan,116251,0.0,12.500,19358\r\n";
    through_a_rank(Flavour::TorchNpu, "step_trace_time.csv", text, |source, target| {
        assert_same_lines(source, target);
    });
}

#[test]
fn a_row_that_starts_with_a_byte_order_mark_keeps_it() {
    let text = "Device_id,OP Type,Core Type,Count\r\n\u{feff}1,a,b,2\r\n";
    let rank = |source: &Path, target: &Path| assert_same_lines(source, target);
    through_a_rank(Flavour::TorchNpu, "op_statistic.csv", text, rank);
    let text = "Name,Size(KB),Device Type\r\n\u{feff}aten::mm,12.50,NPU:0\r\n";
    through_a_rank(Flavour::TorchNpu, "operator_memory.csv", text, rank);
}

#[test]
fn times_beyond_the_end_of_time_do_not_overflow() {
    let text = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Preparing\r\n\
        1,9e30,9e30,-9e30,-9e30,9e30,0,-9e30,9e30\r\n2,-9e30,9e30,0,-9e30,-9e30,0,9e30,-9e30\r\n";
    through_a_rank(Flavour::TorchNpu, "step_trace_time.csv", text, assert_same_lines);
}

proptest! {
    #![proptest_config(npuscope_testing::cases(100))]

    #[test]
    fn csv_files_come_back_byte_for_byte((flavour, name, text) in spelled_file()) {
        through_a_rank(flavour, &name, &text, |source, target| {
            assert_same_lines(source, target);
        });
    }

    #[test]
    fn csv_files_keep_every_cell((layout, rows) in csv_file()) {
        let headers: Vec<String> = columns(&layout).map(|(_, header)| header.to_owned()).collect();
        let (flavour, kind, _) = layout;
        let text: String = std::iter::once(&headers).chain(&rows).map(|row| quoted(row)).collect();
        let (before, after) = through_a_rank(flavour, &format!("{kind}.csv"), &text, |source, target| {
            assert_eq!(csv(source), csv(target));
        });
        assert_same_rows(&before, &after, |table| is_of_csv(table) && !before.is_empty(table));
        prop_assert!(before.rows::<diagnostic::Row>().all(|row| row.file.is_none()));
    }

    #[test]
    fn communication_json_keeps_every_figure(value in communication(), ascii: bool) {
        let text = spelled(&value.to_string(), ascii);
        let check = |a: &Path, b: &Path| assert_same_json(&json(a), &json(b), "communication");
        through_a_rank(Flavour::TorchNpu, "communication.json", &text, check);
    }

    #[test]
    fn communication_matrix_json_keeps_every_figure(
        (flavour, value) in prop_oneof![
            communication_matrix("Op Name").prop_map(|v| (Flavour::TorchNpu, v)),
            communication_matrix("op_name").prop_map(|v| (Flavour::MindSpore, v)),
        ],
        ascii: bool,
    ) {
        let text = spelled(&value.to_string(), ascii);
        let check = |a: &Path, b: &Path| assert_same_json(&json(a), &json(b), "matrix");
        through_a_rank(flavour, "communication_matrix.json", &text, check);
    }

    #[test]
    fn settings_keep_every_value(
        value in btree_map(hostile(), any_json(), 0..6).prop_map(object),
        name in select(vec!["profiler_info_0.json", "profiler_metadata.json"]),
        ascii: bool,
    ) {
        prop_assume!(name == "profiler_info_0.json" || value != json!({}));
        let text = spelled(&value.to_string(), ascii);
        let check = |a: &Path, b: &Path| assert_same_json(&json(a), &json(b), "settings");
        through_a_rank(Flavour::TorchNpu, name, &text, check);
    }
}
