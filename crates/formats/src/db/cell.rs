//! What the cells of the databases hold: one codec per encoding, both ways.

use hashbrown::HashMap;
use npuscope_sqlite::SqlCell;
use npuscope_tables::{ConnectionId, Interner, Ns, OpId, RankTables, Str, TaskId};
use rusqlite::types::ValueRef;

use super::names::{NO_STRING, NOT_AVAILABLE, Vocabulary, Words};
use super::write::names::WordIds;

/// What reading a cell may need.
pub struct ReadContext<'a> {
    pub strings: &'a mut Interner,
    pub words: &'a Words<'a>,
    /// Ids that stand for no word.
    pub dangling: u64,
    /// The column that is being read.
    pub column: usize,
    /// The last text of each column: that of the next row is often the same.
    recent: Vec<Str>,
    /// Numbers that were read as text, by their bits.
    reals: HashMap<u64, Str>,
}

impl<'a> ReadContext<'a> {
    pub fn new(strings: &'a mut Interner, words: &'a Words<'a>) -> ReadContext<'a> {
        ReadContext { strings, words, dangling: 0, column: 0, recent: Vec::new(), reals: HashMap::new() }
    }

    #[inline]
    fn text(&mut self, bytes: &[u8]) -> Str {
        if self.recent.len() <= self.column {
            self.recent.resize(self.column + 1, Interner::EMPTY);
        }
        match self.recent.get_mut(self.column) {
            Some(recent) if self.strings.is(*recent, bytes) => *recent,
            Some(recent) => {
                *recent = self.strings.intern_bytes(bytes);
                *recent
            }
            None => self.strings.intern_bytes(bytes),
        }
    }

    fn real(&mut self, real: f64) -> Str {
        let strings = &mut self.strings;
        *self.reals.entry(real.to_bits()).or_insert_with(|| strings.intern(&npuscope_tables::number::float(real)))
    }
}

/// What writing a cell may need.
pub struct WriteContext<'a, 'w> {
    pub tables: &'a RankTables,
    pub words: &'w mut WordIds,
}

/// One encoding of a value of type `T`. `read` gives `None` for a value of another kind.
pub trait Codec<T> {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<T>;
    fn write<'a>(value: T, context: &mut WriteContext<'a, '_>) -> SqlCell<'a>;
}

/// A whole number, in whatever storage class: columns drift between INTEGER, NUMERIC and TEXT.
#[inline]
fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Text(text) => short_integer(text).or_else(|| std::str::from_utf8(text).ok()?.trim().parse().ok()),
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
        ValueRef::Real(real) if real.fract() == 0.0 && real.abs() < 9e15 => Some(real as i64),
        _ => None,
    }
}

/// A whole number that is digits and nothing else, few enough to fit.
#[inline]
fn short_integer(text: &[u8]) -> Option<i64> {
    let is_short = (1..=18).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    is_short.then(|| text.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
}

pub struct Int;

impl Codec<i64> for Int {
    #[inline]
    fn read(value: ValueRef<'_>, _: &mut ReadContext<'_>) -> Option<i64> {
        integer(value)
    }

    fn write<'a>(value: i64, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        SqlCell::Int(value)
    }
}

impl Codec<Option<i64>> for Int {
    #[inline]
    fn read(value: ValueRef<'_>, _: &mut ReadContext<'_>) -> Option<Option<i64>> {
        if value == ValueRef::Null { Some(None) } else { integer(value).map(Some) }
    }

    fn write<'a>(value: Option<i64>, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        value.map_or(SqlCell::Null, SqlCell::Int)
    }
}

/// Ids are written as the numbers they are.
macro_rules! id_codecs {
    ($id:ident) => {
        impl Codec<$id> for Int {
            #[inline]
            fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<$id> {
                <Int as Codec<i64>>::read(value, context).map($id)
            }

            fn write<'a>(value: $id, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
                <Int as Codec<i64>>::write(value.0, context)
            }
        }

        impl Codec<Option<$id>> for Int {
            #[inline]
            fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<$id>> {
                <Int as Codec<Option<i64>>>::read(value, context).map(|id| id.map($id))
            }

            fn write<'a>(value: Option<$id>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
                <Int as Codec<Option<i64>>>::write(value.map(|id| id.0), context)
            }
        }
    };
}

id_codecs!(TaskId);
id_codecs!(OpId);
id_codecs!(ConnectionId);

/// A point in time in nanoseconds.
pub struct Time;

impl Codec<Ns> for Time {
    #[inline]
    fn read(value: ValueRef<'_>, _: &mut ReadContext<'_>) -> Option<Ns> {
        integer(value).map(Ns)
    }

    fn write<'a>(value: Ns, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        SqlCell::Int(value.0)
    }
}

impl Codec<Option<Ns>> for Time {
    fn read(value: ValueRef<'_>, _: &mut ReadContext<'_>) -> Option<Option<Ns>> {
        if value == ValueRef::Null { Some(None) } else { integer(value).map(|ns| Some(Ns(ns))) }
    }

    fn write<'a>(value: Option<Ns>, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        value.map_or(SqlCell::Null, |ns| SqlCell::Int(ns.0))
    }
}

/// A point in time as text, as framework tables have it.
pub struct TimeText;

impl Codec<Ns> for TimeText {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Ns> {
        <Time as Codec<Ns>>::read(value, context)
    }

    fn write<'a>(value: Ns, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        SqlCell::Digits(value.0)
    }
}

/// A number; whole ones are stored as integers, as SQLite does in NUMERIC columns.
pub struct Real;

impl Codec<Option<f64>> for Real {
    #[expect(clippy::cast_precision_loss, reason = "measurements are below 2^53")]
    fn read(value: ValueRef<'_>, _: &mut ReadContext<'_>) -> Option<Option<f64>> {
        match value {
            ValueRef::Null => Some(None),
            ValueRef::Real(real) => Some(Some(real)),
            ValueRef::Integer(number) => Some(Some(number as f64)),
            ValueRef::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok().map(Some),
            ValueRef::Blob(_) => None,
        }
    }

    fn write<'a>(value: Option<f64>, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        value.map_or(SqlCell::Null, SqlCell::Real)
    }
}

/// Text stored as text.
pub struct Text;

impl Codec<Str> for Text {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Str> {
        match value {
            ValueRef::Text(text) => Some(context.text(text)),
            ValueRef::Integer(number) => Some(context.strings.intern(&number.to_string())),
            ValueRef::Real(real) => Some(context.real(real)),
            _ => None,
        }
    }

    fn write<'a>(value: Str, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        SqlCell::Text(context.tables.text(value).into())
    }
}

impl Codec<Option<Str>> for Text {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        if value == ValueRef::Null { Some(None) } else { <Text as Codec<Str>>::read(value, context).map(Some) }
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        value.map_or(SqlCell::Null, |v| <Text as Codec<Str>>::write(v, context))
    }
}

/// Text stored as an id of `STRING_IDS`.
pub struct Name;

impl Codec<Str> for Name {
    #[inline]
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Str> {
        let word = context.words.string(integer(value)?, context.strings);
        context.dangling += u64::from(word.is_none());
        Some(word.unwrap_or_default())
    }

    fn write<'a>(value: Str, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        SqlCell::Int(context.words.string_of(value, context.tables))
    }
}

impl Codec<Option<Str>> for Name {
    #[inline]
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        if value == ValueRef::Null || value == ValueRef::Integer(NO_STRING) {
            return Some(None);
        }
        let word = context.words.string(integer(value)?, context.strings);
        context.dangling += u64::from(word.is_none());
        Some(word)
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        value.map_or(SqlCell::Null, |v| <Name as Codec<Str>>::write(v, context))
    }
}

/// A [`Name`] whose null is the string `N/A`.
pub struct NameOrNa;

impl Codec<Option<Str>> for NameOrNa {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        let name = <Name as Codec<Option<Str>>>::read(value, context)?;
        Some(name.filter(|&name| name != context.words.not_available))
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        SqlCell::Int(match value {
            Some(value) => context.words.string_of(value, context.tables),
            None => context.words.not_available(),
        })
    }
}

/// A [`Name`] whose null is [`NO_STRING`].
pub struct NameOrNone;

impl Codec<Option<Str>> for NameOrNone {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        Name::read(value, context)
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        match value {
            Some(_) => Name::write(value, context),
            None => SqlCell::Int(NO_STRING),
        }
    }
}

/// A word of an `ENUM_*` table, by its number in [`Vocabulary::ALL`]; null is `N/A` where there is such a word.
pub struct Word<const VOCABULARY: usize>;

pub type Module = Word<1>;
pub type DataType = Word<2>;
pub type LinkType = Word<3>;
pub type TransportType = Word<4>;
pub type RdmaType = Word<5>;
pub type MstxEventType = Word<6>;
pub type MemcpyOperation = Word<7>;

impl<const VOCABULARY: usize> Word<VOCABULARY> {
    fn vocabulary() -> Vocabulary {
        Vocabulary::ALL.get(VOCABULARY).copied().unwrap_or(Vocabulary::ApiType)
    }
}

impl<const VOCABULARY: usize> Codec<Option<Str>> for Word<VOCABULARY> {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        if value == ValueRef::Null {
            return Some(None);
        }
        let id = integer(value)?;
        match context.words.word(Self::vocabulary(), id) {
            Some(word) => Some(Some(word).filter(|&word| word != context.words.not_available)),
            // A word this database does not explain: its number is better than nothing.
            None => Some(Some(context.strings.intern(&id.to_string()))),
        }
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        let id = match value {
            Some(word) => context.words.word_of(Self::vocabulary(), word, context.tables),
            None => context.words.word(Self::vocabulary(), NOT_AVAILABLE),
        };
        id.map_or(SqlCell::Null, SqlCell::Int)
    }
}

impl<const VOCABULARY: usize> Codec<Str> for Word<VOCABULARY> {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Str> {
        <Self as Codec<Option<Str>>>::read(value, context).map(Option::unwrap_or_default)
    }

    fn write<'a>(value: Str, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        <Self as Codec<Option<Str>>>::write(Some(value), context)
    }
}

/// A number of which one value means null: no rank, no plane, no size.
pub struct IntOr<const NULL: i64>;

impl<const NULL: i64> Codec<Option<i64>> for IntOr<NULL> {
    fn read(value: ValueRef<'_>, _: &mut ReadContext<'_>) -> Option<Option<i64>> {
        if value == ValueRef::Null {
            return Some(None);
        }
        integer(value).map(|number| Some(number).filter(|&n| n != NULL))
    }

    fn write<'a>(value: Option<i64>, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        SqlCell::Int(value.unwrap_or(NULL))
    }
}

impl<const NULL: i64> Codec<Option<ConnectionId>> for IntOr<NULL> {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<ConnectionId>> {
        <Self as Codec<Option<i64>>>::read(value, context).map(|id| id.map(ConnectionId))
    }

    fn write<'a>(value: Option<ConnectionId>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        <Self as Codec<Option<i64>>>::write(value.map(|id| id.0), context)
    }
}

/// 0 and 1 for what traces print as `no` and `yes`.
pub struct YesNo;

impl Codec<Option<Str>> for YesNo {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        match value {
            ValueRef::Null => Some(None),
            _ => Some(Some(context.strings.intern(if integer(value)? == 0 { "no" } else { "yes" }))),
        }
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        match context.tables.opt_text(value) {
            Some(text) => SqlCell::Int(i64::from(text != "no")),
            None => SqlCell::Null,
        }
    }
}

/// 0 and 1.
pub struct Flag;

impl Codec<Option<bool>> for Flag {
    fn read(value: ValueRef<'_>, _: &mut ReadContext<'_>) -> Option<Option<bool>> {
        if value == ValueRef::Null { Some(None) } else { integer(value).map(|flag| Some(flag != 0)) }
    }

    fn write<'a>(value: Option<bool>, _: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        value.map_or(SqlCell::Null, |flag| SqlCell::Int(i64::from(flag)))
    }
}

/// The id of a notify: unsigned in traces, where the greatest stands for none, signed in databases.
pub struct NotifyId;

impl Codec<Option<Str>> for NotifyId {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        match value {
            ValueRef::Integer(i64::MAX) => Some(Some(context.strings.intern(&u64::MAX.to_string()))),
            other => NumberText::read(other, context),
        }
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        match context.tables.opt_text(value).and_then(|text| text.parse::<u64>().ok()) {
            Some(id) => SqlCell::Int(i64::try_from(id).unwrap_or(i64::MAX)),
            None => NumberText::write(value, context),
        }
    }
}

/// A [`NumberText`] whose null is 0.
pub struct NumberTextOrZero;

impl Codec<Option<Str>> for NumberTextOrZero {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        if value == ValueRef::Integer(0) { Some(None) } else { NumberText::read(value, context) }
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        if value.is_none() { SqlCell::Int(0) } else { NumberText::write(value, context) }
    }
}

/// Text in the tables that is a number in the database.
pub struct NumberText;

impl Codec<Option<Str>> for NumberText {
    fn read(value: ValueRef<'_>, context: &mut ReadContext<'_>) -> Option<Option<Str>> {
        Text::read(value, context)
    }

    fn write<'a>(value: Option<Str>, context: &mut WriteContext<'a, '_>) -> SqlCell<'a> {
        let Some(text) = context.tables.opt_text(value) else { return SqlCell::Null };
        match (text.parse(), text.parse()) {
            (Ok(number), _) => SqlCell::Int(number),
            (_, Ok(real)) => SqlCell::Real(real),
            _ => SqlCell::Text(text.into()),
        }
    }
}
