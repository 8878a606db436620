//! Help in the user's language: the texts of [`arguments`](crate::arguments) through the translations of
//! [`documentation`], and clap's own words.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory};
use npuscope_messages::Language;
use npuscope_messages::documentation::translate;
use npuscope_synth::FaultKind;

use crate::arguments::{Arguments, OPTIONS_OF_EVERY_COMMAND};

/// What clap itself writes into help.
const WORDS_OF_CLAP: [&str; 8] = [
    "Usage:",
    "Commands:",
    "Arguments:",
    "Options:",
    "[alias:",
    "[aliases:",
    "Print this message or the help of the given subcommand(s)",
    "[default:",
];

/// The label of the values that an option takes.
const POSSIBLE_VALUES: &str = "Possible values:";

/// The command line, with help in a language.
pub fn command(language: Language) -> Command {
    match language {
        Language::English => Arguments::command(),
        Language::Chinese => translated(Arguments::command(), &|text| translate(text, language).into_owned()),
    }
}

/// Help that clap has rendered, with its own words in a language, and the one heading, which clap takes only as a
/// text of the program.
fn with_words_of_clap(mut help: String, language: Language) -> String {
    if language != Language::English {
        let heading = translate(OPTIONS_OF_EVERY_COMMAND, language);
        help = help.replace(&format!("{OPTIONS_OF_EVERY_COMMAND}:"), &format!("{heading}："));
        for word in WORDS_OF_CLAP {
            let own = translate(word, language);
            help = help.replace(&format!("{word} "), own.trim_end()).replace(word, own.trim_end());
        }
    }
    help
}

/// Prints what clap ended parsing with, help or an error, and gives the exit code.
pub fn print(ended: &clap::Error, language: Language) -> ExitCode {
    let is_error = ended.use_stderr() && ended.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_error || language == Language::English {
        // A closed pipe is no error.
        let _ = ended.print();
    } else {
        let help = ended.render();
        let is_styled = if ended.use_stderr() { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
        let text = if is_styled { help.ansi().to_string() } else { help.to_string() };
        let text = with_words_of_clap(text, language);
        let _ = match ended.use_stderr() {
            true => io::stderr().write_all(text.as_bytes()),
            false => io::stdout().write_all(text.as_bytes()),
        };
    }
    ExitCode::from(u8::try_from(ended.exit_code()).unwrap_or(2))
}

/// The options of all commands, each with its help in a language. An option that several commands explain differently
/// stands there once for each explanation.
pub fn options(language: Language) -> Vec<(String, String)> {
    let mut options = Vec::new();
    let mut commands = vec![command(language)];
    while let Some(command) = commands.pop() {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if let (Some(long), Some(help)) = (arg.get_long(), arg.get_help()) {
                options.push((format!("--{long}"), help.to_string()));
            }
        }
        commands.extend(command.get_subcommands().filter(|part| !part.is_hide_set()).cloned());
    }
    options.sort();
    options.dedup();
    options
}

/// Every text of the command line that is translated.
pub fn texts() -> Vec<String> {
    let texts = RefCell::new(Vec::new());
    translated(Arguments::command(), &|text| {
        texts.borrow_mut().push(text.to_owned());
        text.to_owned()
    });
    let own = WORDS_OF_CLAP.into_iter().chain([POSSIBLE_VALUES, OPTIONS_OF_EVERY_COMMAND]).map(str::to_owned);
    // Errors name the units of strengths.
    let units = FaultKind::ALL.iter().map(|kind| kind.unit().to_owned());
    texts.into_inner().into_iter().chain(own).chain(units).collect()
}

type Translate<'a> = &'a dyn Fn(&str) -> String;

fn translated(command: Command, translate: Translate<'_>) -> Command {
    let about = command.get_about().map(|text| translate(&text.to_string()));
    let long_about = command.get_long_about().map(|text| paragraphs(&text.to_string(), translate));
    let after = command.get_after_help().map(|text| lines(&text.to_string(), translate));
    let command = command.mut_args(|arg| argument(arg, translate)).mut_subcommands(|part| translated(part, translate));
    let command = match about {
        Some(about) => command.about(about),
        None => command,
    };
    let command = match long_about {
        Some(about) => command.long_about(about),
        None => command,
    };
    match after {
        Some(after) => command.after_help(after),
        None => command,
    }
}

/// An option with its help. clap cannot be given other words for values and defaults, so they become part of the help.
fn argument(arg: Arg, translate: Translate<'_>) -> Arg {
    let takes_value = arg.get_action().takes_values();
    let values: Vec<PossibleValue> = match takes_value && !arg.is_hide_possible_values_set() {
        true => arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect(),
        false => Vec::new(),
    };
    let defaults: Vec<Cow<str>> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = match takes_value && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        true => format!("{}{}]", translate("[default: "), defaults.join(" ")),
        false => String::new(),
    };
    let short = arg.get_help().map(|text| translate(&text.to_string())).unwrap_or_default();
    let long = arg.get_long_help().map(|text| paragraphs(&text.to_string(), translate));
    let has_help = values.iter().any(|value| value.get_help().is_some());
    let label = translate(POSSIBLE_VALUES);
    let named: Vec<String> = values.iter().map(|value| value.get_name().to_owned()).collect();
    // Chinese has punctuation of its own.
    let (separator, colon) = if label == POSSIBLE_VALUES { (", ", ": ") } else { ("、", "：") };
    let inline = if values.is_empty() { String::new() } else { format!("[{label}{}]", named.join(separator)) };
    let listed = if has_help {
        let lines = values.iter().map(|value| match value.get_help() {
            Some(help) => format!("- {}{colon}{}", value.get_name(), translate(&help.to_string())),
            None => format!("- {}", value.get_name()),
        });
        format!("{label}\n{}", lines.collect::<Vec<_>>().join("\n"))
    } else {
        inline.clone()
    };
    let join = |parts: [&str; 3], between: &str| {
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
    };
    let help = join([&short, &default, &inline], " ");
    let long_help = join([long.as_deref().unwrap_or(&short), &listed, &default], "\n\n");
    let arg = arg.help(help).long_help(long_help);
    if takes_value { arg.hide_possible_values(true).hide_default_value(true) } else { arg }
}

fn paragraphs(text: &str, translate: Translate<'_>) -> String {
    text.split("\n\n").map(translate).collect::<Vec<_>>().join("\n\n")
}

/// Text below the options, line by line: examples stay as they are, entries of lists keep their name and their number.
fn lines(text: &str, translate: Translate<'_>) -> String {
    let line = |line: &str| {
        let text = line.trim_start();
        let (indent, is_example) =
            (line.len() - text.len(), ["npuscope ", "echo "].iter().any(|c| text.starts_with(c)));
        let translated = match text.split_once("  ") {
            _ if text.is_empty() || is_example => text.to_owned(),
            Some((name, rest)) if indent > 0 => {
                let about = rest.trim_start();
                let width = text.len() - about.len();
                format!("{name:<width$}{}", entry(about, translate))
            }
            _ => translate(text),
        };
        format!("{:indent$}{translated}", "")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// `Text`, or `Text [strength]`.
fn entry(text: &str, translate: Translate<'_>) -> String {
    match text.strip_suffix(']').and_then(|text| text.split_once(" [")) {
        Some((about, strength)) => format!("{} [{}]", translate(about), translate(strength)),
        None => translate(text),
    }
}
