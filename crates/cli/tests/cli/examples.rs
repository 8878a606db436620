//! The examples of the manual, run as a reader would run them.
//!
//! The commands of a page run one after the other in a directory of their own, those of console blocks as well as the statements of
//! SQL blocks (`npuscope sql DIR`). `<!-- run with FIXTURE -->` prepares the directory. `# exit 1` behind a command is its exit
//! code, 0 if there is none. The lines below a command are its output: a line `…` stands for any number of lines, all others must
//! be printed as they are shown. White space is not compared, since the width of a column depends on lines that are left out. The
//! output is not compared in a block that shows none of it.

use std::fs;

use crate::blocks::{Block, Mark, blocks, repository, written_pages};
use crate::parse::raw_job;
use crate::program::Sandbox;

const LEFT_OUT: &str = "…";

/// Declares a test for each page.
macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $test() {
                assert_examples($page);
            }
        )*
    };
}

pages! {
    readme: "README.md",
    readme_in_chinese: "README.zh.md",
    collect: "docs/collect.md",
    collect_in_chinese: "docs/collect.zh.md",
    guide: "docs/guide.md",
    guide_in_chinese: "docs/guide.zh.md",
    npu_against_gpu: "docs/questions/npu-against-gpu.md",
    npu_against_gpu_in_chinese: "docs/questions/npu-against-gpu.zh.md",
    out_of_memory: "docs/questions/out-of-memory.md",
    out_of_memory_in_chinese: "docs/questions/out-of-memory.zh.md",
    raw_data_only: "docs/questions/raw-data-only.md",
    raw_data_only_in_chinese: "docs/questions/raw-data-only.zh.md",
    rl_stages: "docs/questions/rl-stages.md",
    rl_stages_in_chinese: "docs/questions/rl-stages.zh.md",
    slow_rank: "docs/questions/slow-rank.md",
    slow_rank_in_chinese: "docs/questions/slow-rank.zh.md",
    slow_step: "docs/questions/slow-step.md",
    slow_step_in_chinese: "docs/questions/slow-step.zh.md",
}

/// Whether this file runs a block; those of Python are run by python/tests/test_manual.py.
fn is_example(block: &Block) -> bool {
    block.is_run() && ["console", "sql"].contains(&block.language.as_str())
}

#[test]
fn every_page_with_examples_is_tested() {
    let mut found = written_pages();
    found.retain(|page| blocks(page).iter().any(is_example));
    found.sort();
    let mut tested = PAGES.to_vec();
    tested.sort_unstable();
    assert_eq!(found, tested);
}

#[test]
fn the_chinese_pages_have_the_examples_of_the_english_ones() {
    let commands = |page: &str| -> Vec<Vec<String>> {
        let without_language = |words: Vec<String>| {
            let at = words.iter().position(|word| word == "--lang").unwrap_or(words.len());
            words.iter().take(at).chain(words.iter().skip(at + 2)).cloned().collect()
        };
        examples(page).0.into_iter().map(|example| without_language(example.arguments)).collect()
    };
    for page in PAGES.iter().filter(|page| !page.ends_with(".zh.md")) {
        assert_eq!(commands(page), commands(&page.replace(".md", ".zh.md")), "{page}");
    }
}

/// A command and what it prints.
struct Example {
    /// Page and line.
    place: String,
    arguments: Vec<String>,
    code: i32,
    /// None where the page does not show the output.
    shown: Option<Vec<String>>,
}

/// The examples of a page, and what must be there before they run.
fn examples(page: &str) -> (Vec<Example>, Vec<String>) {
    let (mut examples, mut fixtures) = (Vec::new(), Vec::new());
    for block in blocks(page).iter().filter(|block| is_example(block)) {
        if let Some(Mark::Run(needed)) = &block.mark {
            fixtures.extend(needed.iter().cloned());
        }
        examples.extend(if block.language == "sql" { statements(block) } else { commands(block) });
    }
    (examples, fixtures)
}

fn commands(block: &Block) -> Vec<Example> {
    let shows_output = block.lines.iter().any(|line| !line.starts_with("$ "));
    let mut examples = Vec::<Example>::new();
    for (line, place) in block.numbered() {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push(example(command, place, shows_output)),
            (None, Some(Example { shown: Some(shown), .. })) => shown.push(line.to_owned()),
            (None, _) => panic!("{place}: the block does not begin with a command"),
        }
    }
    examples
}

fn example(command: &str, place: String, shows_output: bool) -> Example {
    let (mut arguments, comment) = words(command);
    assert!(arguments.first().is_some_and(|program| program == "npuscope"), "{place}: only npuscope runs here");
    arguments.remove(0);
    let code = comment.strip_prefix("exit ").map_or(0, |code| code.parse().unwrap());
    Example { place, arguments, code, shown: shows_output.then(Vec::new) }
}

/// The statements of a block, each as a query of the profile in `DIR`. Each must find something there.
fn statements(block: &Block) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut statement = String::new();
    for (line, place) in block.numbered().filter(|(line, _)| !line.starts_with("-- ")) {
        statement = format!("{statement} {line}").trim().to_owned();
        if let Some(query) = statement.strip_suffix(';') {
            let arguments = ["sql", "DIR", query].map(str::to_owned).into();
            examples.push(Example { place, arguments, code: 0, shown: None });
            statement.clear();
        }
    }
    assert_eq!(statement, "", "{}:{}: end a statement with `;`", block.page, block.line);
    examples
}

/// Makes what a page says that its reader has.
fn prepare(sandbox: &Sandbox, fixture: &str) {
    match fixture {
        // The reader's own profile, of four ranks.
        "profile" => {
            let arguments = "synth -o DIR --pp 1 --layers 2 --micro-batches 1 --steps 3";
            let ran = sandbox.run(&arguments.split(' ').collect::<Vec<_>>());
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        // Settings of the reader's trainer.
        "train.yaml" => {
            fs::copy(repository().join("examples/configs/fsdp2.yaml"), sandbox.path("train.yaml")).unwrap();
        }
        // A recording in `job` that was not parsed.
        "raw-job" => {
            raw_job(sandbox);
        }
        other => panic!("there is no fixture {other}"),
    }
}

/// Arguments that do the same without a browser, at a free port, and end.
fn unattended(arguments: &[String]) -> Vec<String> {
    if arguments.first().is_none_or(|command| command != "view") {
        return arguments.to_vec();
    }
    let mut arguments = arguments.to_vec();
    if let Some(at) = arguments.iter().position(|word| word == "--port") {
        "0".clone_into(&mut arguments[at + 1]);
    }
    arguments.retain(|word| word != "--no-open");
    arguments.extend(["--no-open", "--idle-timeout", "1"].map(str::to_owned));
    arguments
}

/// The words of a command as a shell divides them, and the comment behind it.
fn words(command: &str) -> (Vec<String>, &str) {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word = Some(word.unwrap_or_default());
            }
            (None, ' ') => words.extend(word.take()),
            (None, '#') if word.is_none() => return (words, letters.as_str().trim()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    assert_eq!(quote, None, "{command}: a quotation mark is missing");
    words.extend(word);
    (words, "")
}

fn assert_examples(page: &str) {
    let (examples, fixtures) = examples(page);
    assert!(!examples.is_empty(), "{page} has no examples");
    let sandbox = Sandbox::empty();
    for fixture in fixtures {
        prepare(&sandbox, &fixture);
    }
    for Example { place, arguments, code, shown } in examples {
        let arguments = unattended(&arguments);
        let ran = sandbox.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let (stdout, stderr) = (&ran.stdout, &ran.stderr);
        assert_eq!(ran.code, code, "{place}: {arguments:?} printed\n{stderr}{stdout}");
        let finds_nothing = arguments[0] == "sql" && stdout.lines().count() < 2;
        assert!(!finds_nothing, "{place}: {arguments:?} has no rows");
        let Some(shown) = shown else { continue };
        // A terminal mixes both; which is first depends on the command.
        let differences =
            [format!("{stderr}{stdout}"), format!("{stdout}{stderr}")].map(|text| difference(&shown, &text));
        if let [Some(first), Some(_)] = differences {
            panic!("{place}: {arguments:?}: {first}; it printed\n{stderr}{stdout}");
        }
    }
}

/// Where lines that a page shows differ from those that were printed.
fn difference(shown: &[String], printed: &str) -> Option<String> {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut printed = printed.lines().map(plain).filter(|line| !line.is_empty());
    let mut may_skip = false;
    for line in shown.iter().map(|line| plain(line)).filter(|line| !line.is_empty()) {
        if line == LEFT_OUT {
            may_skip = true;
            continue;
        }
        let is_printed =
            if may_skip { printed.any(|other| other == line) } else { printed.next().as_ref() == Some(&line) };
        if !is_printed {
            return Some(format!("the page shows `{line}`, which is not printed here"));
        }
        may_skip = false;
    }
    let left = if may_skip { None } else { printed.next() };
    left.map(|line| format!("the page does not show `{line}`; `{LEFT_OUT}` stands for lines that are left out"))
}

#[test]
fn words_are_divided_as_by_a_shell() {
    let (divided, comment) = words(r#"npuscope sql job "SELECT 'a b'" '\d x'  --limit 3   # exit 2"#);
    assert_eq!(divided, ["npuscope", "sql", "job", "SELECT 'a b'", r"\d x", "--limit", "3"]);
    assert_eq!(comment, "exit 2");
}

#[test]
fn only_marked_lines_may_be_left_out() {
    let shown = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let printed = "one  1\ntwo 2\n\nthree 3\n";
    assert_eq!(difference(&shown(&["one 1", "two   2", "", "three 3"]), printed), None);
    assert_eq!(difference(&shown(&["…", "two 2", "…"]), printed), None);
    for wrong in [&["one 1"][..], &["two 2", "three 3"], &["one 1", "three 3"], &["…", "two 2", "one 1", "…"], &[]]
    {
        assert!(difference(&shown(wrong), printed).is_some(), "{wrong:?}");
    }
}
