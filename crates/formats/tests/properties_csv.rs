//! Whatever the cells of a csv file are and however they are spelled, reading and writing keeps them.

mod common {
    pub mod csv_layouts;
    pub mod hostile;
    pub mod microseconds;
    pub mod rows;
    pub mod through_a_rank;
}

use std::path::Path;

use common::csv_layouts::{Cell, CsvLayout, columns, layouts};
use common::hostile::hostile;
use common::microseconds::microseconds;
use common::rows::rows;
use common::through_a_rank::through_a_rank;
use npuscope_tables::table::{diagnostic, kernel};
use npuscope_tables::{Framework, RankTables, Span, TableId};
use npuscope_testing::csv;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// A csv file, any of the layouts with a few rows.
fn csv_file() -> impl Strategy<Value = (CsvLayout, Vec<Vec<String>>)> {
    select(layouts()).prop_flat_map(|layout| {
        let row: Vec<_> = columns(&layout).map(|(cell, _)| cell.strategy()).collect();
        (Just(layout), vec(row, 1..6))
    })
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

/// What stands in a cell of some encoding, well spelled or not.
fn spelled_cell(cell: Cell) -> BoxedStrategy<String> {
    let missing = || select(vec!["", "N/A", "NA", "-", " "]).prop_map(str::to_owned);
    match cell {
        Cell::Name | Cell::Text(_) | Cell::Lines | Cell::Device | Cell::Only(_) => {
            prop_oneof![4 => cell.strategy(), 1 => missing()].boxed()
        }
        // A file may have no value at all in such a column; then waiting times are computed.
        Cell::Span(_) => prop_oneof![microseconds(), spelled_number(), missing()].boxed(),
        Cell::Time(_) | Cell::Life(_) => {
            prop_oneof![2 => cell.strategy(), 1 => microseconds(), 1 => spelled_number()].boxed()
        }
        Cell::Int(_) | Cell::Real(_) | Cell::Size(..) => spelled_number(),
    }
}

/// Headers that no layout has, and one that many have, so that it is there twice.
const MORE_HEADERS: [&str; 5] = ["Added Later(us)", "aic_new_ratio", "新列", "odd, \"header\"", "Name"];

/// A csv file as bytes: any of the layouts, its columns in any order and others among them, with any spelling.
fn spelled_file() -> impl Strategy<Value = (Framework, String, String)> {
    let file = (select(layouts()), subsequence(&MORE_HEADERS[..], 0..=2)).prop_flat_map(|(layout, more)| {
        let known = columns(&layout).map(|(cell, header)| (header, spelled_cell(cell)));
        let any_cell = || prop_oneof![spelled_number(), hostile()].boxed();
        let columns: Vec<_> = known.chain(more.into_iter().map(|header| (header, any_cell()))).collect();
        let in_order = prop_oneof![Just(columns.clone()), Just(columns).prop_shuffle()];
        (Just((layout.0, layout.1)), in_order)
    });
    let file = file.prop_flat_map(|(file, columns)| {
        let (headers, cells): (Vec<&str>, Vec<BoxedStrategy<String>>) = columns.into_iter().unzip();
        let quoted = |cell: BoxedStrategy<String>| (cell, prop::bool::weighted(0.2));
        let row: Vec<_> = cells.into_iter().map(quoted).collect();
        (Just((file, headers)), vec(row, 1..6), any::<[bool; 5]>())
    });
    file.prop_map(|(((framework, kind), headers), rows, [lf, bom, quotes_all, spaces, is_cut])| {
        let space = if spaces { " " } else { "" };
        let headers = headers.iter().map(|header| (format!("{header}{space}"), false)).collect();
        // A row of one empty cell without quotes is an empty line, which is no row.
        let is_alone = |row: &[(String, bool)]| row.len() == 1;
        let line = |row: &Vec<(String, bool)>| {
            let spelled = |(cell, is_quoted): &(String, bool)| {
                let is_needed = cell.contains([',', '"', '\r', '\n']) || cell.is_empty() && is_alone(row);
                let is_quoted = quotes_all || is_needed || *is_quoted;
                if is_quoted { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
            };
            row.iter().map(spelled).collect::<Vec<_>>().join(",")
        };
        let end = if lf { "\n" } else { "\r\n" };
        let mark = if bom { "\u{feff}" } else { "" };
        let lines: Vec<String> = std::iter::once(&headers).chain(&rows).map(line).collect();
        // Without a whole row there is no file.
        let last = if is_cut && rows.len() > 1 { "" } else { end };
        (framework, format!("{kind}.csv"), format!("{mark}{}{last}", lines.join(end)))
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
    through_a_rank(Framework::TorchNpu, "step_trace_time.csv", text, |source, target| {
        assert_same_lines(source, target);
    });
}

#[test]
fn a_row_that_starts_with_a_byte_order_mark_keeps_it() {
    let text = "Device_id,OP Type,Core Type,Count\r\n\u{feff}1,a,b,2\r\n";
    let rank = |source: &Path, target: &Path| assert_same_lines(source, target);
    through_a_rank(Framework::TorchNpu, "op_statistic.csv", text, rank);
    let text = "Name,Size(KB),Device Type\r\n\u{feff}aten::mm,12.50,NPU:0\r\n";
    through_a_rank(Framework::TorchNpu, "operator_memory.csv", text, rank);
}

#[test]
fn times_beyond_the_end_of_time_do_not_overflow() {
    let text = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Preparing\r\n\
        1,9e30,9e30,-9e30,-9e30,9e30,0,-9e30,9e30\r\n2,-9e30,9e30,0,-9e30,-9e30,0,9e30,-9e30\r\n";
    through_a_rank(Framework::TorchNpu, "step_trace_time.csv", text, assert_same_lines);
}

#[test]
fn times_of_kernels_far_apart_do_not_overflow() {
    let text = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\r\n\
        1,A,A,a,-0.002\t,0.000,0.000\r\n1,B,B,b,8058943946192189.530\t,1736408883688177.000,0.000\r\n";
    through_a_rank(Framework::TorchNpu, "kernel_details.csv", text, assert_same_lines);
}

#[test]
fn waiting_times_that_a_file_lacks_stay_missing_in_it() {
    let text = "Name,Start Time(us),Duration(us),Wait Time(us)\r\na,10.000\t,5.0,N/A\r\nb,20.000\t,5.0,\r\n";
    let (before, _) = through_a_rank(Framework::TorchNpu, "kernel_details.csv", text, assert_same_lines);
    let waits = before.rows::<kernel::Row>().map(|kernel| kernel.wait.map(Span::ns));
    assert_eq!(waits.collect::<Vec<_>>(), [Some(0), Some(5000)]);
}

#[test]
fn sheets_keep_quotes_that_need_not_be() {
    let text = "Mode,\"Max\"\n\"Link 0\",\"1.50\"\nLink 1,\"2\"\n";
    through_a_rank(Framework::TorchNpu, "hccs.csv", text, assert_same_lines);
}

#[test]
fn a_last_line_without_a_line_end_is_no_row_and_comes_back() {
    let step_trace = "Step,Computing,Free\r\n1,2.0,3.0\r\n2,3.0,4";
    let (before, after) = through_a_rank(Framework::TorchNpu, "step_trace_time.csv", step_trace, assert_same_lines);
    assert_eq!([&before, &after].map(|tables| tables.len(TableId::ReportedStep)), [1, 1]);
    through_a_rank(Framework::TorchNpu, "hccs.csv", "Mode,Max\nLink 0,1\nLink 1,2", assert_same_lines);
}

proptest! {
    #![proptest_config(npuscope_testing::cases(100))]

    #[test]
    fn csv_files_come_back_byte_for_byte((framework, name, text) in spelled_file()) {
        through_a_rank(framework, &name, &text, |source, target| {
            assert_same_lines(source, target);
        });
    }

    #[test]
    fn csv_files_keep_every_cell((layout, rows) in csv_file()) {
        let headers: Vec<String> = columns(&layout).map(|(_, header)| header.to_owned()).collect();
        let (framework, kind, _) = layout;
        let text: String = std::iter::once(&headers).chain(&rows).map(|row| quoted(row)).collect();
        let (before, after) = through_a_rank(framework, &format!("{kind}.csv"), &text, |source, target| {
            assert_eq!(csv(source), csv(target));
        });
        assert_same_rows(&before, &after, |table| is_of_csv(table) && !before.is_empty(table));
        prop_assert!(before.rows::<diagnostic::Row>().all(|row| row.file.is_none()));
    }
}
