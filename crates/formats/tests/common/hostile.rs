//! Values with everything in them that a format gives a meaning.

use npuscope_tables::Ns;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Text with everything in it that a format gives a meaning.
pub fn hostile() -> BoxedStrategy<String> {
    prop_oneof![
        2 => "[a-zA-Z_:./0-9]{1,12}",
        2 => "[\"\\\\{}\\[\\],:;@'\\-#\t\r\n ]{1,8}",
        1 => "\\PC{1,8}",
        1 => "[a\"{,}\\[\\]算子é😀\u{7f}\u{feff}\u{2028}]{1,8}",
    ]
    .boxed()
}

/// Microseconds of a time or duration: three decimals, six, any size and sign.
pub fn microseconds() -> BoxedStrategy<String> {
    let three = |range: std::ops::Range<i64>| range.prop_map(|ns| Ns(ns).to_string());
    prop_oneof![
        three(0..1_000_000),
        three(-1_000_000..0),
        three(1_736_408_883_688_177_000..1_736_408_883_688_178_000),
        three(0..i64::MAX),
        (0i64..1_000_000_000, 0i64..1_000_000).prop_map(|(us, rest)| format!("{us}.{rest:06}")),
    ]
    .boxed()
}

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
