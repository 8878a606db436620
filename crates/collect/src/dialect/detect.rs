//! Which dialect a text is in.

use std::cmp::Ordering;

use npuscope_tables::similar;

use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::node::{Malformed, Node};
use super::words::{Word, words};
use super::{Dialect, Notation, fsdp2, json, llm, mindspore, outside, rl, torch_npu, yaml};

/// The dynamic files; the first one wins a tie.
const DYNAMIC: [Notation; 2] = [Notation::TorchNpuDynamic, Notation::MindSporeDynamic];

pub(super) enum Found {
    /// With diagnostics on how the shell reads them.
    Words(Notation, Vec<Word>, Vec<Diagnostic>),
    Tree(Notation, Node),
}

/// The profiler's part of a text, in the dialect that was asked for if one was.
pub(super) fn find(text: &str, dialect: Option<Dialect>) -> Result<Found, Diagnostic> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match dialect {
        None => guess(text),
        Some(Dialect::MindSpeedLlm) => {
            let (words, diagnostics) = words(text);
            Ok(Found::Words(Notation::LlmFlags, words, diagnostics))
        }
        Some(Dialect::Fsdp2) => match yaml::parse(text).map(yaml_notation) {
            Ok((Some(Notation::Fsdp2Yaml), node)) => Ok(Found::Tree(Notation::Fsdp2Yaml, node)),
            parsed => {
                let (words, diagnostics) = words(text);
                if notation_of_flags(&words) == Some(Notation::Fsdp2Flags) {
                    return Ok(Found::Words(Notation::Fsdp2Flags, words, diagnostics));
                }
                let (_, node) = parsed.map_err(|error| malformed("YAML", error))?;
                expect_map(&node)?;
                Ok(Found::Tree(Notation::Fsdp2Yaml, node))
            }
        },
        Some(Dialect::MindSpeedRl) => {
            let node = yaml::parse(text).map_err(|error| malformed("YAML", error))?;
            expect_map(&node)?;
            Ok(Found::Tree(Notation::RlYaml, node))
        }
        Some(dialect) => {
            let (node, is_environment) = json_part(text).map_err(|error| malformed("JSON", error))?;
            expect_map(&node)?;
            let notations: &[Notation] = match dialect {
                Dialect::MindSpore if is_environment => &[Notation::MindSporeEnvironment],
                Dialect::MindSpore => {
                    &[Notation::MindSporeArguments, Notation::MindSporeDynamic, Notation::MindSporeEnvironment]
                }
                Dialect::TorchNpu => &[Notation::TorchNpuArguments, Notation::TorchNpuDynamic],
                _ => &[Notation::TorchNpuDynamic],
            };
            Ok(Found::Tree(likeliest(notations, &node), node))
        }
    }
}

fn guess(text: &str) -> Result<Found, Diagnostic> {
    let nothing = || Diagnostic::new(Severity::Error, None, messages::no_settings());
    let is_json = text.trim_start().starts_with('{') || text.contains("MS_PROFILER_OPTIONS");
    let parsed = yaml::parse(text);
    if !is_json && let Ok((Some(notation), node)) = parsed.clone().map(yaml_notation) {
        return Ok(Found::Tree(notation, node));
    }
    if is_json {
        return match json_part(text) {
            Ok((node, true)) => Ok(Found::Tree(Notation::MindSporeEnvironment, node)),
            Ok((node, false)) => {
                let notations = [
                    Notation::TorchNpuArguments,
                    Notation::TorchNpuDynamic,
                    Notation::MindSporeArguments,
                    Notation::MindSporeDynamic,
                    Notation::MindSporeEnvironment,
                ];
                let notation = likeliest(&notations, &node);
                if score(notation, &node) == 0 { Err(nothing()) } else { Ok(Found::Tree(notation, node)) }
            }
            Err(error) => Err(malformed("JSON", error)),
        };
    }
    let (words, diagnostics) = words(text);
    match (notation_of_flags(&words), parsed) {
        (Some(notation), _) => Ok(Found::Words(notation, words, diagnostics)),
        // For a broken YAML file, the place of the error helps more than "no settings".
        (None, Err(error)) if looks_like_yaml(text) => Err(malformed("YAML", error)),
        _ => Err(nothing()),
    }
}

/// Whether a text that does not parse was meant as YAML and not as a script: it begins with a key, or has a section that
/// trainers have.
fn looks_like_yaml(text: &str) -> bool {
    let is_content = |line: &&str| !line.is_empty() && !line.starts_with('#') && *line != "---";
    let first = text.lines().map(str::trim).find(is_content).unwrap_or_default();
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.\"'".contains(c));
    let begins_with_key = first
        .split_once(':')
        .is_some_and(|(name, value)| is_name(name.trim_end()) && (value.is_empty() || value.starts_with([' ', '\t'])));
    begins_with_key && !text.starts_with("#!") || text.contains("training:") || text.contains("profiler_config:")
}

/// Whose flags these are, if any are the profiler's.
pub(super) fn notation_of_flags(words: &[Word]) -> Option<Notation> {
    let count = |is_ours: fn(&str) -> bool| words.iter().filter(|word| is_ours(&word.text)).count();
    let fsdp2 = count(|word| word.starts_with("--training.profile"));
    let llm = count(llm::is_ours);
    match (llm, fsdp2) {
        (0, 0) => None,
        _ if fsdp2 > llm => Some(Notation::Fsdp2Flags),
        _ => Some(Notation::LlmFlags),
    }
}

/// Whose YAML it is: by its section, or by its keys where it is only that section.
fn yaml_notation(node: Node) -> (Option<Notation>, Node) {
    const RL_ONLY: &[&str] = &["mstx", "stage", "profile_with_npu", "profile_with_module", "profile_analysis"];
    let is_slip = |name: &str| {
        let entries = node.map().unwrap_or_default().iter();
        let mut slips = entries.filter(|entry| similar::near(&entry.key, [name]).is_some());
        slips.any(|entry| outside::has_settings(&entry.node, rl::KEYS) || outside::has_below(&entry.node, rl::KEYS, 0))
    };
    let keys: Vec<&str> = node.map().unwrap_or_default().iter().map(|entry| entry.key.as_str()).collect();
    let has = |wanted: &str| keys.contains(&wanted);
    let is_bare = keys.iter().any(|key| *key == "profile" || key.starts_with("profile_"));
    let notation = if has("profiler_config") || has("integrated") {
        Some(Notation::RlYaml)
    } else if has("training") {
        Some(Notation::Fsdp2Yaml)
    } else if is_bare && keys.iter().any(|key| RL_ONLY.contains(key)) {
        Some(Notation::RlYaml)
    } else if is_bare || is_slip("training") {
        Some(Notation::Fsdp2Yaml)
    } else if is_slip("profiler_config") || is_slip("integrated") || outside::has_below(&node, RL_ONLY, 0) {
        Some(Notation::RlYaml)
    } else {
        // Below some other section, where nobody looks for them.
        outside::has_below(&node, fsdp2::KEYS, 0).then_some(Notation::Fsdp2Yaml)
    };
    (notation, node)
}

/// The notation that knows most of the keys; the first of equals.
fn likeliest(notations: &[Notation], node: &Node) -> Notation {
    let mut best = notations.first().copied().unwrap_or(Notation::TorchNpuArguments);
    for notation in notations {
        if score(*notation, node) > score(best, node) {
            best = *notation;
        }
    }
    best
}

fn score(notation: Notation, node: &Node) -> usize {
    let keys = |node: Option<&Node>| -> Vec<String> {
        node.and_then(Node::map).unwrap_or_default().iter().map(|entry| entry.key.clone()).collect()
    };
    score_of_keys(notation, &keys(Some(node)), &keys(node.get("experimental_config")))
}

fn score_of_keys(notation: Notation, keys: &[String], experimental_keys: &[String]) -> usize {
    let (known, experimental) = match notation.dialect() {
        Dialect::MindSpore => mindspore::keys(notation),
        _ => torch_npu::keys(notation),
    };
    let count = |known: &[&str], keys: &[String]| known.iter().filter(|key| keys.iter().any(|own| own == *key)).count();
    // Some notations have a key that no other has and that they make no sense without.
    let mark = match notation {
        Notation::MindSporeEnvironment => Some("start"),
        Notation::MindSporeDynamic | Notation::TorchNpuDynamic => Some("start_step"),
        _ => None,
    };
    let is_marked = mark.is_some_and(|mark| keys.iter().any(|key| key == mark));
    count(known, keys) + count(experimental, experimental_keys) + if is_marked { 100 } else { 0 }
}

/// Whose dynamic file it is, by its keys; `None` where it has none that only one of them knows.
///
/// Every reader of such a file uses this function, so that all agree.
pub(crate) fn dynamic_notation(keys: &[String], experimental_keys: &[String]) -> Option<Notation> {
    let [torch_npu, mindspore] = DYNAMIC.map(|notation| score_of_keys(notation, keys, experimental_keys));
    let is_of_one = |key: &String| {
        let key = key.as_str();
        torch_npu::keys(Notation::TorchNpuDynamic).0.contains(&key)
            != mindspore::keys(Notation::MindSporeDynamic).0.contains(&key)
    };
    match torch_npu.cmp(&mindspore) {
        Ordering::Less => Some(Notation::MindSporeDynamic),
        Ordering::Greater => Some(Notation::TorchNpuDynamic),
        Ordering::Equal => keys.iter().any(is_of_one).then_some(Notation::TorchNpuDynamic),
    }
}

/// A dynamic file, whichever of the two it is.
pub(super) fn find_dynamic(text: &str) -> Result<(Notation, Node), Diagnostic> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let node = json::parse(text, 1).map_err(|error| malformed("JSON", error))?;
    expect_map(&node)?;
    Ok((likeliest(&DYNAMIC, &node), node))
}

/// The JSON of a text, and whether it is the value of `MS_PROFILER_OPTIONS` in a script.
fn json_part(text: &str) -> Result<(Node, bool), Malformed> {
    const VARIABLE: &str = "MS_PROFILER_OPTIONS";
    let assignment = text.find(VARIABLE).filter(|_| !text.trim_start().starts_with('{'));
    let Some(begin) = assignment else { return Ok((json::parse(text, 1)?, false)) };
    let missing = || Malformed { what: messages::variable_without_object(VARIABLE).into(), line: None };
    let open = begin + text.get(begin..).and_then(|rest| rest.find('{')).ok_or_else(missing)?;
    let first_line = 1 + text.as_bytes().iter().take(open).filter(|byte| **byte == b'\n').count();
    let value = text.get(open..).unwrap_or_default();
    // The object ends where it is closed; what follows is the rest of the script.
    let mut objects = serde_json::Deserializer::from_str(value).into_iter::<serde::de::IgnoredAny>();
    let end = match objects.next() {
        Some(Ok(_)) => objects.byte_offset(),
        _ => value.len(),
    };
    Ok((json::parse(value.get(..end).unwrap_or(value), first_line)?, true))
}

fn malformed(language: &str, error: Malformed) -> Diagnostic {
    Diagnostic::new(Severity::Error, None, messages::malformed_text(language, error.what)).at(error.line)
}

fn expect_map(node: &Node) -> Result<(), Diagnostic> {
    match node.map() {
        Some(_) => Ok(()),
        None => Err(Diagnostic::new(Severity::Error, None, messages::no_settings()).at(Some(node.line))),
    }
}
