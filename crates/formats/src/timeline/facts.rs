//! What a slice says of itself beside its name: the columns of its row.

use arrow::array::RecordBatch;
use hashbrown::HashMap;
use npuscope_tables::column::{Cell, CellView, ColumnType};
use npuscope_tables::schema::{self, ColumnSpec};
use npuscope_tables::{RankTables, Str, TableId, TaskId};

/// The column with further arguments, as a JSON object.
pub const ARGS: &str = "args";

/// A field of the rows of a batch, null where the batch lacks it.
pub type Field<T> = <Option<T> as Cell>::View;

/// The column `name` of a batch.
pub fn field<V: CellView>(batch: &RecordBatch, name: &'static str) -> V {
    V::new(batch, &[ColumnSpec::new(name, ColumnType::Int, true, "", "")])
}

/// What a row says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    Int(i64),
    Real(f64),
    Bool(bool),
    Text(Str),
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

    /// The names and values of a row, those that are null left out.
    pub fn facts(&self, row: usize) -> impl Iterator<Item = (&'static str, Fact)> {
        self.0.iter().filter_map(move |Column { name, values }| {
            let fact = match values {
                Values::Int(view) => view.get(row).map(Fact::Int),
                Values::Id(view) => view.get(row).map(|id| Fact::Int(id.into())),
                Values::Real(view) => view.get(row).map(Fact::Real),
                Values::Bool(view) => view.get(row).map(Fact::Bool),
                Values::Text(view) => view.get(row).map(Fact::Text),
            };
            Some((*name, fact?))
        })
    }
}

/// Kernels by the task they ran as: a task is shown with the operator and tensors of its kernel.
pub struct Kernels {
    batches: Vec<Columns>,
    of_task: HashMap<TaskId, (usize, usize)>,
}

impl Kernels {
    /// What a kernel says that its task says too, or its slice.
    const HIDDEN: [&str; 9] =
        ["task", "device", "start", "duration", "duration_us", "name", "stream", "task_id", "model_id"];

    pub fn of(tables: &RankTables) -> Kernels {
        let mut kernels = Kernels { batches: Vec::new(), of_task: HashMap::new() };
        for (number, batch) in tables.batches(TableId::Kernel).iter().enumerate() {
            let task: Field<TaskId> = field(batch, "task");
            let rows = (0..batch.num_rows()).filter_map(|row| Some((task.get(row)?, (number, row))));
            kernels.of_task.extend(rows);
            kernels.batches.push(Columns::of(batch, TableId::Kernel, &Kernels::HIDDEN));
        }
        kernels
    }

    pub fn get(&self, task: TaskId) -> Option<(&Columns, usize)> {
        let &(batch, row) = self.of_task.get(&task)?;
        Some((self.batches.get(batch)?, row))
    }
}
