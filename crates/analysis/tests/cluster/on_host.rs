//! Jobs without a device, whose ranks communicate with gloo.

use std::collections::BTreeSet;

use npuscope_analysis::cluster::Options;
use npuscope_formats::output::Output;
use npuscope_synth::HostJob;

use crate::support::{Rows, Value, database, run};

/// A table of what a mode says of the simulated job.
fn table(mode: &str, name: &str) -> Rows {
    let directory = tempfile::tempdir().unwrap();
    HostJob::default().write(&Output::new(directory.path()).unwrap()).unwrap();
    let options = Options { export: Some(npuscope_analysis::cluster::Export::Db), ..Options::default() };
    let run = run(directory.path(), mode, None, &options).unwrap_or_else(|failure| panic!("{mode}: {failure}"));
    database(run.written.database.as_deref().unwrap()).remove(name).unwrap_or_else(|| panic!("{mode}: {name}"))
}

fn column((header, rows): &Rows, name: &str) -> Vec<Value> {
    let place = header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name} of {header:?}"));
    rows.iter().map(|row| row[place].clone()).collect()
}

#[test]
fn all_has_every_collective_of_every_rank_and_step() {
    let job = HostJob::default();
    let times = table("all", "ClusterCommunicationTime");
    let mut names = column(&times, "hccl_op_name");
    names.retain(|name| *name != Value::Text("Total Op Info".to_owned()));
    assert_eq!(names.len(), job.ranks * job.steps * job.layers);
    let names: BTreeSet<String> = names.iter().map(|name| format!("{name:?}")).collect();
    assert_eq!(names.len(), job.layers, "{names:?}");
    let least = job.transit_ns as f64 / 1e6;
    assert!(column(&times, "elapsed_time").iter().all(|time| *time >= Value::Number(least * 0.999)));
}

#[test]
fn the_group_of_gloo_has_all_ranks() {
    let groups = table("communication_group_map", "CommunicationGroupMapping");
    assert_eq!(column(&groups, "rank_set"), [Value::Text("[0, 1, 2, 3]".to_owned())]);
    assert_eq!(column(&groups, "group_id"), [Value::Number(0.0)]);
}

#[test]
fn ranges_of_the_host_are_spans_and_steps_and_collectives_are_not() {
    let job = HostJob::default();
    let spans = table("mstx_sum", "MSTXMarkStats");
    assert_eq!(spans.1.len(), job.ranks * job.steps);
    let names = column(&spans, "Name");
    assert!(names.iter().all(|name| *name == Value::Text("Optimizer.step#SGD.step".to_owned())), "{names:?}");
}
