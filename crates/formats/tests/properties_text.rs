//! Whatever the values of the JSON files of a text deliverable are, reading and writing keeps them.

mod common {
    pub mod any_json;
    pub mod hostile;
    pub mod through_a_rank;
}

use std::path::Path;

use common::any_json::{any_json, spelled};
use common::hostile::hostile;
use common::through_a_rank::through_a_rank;
use npuscope_tables::Framework;
use npuscope_testing::{assert_same_json, json};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

fn object(entries: impl IntoIterator<Item = (impl Into<String>, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn figure() -> BoxedStrategy<Value> {
    prop_oneof![
        (0.0..1e9).prop_map(|n: f64| json!(n)),
        (0i64..1_000_000).prop_map(|n| json!(n)),
        Just(json!(0)),
        Just(json!(1_736_408_883_813_620.2)),
        Just(json!(6.000000000000001e-05)),
    ]
    .boxed()
}

/// An object with a figure for each key.
fn figures(keys: &'static [&'static str]) -> BoxedStrategy<Value> {
    vec(figure(), keys.len()).prop_map(|values| object(keys.iter().copied().zip(values))).boxed()
}

/// Operations under steps and classes, or by themselves as CANN has them.
fn nested_ops(op: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let name = ("[a-z]", hostile(), prop_oneof![Just(String::new()), "@[0-9]{1,20}"]);
    let name = name.prop_map(|(letter, rest, group)| format!("{letter}{rest}{group}"));
    let ops = btree_map(name, op, 1..4).prop_map(object);
    let classes = (ops.clone(), ops.clone(), prop::option::of(ops.clone()));
    let classes = classes.prop_map(|(p2p, collective, odd)| {
        object([("p2p", p2p), ("collective", collective)].into_iter().chain(odd.map(|ops| ("odd class", ops))))
    });
    prop_oneof![3 => btree_map("step[0-9]{0,3}", classes, 1..3).prop_map(object), 1 => ops].boxed()
}

fn communication() -> BoxedStrategy<Value> {
    let times = figures(&[
        "Start Timestamp(us)",
        "Elapse Time(ms)",
        "Transit Time(ms)",
        "Wait Time(ms)",
        "Synchronization Time(ms)",
        "Idle Time(ms)",
        "Wait Time Ratio",
        "Synchronization Time Ratio",
    ]);
    let sizes = btree_map(
        "[0-9]{1,4}\\.[0-9]{1,6}",
        (0i64..1000, figure()).prop_map(|(count, time)| json!([count, time])),
        0..4,
    );
    let transport =
        (figures(&["Transit Size(MB)", "Transit Time(ms)", "Bandwidth(GB/s)", "Large Packet Ratio"]), sizes);
    let transport = transport.prop_map(|(mut transport, sizes)| {
        transport["Size Distribution"] = object(sizes);
        transport
    });
    let transports = btree_map(select(vec!["RDMA", "HCCS", "PCIE", "SDMA", "SIO"]), transport, 0..5);
    let op = (times, transports).prop_map(|(times, transports)| {
        object([("Communication Time Info", times), ("Communication Bandwidth Info", object(transports))])
    });
    nested_ops(op.boxed())
}

fn communication_matrix(op_name: &'static str) -> BoxedStrategy<Value> {
    let link = (figures(&["Transit Size(MB)", "Transit Time(ms)", "Bandwidth(GB/s)"]), hostile(), hostile());
    let link = link.prop_map(move |(mut link, transport, op)| {
        link["Transport Type"] = transport.into();
        link[op_name] = op.into();
        link
    });
    nested_ops(btree_map("[0-9]{1,3}-[0-9]{1,3}", link, 1..4).prop_map(object).boxed())
}

proptest! {
    #![proptest_config(npuscope_testing::cases(100))]

    #[test]
    fn communication_json_keeps_every_figure(value in communication(), ascii: bool) {
        let text = spelled(&value.to_string(), ascii);
        let check = |a: &Path, b: &Path| assert_same_json(&json(a), &json(b), "communication");
        through_a_rank(Framework::TorchNpu, "communication.json", &text, check);
    }

    #[test]
    fn communication_matrix_json_keeps_every_figure(
        (framework, value) in prop_oneof![
            communication_matrix("Op Name").prop_map(|v| (Framework::TorchNpu, v)),
            communication_matrix("op_name").prop_map(|v| (Framework::MindSpore, v)),
        ],
        ascii: bool,
    ) {
        let text = spelled(&value.to_string(), ascii);
        let check = |a: &Path, b: &Path| assert_same_json(&json(a), &json(b), "matrix");
        through_a_rank(framework, "communication_matrix.json", &text, check);
    }

    #[test]
    fn settings_keep_every_value(
        value in btree_map(hostile(), any_json(), 0..6).prop_map(object),
        name in select(vec!["profiler_info_0.json", "profiler_metadata.json"]),
        ascii: bool,
    ) {
        prop_assume!(name == "profiler_info_0.json" || value != json!({}));
        let text = spelled(&value.to_string(), ascii);
        let check = |a: &Path, b: &Path| assert_same_json(&json(a), &json(b), "settings");
        through_a_rank(Framework::TorchNpu, name, &text, check);
    }
}
