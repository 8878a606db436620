//! The four files of text that msprof-analyze's built-in modes write.
//!
//! - `cluster_step_trace_time.csv`: steps of ranks, then of stages.
//! - `cluster_communication.json`: ranks of a group, step, operation, rank; then what it reported.
//! - `cluster_communication_matrix.json`: ranks of a group, step, operation, link `0-1` between global ranks.
//! - `communication_group.json`: the groups.

mod communication_json;
mod matrix_json;
mod step_csv;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use npuscope_tables::Rank;

use super::Reported;
use super::groups::{UsedGroup, UsedKey, used_groups};
use super::names::Name;
use crate::cluster::{Answer, ResultFile};

/// The files of a job. Those about nothing are left out.
pub fn files(reported: Arc<Reported>) -> Answer {
    type Write = fn(&Reported, &mut BufWriter<File>) -> io::Result<()>;
    let has = |has: fn(&super::ReportedRank) -> bool| reported.ranks.iter().any(has);
    let mut files: Vec<(&'static str, Write)> = Vec::new();
    let mut gone = Vec::new();
    let mut file = |name: &'static str, write: Write, is_there: bool| match is_there {
        true => files.push((name, write)),
        false => gone.push(name),
    };
    file("cluster_step_trace_time.csv", step_csv::write, has(|rank| !rank.steps.is_empty()));
    file("cluster_communication.json", communication_json::write, has(|rank| !rank.operations.list.is_empty()));
    file("cluster_communication_matrix.json", matrix_json::write, has(|rank| !rank.links.is_empty()));
    files.push(("communication_group.json", group_json));
    let files = files.into_iter().map(|(name, write)| {
        let reported = reported.clone();
        ResultFile::new(name, move |path: &Path| {
            let mut out = BufWriter::with_capacity(1 << 18, File::create(path)?);
            write(&reported, &mut out)?;
            out.flush()
        })
    });
    Answer { files: files.collect(), gone, ..Answer::default() }
}

/// Top-level keys of files about groups: the ranks of each, `(0, 1)`. Groups of the same ranks share one.
struct RankKeys(HashMap<UsedKey, String>);

impl RankKeys {
    fn of(reported: &Reported) -> RankKeys {
        let key = |group: &UsedGroup| match reported.compat {
            true => tuple(group.users.iter().copied()),
            false => tuple(group.ranks(reported)),
        };
        RankKeys(used_groups(reported).iter().map(|(id, group)| (*id, key(group))).collect())
    }

    fn get(&self, is_point_to_point: bool, group: Name) -> &str {
        self.0.get(&(is_point_to_point, group)).map_or("()", String::as_str)
    }
}

/// A tuple of Python, as text.
fn tuple(ranks: impl IntoIterator<Item = Rank>) -> String {
    let ranks: Vec<String> = ranks.into_iter().map(|rank| rank.to_string()).collect();
    match ranks.as_slice() {
        [rank] => format!("({rank},)"),
        _ => format!("({})", ranks.join(", ")),
    }
}

/// A list of JSON.
fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    format!("[{}]", items.join(", "))
}

fn group_json(reported: &Reported, out: &mut BufWriter<File>) -> io::Result<()> {
    let groups = used_groups(reported);
    let mut groups: Vec<&UsedGroup> = groups.values().collect();
    match reported.compat {
        true => groups.sort_by_key(|group| group.is_point_to_point),
        false => groups.sort_by_key(|group| {
            (group.is_point_to_point, group.ranks(reported), reported.names.text(group.hash).to_owned())
        }),
    }
    let ranks = |ranks: &mut dyn Iterator<Item = Rank>| list(ranks.map(|rank| rank.to_string()));
    let of_kind = |is_point_to_point: bool| {
        let groups = groups.iter().filter(|group| group.is_point_to_point == is_point_to_point);
        list(groups.map(|group| ranks(&mut group.users.iter().copied())))
    };
    let about = |group: &&UsedGroup| -> io::Result<String> {
        let text = |text: &str| serde_json::to_string(text).map_err(io::Error::from);
        Ok(format!(
            r#"{{"type": "{}", "rank_set": {}, "group_name": {}, "group_id": {}, "pg_name": {}}}"#,
            group.kind(),
            ranks(&mut group.ranks(reported).into_iter()),
            text(reported.names.text(group.hash))?,
            text(group.id(reported))?,
            text(group.pg_name(reported))?,
        ))
    };
    let about = groups.iter().map(about).collect::<io::Result<Vec<String>>>()?;
    let (collective, p2p) = (of_kind(false), of_kind(true));
    write!(out, r#"{{"collective": {collective}, "p2p": {p2p}, "comm_group_parallel_info": {}}}"#, list(about))
}
