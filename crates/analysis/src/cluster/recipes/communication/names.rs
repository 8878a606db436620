//! Texts of all ranks, each once.

use hashbrown::{HashMap, HashSet};
use npuscope_formats::result::Cell;
use npuscope_tables::{RankTables, Str};
use serde::{Deserialize, Serialize};

use super::Reports;
use crate::communication::is_point_to_point;
use crate::extract::Text;

/// A text that [`Names`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Name(u32);

impl Name {
    /// Compares by text.
    pub fn cmp_text(self, other: Name, names: &Names) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { names.text(self).cmp(names.text(other)) }
    }
}

/// Texts by [`Name`].
#[derive(Default)]
pub struct Names {
    texts: Vec<Text>,
    known: HashMap<Text, Name>,
}

impl Names {
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.add(text.into(), name)
    }

    fn add(&mut self, text: Text, name: Name) -> Name {
        self.texts.push(text.clone());
        self.known.insert(text, name);
        name
    }

    /// All texts, in the order of their names.
    pub fn into_texts(self) -> Vec<Text> {
        self.texts
    }

    /// Takes the texts of others in.
    pub fn join(&mut self, texts: Vec<Text>) -> Renamed {
        let nothing = self.intern("");
        let mut join = |text: Text| match self.known.get(&text) {
            Some(name) => *name,
            None => self.add(text, Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX))),
        };
        Renamed { names: texts.into_iter().map(&mut join).collect(), nothing }
    }

    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", Text::as_str)
    }

    pub fn opt_text(&self, name: Option<Name>) -> Option<&str> {
        name.map(|name| self.text(name))
    }

    pub fn cell(&self, name: Name) -> Cell {
        self.texts.get(name.0 as usize).map_or(Cell::Null, Cell::from)
    }

    pub fn opt_cell(&self, name: Option<Name>) -> Cell {
        name.map_or(Cell::Null, |name| self.cell(name))
    }

    /// The places of `names` in alphabetical order.
    pub fn order(&self, names: impl IntoIterator<Item = Name>) -> NameOrder {
        let names: HashSet<Name> = names.into_iter().collect();
        let mut names: Vec<Name> = names.into_iter().collect();
        names.sort_unstable_by_key(|name| self.text(*name));
        NameOrder(names.into_iter().zip(0..).collect())
    }
}

/// What names of a rank are among the names of all.
pub struct Renamed {
    names: Vec<Name>,
    /// What names become that the rank does not know.
    nothing: Name,
}

impl Renamed {
    pub fn rename(&self, name: &mut Name) {
        *name = self.names.get(name.0 as usize).copied().unwrap_or(self.nothing);
    }

    pub fn rename_opt(&self, name: &mut Option<Name>) {
        if let Some(name) = name {
            self.rename(name);
        }
    }
}

/// Places of names in alphabetical order.
pub struct NameOrder(HashMap<Name, u32>);

impl NameOrder {
    pub fn of(&self, name: Name) -> u32 {
        self.0.get(&name).copied().unwrap_or_default()
    }
}

/// Turns texts of one rank's tables into names.
pub struct Translator<'a> {
    pub names: &'a mut Names,
    pub tables: &'a RankTables,
    known: Vec<Option<Name>>,
    steps: HashMap<Str, Option<Name>>,
    numbers: HashMap<Str, f64>,
    pub compat: bool,
    is_text: bool,
    /// The only step that is wanted.
    step: Option<String>,
}

impl<'a> Translator<'a> {
    pub fn new(names: &'a mut Names, tables: &'a RankTables, reports: &Reports) -> Translator<'a> {
        let Reports { compat, is_text, step, .. } = *reports;
        Translator {
            names,
            known: vec![None; tables.strings().len()],
            tables,
            steps: HashMap::new(),
            numbers: HashMap::new(),
            compat,
            is_text,
            step: step.filter(|_| !compat).map(|step| step.to_string()),
        }
    }

    pub fn name(&mut self, id: Str) -> Name {
        match self.known.get(id.0 as usize) {
            Some(Some(name)) => *name,
            _ => {
                let name = self.names.intern(self.tables.text(id));
                if let Some(known) = self.known.get_mut(id.0 as usize) {
                    *known = Some(name);
                }
                name
            }
        }
    }

    /// The number that a text is, 0 if it is none.
    pub fn number(&mut self, id: Str) -> f64 {
        *self.numbers.entry(id).or_insert_with(|| self.tables.text(id).parse().unwrap_or_default())
    }

    /// The step of a row, or `None` if it is not wanted.
    pub fn step(&mut self, id: Option<Str>) -> Option<Option<Name>> {
        let name = id.and_then(|id| match self.steps.get(&id) {
            Some(name) => *name,
            None => {
                let text = self.tables.text(id);
                let text = if self.compat { text } else { text.strip_prefix("step").unwrap_or(text) };
                let name = (!text.is_empty()).then(|| self.names.intern(text));
                self.steps.insert(id, name);
                name
            }
        });
        self.is_wanted(name).then_some(name)
    }

    pub fn is_wanted(&self, step: Option<Name>) -> bool {
        self.step.as_deref().is_none_or(|wanted| self.names.opt_text(step) == Some(wanted))
    }

    /// Whether an operation is point to point. msprof-analyze goes by names where there are databases.
    pub fn is_point_to_point(&self, kind: Option<Str>, name: Str) -> bool {
        let by_name = || is_point_to_point(self.tables.text(name));
        match self.tables.opt_text(kind) {
            Some(kind) if !self.compat || self.is_text => kind == "p2p",
            _ => by_name(),
        }
    }

    /// Whether transports over which nothing went are kept: copies of text are to be whole.
    pub fn keeps_empty(&self) -> bool {
        self.compat && self.is_text
    }

    /// Whether a row is a sum that the source made.
    pub fn is_total(&self, name: Str) -> bool {
        self.tables.text(name).starts_with("Total")
    }
}
