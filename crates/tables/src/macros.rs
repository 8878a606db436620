//! `table!` turns one documented struct into everything a table needs.

/// Declares a table. Written once per file of `table/`, it gives that module:
///
/// - `Row`: one row as a plain struct;
/// - `Builder`: takes rows, gives batches;
/// - `View`: reads the rows of a batch.
///
/// The doc line of the struct and of each field is the documentation users get from
/// `npuscope sql '\tables'` and the manual. `as "unit"` names a unit; times and durations are in ns.
macro_rules! table {
    (
        $id:ident = $name:literal, $family:ident $(, time = $time:literal)?;
        $(#[doc = $doc:literal])+
        pub struct Row {
            $( $(#[doc = $field_doc:literal])+ pub $field:ident: $type:ty $(as $unit:literal)?, )+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Row {
            $( $(#[doc = $field_doc])+ pub $field: $type, )+
        }

        impl $crate::Table for Row {
            const ID: $crate::TableId = $crate::TableId::$id;
            type View = View;

            fn spec() -> $crate::schema::TableSpec {
                let time = [$(Some($time),)? None][0];
                let columns = [
                    $( field_columns::$field(), )+
                ].concat();
                let family = $crate::schema::Family::$family;
                $crate::schema::TableSpec::new($crate::TableId::$id, $name, family, concat!($($doc),+), time, columns)
            }
        }

        mod field_columns {
            use super::*;
            use $crate::column::Cell;
            $(
                pub(super) fn $field() -> Vec<$crate::schema::ColumnSpec> {
                    let unit = [$($unit,)? <$type as Cell>::UNIT][0];
                    <$type as Cell>::columns(stringify!($field), unit, concat!($($field_doc),+))
                }
            )+
        }

        /// Takes rows and gives batches of at most [`BATCH_ROWS`](crate::BATCH_ROWS).
        #[derive(Default)]
        pub struct Builder {
            columns: Columns,
            pending: usize,
            batches: Vec<arrow::array::RecordBatch>,
        }

        #[derive(Default)]
        struct Columns {
            $( $field: <$type as $crate::column::Cell>::Buf, )+
        }

        impl Builder {
            pub fn push(&mut self, row: impl std::borrow::Borrow<Row>) {
                use $crate::column::CellBuf;
                let row = row.borrow();
                $( self.columns.$field.push(row.$field); )+
                self.pending += 1;
                if self.pending == $crate::BATCH_ROWS {
                    self.flush();
                }
            }

            /// Takes in the rows of another builder that used the same strings.
            pub fn append(&mut self, other: Builder) {
                self.flush();
                self.batches.extend(other.finish());
            }

            fn flush(&mut self) {
                use $crate::column::CellBuf;
                if self.pending > 0 {
                    let arrays = [$( self.columns.$field.take(), )+].concat();
                    let spec = $crate::schema::spec($crate::TableId::$id);
                    self.batches.push(spec.batch(std::mem::take(&mut self.pending), arrays));
                }
            }

            pub(crate) fn finish(mut self) -> Vec<arrow::array::RecordBatch> {
                self.flush();
                self.batches
            }
        }

        /// The rows of one batch.
        pub struct View {
            $( pub $field: <$type as $crate::column::Cell>::View, )+
        }

        impl $crate::TableView for View {
            type Row = Row;

            fn new(batch: &arrow::array::RecordBatch) -> Self {
                use $crate::column::CellView;
                View { $( $field: CellView::new(batch, &field_columns::$field()), )+ }
            }

            fn row(&self, row: usize) -> Row {
                use $crate::column::CellView;
                Row { $( $field: self.$field.get(row), )+ }
            }
        }
    };
}

/// Gathers the modules of `table/` into one builder and one list of specs.
macro_rules! tables {
    ($($module:ident => $id:ident,)+) => {
        $(pub mod $module;)+

        /// A table, as an index.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum TableId {
            $($id,)+
        }

        impl TableId {
            pub const ALL: &[TableId] = &[$(TableId::$id,)+];
        }

        /// Takes the rows of one rank, table by table.
        #[derive(Default)]
        pub struct RankBuilder {
            pub strings: crate::Interner,
            $(pub $module: $module::Builder,)+
        }

        impl RankBuilder {
            /// The tables of the rank, and the strings their ids stand for.
            pub(crate) fn finish_parts(self) -> (crate::Interner, Vec<Vec<arrow::array::RecordBatch>>) {
                (self.strings, vec![$(self.$module.finish(),)+])
            }

            pub(crate) fn specs() -> &'static [crate::schema::TableSpec] {
                static SPECS: std::sync::OnceLock<Vec<crate::schema::TableSpec>> = std::sync::OnceLock::new();
                SPECS.get_or_init(|| vec![$(<$module::Row as crate::Table>::spec(),)+])
            }
        }
    };
}

/// A closed set of words used in a text column.
macro_rules! names {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $name:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum {
            $( $(#[$variant_meta])* $variant, )+
        }

        impl $enum {
            pub const ALL: &[$enum] = &[$($enum::$variant,)+];

            /// The word in the table.
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)+
                }
            }

            pub fn from_name(name: &str) -> Option<$enum> {
                match name {
                    $($name => Some($enum::$variant),)+
                    _ => None,
                }
            }
        }

        impl serde::Serialize for $enum {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}
