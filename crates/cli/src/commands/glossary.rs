//! `npuscope glossary`.

use std::io::{self, Write};
use std::process::ExitCode;

use npuscope_measures::glossary::{SECTIONS, Section, Term, terms};
use npuscope_messages::Language;
use serde_json::{Value, json};

use crate::commands::ReportFormat;
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::{self, Style};
use crate::usage::UsageError;

/// Which term to define, and how to print it.
#[derive(Clone, Debug)]
pub struct GlossaryOptions {
    /// One of its names; all terms are listed if there is none.
    pub term: Option<String>,
    pub format: ReportFormat,
}

pub fn run(options: &GlossaryOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let language = settings.language;
    let term = options.term.as_deref().map(find).transpose()?;
    let text = match (options.format, term) {
        (ReportFormat::Json, Some(term)) => format!("{:#}\n", to_json(term, language)),
        (ReportFormat::Json, None) => {
            format!("{:#}\n", terms().map(|term| to_json(term, language)).collect::<Value>())
        }
        (ReportFormat::Text, Some(term)) => one(term, language, settings),
        (ReportFormat::Text, None) => list(language, settings),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn find(name: &str) -> Result<&'static Term, CliError> {
    Term::find(name).ok_or_else(|| {
        UsageError::NoTerm { name: name.to_owned(), near: Term::near(name).map(|term| term.key.to_string()) }.into()
    })
}

fn to_json(term: &Term, language: Language) -> Value {
    json!({
        "term": term.key,
        "name": term.name(language),
        "unit": term.unit,
        "definition": term.definition(language),
        "formula": term.formula,
        "other_names": term.also,
        "not_used": term.not_used(),
        "function": term.function,
    })
}

fn one(term: &Term, language: Language, settings: &Settings) -> String {
    let title = format!("{} ({})\n", term.name(language), term.key);
    let mut text = settings.terminal.styled(Style::Bold, &title);
    text.push_str(&format!("  {}\n\n", term.definition(language)));
    let (also, not_used) = (term.also.join(", "), term.not_used().join(", "));
    let facts = [
        (language.choose("unit", "单位"), term.unit),
        (language.choose("formula", "公式"), term.formula),
        (language.choose("other names", "其他名称"), also.as_str()),
        (language.choose("not used", "不使用"), not_used.as_str()),
        (language.choose("computed by", "计算函数"), term.function),
    ];
    let known = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    text.push_str(&terminal::columns(&["", ""], &[], known.map(|(name, fact)| vec![name.to_owned(), fact.to_owned()])));
    text
}

fn list(language: Language, settings: &Settings) -> String {
    let mut text = String::new();
    for section in SECTIONS {
        let title = language.choose(section.english_name, section.chinese_name);
        text.push_str(&settings.terminal.styled(Style::Bold, &format!("{title}\n")));
        text.push_str(&terms_of(section, language));
        text.push('\n');
    }
    text.push_str(
        language.choose("npuscope glossary TERM shows a definition\n", "npuscope glossary TERM 显示某个术语的定义\n"),
    );
    text
}

/// The terms of a section; only numbers have units.
fn terms_of(section: &Section, language: Language) -> String {
    let (term, unit, name) =
        (language.choose("term", "术语"), language.choose("unit", "单位"), language.choose("name", "名称"));
    if !section.has_numbers {
        let row = |term: &Term| vec![term.key.to_owned(), term.name(language).to_owned()];
        return terminal::columns(&[term, name], &[], section.terms.iter().map(row));
    }
    let row = |term: &Term| vec![term.key.to_owned(), term.unit.to_owned(), term.name(language).to_owned()];
    terminal::columns(&[term, unit, name], &[], section.terms.iter().map(row))
}
