//! How deep and how large a query becomes, measured on its text before anything recursive sees it.
//!
//! The parser builds `1+1+1+…` in a loop, but planning, evaluating and even dropping the tree recurse once per level,
//! and a stack that overflows ends the process. A common table expression is put in wherever it is named, so a few of
//! them that name each other twice double the plan each time. Both are bounded here, in one pass over the tokens: any
//! path through the tree of a bracket uses at most every operator of that bracket and then enters one bracket inside
//! it, so `operators + brackets + deepest bracket` is never less than the depth.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer, Word};
use npuscope_tables::schema;

use crate::error::EngineError;

/// The longest query in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// Levels that a query may nest. Each takes a few kilobytes of [`STACK`](crate::session::STACK).
pub const MAX_DEPTH: usize = 1000;

/// Brackets inside brackets. The parser counts those of expressions itself, but not those of types.
const MAX_BRACKETS: usize = 100;

/// Words that common table expressions may add where they are named.
const MAX_EXPANSION: u64 = 100_000;

/// Columns that a `SELECT` may list: planning takes a time that grows with their square.
const MAX_COLUMNS: usize = 4000;

/// What weighs more: the parser recurses at these without counting, with frames of many kilobytes.
const HEAVY: usize = 25;

/// What a join weighs, as `EXCEPT` and `INTERSECT` are: planning many takes long.
const JOIN: usize = 10;

/// One bracket, or the whole query.
#[derive(Default)]
struct Level {
    /// Operators since the last comma.
    operators: usize,
    /// The deepest bracket since the last comma.
    inner: usize,
    /// The deepest part between commas so far.
    deepest: usize,
    /// Clauses, joins and set operations, which commas do not end.
    clauses: usize,
    in_from: bool,
    /// Commas since `SELECT`, up to its `FROM`.
    columns: Option<usize>,
    /// Words, with those of the common table expressions that are named.
    size: u64,
    last_word: String,
    /// The common table expression that the bracket defines.
    defines: Option<String>,
}

impl Level {
    fn end_part(&mut self) {
        self.deepest = self.deepest.max(self.operators + self.inner);
        (self.operators, self.inner) = (0, 0);
    }

    fn depth(&self) -> usize {
        self.clauses + self.deepest.max(self.operators + self.inner)
    }
}

/// Refuses a query that is longer, deeper or larger than can be planned safely.
pub fn check(sql: &str) -> Result<(), EngineError> {
    if sql.len() > MAX_BYTES {
        return Err(EngineError::TooLong { bytes: sql.len(), limit: MAX_BYTES });
    }
    // What has no words is for the parser to report.
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize() else { return Ok(()) };
    let tokens: Vec<Token> = tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    let Measure { depth, expansion, columns } = measure(&tokens);
    if depth > MAX_DEPTH {
        return Err(EngineError::TooDeep { limit: MAX_DEPTH });
    }
    if columns > MAX_COLUMNS {
        return Err(EngineError::TooManyColumns { limit: MAX_COLUMNS });
    }
    if expansion > MAX_EXPANSION {
        return Err(EngineError::TooLarge { limit: MAX_EXPANSION });
    }
    Ok(())
}

struct Measure {
    /// Never less than how deep the query nests.
    depth: usize,
    /// Words that common table expressions add.
    expansion: u64,
    /// Of the `SELECT` that lists the most.
    columns: usize,
}

fn measure(tokens: &[Token]) -> Measure {
    let mut columns = 0;
    let mut outer: Vec<Level> = Vec::new();
    let mut level = Level::default();
    let mut defined: HashMap<String, (usize, u64)> = HashMap::new();
    // Periods of one name: more than three are accesses to fields.
    let mut periods = 0;
    for (at, token) in tokens.iter().enumerate() {
        level.size = level.size.saturating_add(1);
        let previous = at.checked_sub(1).and_then(|at| tokens.get(at));
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                level.operators += 1;
                let is_definition =
                    previous.is_some_and(|token| is_keyword(token, &[Keyword::AS, Keyword::MATERIALIZED]));
                let defines = is_definition.then(|| level.last_word.clone());
                if outer.len() >= MAX_BRACKETS {
                    return Measure { depth: usize::MAX, expansion: 0, columns };
                }
                outer.push(std::mem::replace(&mut level, Level { defines, ..Level::default() }));
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                let Some(parent) = outer.pop() else { continue };
                let inner = std::mem::replace(&mut level, parent);
                let depth = inner.depth();
                level.inner = level.inner.max(depth);
                level.size = level.size.saturating_add(inner.size);
                if let Some(name) = inner.defines {
                    let known = defined.entry(name).or_default();
                    *known = (known.0.max(depth), known.1.max(inner.size));
                }
            }
            Token::Comma if level.in_from => level.clauses += JOIN,
            Token::Comma => {
                level.end_part();
                if let Some(listed) = &mut level.columns {
                    *listed += 1;
                    columns = columns.max(*listed + 1);
                }
            }
            Token::Word(word) => {
                let is_qualifier = matches!(tokens.get(at + 1), Some(Token::Period));
                level.word(word, is_qualifier, &defined);
            }
            Token::Period => {
                let goes_on = at.checked_sub(2).and_then(|at| tokens.get(at)).is_some_and(|t| *t == Token::Period);
                periods = if goes_on { periods + 1 } else { 1 };
                let is_access = matches!(previous, Some(Token::RParen | Token::RBracket));
                level.operators += usize::from(is_access || periods > 3);
            }
            Token::Number(..)
            | Token::Char(_)
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::SemiColon => {}
            _ => level.operators += 1,
        }
    }
    // A bracket that is not closed is for the parser to report, after it has read all of it.
    let mut depth = level.depth();
    let mut size = level.size;
    for open in outer.into_iter().rev() {
        depth += open.depth();
        size = size.saturating_add(open.size);
    }
    Measure { depth, expansion: size.saturating_sub(tokens.len() as u64), columns }
}

impl Level {
    fn word(&mut self, word: &Word, is_qualifier: bool, defined: &HashMap<String, (usize, u64)>) {
        use Keyword as K;
        let name = if word.quote_style.is_some() { word.value.clone() } else { word.value.to_ascii_lowercase() };
        if let Some(&(depth, size)) = defined.get(&name).filter(|_| !is_qualifier) {
            self.inner = self.inner.max(depth);
            self.size = self.size.saturating_add(size);
        }
        match word.keyword {
            K::NoKeyword => self.last_word = name,
            K::AS | K::MATERIALIZED => {}
            K::NOT if self.last_word.is_empty() => self.operators += 1,
            K::EXPLAIN | K::INTERVAL | K::ARRAY | K::STRUCT | K::MAP => self.operators += HEAVY,
            // Parts of a query: expressions end here, and what follows goes on top of what came before.
            K::SELECT
            | K::FROM
            | K::WHERE
            | K::GROUP
            | K::HAVING
            | K::ORDER
            | K::LIMIT
            | K::QUALIFY
            | K::WINDOW
            | K::UNION
            | K::EXCEPT
            | K::INTERSECT
            | K::MINUS
            | K::JOIN
            | K::ON
            | K::WITH
            | K::VALUES => {
                self.end_part();
                let is_join = matches!(word.keyword, K::JOIN | K::EXCEPT | K::INTERSECT | K::MINUS);
                self.clauses += if is_join { JOIN } else { 1 };
                self.columns = (word.keyword == K::SELECT).then_some(0);
                self.in_from = matches!(word.keyword, K::FROM | K::JOIN | K::ON);
            }
            _ if is_column(&name) => self.last_word = name,
            _ => {
                self.operators += 1;
                self.last_word = name;
            }
        }
    }
}

fn is_keyword(token: &Token, keywords: &[Keyword]) -> bool {
    matches!(token, Token::Word(word) if keywords.contains(&word.keyword))
}

/// Many of our columns (`name`, `start`, `rank`) are words of SQL somewhere, though none that nests.
fn is_column(name: &str) -> bool {
    static COLUMNS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let columns = schema::all().iter().flat_map(|table| &table.columns).map(|column| column.name.as_ref());
        columns.chain(["rank"]).filter(|name| *name != "end").collect()
    });
    COLUMNS.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(sql: &str) -> usize {
        measure(&tokens(sql)).depth
    }

    fn tokens(sql: &str) -> Vec<Token> {
        let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize().unwrap();
        tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect()
    }

    #[test]
    fn operators_add_up_and_commas_do_not() {
        assert_eq!(depth("SELECT 1+1+1"), 3);
        assert_eq!(depth("SELECT 1, 1, 1, 1, 1, 1+1"), 2);
        assert_eq!(depth("SELECT (1+1)+1+1"), 5);
        assert!(depth(&format!("SELECT name FROM kernel WHERE rank IN ({})", vec!["1"; 1000].join(","))) < 10);
    }

    #[test]
    fn tables_after_from_add_up() {
        assert!(depth("SELECT 1 FROM a, b, c, d") >= 4);
        assert!(depth("SELECT 1 FROM a JOIN b ON x JOIN c ON x") >= 4);
    }

    #[test]
    fn what_a_bracket_holds_is_below_all_that_follows_it() {
        let mut sql = "1".to_owned();
        for _ in 0..20 {
            sql = format!("({sql}+1+1+1+1)");
        }
        assert!(depth(&sql) >= 100);
    }

    #[test]
    fn a_common_table_expression_counts_wherever_it_is_named() {
        let mut sql = "WITH t0 AS (SELECT 1 AS x)".to_owned();
        for at in 1..40 {
            sql += &format!(", t{at} AS (SELECT * FROM t{0} UNION ALL SELECT * FROM t{0})", at - 1);
        }
        sql += " SELECT count(*) FROM t39";
        let Measure { depth, expansion, .. } = measure(&tokens(&sql));
        assert!(depth >= 40 && expansion > MAX_EXPANSION);
        let Measure { expansion, .. } =
            measure(&tokens("WITH t AS (SELECT 1) SELECT * FROM t a JOIN t b ON a.x = b.x"));
        assert!(expansion < 20);
    }
}
