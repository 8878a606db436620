//! `npuscope convert --to perfetto`: one trace of all ranks.

use std::io;
use std::path::{Path, PathBuf};

use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::perfetto::{Summary, Writer};
use npuscope_formats::source::RankSource;
use npuscope_store::Store;

use super::ConvertOptions;
use crate::error::CliError;
use crate::messages::output as messages;
use crate::settings::Settings;
use crate::usage::UsageError;

/// How the name of a trace ends.
const ENDINGS: [&str; 2] = ["perfetto-trace", "pftrace"];

/// The name of a trace in a directory.
const NAME: &str = "profile.perfetto-trace";

/// Writes the ranks and gives the file they are in.
pub fn write(
    options: &ConvertOptions,
    sources: &[&RankSource],
    store: &Store,
    settings: &Settings,
) -> Result<PathBuf, CliError> {
    if sources.is_empty() {
        return Err(UsageError::NoTimeline.into());
    }
    let path = trace_path(&options.output);
    if path.exists() {
        return Err(OutputError::Exists { path }.into());
    }
    let window = options.range.as_ref().map(|range| range.resolve(store, sources)).transpose()?;
    let ranks: Vec<_> = sources.iter().map(|source| store.load(source)).collect::<Result<_, _>>()?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let written = Output::new(directory)?.file(&name, |file| {
        let mut writer = Writer::new(file);
        let mut written = Summary::default();
        for (source, loaded) in sources.iter().zip(&ranks) {
            let tables = loaded.tables().map_err(io::Error::other)?;
            written = written.plus(writer.rank(source.rank, &tables, window)?);
        }
        writer.finish()?;
        Ok(written)
    })?;
    if written.loose_flows > 0 {
        settings.terminal.note(&settings.text(&messages::convert_loose_arrows(written.loose_flows)));
    }
    Ok(path)
}

/// The file that the trace is written to: the path itself if it is named as a trace, else one in it.
fn trace_path(output: &Path) -> PathBuf {
    let ending = output.extension().unwrap_or_default();
    let is_trace = ENDINGS.iter().any(|known| ending == *known) && !output.is_dir();
    if is_trace { output.to_owned() } else { output.join(NAME) }
}
