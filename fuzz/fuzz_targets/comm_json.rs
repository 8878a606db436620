//! Any bytes as `communication.json` or `communication_matrix.json`: what is written of them reads as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use npuscope_formats::comm_json;
use npuscope_tables::Framework;
use npuscope_tables::RankBuilder;

fn rewrite(bytes: &[u8], is_matrix: bool) -> Vec<u8> {
    let mut rank = RankBuilder::default();
    if is_matrix {
        comm_json::read_matrix(bytes, "communication_matrix.json", &mut rank);
    } else {
        comm_json::read_communication(bytes, "communication.json", &mut rank);
    }
    let tables = rank.finish();
    let mut text = Vec::new();
    let mut writer = comm_json::CommWriter::default();
    if is_matrix {
        writer.matrix(&mut text, &tables, Framework::TorchNpu).unwrap();
    } else {
        writer.communication(&mut text, &tables).unwrap();
    }
    writer.finish(&mut text).unwrap();
    text
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let is_matrix = first & 1 == 1;
    let once = rewrite(bytes, is_matrix);
    let twice = rewrite(&once, is_matrix);
    assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
});
