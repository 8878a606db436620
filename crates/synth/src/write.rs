//! A job as a directory of profiles.

use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::{db, text};
use npuscope_tables::{Framework, Rank};

use crate::config::JobConfig;
use crate::kineto::TraceWriter;
use crate::record::View;
use crate::settings::{device_info, host, process, slot};
use crate::simulate::Job;
use crate::windows::{Profiling, Window};

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Db,
    /// Text and databases.
    Both,
    /// Traces of PyTorch's own profiler, one file per rank and window, as if the job had run on GPUs.
    Kineto,
}

/// Writes every rank of the job into `out`, and `ground_truth.json`. `progress` is called with each rank that is done.
pub fn write_job(job: &Job, form: Format, out: &Output, mut progress: impl FnMut(usize)) -> Result<(), OutputError> {
    let windows = job.config.recorded();
    for rank in 0..job.config.ranks() {
        for (number, window) in windows.iter().enumerate() {
            let out = match folder(&job.config, rank, window) {
                Some(folder) => out.directory(&folder)?,
                None => out.clone(),
            };
            match form {
                Format::Kineto => write_trace(job, rank, window, windows.len() == 1, &out)?,
                _ => write_window(job, rank, &window_directory(job, rank, number, window), window, form, &out)?,
            }
        }
        progress(rank);
    }
    out.file("ground_truth.json", |file| Ok(serde_json::to_writer_pretty(file, &job.truth())?))
}

fn write_window(
    job: &Job,
    rank: usize,
    directory: &str,
    window: &Window,
    form: Format,
    out: &Output,
) -> Result<(), OutputError> {
    let directory = out.directory(directory)?;
    let number = Rank(i64::try_from(rank).unwrap_or(i64::MAX));
    if form != Format::Db {
        let mut writer = text::RankWriter::create(&directory, number)?;
        job.window(rank, View::Text, window).try_for_each(|step| writer.append(step.finish()))?;
        writer.finish()?;
    }
    if form != Format::Text {
        let mut writer = db::RankWriter::create(&directory, number)?;
        job.window(rank, View::Whole, window).try_for_each(|step| writer.append(step.finish()))?;
        writer.finish()?;
    }
    if job.config.mfu_ranges {
        let slot = slot(&job.config, rank);
        let device = directory.directory(&format!("PROF_000001_20260101000000{:03}_SYNTH", rank % 1000))?;
        let device = device.directory(&format!("device_{slot}"))?;
        let info = device_info(&job.config, rank);
        device.file(&format!("info.json.{slot}"), |file| Ok(serde_json::to_writer(file, &info)?))?;
    }
    Ok(())
}

fn write_trace(job: &Job, rank: usize, window: &Window, is_only: bool, out: &Output) -> Result<(), OutputError> {
    let name = match is_only {
        true => format!("rank{rank}.pt.trace.json"),
        // As PyTorch's handler calls them.
        false => {
            let (host, process) = (host(&job.config, rank), process(&job.config, rank));
            let ns = job.config.start + i64::try_from(job.begin(window)).unwrap_or_default();
            format!("{host}_{process}.{ns}.pt.trace.json")
        }
    };
    out.file(&name, |file| {
        let mut trace = TraceWriter::new(file, rank, job.config.ranks())?;
        job.window(rank, View::Whole, window).try_for_each(|step| trace.append(&step.finish()))?;
        trace.finish()
    })
}

/// The folder around the directory of a window, where the trainer makes one.
fn folder(config: &JobConfig, rank: usize, window: &Window) -> Option<String> {
    match config.profiling {
        Profiling::Schedule => None,
        Profiling::Dynamic => Some(format!("rank{rank}_start{}_stop{}", window.steps.first, window.steps.last)),
        Profiling::Stages => window.stage.map(str::to_owned),
    }
}

/// `{host}_{process}_{time}_ascend_pt`, as the frameworks name it.
/// Windows of a process differ by a millisecond at least.
fn window_directory(job: &Job, rank: usize, number: usize, window: &Window) -> String {
    let config = &job.config;
    let process = process(config, rank);
    let suffix = if config.framework == Framework::MindSpore { "ms" } else { "pt" };
    let begin = if window.parts.start == 0 { 0 } else { job.begin(window) };
    let ms = begin / 1_000_000 + number as u64 + rank as u64 % 1000;
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    let host = host(config, rank);
    format!("{host}_{process}_20260101{hour:02}{minute:02}{second:02}{:03}_ascend_{suffix}", ms % 1000)
}
