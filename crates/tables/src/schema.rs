//! What a table is: its name, its columns, their units and meaning.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema, SchemaRef};

use crate::column::ColumnType;
use crate::window::window_column;
use crate::{RankBuilder, TableId};

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSpec {
    pub name: Cow<'static, str>,
    pub ty: ColumnType,
    pub nullable: bool,
    /// `ns`, `B`, `us` …; empty for ids, counts and text.
    pub unit: &'static str,
    pub doc: &'static str,
}

impl ColumnSpec {
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        ty: ColumnType,
        nullable: bool,
        unit: &'static str,
        doc: &'static str,
    ) -> Self {
        ColumnSpec { name: name.into(), ty, nullable, unit, doc: doc.trim() }
    }

    fn stored_field(&self) -> Field {
        Field::new(self.name.as_ref(), self.ty.stored(), true)
    }

    /// The field a query sees; the unit and the doc line travel as metadata.
    fn scanned_field(&self) -> Field {
        let metadata = [("unit", self.unit), ("doc", self.doc)];
        Field::new(self.name.as_ref(), self.ty.scanned(), self.nullable)
            .with_metadata(metadata.map(|(k, v)| (k.to_owned(), v.to_owned())).into())
    }
}

/// What the rows of a table are, in relation to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// What happened.
    Fact,
    /// What follows from the facts, by the definitions of the glossary.
    Measured,
    /// What the source's own summaries said, in their own units: carried, not derived.
    Reported,
    /// About the profile itself: its files, settings and diagnostics.
    About,
}

/// One table: a name, a doc line and columns.
#[derive(Clone, Debug)]
pub struct TableSpec {
    pub id: TableId,
    pub name: &'static str,
    pub family: Family,
    pub doc: &'static str,
    /// The column by which rows lie in time, if they do: what a time-range filter prunes by.
    pub time: Option<&'static str>,
    pub columns: Vec<ColumnSpec>,
    /// What a query sees, `rank` excepted: that is the partition. The last column is `window`, which every table has.
    pub schema: SchemaRef,
}

impl TableSpec {
    pub fn new(
        id: TableId,
        name: &'static str,
        family: Family,
        doc: &'static str,
        time: Option<&'static str>,
        columns: Vec<ColumnSpec>,
    ) -> Self {
        let fields = columns.iter().map(ColumnSpec::scanned_field).chain([window_column().scanned_field()]);
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        TableSpec { id, name, family, doc: doc.trim(), time, columns, schema }
    }

    pub fn column(&self, name: &str) -> Option<&ColumnSpec> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// A batch of `rows` rows from one array per column, columns without a value left out.
    pub(crate) fn batch(&self, rows: usize, arrays: Vec<Option<ArrayRef>>) -> RecordBatch {
        let (fields, arrays): (Vec<_>, Vec<_>) =
            self.columns.iter().zip(arrays).filter_map(|(column, array)| Some((column.stored_field(), array?))).unzip();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::new(Schema::new(fields));
        // Lengths and types agree by construction: every buffer got one push per row.
        RecordBatch::try_new_with_options(schema, arrays, &options)
            .unwrap_or_else(|_| RecordBatch::new_empty(Arc::new(Schema::empty())))
    }
}

/// Every table there is, in the order of the manual.
pub fn all() -> &'static [TableSpec] {
    RankBuilder::specs()
}

/// The table `id` stands for.
pub fn spec(id: TableId) -> &'static TableSpec {
    // `TableId` is generated from the list that `all` is.
    all().get(id as usize).unwrap_or_else(|| unreachable!("no table {id:?}"))
}

/// The table called `name`.
pub fn by_name(name: &str) -> Option<&'static TableSpec> {
    all().iter().find(|t| t.name == name)
}
