//! Damaged, foreign and misplaced files: each is told, and none is in the way of what can be read.

#[path = "../common/rows.rs"]
mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use npuscope_formats::output::Output;
use npuscope_formats::problem::Problem;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::{comm_json, csv, info_json, trace_json};
use npuscope_store::discover::{Profile, discover};
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::{Form, JobConfig, simulate, write_job};
use npuscope_tables::Flavour;
use npuscope_tables::table::{diagnostic, host_op, lane, rank};
use npuscope_tables::{RankBuilder, RankPieces, RankTables, TableId, schema};
use npuscope_testing::entries;
use rows::rows;
use serde_json::value::RawValue;
use tempfile::TempDir;

/// Two ranks of a small job.
fn job(form: Form) -> TempDir {
    let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 1, steps: 1, micro_batches: 1, ..JobConfig::default() };
    let directory = tempfile::tempdir().unwrap();
    write_job(&simulate(&config).unwrap(), form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
    directory
}

/// The directory of a rank of a job.
fn rank_directory(job: &Path, rank: usize) -> PathBuf {
    entries(job).into_iter().filter(|p| p.is_dir()).nth(rank).unwrap()
}

/// Every file of a rank, by its name relative to the rank's directory.
fn files(rank: &Path) -> Vec<(String, PathBuf)> {
    let all = entries(rank).into_iter().chain(entries(&rank.join(OUTPUT_DIRECTORY))).filter(|p| p.is_file());
    all.map(|path| (path.strip_prefix(rank).unwrap().to_str().unwrap().to_owned(), path)).collect()
}

fn read(profile: &Profile, rank: usize) -> RankTables {
    read_rank(&profile.ranks[rank], ReadOptions { threads: 2, ..ReadOptions::default() })
}

fn read_path(path: &Path) -> RankTables {
    read(&discover(path).unwrap(), 0)
}

/// The tables but for what is said about the files themselves.
fn facts(tables: &RankTables) -> BTreeMap<&'static str, Vec<String>> {
    let about_files = [TableId::Diagnostic, TableId::Source, TableId::Rank];
    let ids = TableId::ALL.iter().filter(|id| !about_files.contains(id));
    ids.map(|&id| (schema::spec(id).name, rows(tables, id))).filter(|(_, rows)| !rows.is_empty()).collect()
}

fn assert_same_facts(what: &str, a: &RankTables, b: &RankTables) {
    let (a, b) = (facts(a), facts(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (table, rows) in &a {
        assert!(rows == &b[table], "{what}: {table} differs, {} rows and {}", rows.len(), b[table].len());
    }
}

/// Code, offset and message of the diagnostics that name `file`.
fn told(tables: &RankTables, file: &str) -> Vec<(String, Option<i64>, String)> {
    tables
        .rows::<diagnostic::Row>()
        .filter(|row| tables.opt_text(row.file) == Some(file))
        .map(|row| (tables.text(row.code).to_owned(), row.offset, tables.text(row.message).to_owned()))
        .collect()
}

/// The one diagnostic that names `file`: its code and offset.
fn only_told(tables: &RankTables, file: &str) -> (String, Option<i64>) {
    let told = told(tables, file);
    let [(code, offset, message)] = told.as_slice() else { panic!("{file}: {told:?}") };
    assert!(!message.is_empty());
    (code.clone(), *offset)
}

/// A file that says nothing: the rank reads as if it were not there, and one diagnostic tells why.
fn each_file_reads_as_missing(
    form: Form,
    damage: impl Fn(&Path),
    expected: impl Fn(&str) -> (&'static str, Option<i64>),
) {
    let job = job(form);
    let rank = rank_directory(job.path(), 0);
    let aside = job.path().join("aside");
    for (name, path) in files(&rank) {
        fs::rename(&path, &aside).unwrap();
        let missing = read_path(&rank);
        damage(&path);
        let damaged = read_path(&rank);
        assert_same_facts(&name, &missing, &damaged);
        let (code, offset) = expected(&name);
        assert_eq!(only_told(&damaged, &name), (code.to_owned(), offset), "{name}");
        if path.is_dir() {
            fs::remove_dir(&path).unwrap()
        } else {
            fs::remove_file(&path).unwrap()
        }
        fs::rename(&aside, &path).unwrap();
    }
}

#[test]
fn an_empty_file_is_told_and_the_others_are_read() {
    for form in [Form::Text, Form::Db] {
        each_file_reads_as_missing(form, |path| fs::write(path, "").unwrap(), |_| ("empty-file", Some(0)));
    }
}

#[test]
fn a_file_of_spaces_is_an_empty_one() {
    each_file_reads_as_missing(
        Form::Text,
        |path| fs::write(path, "\u{feff} \r\n\t").unwrap(),
        |_| ("empty-file", Some(0)),
    );
}

#[test]
fn binary_garbage_is_told_and_the_others_are_read() {
    let garbage: Vec<u8> = (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    for form in [Form::Text, Form::Db] {
        each_file_reads_as_missing(
            form,
            |path| fs::write(path, &garbage).unwrap(),
            |name| match name.rsplit('.').next().unwrap() {
                "csv" => ("wrong-columns", Some(0)),
                "db" => ("not-a-database", Some(0)),
                _ if name.ends_with("trace_view.json") => ("not-a-trace", Some(0)),
                _ => ("garbage", Some(0)),
            },
        );
    }
}

#[test]
fn utf_16_is_told_and_the_others_are_read() {
    let utf16 = |path: &Path| {
        let text = "[{\"Name\": 1}]\r\n".encode_utf16().flat_map(u16::to_le_bytes);
        fs::write(path, [0xff, 0xfe].into_iter().chain(text).collect::<Vec<u8>>()).unwrap();
    };
    each_file_reads_as_missing(Form::Text, utf16, |_| ("wrong-encoding", Some(0)));
}

#[test]
fn a_directory_in_place_of_a_file_is_told() {
    for form in [Form::Text, Form::Db] {
        each_file_reads_as_missing(form, |path| fs::create_dir(path).unwrap(), |_| ("unreadable", None));
    }
}

#[test]
fn a_link_to_nothing_is_told() {
    for form in [Form::Text, Form::Db] {
        each_file_reads_as_missing(form, |path| symlink("nowhere", path).unwrap(), |_| ("unreadable", None));
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_told_and_not_waited_for() {
    let pipe = |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    each_file_reads_as_missing(Form::Text, pipe, |_| ("unreadable", None));
}

#[test]
fn utf_8_with_a_mark_reads_as_without() {
    let job = job(Form::Text);
    let rank = rank_directory(job.path(), 0);
    let before = read_path(&rank);
    for (_, path) in files(&rank) {
        let text = fs::read(&path).unwrap();
        fs::write(&path, [b"\xef\xbb\xbf", text.as_slice()].concat()).unwrap();
    }
    let after = read_path(&rank);
    assert_same_facts("all files", &before, &after);
    assert_eq!(rows(&before, TableId::Diagnostic), rows(&after, TableId::Diagnostic));
}

#[test]
fn latin_1_is_told_where_it_is_and_costs_no_row() {
    let job = job(Form::Text);
    let rank = rank_directory(job.path(), 0);
    let before = read_path(&rank);
    let mut offsets = BTreeMap::new();
    for (name, path) in files(&rank) {
        let mut text = fs::read(&path).unwrap();
        let is_csv = name.ends_with(".csv");
        let from = if is_csv { row_ends(&text)[0] } else { text.len() / 2 };
        // A letter of a cell or of a text; of a key only in a file that has no texts.
        let letter = |before: &[u8]| {
            let found = text[from..]
                .windows(before.len() + 1)
                .position(|bytes| bytes.starts_with(before) && bytes[before.len()].is_ascii_alphabetic());
            found.map(|place| from + place + before.len())
        };
        let at = match is_csv {
            true => from + text[from..].iter().position(u8::is_ascii_alphanumeric).unwrap(),
            false => letter(b": \"").or_else(|| letter(b"\"")).unwrap(),
        };
        text[at] = 0xe9;
        fs::write(&path, &text).unwrap();
        offsets.insert(name, if is_csv { from } else { at });
    }
    let after = read_path(&rank);
    for id in [TableId::HostOp, TableId::Kernel, TableId::MemEvent, TableId::MemSample, TableId::ReportedApi] {
        assert_eq!(before.len(id), after.len(id), "{id:?}");
    }
    for (name, offset) in offsets {
        let told = told(&after, &name);
        assert!(
            told.iter().any(|(code, at, _)| code == "wrong-encoding" && *at == Some(offset as i64)),
            "{name} at {offset}: {told:?}"
        );
    }
}

/// Reads bytes as a trace; its tables and problems.
fn read_trace(bytes: &[u8]) -> (RankTables, Vec<Problem>) {
    let mut pieces = RankPieces::default();
    let summary = trace_json::read(bytes, "trace_view.json", 2, &mut pieces);
    (pieces.finish(), summary.problems)
}

/// A trace of the job, with names and arguments that are hard to cut.
fn hostile_trace() -> Vec<u8> {
    let job = job(Form::Text);
    let path = rank_directory(job.path(), 0).join(OUTPUT_DIRECTORY).join("trace_view.json");
    let trace = fs::read_to_string(path).unwrap();
    let events: Vec<&RawValue> = serde_json::from_str(&trace).unwrap();
    let events: Vec<&str> = events.iter().map(|e| e.get()).step_by(7).collect();
    let (head, tail) = events.split_at(events.len() / 2);
    let hostile = r#"{"ph": "X", "name": "größe {\"},[{ 算子😀", "pid": 1, "tid": 2, "ts": "1736408883688177.930",
        "dur": 12.500, "args": {"a": [{"ph": "X", "ts": "1"}, {"name": "}],[{\\"}], "b": {"c": null, "d": 12345678901234567890}}}"#;
    format!("[{}, {hostile}, {}]", head.join(", "), tail.join(", ")).into_bytes()
}

#[test]
fn a_cut_trace_keeps_every_event_before_the_cut() {
    let trace = hostile_trace();
    let events: Vec<&RawValue> = serde_json::from_slice(&trace).unwrap();
    let ends: Vec<usize> =
        events.iter().map(|e| e.get().as_ptr() as usize - trace.as_ptr() as usize + e.get().len()).collect();
    let hostile = events.iter().position(|e| e.get().contains("größe")).unwrap();
    let every_byte = ends[hostile - 1] - 20..ends[hostile + 1] + 5;
    let spread = (1..trace.len()).step_by(trace.len() / 40);
    for cut in every_byte.chain(spread).chain([trace.len() - 1]) {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let mut closed = trace[..if whole == 0 { 1 } else { ends[whole - 1] }].to_vec();
        closed.push(b']');
        let ((expected, none), (tables, problems)) = (read_trace(&closed), read_trace(&trace[..cut]));
        assert_eq!(none, []);
        assert_same_facts(&format!("cut at {cut}"), &expected, &tables);
        let [problem] = problems.as_slice() else { panic!("cut at {cut}: {problems:?}") };
        assert_eq!((problem.code, problem.file.as_str()), ("cut-file", "trace_view.json"));
        assert!(problem.message.contains(&format!("{whole} events")), "cut at {cut}: {}", problem.message);
        let offset = problem.offset.unwrap() as usize;
        let last_end = if whole == 0 { 1 } else { ends[whole - 1] };
        assert!((last_end..=cut).contains(&offset), "cut at {cut}: {offset}");
    }
}

#[test]
fn a_trace_with_zeros_after_the_cut_is_a_cut_trace() {
    let trace = hostile_trace();
    let cut = &trace[..trace.len() / 2];
    let zeros = [cut, &[0; 5000]].concat();
    let ((expected, cut_problems), (tables, problems)) = (read_trace(cut), read_trace(&zeros));
    assert_same_facts("zeros", &expected, &tables);
    assert_eq!(cut_problems, problems);
}

#[test]
fn an_empty_list_of_events_is_a_trace_without_a_fault() {
    for text in ["[]", " [ ] ", r#"{"traceEvents": []}"#] {
        let (tables, problems) = read_trace(text.as_bytes());
        assert_eq!((facts(&tables).len(), problems), (0, vec![]), "{text}");
    }
}

#[test]
fn a_second_list_after_the_first_is_told() {
    let (_, problems) = read_trace(b"[] []");
    assert_eq!(problems.iter().map(|p| (p.code, p.offset)).collect::<Vec<_>>(), [("garbage", Some(3))]);
}

#[test]
fn garbage_between_events_costs_only_itself() {
    let trace = hostile_trace();
    let events: Vec<&RawValue> = serde_json::from_slice(&trace).unwrap();
    let texts: Vec<&str> = events.iter().map(|e| e.get()).collect();
    let (head, tail) = texts.split_at(texts.len() / 2);
    for garbage in ["garbage", "{\"ph\": \"X\", broken}", "{\"ph\" 1}", "\u{1}\u{2}"] {
        let head = head.join(", ");
        let text = format!("[{head}, {garbage}, {}]", tail.join(", "));
        let (tables, problems) = read_trace(text.as_bytes());
        assert_same_facts(garbage, &read_trace(&trace).0, &tables);
        let told: Vec<_> = problems.iter().map(|p| (p.code, p.offset)).collect();
        assert_eq!(told, [("garbage", Some(head.len() as u64 + 3))], "{garbage}");
    }
}

/// Where the rows of a csv file end.
fn row_ends(text: &[u8]) -> Vec<usize> {
    let mut in_quotes = false;
    let mut ends = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b'\n' if !in_quotes => ends.push(at + 1),
            _ => {}
        }
    }
    ends
}

#[test]
fn an_event_without_its_closing_quote_costs_only_itself() {
    let event = |number: usize| {
        format!(r#"{{"ph":"X","name":"op {number}","pid":1,"tid":1,"ts":"{number}.000","dur":1,"args":{{"a":"b"}}}}"#)
    };
    let mut events: Vec<String> = (0..40_000).map(event).collect();
    events[10_000] = events[10_000].replace(r#""b""#, r#""b"#);
    let text = format!("[{}]", events.join(","));
    for stretches in [1, 3] {
        let mut pieces = RankPieces::default();
        let summary = trace_json::read_in(text.as_bytes(), "trace_view.json", stretches, 2, &mut pieces);
        assert_eq!(summary.events, 39_999);
        let offset = events[..10_000].iter().map(|event| event.len() + 1).sum::<usize>() + 1;
        let told: Vec<_> = summary.problems.iter().map(|p| (p.code, p.offset)).collect();
        assert_eq!(told, [("garbage", Some(offset as u64))]);
    }
}

#[test]
fn a_cut_csv_keeps_every_whole_row() {
    let job = job(Form::Text);
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
            let outcome = csv::read_file(kind, Flavour::TorchNpu, bytes, &name, &mut rank);
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
            assert_eq!((&expected[rows].1.problems, outcome.rows), (&vec![], rows as u64), "{what}");
            let told: Vec<_> = outcome.problems.iter().map(|p| (p.code, p.offset)).collect();
            assert_eq!(told, [("cut-file", Some(whole as u64))][..usize::from(cut > whole)], "{what}");
        }
    }
}

#[test]
fn a_csv_cut_in_its_header_says_so() {
    let mut rank = RankBuilder::default();
    let outcome =
        csv::read_file("kernel_details", Flavour::TorchNpu, b"Name,Type,Acc", "kernel_details.csv", &mut rank);
    assert_eq!(outcome.problems.iter().map(|p| p.code).collect::<Vec<_>>(), ["cut-file"]);
}

#[test]
fn rows_with_too_few_or_too_many_cells_are_left_out_and_counted() {
    let text = b"Step,Computing,Free\r\n1,2.0,3.0\r\n2,3.0\r\n3\r\n4,5.0,6.0,\r\n5,6.0,7.0,8.0\r\n";
    let mut rank = RankBuilder::default();
    let outcome = csv::read_file("step_trace_time", Flavour::TorchNpu, text, "step_trace_time.csv", &mut rank);
    assert_eq!(outcome.rows, 2);
    let told: Vec<_> = outcome.problems.iter().map(|p| (p.code, p.offset)).collect();
    assert_eq!(told, [("short-row", Some(32)), ("uneven-rows", None)]);
    assert!(outcome.problems[1].message.contains("2 more rows"), "{}", outcome.problems[1].message);
}

/// Whether the rows of a cut file are the first of the whole file, table by table.
fn assert_first_rows(what: &str, whole: &BTreeMap<&str, Vec<String>>, cut: &RankTables) {
    for (table, rows) in facts(cut) {
        assert_eq!(rows, whole[table][..rows.len()], "{what}: {table}");
    }
}

#[test]
fn a_cut_communication_json_keeps_every_entry_before_the_cut() {
    let job = job(Form::Text);
    let output = rank_directory(job.path(), 0).join(OUTPUT_DIRECTORY);
    let files = [
        ("communication.json", "Communication Time Info", TableId::ReportedComm),
        ("communication_matrix.json", "Transport Type", TableId::ReportedLink),
    ];
    for (name, mark, table) in files {
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
        assert_eq!((outcome.problems, outcome.rows), (vec![], whole.len(table) as u64));
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
            let [problem] = outcome.problems.as_slice() else { panic!("{name} cut at {cut}: {:?}", outcome.problems) };
            assert_eq!((problem.code, problem.offset), ("cut-file", Some(cut as u64)), "{name} cut at {cut}");
            assert!(problem.message.contains(&format!("{entries} entries")), "{}", problem.message);
        }
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
        let problem = result.unwrap_err();
        assert_eq!((problem.code, problem.offset), ("cut-file", Some(cut as u64)));
        assert!(problem.message.contains(&format!("{} settings", tables.len(TableId::Metadata))));
    }
}

#[test]
fn a_setting_that_is_no_json_costs_only_itself() {
    let mut rank = RankBuilder::default();
    let problem = info_json::read(br#"{"a": 1, "b": NaN, "c": 2}"#, "profiler_info", &mut rank).unwrap_err();
    assert_eq!((problem.code, problem.offset), ("garbage", Some(14)));
    assert_eq!(rank.finish().len(TableId::Metadata), 2);
}

#[test]
fn a_figure_that_is_no_number_costs_only_itself() {
    let text = br#"{"step1": {"p2p": {}, "collective": {
        "op@1": {"Communication Time Info": {"Elapse Time(ms)": null, "Wait Time(ms)": "x", "Transit Time(ms)": 1.5}},
        "op@2": {"Communication Time Info": {"Elapse Time(ms)": 2.5}}}}}"#;
    let mut rank = RankBuilder::default();
    let outcome = comm_json::read_communication(text, "communication.json", &mut rank);
    assert_eq!((outcome.rows, outcome.problems, outcome.unread), (2, vec![], vec!["Wait Time(ms)".to_owned()]));
}

#[test]
fn json_nested_a_hundred_thousand_deep_is_no_danger() {
    const LEVELS: usize = 100_000;
    let arrays = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let objects = "{\"a\": ".repeat(LEVELS) + "1" + &"}".repeat(LEVELS);
    let job = job(Form::Text);
    let rank = rank_directory(job.path(), 0);
    for (name, path) in files(&rank).into_iter().filter(|(name, _)| name.ends_with(".json")) {
        let text = fs::read(&path).unwrap();
        for deep in [&arrays, &objects] {
            for open in [deep.as_str(), &deep[..deep.len() / 2]] {
                fs::write(&path, open).unwrap();
                let told = told(&read_path(&rank), &name);
                let says_nothing = name.contains("communication") && open == objects;
                assert_eq!(told.is_empty(), says_nothing, "{name}: {told:?}");
            }
        }
        fs::write(&path, text).unwrap();
    }
    let event = |args: &str| {
        format!(r#"[{{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {{"x": {args}}}}}]"#)
    };
    let (tables, problems) = read_trace(event(&arrays).as_bytes());
    assert_eq!((tables.len(TableId::HostOp), problems), (1, vec![]));
}

#[test]
fn of_two_directories_of_one_rank_the_newer_is_read() {
    let job = job(Form::Text);
    let (rank, other) = (rank_directory(job.path(), 0), rank_directory(job.path(), 1));
    let copy = job.path().join("node0000_100000_20270101000000000_ascend_pt");
    fs::remove_dir_all(&other).unwrap();
    copy_directory(&rank, &copy);
    fs::write(copy.join(OUTPUT_DIRECTORY).join("trace_view.json"), "[]").unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|r| (r.rank, r.directory.clone())).collect::<Vec<_>>(), [(0, copy.clone())]);
    let tables = read(&profile, 0);
    let name = rank.file_name().unwrap().to_str().unwrap();
    assert_eq!(only_told(&tables, name), ("duplicate-rank".to_owned(), None));
    assert!(tables.is_empty(TableId::HostOp));
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in entries(from) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_directory(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn format_of(tables: &RankTables) -> String {
    tables.text(tables.rows::<rank::Row>().next().unwrap().format).to_owned()
}

#[test]
fn a_rank_in_both_forms_is_read_once() {
    let (both, db) = (job(Form::Both), job(Form::Db));
    let both = read_path(&rank_directory(both.path(), 0));
    let db = read_path(&rank_directory(db.path(), 0));
    assert_eq!((format_of(&both).as_str(), format_of(&db).as_str()), ("text+db", "db"));
    for (table, rows) in facts(&db) {
        assert_eq!(facts(&both)[table].len(), rows.len(), "{table}");
    }
    let told: Vec<_> = both.rows::<diagnostic::Row>().map(|row| both.text(row.code).to_owned()).collect();
    assert_eq!(told, ["told-by-database"]);
}

#[test]
fn a_damaged_database_gives_way_to_the_text_beside_it() {
    let (both, text) = (job(Form::Both), job(Form::Text));
    let rank = rank_directory(both.path(), 0);
    for (name, path) in files(&rank).into_iter().filter(|(name, _)| name.ends_with(".db")) {
        let mut bytes = fs::read(&path).unwrap();
        // Of the smaller database nothing is left, of the larger one most.
        let damaged = if name.contains("profiler") { 16_384..40_000 } else { 0..bytes.len() };
        bytes[damaged].fill(0xa5);
        fs::write(path, bytes).unwrap();
    }
    let tables = read_path(&rank);
    assert_same_facts("text", &read_path(&rank_directory(text.path(), 0)), &tables);
    let told = told(&tables, "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db");
    assert!(told.iter().any(|(code, offset, _)| code.starts_with("damaged") && offset.is_some()), "{told:?}");
}

#[test]
fn databases_of_several_ranks_may_lie_in_one_directory() {
    let job = job(Form::Db);
    let together = tempfile::tempdir().unwrap();
    for number in 0..2 {
        let name = format!("ascend_pytorch_profiler_{number}.db");
        let source = rank_directory(job.path(), number).join(OUTPUT_DIRECTORY).join(&name);
        fs::copy(source, together.path().join(&name)).unwrap();
    }
    fs::write(together.path().join("trace_view.json"), "[]").unwrap();
    let profile = discover(together.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [0, 1]);
    for number in 0..2 {
        let alone = read_path(&rank_directory(job.path(), number));
        assert_eq!(read(&profile, number).len(TableId::Task), alone.len(TableId::Task));
    }
    let problems: Vec<_> =
        profile.job.iter().flat_map(|job| &job.problems).map(|p| (p.code, p.file.as_str())).collect();
    assert_eq!(problems, [("whose-file", "trace_view.json")]);
}

#[test]
fn a_stray_file_does_not_hide_the_ranks_below() {
    let job = job(Form::Text);
    fs::write(job.path().join("trace_view.json"), r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":"1.000","dur":1}]"#)
        .unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.len(), 3);
}

#[test]
fn slices_of_a_trace_keep_their_lanes_apart() {
    let directory = tempfile::tempdir().unwrap();
    for (number, pid) in [(0, 7), (1, 8)] {
        let name = format!("msprof_slice_{number}_2026010100000{number}.json");
        let slice = format!(
            r#"[{{"ph":"M","name":"process_name","pid":{pid},"tid":0,"args":{{"name":"CANN"}}}},
                {{"ph":"X","name":"slice {pid}","pid":{pid},"tid":1,"ts":"1.000","dur":1,"args":{{}}}}]"#
        );
        fs::write(directory.path().join(name), slice).unwrap();
    }
    let tables = read_path(directory.path());
    let lanes: BTreeMap<u32, i64> = tables.rows::<lane::Row>().map(|row| (row.lane, row.pid)).collect();
    let placed: Vec<_> =
        tables.rows::<host_op::Row>().map(|row| (tables.text(row.name).to_owned(), lanes[&row.lane])).collect();
    assert_eq!(placed, [("slice 7".to_owned(), 7), ("slice 8".to_owned(), 8)]);
}

#[test]
fn a_single_file_knows_the_rank_whose_directory_it_lies_in() {
    let job = job(Form::Text);
    let rank = rank_directory(job.path(), 1);
    let profile = discover(&rank.join(OUTPUT_DIRECTORY).join("kernel_details.csv")).unwrap();
    assert_eq!(profile.ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [1]);
    assert_eq!(read(&profile, 0).len(TableId::Task), 0);
    assert!(read(&profile, 0).len(TableId::Kernel) > 0);
}

#[test]
fn ranks_may_come_in_different_forms() {
    let (text, db) = (job(Form::Text), job(Form::Db));
    let rank = rank_directory(db.path(), 1);
    fs::remove_dir_all(rank_directory(text.path(), 1)).unwrap();
    copy_directory(&rank, &text.path().join(rank.file_name().unwrap()));
    let profile = discover(text.path()).unwrap();
    let formats: Vec<_> = (0..2).map(|n| (profile.ranks[n].rank, format_of(&read(&profile, n)))).collect();
    assert_eq!(formats, [(0, "text".to_owned()), (1, "db".to_owned())]);
    assert_eq!(read(&profile, 0).len(TableId::Kernel), read_path(&rank_directory(db.path(), 0)).len(TableId::Kernel));
}

#[test]
fn where_the_database_is_unreadable_the_text_beside_it_is_read() {
    let (both, text) = (job(Form::Both), job(Form::Text));
    let rank = rank_directory(both.path(), 0);
    for (_, path) in files(&rank).into_iter().filter(|(name, _)| name.ends_with(".db")) {
        fs::write(path, "SQLite format 3").unwrap();
    }
    let tables = read_path(&rank);
    assert_same_facts("text", &read_path(&rank_directory(text.path(), 0)), &tables);
    let name = format!("{OUTPUT_DIRECTORY}/ascend_pytorch_profiler_0.db");
    assert_eq!(only_told(&tables, &name), ("not-a-database".to_owned(), Some(0)));
}

#[test]
fn links_to_directories_above_are_not_followed() {
    let job = job(Form::Text);
    symlink(job.path(), job.path().join("again")).unwrap();
    fs::create_dir_all(job.path().join("a/b")).unwrap();
    symlink("../..", job.path().join("a/b/up")).unwrap();
    symlink("self", job.path().join("self")).unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|r| r.rank).collect::<Vec<_>>(), [0, 1]);
    assert!(profile.ranks.iter().all(|rank| rank.problems.is_empty()));
    let told: Vec<_> = profile.job.unwrap().problems.into_iter().map(|p| (p.code, p.file)).collect();
    assert_eq!(told, [("symlink-loop", "a/b/up".to_owned()), ("symlink-loop", "again".to_owned())]);
}

#[test]
fn a_directory_that_many_links_lead_to_is_looked_into_once() {
    let job = job(Form::Text);
    let names: Vec<String> = (0..12).map(|n| format!("d{n}")).collect();
    for name in &names {
        fs::create_dir(job.path().join(name)).unwrap();
        for other in &names {
            symlink(job.path().join(other), job.path().join(name).join(other)).unwrap();
        }
    }
    symlink(rank_directory(job.path(), 12), job.path().join("d0/latest")).unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|r| r.rank).collect::<Vec<_>>(), [0, 1]);
}

/// The profiler's database of a job, its bytes and the size of its pages.
fn database(rank: &Path) -> (String, PathBuf, Vec<u8>, usize) {
    let name = format!("{OUTPUT_DIRECTORY}/ascend_pytorch_profiler_0.db");
    let path = rank.join(&name);
    let bytes = fs::read(&path).unwrap();
    let page = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    (name, path, bytes, page)
}

#[test]
fn a_damaged_page_of_a_database_costs_only_its_table() {
    let job = job(Form::Db);
    let rank = rank_directory(job.path(), 0);
    let (name, path, bytes, page) = database(&rank);
    let whole = read_path(&rank);
    let root = |table: &str| -> usize {
        let connection = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT rootpage FROM sqlite_master WHERE name = ?";
        connection.query_row(sql, [table], |row| row.get::<_, u32>(0)).unwrap() as usize
    };
    let tables_lost = [
        ("OP_MEMORY", TableId::MemEvent),
        ("OVERLAP_ANALYSIS", TableId::Overlap),
        ("COMMUNICATION_TASK_INFO", TableId::CommTask),
    ];
    for (table, lost) in tables_lost {
        let start = (root(table) - 1) * page;
        let mut damaged = bytes.clone();
        damaged[start..start + page].fill(0xa5);
        fs::write(&path, &damaged).unwrap();
        let tables = read_path(&rank);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(only_told(&tables, &name), ("damaged-table".to_owned(), Some(start as i64)), "{table}");
        assert!(told(&tables, &name)[0].2.contains(table));
        let about_tables = [TableId::Lane, TableId::Source, TableId::Diagnostic];
        for &id in TableId::ALL.iter().filter(|id| !about_tables.contains(id)) {
            assert_eq!(tables.len(id), if id == lost { 0 } else { whole.len(id) }, "{table}: {id:?}");
        }
    }
}

#[test]
fn a_cut_database_keeps_the_tables_before_the_cut() {
    let job = job(Form::Db);
    let rank = rank_directory(job.path(), 0);
    let (name, path, bytes, page) = database(&rank);
    let whole = read_path(&rank);
    let mut before = 0;
    for cut in (100..bytes.len()).step_by(page / 2 + 1).chain([bytes.len() - 1]) {
        fs::write(&path, &bytes[..cut]).unwrap();
        let tables = read_path(&rank);
        assert!(!told(&tables, &name).is_empty(), "cut at {cut}");
        let kept = [TableId::Task, TableId::HostOp, TableId::MemSample, TableId::Counter].map(|id| tables.len(id));
        let total: usize = kept.iter().sum();
        assert!(total >= before, "cut at {cut}: {kept:?}");
        before = total;
    }
    let all = [TableId::Task, TableId::HostOp, TableId::MemSample, TableId::Counter].map(|id| whole.len(id));
    assert_eq!(before, all.iter().sum::<usize>());
}
