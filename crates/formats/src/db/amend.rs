//! A copy of a database with something added.

use std::fs::File;
use std::io;
use std::path::Path;

use hashbrown::HashMap;
use rusqlite::Connection;
use rusqlite::types::ToSqlOutput;

use super::names::Vocabulary;
use crate::regular_file;
use crate::result::{Cell, ResultTable};

/// A database that is being amended. What it was copied from stays as it is.
pub struct AmendedDb {
    connection: Connection,
    /// Ids of `STRING_IDS`, once they were asked for.
    strings: Option<Strings>,
}

#[derive(Default)]
struct Strings {
    ids: HashMap<String, i64>,
    next: i64,
}

impl AmendedDb {
    /// Copies the database `from` to `to`. Changes are kept when [`AmendedDb::finish`] is called.
    pub fn copy(from: &Path, to: &Path) -> io::Result<AmendedDb> {
        // Not `fs::copy`: the copy must be writable where the original is not.
        // On Linux `io::copy` shares the blocks of the original where the file system can (XFS, Btrfs): measured, such a
        // copy takes a tenth of the CPU time of one on ext4, which copies every page.
        io::copy(&mut regular_file::open(from)?, &mut File::create(to)?)?;
        let connection = Connection::open(to).map_err(io::Error::other)?;
        // The copy has a temporary name until it is complete, so nothing need be undone.
        let begin = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN";
        connection.execute_batch(begin).map_err(io::Error::other)?;
        Ok(AmendedDb { connection, strings: None })
    }

    pub fn finish(self) -> io::Result<()> {
        self.connection.execute_batch("COMMIT").map_err(io::Error::other)?;
        self.connection.close().map_err(|(_, error)| io::Error::other(error))
    }

    /// Gives a table a column of text, unless it has it, and sets it for the rows whose whole number `key` is listed;
    /// for all others it is null.
    pub fn set_texts(&self, table: &str, column: &str, key: &str, texts: &[(i64, &str)]) -> io::Result<()> {
        self.try_set_texts(table, column, key, texts).map_err(io::Error::other)
    }

    fn try_set_texts(&self, table: &str, column: &str, key: &str, texts: &[(i64, &str)]) -> rusqlite::Result<()> {
        let [name, column_name, key] = [table, column, key].map(quoted);
        let has_column = self.connection.prepare(&format!("SELECT * FROM {name} LIMIT 0"))?;
        let has_column = has_column.column_names().any(|known| known == column);
        self.connection.execute_batch(&match has_column {
            true => format!("UPDATE {name} SET {column_name} = NULL"),
            false => format!("ALTER TABLE {name} ADD COLUMN {column_name} TEXT"),
        })?;
        let mut set = self.connection.prepare(&format!("UPDATE {name} SET {column_name} = ?2 WHERE {key} = ?1"))?;
        for (key, text) in texts {
            set.execute((key, text))?;
        }
        Ok(())
    }

    /// Writes a table anew.
    pub fn replace_table(&self, table: &ResultTable) -> io::Result<()> {
        let name = quoted(&table.name);
        let columns: Vec<String> =
            table.columns.iter().map(|column| format!("{} {}", quoted(&column.name), column.kind.declared())).collect();
        let create = format!("DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({})", columns.join(", "));
        self.connection.execute_batch(&create).map_err(io::Error::other)?;
        let places = vec!["?"; table.columns.len()].join(",");
        let insert = format!("INSERT INTO {name} VALUES ({places})");
        let mut insert = self.connection.prepare(&insert).map_err(io::Error::other)?;
        table.each_row(|row| insert.execute(rusqlite::params_from_iter(row)).map(drop).map_err(io::Error::other))
    }

    /// The id of a text in `STRING_IDS`, which gets it if it lacks it.
    pub fn string_id(&mut self, text: &str) -> io::Result<i64> {
        self.try_string_id(text).map_err(io::Error::other)
    }

    fn try_string_id(&mut self, text: &str) -> rusqlite::Result<i64> {
        if self.strings.is_none() {
            self.strings = Some(self.read_strings()?);
        }
        let strings = self.strings.get_or_insert_default();
        if let Some(id) = strings.ids.get(text) {
            return Ok(*id);
        }
        let id = strings.next;
        self.connection.prepare_cached("INSERT INTO STRING_IDS VALUES (?1, ?2)")?.execute((id, text))?;
        strings.ids.insert(text.to_owned(), id);
        strings.next += 1;
        Ok(id)
    }

    fn read_strings(&self) -> rusqlite::Result<Strings> {
        let mut strings = Strings::default();
        let mut statement = self.connection.prepare("SELECT id, value FROM STRING_IDS")?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            strings.next = strings.next.max(id + 1);
            strings.ids.insert(row.get(1)?, id);
        }
        Ok(strings)
    }
}

/// The number by which databases write a type of communicated elements, in whatever case it is spelled.
pub fn data_type_id(name: &str) -> Option<i64> {
    let words = Vocabulary::DataType.words().iter();
    words.copied().find_map(|(id, word)| word.eq_ignore_ascii_case(name).then_some(id))
}

impl rusqlite::ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Cell::Null => rusqlite::types::Null.into(),
            Cell::Int(value) => (*value).into(),
            Cell::Real(value) => (*value).into(),
            Cell::Text(value) => (&**value).into(),
        })
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::ColumnKind;

    #[test]
    fn a_copy_is_amended_and_the_original_stays() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("a.db"), directory.path().join("b.db"));
        let original = Connection::open(&from).unwrap();
        let tables =
            "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO STRING_IDS VALUES (7, 'x');
             CREATE TABLE T (k INTEGER PRIMARY KEY); INSERT INTO T VALUES (1), (2)";
        original.execute_batch(tables).unwrap();
        drop(original);
        let before = std::fs::read(&from).unwrap();

        let mut db = AmendedDb::copy(&from, &to).unwrap();
        db.set_texts("T", "note", "k", &[(1, "old")]).unwrap();
        db.set_texts("T", "note", "k", &[(2, "new")]).unwrap();
        assert_eq!(["x", "y", "y"].map(|text| db.string_id(text).unwrap()), [7, 8, 8]);
        let mut table = ResultTable::new("More", "more", &[("a", ColumnKind::Int), ("b", ColumnKind::Text)]);
        table.push([Cell::Int(5), Cell::Null]);
        db.replace_table(&table).unwrap();
        db.replace_table(&table).unwrap();
        db.finish().unwrap();

        let amended = Connection::open(&to).unwrap();
        let one = |sql: &str| amended.query_row(sql, (), |row| row.get::<_, Option<String>>(0)).unwrap();
        assert_eq!(one("SELECT note FROM T WHERE k = 1"), None);
        assert_eq!(one("SELECT note FROM T WHERE k = 2").as_deref(), Some("new"));
        assert_eq!(one("SELECT value FROM STRING_IDS WHERE id = 8").as_deref(), Some("y"));
        assert_eq!(one("SELECT CAST(SUM(a) AS TEXT) FROM More").as_deref(), Some("5"));
        assert_eq!(std::fs::read(&from).unwrap(), before);
    }

    #[test]
    fn types_of_elements_have_numbers() {
        assert_eq!(["fp16", "BFP16", "nothing"].map(data_type_id), [Some(3), Some(11), None]);
    }
}
