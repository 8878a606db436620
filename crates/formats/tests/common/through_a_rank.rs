//! A file through a rank and back.

use std::path::Path;

use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::text;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::{Framework, Rank, RankTables};

/// A rank with one file, read, written and read again: the tables of both readings.
pub fn through_a_rank(
    framework: Framework,
    name: &str,
    text: &str,
    check: impl Fn(&Path, &Path),
) -> (RankTables, RankTables) {
    let suffix = if framework == Framework::MindSpore { "ms" } else { "pt" };
    let directory = tempfile::tempdir().unwrap();
    let [source, target] = ["a", "b"].map(|name| directory.path().join(format!("{name}_ascend_{suffix}")));
    let place = |rank: &Path| match name.starts_with("profiler_") {
        true => rank.join(name),
        false => rank.join(OUTPUT_DIRECTORY).join(name),
    };
    std::fs::create_dir_all(source.join(OUTPUT_DIRECTORY)).unwrap();
    std::fs::write(place(&source), text).unwrap();
    let read = |rank: &Path| {
        let profile = discover(rank).unwrap();
        assert_eq!(profile.ranks[0].framework(), framework);
        read_rank(&profile.ranks[0], ReadOptions::default())
    };
    let before = read(&source);
    text::write_rank(before.clone(), Rank(0), &Output::new(&target).unwrap()).unwrap();
    check(&place(&source), &place(&target));
    (before, read(&target))
}
