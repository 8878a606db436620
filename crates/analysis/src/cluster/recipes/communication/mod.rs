//! Shared by the modes about communication: the data that ranks reported, normalised.
//!
//! - A step is its number, `50`; summaries of operations have `step50`. With `--compat` it is not changed.
//! - An operation is point to point if its source says so, else if its name does.
//! - Totals that a source lists among operations are dropped and computed again.
//! - A transport without traffic is dropped: text lists it, databases do not. Packets are those of the source; databases
//!   write a packet of size 0 if there is none.
//! - Links are by class of operation and place in the order of bandwidth, as torch_npu reports them; MindSpore's
//!   databases and msprof have them by operation.
//! - Operations are sorted by step and start, their transports by name, packets by size. With `--compat` they have the
//!   order of the source.

mod compat;
mod files;
mod groups;
mod hosts;
mod links;
mod matrix;
mod names;
mod operations;
mod steps;
mod tables;
mod times;

use std::collections::BTreeSet;
use std::sync::Arc;

use npuscope_measures::deliverable::links_by_class;
use npuscope_tables::Framework;
use npuscope_tables::{Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::communication_matrix_sum::LinkTraffic;
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::extract::{Analysis, Text};
use crate::layout::{Layout, RankGroups};
use crate::messages::cluster as messages;
use crate::messages::collection;
use names::{Name, Names, Translator};
use npuscope_messages::{Decimal, Message};

pub use files::files;
pub use groups::{RankGroup, rank_groups};
pub use hosts::Host;
pub use matrix::traffic;
pub use steps::{RankStep, StageStep, StepFigures};
pub use tables::{bandwidth_table, group_mapping, groups_file, matrix_table, time_table};
pub use times::{GroupTime, GroupTransport, PacketSize, group_times, group_transports};

/// A map in the order of insertion.
type IndexMap<K, V> = indexmap::IndexMap<K, V, hashbrown::DefaultHashBuilder>;

/// The data that is read from ranks.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Wanted {
    pub steps: bool,
    pub operations: bool,
    pub links: bool,
}

/// What all ranks reported.
pub struct Reported {
    pub names: Names,
    pub ranks: Vec<ReportedRank>,
    pub layout: Layout,
    pub wanted: Wanted,
    pub compat: bool,
    /// All ranks were saved as text.
    pub is_text: bool,
    /// What the metadata of the first rank that has any says of the layout.
    pub distributed_args: Option<serde_json::Value>,
}

/// What one rank reported.
pub struct ReportedRank {
    pub rank: Rank,
    pub host: Host,
    pub steps: Vec<steps::StepTime>,
    pub operations: operations::Operations,
    pub links: Vec<links::Link<i64>>,
}

/// What each rank reported.
#[derive(Clone, Copy, Serialize)]
pub struct Reports {
    wanted: Wanted,
    compat: bool,
    /// All ranks were saved as text.
    is_text: bool,
    step: Option<i64>,
    /// Some ranks do not report their steps, so that they are computed.
    derives_steps: bool,
}

/// What one rank reported, with names of its own.
#[derive(Serialize, Deserialize)]
pub struct Report {
    names: Vec<Text>,
    host: Host,
    steps: Vec<steps::StepTime>,
    operations: operations::Operations,
    links: Vec<links::Link<i64>>,
    groups: RankGroups,
}

impl Analysis for Reports {
    type Extract = Report;
    const NAME: &'static str = "communication";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        let mut selection = Selection::NONE;
        let mut and = |tables: &[TableId]| selection = selection.and(Selection::of(tables).without_idle_transports());
        if self.wanted.operations {
            and(&[TableId::ReportedComm, TableId::ReportedBandwidth]);
        }
        if self.wanted.links {
            and(&[TableId::ReportedLink]);
        }
        match self.wanted.steps {
            false => return selection,
            true if !self.compat => return selection.and(npuscope_measures::step::NEEDS),
            true => and(&[TableId::ReportedStep]),
        }
        if self.derives_steps { selection.and(steps::DERIVED_FROM) } else { selection }
    }

    fn map(&self, data: &RankData<'_>) -> Result<Report, Absent> {
        let tables = if self.compat { data.tables.clone() } else { links_by_class(data.tables.clone()) };
        let steps = if self.wanted.steps { steps::of(data, self.compat) } else { steps::ReportedSteps::default() };
        let mut names = Names::default();
        let mut translator = Translator::new(&mut names, &tables, self);
        let steps = steps::translate(&steps, &mut translator);
        let operations = operations::of(&mut translator, self.wanted.operations);
        let links = links::of(&mut translator, self.wanted.links);
        let (host, groups) = (Host::of(data), RankGroups::of(&data.tables));
        Ok(Report { names: names.into_texts(), host, steps, operations, links, groups })
    }
}

/// Reads the wanted data of all ranks. Adds a note for each rank that lacks data which others have.
pub fn read(job: &Job<'_>, wanted: Wanted) -> Result<Reported, Failure> {
    let (compat, is_text) = (job.options.compat, job.is_text());
    let is_other = || job.sources().iter().any(|source| source.framework() != Framework::TorchNpu);
    let derives_steps = compat && !is_text && is_other();
    let reports = Reports { wanted, compat, is_text, step: job.options.step, derives_steps };
    let (mut names, mut ranks, mut groups) = (Names::default(), Vec::new(), Vec::new());
    for (rank, mut report) in job.extracts(&reports)? {
        let renamed = names.join(report.names);
        report.steps.iter_mut().for_each(|step| renamed.rename_opt(&mut step.step));
        report.operations.rename(&renamed);
        report.links.iter_mut().for_each(|link| link.rename(&renamed));
        let Report { mut host, steps, operations, links, .. } = report;
        if let Some(source) = job.source(rank) {
            host.set_directory(source);
        }
        ranks.push(ReportedRank { rank, host, steps, operations, links });
        groups.push((rank, report.groups));
    }
    note_lacks(job, &ranks);
    let distributed_args = groups.iter().find_map(|(_, groups)| groups.distributed_args.clone());
    let layout = Layout::of(&groups);
    Ok(Reported { names, ranks, layout, wanted, compat, is_text, distributed_args })
}

/// Adds notes for ranks that lack data which others have.
fn note_lacks(job: &Job<'_>, ranks: &[ReportedRank]) {
    let note = |what: Message, has: &dyn Fn(&ReportedRank) -> bool| {
        if ranks.iter().any(has) {
            ranks
                .iter()
                .filter(|rank| !has(rank))
                .for_each(|rank| job.lacks(rank.rank, messages::lacks_reported(what.clone())));
        }
    };
    note(collection::data_step_times(), &|rank| !rank.steps.is_empty());
    note(collection::data_operations(), &|rank| !rank.operations.list.is_empty());
    note(collection::data_links(), &|rank| !rank.links.is_empty());
}

/// The results of the built-in modes of msprof-analyze. Parts that a mode does not compute are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct CommunicationReport {
    pub steps: Vec<RankStep>,
    pub stages: Vec<StageStep>,
    pub groups: Vec<RankGroup>,
    pub times: Vec<GroupTime>,
    pub transports: Vec<GroupTransport>,
    pub links: Vec<LinkTraffic>,
    pub hosts: Vec<(Rank, Host)>,
    pub notes: Vec<Message>,
}

/// The rows of a built-in mode.
pub fn report(mode: &Mode, job: &Job<'_>, wanted: Wanted) -> Result<CommunicationReport, Failure> {
    let (reported, notes) = read_built_in(mode, job, wanted)?;
    Ok(CommunicationReport {
        steps: steps::rank_steps(&reported),
        stages: steps::stage_steps(&reported),
        groups: rank_groups(&reported),
        times: group_times(&reported),
        transports: group_transports(&reported),
        links: traffic(&reported),
        hosts: reported.ranks.into_iter().map(|rank| (rank.rank, rank.host)).collect(),
        notes,
    })
}

/// The answer of a built-in mode: four files of text, or the same as tables.
pub fn built_in(mode: &Mode, job: &Job<'_>, wanted: Wanted) -> Result<Answer, Failure> {
    job.require_export(mode, &[Export::Db, Export::Text])?;
    let (reported, notes) = read_built_in(mode, job, wanted)?;
    let as_files = match job.options.export {
        _ if reported.compat => reported.is_text,
        None => reported.is_text,
        Some(export) => export == Export::Text,
    };
    let reported = Arc::new(reported);
    let mut answer = if as_files { files(reported) } else { tables::tables(&reported) };
    answer.notes.extend(notes);
    Ok(answer)
}

/// The reported data that a built-in mode needs, with notes. Fails if there is none.
fn read_built_in(mode: &Mode, job: &Job<'_>, wanted: Wanted) -> Result<(Reported, Vec<Message>), Failure> {
    let reported = read(job, wanted)?;
    if reported.ranks.iter().all(ReportedRank::is_empty) {
        let (what, hint) = (collection::data_steps_and_communication(), collection::collect_exported());
        return Err(Failure::missing(mode.name, what, hint));
    }
    let missing = missing(&reported);
    // Where no device was recorded, no setting would help.
    let is_host_only = is_host_only(&reported);
    // A mode about one of them has no answer without it.
    if let [what] = missing.as_slice()
        && !reported.compat
        && wanted.operations != wanted.links
    {
        let hint = if is_host_only { collection::collect_device() } else { collection::collect_level1_of_devices() };
        return Err(Failure::missing(mode.name, what.clone(), hint));
    }
    let mut notes = notes(&reported);
    let hint = if is_host_only { collection::collect_device() } else { collection::collect_level1() };
    notes.extend(missing.into_iter().map(|what| messages::note_not_reported(what, hint.clone())));
    Ok((reported, notes))
}

/// Whether steps were recorded, and no device that did anything in them.
fn is_host_only(reported: &Reported) -> bool {
    let mut steps = reported.ranks.iter().flat_map(|rank| &rank.steps).peekable();
    steps.peek().is_some() && steps.all(steps::StepTime::is_without_device)
}

/// Communication data that was requested and that no rank has.
fn missing(reported: &Reported) -> Vec<Message> {
    let wanted = reported.wanted;
    let lacks = |lacks: fn(&ReportedRank) -> bool| reported.ranks.iter().all(lacks);
    let operations = wanted.operations && lacks(|rank| rank.operations.list.is_empty());
    let links = wanted.links && lacks(|rank| rank.links.is_empty());
    [(operations, collection::data_operations()), (links, collection::data_links())]
        .into_iter()
        .filter_map(|(is_missing, what)| is_missing.then_some(what))
        .collect()
}

/// Missing ranks that are named one by one.
const MAX_NAMED: usize = 16;

/// Notes beside the results.
pub fn notes(reported: &Reported) -> Vec<Message> {
    let mut notes = Vec::new();
    let layout = &reported.layout;
    let present: BTreeSet<Rank> = reported.ranks.iter().map(|rank| rank.rank).collect();
    let world = layout.sizes.world;
    let count = world - i64::try_from(present.range(Rank(0)..Rank(world.max(0))).count()).unwrap_or(world);
    if layout.is_known() && count > 0 {
        let missing = (0..world).map(Rank).filter(|rank| !present.contains(rank)).map(|rank| rank.to_string());
        let named: Vec<String> = missing.take(MAX_NAMED).collect();
        let more = if count > named.len() as i64 { " …" } else { "" };
        let named = format!("{}{more}", named.join(", "));
        notes.push(messages::note_ranks_not_in_profile(count, world, named));
    }
    if layout.origin == crate::layout::Origin::Inferred {
        let sizes = layout.sizes;
        let found = format!("tp {}, cp {}, dp {}, pp {}, ep {}", sizes.tp, sizes.cp, sizes.dp, sizes.pp, sizes.ep);
        notes.push(messages::note_inferred_layout(found, Decimal(layout.confidence * 100.0)));
    }
    notes.extend(matrix::unknown_ends(reported));
    notes
}

impl ReportedRank {
    fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.operations.list.is_empty() && self.links.is_empty()
    }
}

/// Where an operation of a rank belongs.
pub type OpKey = (Option<Name>, Name, Name);

/// Orders steps by number, others behind them by name.
fn step_order(step: Option<&str>) -> (i64, &str) {
    let step = step.unwrap_or_default();
    (step.parse().unwrap_or(i64::MAX), step)
}
