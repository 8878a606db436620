//! The same operation on other ranks: slices of one name, by their place among those of that name.

use std::sync::Arc;

use npuscope_analysis::meetings::RankOperations;
use npuscope_tables::TableId;
use npuscope_tables::table::lane::Layer;

use super::{ShownSlice, Timeline, range};

/// Slices of a row that are looked through for a kernel.
const LOOK_BACK: usize = 1000;

impl Timeline {
    /// The slices of a name on lanes of a layer, in order of time.
    pub fn occurrences(&self, name: &str, layer: Layer) -> impl Iterator<Item = ShownSlice> {
        let number = self.names.iter().position(|known| known == name);
        let slices = number.map_or(0..0, |number| range(&self.index.names_first, number));
        let slices = self.index.by_name.get(slices.start as usize..slices.end as usize).unwrap_or_default();
        let mut found: Vec<ShownSlice> = slices.iter().filter_map(|slice| self.slice(*slice)).collect();
        found.retain(|slice| self.layer_of(slice) == layer);
        found.sort_by_key(|slice| slice.begin);
        found.into_iter()
    }

    /// The place of a slice among those of its name and layer.
    pub fn occurrence(&self, slice: &ShownSlice) -> usize {
        self.occurrences(self.name(slice), self.layer_of(slice)).take_while(|other| other.id != slice.id).count()
    }

    /// Whether a slice is a communication operation.
    pub fn is_operation(&self, slice: u32) -> bool {
        self.batch_of(slice).is_some_and(|(batch, _)| batch.table == TableId::CommOp)
    }

    /// The communication operation of a name that begins at a time.
    pub fn operation_at(&self, name: &str, start: i64) -> Option<ShownSlice> {
        let mut operations = self.occurrences(name, Layer::Communication);
        operations.find(|slice| slice.begin == start && self.is_operation(slice.id))
    }

    /// The communication operations of the rank, read by `read` the first time.
    pub fn operations<E>(&self, read: impl FnOnce() -> Result<RankOperations, E>) -> Result<Arc<RankOperations>, E> {
        if let Some(known) = self.operations.get() {
            return Ok(known.clone());
        }
        let read = Arc::new(read()?);
        Ok(self.operations.get_or_init(|| read).clone())
    }

    /// The communication operation that a slice is, or that is going on when it begins.
    pub fn operation_of(&self, slice: u32) -> Option<ShownSlice> {
        let is_operation = |slice: &u32| self.is_operation(*slice);
        if is_operation(&slice) {
            return self.slice(slice);
        }
        let begin = self.extent(slice).begin;
        let lanes = (0..self.lanes.list.len()).filter(|lane| self.lanes.list[*lane].layer == Layer::Communication);
        let open = lanes.filter_map(|lane| self.slice_at(lane, begin)).find(is_operation);
        open.and_then(|operation| self.slice(operation))
    }

    pub fn layer_of(&self, slice: &ShownSlice) -> Layer {
        self.lanes.list.get(slice.lane as usize).map_or(Layer::Other, |lane| lane.layer)
    }

    pub fn lane_name(&self, slice: &ShownSlice) -> &str {
        self.lanes.list.get(slice.lane as usize).map(|lane| lane.name.as_str()).unwrap_or_default()
    }

    /// The last kernel that ended before a slice began.
    pub fn before(&self, slice: &ShownSlice) -> Option<ShownSlice> {
        let streams = (0..self.lanes.list.len()).filter(|lane| self.lanes.list[*lane].layer == Layer::Hardware);
        let rows = streams.flat_map(|lane| self.rows(lane));
        let kernels = self.kernels();
        let is_kernel = |id: &u32| {
            let task = self.batch_of(*id).and_then(|(batch, row)| batch.task(row));
            self.extent(*id).end <= slice.begin && task.is_some_and(|task| kernels.get(task).is_some())
        };
        let last =
            rows.filter_map(|row| self.slices_in(row, i64::MIN, slice.begin).rev().take(LOOK_BACK).find(is_kernel));
        last.filter_map(|id| self.slice(id)).max_by_key(|before| before.end)
    }
}
