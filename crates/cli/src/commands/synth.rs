//! `npuscope synth`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use npuscope_formats::output::{Output, OutputError};
use npuscope_synth::{ConfigError, Form, JobConfig, Level, Workload, preset, scenario, simulate, write_job};
use npuscope_tables::Flavour;

use crate::arguments::{SynthCommand, SynthFlavour, SynthForm, SynthLevel};
use crate::error::CliError;
use crate::progress::Count;
use crate::settings::Settings;
use crate::terminal;

pub fn run(command: &SynthCommand, settings: &Settings) -> Result<ExitCode, CliError> {
    let jobs = jobs(command)?;
    let is_filled = command.output.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    if is_filled {
        return Err(OutputError::Exists { path: command.output.clone() }.into());
    }
    for (directory, config) in &jobs {
        write(config, directory, command, settings)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(config: &JobConfig, directory: &Path, command: &SynthCommand, settings: &Settings) -> Result<(), CliError> {
    let job = simulate(config).map_err(|error| CliError::Usage(error.to_string()))?;
    let form = match command.form {
        SynthForm::Text => Form::Text,
        SynthForm::Db => Form::Db,
        SynthForm::Both => Form::Both,
    };
    let bar = settings.terminal.shows_progress().then(|| Count::new("writing", config.ranks() as u64));
    write_job(&job, form, &Output::new(directory)?, |_| {
        if let Some(bar) = &bar {
            bar.advance();
        }
    })?;
    drop(bar);
    let ranks = terminal::counted(config.ranks() as u64, "rank");
    settings.terminal.note(&format!("{ranks} and ground_truth.json written to {}", directory.display()));
    Ok(())
}

/// The jobs to simulate and where they go, all of them checked.
fn jobs(command: &SynthCommand) -> Result<Vec<(PathBuf, JobConfig)>, CliError> {
    let usage = |error: ConfigError| CliError::Usage(error.to_string());
    let Some(path) = &command.scenario else {
        let config = command.preset.as_deref().map_or(Ok(JobConfig::default()), preset).map_err(usage)?;
        let config = with_options(config, command);
        config.check().map_err(usage)?;
        return Ok(vec![(command.output.clone(), config)]);
    };
    if !path.is_dir() {
        return Ok(vec![(command.output.clone(), read(path, command)?)]);
    }
    let mut files: Vec<PathBuf> = fs::read_dir(path)
        .map_err(|error| unreadable(path, &error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(CliError::Usage(format!("there is no .toml file in {}", path.display())));
    }
    let named = files.iter().map(|file| {
        let name = file.file_stem().unwrap_or_default();
        Ok((command.output.join(name), read(file, command)?))
    });
    named.collect()
}

/// The job of a scenario file.
fn read(file: &Path, command: &SynthCommand) -> Result<JobConfig, CliError> {
    let text = fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
    let config = scenario(&text).map(|config| with_options(config, command));
    let checked = config.and_then(|config| config.check().map(|()| config));
    checked.map_err(|error| CliError::Usage(format!("{}: {error}", file.display())))
}

fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    CliError::Usage(format!("cannot read {}: {error}", path.display()))
}

/// The job with what the command line changes.
fn with_options(job: JobConfig, command: &SynthCommand) -> JobConfig {
    let mut faults = job.faults;
    faults.extend(&command.faults);
    JobConfig {
        tp: command.tp.unwrap_or(job.tp),
        pp: command.pp.unwrap_or(job.pp),
        dp: command.dp.unwrap_or(job.dp),
        cp: command.cp.unwrap_or(job.cp),
        ep: command.ep.unwrap_or(job.ep),
        layers: command.layers.unwrap_or(job.layers),
        hidden: command.hidden.unwrap_or(job.hidden),
        sequence: command.sequence.unwrap_or(job.sequence),
        micro_batches: command.micro_batches.unwrap_or(job.micro_batches),
        virtual_stages: command.virtual_stages.unwrap_or(job.virtual_stages),
        steps: command.steps.unwrap_or(job.steps),
        devices_per_host: command.devices_per_host.unwrap_or(job.devices_per_host),
        workload: if command.rl { Workload::ReinforcementLearning } else { job.workload },
        level: match command.level {
            None => job.level,
            Some(SynthLevel::None) => Level::None,
            Some(SynthLevel::Level0) => Level::Level0,
            Some(SynthLevel::Level1) => Level::Level1,
            Some(SynthLevel::Level2) => Level::Level2,
        },
        seed: command.seed.unwrap_or(job.seed),
        flavour: match command.flavour {
            None => job.flavour,
            Some(SynthFlavour::TorchNpu) => Flavour::TorchNpu,
            Some(SynthFlavour::Mindspore) => Flavour::MindSpore,
        },
        faults,
        ..job
    }
}
