//! Communications: operations, and the lanes of their pieces.

use hashbrown::HashMap;
use npuscope_measures::communication::{COMMUNICATION_CORE, runs_on_host};
use npuscope_measures::intervals::Interval;
use npuscope_measures::link::group_hash;
use npuscope_tables::table::{comm_op, comm_task, kernel};
use npuscope_tables::{Interner, LaneId, Memo, OpId, RankBuilder, Str, TableId};

use super::DbReader;
use crate::db::flows::Flows;
use crate::db::layouts::{self, CommTaskRow};
use crate::lanes::{self, Lanes};

impl DbReader<'_> {
    pub(super) fn communication_ops(&mut self, rank: &mut RankBuilder, flows: &mut Flows) -> CommLanes {
        let mut pieces: Vec<CommTaskRow> = Vec::new();
        let needed = self.needed;
        self.table(needed.pieces, &layouts::COMMUNICATION_TASK_INFO, &mut rank.strings, |row, _| pieces.push(*row));
        let mut ops: Vec<comm_op::Row> = Vec::new();
        self.table(
            needed.operations,
            &layouts::COMMUNICATION_OP,
            &mut rank.strings,
            |row: &mut layouts::CommOpRow, _| ops.push(row.op),
        );
        let device = self.only_device();
        let lanes = CommLanes::number(&ops, pieces, device, &mut self.lanes, &rank.strings);
        let wants_kernels = self.selection.has(TableId::Kernel);
        let mut groups = Memo::default();
        for mut op in ops {
            op.lane = lanes.of_op.get(&op.op).copied().unwrap_or_default();
            let name = op.group_name.unwrap_or_default();
            (op.group_name, op.group_hash) = groups.get(name, || group_of(name, &mut rank.strings));
            if op.group_name.is_none() && runs_on_host(rank.strings.get(op.name)) {
                // Groups of PyTorch are numbered.
                let hash = group_hash(rank.strings.get(name));
                (op.group_name, op.group_hash) = (Some(name), Some(rank.strings.intern(&hash)));
            }
            flows.operation(&op);
            self.communication.push(Interval::new(op.start.0, op.start.plus(op.duration.ns()).0));
            rank.comm_op.push(op);
            if wants_kernels {
                rank.kernel.push(kernel_of_operation(&op, &mut rank.strings));
            }
        }
        lanes
    }
}

/// Name and hash of a group. A writer that knew only the hash has put it in place of the name.
pub(super) fn group_of(name: Str, strings: &mut Interner) -> (Option<Str>, Option<Str>) {
    let text = strings.get(name);
    if text.is_empty() {
        return (None, None);
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return (None, Some(name));
    }
    let hash = group_hash(text);
    (Some(name), Some(strings.intern(&hash)))
}

/// An operation as the scheduler sees it: one long task. `kernel_details.csv` lists it among kernels.
fn kernel_of_operation(op: &comm_op::Row, strings: &mut Interner) -> kernel::Row {
    kernel::Row {
        device: op.device,
        start: op.start,
        duration: op.duration,
        name: op.name,
        op_type: op.op_type,
        core: Some(strings.intern(COMMUNICATION_CORE)),
        model_id: op.model_id,
        ..kernel::Row::default()
    }
}

/// The lanes of communication: a group's own, then its planes, group after group.
#[derive(Default)]
pub(super) struct CommLanes {
    pub(super) pieces: Vec<CommTaskRow>,
    /// Names of operations.
    pub(super) names: HashMap<OpId, Str>,
    of_op: HashMap<OpId, LaneId>,
    pub(super) of_plane: HashMap<(Option<Str>, Option<i64>), LaneId>,
}

impl CommLanes {
    fn number(
        ops: &[comm_op::Row],
        pieces: Vec<CommTaskRow>,
        device: i64,
        lanes: &mut Lanes,
        strings: &Interner,
    ) -> CommLanes {
        let mut groups: Vec<(Option<Str>, Vec<i64>)> = Vec::new();
        for op in ops {
            if !groups.iter().any(|(name, _)| *name == op.group_name) {
                groups.push((op.group_name, Vec::new()));
            }
        }
        for comm_task::Row { group_name, plane, .. } in pieces.iter().map(|p| p.piece) {
            let Some(plane) = plane else { continue };
            let index = groups.iter().position(|(name, _)| *name == group_name).unwrap_or_else(|| {
                groups.push((group_name, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, planes)) = groups.get_mut(index)
                && !planes.contains(&plane)
            {
                planes.push(plane);
            }
        }
        let names = ops.iter().map(|op| (op.op, op.name)).collect();
        let mut numbered = CommLanes { pieces, names, ..CommLanes::default() };
        let mut tid = 0;
        for (name, mut planes) in groups {
            let shown = name.map(|n| strings.get(n)).unwrap_or_default();
            let group =
                lanes.device_layer(lanes::COMMUNICATION, device, tid, || Some(format!("Group {shown} Communication")));
            tid += 1;
            for op in ops.iter().filter(|op| op.group_name == name) {
                numbered.of_op.insert(op.op, group);
            }
            planes.sort_unstable();
            for plane in planes {
                let lane = lanes.device_layer(lanes::COMMUNICATION, device, tid, || Some(format!("Plane {plane}")));
                numbered.of_plane.insert((name, Some(plane)), lane);
                tid += 1;
            }
        }
        numbered
    }
}
