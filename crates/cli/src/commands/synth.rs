//! `npuscope synth`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use npuscope_formats::output::{Output, OutputError};
use npuscope_synth::{
    Fault, Format, JobConfig, Level, Profiling, Stretch, Workload, preset, scenario, simulate, write_job,
};
use npuscope_tables::Framework;

use crate::error::CliError;
use crate::messages::output as messages;
use crate::progress::Count;
use crate::settings::Settings;
use crate::usage::UsageError;

/// What to simulate, and where its profile goes.
#[derive(Clone, Debug)]
pub struct SynthOptions {
    pub output: PathBuf,
    /// Scenario file, or folder of them.
    pub scenario: Option<PathBuf>,
    /// Model to begin with where there is no scenario.
    pub preset: Option<String>,
    pub format: Format,
    pub changes: JobChanges,
}

/// What the command line changes of a job; `None` keeps what the job has.
#[derive(Clone, Debug)]
pub struct JobChanges {
    /// Added to those of the job.
    pub faults: Vec<Fault>,
    pub tp: Option<usize>,
    pub pp: Option<usize>,
    pub dp: Option<usize>,
    pub cp: Option<usize>,
    pub ep: Option<usize>,
    pub layers: Option<usize>,
    pub hidden: Option<u64>,
    pub sequence: Option<u64>,
    pub micro_batches: Option<usize>,
    pub virtual_stages: Option<usize>,
    pub steps: Option<usize>,
    pub devices_per_host: Option<usize>,
    pub workload: Option<Workload>,
    /// Windows in place of those of the job, and the steps that they are in.
    pub windows: Vec<Stretch>,
    pub profiling: Option<Profiling>,
    pub level: Option<Level>,
    pub seed: Option<u64>,
    pub framework: Option<Framework>,
}

pub fn run(options: &SynthOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let jobs = jobs(options)?;
    let is_filled = options.output.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    if is_filled {
        return Err(OutputError::NotEmpty { path: options.output.clone() }.into());
    }
    for (directory, config) in &jobs {
        write(config, directory, options, settings)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(config: &JobConfig, directory: &Path, options: &SynthOptions, settings: &Settings) -> Result<(), CliError> {
    let job = simulate(config).map_err(UsageError::from)?;
    let bar = settings.terminal.shows_progress().then(|| Count::of_writing(config.ranks() as u64, settings.language));
    write_job(&job, options.format, &Output::new(directory)?, |_| {
        if let Some(bar) = &bar {
            bar.advance();
        }
    })?;
    drop(bar);
    settings.terminal.note(&settings.text(&messages::synth_written(config.ranks(), directory)));
    Ok(())
}

/// The jobs to simulate and where they go, all of them checked.
fn jobs(options: &SynthOptions) -> Result<Vec<(PathBuf, JobConfig)>, CliError> {
    let Some(path) = &options.scenario else {
        let config = options.preset.as_deref().map_or(Ok(JobConfig::default()), preset).map_err(UsageError::from)?;
        let config = options.changes.apply(config);
        config.check().map_err(UsageError::from)?;
        return Ok(vec![(options.output.clone(), config)]);
    };
    if !path.is_dir() {
        return Ok(vec![(options.output.clone(), read(path, options)?)]);
    }
    let mut files: Vec<PathBuf> = fs::read_dir(path)
        .map_err(|error| unreadable(path, error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(UsageError::NoScenarios(path.clone()).into());
    }
    let named = files.iter().map(|file| {
        let name = file.file_stem().unwrap_or_default();
        Ok((options.output.join(name), read(file, options)?))
    });
    named.collect()
}

/// The job of a scenario file.
fn read(file: &Path, options: &SynthOptions) -> Result<JobConfig, CliError> {
    let text = fs::read_to_string(file).map_err(|error| unreadable(file, error))?;
    let config = scenario(&text).map(|config| options.changes.apply(config));
    let checked = config.and_then(|config| config.check().map(|()| config));
    checked.map_err(|source| UsageError::Scenario { file: file.to_owned(), source }.into())
}

fn unreadable(path: &Path, source: io::Error) -> UsageError {
    UsageError::Unreadable { name: path.display().to_string(), source }
}

impl JobChanges {
    /// The job with what the command line changes.
    fn apply(&self, job: JobConfig) -> JobConfig {
        let mut faults = job.faults;
        faults.extend(&self.faults);
        let (mut first_step, mut steps) = (job.first_step, self.steps.unwrap_or(job.steps));
        if let Some((first, last)) = self.windows.first().zip(self.windows.last()) {
            first_step = first.first;
            steps = usize::try_from(last.last.saturating_sub(first_step).saturating_add(1)).unwrap_or_default();
        }
        JobConfig {
            tp: self.tp.unwrap_or(job.tp),
            pp: self.pp.unwrap_or(job.pp),
            dp: self.dp.unwrap_or(job.dp),
            cp: self.cp.unwrap_or(job.cp),
            ep: self.ep.unwrap_or(job.ep),
            layers: self.layers.unwrap_or(job.layers),
            hidden: self.hidden.unwrap_or(job.hidden),
            sequence: self.sequence.unwrap_or(job.sequence),
            micro_batches: self.micro_batches.unwrap_or(job.micro_batches),
            virtual_stages: self.virtual_stages.unwrap_or(job.virtual_stages),
            first_step,
            steps,
            windows: if self.windows.is_empty() { job.windows } else { self.windows.clone() },
            profiling: self.profiling.unwrap_or(job.profiling),
            devices_per_host: self.devices_per_host.unwrap_or(job.devices_per_host),
            workload: self.workload.unwrap_or(job.workload),
            level: self.level.unwrap_or(job.level),
            seed: self.seed.unwrap_or(job.seed),
            framework: self.framework.unwrap_or(job.framework),
            faults,
            ..job
        }
    }
}
