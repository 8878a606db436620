//! Blocks of code in the manual, and what a page says of each.
//!
//! A line before a block says what becomes of it: `<!-- run -->`, `<!-- run with FIXTURE -->` for files that must be there first,
//! or `<!-- not run: REASON -->`.

use std::fs;
use std::path::PathBuf;

use crate::program::files;

/// A block between two fences.
pub struct Block {
    /// The page, from the root of the repository.
    pub page: String,
    /// The line of its opening fence.
    pub line: usize,
    /// The word behind the opening fence.
    pub language: String,
    pub mark: Option<Mark>,
    pub lines: Vec<String>,
}

/// What becomes of a block.
#[derive(Debug, PartialEq)]
pub enum Mark {
    /// A test runs it, after it has made the fixtures that are named.
    Run(Vec<String>),
    /// No test runs it, for this reason.
    NotRun(String),
}

impl Block {
    pub fn is_run(&self) -> bool {
        matches!(self.mark, Some(Mark::Run(_)))
    }

    /// Its lines with the places to name when one of them fails.
    pub fn numbered(&self) -> impl Iterator<Item = (&str, String)> {
        let place = |index| format!("{}:{}", self.page, self.line + 1 + index);
        self.lines.iter().enumerate().map(move |(index, line)| (line.as_str(), place(index)))
    }
}

pub fn repository() -> PathBuf {
    // Asked for at run time: clones that share a target directory also share what was compiled.
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

/// The blocks of a page, in their order.
pub fn blocks(page: &str) -> Vec<Block> {
    blocks_of(page, &fs::read_to_string(repository().join(page)).unwrap())
}

fn blocks_of(page: &str, text: &str) -> Vec<Block> {
    let (mut blocks, mut mark) = (Vec::new(), None);
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let indent = line.len() - line.trim_start().len();
            let inside = lines.by_ref().map(|(line, _)| line).take_while(|line| line.trim() != "```");
            let lines = inside.map(|line| line.get(indent..).unwrap_or_default().to_owned()).collect();
            blocks.push(Block {
                page: page.to_owned(),
                line: number,
                language: language.to_owned(),
                mark: mark.take(),
                lines,
            });
        } else {
            assert_eq!(mark, None, "{page}:{number}: a block must follow");
            mark = read_mark(line);
        }
    }
    blocks
}

fn read_mark(line: &str) -> Option<Mark> {
    let comment = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    match (comment.strip_prefix("run with "), comment.strip_prefix("not run: ")) {
        (Some(fixtures), _) => Some(Mark::Run(fixtures.split(", ").map(str::to_owned).collect())),
        (_, Some(reason)) => Some(Mark::NotRun(reason.to_owned())),
        _ => (comment == "run").then(|| Mark::Run(Vec::new())),
    }
}

/// Pages whose blocks tests/documentation.rs writes: usage lines, and examples that `command_examples.rs` runs.
const GENERATED: &[&str] = &[
    "docs/cluster.md",
    "docs/cluster.zh.md",
    "docs/commands.md",
    "docs/commands.zh.md",
    "docs/glossary.md",
    "docs/glossary.zh.md",
    "docs/tables.md",
    "docs/tables.zh.md",
];

/// Every page that is written by hand for users.
pub fn written_pages() -> Vec<String> {
    let root = repository();
    let alone = ["README.md", "README.zh.md", "examples/README.md", "python/README.md"].map(|page| root.join(page));
    let pages = files(&root.join("docs")).into_iter().chain(alone);
    let names = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")).map(|path| {
        let parts = path.strip_prefix(&root).unwrap().components().map(|part| part.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    });
    names.filter(|page| !GENERATED.contains(&page.as_str())).collect()
}

#[test]
fn every_block_is_run_by_a_test_or_says_why_not() {
    let mut count = 0;
    for page in written_pages() {
        for Block { page, line, language, mark, .. } in blocks(&page) {
            let place = format!("{page}:{line}");
            match mark {
                None => panic!("{place}: write <!-- run --> or <!-- not run: REASON --> before this block"),
                Some(Mark::NotRun(reason)) => assert!(reason.len() > 10, "{place}: say why"),
                Some(Mark::Run(_)) => {
                    count += 1;
                    // Those of sh and python are run by python/tests/test_manual.py.
                    let known = ["console", "sql", "python", "sh"].contains(&language.as_str());
                    assert!(known, "{place}: no test runs blocks of `{language}`");
                    assert_eq!(language == "sh", page == "examples/README.md", "{place}: write a console block");
                }
            }
        }
    }
    assert!(count > 60, "only {count} blocks are run");
}

#[test]
fn generated_pages_have_usage_lines_and_examples_only() {
    for page in GENERATED {
        for block in blocks(page) {
            let is_usage = block.language.is_empty() && block.lines.iter().all(|line| line.starts_with("npuscope"));
            let is_example = page.starts_with("docs/commands") && block.language == "sh";
            assert!(is_usage || is_example, "{page}:{}: no test runs this", block.line);
        }
    }
}

#[test]
fn a_mark_belongs_to_the_block_behind_it() {
    let text = "<!-- run with a, b -->\n```sql\nx\n```\n<!-- a comment -->\n- item\n  ```sh\n    y\n  ```\n<!-- not run: a tree -->\n```\n```\n";
    let found: Vec<_> = blocks_of("p", text).into_iter().map(|b| (b.line, b.language, b.mark, b.lines)).collect();
    let run = Some(Mark::Run(vec!["a".to_owned(), "b".to_owned()]));
    let not_run = Some(Mark::NotRun("a tree".to_owned()));
    let expected = [
        (2, "sql".to_owned(), run, vec!["x".to_owned()]),
        (7, "sh".to_owned(), None, vec!["  y".to_owned()]),
        (11, String::new(), not_run, vec![]),
    ];
    assert_eq!(found, expected);
}
