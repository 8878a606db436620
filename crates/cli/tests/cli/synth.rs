//! `npuscope synth`.

use std::fs;

use serde_json::Value;

use crate::program::Sandbox;

const SMALL: &str = "layers = 2\nmicro_batches = 2\nsteps = 2\n";

fn truth(sandbox: &Sandbox, directory: &str) -> Value {
    let text = fs::read_to_string(sandbox.path(directory).join("ground_truth.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_folder_of_scenarios_is_a_suite() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("suite")).unwrap();
    fs::write(sandbox.path("suite/healthy.toml"), SMALL).unwrap();
    fs::write(sandbox.path("suite/slow.toml"), format!("{SMALL}faults = ['slow-rank@3:2']")).unwrap();
    let ran = sandbox.run(&["synth", "--scenario", "suite", "-o", "out", "--tp", "1", "--format", "db"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (healthy, slow) = (truth(&sandbox, "out/healthy"), truth(&sandbox, "out/slow"));
    assert_eq!(healthy["ranks"], 4);
    assert_eq!(healthy["faults"].as_array().map(Vec::len), Some(0));
    let fault = &slow["faults"][0];
    assert_eq!((fault["cause"].as_str(), &fault["ranks"]), (Some("compute"), &serde_json::json!([3])));
    let difference = slow["step_ms"].as_f64().unwrap() - healthy["step_ms"].as_f64().unwrap();
    assert!((fault["cost_ms_per_step"].as_f64().unwrap() - difference).abs() < 1e-6, "{fault} {difference}");
}

#[test]
fn the_same_options_give_the_same_bytes() {
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path("job.toml"), SMALL).unwrap();
    for out in ["one", "other"] {
        let options = ["--scenario", "job.toml", "--fault", "gc@1:5", "--level", "level2", "--rl", "--format", "both"];
        let ran = sandbox.run(&[&["synth", "-o", out], options.as_slice()].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let mut compared = 0;
    let mut folders = vec![(sandbox.path("one"), sandbox.path("other"))];
    while let Some((one, other)) = folders.pop() {
        for entry in fs::read_dir(&one).unwrap().map(Result::unwrap) {
            let twin = other.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push((entry.path(), twin));
            } else {
                assert_eq!(fs::read(entry.path()).unwrap(), fs::read(&twin).unwrap(), "{}", twin.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 8 * 10, "{compared}");
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path("bad.toml"), "stpes = 3").unwrap();
    fs::create_dir(sandbox.path("nothing")).unwrap();
    for (options, words) in [
        (&["--fault", "slow-rank@9"][..], "no rank 9"),
        (&["--fault", "slow"], "KIND@PLACE"),
        (&["--fault", "experts@1"], "needs expert parallelism"),
        (&["--fault", "retransmission@1"], "more than one host"),
        (&["--fault", "gc@1:5,steps=20..21"], "steps 10 to 12"),
        (&["--preset", "gpt"], "llama-7b"),
        (&["--layers", "3"], "cannot be divided evenly among 2 pipeline stages"),
        (&["--ep", "2"], "experts"),
        (&["--scenario", "bad.toml"], "bad.toml: "),
        (&["--scenario", "nothing"], "no .toml file"),
        (&["--scenario", "gone.toml"], "cannot read gone.toml"),
    ] {
        let ran = sandbox.run(&[&["synth", "-o", "out"], options].concat());
        assert_eq!(ran.code, 2, "{options:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{options:?}: {}", ran.stderr);
        assert!(!sandbox.path("out").exists(), "{options:?}");
    }
}
