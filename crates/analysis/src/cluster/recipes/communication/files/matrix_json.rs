//! `cluster_communication_matrix.json`.

use std::fs::File;
use std::io::{self, BufWriter};

use npuscope_formats::json_out::JsonOut;
use npuscope_tables::Rank;

use super::super::links::Link;
use super::super::matrix::global_links;
use super::super::names::Name;
use super::super::tables::TOTAL;
use super::super::{IndexMap, Reported};
use super::RankKeys;

/// Links by the name of the operation, none for sums, and the group.
type Operations = IndexMap<(Option<Name>, Name), Vec<Link<Rank>>>;

/// Writes the file. Every step ends with the sums of each group.
pub fn write(reported: &Reported, out: &mut BufWriter<File>) -> io::Result<()> {
    let names = &reported.names;
    let keys = RankKeys::of(reported);
    let (links, totals) = global_links(reported);
    let mut tree: IndexMap<&str, IndexMap<Option<Name>, Operations>> = IndexMap::default();
    for link in links.into_iter().chain(totals) {
        let steps = tree.entry(keys.get(link.is_point_to_point, link.group)).or_default();
        steps.entry(link.step).or_default().entry((link.name, link.group)).or_default().push(link);
    }
    let mut json = JsonOut::default();
    json.open();
    for (ranks, steps) in tree {
        json.key_of(ranks);
        json.open();
        for (step, operations) in steps {
            json.key_of(names.opt_text(step).unwrap_or_default());
            json.open();
            for ((name, group), links) in operations {
                json.key_of(&format!("{}@{}", names.opt_text(name).unwrap_or(TOTAL), names.text(group)));
                json.open();
                links.iter().for_each(|link| write_link(link, reported, &mut json));
                json.close();
                json.flush_if_full(out)?;
            }
            json.close();
        }
        json.close();
    }
    json.close();
    json.flush(out)
}

fn write_link(link: &Link<Rank>, reported: &Reported, json: &mut JsonOut) {
    json.key_of(&format!("{}-{}", link.src, link.dst));
    json.open();
    json.text("Transport Type", reported.names.opt_text(link.transport));
    json.number("Transit Time(ms)", Some(link.time));
    json.number("Transit Size(MB)", Some(link.size));
    json.text("Op Name", reported.names.opt_text(link.op_name).or(Some("")));
    json.number("Bandwidth(GB/s)", Some(link.bandwidth()));
    json.close();
}
