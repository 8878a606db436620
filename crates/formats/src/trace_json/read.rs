//! Reading a trace: bytes to tables.

use npuscope_messages::Message;
use npuscope_tables::table::lane::Layer;
use npuscope_tables::{LaneId, RankBuilder, RankPieces, Selection, TableId};

use super::document::{self, Document};
use super::event::{DamageKind, Dialect, Events};
use super::flows::read_flows;
use super::interpret::Interpreter;
use super::lanes::Lanes;
use super::layers;
use super::scan::End;
use super::split::{Release, in_order, scan_in};
use super::text::Cursor;
use super::wanted::Wanted;
use crate::diagnostic::{Code, Diagnostic, MAX_UNREAD_KEYS, Severity};
use crate::messages;

/// The outcome of reading a trace, beside its rows.
#[derive(Debug, Default)]
pub struct Summary {
    pub events: u64,
    /// Keys of events that nothing was read from.
    pub unread_keys: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Bytes of a stretch that is scanned and interpreted in one go. Rows of a stretch stand together, so
/// this and not the number of threads decides on their order.
pub(crate) const STRETCH: usize = 16 << 20;

/// Reads the trace `bytes` of the file called `file` into `pieces`, on up to `threads` threads.
///
/// The rows, their order and the strings do not depend on the number of threads.
pub fn read(bytes: &[u8], file: &str, threads: usize, pieces: &mut RankPieces) -> Summary {
    read_some(bytes, file, Selection::ALL, threads, &|| {}, pieces)
}

/// [`read`], but only what is wanted, and `release` is called after each stretch. Of `host_op` all rows come that stand on a lane with one of the kinds.
pub fn read_some(
    bytes: &[u8],
    file: &str,
    selection: Selection,
    threads: usize,
    release: Release<'_>,
    pieces: &mut RankPieces,
) -> Summary {
    read_stretches(bytes, file, selection, bytes.len() / STRETCH, threads, release, pieces)
}

/// [`read`] with the file in `stretches` stretches, if it has as many events.
///
/// Host slices of a stretch come kind by kind, and strings in the order in which stretches meet them;
/// nothing else depends on the number of stretches.
pub fn read_in(bytes: &[u8], file: &str, stretches: usize, threads: usize, pieces: &mut RankPieces) -> Summary {
    read_stretches(bytes, file, Selection::ALL, stretches, threads, &|| {}, pieces)
}

fn read_stretches(
    bytes: &[u8],
    file: &str,
    selection: Selection,
    stretches: usize,
    threads: usize,
    release: Release<'_>,
    pieces: &mut RankPieces,
) -> Summary {
    let mut summary = Summary::default();
    let bytes = without_zeros(bytes);
    let document = match document::open(bytes) {
        Ok(document) => document,
        Err(offset) => {
            summary.diagnostics.push(not_a_trace(bytes, file, offset));
            return summary;
        }
    };
    let (stretches, end) = scan_in(bytes, document.events, stretches, threads, Dialect::Ascend, selection, release);
    note_diagnostics(&mut summary, bytes, file, &stretches, end);
    note_rest(&mut summary, bytes, file, &document, end);

    let mut lanes = Lanes::default();
    let lane_maps: Vec<Vec<LaneId>> = stretches.iter().map(|events| lanes.absorb(bytes, events)).collect();
    lanes.classify(layers::layer_of);
    let flows = selection.has(TableId::Flow).then(|| read_flows(bytes, &stretches, &lane_maps, release));
    let wanted = Wanted::of(selection, &lanes, &stretches, &lane_maps);
    let work = stretches.into_iter().zip(&lane_maps).collect();
    let interpret = |(events, map): (Events, &Vec<LaneId>)| {
        let interpreted = Interpreter::new(bytes, &lanes, map, &wanted).run(events);
        release();
        interpreted
    };
    let mut marked: Vec<LaneId> = Vec::new();
    in_order(work, threads, interpret, |(rank, mstx_lanes, unread)| {
        marked.extend(mstx_lanes);
        note_unread(&mut summary, unread);
        pieces.append(rank);
    });
    for lane in marked {
        if let Some(lane) = lanes.lanes.get_mut(lane.index()) {
            lane.layer = Layer::Mstx;
        }
    }
    pieces.append(flows.unwrap_or_default());
    let mut rest = RankBuilder::default();
    lanes.record(&mut rest);
    pieces.append(rest);
    summary
}

/// `bytes` without the zeros that a file system that lost power leaves where a file would have gone on.
pub(crate) fn without_zeros(bytes: &[u8]) -> &[u8] {
    bytes.get(..bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)).unwrap_or_default()
}

/// What to say of a file that has no list of events; `offset` is where it departs from one.
pub(crate) fn not_a_trace(bytes: &[u8], file: &str, offset: usize) -> Diagnostic {
    Diagnostic::not_text(bytes, file).unwrap_or_else(|| {
        Diagnostic::new(Severity::Error, Code::NotATrace, file, messages::not_a_trace()).at(offset as u64)
    })
}

/// Adds keys that nothing was read from.
pub(crate) fn note_unread(summary: &mut Summary, keys: impl IntoIterator<Item = String>) {
    for key in keys {
        if summary.unread_keys.len() < MAX_UNREAD_KEYS && !summary.unread_keys.contains(&key) {
            summary.unread_keys.push(key);
        }
    }
}

/// Counts the events, and reports those that could not be read.
pub(crate) fn note_diagnostics(summary: &mut Summary, bytes: &[u8], file: &str, stretches: &[Events], end: End) {
    for events in stretches {
        summary.events += events.len() as u64;
        note_unread(summary, events.unread_keys.iter().map(|&key| events.strings.get(key).to_owned()));
        for damage in &events.damages {
            let (code, message) = match damage.what {
                DamageKind::Cut => (Code::CutFile, messages::events_cut(summary.events)),
                DamageKind::Garbage => (Code::Garbage, messages::event_garbage()),
                DamageKind::UnknownPhase => (Code::UnknownPhase, unknown_phase(bytes, damage.offset)),
                DamageKind::NoTime => (Code::NoTime, messages::event_without_time()),
            };
            summary.diagnostics.push(Diagnostic::new(Severity::Warning, code, file, message).at(damage.offset));
        }
        let reported = events.damages.len() as u64;
        if events.skipped > reported {
            let message = messages::more_events(events.skipped - reported);
            summary.diagnostics.push(Diagnostic::new(Severity::Warning, Code::MoreDiagnostics, file, message));
        }
        if events.strings.overflowed() {
            let message = messages::too_much_text();
            summary.diagnostics.push(Diagnostic::new(Severity::Warning, Code::TooMuchText, file, message));
        }
    }
    if let Some(offset) = stretches.iter().find_map(|events| events.not_utf8) {
        summary.diagnostics.push(Diagnostic::not_utf8(file, offset));
    }
    let cut_is_reported = summary.diagnostics.iter().any(|p| p.code == Code::CutFile);
    if end == End::Cut && !cut_is_reported {
        let message = messages::events_not_closed(summary.events);
        summary
            .diagnostics
            .push(Diagnostic::new(Severity::Warning, Code::CutFile, file, message).at(bytes.len() as u64));
    }
}

/// Reports what follows a list that stands alone, such as a second one.
fn note_rest(summary: &mut Summary, bytes: &[u8], file: &str, document: &Document, end: End) {
    let End::Closed(bracket) = end else { return };
    let mut cursor = Cursor::new(bytes, bracket + 1);
    cursor.skip_space();
    if !document.in_object && cursor.at < bytes.len() {
        let message = messages::text_after_events();
        summary.diagnostics.push(Diagnostic::new(Severity::Warning, Code::Garbage, file, message).at(cursor.at as u64));
    }
}

fn unknown_phase(bytes: &[u8], offset: u64) -> Message {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let text = bytes.get(start..).unwrap_or_default();
    let text = String::from_utf8_lossy(text.get(..text.len().min(60)).unwrap_or_default());
    messages::event_unknown_phase(text.into_owned())
}
