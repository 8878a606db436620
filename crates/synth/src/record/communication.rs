//! Communications: the operation, its pieces, and the tasks they are on the device.

use npuscope_formats::lanes;
use npuscope_measures::communication::COMMUNICATION_CORE;
use npuscope_measures::intervals::Interval;
use npuscope_tables::table::{comm_op, comm_task, kernel};
use npuscope_tables::{ConnectionId, LaneId, OpId, Span, Str};

use super::device::NewTask;
use super::{FIRST_COMM_STREAM, NONE_ID, Recorder};
use crate::blocks::{Channel, Verb};
use crate::config::Level;
use crate::layout::Group;
use crate::network::{Algorithm, Network, Round, Transfer};
use crate::play::CommunicationRun;
use crate::resend;

/// An operation while its pieces are recorded.
struct Operation<'a> {
    number: OpId,
    /// Lanes of its planes: transfers between ranks, copies on the chip.
    planes: [LaneId; 2],
    stream: i64,
    group: &'a Group,
    group_name: Str,
    dtype: Str,
    connection: ConnectionId,
    local: usize,
    /// Pieces so far.
    pieces: i64,
}

/// A piece of an operation, in ns from the start of the job.
struct Piece<'a> {
    name: &'a str,
    span: (u64, u64),
    /// The other rank, numbered in the job.
    peer: usize,
    /// The rank sends, not the peer.
    is_sender: bool,
    bytes: u64,
    rdma: Option<&'a str>,
    plane: usize,
}

/// Copies on the chip, in bytes per ns.
const ON_CHIP_BYTES_PER_NS: u64 = 500;
/// How long notifying another rank takes.
const NOTIFY_NS: u64 = 20;

impl Recorder<'_> {
    pub fn record_communication(&mut self, run: &CommunicationRun<'_>) {
        let communication = run.communication;
        let Some(group) = self.layout.group(communication.channel, self.rank, self.config) else { return };
        let channel = communication.channel as usize;
        let Some(issued) = self.issued.get_mut(channel) else { return };
        let index = *issued;
        *issued += 1;
        let ends = self.ends.of(communication.channel);
        let Some(&end) = ends.get(index) else { return };
        // The operations of a channel follow each other.
        let before = index.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or_default();
        let start = run.ready.max(before);
        let verb = communication.verb;
        // Transfers are counted over all neighbours: groups differ in three digits of a hash alone.
        let number = if verb.is_point_to_point() { self.transfers } else { index };
        self.transfers += usize::from(verb.is_point_to_point());
        let name = format!("hcom_{}__{}_{number}_1", verb.name(), group.digits());
        let op_type = format!("hcom_{}_", verb.name());
        let launched = self.launch_communication(run.spot, &run.launch, verb.calls(), &op_type);
        let stream = FIRST_COMM_STREAM + i64::try_from(channel).unwrap_or_default();
        self.communication_range(run, &group, stream, (start, end));
        if !self.sees_device() {
            return;
        }
        self.event_record(run.computed, launched.connection);
        let lane_number = self.group_lane(channel);
        let lane = self.lanes.device_layer(lanes::COMMUNICATION, self.device, lane_number, || {
            Some(format!("Group {} Communication", group.name))
        });
        let mut planes = [lane; 2];
        if self.sees_details() {
            for (plane, place) in (0..).zip(&mut planes) {
                let name = || Some(format!("Plane {plane}"));
                *place = self.lanes.device_layer(lanes::COMMUNICATION, self.device, lane_number + 1 + plane, name);
            }
        }
        let (begin, duration) = self.slice(start, end);
        let count = match verb {
            Verb::ReduceScatter | Verb::AllGather => communication.elements / group.ranks.len() as u64,
            // What the rank sends, to itself too.
            Verb::Dispatch | Verb::Combine => {
                let network = Network { config: self.config, step: self.step };
                network.sent_bytes(communication, &group.ranks, self.rank) / communication.dtype.bytes()
            }
            _ => communication.elements,
        };
        let number = self.next_operation;
        self.next_operation = number.plus(1);
        let (name, op_type) = (self.intern(&name), self.intern(&op_type));
        let group_name = self.intern(&group.name);
        let dtype = self.intern(communication.dtype.of_communication());
        let no = self.intern("no");
        self.tables.comm_op.push(comm_op::Row {
            lane,
            op: number,
            start: begin,
            duration,
            name,
            op_type: Some(op_type),
            // Text files have the group with the pieces alone.
            group_name: self.sees_details().then_some(group_name),
            group_hash: self.sees_details().then(|| self.tables.strings.intern(&group.hash)),
            rank_size: i64::try_from(group.ranks.len()).ok(),
            dtype: Some(dtype),
            count: i64::try_from(count).ok(),
            algorithm: Some(self.tables.strings.intern(Algorithm::of(communication).name())),
            relay: Some(no),
            retry: Some(no),
            connection_id: Some(launched.connection),
            model_id: Some(NONE_ID),
            device: Some(self.device),
            ..comm_op::Row::default()
        });
        self.communication.push(Interval::new(begin.0, begin.plus(duration.ns()).0));
        self.arrows(&launched, (lane, begin));
        self.communication_kernel(name, op_type, begin, duration);
        let local = group.local(self.rank);
        let connection = launched.connection;
        let mut operation =
            Operation { number, planes, stream, group: &group, group_name, dtype, connection, local, pieces: 0 };
        let ranks = self.layout.members(communication.channel, self.rank);
        let network = Network { config: self.config, step: self.step };
        let again = match index == self.issued_before.get(channel).copied().unwrap_or_default() {
            true => resend::sent_again(self.config, self.blocks, self.step, communication.channel, &ranks),
            false => None,
        };
        let rounds = network.rounds(communication, &ranks, self.rank, again);
        self.pieces(&mut operation, (start, end), &rounds, network.own_bytes(communication, &ranks, self.rank));
    }

    /// The range that HCCL marks around an operation. Where nothing else is recorded of the device, its side of
    /// the range is all there is.
    fn communication_range(&mut self, run: &CommunicationRun<'_>, group: &Group, stream: i64, span: (u64, u64)) {
        if !self.config.mstx {
            return;
        }
        let communication = run.communication;
        let (_, api) = communication.verb.calls();
        let message = format!(
            r#"{{"streamId": "{stream}", "count": "{}", "dataType": "{}", "groupName": "{}", "opName": "{api}"}}"#,
            communication.elements,
            communication.dtype.of_communication().to_lowercase(),
            group.name,
        );
        let connection = (!self.sees_device()).then(|| self.take_connection());
        self.range(&message, "communication", (run.launch.start, run.launch.end), connection);
        if let Some(connection) = connection {
            self.marker_task(&message, stream, span, connection);
        }
    }

    /// The number of the lane of a channel's group: its planes come after it, then the next group that is seen.
    fn group_lane(&mut self, channel: usize) -> i64 {
        let seen = self.group_lanes.iter().position(|&known| known == channel).unwrap_or_else(|| {
            self.group_lanes.push(channel);
            self.group_lanes.len() - 1
        });
        3 * i64::try_from(seen).unwrap_or_default()
    }

    /// The operation as it stands among kernels.
    fn communication_kernel(&mut self, name: Str, op_type: Str, start: npuscope_tables::Ns, duration: Span) {
        let mut row = kernel::Row {
            reported_step: Some(self.marked_number()),
            device: Some(self.device),
            start,
            duration,
            name,
            core: Some(self.tables.strings.intern(COMMUNICATION_CORE)),
            ..kernel::Row::default()
        };
        if self.config.level > Level::Level0 {
            row.op_type = Some(op_type);
            row.model_id = Some(NONE_ID);
            row.block_num = Some(0);
        }
        self.kernels.push(row);
    }

    /// The pieces of an operation: notifying the others, waiting for the last of them, then round after round
    /// of transfers, each as long as its link takes, and waiting for the slower links of the round.
    fn pieces(&mut self, operation: &mut Operation<'_>, (start, end): (u64, u64), rounds: &[Round], own: u64) {
        let all = rounds.iter().map(|round| round.end).max().unwrap_or_default();
        let begin = end.saturating_sub(all).max(start);
        let first_peer = rounds.iter().flat_map(|round| round.sends.iter().chain(&round.receives)).next();
        let Some(&Transfer { peer, .. }) = first_peer else { return };
        let notified = (start + NOTIFY_NS).min(begin);
        self.piece(operation, &Piece::notify("Notify_Record", (start, notified), peer));
        self.piece(operation, &Piece::notify("Notify_Wait", (notified, begin), peer));
        // The rank's own share is put in place beside.
        let copied = (begin + own / ON_CHIP_BYTES_PER_NS + 1).min(end);
        let copy =
            Piece { name: "Memcpy", peer: self.rank, bytes: own, plane: 1, ..Piece::notify("", (begin, copied), peer) };
        self.piece(operation, &copy);
        for round in rounds {
            let (from, until) = (begin + round.start, (begin + round.end).min(end));
            let name = if round.reduces { "Reduce_Inline" } else { "Memcpy" };
            let is_receive = round.sends.is_empty();
            let transfers = if is_receive { &round.receives } else { &round.sends };
            let mut at = from;
            let mut last = from;
            for transfer in transfers {
                // Links of a host work side by side, RDMA goes one by one.
                let is_inside = self.same_host(transfer.peer);
                let begin = if is_inside { from } else { at };
                let done = (begin + transfer.ns).min(until);
                at = if is_inside { at } else { done };
                last = last.max(done);
                self.transfer(operation, name, (begin, done), transfer, !is_receive);
            }
            if last < until {
                self.piece(operation, &Piece::notify("Notify_Wait", (last, until), peer));
            }
        }
    }

    fn same_host(&self, other: usize) -> bool {
        Network { config: self.config, step: self.step }.same_host(self.rank, other)
    }

    fn transfer(
        &mut self,
        operation: &mut Operation<'_>,
        name: &str,
        (from, until): (u64, u64),
        transfer: &Transfer,
        is_sender: bool,
    ) {
        let Transfer { peer, bytes, .. } = *transfer;
        if self.same_host(peer) {
            self.piece(operation, &Piece { name, span: (from, until), peer, is_sender, bytes, rdma: None, plane: 0 });
            return;
        }
        // A payload is followed by notifications, both ways, and in collectives by those of a barrier.
        let closing = if matches!(operation.group.kind, crate::layout::GroupKind::Pipeline) { 2 } else { 4 };
        let sent = until.saturating_sub(closing * NOTIFY_NS).max(from);
        let payload = Piece {
            name: "RDMASend",
            span: (from, sent),
            peer,
            is_sender,
            bytes,
            rdma: Some("RDMA_SEND_PAYLOAD"),
            plane: 0,
        };
        self.piece(operation, &payload);
        for index in 0..closing {
            let at = |number: u64| (sent + number * NOTIFY_NS).min(until);
            let span = (at(index), if index + 1 == closing { until } else { at(index + 1) });
            let piece = match index % 2 {
                0 => Piece {
                    name: "RDMASend",
                    span,
                    peer,
                    is_sender,
                    bytes: 4,
                    rdma: Some("RDMA_SEND_NOTIFY"),
                    plane: 0,
                },
                _ => Piece::notify("Notify_Wait", span, peer),
            };
            self.piece(operation, &piece);
        }
    }

    fn piece(&mut self, operation: &mut Operation<'_>, piece: &Piece<'_>) {
        let name = piece.name;
        let task_name = match name {
            "Notify_Wait" => "Notify Wait",
            "Notify_Record" | "RDMASend" => "Write Value",
            _ => "SDMA",
        };
        let stream = operation.stream + i64::try_from(piece.plane * Channel::ALL.len()).unwrap_or_default();
        let subtask = operation.pieces;
        operation.pieces += 1;
        let task = self.task(&NewTask {
            stream,
            span: piece.span,
            name: task_name,
            kind: task_name,
            subtask,
            connection: Some(operation.connection),
        });
        if !self.sees_details() {
            return;
        }
        let moves = piece.rdma.is_some() || matches!(name, "Memcpy" | "Reduce_Inline");
        let (transport, link) = match (moves, piece.rdma) {
            (_, Some(_)) => ("RDMA", "ROCE"),
            (true, None) if piece.peer == self.rank => ("SDMA", "ON_CHIP"),
            (true, None) => ("SDMA", "HCCS"),
            (false, None) => ("LOCAL", "INVALID_TYPE"),
        };
        let peer = operation.group.local(piece.peer);
        let (src, dst) = if piece.is_sender { (operation.local, peer) } else { (peer, operation.local) };
        let ns = task.duration.ns();
        #[expect(clippy::cast_precision_loss, reason = "sizes and ns are far below 2^53")]
        let bandwidth = if ns > 0 { piece.bytes as f64 / ns as f64 } else { 0.0 };
        let row = comm_task::Row {
            lane: operation.planes.get(piece.plane).copied(),
            op: Some(operation.number),
            task: Some(task.number),
            start: task.start,
            duration: task.duration,
            name: self.intern(name),
            plane: i64::try_from(piece.plane).ok(),
            group_name: Some(operation.group_name),
            src_rank: i64::try_from(src).ok(),
            dst_rank: i64::try_from(dst).ok(),
            transport: Some(self.intern(transport)),
            link: Some(self.intern(link)),
            rdma_type: Some(self.intern(piece.rdma.unwrap_or("INVALID_TYPE"))),
            bytes: i64::try_from(piece.bytes).ok(),
            dtype: Some(if moves { operation.dtype } else { self.intern("INVALID_TYPE") }),
            notify_id: Some(self.intern(if moves { "0" } else { "64" })),
            estimated: Some(0.0),
            bandwidth: Some(bandwidth),
            master: Some(piece.plane == 0),
            stream: Some(stream),
            task_id: Some(task.task_id),
            context_id: Some(subtask),
            model_id: Some(NONE_ID),
            ..comm_task::Row::default()
        };
        self.tables.comm_task.push(row);
    }
}

impl<'a> Piece<'a> {
    /// A notification to another rank, or waiting for one.
    fn notify(name: &'a str, span: (u64, u64), peer: usize) -> Piece<'a> {
        Piece { name, span, peer, is_sender: true, bytes: 0, rdma: None, plane: 0 }
    }
}
