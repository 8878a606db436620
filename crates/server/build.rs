//! Puts the pages of `ui` into the binary: from `ui/dist` if they are built, else by npm if that is there, else a page
//! that says how to build them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui");
    for watched in ["src", "index.html", "package-lock.json", "vite.config.ts", "dist"] {
        println!("cargo::rerun-if-changed={}", ui.join(watched).display());
    }
    let directory = if ui.join("dist/index.html").exists() { Some(ui.join("dist")) } else { built(&ui, &out) };
    let mut list = String::new();
    match &directory {
        Some(directory) => add(directory, directory, &mut list),
        None => println!("cargo::warning=the viewer's pages are not built: install Node 20 and npm, or put them into ui/dist"),
    }
    let code = format!("pub static ASSETS: &[(&str, &[u8])] = &[\n{list}];\n");
    fs::write(out.join("assets.rs"), code).unwrap_or_else(|error| panic!("cannot write assets.rs: {error}"));
}

/// The pages built by npm, in a directory of the build's own; `None` where that is not possible.
fn built(ui: &Path, out: &Path) -> Option<PathBuf> {
    let copy = out.join("ui");
    let _ = fs::remove_dir_all(copy.join("dist"));
    fs::create_dir_all(&copy).ok()?;
    for file in ["package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "index.html"] {
        fs::copy(ui.join(file), copy.join(file)).ok()?;
    }
    let _ = fs::remove_dir_all(copy.join("src"));
    copy_all(&ui.join("src"), &copy.join("src")).ok()?;
    let npm = |arguments: &[&str]| {
        Command::new("npm").args(arguments).current_dir(&copy).output().is_ok_and(|done| done.status.success())
    };
    let is_done = npm(&["ci", "--no-audit", "--no-fund"]) && npm(&["run", "build"]);
    is_done.then(|| copy.join("dist")).filter(|dist| dist.join("index.html").exists())
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
