//! What is wrong with a command line, in Chinese. In English, clap says it itself, but for what it words for
//! programmers: ranges and numbers as Rust describes them, and an unknown option as something to pass as a value.

use std::error::Error as StdError;
use std::io::{self, Write};
use std::net::AddrParseError;
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use npuscope_messages::{Language, Message};
use npuscope_synth::FaultError;

use crate::arguments::{ParameterError, SizeError, StartStepError, TimeError};
use crate::messages::clap as messages;
use crate::rank_list::RankListError;
use crate::settings;
use crate::terminal::{ColorChoice, Terminal};
use crate::time_range::TimeRangeError;

/// Prints an error of clap and gives the exit code; `None` for what is not printed here: help, the version, and all of
/// it in English.
pub fn print(error: &Error, language: Language) -> Option<ExitCode> {
    let is_help = matches!(error.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
    let is_left_to_clap = language == Language::English && !is_for_programmers(error);
    if is_left_to_clap || is_help || !error.use_stderr() {
        return None;
    }
    Terminal::new(settings::color(ColorChoice::Auto), false, language).error(&message(error).text(language));
    let hints: Vec<String> = hints(error).iter().map(|hint| format!("\n{}\n", hint.text(language))).collect();
    let _ = io::stderr().write_all(hints.concat().as_bytes());
    Some(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)))
}

fn is_for_programmers(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::UnknownArgument => unknown_option(error).is_some(),
        ErrorKind::ValueValidation => error.source().is_some_and(|source| {
            let is_of_library = source.is::<ParseIntError>() || source.is::<AddrParseError>();
            // A fault is part of its own message, and of clap's.
            is_of_library || source.is::<FaultError>() || source.to_string().contains(OUT_OF_RANGE)
        }),
        _ => false,
    }
}

/// What clap writes between a number and the range that it is not in.
const OUT_OF_RANGE: &str = " is not in ";

/// The option that a command does not have, with the command: the first words of its usage.
fn unknown_option(error: &Error) -> Option<Message> {
    let option = texts(error, ContextKind::InvalidArg).into_iter().next().filter(|text| text.starts_with("--"))?;
    let usage = texts(error, ContextKind::Usage).into_iter().next()?;
    let words = usage.trim().trim_start_matches("Usage:").split_whitespace();
    let command: Vec<&str> = words.take_while(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())).collect();
    Some(messages::unknown_option(&command.join(" "), option)).filter(|_| !command.is_empty())
}

/// What is wrong.
fn message(error: &Error) -> Message {
    let text = |kind| texts(error, kind).into_iter().next();
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => Some(*number),
        _ => None,
    };
    let (argument, value) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue));
    let message = match (error.kind(), argument, value) {
        (ErrorKind::UnknownArgument, Some(argument), _) => {
            unknown_option(error).or_else(|| Some(messages::unknown_argument(argument)))
        }
        (ErrorKind::InvalidSubcommand, ..) => text(ContextKind::InvalidSubcommand).map(messages::unknown_command),
        (ErrorKind::MissingRequiredArgument, Some(_), _) => {
            Some(messages::missing_arguments(texts(error, ContextKind::InvalidArg)))
        }
        (ErrorKind::MissingSubcommand, ..) => text(ContextKind::InvalidSubcommand)
            .map(|command| messages::missing_command(command, texts(error, ContextKind::ValidSubcommand))),
        (ErrorKind::InvalidValue, Some(argument), Some(value)) => {
            Some(invalid_value(argument, value, texts(error, ContextKind::ValidValue)))
        }
        (ErrorKind::ValueValidation, Some(argument), Some(value)) => Some(match error.source() {
            Some(source) => messages::rejected_value(value, argument, reason(source)),
            None => messages::invalid_value(value, argument),
        }),
        (ErrorKind::TooManyValues, Some(argument), Some(value)) => Some(messages::surplus_value(value, argument)),
        (ErrorKind::TooFewValues, Some(argument), _) => number(ContextKind::MinValues)
            .zip(number(ContextKind::ActualNumValues))
            .map(|(least, given)| messages::too_few_values(argument, least as i64, given as i64)),
        (ErrorKind::WrongNumberOfValues, Some(argument), _) => number(ContextKind::ExpectedNumValues)
            .zip(number(ContextKind::ActualNumValues))
            .map(|(expected, given)| messages::wrong_number_of_values(argument, expected as i64, given as i64)),
        (ErrorKind::ArgumentConflict, argument, _) => {
            let others = texts(error, ContextKind::PriorArg);
            argument.or_else(|| text(ContextKind::InvalidSubcommand)).map(|argument| match others.as_slice() {
                [other] if *other == argument => messages::repeated(argument),
                _ => messages::conflict(argument, others.iter().map(|other| format!("'{other}'")).collect()),
            })
        }
        (ErrorKind::NoEquals, Some(argument), _) => Some(messages::no_equals(argument)),
        (ErrorKind::InvalidUtf8, ..) => Some(messages::not_utf8()),
        _ => None,
    };
    message.unwrap_or_else(|| messages::other(error.kind().to_string()))
}

fn invalid_value(argument: String, value: String, known: Vec<String>) -> Message {
    match (value.is_empty(), known.is_empty()) {
        (true, true) => messages::no_value(argument),
        (true, false) => messages::no_value_of(argument, known),
        (false, true) => messages::invalid_value(value, argument),
        (false, false) => messages::invalid_value_of(value, argument, known),
    }
}

/// What to do about it, in paragraphs.
fn hints(error: &Error) -> Vec<Message> {
    let mut hints = Vec::new();
    let similar = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let similar: Vec<String> = similar.into_iter().flat_map(|kind| texts(error, kind)).collect();
    if !similar.is_empty() {
        hints.push(messages::did_you_mean(similar.iter().map(|text| format!("'{text}'")).collect()));
    }
    let is_option = |tip: &String| tip.contains(" as a value, use ");
    // A path seldom begins with two dashes.
    let is_unknown = error.kind() == ErrorKind::UnknownArgument && unknown_option(error).is_none();
    if is_unknown && texts(error, ContextKind::Suggested).iter().any(is_option) {
        hints.extend(texts(error, ContextKind::InvalidArg).into_iter().next().map(messages::as_value));
    }
    if let Some(usage) = texts(error, ContextKind::Usage).into_iter().next() {
        hints.push(messages::usage(usage.trim().trim_start_matches("Usage:").trim().to_owned()));
    }
    hints.push(messages::more_in_help());
    hints
}

/// What clap knows of an error, as texts without colours.
fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// Why a value is rejected: by a parser of ours, of the standard library, or of clap, which has only text.
fn reason(source: &(dyn StdError + 'static)) -> Message {
    let known: [fn(&(dyn StdError + 'static)) -> Option<Message>; 9] = [
        |error| error.downcast_ref().map(RankListError::message),
        |error| error.downcast_ref().map(TimeRangeError::message),
        |error| error.downcast_ref().map(SizeError::message),
        |error| error.downcast_ref().map(TimeError::message),
        |error| error.downcast_ref().map(StartStepError::message),
        |error| error.downcast_ref().map(ParameterError::message),
        |error| error.downcast_ref().map(FaultError::why),
        |error| error.downcast_ref().map(|_: &AddrParseError| messages::not_an_address()),
        |error| error.downcast_ref().map(not_a_number),
    ];
    known.iter().find_map(|message| message(source)).unwrap_or_else(|| {
        let text = source.to_string();
        match text.split_once(OUT_OF_RANGE) {
            Some((_, range)) => out_of_range(range),
            None => messages::invalid(text),
        }
    })
}

/// The range as clap writes it: `0..=65535`, `1..10`, `1..`.
fn out_of_range(range: &str) -> Message {
    match range.split_once("..=") {
        Some((least, most)) => messages::out_of_range(least, most),
        None => match range.split_once("..") {
            Some((least, "")) => messages::too_small(least),
            _ => messages::out_of_range_of(range),
        },
    }
}

fn not_a_number(error: &ParseIntError) -> Message {
    match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => messages::number_too_large(),
        _ => messages::not_a_number(),
    }
}
