//! Numbers and older names that MindSpore still takes for words.

use crate::diagnostic::Diagnostic;
use crate::messages;

use super::super::Notation;
use super::super::node::{Entry, Node, Value};
use super::super::section::Section;

const METRICS: &[&str] = &[
    "PipeUtilization",
    "ArithmeticUtilization",
    "Memory",
    "MemoryL0",
    "MemoryUB",
    "ResourceConflictRatio",
    "L2Cache",
    "MemoryAccess",
];

/// The entries in the names of today, with diagnostics on older ones.
pub(super) fn words(entries: &[Entry], notation: Notation, section: &mut Section) -> (Vec<Entry>, Vec<Diagnostic>) {
    let mut words = Vec::new();
    for entry in entries {
        let mut entry = entry.clone();
        if entry.key == "aicore_metrics" {
            // npuscope reads it; MindSpore uses the default, which may be what it says.
            let is_default = matches!(&entry.node.value, Value::Int(-1))
                || matches!(entry.node.text(), Some("AiCoreNone" | "AicoreNone" | "None"));
            match section.manners().is_npuscope {
                true => section.note("aicore_metrics", messages::renamed("aic_metrics")),
                false if is_default => section.note("aicore_metrics", messages::renamed_silently("aic_metrics")),
                false => section.warn("aicore_metrics", messages::renamed_silently("aic_metrics")),
            }
            if entries.iter().any(|other| other.key == "aic_metrics") {
                continue;
            }
            entry.key = "aic_metrics".to_owned();
        }
        if entry.key == "aic_metrics" && entry.node.text() == Some("AicoreNone") {
            section.note("aic_metrics", messages::respelt("AicoreNone", "AiCoreNone"));
            entry.node.value = Value::Text("AiCoreNone".to_owned());
        }
        if notation == Notation::MindSporeDynamic
            && let Value::Int(code) = entry.node.value
            && let Some(value) = meaning(&entry.key, code)
        {
            let shown = Node { value: value.clone(), line: 0 }.shown();
            section.note(&entry.key, messages::code_deprecated(code, &shown));
            if entry.key == "export_type" && code != 1 && code != 2 {
                section.warn(&entry.key, messages::export_code_unknown(code, section.peer()));
            }
            entry.node.value = value;
        }
        words.push(entry);
    }
    (words, std::mem::take(&mut section.diagnostics))
}

/// What a number means, where numbers are taken.
fn meaning(key: &str, code: i64) -> Option<Value> {
    let text = |word: &str| Value::Text(word.to_owned());
    let list = |words: &[&str]| Value::List(words.iter().map(|word| Node { value: text(word), line: 0 }).collect());
    match (key, code) {
        ("profiler_level", -1) => Some(text("LevelNone")),
        ("profiler_level", 0..=2) => Some(text(["Level0", "Level1", "Level2"][usize::try_from(code).unwrap_or(0)])),
        ("aic_metrics", _) => {
            let metric = usize::try_from(code).ok().and_then(|code| METRICS.get(code));
            Some(text(metric.copied().unwrap_or("AiCoreNone")))
        }
        ("activities", 0) => Some(list(&["CPU", "NPU"])),
        ("activities", 1) => Some(list(&["CPU"])),
        ("activities", 2) => Some(list(&["NPU"])),
        ("export_type", 1) => Some(list(&["db"])),
        ("export_type", 2) => Some(list(&["text", "db"])),
        ("export_type", _) => Some(list(&["text"])),
        _ => None,
    }
}
