//! Words as ids, for writing.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use indexmap::IndexSet;
use npuscope_sqlite::SqlCell;
use npuscope_tables::Memo;
use npuscope_tables::table::host_op;
use npuscope_tables::{RankTables, Str};

use crate::db::names::{NOT_AVAILABLE, Vocabulary};
use crate::db::sheet::KeptTable;

/// From here on, ids of a vocabulary mean "reserved", "not available" and the like.
const SPECIAL_IDS: i64 = 65_534;

/// Hands out ids of `STRING_IDS`, and knows those of the `ENUM_*` tables.
pub struct WordIds {
    /// By id.
    strings: IndexSet<String, FixedState>,
    not_available: Option<i64>,
    /// Ids of the strings of the chunk at hand, as far as they were asked for.
    known: Memo<i64>,
    /// The same of words, by vocabulary.
    known_words: Vec<Memo<Option<i64>>>,
    enums: HashMap<Vocabulary, HashMap<String, i64, FixedState>, FixedState>,
    /// The `ENUM_*` tables to be written, where the source had none.
    vocabularies: Vec<(Vocabulary, Vec<(i64, String)>)>,
}

impl WordIds {
    /// Ids for a database that has the `ENUM_*` tables of its source, or the current ones.
    pub fn new(tables: &RankTables, kept: &[KeptTable]) -> WordIds {
        let mut ids = WordIds {
            strings: IndexSet::default(),
            not_available: None,
            known: Memo::default(),
            known_words: Vec::new(),
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
            let known = ids.enums.entry(vocabulary).or_default();
            for (id, word) in words {
                known.entry(word).or_insert(id);
            }
        }
        ids
    }

    /// Forgets the strings of the chunk before; a new chunk has its own.
    pub fn begin_chunk(&mut self) {
        self.known = Memo::default();
        self.known_words = Vocabulary::ALL.iter().map(|_| Memo::default()).collect();
    }

    /// The id of a string, new or known.
    pub fn string(&mut self, text: &str) -> i64 {
        id_in(&mut self.strings, text)
    }

    /// The id of what stands for a missing name.
    pub fn not_available(&mut self) -> i64 {
        match self.not_available {
            Some(id) => id,
            None => {
                let id = self.string(NOT_AVAILABLE);
                *self.not_available.insert(id)
            }
        }
    }

    /// The id of a string of the chunk, found again without looking at its text.
    #[inline]
    pub fn string_of(&mut self, string: Str, tables: &RankTables) -> i64 {
        let strings = &mut self.strings;
        self.known.get(string, || id_in(strings, tables.text(string)))
    }

    /// [`WordIds::word`] of a string of the chunk, found again without looking at its text.
    pub fn word_of(&mut self, vocabulary: Vocabulary, word: Str, tables: &RankTables) -> Option<i64> {
        let mut known = self.known_words.get_mut(vocabulary as usize).map(std::mem::take).unwrap_or_default();
        let id = known.get(word, || self.word(vocabulary, tables.text(word)));
        if let Some(place) = self.known_words.get_mut(vocabulary as usize) {
            *place = known;
        }
        id
    }

    /// The id of a word of a vocabulary. A word that is a number stands for itself; one that is new to
    /// the vocabulary is added to it.
    pub fn word(&mut self, vocabulary: Vocabulary, word: &str) -> Option<i64> {
        if let Some(&id) = self.enums.get(&vocabulary).and_then(|words| words.get(word)) {
            return Some(id);
        }
        if let Ok(number) = word.parse() {
            return Some(number);
        }
        let (_, words) = self.vocabularies.iter_mut().find(|(v, _)| *v == vocabulary)?;
        let last_regular = words.iter().map(|(id, _)| *id).filter(|&id| id < SPECIAL_IDS).max();
        let id = last_regular.unwrap_or_default() + 1;
        words.push((id, word.to_owned()));
        self.enums.entry(vocabulary).or_default().insert(word.to_owned(), id);
        Some(id)
    }

    /// The rows of `STRING_IDS`.
    pub fn strings(&self) -> impl Iterator<Item = (i64, &str)> {
        (0..).zip(self.strings.iter().map(String::as_str))
    }

    /// The `ENUM_*` tables that the source did not have.
    pub fn vocabularies(&self) -> &[(Vocabulary, Vec<(i64, String)>)] {
        &self.vocabularies
    }
}

fn id_in(strings: &mut IndexSet<String, FixedState>, text: &str) -> i64 {
    let at = strings.get_index_of(text).unwrap_or_else(|| strings.insert_full(text.to_owned()).0);
    i64::try_from(at).unwrap_or(i64::MAX)
}

fn word_of(row: &[SqlCell<'_>]) -> Option<(i64, String)> {
    match row {
        [SqlCell::Int(id), SqlCell::Text(word), ..] => Some((*id, word.clone().into_owned())),
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
