//! Words of MindSpore's for nothing: a file that is off, and metrics that are none.

use npuscope_collect::CollectConfig;
use npuscope_collect::Dialect::MindSpore;
use npuscope_collect::dialect::{Notation, write_notation};
use serde_json::json;

use crate::common::{reading, window};

#[test]
fn a_mindspore_file_that_is_off_names_no_step() {
    let off = CollectConfig { enabled: false, schedule: window(4, 0, 3), ..CollectConfig::default() };
    let text = write_notation(&off, Notation::MindSporeDynamic).text;
    assert!(text.contains("\"start_step\": -1,\n  \"stop_step\": -1"), "{text}");
    let again = reading(&text, MindSpore);
    assert!(!again.config.enabled && !again.has_errors(), "{:#?}", again.diagnostics);
}

#[test]
fn none_is_a_word_for_mindspore_metrics() {
    let reading = reading(&json!({"start_step": 1, "stop_step": 1, "aic_metrics": "None"}).to_string(), MindSpore);
    assert!(
        reading.diagnostics.iter().all(|diagnostic| diagnostic.key.as_deref() != Some("aic_metrics")),
        "{reading:?}"
    );
}
