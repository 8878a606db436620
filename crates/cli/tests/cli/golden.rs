//! What the program prints, word for word. `NPUSCOPE_BLESS=1` writes the files of `golden/` anew.

use std::fs;
use std::path::PathBuf;

use crate::program::Sandbox;

fn assert_golden(name: &str, text: &str) {
    // Asked for at run time: clones that share a target directory also share what was compiled.
    let path = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("tests/golden").join(name);
    if std::env::var_os("NPUSCOPE_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} differs; NPUSCOPE_BLESS=1 accepts what is printed now");
}

fn assert_prints(sandbox: &Sandbox, name: &str, arguments: &[&str]) {
    let ran = sandbox.run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    assert_golden(name, &ran.stdout.replace(env!("CARGO_PKG_VERSION"), "[VERSION]"));
}

#[test]
fn help_is_as_written() {
    let sandbox = Sandbox::empty();
    assert_prints(&sandbox, "help.txt", &["--help"]);
    assert_prints(&sandbox, "help_sql.txt", &["sql", "--help"]);
    assert_prints(&sandbox, "version.txt", &["--version"]);
}

#[test]
fn tables_and_columns_are_listed_without_a_profile() {
    let sandbox = Sandbox::empty();
    assert_prints(&sandbox, "tables.txt", &["sql", ".", r"\tables"]);
    assert_prints(&sandbox, "columns_of_kernel.txt", &["sql", ".", r"\d kernel"]);
}

#[test]
fn reports_read_as_they_should() {
    let sandbox = Sandbox::with_slow_rank();
    assert_prints(&sandbox, "doctor.txt", &["doctor", "job"]);
    assert_prints(&sandbox, "info.txt", &["info", "job"]);
    let query = "SELECT op_type, count(*) AS kernels, round(sum(duration) / 1e6, 3) AS ms FROM kernel GROUP BY 1 ORDER BY 3 DESC, 1";
    assert_prints(&sandbox, "sql.txt", &["sql", "job", query]);
}

#[test]
fn a_gpu_job_is_reported_in_words_of_its_own() {
    let sandbox = Sandbox::with_gpu_job();
    assert_prints(&sandbox, "doctor_gpu.txt", &["doctor", "job"]);
    assert_prints(&sandbox, "info_gpu.txt", &["info", "job"]);
}

#[test]
fn damage_is_reported() {
    let sandbox = Sandbox::with_cut_trace();
    let ran = sandbox.run(&["doctor", "job"]);
    let diagnostics = ran.stdout.split_once("\ndiagnostics\n").expect("doctor lists diagnostics").1;
    assert_golden("doctor_diagnostics.txt", diagnostics);
}

#[test]
fn hosts_that_a_profile_does_not_name_are_not_counted() {
    let sandbox = Sandbox::with_gpu_job();
    let ran = sandbox.run(&["diagnose", "job"]);
    assert!(ran.stdout.contains("clocks: the hosts of 2 ranks are unknown"), "{ran:?}");
}
