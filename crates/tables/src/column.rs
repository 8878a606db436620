//! How a Rust value becomes a column and back.
//!
//! A [`Cell`] is a field type of a table row. It names the Arrow columns it needs (a [`Span`] needs
//! two), the buffer that collects them and the view that reads them. Columns that hold no value in a
//! batch are left out of it, which keeps wide tables as small as narrow ones.

use std::sync::Arc;

use arrow::array::BooleanBufferBuilder;
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray, RecordBatch};
use arrow::buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type};

use crate::schema::ColumnSpec;
use crate::{ConnectionId, LaneId, Ns, OpId, Span, Str, TaskId};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Int,
    /// Small ids: lanes, streams, rows of another table.
    Id,
    Real,
    Bool,
    /// Interned: ids in the cache, `Utf8View` out of a scan.
    Text,
}

impl ColumnType {
    /// The type in batches and in the cache.
    pub fn stored(self) -> DataType {
        match self {
            ColumnType::Int => DataType::Int64,
            ColumnType::Id | ColumnType::Text => DataType::UInt32,
            ColumnType::Real => DataType::Float64,
            ColumnType::Bool => DataType::Boolean,
        }
    }

    /// The type a query sees.
    pub fn scanned(self) -> DataType {
        match self {
            ColumnType::Text => DataType::Utf8View,
            other => other.stored(),
        }
    }
}

/// A field of a table row.
pub trait Cell: Sized {
    type Buf: CellBuf<Cell = Self>;
    type View: CellView<Cell = Self>;

    /// The unit of a field that names none.
    const UNIT: &'static str;

    /// The columns of a field called `name`.
    fn columns(name: &'static str, unit: &'static str, doc: &'static str) -> Vec<ColumnSpec>;
}

/// Collects the values of one field.
pub trait CellBuf: Default {
    type Cell;
    fn push(&mut self, value: Self::Cell);
    /// Hands over what was collected, one array per column of the field; `None` for a column without a value.
    fn take(&mut self) -> Vec<Option<ArrayRef>>;
}

/// Reads the values of one field of a batch.
pub trait CellView: Sized {
    type Cell;
    /// `columns` are the names of the field's columns in `batch`; those left out read as null.
    fn new(batch: &RecordBatch, columns: &[ColumnSpec]) -> Self;
    fn get(&self, row: usize) -> Self::Cell;
}

/// A value that fills one slot of an Arrow primitive array.
pub trait Primitive: Copy + Default {
    type Arrow: ArrowPrimitiveType;
    const TYPE: ColumnType;
    fn into_native(self) -> Native<Self>;
    fn from_native(native: Native<Self>) -> Self;
}

type Native<T> = <<T as Primitive>::Arrow as ArrowPrimitiveType>::Native;

macro_rules! primitive {
    ($type:ty, $arrow:ty, $column:ident, $unit:literal, |$in:ident| $into:expr, |$out:ident| $from:expr) => {
        impl Primitive for $type {
            type Arrow = $arrow;
            const TYPE: ColumnType = ColumnType::$column;
            #[inline]
            fn into_native(self) -> Native<Self> {
                let $in = self;
                $into
            }
            #[inline]
            fn from_native($out: Native<Self>) -> Self {
                $from
            }
        }

        impl Cell for $type {
            type Buf = ValueBuf<$type>;
            type View = ValueView<$type>;
            const UNIT: &'static str = $unit;
            fn columns(name: &'static str, unit: &'static str, doc: &'static str) -> Vec<ColumnSpec> {
                vec![ColumnSpec::new(name, ColumnType::$column, false, unit, doc)]
            }
        }

        impl Cell for Option<$type> {
            type Buf = OptionBuf<$type>;
            type View = OptionView<$type>;
            const UNIT: &'static str = $unit;
            fn columns(name: &'static str, unit: &'static str, doc: &'static str) -> Vec<ColumnSpec> {
                vec![ColumnSpec::new(name, ColumnType::$column, true, unit, doc)]
            }
        }
    };
}

primitive!(i64, Int64Type, Int, "", |v| v, |v| v);
primitive!(u32, UInt32Type, Id, "", |v| v, |v| v);
primitive!(f64, Float64Type, Real, "", |v| v, |v| v);
primitive!(Ns, Int64Type, Int, "ns", |v| v.0, |v| Ns(v));
primitive!(LaneId, UInt32Type, Id, "", |v| v.0, |v| LaneId(v));
primitive!(TaskId, Int64Type, Int, "", |v| v.0, |v| TaskId(v));
primitive!(OpId, Int64Type, Int, "", |v| v.0, |v| OpId(v));
primitive!(ConnectionId, Int64Type, Int, "", |v| v.0, |v| ConnectionId(v));
primitive!(Str, UInt32Type, Text, "", |v| v.0, |v| Str(v));

pub struct ValueBuf<T: Primitive>(Vec<Native<T>>);

impl<T: Primitive> Default for ValueBuf<T> {
    fn default() -> Self {
        ValueBuf(Vec::new())
    }
}

impl<T: Primitive> CellBuf for ValueBuf<T> {
    type Cell = T;

    fn push(&mut self, value: T) {
        self.0.push(value.into_native());
    }

    fn take(&mut self) -> Vec<Option<ArrayRef>> {
        let values = take_all(&mut self.0);
        vec![Some(Arc::new(PrimitiveArray::<T::Arrow>::new(values.into(), None)))]
    }
}

/// Takes the values out and leaves room for as many: the next batch is mostly as large as this one.
fn take_all<N>(values: &mut Vec<N>) -> Vec<N> {
    let room = Vec::with_capacity(values.len());
    let mut taken = std::mem::replace(values, room);
    taken.shrink_to_fit();
    taken
}

/// Values and nulls come in runs, which are only counted while they go on.
pub struct OptionBuf<T: Primitive> {
    values: Vec<Native<T>>,
    /// Of the runs that are over.
    valid: BooleanBufferBuilder,
    run: usize,
    is_valid_run: bool,
}

impl<T: Primitive> Default for OptionBuf<T> {
    fn default() -> Self {
        OptionBuf { values: Vec::new(), valid: BooleanBufferBuilder::new(0), run: 0, is_valid_run: false }
    }
}

impl<T: Primitive> OptionBuf<T> {
    fn end_run(&mut self, is_next_valid: bool) {
        self.valid.append_n(self.run, self.is_valid_run);
        if !self.is_valid_run {
            self.values.resize(self.values.len() + self.run, T::default().into_native());
        }
        (self.run, self.is_valid_run) = (0, is_next_valid);
    }
}

impl<T: Primitive> CellBuf for OptionBuf<T> {
    type Cell = Option<T>;

    #[inline]
    fn push(&mut self, value: Option<T>) {
        if value.is_some() != self.is_valid_run {
            self.end_run(value.is_some());
        }
        self.run += 1;
        if let Some(value) = value {
            self.values.push(value.into_native());
        }
    }

    fn take(&mut self) -> Vec<Option<ArrayRef>> {
        let has_values = self.is_valid_run || !self.values.is_empty();
        if !has_values {
            self.run = 0;
            return vec![None];
        }
        self.end_run(false);
        let values = take_all(&mut self.values);
        let nulls = NullBuffer::new(self.valid.finish());
        let nulls = Some(nulls).filter(|n| n.null_count() > 0);
        vec![Some(Arc::new(PrimitiveArray::<T::Arrow>::new(values.into(), nulls)))]
    }
}

pub struct ValueView<T: Primitive>(OptionView<T>);

impl<T: Primitive> CellView for ValueView<T> {
    type Cell = T;

    fn new(batch: &RecordBatch, columns: &[ColumnSpec]) -> Self {
        ValueView(OptionView::new(batch, columns))
    }

    #[inline]
    fn get(&self, row: usize) -> T {
        self.0.get(row).unwrap_or_default()
    }
}

pub struct OptionView<T: Primitive> {
    values: ScalarBuffer<Native<T>>,
    nulls: Option<NullBuffer>,
}

impl<T: Primitive> OptionView<T> {
    fn of_column(batch: &RecordBatch, name: Option<&str>) -> Self {
        let column = name.and_then(|name| batch.column_by_name(name));
        match column.and_then(|column| column.as_primitive_opt::<T::Arrow>()) {
            Some(array) => OptionView { values: array.values().clone(), nulls: array.nulls().cloned() },
            None => OptionView { values: Vec::new().into(), nulls: None },
        }
    }
}

impl<T: Primitive> CellView for OptionView<T> {
    type Cell = Option<T>;

    fn new(batch: &RecordBatch, columns: &[ColumnSpec]) -> Self {
        OptionView::of_column(batch, columns.first().map(|c| c.name.as_ref()))
    }

    #[inline]
    fn get(&self, row: usize) -> Option<T> {
        let value = self.values.get(row)?;
        match &self.nulls {
            Some(nulls) if nulls.is_null(row) => None,
            _ => Some(T::from_native(*value)),
        }
    }
}

/// A column of durations and, beside it, `{name}_us`: see [`Span`].
fn span_columns(name: &'static str, nullable: bool, unit: &'static str, doc: &'static str) -> Vec<ColumnSpec> {
    let exact = "Value of the source, where it is more precise than a nanosecond; else null.";
    vec![
        ColumnSpec::new(name, ColumnType::Int, nullable, unit, doc),
        ColumnSpec::new(format!("{name}_us"), ColumnType::Real, true, "us", exact),
    ]
}

impl Cell for Span {
    type Buf = SpanBuf;
    type View = SpanView;
    const UNIT: &'static str = "ns";
    fn columns(name: &'static str, unit: &'static str, doc: &'static str) -> Vec<ColumnSpec> {
        span_columns(name, false, unit, doc)
    }
}

#[derive(Default)]
pub struct SpanBuf {
    ns: ValueBuf<i64>,
    us: OptionBuf<f64>,
}

impl CellBuf for SpanBuf {
    type Cell = Span;

    fn push(&mut self, value: Span) {
        self.ns.push(value.ns());
        self.us.push(value.exact_us());
    }

    fn take(&mut self) -> Vec<Option<ArrayRef>> {
        let mut columns = self.ns.take();
        columns.extend(self.us.take());
        columns
    }
}

pub struct SpanView(OptionSpanView);

impl CellView for SpanView {
    type Cell = Span;

    fn new(batch: &RecordBatch, columns: &[ColumnSpec]) -> Self {
        SpanView(OptionSpanView::new(batch, columns))
    }

    #[inline]
    fn get(&self, row: usize) -> Span {
        self.0.get(row).unwrap_or_default()
    }
}

impl Cell for Option<Span> {
    type Buf = OptionSpanBuf;
    type View = OptionSpanView;
    const UNIT: &'static str = "ns";
    fn columns(name: &'static str, unit: &'static str, doc: &'static str) -> Vec<ColumnSpec> {
        span_columns(name, true, unit, doc)
    }
}

#[derive(Default)]
pub struct OptionSpanBuf {
    ns: OptionBuf<i64>,
    us: OptionBuf<f64>,
}

impl CellBuf for OptionSpanBuf {
    type Cell = Option<Span>;

    fn push(&mut self, value: Option<Span>) {
        self.ns.push(value.map(Span::ns));
        self.us.push(value.and_then(Span::exact_us));
    }

    fn take(&mut self) -> Vec<Option<ArrayRef>> {
        let mut columns = self.ns.take();
        columns.extend(self.us.take());
        columns
    }
}

pub struct OptionSpanView {
    ns: OptionView<i64>,
    us: OptionView<f64>,
}

impl CellView for OptionSpanView {
    type Cell = Option<Span>;

    fn new(batch: &RecordBatch, columns: &[ColumnSpec]) -> Self {
        let mut names = columns.iter().map(|c| c.name.as_ref());
        OptionSpanView {
            ns: OptionView::of_column(batch, names.next()),
            us: OptionView::of_column(batch, names.next()),
        }
    }

    #[inline]
    fn get(&self, row: usize) -> Option<Span> {
        self.ns.get(row).map(|ns| Span::new(ns, self.us.get(row)))
    }
}

impl Cell for Option<bool> {
    type Buf = OptionBoolBuf;
    type View = OptionBoolView;
    const UNIT: &'static str = "";
    fn columns(name: &'static str, unit: &'static str, doc: &'static str) -> Vec<ColumnSpec> {
        vec![ColumnSpec::new(name, ColumnType::Bool, true, unit, doc)]
    }
}

#[derive(Default)]
pub struct OptionBoolBuf(Vec<Option<bool>>);

impl CellBuf for OptionBoolBuf {
    type Cell = Option<bool>;

    fn push(&mut self, value: Option<bool>) {
        self.0.push(value);
    }

    fn take(&mut self) -> Vec<Option<ArrayRef>> {
        let values = std::mem::take(&mut self.0);
        if values.iter().all(Option::is_none) {
            return vec![None];
        }
        vec![Some(Arc::new(BooleanArray::from(values)))]
    }
}

pub struct OptionBoolView {
    values: BooleanBuffer,
    nulls: Option<NullBuffer>,
}

impl CellView for OptionBoolView {
    type Cell = Option<bool>;

    fn new(batch: &RecordBatch, columns: &[ColumnSpec]) -> Self {
        let column = columns.first().and_then(|c| batch.column_by_name(&c.name));
        match column.and_then(|column| column.as_boolean_opt()) {
            Some(array) => OptionBoolView { values: array.values().clone(), nulls: array.nulls().cloned() },
            None => OptionBoolView { values: BooleanBuffer::new_unset(0), nulls: None },
        }
    }

    #[inline]
    fn get(&self, row: usize) -> Option<bool> {
        if row >= self.values.len() || self.nulls.as_ref().is_some_and(|n| n.is_null(row)) {
            return None;
        }
        Some(self.values.value(row))
    }
}
