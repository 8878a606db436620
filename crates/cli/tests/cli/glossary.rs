//! `npuscope glossary`.

use serde_json::Value;

use crate::program::{Sandbox, ran};

#[test]
fn a_term_is_shown_by_the_name_of_a_peers_column() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run(&["glossary", "Communication(Not Overlapped)"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for words in [
        "Exposed communication (exposed_communication)",
        "no kernel computed.",
        "length of (union(communication operations) - union(kernels))",
        "npuscope_measures::step::DeviceTime::exposed",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert_eq!(sandbox.run(&["glossary", "exposed", "communication"]).stdout, ran.stdout, "words need no quotes");
}

#[test]
fn a_concept_is_shown_with_its_names_and_the_words_that_are_not_used_for_it() {
    let sandbox = Sandbox::empty();
    let lane = sandbox.run(&["glossary", "lane"]);
    assert_eq!((lane.code, lane.stderr.as_str()), (0, ""));
    for words in ["Lane (lane)", "other names", "track", "avoid", "timeline row"] {
        assert!(lane.stdout.contains(words), "{words}: {}", lane.stdout);
    }
    for words in ["unit", "formula", "computed by"] {
        assert!(!lane.stdout.contains(words), "{words}: {}", lane.stdout);
    }
    let row = sandbox.run(&["glossary", "timeline", "row"]).stdout;
    assert!(!row.is_empty() && lane.stdout.starts_with(&row), "found by a word that is not used: {row}");
    assert!(lane.stdout.contains("lane (table)\n"), "{}", lane.stdout);
    let option = sandbox.run(&["glossary", "strict"]).stdout;
    assert!(option.starts_with("--strict (option)\n"), "{option}");
    assert!(sandbox.run(&["glossary", "timeline page"]).stdout.contains("Timeline page (timeline_page)"));
}

#[test]
fn all_terms_are_listed_without_a_name() {
    let sandbox = Sandbox::empty();
    let text = sandbox.run(&["glossary"]).stdout;
    assert!(
        ["step_time", "replay_error", "memory_peak", "lane", "memory_page"].iter().all(|key| text.contains(key)),
        "{text}"
    );
    let json: Value = serde_json::from_str(&sandbox.run(&["glossary", "--format", "json"]).stdout).unwrap();
    let list = json.as_array().unwrap();
    assert!(list.len() > 60);
    assert!(list.iter().all(|term| term["definition"].as_str().is_some_and(|text| !text.is_empty())));
    for kind in ["table", "option"] {
        assert!(list.iter().any(|name| name["kind"] == kind), "{kind}");
    }
}

#[test]
fn the_language_is_that_of_the_option_else_of_the_locale() {
    let sandbox = Sandbox::empty();
    let definition = |arguments: &[&str], locale: &[(&str, &str)]| {
        let mut command = sandbox.command(&[&["glossary", "free", "--format", "json"], arguments].concat());
        command.envs(locale.iter().copied());
        let json: Value = serde_json::from_str(&ran(command.output().unwrap()).stdout).unwrap();
        json["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(definition(&[], &[]), "Free");
    assert_eq!(definition(&[], &[("LANG", "zh_CN.UTF-8")]), "空闲");
    assert_eq!(definition(&[], &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]), "Free");
    assert_eq!(definition(&["--lang", "zh"], &[]), "空闲");
    assert_eq!(definition(&["--lang", "en"], &[("LC_ALL", "zh_CN.UTF-8")]), "Free");
}

#[test]
fn an_unknown_term_is_refused_with_a_suggestion() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run(&["glossary", "confidense"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let message = "there is no term confidense; did you mean confidence? npuscope glossary lists all terms";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    let ran = sandbox.run(&["glossary", "weather"]);
    assert_eq!(ran.code, 2);
    assert!(!ran.stderr.contains("did you mean"), "{}", ran.stderr);
}
