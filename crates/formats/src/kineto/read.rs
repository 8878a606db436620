//! Reading a trace: bytes to tables.

use npuscope_measures::communication::runs_on_host;
use npuscope_tables::table::lane::Layer;
use npuscope_tables::table::{comm_op, metadata};
use npuscope_tables::{LaneId, Ns, RankBuilder, RankPieces, Selection, Str, TableId};

use super::SETTINGS;
use super::announced::Announcements;
use super::gzip::{Unpacked, unpack};
use super::host_collectives::HostGroup;
use super::interpret::{Interpreter, Piece};
use super::settings::read_settings;
use super::words;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::messages;
use crate::trace_json::event::{Dialect, Events, Phase};
use crate::trace_json::flows::read_flows;
use crate::trace_json::lanes::{Lanes, Process};
use crate::trace_json::read::{STRETCH, not_a_trace, note_diagnostics, note_unread, without_zeros};
use crate::trace_json::split::{in_order, scan_in};
use crate::trace_json::{Summary, document};

/// Times below are no dates that a profiler could have seen, but count from a base: 2001.
const FIRST_DATE: Ns = Ns(1_000_000_000_000_000_000);

/// Reads the trace `bytes` of the file called `file`, packed or not, into `pieces`, on up to `threads` threads.
///
/// The rows, their order and the strings do not depend on the number of threads.
pub fn read(bytes: &[u8], file: &str, threads: usize, pieces: &mut RankPieces) -> Summary {
    read_unpacked(unpack(bytes, file), file, None, threads, pieces)
}

/// [`read`] with the text in `stretches` stretches, if it has as many events.
pub fn read_in(bytes: &[u8], file: &str, stretches: usize, threads: usize, pieces: &mut RankPieces) -> Summary {
    read_unpacked(unpack(bytes, file), file, Some(stretches), threads, pieces)
}

fn read_unpacked(
    unpacked: Unpacked<'_>,
    file: &str,
    stretches: Option<usize>,
    threads: usize,
    pieces: &mut RankPieces,
) -> Summary {
    let is_packed = matches!(unpacked.bytes, std::borrow::Cow::Owned(_));
    let bytes = without_zeros(&unpacked.bytes);
    let mut summary = read_text(bytes, file, stretches.unwrap_or(bytes.len() / STRETCH), threads, pieces);
    if is_packed {
        for diagnostic in summary.diagnostics.iter_mut().filter(|diagnostic| diagnostic.offset.is_some()) {
            diagnostic.message = messages::offset_in_unpacked_text(diagnostic.message.clone());
        }
    }
    summary.diagnostics.splice(0..0, unpacked.diagnostic);
    summary
}

fn read_text(bytes: &[u8], file: &str, stretches: usize, threads: usize, pieces: &mut RankPieces) -> Summary {
    let mut summary = Summary::default();
    let document = match document::open(bytes) {
        Ok(document) => document,
        Err(offset) => {
            summary.diagnostics.push(not_a_trace(bytes, file, offset));
            return summary;
        }
    };
    let (mut stretches, end) =
        scan_in(bytes, document.events, stretches, threads, Dialect::Kineto, Selection::ALL, &|| {});
    note_diagnostics(&mut summary, bytes, file, &stretches, end);
    let mut rest = RankBuilder::default();
    let around = read_settings(bytes, end, file, &mut rest, &mut summary.diagnostics);
    match around.base {
        Some(base) => stretches.iter_mut().for_each(|events| shift(events, base)),
        None if !around.is_whole && stretches.iter().any(counts_from_base) => {
            let message = messages::no_base_time();
            summary.diagnostics.push(Diagnostic::new(Severity::Warning, Code::NoBaseTime, file, message));
        }
        None => {}
    }
    stretches.iter().for_each(|events| keep_metadata(bytes, events, &mut rest));

    let mut lanes = Lanes::default();
    let lane_maps: Vec<Vec<LaneId>> = stretches.iter().map(|events| lanes.absorb(bytes, events)).collect();
    lanes.classify(words::layer_of);
    let flows = read_flows(bytes, &stretches, &lane_maps, &|| {});
    let work = stretches.into_iter().zip(&lane_maps).collect();
    let mut later = Later::default();
    let interpret = |(events, map): (Events, &Vec<LaneId>)| Interpreter::new(bytes, &lanes, map).run(events);
    in_order(work, threads, interpret, |piece| later.take(piece, &mut summary, pieces));
    let collectives = later.finish(around.host_group.as_ref(), &mut lanes);
    pieces.append(collectives);
    pieces.append(flows);
    lanes.record(&mut rest);
    pieces.append(rest);
    summary
}

/// Moves all times of events by the base that they count from.
fn shift(events: &mut Events, base: Ns) {
    events.blocks.iter_mut().flatten().for_each(|event| event.time = event.time.plus(base.0));
}

fn counts_from_base(events: &Events) -> bool {
    events.blocks.iter().flatten().any(|event| event.phase == Phase::Slice && event.time < FIRST_DATE)
}

/// Keeps the metadata events that are not about names and order of lanes.
fn keep_metadata(bytes: &[u8], events: &Events, rank: &mut RankBuilder) {
    const OF_LANES: &[&str] =
        &["process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index"];
    for event in events.blocks.iter().flatten().filter(|event| event.phase == Phase::Metadata) {
        let name = events.strings.get(event.name);
        if OF_LANES.contains(&name) {
            continue;
        }
        let args = usize::try_from(event.text_start).ok().and_then(|start| bytes.get(start..));
        let args = args.and_then(|args| args.get(..event.text_len as usize)).filter(|args| !args.is_empty());
        let row = metadata::Row {
            file: rank.strings.intern(SETTINGS),
            key: rank.strings.intern(name),
            value: rank.strings.intern_bytes(args.unwrap_or(b"null")),
        };
        rank.metadata.push(row);
    }
}

/// What has to wait until the pieces before, or all pieces, have been read.
#[derive(Default)]
struct Later {
    rank: RankBuilder,
    /// Collectives by stream; their text is that of `rank`.
    collectives: Vec<(Option<i64>, comm_op::Row)>,
    announcements: Announcements,
    device_lanes: Vec<LaneId>,
}

impl Later {
    fn take(&mut self, mut piece: Piece, summary: &mut Summary, pieces: &mut RankPieces) {
        let tasks = i64::try_from(pieces.len(TableId::Task)).unwrap_or_default();
        for mut row in piece.kernels {
            row.task = row.task.map(|task| task.plus(tasks));
            piece.rank.kernel.push(row);
        }
        let Later { rank: RankBuilder { strings, .. }, collectives, announcements, .. } = self;
        let mut copy = |text: Str| strings.intern(piece.rank.strings.get(text));
        let mut copy = |row: comm_op::Row| comm_op::Row {
            name: copy(row.name),
            op_type: row.op_type.map(&mut copy),
            group_name: row.group_name.map(&mut copy),
            group_hash: row.group_hash.map(&mut copy),
            dtype: row.dtype.map(&mut copy),
            args: row.args.map(&mut copy),
            ..row
        };
        let of_host = piece.host_collectives.into_iter().map(|row| (None, row));
        collectives.extend(piece.collectives.into_iter().chain(of_host).map(|(stream, row)| (stream, copy(row))));
        announcements.take(piece.announcements, copy);
        self.device_lanes.extend(piece.device_lanes);
        note_unread(summary, piece.unread);
        pieces.append(piece.rank);
    }

    /// The collectives, each group of a device on a lane of its own, as in a trace of an NPU. Those whose group
    /// is not known share the lane of their stream.
    fn finish(mut self, host_group: Option<&HostGroup>, lanes: &mut Lanes) -> RankBuilder {
        for lane in self.device_lanes {
            if let Some(lane) = lanes.lanes.get_mut(lane.index()) {
                lane.layer = Layer::Hardware;
            }
        }
        self.announcements.complete(self.collectives.iter_mut().map(|(_, row)| row));
        for (stream, mut row) in self.collectives {
            let on_host = runs_on_host(self.rank.strings.get(row.name));
            if let Some(group) = host_group.filter(|_| on_host) {
                group.fill(&mut row, &mut self.rank.strings);
            }
            let label = match row.device {
                _ if on_host => "CPU".to_owned(),
                Some(device) => format!("GPU {device}"),
                None => "GPU".to_owned(),
            };
            let thread = match (row.group_name, stream) {
                (Some(group), _) => format!("Group {} Communication", self.rank.strings.get(group)),
                (None, Some(stream)) => format!("Stream {stream} Communication"),
                (None, None) => "Communication".to_owned(),
            };
            let process = Process { name: Some("Communication".to_owned()), label: Some(label.clone()), sort: None };
            let lane = lanes.add(&format!("Communication {label}"), process, thread);
            self.rank.comm_op.push(comm_op::Row { lane, ..row });
        }
        self.rank
    }
}
