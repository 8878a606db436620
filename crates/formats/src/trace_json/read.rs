//! Reading a trace: bytes to tables.

use std::thread;

use npuscope_tables::table::lane::Layer;
use npuscope_tables::{RankBuilder, RankPieces};

use super::document;
use super::event::{DefectKind, Events};
use super::flows::Flows;
use super::interpret::Interpreter;
use super::lanes::Lanes;
use super::scan::End;
use super::split::scan_all;
use crate::problem::{Problem, Severity};

/// What reading a trace told, beside its rows.
#[derive(Debug, Default)]
pub struct Summary {
    pub events: u64,
    /// Keys of events that nothing was read from.
    pub unread_keys: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Reads the trace `bytes` of the file called `file` into `pieces`, on up to `threads` threads.
///
/// The rows, their order and the strings do not depend on the number of threads.
pub fn read(bytes: &[u8], file: &str, threads: usize, pieces: &mut RankPieces) -> Summary {
    let mut summary = Summary::default();
    let document = match document::open(bytes) {
        Ok(document) => document,
        Err(offset) => {
            summary.problems.push(not_a_trace(bytes, file, offset));
            return summary;
        }
    };
    let (stretches, end) = scan_all(bytes, document.events, threads);
    note_problems(&mut summary, bytes, file, &stretches, end);

    let mut lanes = Lanes::default();
    let lane_maps: Vec<Vec<u32>> = stretches.iter().map(|events| lanes.absorb(bytes, events)).collect();
    lanes.classify();
    let mut flows = Flows::default();
    for (events, lane_map) in stretches.iter().zip(&lane_maps) {
        flows.starts(bytes, events, lane_map);
    }
    for (events, lane_map) in stretches.iter().zip(&lane_maps) {
        flows.ends(bytes, events, lane_map);
    }
    let flows = flows.finish();
    for (rank, mstx_lanes) in interpret_all(bytes, stretches, &lanes, &lane_maps) {
        for lane in mstx_lanes {
            if let Some(lane) = lanes.lanes.get_mut(lane as usize) {
                lane.layer = Layer::Mstx;
            }
        }
        pieces.append(rank);
    }
    pieces.append(flows);
    let mut rest = RankBuilder::default();
    lanes.record(&mut rest);
    pieces.append(rest);
    summary
}

/// Interprets every stretch, on a thread of its own if there are several. In order.
fn interpret_all<'a>(
    bytes: &'a [u8],
    stretches: Vec<Events>,
    lanes: &'a Lanes,
    lane_maps: &'a [Vec<u32>],
) -> Vec<(RankBuilder, Vec<u32>)> {
    let mut work: Vec<_> = stretches.into_iter().zip(lane_maps).collect();
    if work.len() == 1 {
        return work.pop().map(|(events, map)| Interpreter::new(bytes, lanes, map).run(events)).into_iter().collect();
    }
    thread::scope(|scope| {
        let workers: Vec<_> = work
            .into_iter()
            .map(|(events, map)| scope.spawn(move || Interpreter::new(bytes, lanes, map).run(events)))
            .collect();
        workers.into_iter().filter_map(|w| w.join().ok()).collect()
    })
}

fn not_a_trace(bytes: &[u8], file: &str, offset: usize) -> Problem {
    let problem = if bytes.trim_ascii().is_empty() {
        Problem::new(Severity::Error, "empty-file", file, "the file is empty")
    } else if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let message = "the file is UTF-16; traces are UTF-8. Convert it, for example with iconv";
        Problem::new(Severity::Error, "wrong-encoding", file, message)
    } else {
        let message = "expected a JSON array of trace events, or an object with `traceEvents`";
        Problem::new(Severity::Error, "not-a-trace", file, message)
    };
    problem.at(offset as u64)
}

fn note_problems(summary: &mut Summary, bytes: &[u8], file: &str, stretches: &[Events], end: End) {
    for events in stretches {
        summary.events += events.len() as u64;
        for &key in &events.unread_keys {
            let key = events.strings.get(key).to_owned();
            if !summary.unread_keys.contains(&key) {
                summary.unread_keys.push(key);
            }
        }
        for defect in &events.defects {
            let (severity, code, message) = match defect.what {
                DefectKind::Cut => (
                    Severity::Warning,
                    "cut-file",
                    format!(
                        "the file ends here, before the list of events does; the {} events before are kept",
                        summary.events
                    ),
                ),
                DefectKind::Garbage => {
                    (Severity::Warning, "garbage", "not an event; went on at the next one".to_owned())
                }
                DefectKind::UnknownPhase => (Severity::Warning, "unknown-phase", unknown_phase(bytes, defect.offset)),
                DefectKind::NoTime => {
                    (Severity::Warning, "no-time", "an event whose `ts` or `dur` is no number; left out".to_owned())
                }
                DefectKind::NotATrace => continue,
            };
            summary.problems.push(Problem::new(severity, code, file, message).at(defect.offset));
        }
        let told = events.defects.len() as u64;
        if events.skipped > told {
            let message = format!("{} more events could not be read", events.skipped - told);
            summary.problems.push(Problem::new(Severity::Warning, "more-defects", file, message));
        }
        if events.strings.overflowed() {
            let message = "more than 2 GiB of distinct text; later names read as empty";
            summary.problems.push(Problem::new(Severity::Warning, "too-much-text", file, message));
        }
    }
    let cut_is_told = summary.problems.iter().any(|p| p.code == "cut-file");
    if end == End::Cut && !cut_is_told {
        let message = format!("the list of events is not closed; the {} events are kept", summary.events);
        summary.problems.push(Problem::new(Severity::Warning, "cut-file", file, message).at(bytes.len() as u64));
    }
}

fn unknown_phase(bytes: &[u8], offset: u64) -> String {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let text = bytes.get(start..).unwrap_or_default();
    let text = String::from_utf8_lossy(text.get(..text.len().min(60)).unwrap_or_default());
    format!("an event whose phase `ph` is none of X M C s f; left out: {text}")
}
