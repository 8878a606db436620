//! A table being written.

use std::io;

use super::index::IndexEntries;
use super::record::{Affinity, Record, Varints};
use super::tree::TableTree;
use super::{Index, SqliteFile};
use crate::cell::SqlCell;
use crate::database::quoted;

/// A table to be written.
pub struct NewTable {
    pub name: String,
    /// Names and declared types.
    pub columns: Vec<(String, &'static str)>,
    pub indexes: &'static [Index],
    /// Whether a table without rows is written too.
    pub even_if_empty: bool,
}

impl NewTable {
    /// The column that is the key.
    fn key(&self) -> Option<usize> {
        self.columns.iter().position(|(_, declared)| declared.starts_with("INTEGER PRIMARY KEY"))
    }

    fn create(&self) -> String {
        let column = |(name, declared): &(String, &str)| format!("{} {declared}", quoted(name)).trim_end().to_owned();
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!("CREATE TABLE {} ({})", quoted(&self.name), columns.join(", "))
    }
}

/// Writes a table whose rows come bit by bit.
///
/// A column declared `INTEGER PRIMARY KEY` is the key: rows may come in any order of it, and of rows with
/// one key the first is kept. Rows whose key is null get keys above all others in the end, in order.
/// Indexes are kept in memory, 8 bytes a row for each column and for the row, and sorted in the end; so are
/// rows that come after a greater key of an earlier call.
pub struct TableWriter {
    table: NewTable,
    sink: RowSink,
    tree: TableTree,
    row_number: i64,
    /// Rows of a table with a key that belong between those written before.
    late: KeyedRows,
    keyless: KeyedRows,
}

impl TableWriter {
    pub fn new(table: NewTable) -> TableWriter {
        TableWriter {
            sink: RowSink::new(&table),
            table,
            tree: TableTree::default(),
            row_number: 0,
            late: KeyedRows::default(),
            keyless: KeyedRows::default(),
        }
    }

    /// Number of rows so far.
    pub fn row_count(&self) -> i64 {
        self.row_number
    }

    /// Adds rows; `cells` gives the cells of a row in the order of the columns.
    pub fn rows<R>(
        &mut self,
        file: &mut SqliteFile,
        rows: impl IntoIterator<Item = R>,
        mut cells: impl FnMut(&R, &mut RowSink),
    ) -> io::Result<()> {
        let TableWriter { sink, tree, row_number, late, keyless, .. } = self;
        let mut keyed = KeyedRows::default();
        // Not a loop: chained iterators hand rows to a closure without moving them about.
        rows.into_iter().try_for_each(|row| {
            *row_number += 1;
            sink.begin(*row_number);
            cells(&row, sink);
            sink.end();
            match sink.key {
                _ if !sink.has_key => tree.push(file, *row_number, &sink.record)?,
                // Mostly keys ascend, and then the row has its place at once.
                Some(key) if keyed.is_empty() && tree.last_key().is_none_or(|last| last < key) => {
                    tree.push(file, key, &sink.record)?;
                }
                Some(key) => keyed.push(key, &sink.record),
                None => keyless.push(0, &sink.record),
            }
            Ok::<(), io::Error>(())
        })?;
        for (key, payload) in keyed.sorted() {
            if tree.last_key().is_none_or(|last| last < key) {
                tree.push_whole(file, key, payload)?;
            } else {
                late.push_whole(key, payload);
            }
        }
        Ok(())
    }

    /// Adds one row.
    pub fn row(&mut self, file: &mut SqliteFile, cells: impl Fn(&mut RowSink)) -> io::Result<()> {
        self.rows(file, [()], |(), sink| cells(sink))
    }

    /// Completes the table.
    pub fn finish(mut self, file: &mut SqliteFile) -> io::Result<()> {
        if self.row_number == 0 && !self.table.even_if_empty {
            return Ok(());
        }
        if !self.late.is_empty() {
            self.tree.insert(file, &self.late.sorted())?;
        }
        let next = self.tree.last_key().map_or(1, |last| last.saturating_add(1));
        for (key, (_, payload)) in (next..).zip(self.keyless.all()) {
            self.tree.push_whole(file, key, payload)?;
        }
        let root = self.tree.finish(file)?;
        let name = &self.table.name;
        file.list("table", name, name, root, self.table.create());
        let indexes = self.table.indexes.iter().zip(self.sink.indexed);
        for (index, entries) in indexes.filter(|(_, entries)| !entries.is_spoilt) {
            let root = entries.finish(file)?;
            let columns = index.columns.join(",");
            file.list("index", index.name, name, root, format!("CREATE INDEX {} ON {name} ({columns})", index.name));
        }
        Ok(())
    }
}

/// Takes the cells of a row.
pub struct RowSink {
    columns: Vec<SinkColumn>,
    has_key: bool,
    indexed: Vec<IndexEntries>,
    record: Record,
    column: usize,
    row_number: i64,
    key: Option<i64>,
}

impl RowSink {
    fn new(table: &NewTable) -> RowSink {
        let column = |(index, (name, declared)): (usize, &(String, &'static str))| {
            let affinity = Affinity::of(declared);
            SinkColumn {
                affinity,
                keeps_integers: matches!(affinity, Affinity::Numeric | Affinity::None),
                is_key: table.key() == Some(index),
                is_indexed: table.indexes.iter().any(|i| i.columns.contains(&name.as_str())),
            }
        };
        RowSink {
            columns: table.columns.iter().enumerate().map(column).collect(),
            has_key: table.key().is_some(),
            indexed: table.indexes.iter().map(|index| IndexEntries::new(index, &table.columns)).collect(),
            record: Record::default(),
            column: 0,
            row_number: 0,
            key: None,
        }
    }

    fn begin(&mut self, row_number: i64) {
        self.row_number = row_number;
        self.key = None;
        self.column = 0;
        self.record.clear();
        self.indexed.iter_mut().for_each(IndexEntries::begin);
    }

    #[inline]
    pub fn push(&mut self, cell: SqlCell<'_>) {
        let column = self.columns.get(self.column).copied().unwrap_or_default();
        match cell {
            SqlCell::Int(number) if column.keeps_integers => {
                if column.is_indexed {
                    self.indexed.iter_mut().for_each(|entries| entries.take(self.column, number));
                }
                if column.is_key {
                    // The key is stored as the row's number and not again.
                    self.key = Some(number);
                    self.record.push(&SqlCell::Null);
                } else {
                    self.record.push_int(number);
                }
            }
            // What columns store as it comes, which most cells are.
            SqlCell::Text(_) | SqlCell::Null => self.record.push(&cell),
            SqlCell::Real(real) if column.affinity == Affinity::Real && !real.is_nan() => self.record.push(&cell),
            cell => self.record.push(&column.affinity.stored(cell)),
        }
        self.column += 1;
    }

    fn end(&mut self) {
        let rowid = self.key.unwrap_or(self.row_number);
        for entries in &mut self.indexed {
            entries.end(rowid);
            entries.is_spoilt |= self.has_key && self.key.is_none();
        }
    }
}

#[derive(Clone, Copy, Default)]
struct SinkColumn {
    affinity: Affinity,
    keeps_integers: bool,
    is_key: bool,
    is_indexed: bool,
}

/// Rows that are not in the tree yet: their keys and payloads.
#[derive(Default)]
struct KeyedRows {
    /// Key and where its payload is in `bytes`.
    rows: Vec<(i64, usize, usize)>,
    bytes: Vec<u8>,
}

impl KeyedRows {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn push(&mut self, key: i64, record: &Record) {
        self.rows.push((key, self.bytes.len(), record.size()));
        for part in record.parts(&mut Varints::default()) {
            self.bytes.extend_from_slice(part);
        }
    }

    fn push_whole(&mut self, key: i64, payload: &[u8]) {
        self.rows.push((key, self.bytes.len(), payload.len()));
        self.bytes.extend_from_slice(payload);
    }

    fn all(&self) -> impl Iterator<Item = (i64, &[u8])> {
        self.rows.iter().map(|&(key, start, size)| (key, self.bytes.get(start..start + size).unwrap_or_default()))
    }

    /// The rows by key; of rows with one key the first.
    fn sorted(&self) -> Vec<(i64, &[u8])> {
        let mut rows: Vec<_> = self.all().collect();
        rows.sort_by_key(|(key, _)| *key);
        rows.dedup_by_key(|(key, _)| *key);
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;
    use rusqlite::types::Value;

    /// Writes a table of the given rows, one bit after the other, and gives SQLite's view of the file.
    fn written(
        columns: &[(&str, &'static str)],
        indexes: &'static [Index],
        bits: Vec<Vec<Vec<SqlCell<'static>>>>,
    ) -> (tempfile::TempDir, Connection) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let columns: Vec<(String, &'static str)> = columns.iter().map(|(n, d)| ((*n).to_owned(), *d)).collect();
        let mut file = SqliteFile::create(&path).unwrap();
        let table = |name: &str| {
            TableWriter::new(NewTable { name: name.to_owned(), columns: columns.clone(), indexes, even_if_empty: true })
        };
        // Two tables that grow at once.
        let (mut t, mut same) = (table("t"), table("same"));
        for rows in bits {
            let push = |row: &Vec<SqlCell<'static>>, sink: &mut RowSink| row.iter().cloned().for_each(|c| sink.push(c));
            t.rows(&mut file, rows.clone(), push).unwrap();
            same.rows(&mut file, rows, push).unwrap();
        }
        t.finish(&mut file).unwrap();
        file.cells("u", &columns, []).unwrap();
        same.table.indexes = &[];
        same.finish(&mut file).unwrap();
        file.finish().unwrap();
        let connection = Connection::open(&path).unwrap();
        let verdict: String = connection.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!(verdict, "ok");
        assert_eq!(all(&connection, "SELECT * FROM t"), all(&connection, "SELECT * FROM same"));
        (directory, connection)
    }

    fn all(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
        let mut statement = connection.prepare(sql).unwrap();
        let width = statement.column_count();
        let rows =
            statement.query_map((), |row| (0..width).map(|i| row.get(i)).collect::<Result<Vec<Value>, _>>()).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn value(cell: &SqlCell<'_>) -> Value {
        match cell {
            SqlCell::Null => Value::Null,
            SqlCell::Int(n) => Value::Integer(*n),
            SqlCell::Real(r) => Value::Real(*r),
            SqlCell::Text(t) => Value::Text(t.clone().into_owned()),
            SqlCell::Digits(n) => Value::Text(n.to_string()),
        }
    }

    fn any_cell() -> impl Strategy<Value = SqlCell<'static>> {
        prop_oneof![
            Just(SqlCell::Null),
            any::<i64>().prop_map(SqlCell::Int),
            (-300i64..70_000).prop_map(SqlCell::Int),
            any::<f64>().prop_filter("SQLite has no NaN", |f| !f.is_nan()).prop_map(SqlCell::Real),
            ".{0,20}".prop_map(|t| SqlCell::Text(t.into())),
            any::<i64>().prop_map(SqlCell::Digits),
            (0usize..60_000).prop_map(|n| SqlCell::Text("x".repeat(n).into())),
        ]
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(24))]

        #[test]
        fn sqlite_reads_what_was_written(rows in prop::collection::vec(prop::collection::vec(any_cell(), 3), 0..60)) {
            let (_keep, connection) = written(&[("a", ""), ("b", ""), ("c", "")], &[], vec![rows.clone()]);
            let expected: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(value).collect()).collect();
            prop_assert_eq!(all(&connection, "SELECT * FROM t"), expected);
        }

        #[test]
        fn keys_in_any_order_are_found(
            keys in prop::collection::vec(prop_oneof![any::<i64>(), -4000i64..4000], 0..3000), bits in 1usize..6,
        ) {
            let row = |&key: &i64| vec![SqlCell::Int(key), SqlCell::Int(key / 2), SqlCell::Text("x".repeat(40).into())];
            let rows: Vec<Vec<SqlCell<'static>>> = keys.iter().map(row).collect();
            let bits = rows.chunks(rows.len() / bits + 1).map(<[_]>::to_vec).collect();
            let columns = [("id", "INTEGER PRIMARY KEY"), ("half", "INTEGER"), ("more", "TEXT")];
            let (_keep, connection) = written(&columns, &[], bits);
            let mut expected = keys;
            expected.sort_unstable();
            expected.dedup();
            let expected: Vec<Vec<Value>> = expected.iter().map(|&k| vec![k.into(), (k / 2).into()]).collect();
            prop_assert_eq!(all(&connection, "SELECT id, half FROM t"), expected);
        }
    }

    #[test]
    fn an_index_of_many_levels_finds_every_row() {
        for count in [0i64, 1, 2, 700, 1300, 40_000, 400_000] {
            let rows = (0..count).map(|i| vec![SqlCell::Int(i), SqlCell::Int((i * 7919) % count.max(1))]).collect();
            let (_keep, connection) = written(
                &[("n", "INTEGER"), ("value", "INTEGER")],
                &[Index { name: "byValue", columns: &["value"] }],
                vec![rows],
            );
            let sql = "SELECT count(*) FROM t INDEXED BY byValue WHERE value >= 0";
            assert_eq!(all(&connection, sql), [[Value::Integer(count)]], "{count}");
        }
    }

    #[test]
    fn a_list_of_many_tables_takes_more_than_one_page() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let mut file = SqliteFile::create(&path).unwrap();
        for table in 0..300 {
            let columns = [(format!("a_rather_long_name_of_a_column_{table}"), "INTEGER")];
            file.cells(&format!("t{table}"), &columns, [vec![SqlCell::Int(table)]]).unwrap();
        }
        file.finish().unwrap();
        let connection = Connection::open(&path).unwrap();
        assert_eq!(all(&connection, "PRAGMA integrity_check"), [["ok".to_owned().into()]]);
        assert_eq!(all(&connection, "SELECT * FROM t299"), [[Value::Integer(299)]]);
    }

    #[test]
    fn columns_store_by_their_declared_type() {
        let columns = [("t", "TEXT"), ("n", "NUMERIC"), ("r", "REAL"), ("i", "INTEGER")];
        let row = vec![SqlCell::Int(5), SqlCell::Real(7.0), SqlCell::Int(2), SqlCell::Real(1.5)];
        let (_keep, connection) = written(&columns, &[], vec![vec![row]]);
        let expected = [Value::Text("5".to_owned()), Value::Integer(7), Value::Real(2.0), Value::Real(1.5)];
        assert_eq!(all(&connection, "SELECT * FROM t"), [expected]);
    }

    #[test]
    fn rows_without_a_key_get_keys_above_all_others() {
        let bits = [Some(7), None, Some(3), None].map(|key| vec![vec![key.map_or(SqlCell::Null, SqlCell::Int)]]);
        let (_keep, connection) = written(&[("id", "INTEGER PRIMARY KEY")], &[], bits.to_vec());
        let expected: Vec<Vec<Value>> = [3, 7, 8, 9].map(|key| vec![Value::Integer(key)]).to_vec();
        assert_eq!(all(&connection, "SELECT * FROM t"), expected);
    }
}
