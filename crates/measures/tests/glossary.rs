//! Each number names a function or a field that exists, and each page is called what the viewer calls it.

use std::path::{Path, PathBuf};

use npuscope_measures::glossary::{numbers, terms};

/// The file that the module of `npuscope_measures::step::Step::time` is in, and what is in it: `Step`, `time`.
fn file_of(function: &str) -> Option<(PathBuf, Vec<&str>)> {
    let crates = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?).join("..");
    let mut parts = function.split("::").peekable();
    let mut directory = crates.join(parts.next()?.strip_prefix("npuscope_")?).join("src");
    let mut file = None;
    while let Some(part) = parts.peek() {
        let found = [directory.join(part).with_extension("rs"), directory.join(part).join("mod.rs")];
        let Some(found) = found.into_iter().find(|path| path.is_file()) else { break };
        file = Some(found);
        directory.push(parts.next()?);
    }
    Some((file?, parts.collect()))
}

fn has_any(path: &Path, spellings: &[String]) -> bool {
    let source = std::fs::read_to_string(path).unwrap_or_default();
    spellings.iter().any(|spelling| source.contains(spelling))
}

#[test]
fn the_function_of_each_number_is_in_the_source() {
    for term in numbers() {
        let found = file_of(term.function);
        let (path, names) = found.unwrap_or_else(|| panic!("{}: no module {}", term.key, term.function));
        let (name, types) = names.split_last().unwrap_or_else(|| panic!("{}: no name", term.function));
        for ty in types {
            assert!(has_any(&path, &[format!("struct {ty}")]), "{}: no type {ty} in {}", term.key, path.display());
        }
        let spellings = [format!("fn {name}("), format!("fn {name}<"), format!("pub {name}:")];
        assert!(has_any(&path, &spellings), "{}: no {name} in {}", term.key, path.display());
    }
}

/// `export const PAGES = ["overview", …]`: what pages are called in addresses.
fn addresses(scope: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(scope).unwrap();
    let (_, list) = source.split_once("export const PAGES = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Keys of pages end in `_page`, those of tabs in `_tab`: `memory_leaks_tab` is in the index of the page `memory`.
#[test]
fn pages_and_tabs_have_the_names_that_the_viewer_shows() {
    let ui = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../ui/src");
    let mut addresses = addresses(&ui.join("scope.ts"));
    let mut tabs = 0;
    for term in terms() {
        let (path, english, chinese) = if let Some(key) = term.key.strip_suffix("_tab") {
            let page = key.split('_').next().unwrap_or_default();
            let (_, english) = term.english_name.split_once(": ").unwrap();
            let (_, chinese) = term.chinese_name.split_once('：').unwrap();
            tabs += 1;
            (ui.join("pages").join(page).join("index.tsx"), english, chinese)
        } else if let Some(page) = term.key.strip_suffix("_page") {
            let place = addresses.iter().position(|address| address == page);
            addresses.remove(place.unwrap_or_else(|| panic!("{}: no page {page} in scope.ts", term.key)));
            let (english, chinese) = (term.english_name.strip_suffix(" page"), term.chinese_name.strip_suffix("页面"));
            (ui.join("shell/pages.ts"), english.unwrap(), chinese.unwrap())
        } else {
            continue;
        };
        for name in [english, chinese] {
            assert!(has_any(&path, &[format!("\"{name}\"")]), "{}: no {name:?} in {}", term.key, path.display());
        }
    }
    assert!(tabs > 0, "the glossary has no tabs");
    assert!(addresses.is_empty(), "pages without a term: {addresses:?}");
}
