//! The columns of a table, from the statement that made it.

/// A table with a rowid whose columns are stored one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainTable {
    pub columns: Vec<String>,
    /// The column that is another name of the rowid.
    pub rowid_column: Option<usize>,
}

/// The table that a `CREATE TABLE` statement makes; `None` for statements that are not plain enough to
/// be sure of.
pub fn parse_create_table(sql: &str) -> Option<PlainTable> {
    let open = sql.find('(')?;
    let head = sql.get(..open)?.to_ascii_uppercase();
    if !head.trim_start().starts_with("CREATE TABLE") {
        return None;
    }
    let (items, rest) = split_items(sql.get(open + 1..)?)?;
    if !rest.trim_matches([' ', ';', '\n', '\r', '\t']).is_empty() {
        // WITHOUT ROWID, STRICT: not for us.
        return None;
    }
    let mut table = PlainTable { columns: Vec::new(), rowid_column: None };
    for item in items {
        let (name, definition) = split_name(item.trim())?;
        let words: Vec<String> = definition.split_whitespace().map(str::to_ascii_uppercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_constraint = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];
        if is_constraint.contains(&item.trim().split([' ', '(']).next()?.to_ascii_uppercase().as_str()) {
            return None;
        }
        if words.iter().any(|word| word.starts_with("GENERATED") || *word == "AS") {
            return None;
        }
        if let ["INTEGER", "PRIMARY", "KEY", rest @ ..] = words.as_slice() {
            if rest.first() == Some(&"DESC") {
                return None;
            }
            table.rowid_column = Some(table.columns.len());
        }
        table.columns.push(name);
    }
    (!table.columns.is_empty()).then_some(table)
}

/// The items of a list in brackets whose opening bracket has been read, and what follows the list.
fn split_items(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut items = Vec::new();
    let (mut depth, mut start) = (0, 0);
    let mut quote: Option<u8> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(end), byte) if byte == end => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'[') => quote = Some(b']'),
            (None, b'(') => depth += 1,
            (None, b')') if depth == 0 => {
                items.push(text.get(start..at)?);
                return Some((items, text.get(at + 1..)?));
            }
            (None, b')') => depth -= 1,
            (None, b',') if depth == 0 => {
                items.push(text.get(start..at)?);
                start = at + 1;
            }
            // A comment could hide anything.
            (None, b'-' | b'/') if text.get(at..at + 2).is_some_and(|t| t == "--" || t == "/*") => return None,
            (None, _) => {}
        }
    }
    None
}

/// The name a column definition begins with, unquoted, and the rest.
fn split_name(item: &str) -> Option<(String, &str)> {
    let first = item.chars().next()?;
    let closing = match first {
        '"' => '"',
        '`' => '`',
        '[' => ']',
        _ => {
            let end = item.find(char::is_whitespace).unwrap_or(item.len());
            return Some((item.get(..end)?.to_owned(), item.get(end..)?));
        }
    };
    let rest = item.get(1..)?;
    let end = rest.find(closing)?;
    // A doubled quote inside a name is more than is looked into here.
    let after = rest.get(end + 1..)?;
    (!after.starts_with(closing)).then(|| rest.get(..end).map(|name| (name.to_owned(), after)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_profiles_are_understood() {
        let sql = "CREATE TABLE TASK (startNs INTEGER,endNs INTEGER, count NUMERIC, depth integer)";
        let expected = ["startNs", "endNs", "count", "depth"].map(str::to_owned).to_vec();
        assert_eq!(parse_create_table(sql), Some(PlainTable { columns: expected, rowid_column: None }));
        let table =
            parse_create_table("CREATE TABLE \"X\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, [a b] TEXT)").unwrap();
        assert_eq!((table.columns, table.rowid_column), (vec!["id".to_owned(), "a b".to_owned()], Some(0)));
        assert!(parse_create_table("CREATE TABLE connectionCats(connectionId INT,cat)").is_some());
    }

    #[test]
    fn what_is_not_plain_is_left_to_sqlite() {
        for sql in [
            "CREATE TABLE t (a INTEGER PRIMARY KEY, b) WITHOUT ROWID",
            "CREATE TABLE t (a, b AS (a + 1))",
            "CREATE TABLE t (a, b, PRIMARY KEY (a))",
            "CREATE TABLE t (a, -- b\n c)",
            "CREATE VIRTUAL TABLE t USING fts5(a)",
            "CREATE TABLE t AS SELECT 1",
            "",
        ] {
            assert_eq!(parse_create_table(sql), None, "{sql}");
        }
    }
}
