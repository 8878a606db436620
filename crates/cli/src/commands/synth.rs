//! `npuscope synth`.

use std::process::ExitCode;

use npuscope_formats::flavour::Flavour;
use npuscope_formats::output::{Output, OutputError};
use npuscope_synth::{Form, JobConfig, SlowRank, simulate, write_job};

use crate::arguments::{SynthCommand, SynthFlavour, SynthForm};
use crate::error::CliError;
use crate::progress::Count;
use crate::settings::Settings;
use crate::terminal;

pub fn run(command: &SynthCommand, settings: &Settings) -> Result<ExitCode, CliError> {
    let config = JobConfig {
        tp: command.tp,
        pp: command.pp,
        dp: command.dp,
        layers: command.layers,
        hidden: command.hidden,
        sequence: command.sequence,
        micro_batches: command.micro_batches,
        steps: command.steps,
        slow_rank: command.slow_rank.map(|rank| SlowRank { rank, factor: command.slow_factor }),
        seed: command.seed,
        flavour: match command.flavour {
            SynthFlavour::TorchNpu => Flavour::TorchNpu,
            SynthFlavour::Mindspore => Flavour::MindSpore,
        },
        ..JobConfig::default()
    };
    let job = simulate(&config).map_err(|error| CliError::Usage(error.to_string()))?;
    let is_filled = command.output.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    if is_filled {
        return Err(OutputError::Exists { path: command.output.clone() }.into());
    }
    let form = match command.form {
        SynthForm::Text => Form::Text,
        SynthForm::Db => Form::Db,
        SynthForm::Both => Form::Both,
    };
    let bar = settings.terminal.shows_progress().then(|| Count::new("writing", config.ranks() as u64));
    write_job(&job, form, &Output::new(&command.output)?, |_| {
        if let Some(bar) = &bar {
            bar.advance();
        }
    })?;
    drop(bar);
    let ranks = terminal::counted(config.ranks() as u64, "rank");
    settings.terminal.note(&format!("{ranks} and ground_truth.json written to {}", command.output.display()));
    Ok(ExitCode::SUCCESS)
}
