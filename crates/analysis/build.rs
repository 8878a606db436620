//! Identifies the code that computes answers: a hash over the sources of this crate and of the crates below it. A
//! cached answer is valid for one such hash, so no version has to be raised when an answer changes.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The crates whose code decides what an answer holds.
const CRATES: &[&str] = &["analysis", "collect", "formats", "measures", "messages", "sqlite", "store", "tables"];

fn main() {
    let crates = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for source in CRATES.iter().map(|name| crates.join(name).join("src")).filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", source.display());
        add(&crates, &source, &mut hash);
    }
    println!("cargo::rustc-env=NPUSCOPE_CODE={:016x}", hash.0);
}

/// Adds the names and contents of all files below a directory.
fn add(root: &Path, directory: &Path, hash: &mut Fnv) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(root, &path, hash);
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        hash.add(name.as_bytes());
        hash.add(&fs::read(&path).unwrap_or_default());
    }
}

/// FNV-1a: the same on every machine, and no dependency.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
