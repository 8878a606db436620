pub fn read_file(_: &std::path::Path, _: &crate::discover::SourceFile, _: &mut npuscope_tables::RankBuilder) -> bool { false }
