//! Files with settings for more than one trainer.

use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::node::Node;
use super::words::words;
use super::{Notation, fsdp2, llm, outside, rl, yaml};

/// Settings in a text.
struct Settings {
    notation: Notation,
    /// The key that diagnostics name.
    key: Option<&'static str>,
    line: usize,
}

/// What users call the place of the settings of a notation.
const fn place(notation: Notation) -> &'static str {
    match notation {
        Notation::LlmFlags => "--profile…",
        Notation::Fsdp2Yaml => "training",
        Notation::Fsdp2Flags => "--training.profile…",
        Notation::RlYaml => "profiler_config.integrated",
        Notation::MindSporeEnvironment => VARIABLE,
        _ => "JSON",
    }
}

const VARIABLE: &str = "MS_PROFILER_OPTIONS";

/// Diagnostics on the settings in a text that are for other trainers than `read`. Whoever has chosen the dialect knows.
pub(super) fn others(text: &str, read: Notation, is_chosen: bool) -> Vec<Diagnostic> {
    let severity = if is_chosen { Severity::Info } else { Severity::Warning };
    let others = all(text, read).into_iter().filter(|settings| settings.notation != read);
    let diagnostic = |settings: Settings| {
        let other = settings.notation;
        let message = messages::several_sections(
            read.dialect().name(),
            place(read),
            other.dialect().name(),
            place(other),
            other.dialect().id(),
        );
        Diagnostic::new(severity, settings.key.map(str::to_owned), message).at(Some(settings.line))
    };
    others.map(diagnostic).collect()
}

fn all(text: &str, read: Notation) -> Vec<Settings> {
    match read {
        Notation::RlYaml | Notation::Fsdp2Yaml => yaml::parse(text).map(|root| of_yaml(&root)).unwrap_or_default(),
        Notation::LlmFlags | Notation::Fsdp2Flags | Notation::MindSporeEnvironment => of_script(text),
        _ => Vec::new(),
    }
}

fn of_yaml(root: &Node) -> Vec<Settings> {
    let has = |path: &[&str], known: &[&str]| {
        let section = path.iter().try_fold(root, |node, name| node.get(name));
        section.is_some_and(|section| outside::has_settings(section, known))
    };
    let line = |key: &str| root.map().unwrap_or_default().iter().find(|entry| entry.key == key).map(|entry| entry.line);
    let sections = [
        (Notation::RlYaml, "profiler_config", has(&["profiler_config", "integrated"], rl::KEYS)),
        (Notation::Fsdp2Yaml, "training", has(&["training"], fsdp2::KEYS)),
    ];
    let settings = |(notation, key, has_settings)| {
        let line = line(key).filter(|_| has_settings)?;
        Some(Settings { notation, key: Some(key), line })
    };
    sections.into_iter().filter_map(settings).collect()
}

fn of_script(text: &str) -> Vec<Settings> {
    let (words, _) = words(text);
    let first = |notation, is_ours: fn(&str) -> bool| {
        let word = words.iter().find(|word| is_ours(&word.text))?;
        Some(Settings { notation, key: None, line: word.line })
    };
    let line = |offset| 1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count();
    let assigned = text.find(&format!("{VARIABLE}="));
    let settings = [
        first(Notation::LlmFlags, llm::is_ours),
        first(Notation::Fsdp2Flags, |word| word.starts_with("--training.profile")),
        assigned.map(|at| Settings { notation: Notation::MindSporeEnvironment, key: None, line: line(at) }),
    ];
    settings.into_iter().flatten().collect()
}
