//! A job as a directory of profiles.

use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::{db, text};
use npuscope_tables::{Framework, Rank};

use crate::config::JobConfig;
use crate::kineto::TraceWriter;
use crate::record::View;
use crate::settings::{device_info, host, process, slot};
use crate::simulate::Job;

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Db,
    /// Text and databases.
    Both,
    /// Traces of PyTorch's own profiler, one file per rank, as if the job had run on GPUs.
    Kineto,
}

/// Writes every rank of the job into `out`, and `ground_truth.json`. `progress` is called with each rank that is done.
pub fn write_job(job: &Job, form: Format, out: &Output, mut progress: impl FnMut(usize)) -> Result<(), OutputError> {
    for rank in 0..job.config.ranks() {
        if form == Format::Kineto {
            write_trace(job, rank, out)?;
            progress(rank);
            continue;
        }
        let directory = out.directory(&rank_directory(&job.config, rank))?;
        let number = Rank(i64::try_from(rank).unwrap_or(i64::MAX));
        if form != Format::Db {
            let mut writer = text::RankWriter::create(&directory, number)?;
            job.recording(rank, View::Text).try_for_each(|step| writer.append(step.finish()))?;
            writer.finish()?;
        }
        if form != Format::Text {
            let mut writer = db::RankWriter::create(&directory, number)?;
            job.recording(rank, View::Whole).try_for_each(|step| writer.append(step.finish()))?;
            writer.finish()?;
        }
        if job.config.mfu_ranges {
            let slot = slot(&job.config, rank);
            let device = directory.directory(&format!("PROF_000001_20260101000000{:03}_SYNTH", rank % 1000))?;
            let device = device.directory(&format!("device_{slot}"))?;
            let info = device_info(&job.config, rank);
            device.file(&format!("info.json.{slot}"), |file| Ok(serde_json::to_writer(file, &info)?))?;
        }
        progress(rank);
    }
    out.file("ground_truth.json", |file| Ok(serde_json::to_writer_pretty(file, &job.truth())?))
}

fn write_trace(job: &Job, rank: usize, out: &Output) -> Result<(), OutputError> {
    out.file(&format!("rank{rank}.pt.trace.json"), |file| {
        let mut trace = TraceWriter::new(file, rank, job.config.ranks())?;
        job.recording(rank, View::Whole).try_for_each(|step| trace.append(&step.finish()))?;
        trace.finish()
    })
}

/// `{host}_{process}_{time}_ascend_pt`, as the frameworks name it.
fn rank_directory(config: &JobConfig, rank: usize) -> String {
    let process = process(config, rank);
    let suffix = if config.framework == Framework::MindSpore { "ms" } else { "pt" };
    format!("{}_{process}_20260101000000{:03}_ascend_{suffix}", host(config, rank), rank % 1000)
}
