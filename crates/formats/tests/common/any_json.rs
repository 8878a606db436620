//! JSON with everything in it that a format gives a meaning.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::hostile::hostile;

/// Any JSON, nested a few levels, with integers of any size.
pub fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e12..1e12).prop_map(|n: f64| json!(n)),
        hostile().prop_map(Value::from),
        Just(json!(BIG)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(hostile(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
    .boxed()
}

/// Stands for an integer that no type of Rust holds.
const BIG: &str = "@big@";

/// JSON as text: big integers put in, and maybe all that is not ASCII as escapes.
pub fn spelled(text: &str, ascii: bool) -> String {
    let text = text.replace(&format!("\"{BIG}\""), "123456789012345678901234567890");
    let escaped = |c: char| match c {
        c if c.is_ascii() || !ascii => c.to_string(),
        c => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    text.chars().map(escaped).collect()
}
