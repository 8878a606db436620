//! The four files of text that msprof-analyze's built-in modes write.
//!
//! - `cluster_step_trace_time.csv`: steps of ranks, then of stages; lines end in CR LF.
//! - `cluster_communication.json`: ranks of a group, step, operation, rank; then what it reported.
//! - `cluster_communication_matrix.json`: ranks of a group, step, operation, link `0-1` between global ranks.
//! - `communication_group.json`: the groups.

mod communication_json;
mod matrix_json;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use npuscope_tables::Rank;
use npuscope_tables::number::push_float;

use super::Reported;
use super::groups::{UsedGroup, UsedKey, used_groups};
use super::names::Name;
use super::steps::{self, COLUMNS};
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
    file("cluster_step_trace_time.csv", step_csv, has(|rank| !rank.steps.is_empty()));
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
    let of_kind = |kind: &str| {
        let groups = groups.iter().filter(|group| group.kind() == kind);
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
    let (collective, p2p) = (of_kind("collective"), of_kind("p2p"));
    write!(out, r#"{{"collective": {collective}, "p2p": {p2p}, "comm_group_parallel_info": {}}}"#, list(about))
}

fn step_csv(reported: &Reported, out: &mut BufWriter<File>) -> io::Result<()> {
    // Older profilers report fewer columns.
    let is_there =
        |column: usize| reported.ranks.iter().flat_map(|rank| &rank.steps).any(|step| step.figures[column].is_some());
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(|column| is_there(*column)).collect();
    let indices = steps::indices(reported);
    write!(out, "Step,Type,Index")?;
    for column in &columns {
        write!(out, ",{}", COLUMNS[*column].1)?;
    }
    write!(out, "{}\r\n", if indices.is_some() { ",DP Index,PP Index,TP Index" } else { "" })?;
    let mut row = |step: Option<Name>, about: &str, figures: &[Option<f64>; 9], indices: &str| {
        let mut line = format!("{},{about}", reported.names.opt_text(step).unwrap_or_default()).into_bytes();
        for column in &columns {
            line.push(b',');
            if let Some(figure) = figures[*column] {
                push_float(&mut line, figure);
            }
        }
        line.extend_from_slice(indices.as_bytes());
        line.extend_from_slice(b"\r\n");
        out.write_all(&line)
    };
    for (at, rank) in reported.ranks.iter().enumerate() {
        let index = indices.as_ref().map_or_else(String::new, |indices| match indices.get(at).copied().flatten() {
            Some([dp, pp, tp]) => format!(",{dp},{pp},{tp}"),
            None => ",,,".to_owned(),
        });
        for step in &rank.steps {
            row(step.step, &format!("rank,{}", rank.rank), &step.figures, &index)?;
        }
    }
    let index = if indices.is_some() { ",NA,NA,NA" } else { "" };
    for stage in steps::stage_times(reported) {
        row(stage.step, &format!("stage,\"{}\"", tuple(stage.ranks)), &stage.figures, index)?;
    }
    Ok(())
}
