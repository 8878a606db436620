//! Puts the pages of `ui` into the binary: from `ui/dist` if they are built and not older than their sources, else by
//! npm if that is there, else a page that says how to build them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui");
    // To watch what is not there is to build every time.
    for watched in SOURCES.iter().chain(&["src", "dist"]).map(|name| ui.join(name)).filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    let dist = Some(ui.join("dist")).filter(|dist| dist.join("report.html").exists());
    let is_new = |dist: &PathBuf| newest(&ui.join("src")).max(newest_of(&ui)) <= modified(&dist.join("report.html"));
    let directory = dist.clone().filter(is_new).or_else(|| built(&ui, &out)).or(dist);
    let mut list = String::new();
    match &directory {
        // They are taken from a copy: the directory may be built anew at any time.
        Some(directory) => {
            let pages = out.join("pages");
            let _ = fs::remove_dir_all(&pages);
            copy_all(directory, &pages).unwrap_or_else(|error| panic!("cannot copy the pages: {error}"));
            add(&pages, &pages, &mut list);
        }
        None => println!(
            "cargo::warning=the viewer's pages are not built: install Node 20 and npm, or put them into ui/dist"
        ),
    }
    let code = format!("pub static ASSETS: &[(&str, &[u8])] = &[\n{list}];\n");
    fs::write(out.join("assets.rs"), code).unwrap_or_else(|error| panic!("cannot write assets.rs: {error}"));
}

/// What the pages are built from, beside `src`.
const SOURCES: &[&str] = &["package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "index.html"];

/// When the last of the sources was changed, `src` apart.
fn newest_of(ui: &Path) -> SystemTime {
    SOURCES.iter().map(|name| modified(&ui.join(name))).max().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// When the last file below a directory was changed.
fn newest(directory: &Path) -> SystemTime {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let times = entries.map(|path| if path.is_dir() { newest(&path) } else { modified(&path) });
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The pages built by npm, in a directory of the build's own; `None` where that is not possible.
fn built(ui: &Path, out: &Path) -> Option<PathBuf> {
    let copy = out.join("ui");
    let _ = fs::remove_dir_all(copy.join("dist"));
    fs::create_dir_all(&copy).ok()?;
    for file in SOURCES {
        fs::copy(ui.join(file), copy.join(file)).ok()?;
    }
    let _ = fs::remove_dir_all(copy.join("src"));
    copy_all(&ui.join("src"), &copy.join("src")).ok()?;
    let npm = |arguments: &[&str]| {
        Command::new("npm").args(arguments).current_dir(&copy).output().is_ok_and(|done| done.status.success())
    };
    let is_done = npm(&["ci", "--no-audit", "--no-fund"]) && npm(&["run", "build"]);
    is_done.then(|| copy.join("dist")).filter(|dist| dist.join("report.html").exists())
}

fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_all(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Lists the files below `directory` by their paths from `root`.
fn add(root: &Path, directory: &Path, list: &mut String) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add(root, &path, list);
        } else if let Ok(name) = path.strip_prefix(root) {
            let name = name.to_string_lossy().replace('\\', "/");
            let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
        }
    }
}
