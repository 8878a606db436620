//! Which dialect a text is in.

use std::cmp::Ordering;

use crate::messages;
use crate::remark::{Remark, Severity};

use super::node::{Malformed, Node};
use super::words::{Word, words};
use super::{Dialect, Form, json, llm, mindspore, torch_npu, yaml};

/// The dynamic files; the first one wins a tie.
const DYNAMIC: [Form; 2] = [Form::TorchNpuDynamic, Form::MindSporeDynamic];

pub(super) enum Found {
    /// With remarks on how the shell reads them.
    Words(Form, Vec<Word>, Vec<Remark>),
    Tree(Form, Node),
}

/// The profiler's part of a text, in the dialect that was asked for if one was.
pub(super) fn find(text: &str, dialect: Option<Dialect>) -> Result<Found, Remark> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match dialect {
        None => guess(text),
        Some(Dialect::MindSpeedLlm) => {
            let (words, remarks) = words(text);
            Ok(Found::Words(Form::LlmFlags, words, remarks))
        }
        Some(Dialect::Fsdp2) => match yaml::parse(text).map(yaml_form) {
            Ok((Some(Form::Fsdp2Yaml), node)) => Ok(Found::Tree(Form::Fsdp2Yaml, node)),
            parsed => {
                let (words, remarks) = words(text);
                if form_of_flags(&words) == Some(Form::Fsdp2Flags) {
                    return Ok(Found::Words(Form::Fsdp2Flags, words, remarks));
                }
                let (_, node) = parsed.map_err(|error| malformed("YAML", error))?;
                expect_map(&node)?;
                Ok(Found::Tree(Form::Fsdp2Yaml, node))
            }
        },
        Some(Dialect::MindSpeedRl) => {
            let node = yaml::parse(text).map_err(|error| malformed("YAML", error))?;
            expect_map(&node)?;
            Ok(Found::Tree(Form::RlYaml, node))
        }
        Some(dialect) => {
            let (node, is_environment) = json_part(text).map_err(|error| malformed("JSON", error))?;
            expect_map(&node)?;
            let forms: &[Form] = match dialect {
                Dialect::MindSpore if is_environment => &[Form::MindSporeEnvironment],
                Dialect::MindSpore => &[Form::MindSporeArguments, Form::MindSporeDynamic, Form::MindSporeEnvironment],
                Dialect::TorchNpu => &[Form::TorchNpuArguments, Form::TorchNpuDynamic],
                _ => &[Form::TorchNpuDynamic],
            };
            Ok(Found::Tree(likeliest(forms, &node), node))
        }
    }
}

fn guess(text: &str) -> Result<Found, Remark> {
    let nothing = || Remark::new(Severity::Error, None, messages::no_settings());
    let is_json = text.trim_start().starts_with('{') || text.contains("MS_PROFILER_OPTIONS");
    let parsed = yaml::parse(text);
    if !is_json && let Ok((Some(form), node)) = parsed.clone().map(yaml_form) {
        return Ok(Found::Tree(form, node));
    }
    if is_json {
        return match json_part(text) {
            Ok((node, true)) => Ok(Found::Tree(Form::MindSporeEnvironment, node)),
            Ok((node, false)) => {
                let forms = [
                    Form::TorchNpuArguments,
                    Form::TorchNpuDynamic,
                    Form::MindSporeArguments,
                    Form::MindSporeDynamic,
                    Form::MindSporeEnvironment,
                ];
                let form = likeliest(&forms, &node);
                if score(form, &node) == 0 { Err(nothing()) } else { Ok(Found::Tree(form, node)) }
            }
            Err(error) => Err(malformed("JSON", error)),
        };
    }
    let (words, remarks) = words(text);
    match (form_of_flags(&words), parsed) {
        (Some(form), _) => Ok(Found::Words(form, words, remarks)),
        // For a broken YAML file, the place of the error helps more than "no settings".
        (None, Err(error)) if text.contains("training:") || text.contains("profiler_config:") => {
            Err(malformed("YAML", error))
        }
        _ => Err(nothing()),
    }
}

/// Whose flags these are, if any are the profiler's.
pub(super) fn form_of_flags(words: &[Word]) -> Option<Form> {
    let count = |is_ours: fn(&str) -> bool| words.iter().filter(|word| is_ours(&word.text)).count();
    let fsdp2 = count(|word| word.starts_with("--training.profile"));
    let llm = count(|word| word == "--profile" || word.starts_with("--profile-") || llm::is_slip(word));
    match (llm, fsdp2) {
        (0, 0) => None,
        _ if fsdp2 > llm => Some(Form::Fsdp2Flags),
        _ => Some(Form::LlmFlags),
    }
}

/// Whose YAML it is: by its section, or by its keys where it is only that section.
fn yaml_form(node: Node) -> (Option<Form>, Node) {
    const RL_ONLY: &[&str] = &["mstx", "stage", "profile_with_npu", "profile_with_module", "profile_analysis"];
    let keys: Vec<&str> = node.map().unwrap_or_default().iter().map(|entry| entry.key.as_str()).collect();
    let has = |wanted: &str| keys.contains(&wanted);
    let is_bare = keys.iter().any(|key| *key == "profile" || key.starts_with("profile_"));
    let form = if has("profiler_config") || has("integrated") {
        Some(Form::RlYaml)
    } else if has("training") {
        Some(Form::Fsdp2Yaml)
    } else if is_bare && keys.iter().any(|key| RL_ONLY.contains(key)) {
        Some(Form::RlYaml)
    } else {
        is_bare.then_some(Form::Fsdp2Yaml)
    };
    (form, node)
}

/// The form that knows most of the keys; the first of equals.
fn likeliest(forms: &[Form], node: &Node) -> Form {
    let mut best = forms.first().copied().unwrap_or(Form::TorchNpuArguments);
    for form in forms {
        if score(*form, node) > score(best, node) {
            best = *form;
        }
    }
    best
}

fn score(form: Form, node: &Node) -> usize {
    let keys = |node: Option<&Node>| -> Vec<String> {
        node.and_then(Node::map).unwrap_or_default().iter().map(|entry| entry.key.clone()).collect()
    };
    score_of_keys(form, &keys(Some(node)), &keys(node.get("experimental_config")))
}

fn score_of_keys(form: Form, keys: &[String], experimental_keys: &[String]) -> usize {
    let (known, experimental) = match form.dialect() {
        Dialect::MindSpore => mindspore::keys(form),
        _ => torch_npu::keys(form),
    };
    let count = |known: &[&str], keys: &[String]| known.iter().filter(|key| keys.iter().any(|own| own == *key)).count();
    // Some forms have a key that no other has and that they make no sense without.
    let mark = match form {
        Form::MindSporeEnvironment => Some("start"),
        Form::MindSporeDynamic | Form::TorchNpuDynamic => Some("start_step"),
        _ => None,
    };
    let is_marked = mark.is_some_and(|mark| keys.iter().any(|key| key == mark));
    count(known, keys) + count(experimental, experimental_keys) + if is_marked { 100 } else { 0 }
}

/// Whose dynamic file it is, by its keys; `None` where it has none that only one of them knows.
///
/// Every reader of such a file uses this function, so that all agree.
pub(crate) fn dynamic_form(keys: &[String], experimental_keys: &[String]) -> Option<Form> {
    let [torch_npu, mindspore] = DYNAMIC.map(|form| score_of_keys(form, keys, experimental_keys));
    let is_of_one = |key: &String| {
        let key = key.as_str();
        torch_npu::keys(Form::TorchNpuDynamic).0.contains(&key)
            != mindspore::keys(Form::MindSporeDynamic).0.contains(&key)
    };
    match torch_npu.cmp(&mindspore) {
        Ordering::Less => Some(Form::MindSporeDynamic),
        Ordering::Greater => Some(Form::TorchNpuDynamic),
        Ordering::Equal => keys.iter().any(is_of_one).then_some(Form::TorchNpuDynamic),
    }
}

/// A dynamic file, whichever of the two it is.
pub(super) fn find_dynamic(text: &str) -> Result<(Form, Node), Remark> {
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

fn malformed(language: &str, error: Malformed) -> Remark {
    Remark::new(Severity::Error, None, messages::malformed_text(language, error.what)).at(error.line)
}

fn expect_map(node: &Node) -> Result<(), Remark> {
    match node.map() {
        Some(_) => Ok(()),
        None => Err(Remark::new(Severity::Error, None, messages::no_settings()).at(Some(node.line))),
    }
}
