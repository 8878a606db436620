//! The rules of the workspace that no compiler checks: which crate may depend on which, who may print, and how
//! property tests start.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use npuscope_testing::entries;
use serde_json::Value;

/// Every crate, and the crates of the workspace it may depend on. What a crate may use, it may use directly: the
/// lists are closed under the direction `messages ← tables ← measures ← formats ← store ← {engine, analysis} ← views ← server ←
/// cli`. The tests of a crate may use any.
const MAY_USE: [(&str, &[&str]); 15] = [
    ("messages", &[]),
    ("tables", &["messages"]),
    ("sqlite", &["messages", "tables"]),
    ("measures", &["messages", "tables"]),
    ("formats", &["messages", "tables", "measures", "sqlite"]),
    ("store", BELOW_STORE),
    ("synth", BELOW_STORE),
    ("collect", BELOW_STORE),
    ("engine", BELOW_ANSWERS),
    ("analysis", BELOW_ANSWERS),
    ("views", &["messages", "tables", "measures", "formats", "sqlite", "store", "engine", "analysis"]),
    ("server", &["messages", "tables", "measures", "formats", "sqlite", "store", "engine", "analysis", "views"]),
    ("cli", BELOW_PROGRAMS),
    ("python", BELOW_PROGRAMS),
    ("testing", &["messages", "tables"]),
];
const BELOW_STORE: &[&str] = &["messages", "tables", "measures", "formats", "sqlite"];
const BELOW_ANSWERS: &[&str] = &["messages", "tables", "measures", "formats", "sqlite", "store"];
const BELOW_PROGRAMS: &[&str] = &[
    "messages", "tables", "measures", "formats", "sqlite", "store", "synth", "collect", "engine", "analysis", "views",
    "server",
];

/// Dependencies beside the direction, each with its reason.
const EXCEPTIONS: [(&[&str], &str, &str); 1] = [(
    &["analysis", "views", "server"],
    "collect",
    "what is missing from a profile is reported with the collection switch that would have produced it",
)];

/// Crates that may print, read the environment and exit: the programs, and what only tests use.
const OUTERMOST: [&str; 3] = ["cli", "python", "testing"];

/// What only the outermost crates do.
const OUTSIDE_WORLD: [&str; 10] = [
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
    "dbg!",
    "env::var",
    "env::var_os",
    "env::vars",
    "env::set_var",
    "process::exit",
];

/// Lines that do it all the same: crate, file, text of the line, reason.
const ALLOWED_LINES: [(&str, &str, &str, &str); 0] = [];

fn repository() -> PathBuf {
    let testing = std::env::var_os("CARGO_MANIFEST_DIR").expect("run by cargo");
    Path::new(&testing).join("../..").canonicalize().unwrap()
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let run = Command::new(cargo).args(arguments).current_dir(repository()).output().unwrap();
    assert!(run.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// The name of a crate without that of the suite; the program is called like the suite.
fn short(package: &str) -> &str {
    if package == "npuscope" { "cli" } else { package.strip_prefix("npuscope-").unwrap_or(package) }
}

/// The crates of the workspace: directory, and what each depends on outside of tests.
fn workspace() -> BTreeMap<String, (PathBuf, BTreeSet<String>)> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().map(|package| {
        let name = short(package["name"].as_str().unwrap()).to_owned();
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let own = package["dependencies"].as_array().unwrap().iter().filter(|dependency| {
            dependency["kind"] != "dev" && dependency["name"].as_str().unwrap().starts_with("npuscope")
        });
        let own = own.map(|dependency| short(dependency["name"].as_str().unwrap()).to_owned()).collect();
        (name, (manifest.parent().unwrap().to_owned(), own))
    });
    packages.collect()
}

#[test]
fn dependencies_point_one_way() {
    for (name, (_, uses)) in workspace() {
        let (_, may_use) = MAY_USE.iter().find(|(known, _)| *known == name).unwrap_or_else(|| {
            panic!("{name} is new: say in MAY_USE of this test, and in docs/architecture.md, where it stands")
        });
        for used in uses {
            let is_exception = EXCEPTIONS.iter().any(|(from, to, _)| from.contains(&name.as_str()) && *to == used);
            assert!(may_use.contains(&used.as_str()) || is_exception, "{name} must not depend on {used}");
        }
    }
}

#[test]
fn every_exception_is_still_needed() {
    let crates = workspace();
    for (from, to, reason) in EXCEPTIONS {
        let is_needed = crates.iter().any(|(name, (_, uses))| from.contains(&name.as_str()) && uses.contains(to));
        assert!(is_needed, "none of {from:?} depends on {to} any more: remove the exception ({reason})");
    }
    for (name, file, text, reason) in ALLOWED_LINES {
        let source = std::fs::read_to_string(crates[name].0.join(file)).unwrap_or_default();
        assert!(source.contains(text), "{name}/{file} no longer has `{text}`: remove the exception ({reason})");
    }
}

#[test]
fn only_sql_waits_for_datafusion() {
    for name in ["tables", "measures", "sqlite", "formats", "store", "synth", "collect", "analysis"] {
        let package = format!("npuscope-{name}");
        let tree = cargo(&["tree", "--offline", "--locked", "-p", &package, "-e", "normal,build", "--prefix", "none"]);
        let found = tree.lines().find(|line| line.starts_with("datafusion") || line.starts_with("ballista"));
        assert_eq!(found, None, "{name} depends on it");
    }
}

/// The Rust files below a directory.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in entries(directory) {
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
    found
}

/// The lines of a source file that are in the program: no comments, no tests. A module of tests is the last of a file,
/// or a file called `tests.rs`.
fn program_lines(file: &Path) -> Vec<String> {
    if file.ends_with("tests.rs") {
        return Vec::new();
    }
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    code.map(str::to_owned).collect()
}

/// Whether `word` is in the line as a word of its own: `print!` is not in `println!`, nor in `eprint!`.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_part) && (word.ends_with('!') || !line[at + word.len()..].starts_with(is_part))
    })
}

#[test]
fn nothing_below_the_programs_prints_reads_the_environment_or_exits() {
    let mut found = Vec::new();
    for (name, (directory, _)) in workspace().into_iter().filter(|(name, _)| !OUTERMOST.contains(&name.as_str())) {
        for file in sources(&directory.join("src")) {
            let place = file.strip_prefix(&directory).unwrap().display().to_string();
            for line in program_lines(&file) {
                let is_allowed = |(crate_, path, text, _): &(&str, &str, &str, &str)| {
                    *crate_ == name && *path == place && line.contains(text)
                };
                if OUTSIDE_WORLD.iter().any(|word| has_word(&line, word)) && !ALLOWED_LINES.iter().any(is_allowed) {
                    found.push(format!("{name}/{place}: {line}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "only {OUTERMOST:?} may do this:\n{}", found.join("\n"));
}

#[test]
fn every_property_test_has_a_fixed_seed() {
    for (name, (directory, _)) in workspace() {
        for file in sources(&directory.join("src")).into_iter().chain(sources(&directory.join("tests"))) {
            let text = std::fs::read_to_string(&file).unwrap();
            // Put together, so that this file has none itself.
            for block in text.split(&["proptest", "! {"].concat()).skip(1) {
                let has_seed = block.trim_start().starts_with("#![proptest_config(npuscope_testing::cases(");
                assert!(has_seed, "{name}: a block of {} has a configuration of its own", file.display());
            }
        }
    }
}
