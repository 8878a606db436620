//! Any bytes as settings: what is written of them reads as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use npuscope_formats::info_json;
use npuscope_tables::RankBuilder;

fn rewrite(bytes: &[u8]) -> Vec<u8> {
    let mut rank = RankBuilder::default();
    let _ = info_json::read(bytes, "profiler_info", &mut rank);
    let mut settings = info_json::Settings::default();
    settings.append(&rank.finish());
    let mut text = Vec::new();
    settings.write(&mut text, "profiler_info").unwrap();
    text
}

fuzz_target!(|bytes: &[u8]| {
    let once = rewrite(bytes);
    assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&rewrite(&once)));
});
