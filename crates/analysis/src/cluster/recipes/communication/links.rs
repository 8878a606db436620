//! Traffic of links between ranks.

use npuscope_measures::communication::bandwidth;
use npuscope_measures::deliverable::rounded;
use npuscope_tables::table::reported_link;
use serde::{Deserialize, Serialize};

use super::names::{Name, Renamed, Translator};

/// What operations of a class moved from one rank to another. Its ends are numbers within the group, as ranks report
/// them, or ranks, once [`global_links`](super::matrix::global_links) has found which they are.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Link<End> {
    pub step: Option<Name>,
    pub is_point_to_point: bool,
    /// Class and place, for example `allreduce-top1`; an operation in older files. `None` for the sum over operations.
    pub name: Option<Name>,
    pub group: Name,
    pub src: End,
    pub dst: End,
    pub transport: Option<Name>,
    pub op_name: Option<Name>,
    /// In MB.
    pub size: f64,
    /// In ms.
    pub time: f64,
}

/// What identifies a link: step, kind of operation, operation, group, and its ends.
pub type LinkKey<End> = (Option<Name>, bool, Option<Name>, Name, End, End);

impl<End: Copy> Link<End> {
    pub fn rename(&mut self, renamed: &Renamed) {
        [&mut self.step, &mut self.name, &mut self.transport, &mut self.op_name]
            .into_iter()
            .for_each(|name| renamed.rename_opt(name));
        renamed.rename(&mut self.group);
    }

    pub fn key(&self) -> LinkKey<End> {
        (self.step, self.is_point_to_point, self.name, self.group, self.src, self.dst)
    }

    /// The same between other ends.
    pub fn between<Other>(self, src: Other, dst: Other) -> Link<Other> {
        let Link { step, is_point_to_point, name, group, transport, op_name, size, time, .. } = self;
        Link { step, is_point_to_point, name, group, src, dst, transport, op_name, size, time }
    }

    /// GB/s.
    pub fn bandwidth(&self) -> f64 {
        rounded(bandwidth(self.size, self.time))
    }
}

/// The links of a rank, nothing if they are not wanted.
pub fn of(translator: &mut Translator<'_>, is_wanted: bool) -> Vec<Link<i64>> {
    if !is_wanted {
        return Vec::new();
    }
    let tables = translator.tables;
    tables.rows::<reported_link::Row>().filter_map(|row| link(&row, translator)).collect()
}

fn link(row: &reported_link::Row, translator: &mut Translator<'_>) -> Option<Link<i64>> {
    if translator.is_total(row.name) {
        return None;
    }
    let tables = translator.tables;
    let end = |end| tables.opt_text(end).and_then(|end| end.trim().parse::<i64>().ok());
    Some(Link {
        step: translator.step(row.step)?,
        is_point_to_point: translator.is_point_to_point(row.kind, row.name),
        name: Some(translator.name(row.name)),
        group: translator.name(row.group_hash.unwrap_or_default()),
        src: end(row.src_rank)?,
        dst: end(row.dst_rank)?,
        transport: row.transport.map(|transport| translator.name(transport)),
        op_name: row.op_name.map(|name| translator.name(name)),
        size: row.transit_size.unwrap_or_default(),
        time: row.transit_time.unwrap_or_default(),
    })
}
