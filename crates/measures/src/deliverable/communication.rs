//! `communication.json`: time and bandwidth of every communication operation.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use indexmap::IndexMap;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::number::{float, round};
use npuscope_tables::table::{comm_op, comm_task, reported_bandwidth, reported_comm, step};
use npuscope_tables::{Interner, Ns, OpId, RankTables, Span, Str, TableId};

use crate::communication::{
    bandwidth, is_point_to_point_in_files, large_packet_share, synchronization_ratio, wait_ratio,
};
use crate::link::group_hash;

/// The two parts of the file.
#[derive(Default)]
pub struct Communication {
    pub times: Vec<reported_comm::Row>,
    pub bandwidths: Vec<reported_bandwidth::Row>,
}

/// Transports in the order of the file, and the packet size in MB above which each uses its link well.
const TRANSPORTS: [(&str, f64); 5] = [("RDMA", 0.5), ("HCCS", 32.0), ("PCIE", 32.0), ("SDMA", 0.0), ("SIO", 32.0)];

pub const TOTAL: &str = "Total Op Info";

/// An operation and where it belongs in the file.
pub struct Op {
    pub number: OpId,
    pub start: Ns,
    pub duration: Span,
    pub name: String,
    pub step: String,
    pub kind: &'static str,
    pub group_hash: Option<String>,
    pub pieces: Vec<Piece>,
}

/// What matters of a piece of an operation.
#[derive(Clone, Copy)]
pub struct Piece {
    plane: Option<i64>,
    start: Ns,
    duration: Span,
    pub bytes: Option<i64>,
    pub src_rank: Option<i64>,
    pub dst_rank: Option<i64>,
    has_transport: bool,
    is_master: bool,
    /// Whether it moves data: a copy or a reduction over SDMA.
    pub moves_data: bool,
    is_wait: bool,
    is_payload: bool,
    pub link: Link,
}

/// What a piece went over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Link {
    OnChip,
    Hccs,
    Pcie,
    Sio,
    Other,
}

impl Link {
    fn of(name: &str) -> Link {
        match name {
            "ON_CHIP" => Link::OnChip,
            "HCCS" | "HCCS_SW" => Link::Hccs,
            "PCIE" => Link::Pcie,
            "SIO" => Link::Sio,
            _ => Link::Other,
        }
    }
}

impl Piece {
    /// Milliseconds. Rounding once from nanoseconds is what makes the sums come out.
    pub fn ms(&self) -> f64 {
        self.duration.fractional_ns() / 1e6
    }
}

/// The operations of a rank in start order; their pieces by plane, and by start within a plane.
pub fn operations(tables: &RankTables) -> Vec<Op> {
    let mut pieces = pieces(tables);
    let steps: Vec<step::Row> = tables.rows().collect();
    let mut ops: Vec<Op> = Vec::with_capacity(tables.len(TableId::CommOp));
    for (view, rows) in tables.views::<comm_op::Row>() {
        for row in 0..rows {
            let (number, start) = (view.op.get(row), view.start.get(row));
            let name = tables.text(view.name.get(row)).to_owned();
            let hash = tables.opt_text(view.group_hash.get(row)).map(str::to_owned);
            let hash = hash.or_else(|| tables.opt_text(view.group_name.get(row)).map(group_hash));
            let mut pieces = pieces.remove(&number).unwrap_or_default();
            pieces.sort_by_key(|p| (p.plane, p.start));
            ops.push(Op {
                kind: if is_point_to_point_in_files(&name) { "p2p" } else { "collective" },
                step: step_in_file(&steps, start),
                duration: view.duration.get(row),
                group_hash: hash,
                number,
                start,
                name,
                pieces,
            });
        }
    }
    ops.sort_by_key(|op| (op.start, op.number));
    ops
}

/// The pieces of each operation, in the order of the source.
fn pieces(tables: &RankTables) -> HashMap<OpId, Vec<Piece>, FixedState> {
    let mut pieces: HashMap<OpId, Vec<Piece>, FixedState> = HashMap::default();
    let (mut copies, mut waits, mut sdma, mut payloads) =
        (Memo::default(), Memo::default(), Memo::default(), Memo::default());
    let mut links = Memo::default();
    for (view, rows) in tables.views::<comm_task::Row>() {
        for row in 0..rows {
            let Some(op) = view.op.get(row) else { continue };
            let (name, transport) = (view.name.get(row), view.transport.get(row));
            let is_copy = copies.get(name, || matches!(tables.text(name), "Memcpy" | "Reduce_Inline"));
            pieces.entry(op).or_default().push(Piece {
                plane: view.plane.get(row),
                start: view.start.get(row),
                duration: view.duration.get(row),
                bytes: view.bytes.get(row),
                src_rank: view.src_rank.get(row),
                dst_rank: view.dst_rank.get(row),
                has_transport: transport.is_some(),
                is_master: view.master.get(row) == Some(true),
                moves_data: is_copy && transport.is_some_and(|t| sdma.get(t, || tables.text(t) == "SDMA")),
                is_wait: waits.get(name, || tables.text(name) == "Notify_Wait"),
                is_payload: view
                    .rdma_type
                    .get(row)
                    .is_some_and(|t| payloads.get(t, || tables.text(t) == "RDMA_SEND_PAYLOAD")),
                link: view.link.get(row).map_or(Link::Other, |link| links.get(link, || Link::of(tables.text(link)))),
            });
        }
    }
    pieces
}

/// `step50` for an operation that starts in step 50 on the host or after it; `step` without steps. This is the rule of
/// `communication.json`; to which step work belongs is said by [`crate::step_of`].
pub fn step_in_file(steps: &[step::Row], start: Ns) -> String {
    let step = steps.iter().rev().find(|step| step.start <= start).or(steps.first());
    step.and_then(|step| step.id).map_or_else(|| "step".to_owned(), |id| format!("step{id}"))
}

/// Data that RDMA moved: a run of payload sends and the tasks that close it.
pub struct RdmaRun {
    pub first: Piece,
    pub bytes: i64,
    pub ms: f64,
}

/// The RDMA runs of one plane.
///
/// A run is closed by its acknowledgements: two tasks after the last payload for send and receive,
/// four where the algorithm adds a barrier. Its time lasts until the closing task ends.
pub fn rdma_runs(op: &Op, plane: &[Piece]) -> Vec<RdmaRun> {
    let tasks_of_run = if op.kind == "p2p" { 3 } else { 5 };
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(first) = plane.get(at) {
        let payload = plane.iter().skip(at).take_while(|p| p.is_payload).count();
        if payload == 0 {
            at += 1;
            continue;
        }
        let close = at + payload - 1 + tasks_of_run - 1;
        let Some(last) = plane.get(close) else { break };
        let bytes = plane.iter().skip(at).take(payload).filter_map(|p| p.bytes).sum();
        #[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53 ns")]
        let ms = (last.start.since(first.start) as f64 + last.duration.fractional_ns()) / 1e6;
        runs.push(RdmaRun { first: *first, bytes, ms });
        at = close + 1;
    }
    runs
}

/// The pieces of an operation by plane.
pub fn planes(op: &Op) -> impl Iterator<Item = &[Piece]> {
    op.pieces.chunk_by(|a, b| a.plane == b.plane)
}

/// Times and bandwidths of all operations and their totals.
///
/// Times in ms, of the plane that is marked as master: transit is the duration of copies and
/// reductions over a link, wait that of `Notify_Wait`, synchronization the part of it before the first
/// transit, idle what is left of the operation. Where no plane is marked, only start and elapsed time
/// are known, and the rest stays null. Bandwidth counts all planes: MB / ms, by link type, four decimals.
pub fn communication(tables: &RankTables, strings: &mut Interner) -> Communication {
    of_operations(&operations(tables), &mut false, strings)
}

/// [`communication`] of operations that are known already. Nothing without a transport, here or, as `has_transport`
/// says, before.
pub fn of_operations(ops: &[Op], has_transport: &mut bool, strings: &mut Interner) -> Communication {
    let mut out = Communication::default();
    *has_transport |= ops.iter().any(|op| op.pieces.iter().any(|piece| piece.has_transport));
    if !*has_transport {
        return out;
    }
    let mut places: IndexMap<(&str, &str), Vec<&Op>> = IndexMap::new();
    for op in ops {
        places.entry((&op.step, op.kind)).or_default().push(op);
    }
    for ((step, kind), ops) in places {
        let mut totals = Totals::default();
        for op in ops {
            let place = Place {
                step: Some(strings.intern(&op.step)),
                kind: Some(strings.intern(op.kind)),
                name: strings.intern(&op.name),
                group_hash: op.group_hash.as_deref().map(|hash| strings.intern(hash)),
            };
            let time = op_times(op, &place);
            let transports = op_transports(op);
            totals.add(&time, &transports);
            out.times.push(time);
            push_transports(&mut out.bandwidths, &place, &transports, true, strings);
        }
        let place = Place {
            step: Some(strings.intern(step)),
            kind: Some(strings.intern(kind)),
            name: strings.intern(TOTAL),
            group_hash: None,
        };
        out.times.push(totals.time(&place));
        push_transports(&mut out.bandwidths, &place, &totals.transports, false, strings);
    }
    out
}

struct Place {
    step: Option<Str>,
    kind: Option<Str>,
    name: Str,
    group_hash: Option<Str>,
}

fn op_times(op: &Op, place: &Place) -> reported_comm::Row {
    let elapse = op.duration.fractional_ns() / 1e6;
    let mut row = reported_comm::Row {
        step: place.step,
        kind: place.kind,
        name: place.name,
        group_hash: place.group_hash,
        start: Some(op.start.us()),
        elapse: Some(elapse),
        ..reported_comm::Row::default()
    };
    let master: Vec<Piece> = op.pieces.iter().copied().filter(|p| p.is_master).collect();
    if master.is_empty() {
        return row;
    }
    let (mut transit, mut wait, mut synchronization) = (0.0, 0.0, 0.0);
    let mut has_moved = false;
    for piece in &master {
        if piece.moves_data && piece.link != Link::OnChip {
            transit += piece.ms();
            has_moved = true;
        }
        has_moved |= piece.is_payload;
        if piece.is_wait {
            wait += piece.ms();
            synchronization += if has_moved { 0.0 } else { piece.ms() };
        }
    }
    transit += rdma_runs(op, &master).iter().map(|run| run.ms).sum::<f64>();
    row.transit = Some(transit);
    row.wait = Some(wait);
    row.synchronization = Some(synchronization);
    row.idle = Some(elapse - transit - wait);
    row.wait_ratio = Some(rounded(wait_ratio(wait, transit)));
    row.synchronization_ratio = Some(rounded(synchronization_ratio(synchronization, transit)));
    row
}

/// A measure as files have it: four decimals, 0 where there is none.
pub fn rounded(measure: Option<f64>) -> f64 {
    measure.map_or(0.0, |measure| round(measure, 4))
}

/// What went over one transport.
#[derive(Clone, Default)]
struct Transport {
    size: f64,
    time: f64,
    /// Count and ms by packet size in MB, as text.
    packets: IndexMap<String, (f64, f64)>,
}

impl Transport {
    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
    fn add(&mut self, bytes: i64, ms: f64) {
        let size = bytes as f64 / 1e6;
        self.size += size;
        self.time += ms;
        self.add_packets(float(size), 1.0, ms);
    }

    fn add_packets(&mut self, size: String, count: f64, ms: f64) {
        let (packets, time) = self.packets.entry(size).or_default();
        *packets += count;
        *time += ms;
    }
}

/// By index into [`TRANSPORTS`].
type Transports = [Transport; TRANSPORTS.len()];

fn op_transports(op: &Op) -> Transports {
    let mut transports = Transports::default();
    let [rdma, hccs, pcie, sdma, sio] = &mut transports;
    for piece in op.pieces.iter().filter(|piece| piece.moves_data) {
        let transport = match piece.link {
            Link::OnChip => continue,
            Link::Hccs => &mut *hccs,
            Link::Pcie => &mut *pcie,
            Link::Sio => &mut *sio,
            Link::Other => &mut *sdma,
        };
        transport.add(piece.bytes.unwrap_or_default(), piece.ms());
    }
    for plane in planes(op) {
        for run in rdma_runs(op, plane) {
            rdma.add(run.bytes, run.ms);
        }
    }
    for link in [hccs, pcie, sio] {
        sdma.size += link.size;
        sdma.time += link.time;
    }
    transports
}

fn push_transports(
    rows: &mut Vec<reported_bandwidth::Row>,
    place: &Place,
    transports: &Transports,
    with_rates: bool,
    strings: &mut Interner,
) {
    for ((name, threshold), transport) in TRANSPORTS.iter().zip(transports) {
        let packets: f64 = transport.packets.values().map(|(count, _)| count).sum();
        let large: f64 = transport
            .packets
            .iter()
            .filter(|(size, _)| *threshold > 0.0 && size.parse::<f64>().is_ok_and(|size| size > *threshold))
            // A sum of nothing would be -0.
            .fold(0.0, |sum, (_, (count, _))| sum + count);
        let mut row = reported_bandwidth::Row {
            step: place.step,
            kind: place.kind,
            name: place.name,
            group_hash: place.group_hash,
            transport: strings.intern(name),
            transit_size: Some(transport.size),
            transit_time: Some(transport.time),
            bandwidth: with_rates.then(|| rounded(bandwidth(transport.size, transport.time))),
            large_packet_ratio: with_rates.then(|| rounded(large_packet_share(large, packets))),
            ..reported_bandwidth::Row::default()
        };
        if transport.packets.is_empty() {
            rows.push(row);
        }
        for (size, (count, ms)) in &transport.packets {
            (row.package_size, row.count, row.total_duration) = (Some(strings.intern(size)), Some(*count), Some(*ms));
            rows.push(row);
        }
    }
}

/// Sums over the operations of a class.
#[derive(Default)]
struct Totals {
    times: [Option<f64>; 5],
    transports: Transports,
}

impl Totals {
    fn add(&mut self, time: &reported_comm::Row, transports: &Transports) {
        let parts = [time.elapse, time.transit, time.wait, time.synchronization, time.idle];
        for (sum, part) in self.times.iter_mut().zip(parts) {
            if let Some(part) = part {
                *sum = Some(sum.unwrap_or_default() + part);
            }
        }
        for (sum, transport) in self.transports.iter_mut().zip(transports) {
            sum.size += transport.size;
            sum.time += transport.time;
            for (size, (count, ms)) in &transport.packets {
                sum.add_packets(size.clone(), *count, *ms);
            }
        }
    }

    fn time(&self, place: &Place) -> reported_comm::Row {
        let [elapse, transit, wait, synchronization, idle] = self.times;
        let share = |part: Option<f64>| part.zip(transit).map(|(part, transit)| rounded(wait_ratio(part, transit)));
        reported_comm::Row {
            step: place.step,
            kind: place.kind,
            name: place.name,
            group_hash: place.group_hash,
            start: None,
            elapse,
            transit,
            wait,
            synchronization,
            idle,
            wait_ratio: share(wait),
            synchronization_ratio: share(synchronization),
        }
    }
}
