//! Words as ids, for writing.

use hashbrown::HashMap;
use npuscope_tables::table::host_op;
use npuscope_tables::{RankTables, Str};

use super::cell::SqlCell;
use super::names::Vocabulary;
use super::sheet::KeptTable;

/// From here on, ids of a vocabulary mean "reserved", "not available" and the like.
const SPECIAL_IDS: i64 = 65_534;

/// Hands out ids of `STRING_IDS`, and knows those of the `ENUM_*` tables.
pub struct WordIds {
    strings: HashMap<String, i64, foldhash::fast::FixedState>,
    order: Vec<String>,
    /// Ids of the tables' own strings, by [`Str`], as far as they were asked for.
    known: Vec<Option<i64>>,
    enums: HashMap<(Vocabulary, String), i64>,
    /// The `ENUM_*` tables to be written, where the source had none.
    vocabularies: Vec<(Vocabulary, Vec<(i64, String)>)>,
}

impl WordIds {
    /// Ids for a database that has the `ENUM_*` tables of its source, or the current ones.
    pub fn new(tables: &RankTables, kept: &[KeptTable]) -> WordIds {
        let mut ids = WordIds {
            strings: HashMap::default(),
            order: Vec::new(),
            known: vec![None; tables.strings().len()],
            enums: HashMap::default(),
            vocabularies: Vec::new(),
        };
        for &vocabulary in Vocabulary::ALL {
            let words = match kept.iter().find(|table| table.name == vocabulary.table()) {
                Some(table) => table.rows.iter().filter_map(|row| word_of(row)).collect(),
                None => {
                    let words = current_words(vocabulary, tables);
                    ids.vocabularies.push((vocabulary, words.clone()));
                    words
                }
            };
            for (id, word) in words {
                ids.enums.entry((vocabulary, word)).or_insert(id);
            }
        }
        ids
    }

    /// The id of a string, new or known.
    pub fn string(&mut self, text: &str) -> i64 {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = i64::try_from(self.order.len()).unwrap_or(i64::MAX);
        self.strings.insert(text.to_owned(), id);
        self.order.push(text.to_owned());
        id
    }

    /// The id of a string of the tables, found again without looking at its text.
    #[inline]
    pub fn string_of(&mut self, string: Str, tables: &RankTables) -> i64 {
        if let Some(Some(id)) = self.known.get(string.0 as usize) {
            return *id;
        }
        let id = self.string(tables.text(string));
        if let Some(slot) = self.known.get_mut(string.0 as usize) {
            *slot = Some(id);
        }
        id
    }

    /// The id of a word of a vocabulary. A word that is a number stands for itself; one that is new to
    /// the vocabulary is added to it.
    pub fn word(&mut self, vocabulary: Vocabulary, word: &str) -> Option<i64> {
        if let Some(&id) = self.enums.get(&(vocabulary, word.to_owned())) {
            return Some(id);
        }
        if let Ok(number) = word.parse() {
            return Some(number);
        }
        let (_, words) = self.vocabularies.iter_mut().find(|(v, _)| *v == vocabulary)?;
        let last_regular = words.iter().map(|(id, _)| *id).filter(|&id| id < SPECIAL_IDS).max();
        let id = last_regular.unwrap_or_default() + 1;
        words.push((id, word.to_owned()));
        self.enums.insert((vocabulary, word.to_owned()), id);
        Some(id)
    }

    /// The rows of `STRING_IDS`.
    pub fn strings(&self) -> impl Iterator<Item = (i64, &str)> {
        (0..).zip(self.order.iter().map(String::as_str))
    }

    /// The `ENUM_*` tables that the source did not have.
    pub fn vocabularies(&self) -> &[(Vocabulary, Vec<(i64, String)>)] {
        &self.vocabularies
    }
}

fn word_of(row: &[SqlCell]) -> Option<(i64, String)> {
    match row {
        [SqlCell::Int(id), SqlCell::Text(word), ..] => Some((*id, word.clone())),
        _ => None,
    }
}

/// The words of the current schema, with the older one for communication calls where a trace has it.
fn current_words(vocabulary: Vocabulary, tables: &RankTables) -> Vec<(i64, String)> {
    let has_older = || tables.rows::<host_op::Row>().any(|op| tables.opt_text(op.level) == Some("hccl"));
    let older = vocabulary == Vocabulary::ApiType && has_older();
    let spelled = |word: &'static str| if older && word == "communication" { "hccl" } else { word };
    vocabulary.words().iter().map(|&(id, word)| (id, spelled(word).to_owned())).collect()
}
