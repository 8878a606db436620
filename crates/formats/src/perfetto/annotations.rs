//! What a slice says of itself beside its name: the columns of its row.

use std::borrow::Cow;

use arrow::array::RecordBatch;
use hashbrown::HashMap;
use npuscope_tables::column::{Cell, CellView, ColumnType};
use npuscope_tables::schema::{self, ColumnSpec};
use npuscope_tables::{RankTables, Str, TableId};
use serde_json::{Map, Value};

use super::ids::Interned;
use super::proto::{Message, annotation, event, interned};

/// The column with further arguments, as a JSON object.
const ARGS: &str = "args";

/// A field of the rows of a batch, null where the batch lacks it.
pub type Field<T> = <Option<T> as Cell>::View;

/// The column `name` of a batch.
pub fn field<V: CellView>(batch: &RecordBatch, name: &'static str) -> V {
    V::new(batch, &[ColumnSpec::new(name, ColumnType::Int, true, "", "")])
}

/// The columns of a batch that are shown.
pub struct Columns(Vec<Column>);

struct Column {
    name: &'static str,
    values: Values,
}

enum Values {
    Int(Field<i64>),
    Id(Field<u32>),
    Real(Field<f64>),
    Bool(Field<bool>),
    Text(Field<Str>),
}

impl Columns {
    /// The columns that a batch of the table has, those `hidden` excepted.
    pub fn of(batch: &RecordBatch, table: TableId, hidden: &[&str]) -> Columns {
        let present = schema::spec(table).columns.iter().filter(|column| {
            let name = column.name.as_ref();
            !hidden.contains(&name) && batch.column_by_name(name).is_some()
        });
        let columns = present.map(|column| {
            let name = column.name.as_ref();
            let values = match column.ty {
                ColumnType::Int => Values::Int(field(batch, name)),
                ColumnType::Id => Values::Id(field(batch, name)),
                ColumnType::Real => Values::Real(field(batch, name)),
                ColumnType::Bool => Values::Bool(field(batch, name)),
                ColumnType::Text => Values::Text(field(batch, name)),
            };
            Column { name, values }
        });
        Columns(columns.collect())
    }
}

/// Kernels by the task they ran as: a task is shown with the operator and tensors of its kernel.
pub struct Kernels {
    batches: Vec<Columns>,
    of_task: HashMap<i64, (usize, usize)>,
}

impl Kernels {
    /// What a kernel says that its task says too, or its slice.
    const HIDDEN: [&str; 9] =
        ["task", "device", "start", "duration", "duration_us", "name", "stream", "task_id", "model_id"];

    pub fn of(tables: &RankTables) -> Kernels {
        let mut kernels = Kernels { batches: Vec::new(), of_task: HashMap::new() };
        for (number, batch) in tables.batches(TableId::Kernel).iter().enumerate() {
            let task: Field<i64> = field(batch, "task");
            let rows = (0..batch.num_rows()).filter_map(|row| Some((task.get(row)?, (number, row))));
            kernels.of_task.extend(rows);
            kernels.batches.push(Columns::of(batch, TableId::Kernel, &Kernels::HIDDEN));
        }
        kernels
    }

    pub fn get(&self, task: i64) -> Option<(&Columns, usize)> {
        let &(batch, row) = self.of_task.get(&task)?;
        Some((self.batches.get(batch)?, row))
    }
}

/// Writes annotations into events.
pub struct Annotator<'a> {
    tables: &'a RankTables,
    names: Interned<&'static str>,
    texts: Interned<Str>,
}

impl<'a> Annotator<'a> {
    pub fn new(tables: &'a RankTables) -> Annotator<'a> {
        Annotator {
            tables,
            names: Interned::new(interned::ANNOTATION_NAMES),
            texts: Interned::new(interned::ANNOTATION_TEXTS),
        }
    }

    /// The columns of a row that have a value.
    pub fn row(&mut self, columns: &Columns, row: usize, event: &mut Message, fresh: &mut Message) {
        for Column { name, values } in &columns.0 {
            match values {
                Values::Int(view) => self.number(name, view.get(row), event, fresh),
                Values::Id(view) => self.number(name, view.get(row).map(i64::from), event, fresh),
                Values::Real(view) => {
                    self.value(name, view.get(row), event, fresh, |a, v| a.real(annotation::REAL, v));
                }
                Values::Bool(view) => {
                    self.value(name, view.get(row), event, fresh, |a, v| a.uint(annotation::BOOL, v.into()));
                }
                Values::Text(view) => match view.get(row) {
                    Some(text) if *name == ARGS => members(self.tables.text(text), event),
                    text => self.text(name, text, event, fresh),
                },
            }
        }
    }

    pub fn number(&mut self, name: &'static str, value: Option<i64>, event: &mut Message, fresh: &mut Message) {
        self.value(name, value, event, fresh, |a, v| a.int(annotation::INT, v));
    }

    fn text(&mut self, name: &'static str, text: Option<Str>, event: &mut Message, fresh: &mut Message) {
        let tables = self.tables;
        let id = text.map(|text| self.texts.id(text, fresh, || Cow::Borrowed(tables.text(text))));
        self.value(name, id, event, fresh, |a, id| a.uint(annotation::TEXT_ID, id));
    }

    fn value<T>(
        &mut self,
        name: &'static str,
        value: Option<T>,
        event: &mut Message,
        fresh: &mut Message,
        fill: impl FnOnce(&mut Message, T),
    ) {
        let Some(value) = value else { return };
        let id = self.names.id(name, fresh, || Cow::Borrowed(name));
        event.message(event::ANNOTATIONS, |a| {
            a.uint(annotation::NAME_ID, id);
            fill(a, value);
        });
    }
}

/// The members of a JSON object, each an annotation; lists and objects stay JSON. What is no object is one as it is.
fn members(object: &str, event: &mut Message) {
    let Ok(members) = serde_json::from_str::<Map<String, Value>>(object) else {
        event.message(event::ANNOTATIONS, |a| {
            a.text(annotation::NAME, ARGS);
            a.text(annotation::TEXT, object);
        });
        return;
    };
    for (name, value) in members {
        event.message(event::ANNOTATIONS, |a| {
            a.text(annotation::NAME, &name);
            match value {
                Value::Bool(value) => a.uint(annotation::BOOL, value.into()),
                Value::String(text) => a.text(annotation::TEXT, &text),
                Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                    (Some(int), _, _) => a.int(annotation::INT, int),
                    (None, Some(natural), _) => a.uint(annotation::UINT, natural),
                    (None, None, Some(real)) => a.real(annotation::REAL, real),
                    (None, None, None) => a.text(annotation::TEXT, &number.to_string()),
                },
                other => a.text(annotation::TEXT, &other.to_string()),
            }
        });
    }
}
