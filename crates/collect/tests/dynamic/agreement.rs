//! What is checked beforehand is what a job does: `config check` and the watch read one file alike.

use npuscope_collect::Dialect;
use npuscope_collect::config::Choice;
use npuscope_collect::dialect::{Notation, Run, read};
use npuscope_collect::dynamic::{Control, DynamicDialect, Ranks, Start};
use npuscope_collect::explain::explain;

use crate::request;

const FILES: &[&str] = &[
    r#"{"start_step": 0, "stop_step": 5}"#,
    r#"{"start_step": 0, "stop_step": 0}"#,
    r#"{"start_step": -1, "stop_step": -1}"#,
    r#"{"start_step": -1, "stop_step": 3}"#,
    r#"{"start_step": -5, "stop_step": 3}"#,
    r#"{"start_step": 3, "stop_step": 2}"#,
    r#"{"start_step": 3}"#,
    r#"{"start_step": 3, "stop_step": 3, "profiler_level": "Level1"}"#,
    r#"{"start_step": 3, "stop_step": null}"#,
    r#"{"start_step": "3", "stop_step": 4}"#,
    r#"{"start_step": true, "stop_step": 4}"#,
    r#"{"start_step": 3, "stop_step": 4, "active": 7}"#,
    r#"{"start_step": 3, "stop_step": 4, "active": 7, "warmup": 1, "is_rank": true, "rank_list": [0]}"#,
    r#"{"start_step": 3, "stop_step": 4, "prof_path": "./x", "analyse_mode": 0, "active": 7}"#,
    r#"{"start_step": 3, "stop_step": 4, "experimental_config": {"mstx": true, "l2_cache": true}}"#,
    r#"{"start_step": 3, "active": 2, "warmup": 1}"#,
    r#"{"start_step": true, "active": 2}"#,
    r#"{"start_step": -1, "active": 2}"#,
    r#"{"start_step": -7, "active": 2}"#,
    r#"{"start_step": 0, "active": 2}"#,
    r#"{"start_step": 2.5, "active": 2}"#,
    r#"{"start_step": 2, "active": -4, "warmup": -1}"#,
    r#"{"start_step": 2, "active": 1, "active": 3, "warmup": 0}"#,
    r#"{"start_step": 2, "is_rank": true}"#,
    r#"{"start_step": 2, "is_rank": true, "rank_list": [1, "0", -3]}"#,
    r#"{"start_step": 2, "is_rank": "yes", "rank_list": [1]}"#,
    r#"{"start_step": 2, "is_rank": false, "rank_list": [1]}"#,
    r#"{"start_step": 18446744073709551615, "stop_step": 18446744073709551615}"#,
];

#[test]
fn the_job_records_what_was_explained() {
    for file in FILES {
        let (reading, request) = (read(file, None, &Run::default()), request(file));
        let notation = if request.dialect == DynamicDialect::MindSpore {
            Notation::MindSporeDynamic
        } else {
            Notation::TorchNpuDynamic
        };
        assert_eq!(reading.notation, Some(notation), "{file}");
        let ranks = match &request.ranks {
            Ranks::All => Choice::All,
            Ranks::Some(ranks) => Choice::Only(ranks.clone()),
        };
        assert_eq!(reading.config.ranks, ranks, "{file}");
        assert_eq!(reading.config.at_once, request.start == Start::Next, "{file}");
        let explained = explain(&reading.config, &Run::default());
        let recorded = explained.windows.first().map(|window| (window.record.first, window.record.last));
        let asked = request.window(1).filter(|_| request.ranks != Ranks::Some(Vec::new()));
        assert_eq!(recorded, asked.map(|window| (window.start, Some(window.stop))), "{file}");
        // What the job is handed with the beginning is read as the same.
        let mut control = Control::new(0);
        let begun = (0..3).find_map(|step| {
            let newest = (step == 0).then(|| request.clone());
            let command = if step == 0 { control.begin(newest) } else { control.step(None) };
            command.start
        });
        if let Some(begun) = begun {
            assert!(reading.config.enabled, "{file}");
            assert_eq!(
                read(&begun.text, Some(begun.dialect.as_dialect()), &Run::default()).config,
                reading.config,
                "{file}"
            );
        }
    }
}

#[test]
fn what_only_the_other_dialect_knows_does_not_decide_alone() {
    let dialect = |file: &str| request(file).dialect;
    let mixed = r#"{"start_step": 3, "stop_step": 4, "active": 7, "warmup": 1}"#;
    assert_eq!(dialect(mixed), DynamicDialect::TorchNpu, "two keys against one");
    assert!(
        request(mixed)
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.to_string().starts_with("stop_step: unknown key"))
    );
    assert_eq!(
        dialect(r#"{"start_step": 3, "stop_step": 4, "prof_path": ".", "active": 7}"#),
        DynamicDialect::MindSpore
    );
    assert_eq!(DynamicDialect::MindSpore.as_dialect(), Dialect::MindSpore);
}
