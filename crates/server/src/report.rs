//! Reports: the pages in one file, with the answers that they ask for.
//!
//! A report is the page `report.html` of the UI and an element with answers by address. The pages ask it as they would
//! ask the server; where an address names ranks or a stretch of time, a report has the answer for the ranks and steps
//! that it is about. Timelines are kept as tiles, as fine as there is room for.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::answers;
use crate::assets::embedded;
use crate::failure::{Failure, missing};
use crate::profile::ServedProfile;
use crate::routes::tables::table;
use crate::timeline::Timeline;
use crate::timeline::counters::POINT;
use crate::timeline::tile::{HEAD, INTERVALS, LANE_HEAD, TileTime, tile};
use npuscope_analysis::cluster::Usage;
use npuscope_tables::Rank;
use npuscope_views::{BadQuestion, VIEWS};

/// Where the page has room for the answers.
const PLACE: &str = "<!--report-->";

/// What a report is about.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Contents {
    /// Ranks whose timelines it has; those that findings show, if none are given.
    pub ranks: Vec<Rank>,
    /// Steps whose tables it has, beside those of all steps together.
    pub steps: Vec<i64>,
    /// Ids of findings; all, if none are given.
    pub findings: Vec<String>,
}

/// Ranks whose timelines a report has, if no others are asked for.
const MOST_RANKS: usize = 4;

/// Bytes that all timelines take in the file. A report is to be mailed.
const ROOM_FOR_TIMELINES: usize = 12 << 20;

/// Tiles that the whole of a timeline takes at the coarsest level.
const COARSEST_TILES: i64 = 8;

/// Slices of a rank whose details are kept: those that stand alone when all of it is in view.
const DETAILED_SLICES: usize = 400;

/// Bytes of the largest table that is kept.
const LARGEST_TABLE: usize = 8 << 20;

/// Parts of the strip above a timeline.
const STRIP_PARTS: usize = 1024;

/// What the pages ask of views by parameters of their own, beside asking without.
const ASKED: &[(&str, &[(&str, &str)])] = &[
    ("heat", &[("buckets", "256")]),
    ("operators", &[("group", "op_type")]),
    ("operators", &[("group", "name")]),
    ("operators", &[("group", "shape")]),
    ("operators", &[("group", "core")]),
    ("operators", &[("group", "stream")]),
    ("operators", &[("group", "rank")]),
    ("operators", &[("group", "step")]),
    ("operators", &[("group", "module")]),
    ("communication", &[("by", "kind")]),
    ("host_ops", &[("kind", "op")]),
    ("host_ops", &[("kind", "cann")]),
    ("host_ops", &[("kind", "python")]),
    ("host_ops", &[("kind", "mstx")]),
];

/// The report of a profile, as the bytes of an html file.
pub fn report(profile: &ServedProfile, contents: &Contents) -> Result<Vec<u8>, Failure> {
    let template = embedded("report.html").and_then(|bytes| std::str::from_utf8(bytes).ok());
    let (head, tail) = template.and_then(|template| template.split_once(PLACE)).ok_or(Failure::NoPages)?;
    let answers = json!({"answers": answers(profile, contents)?}).to_string();
    // Nothing in the answers may end the element that they are in.
    let answers = answers.replace('<', "\\u003c");
    Ok(format!("{head}<script type=\"application/json\" id=\"report\">{answers}</script>{tail}").into_bytes())
}

/// Answers by address.
struct Answers {
    by_address: Map<String, Value>,
    /// Bytes that they take in the file.
    size: usize,
    /// One for all: there are thousands of small answers.
    packer: ZlibEncoder<Vec<u8>>,
}

impl Answers {
    fn add(&mut self, address: String, answer: &[u8]) {
        // Writing to memory does not fail.
        let packed = self.packer.write_all(answer).and_then(|()| self.packer.reset(Vec::new())).unwrap_or_default();
        let packed = STANDARD.encode(packed);
        self.size += address.len() + packed.len();
        self.by_address.insert(address, packed.into());
    }

    fn add_json(&mut self, address: impl Into<String>, answer: &impl Serialize) {
        self.add(address.into(), json!(answer).to_string().as_bytes());
    }
}

fn answers(profile: &ServedProfile, contents: &Contents) -> Result<Map<String, Value>, Failure> {
    let mut diagnosis = profile.diagnosis()?;
    if let Some(findings) = diagnosis["findings"].as_array_mut() {
        let is_wanted = |finding: &Value| contents.findings.iter().any(|id| finding["id"] == id.as_str());
        findings.retain(|finding| contents.findings.is_empty() || is_wanted(finding));
    }
    let ranks = ranks_with_timelines(profile, contents, &diagnosis)?;
    let mut about = profile.describe()?;
    about.report = true;
    if let Some(unknown) = contents.steps.iter().find(|step| !about.steps.contains(step)) {
        let steps = about.steps.clone();
        return Err(BadQuestion::from(Usage::NoStep { step: *unknown, steps }).into());
    }
    about.steps.clone_from(&contents.steps);
    let packer = ZlibEncoder::new(Vec::new(), Compression::default());
    let mut answers = Answers { by_address: Map::new(), size: 0, packer };
    answers.add_json("api/profile", &about);
    answers.add_json("api/diagnosis", &diagnosis);
    answers.add_json("api/health", &profile.health()?);
    add_tables(profile, contents, &mut answers)?;
    let before = answers.size;
    for (done, rank) in ranks.iter().enumerate() {
        let Some(timeline) = profile.timeline(*rank)? else { continue };
        let room = (before + ROOM_FOR_TIMELINES).saturating_sub(answers.size) / (ranks.len() - done);
        add_timeline(&timeline, *rank, &about, profile.origin()?, room, &mut answers);
    }
    Ok(answers.by_address)
}

/// The ranks that are asked for; else the first, and those that findings show.
fn ranks_with_timelines(profile: &ServedProfile, contents: &Contents, diagnosis: &Value) -> Result<Vec<Rank>, Failure> {
    let known: BTreeSet<Rank> = profile.ranks().collect();
    if let Some(unknown) = contents.ranks.iter().find(|rank| !known.contains(rank)) {
        let ranks = known.into_iter().collect();
        return Err(BadQuestion::NoRank { rank: *unknown, ranks }.into());
    }
    if !contents.ranks.is_empty() {
        return Ok(contents.ranks.clone());
    }
    let findings = diagnosis["findings"].as_array().into_iter().flatten();
    let evidence = findings.flat_map(|finding| finding["evidence"].as_array().into_iter().flatten());
    let shown = evidence.filter_map(|place| place["rank"].as_i64()).map(Rank);
    let mut ranks: Vec<Rank> = Vec::new();
    let first = known.first().copied().into_iter();
    for rank in first.chain(shown).chain(known.iter().copied()).filter(|rank| known.contains(rank)) {
        if ranks.len() < MOST_RANKS && !ranks.contains(&rank) {
            ranks.push(rank);
        }
    }
    ranks.sort_unstable();
    Ok(ranks)
}

/// Adds the tables behind the pages, of all ranks: of all steps together, and of each that is chosen. One that cannot
/// be made is left out, and the page says so.
fn add_tables(profile: &ServedProfile, contents: &Contents, answers: &mut Answers) -> Result<(), Failure> {
    let without_own = VIEWS.iter().map(|view| (view.name, &[] as &[(&str, &str)]));
    let asked: Vec<_> = without_own.chain(ASKED.iter().copied()).collect();
    let steps = [None].into_iter().chain(contents.steps.iter().copied().map(Some));
    for step in steps {
        for (view, own) in &asked {
            let mut parameters: BTreeMap<String, String> =
                own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let mut address = format!("api/tables/{view}");
            let of_step = step.map(|step| ("step", step.to_string()));
            let of_own = own.iter().map(|(name, value)| (*name, (*value).to_owned()));
            for (at, (name, value)) in of_step.iter().cloned().chain(of_own).enumerate() {
                address.push_str(&format!("{}{name}={value}", if at == 0 { '?' } else { '&' }));
            }
            parameters.extend(of_step.map(|(name, value)| (name.to_owned(), value)));
            match table(profile, view, parameters) {
                Ok(bytes) if bytes.len() > LARGEST_TABLE => {}
                Ok(bytes) => answers.add(address, &bytes),
                Err(Failure::Missing { what, switch }) => answers.add_json(address, &missing(*what, *switch)),
                // What makes no sense of this profile is nothing that its pages ask.
                Err(Failure::Bad(_) | Failure::NotFound(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
    Ok(())
}

fn add_timeline(
    timeline: &Timeline,
    rank: Rank,
    about: &answers::Profile,
    origin: i64,
    room: usize,
    answers: &mut Answers,
) {
    let at = format!("api/ranks/{rank}");
    let limit = answers.size + room;
    let described = timeline.describe(origin);
    let span = timeline.span();
    answers.add_json(format!("{at}/timeline"), &described);
    answers.add_json(format!("{at}/names"), &timeline.names());
    let Some(span) = span else { return };
    for [begin, end] in [described.span, about.span].into_iter().flatten() {
        add_strip(timeline, &at, STRIP_PARTS, begin, end, origin, answers);
    }
    let lanes: Vec<usize> = described.lanes.iter().map(|lane| lane.id).collect();
    let counters: Vec<usize> = described.counters.iter().map(|counter| counter.id).collect();
    let length = (span.end - span.start).max(1);
    let coarsest = (length / (INTERVALS * COARSEST_TILES)).max(1).ilog2();
    for slice in timeline.alone(&lanes, coarsest).into_iter().take(DETAILED_SLICES) {
        if let Some(details) = timeline.details(slice, origin) {
            answers.add_json(format!("{at}/slices/{slice}"), &details);
        }
    }
    for level in (timeline.finest(&lanes)..=coarsest).rev() {
        let of_tile = INTERVALS << level;
        for index in (span.start - origin).div_euclid(of_tile)..=(span.end - origin).div_euclid(of_tile) {
            let time = TileTime::new(level, index, origin);
            let (bars, points) = (tile(timeline, &lanes, time), timeline.counters().tile(&counters, time));
            // Where nothing is, or nothing changes, the page draws what it has of the level above.
            if bars.len() > HEAD + LANE_HEAD * lanes.len() {
                answers.add(format!("{at}/tiles/{level}/{index}"), &bars);
                add_strip(timeline, &at, INTERVALS as usize, index * of_tile, (index + 1) * of_tile, origin, answers);
            }
            if points.len() > HEAD + (LANE_HEAD + POINT) * counters.len() {
                answers.add(format!("{at}/counters/{level}/{index}"), &points);
            }
            if answers.size > limit {
                return;
            }
        }
    }
}

fn add_strip(timeline: &Timeline, at: &str, parts: usize, begin: i64, end: i64, origin: i64, answers: &mut Answers) {
    let bytes = timeline.strip_bytes(begin.saturating_add(origin), end.saturating_add(origin), parts);
    answers.add(format!("{at}/overview?buckets={parts}&begin={begin}&end={end}"), &bytes);
}
