//! `npuscope glossary`.

use std::io::{self, Write};
use std::process::ExitCode;

use npuscope_measures::glossary::{SECTIONS, Section, Term, terms};
use npuscope_messages::documentation::translate;
use npuscope_messages::{Language, Message};
use npuscope_tables::schema;
use serde_json::{Value, json};

use crate::commands::ReportFormat;
use crate::error::CliError;
use crate::help;
use crate::messages::output as messages;
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
    let text = match &options.term {
        Some(name) => {
            let (term, documented) = find(name, language)?;
            match options.format {
                ReportFormat::Json => format!("{:#}\n", found_to_json(term, &documented, language)),
                ReportFormat::Text => {
                    term.map(|term| one(term, language, settings)).unwrap_or_default()
                        + &documented.iter().map(|name| named(name, settings)).collect::<String>()
                }
            }
        }
        None => match options.format {
            ReportFormat::Json => {
                let terms = terms().map(|term| to_json(term, language));
                let documented = documented(language).map(|name| name.to_json()).collect::<Vec<_>>();
                format!("{:#}\n", terms.chain(documented).collect::<Value>())
            }
            ReportFormat::Text => list(language, settings),
        },
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// What is explained where it is declared, so that it needs no term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Table,
    Option,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Table, Kind::Option];

    fn name(self) -> Message {
        match self {
            Kind::Table => messages::glossary_table(),
            Kind::Option => messages::glossary_option(),
        }
    }

    fn title(self) -> Message {
        match self {
            Kind::Table => messages::glossary_tables(),
            Kind::Option => messages::glossary_options(),
        }
    }
}

struct Documented {
    name: String,
    kind: Kind,
    definition: String,
}

impl Documented {
    fn to_json(&self) -> Value {
        json!({ "name": self.name, "kind": self.kind.name().text(Language::English), "definition": self.definition })
    }
}

fn documented(language: Language) -> impl Iterator<Item = Documented> {
    let tables = schema::all().iter().map(move |table| Documented {
        name: table.name.to_owned(),
        kind: Kind::Table,
        definition: translate(table.doc, language).into_owned(),
    });
    let options = help::options(language).into_iter();
    tables.chain(options.map(|(name, definition)| Documented { name, kind: Kind::Option, definition }))
}

/// The term of that name, and the tables and options of it.
fn find(name: &str, language: Language) -> Result<(Option<&'static Term>, Vec<Documented>), CliError> {
    let term = Term::find(name);
    let is_named = |known: &Documented| known.name == name || known.name.strip_prefix("--") == Some(name);
    let documented: Vec<Documented> = documented(language).filter(is_named).collect();
    if term.is_none() && documented.is_empty() {
        let near = Term::near(name).map(|term| term.key.to_string());
        return Err(UsageError::NoTerm { name: name.to_owned(), near }.into());
    }
    Ok((term, documented))
}

fn found_to_json(term: Option<&Term>, documented: &[Documented], language: Language) -> Value {
    let mut found = term.map_or_else(|| json!({}), |term| to_json(term, language));
    found["documented"] = documented.iter().map(Documented::to_json).collect();
    found
}

fn named(Documented { name, kind, definition }: &Documented, settings: &Settings) -> String {
    let title = format!("{name} ({})\n", settings.text(&kind.name()));
    format!("{}  {definition}\n", settings.terminal.styled(Style::Bold, &title))
}

fn to_json(term: &Term, language: Language) -> Value {
    json!({
        "term": term.key,
        "name": term.name(language),
        "unit": term.unit,
        "definition": term.definition(language),
        "formula": term.formula_in(language),
        "other_names": term.also,
        "not_used": term.not_used(),
        "function": term.function,
    })
}

fn one(term: &Term, language: Language, settings: &Settings) -> String {
    let title = format!("{} ({})\n", term.name(language), term.key);
    let mut text = settings.terminal.styled(Style::Bold, &title);
    text.push_str(&format!("  {}\n\n", term.definition(language)));
    let formula = term.formula_in(language);
    let list_of = |names: &[&str]| settings.text(&messages::listed(names.to_vec()));
    let (also, not_used) = (list_of(term.also), list_of(&term.not_used_in(language)));
    let facts = [
        (messages::head_unit(), term.unit),
        (messages::glossary_formula(), formula.as_ref()),
        (messages::glossary_other_names(), also.as_str()),
        (messages::glossary_avoid(), not_used.as_str()),
        (messages::glossary_function(), term.function),
    ];
    let known = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    text.push_str(&terminal::columns(
        &["", ""],
        &[],
        known.map(|(name, fact)| vec![settings.text(&name), fact.to_owned()]),
    ));
    text
}

fn list(language: Language, settings: &Settings) -> String {
    let mut text = String::new();
    for section in SECTIONS {
        let title = section.name(language);
        text.push_str(&settings.terminal.styled(Style::Bold, &format!("{title}\n")));
        text.push_str(&terms_of(section, language));
        text.push('\n');
    }
    for kind in Kind::ALL {
        let rows = documented(language).filter(|name| name.kind == kind).map(|name| vec![name.name, name.definition]);
        text.push_str(&settings.terminal.styled(Style::Bold, &format!("{}\n", settings.text(&kind.title()))));
        text.push_str(&terminal::columns(&["", ""], &[], rows));
        text.push('\n');
    }
    text + &settings.text(&messages::glossary_one()) + "\n"
}

/// The terms of a section; only numbers have units.
fn terms_of(section: &Section, language: Language) -> String {
    let headers = [messages::head_term(), messages::head_unit(), messages::head_name()];
    let [term, unit, name] = headers.map(|head| head.text(language));
    if !section.has_numbers {
        let row = |term: &Term| vec![term.key.to_owned(), term.name(language).to_owned()];
        return terminal::columns(&[&term, &name], &[], section.terms.iter().map(row));
    }
    let row = |term: &Term| vec![term.key.to_owned(), term.unit.to_owned(), term.name(language).to_owned()];
    terminal::columns(&[&term, &unit, &name], &[], section.terms.iter().map(row))
}
