//! Links between pages lead to files and headings that exist.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_link_between_pages_leads_somewhere() {
    // Asked for at run time: clones that share a target directory also share what was compiled.
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages(&root) {
        for (number, target) in links(&fs::read_to_string(&page).unwrap()) {
            count += 1;
            if let Some(reason) = fault(&page, &target) {
                broken.push(format!("{}:{number}: {target}: {reason}", page.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(count > 50, "only {count} links were found");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The tests that a page of promises names are tests of the repository.
#[test]
fn every_promise_of_the_guides_has_its_tests() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    let sources: String = ["crates", "python/tests"].iter().flat_map(|place| tests(&root.join(place))).collect();
    for page in ["docs/guides.md", "docs/guides.zh.md"] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let rows = text.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
        let promised: Vec<&str> = rows.filter_map(|row| row.split('|').nth(2)).collect();
        assert!(promised.len() > 20, "{page} has {} promises", promised.len());
        for name in promised.iter().flat_map(|tests| tests.split('`').skip(1).step_by(2)) {
            let is_there = ["fn", "def"].iter().any(|word| sources.contains(&format!("{word} {name}(")));
            assert!(is_there, "{page}: there is no test {name}");
        }
    }
}

/// The sources below a directory that have tests in them.
fn tests(directory: &Path) -> Vec<String> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.extension().and_then(|ending| ending.to_str()) {
            _ if path.is_dir() => tests(&path),
            Some("rs" | "py") => vec![fs::read_to_string(&path).unwrap()],
            _ => Vec::new(),
        })
        .collect()
}

/// All pages below a directory but those of other projects.
fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || ["node_modules", "target", "dist"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            found.extend(pages(&path));
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Lines that are not in a block of code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    numbered.filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where links and pictures lead within the repository, with the numbers of their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(text) {
        // What stands between backticks is no link.
        let plain: String = line.split('`').step_by(2).collect();
        for part in plain.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if !target.contains("://") && !target.starts_with("mailto:") {
                links.push((number, target.to_owned()));
            }
        }
    }
    links
}

/// Why a link of a page leads nowhere.
fn fault(page: &Path, target: &str) -> Option<&'static str> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { page.to_owned() } else { page.parent()?.join(path) };
    if !file.exists() {
        return Some("there is no such file");
    }
    let anchor = anchor?;
    match fs::read_to_string(&file) {
        Ok(text) if anchors(&text).iter().any(|known| known == anchor) => None,
        Ok(_) => Some("there is no such heading"),
        Err(_) => Some("a heading of what is no text"),
    }
}

/// The anchors of headings as GitHub makes them: small letters, hyphens for spaces, no punctuation; the second of the
/// same name ends in `-1`.
fn anchors(text: &str) -> Vec<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let headings = prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
    });
    let anchors = headings.map(|title| {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let anchor: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        let times = seen.entry(anchor.clone()).or_default();
        *times += 1;
        if *times > 1 { format!("{anchor}-{}", *times - 1) } else { anchor }
    });
    anchors.collect()
}

#[test]
fn headings_have_the_anchors_that_github_gives_them() {
    let text =
        "# GPU 数据\n## `cluster`: what, why?\n```\n# no heading\n```\n### step_time\n### step_time\n#no heading\n";
    assert_eq!(anchors(text), ["gpu-数据", "cluster-what-why", "step_time", "step_time-1"]);
}

#[test]
fn code_has_no_links() {
    let text = "[a](b.md) `[c](d.md)` ![e](f.png)\n```\n[g](h.md)\n```\n[`i`](j.md#k) <https://l> [m](https://n)";
    let targets: Vec<String> = links(text).into_iter().map(|(_, target)| target).collect();
    assert_eq!(targets, ["b.md", "f.png", "j.md#k"]);
}
