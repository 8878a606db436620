//! When the device of a rank was busy, and with what.

use npuscope_tables::column::CellView;
use npuscope_tables::table::{kernel, overlap, task};
use npuscope_tables::{Memo, RankTables, Selection, TableId};

use crate::communication::{Direction, device_operations, direction_of, is_communication_core};
use crate::intervals::{Interval, clip, subtract, total, union};
use crate::kernel_class::is_copy;
use crate::step::DeviceTime;

/// When the device was busy, in ns. The lists are unions.
///
/// - computing: any kernel ran that does not communicate. Where a trace is all there is, as `overlap` has it.
/// - communication: any operation of `comm_op` ran; where that table is empty, any kernel that communicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Busy {
    pub computing: Vec<Interval>,
    pub communication: Vec<Interval>,
    /// Receives, and batches of sends and receives.
    pub receiving: Vec<Interval>,
    /// Sends, receives and batches of them.
    pub point_to_point: Vec<Interval>,
    /// Copies between host and device.
    pub copying: Vec<Interval>,
}

impl Busy {
    /// What it is computed from.
    pub const NEEDS: Selection =
        Selection::of(&[TableId::Kernel, TableId::CommOp, TableId::Task, TableId::Overlap]).without_metrics();

    pub fn of(tables: &RankTables) -> Busy {
        let mut busy = Busy::default();
        let mut directions = hashbrown::HashMap::new();
        for op in device_operations(tables) {
            let interval = Interval::new(op.start.0, op.start.plus(op.duration.ns()).0);
            busy.communication.push(interval);
            match directions.entry((op.op_type, op.name)).or_insert_with(|| direction_of(tables, &op)) {
                Some(Direction::Receive | Direction::Batch) => {
                    busy.receiving.push(interval);
                    busy.point_to_point.push(interval);
                }
                Some(Direction::Send) => busy.point_to_point.push(interval),
                None => {}
            }
        }
        let mut copies = Memo::default();
        for (view, rows) in tables.views::<task::Row>() {
            for row in 0..rows {
                let Some(kind) = view.task_type.get(row) else { continue };
                if copies.get(kind, || is_copy(tables.text(kind))) {
                    let start = view.start.get(row);
                    busy.copying.push(Interval::new(start.0, start.plus(view.duration.get(row).ns()).0));
                }
            }
        }
        let has_ops = !busy.communication.is_empty();
        let mut cores = Memo::default();
        for (view, rows) in tables.views::<kernel::Row>() {
            for row in 0..rows {
                let start = view.start.get(row);
                let interval = Interval::new(start.0, start.plus(view.duration.get(row).ns()).0);
                let core = view.core.get(row);
                let communicates =
                    core.is_some_and(|core| cores.get(core, || is_communication_core(tables.text(core))));
                match (communicates, has_ops) {
                    (false, _) => busy.computing.push(interval),
                    (true, false) => busy.communication.push(interval),
                    // `comm_op` has it.
                    (true, true) => {}
                }
            }
        }
        if busy.computing.is_empty() {
            busy.take_overlaps(tables, has_ops);
        }
        for list in [
            &mut busy.computing,
            &mut busy.communication,
            &mut busy.receiving,
            &mut busy.point_to_point,
            &mut busy.copying,
        ] {
            *list = union(std::mem::take(list));
        }
        busy
    }

    /// A trace alone does not list kernels, but when any ran.
    fn take_overlaps(&mut self, tables: &RankTables, has_ops: bool) {
        for row in tables.rows::<overlap::Row>() {
            let interval = Interval::new(row.start.0, row.start.plus(row.duration.ns()).0);
            match overlap::Kind::from_name(tables.text(row.kind)) {
                Some(overlap::Kind::Computing) => self.computing.push(interval),
                Some(overlap::Kind::Communication) if !has_ops => self.communication.push(interval),
                _ => {}
            }
        }
    }

    /// Exposed communication: when an operation communicated and no kernel computed.
    pub fn exposed(&self) -> Vec<Interval> {
        subtract(&self.communication, &self.computing)
    }

    /// From the first to the last work.
    pub fn extent(&self) -> Option<Interval> {
        let all = || self.computing.iter().chain(&self.communication);
        Some(Interval::new(all().map(|i| i.start).min()?, all().map(|i| i.end).max()?))
    }

    /// How the time of a span divides; no time of it is spent preparing.
    pub fn divide(&self, span: Interval) -> DeviceTime {
        let inside = |list: &[Interval]| clip(list, span);
        let [computing, communication] = [&self.computing, &self.communication].map(|list| inside(list));
        let [receiving, point_to_point] = [&self.receiving, &self.point_to_point].map(|list| inside(list));
        let exposed = total(&subtract(&communication, &computing));
        let bubble = total(&subtract(&receiving, &computing));
        let copying = inside(&self.copying);
        let bare_copying = total(&subtract(&subtract(&copying, &computing), &communication));
        let (computing, communication) = (total(&computing), total(&communication));
        let free = span.length().saturating_sub(computing).saturating_sub(exposed);
        DeviceTime {
            span,
            unrecorded: 0,
            computing,
            communication,
            exposed,
            free,
            bubble,
            point_to_point: total(&point_to_point),
            copying: total(&copying),
            bare_copying,
            preparing: 0,
        }
    }
}
