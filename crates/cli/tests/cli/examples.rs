//! The examples of the manual, run as a reader would run them.
//!
//! A line `<!-- run -->` before a block of console text marks it as an example. The commands of a page run one after
//! the other in a directory of their own. `<!-- run with raw-job -->` prepares the directory `job` with a recording that
//! was not parsed. `# exit 1` behind a command is its exit code, 0 if there is none. The lines below a command are its
//! output: a line `…` stands for any number of lines, all others must be printed as they are shown. White space is
//! not compared, since the width of a column depends on lines that are left out.

use std::fs;
use std::path::PathBuf;

use crate::parse::raw_job;
use crate::program::{Sandbox, files};

const MARK: &str = "<!-- run";
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

#[test]
fn every_page_with_examples_is_tested() {
    let root = repository();
    let pages = files(&root.join("docs")).into_iter().chain(["README.md", "README.zh.md"].map(|name| root.join(name)));
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let mut found = Vec::new();
    for path in pages.filter(is_page) {
        if fs::read_to_string(&path).unwrap().lines().any(|line| line.starts_with(MARK)) {
            let name = path.strip_prefix(&root).unwrap().components().map(|part| part.as_os_str().to_string_lossy());
            found.push(name.collect::<Vec<_>>().join("/"));
        }
    }
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
    shown: Vec<String>,
}

fn repository() -> PathBuf {
    // Asked for at run time: clones that share a target directory also share what was compiled.
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

/// The examples of a page, and what must be there before they run.
fn examples(page: &str) -> (Vec<Example>, Vec<String>) {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let (mut examples, mut fixtures) = (Vec::<Example>::new(), Vec::new());
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(mark) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix("-->")) else { continue };
        fixtures.extend(mark.trim().strip_prefix("with ").map(str::to_owned));
        let opening = lines.next().map(|(line, _)| line);
        assert_eq!(opening, Some("```console"), "{page}:{number}: a block must follow");
        let before = examples.len();
        for (line, number) in lines.by_ref().take_while(|(line, _)| *line != "```") {
            let place = format!("{page}:{number}");
            match line.strip_prefix("$ ") {
                Some(command) => examples.push(example(command, place)),
                None if examples.len() > before => examples[before..].last_mut().unwrap().shown.push(line.to_owned()),
                None => panic!("{place}: the block does not begin with a command"),
            }
        }
    }
    (examples, fixtures)
}

fn example(command: &str, place: String) -> Example {
    let (mut arguments, comment) = words(command);
    assert!(arguments.first().is_some_and(|program| program == "npuscope"), "{place}: only npuscope runs here");
    arguments.remove(0);
    let code = comment.strip_prefix("exit ").map_or(0, |code| code.parse().unwrap());
    Example { place, arguments, code, shown: Vec::new() }
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
        assert_eq!(fixture, "raw-job", "{page}");
        raw_job(&sandbox);
    }
    for Example { place, arguments, code, shown } in examples {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = sandbox.run(&arguments);
        let (stdout, stderr) = (&ran.stdout, &ran.stderr);
        assert_eq!(ran.code, code, "{place}: {arguments:?} printed\n{stderr}{stdout}");
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
