//! Damaged csv files, communication summaries and settings.

use std::fs;
use std::path::Path;

use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::{comm_json, csv, info_json, messages};
use npuscope_synth::Format;
use npuscope_tables::table::diagnostic::Code;
use npuscope_tables::{Framework, RankBuilder, TableId};

use super::job::{assert_first_rows, assert_same_facts, facts, files, job, rank_directory, row_ends};

#[test]
fn a_cut_csv_keeps_every_whole_row() {
    let job = job(Format::Text);
    for (name, path) in files(&rank_directory(job.path(), 0)) {
        let Some(kind) = Path::new(&name).file_name().unwrap().to_str().unwrap().strip_suffix(".csv") else { continue };
        let mut text = fs::read_to_string(&path).unwrap();
        text.truncate(row_ends(text.as_bytes())[1]);
        let last = ::csv::Reader::from_reader(text.as_bytes()).records().last().unwrap().unwrap();
        let is_name = |cell: &str| cell.bytes().any(|b| b.is_ascii_lowercase());
        let mut hostile = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
        for _ in 0..2 {
            let cells = last.iter().map(|cell| if is_name(cell) { "größe\r\n\"算子\", 😀" } else { cell });
            hostile.write_record(cells).unwrap();
        }
        text += std::str::from_utf8(&hostile.into_inner().unwrap()).unwrap();
        let text = text.into_bytes();
        let read = |bytes: &[u8]| {
            let mut rank = RankBuilder::default();
            let outcome = csv::read_file(kind, Framework::TorchNpu, bytes, &name, &mut rank);
            (rank.finish(), outcome)
        };
        let ends = row_ends(&text);
        let expected: Vec<_> = ends.iter().map(|&end| read(&text[..end])).collect();
        for cut in ends[0]..=text.len() {
            // Of a line end the first half will do.
            let rows = ends.iter().filter(|&end| end - 1 <= cut).count() - 1;
            let (whole, (tables, outcome)) = (ends[rows], read(&text[..cut]));
            let what = format!("{name} cut at {cut}");
            assert_same_facts(&what, &expected[rows].0, &tables);
            assert_eq!((&expected[rows].1.diagnostics, outcome.rows), (&vec![], rows as u64), "{what}");
            let reported: Vec<_> = outcome.diagnostics.iter().map(|p| (p.code.name(), p.offset)).collect();
            assert_eq!(reported, [("cut-file", Some(whole as u64))][..usize::from(cut > whole)], "{what}");
        }
    }
}

#[test]
fn a_csv_cut_in_its_header_says_so() {
    let mut rank = RankBuilder::default();
    let outcome =
        csv::read_file("kernel_details", Framework::TorchNpu, b"Name,Type,Acc", "kernel_details.csv", &mut rank);
    assert_eq!(outcome.diagnostics.iter().map(|p| p.code.name()).collect::<Vec<_>>(), ["cut-file"]);
}

#[test]
fn rows_with_too_few_or_too_many_cells_are_left_out_and_counted() {
    let text = b"Step,Computing,Free\r\n1,2.0,3.0\r\n2,3.0\r\n3\r\n4,5.0,6.0,\r\n5,6.0,7.0,8.0\r\n";
    let mut rank = RankBuilder::default();
    let outcome = csv::read_file("step_trace_time", Framework::TorchNpu, text, "step_trace_time.csv", &mut rank);
    assert_eq!(outcome.rows, 2);
    let reported: Vec<_> = outcome.diagnostics.iter().map(|p| (p.code.name(), p.offset)).collect();
    assert_eq!(reported, [("short-row", Some(32)), ("uneven-rows", None)]);
    assert_eq!(outcome.diagnostics[1].message, messages::csv_more_uneven_rows(2));
}

#[test]
fn a_cut_communication_json_keeps_every_entry_before_the_cut() {
    assert_cut_anywhere_keeps_entries("communication.json", "Communication Time Info", TableId::ReportedComm);
}

#[test]
fn a_cut_communication_matrix_json_keeps_every_entry_before_the_cut() {
    assert_cut_anywhere_keeps_entries("communication_matrix.json", "Transport Type", TableId::ReportedLink);
}

/// Cuts the file of that name; every entry has the mark once.
fn assert_cut_anywhere_keeps_entries(name: &str, mark: &str, table: TableId) {
    let job = job(Format::Text);
    let output = rank_directory(job.path(), 0).join(OUTPUT_DIRECTORY);
    let text = fs::read(output.join(name)).unwrap();
    let read = |bytes: &[u8]| {
        let mut rank = RankBuilder::default();
        let outcome = match table {
            TableId::ReportedComm => comm_json::read_communication(bytes, name, &mut rank),
            _ => comm_json::read_matrix(bytes, name, &mut rank),
        };
        (rank.finish(), outcome)
    };
    let (whole, outcome) = read(&text);
    assert_eq!((outcome.diagnostics, outcome.rows), (vec![], whole.len(table) as u64));
    let all = facts(&whole);
    let text_str = std::str::from_utf8(&text).unwrap();
    let ends: Vec<usize> =
        text_str.match_indices(mark).map(|(at, _)| at + text_str[at..].find('}').unwrap() + 1).collect();
    assert_eq!(ends.len(), whole.len(table));
    for cut in (1..text.len()).step_by(3) {
        let (tables, outcome) = read(&text[..cut]);
        let entries = ends.iter().filter(|&&end| end <= cut).count();
        assert_eq!(tables.len(table), entries, "{name} cut at {cut}");
        assert_first_rows(&format!("{name} cut at {cut}"), &all, &tables);
        let [diagnostic] = outcome.diagnostics.as_slice() else {
            panic!("{name} cut at {cut}: {:?}", outcome.diagnostics)
        };
        assert_eq!((diagnostic.code, diagnostic.offset), (Code::CutFile, Some(cut as u64)), "{name} cut at {cut}");
        assert_eq!(diagnostic.message, messages::entries_cut(entries as u64));
    }
}

#[test]
fn cut_settings_keep_every_setting_before_the_cut() {
    let text = "{\"größe\": \"算子\\\"}\", \"b\": {\"c\": [1, 2]}, \"d\": 12.5, \"e\": null}".as_bytes();
    let read = |bytes: &[u8]| {
        let mut rank = RankBuilder::default();
        let result = info_json::read(bytes, "profiler_info", &mut rank);
        (rank.finish(), result)
    };
    let (whole, result) = read(text);
    assert_eq!(result, Ok(4));
    let whole = facts(&whole);
    for cut in 1..text.len() {
        let (tables, result) = read(&text[..cut]);
        assert_first_rows(&format!("cut at {cut}"), &whole, &tables);
        let diagnostic = result.unwrap_err();
        assert_eq!((diagnostic.code.name(), diagnostic.offset), ("cut-file", Some(cut as u64)));
        assert_eq!(diagnostic.message, messages::settings_incomplete(tables.len(TableId::Metadata) as u64));
    }
}

#[test]
fn a_setting_that_is_no_json_costs_only_itself() {
    let mut rank = RankBuilder::default();
    let diagnostic = info_json::read(br#"{"a": 1, "b": NaN, "c": 2}"#, "profiler_info", &mut rank).unwrap_err();
    assert_eq!((diagnostic.code.name(), diagnostic.offset), ("garbage", Some(14)));
    assert_eq!(rank.finish().len(TableId::Metadata), 2);
}

#[test]
fn a_figure_that_is_no_number_costs_only_itself() {
    let text = br#"{"step1": {"p2p": {}, "collective": {
        "op@1": {"Communication Time Info": {"Elapse Time(ms)": null, "Wait Time(ms)": "x", "Transit Time(ms)": 1.5}},
        "op@2": {"Communication Time Info": {"Elapse Time(ms)": 2.5}}}}}"#;
    let mut rank = RankBuilder::default();
    let outcome = comm_json::read_communication(text, "communication.json", &mut rank);
    assert_eq!((outcome.rows, outcome.diagnostics, outcome.unread), (2, vec![], vec!["Wait Time(ms)".to_owned()]));
}
