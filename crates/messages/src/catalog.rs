//! The sentences of each language.

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use unic_langid::{LanguageIdentifier, langid};

use crate::{Language, Message};

type Bundle = FluentBundle<FluentResource>;

/// The text of a language's catalog.
pub(crate) const fn source(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("../catalog/en.ftl"),
        Language::Chinese => include_str!("../catalog/zh.ftl"),
    }
}

static ENGLISH: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::English, langid!("en")));
static CHINESE: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Chinese, langid!("zh")));

fn bundle(language: Language, locale: LanguageIdentifier) -> Bundle {
    let mut bundle = Bundle::new_concurrent(vec![locale]);
    // The marks are for right-to-left scripts, and terminals show them.
    bundle.set_use_isolating(false);
    // What does not parse or stands twice is found by `check`; here the rest is used.
    let resource = FluentResource::try_new(source(language).to_owned()).unwrap_or_else(|(resource, _)| resource);
    let _ = bundle.add_resource(resource);
    bundle
}

/// A message in a language; its id and arguments where the catalog has no sentence for it.
pub(crate) fn render(message: &Message, language: Language) -> String {
    let bundle = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    let arguments: FluentArgs = message.arguments().map(|(name, value)| (name, value.value(language))).collect();
    let Some(pattern) = bundle.get_message(message.id()).and_then(|entry| entry.value()) else {
        return unknown(message, language);
    };
    bundle.format_pattern(pattern, Some(&arguments), &mut Vec::new()).into_owned()
}

/// Whether the catalogs have a sentence for a message. Every one of them has the same ids.
pub(crate) fn has(message: &Message) -> bool {
    ENGLISH.has_message(message.id())
}

fn unknown(message: &Message, language: Language) -> String {
    let arguments: Vec<String> =
        message.arguments().map(|(name, value)| format!("{name}: {}", value.text(language))).collect();
    format!("{} ({})", message.id(), arguments.join(", "))
}
