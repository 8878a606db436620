//! `npuscope glossary`.

use std::io::{self, Write};
use std::process::ExitCode;

use npuscope_measures::glossary::{SECTIONS, Section, Term, terms};
use npuscope_messages::Language;
use npuscope_messages::documentation::translate;
use npuscope_tables::schema;
use serde_json::{Value, json};

use crate::commands::ReportFormat;
use crate::error::CliError;
use crate::help;
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

    const fn name(self, language: Language) -> &'static str {
        match self {
            Kind::Table => language.choose("table", "表"),
            Kind::Option => language.choose("option", "选项"),
        }
    }

    const fn title(self, language: Language) -> &'static str {
        match self {
            Kind::Table => language.choose("Tables", "表"),
            Kind::Option => language.choose("Options", "选项"),
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
        json!({ "name": self.name, "kind": self.kind.name(Language::English), "definition": self.definition })
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
    let title = format!("{name} ({})\n", kind.name(settings.language));
    format!("{}  {definition}\n", settings.terminal.styled(Style::Bold, &title))
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
    let (also, not_used) = (term.also.join(", "), term.not_used_in(language).join(", "));
    let facts = [
        (language.choose("unit", "单位"), term.unit),
        (language.choose("formula", "公式"), term.formula),
        (language.choose("other names", "其他名称"), also.as_str()),
        (language.choose("avoid", "避免使用"), not_used.as_str()),
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
    for kind in Kind::ALL {
        let rows = documented(language).filter(|name| name.kind == kind).map(|name| vec![name.name, name.definition]);
        text.push_str(&settings.terminal.styled(Style::Bold, &format!("{}\n", kind.title(language))));
        text.push_str(&terminal::columns(&["", ""], &[], rows));
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
