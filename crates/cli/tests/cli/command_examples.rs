//! The examples in the help of each command, run by a shell.
//!
//! `docs/commands.md` has them in `sh` blocks, one in a line, up to the first empty line. Text behind three spaces, or in a line that
//! begins with `#`, explains an example.
//! The examples of a command run one after the other in a directory that has what they name.

use std::fs;
use std::process::{Command, Stdio};

use crate::blocks::{blocks, repository};
use crate::parse::raw_job;
use crate::program::{Ran, Sandbox, ran};

const PAGE: &str = "docs/commands.md";

/// A job of four ranks with steps 10 to 12, which is simulated in a moment.
const SMALL: &str = "--pp 1 --layers 2 --micro-batches 1";

/// The command whose examples train in Python, with the package: `python/tests/test_run.py` and `test_torch_run.py` run it.
const IN_PYTHON: &str = "run";

/// Declares a test for each command that has examples: its name, and what `DIR` is.
macro_rules! commands {
    ($($test:ident: $command:literal, $profile:expr;)*) => {
        const COMMANDS: &[&str] = &[$($command),*];

        $(
            #[test]
            fn $test() {
                assert_examples($command, $profile);
            }
        )*
    };
}

/// What the examples of a command call `DIR`.
enum Profile {
    /// They name none.
    None,
    /// Directories that were not parsed.
    Raw,
    /// A simulated job, by the options of `synth`.
    Job(String),
}

fn job(options: &str) -> Profile {
    Profile::Job(options.to_owned())
}

fn small(options: &str) -> Profile {
    Profile::Job(format!("{SMALL} {options}"))
}

commands! {
    diagnose: "diagnose", job("");
    cluster: "cluster", job("");
    view: "view", small("");
    report: "report", job("--layers 2 --micro-batches 1 --scenario early.toml");
    // Device 3 is idle after 1.25 s, because its data is late.
    show: "show", small("--rl --fault dataloader@3:600");
    sql: "sql", small("");
    // Lasts longer than 1.5 s.
    convert: "convert", job("--fault slow-rank@5:1.3");
    parse: "parse", Profile::Raw;
    config: "config", Profile::None;
    config_check: "config check", Profile::None;
    config_convert: "config convert", Profile::None;
    config_explain: "config explain", Profile::None;
    dynamic: "dynamic", Profile::None;
    synth: "synth", Profile::None;
    glossary: "glossary", Profile::None;
    completion: "completion", Profile::None;
    auto_completion: "auto-completion", Profile::None;
}

/// Examples by the command in whose help they are.
fn examples(page: &str) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let headings: Vec<(usize, &str)> = text
        .lines()
        .zip(1..)
        .filter_map(|(line, number)| Some((number, line.strip_prefix("## npuscope")?.trim())))
        .collect();
    let mut examples = Vec::new();
    for block in blocks(page).into_iter().filter(|block| block.language == "sh") {
        let (_, command) = headings.iter().rfind(|(number, _)| *number < block.line).unwrap();
        let lines = block.lines.iter().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with('#'));
        let without_explanation = |line: &String| line.split("   ").next().unwrap_or_default().to_owned();
        examples.push(((*command).to_owned(), lines.map(without_explanation).collect()));
    }
    examples
}

#[test]
fn the_examples_of_every_command_are_tested() {
    let commands = examples(PAGE).into_iter().map(|(command, _)| command);
    let found: Vec<String> = commands.filter(|command| command != IN_PYTHON).collect();
    assert_eq!(found, COMMANDS);
}

#[test]
fn the_chinese_page_has_the_examples_of_the_english_one() {
    assert_eq!(examples("docs/commands.zh.md"), examples(PAGE));
}

fn assert_examples(command: &str, profile: Profile) {
    let sandbox = Sandbox::empty();
    prepare(&sandbox, profile);
    let (_, lines) = examples(PAGE).into_iter().find(|(name, _)| name == command).unwrap();
    assert!(!lines.is_empty(), "{command}");
    for line in lines {
        let Ran { code, stdout, stderr } = shell(&sandbox, &line);
        assert_eq!(code, 0, "{line} ended with {code}\n{stderr}{stdout}");
    }
}

fn prepare(sandbox: &Sandbox, profile: Profile) {
    // `npuscope report --help` takes steps 3 and 4 for example, and simulated jobs begin at 10.
    fs::write(sandbox.path("early.toml"), "first_step = 3\n").unwrap();
    match profile {
        Profile::None => {}
        Profile::Raw => {
            raw_job(sandbox);
            fs::rename(sandbox.path("job"), sandbox.path("DIR")).unwrap();
        }
        Profile::Job(options) => {
            let ran = shell(sandbox, &format!("npuscope synth -o DIR {options}"));
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
    }
    // Files that users have.
    fs::copy(repository().join("examples/configs/fsdp2.yaml"), sandbox.path("train.yaml")).unwrap();
    let script = "torchrun pretrain_gpt.py \\\n  --profile --profile-step-start 1005 --profile-step-end 1007 --profile-level level1\n";
    fs::write(sandbox.path("pretrain.sh"), script).unwrap();
    fs::create_dir(sandbox.path("scenarios")).unwrap();
    for (name, fault) in [("healthy", "[]"), ("slow", r#"["slow-rank@1:1.5"]"#)] {
        let scenario = format!("pp = 1\nlayers = 2\nmicro_batches = 1\nfaults = {fault}\n");
        fs::write(sandbox.path(&format!("scenarios/{name}.toml")), scenario).unwrap();
    }
    for directory in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        fs::create_dir_all(sandbox.path(directory)).unwrap();
    }
}

/// Runs a line with the sandbox as home. `npuscope view` opens no browser, takes a free port and ends by itself.
fn shell(sandbox: &Sandbox, line: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_npuscope");
    let function = format!(
        r#"npuscope() {{
            if [ "$1" != view ]; then '{program}' "$@"; return; fi
            for word; do
                shift
                case $word in --no-open) ;; 8080) set -- "$@" 0 ;; *) set -- "$@" "$word" ;; esac
            done
            '{program}' "$@" --no-open --idle-timeout 1
        }}"#
    );
    // The variables that the sandbox sets and removes for the program.
    let prepared = sandbox.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{function}\n{line}")]).stdin(Stdio::null());
    command.current_dir(sandbox.path("")).env("HOME", sandbox.path(""));
    for (name, value) in prepared.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    ran(command.output().unwrap())
}
