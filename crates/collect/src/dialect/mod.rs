//! The dialects of the trainers, read into a [`CollectConfig`] and written from it.
//!
//! Each dialect is a file here. [`read`] finds out which one a text is in, reads it as its trainer would, repairs what
//! the trainer repairs, and reports what is misspelt, contradictory or impossible. [`write`] gives a text in another
//! dialect, and reports what that dialect cannot express.
//!
//! ```
//! use npuscope_collect::dialect::{Run, read, write};
//! use npuscope_collect::Dialect;
//! let reading = read("training:\n  profile: true\n  profile_step_start: 5\n  profile_step_end: 6\n", None, &Run::default());
//! assert_eq!(reading.dialect, Some(Dialect::Fsdp2));
//! // FSDP2 counts steps from 0, MindSpeed-LLM from 1: the same step has another number.
//! let flags = write(&reading.config, Dialect::MindSpeedLlm).text;
//! assert!(flags.contains("--profile-step-start 6"));
//! ```

mod argparse;
mod arguments;
mod check;
mod comments;
pub(crate) mod detect;
mod flags;
mod fsdp2;
mod json;
mod keys;
mod llm;
pub(crate) mod mindspore;
pub(crate) mod names;
mod node;
mod notation;
mod outside;
mod rl;
mod section;
mod sections;
mod spelling;
mod switches;
mod torch_npu;
mod words;
mod writing;
mod yaml;

use serde::{Serialize, Serializer};

use crate::config::CollectConfig;
use crate::diagnostic::{Diagnostic, Severity};
use crate::explain::explain;

pub use notation::Notation;
pub use spelling::{Dialect, Setting};
pub use writing::{Writing, write, write_notation};

use detect::Found;
use node::Node;
use words::Word;

/// Who reads a configuration. Diagnostics say what becomes of a setting there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// The trainer or profiler that the configuration is written for.
    #[default]
    Trainer,
    /// The Python package, in its place.
    Npuscope,
}

impl Reader {
    /// The name of the reader, where the trainer or profiler has this one.
    const fn name(self, trainer: &'static str) -> &'static str {
        match self {
            Reader::Trainer => trainer,
            Reader::Npuscope => "npuscope",
        }
    }
}

/// What is known of the run that a configuration is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Steps that were done before the checkpoint this run begins from.
    pub iteration: u64,
    /// Steps of the whole training, those before the checkpoint included.
    pub total_steps: Option<u64>,
    pub world_size: Option<u32>,
    /// Kernels that one rank launches in one step, for the estimate of sizes.
    pub kernels_per_step: Option<u64>,
    pub reader: Reader,
}

impl Run {
    /// Steps that this run will make, if that is known.
    pub fn steps(&self) -> Option<u64> {
        self.total_steps.map(|total| total.saturating_sub(self.iteration))
    }
}

/// A configuration that was read from a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    pub config: CollectConfig,
    pub diagnostics: Vec<Diagnostic>,
    /// `None` where nothing was found; there is a diagnostic then, and the configuration is off.
    #[serde(serialize_with = "dialect_id")]
    pub dialect: Option<Dialect>,
    /// Which notation of the dialect was found.
    pub notation: Option<Notation>,
    /// Steps of the whole training: given by the caller, else by the text.
    pub total_steps: Option<u64>,
}

fn dialect_id<S: Serializer>(dialect: &Option<Dialect>, serializer: S) -> Result<S::Ok, S::Error> {
    dialect.map(Dialect::id).serialize(serializer)
}

impl Reading {
    /// Whether a run with this configuration would record nothing, as far as that is known.
    pub fn records_nothing(&self, run: &Run) -> bool {
        let run = Run { total_steps: self.total_steps, ..run.clone() };
        let explanation = explain(&self.config, &run);
        !explanation.enabled || explanation.recorded_steps == Some(0)
    }

    /// Whether the configuration asks for something impossible.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    fn of_nothing(dialect: Option<Dialect>, diagnostic: Diagnostic) -> Reading {
        let config = CollectConfig { enabled: false, ..CollectConfig::default() };
        Reading { config, diagnostics: vec![diagnostic], dialect, notation: None, total_steps: None }
    }
}

/// Reads a configuration: a trainer's whole file, of which only the profiler's part is looked at.
///
/// Without a dialect, it is detected from the text.
pub fn read(text: &str, dialect: Option<Dialect>, run: &Run) -> Reading {
    let (mut reading, diagnostics) = match detect::find(text, dialect) {
        Ok(Found::Words(notation, words, diagnostics)) => (read_words(notation, &words, run), diagnostics),
        Ok(Found::Tree(notation, node)) => (read_tree(notation, &node, run), Vec::new()),
        Err(diagnostic) => return Reading::of_nothing(dialect, diagnostic),
    };
    reading.diagnostics.extend(diagnostics);
    if let Some(notation) = reading.notation {
        reading.diagnostics.extend(sections::others(text, notation, dialect.is_some()));
    }
    reading.diagnostics = in_order(reading.diagnostics);
    reading
}

/// Reads `profiler_config.json`, which is torch_npu's or MindSpore's, as a job that watches it does.
pub fn read_dynamic(text: &str, run: &Run) -> Reading {
    match detect::find_dynamic(text) {
        Ok((notation, node)) => read_tree(notation, &node, run),
        Err(diagnostic) => Reading::of_nothing(None, diagnostic),
    }
}

/// Reads the profiler's flags among those of a trainer: MindSpeed-LLM's `--profile…` or FSDP2's `--training.profile…`.
pub fn read_flags(argv: &[String], run: &Run) -> Reading {
    let words: Vec<Word> = argv.iter().map(|text| Word { text: text.clone(), line: 0, begins: true }).collect();
    let notation = detect::notation_of_flags(&words).unwrap_or(Notation::LlmFlags);
    let mut reading = read_words(notation, &words, run);
    for diagnostic in &mut reading.diagnostics {
        diagnostic.line = None;
    }
    reading
}

fn read_words(notation: Notation, words: &[Word], run: &Run) -> Reading {
    let own_steps = match notation {
        Notation::Fsdp2Flags => fsdp2::train_steps_of_flags(words),
        _ => llm::train_steps(words),
    };
    reading(notation, run, own_steps, |run| match notation {
        Notation::Fsdp2Flags => fsdp2::read_flags(words, run),
        _ => llm::read(words, run),
    })
}

fn read_tree(notation: Notation, node: &Node, run: &Run) -> Reading {
    let own_steps = if notation == Notation::Fsdp2Yaml { fsdp2::train_steps(node) } else { None };
    reading(notation, run, own_steps, |run| match notation {
        Notation::RlYaml => rl::read(node, run),
        Notation::MindSporeArguments | Notation::MindSporeDynamic | Notation::MindSporeEnvironment => {
            mindspore::read(notation, node, run)
        }
        Notation::TorchNpuArguments | Notation::TorchNpuDynamic => torch_npu::read(notation, node, run),
        Notation::Fsdp2Yaml | Notation::Fsdp2Flags | Notation::LlmFlags => fsdp2::read(node, run),
    })
}

/// Reads for a run, whose number of steps may be in the same file.
fn reading(
    notation: Notation,
    run: &Run,
    own_steps: Option<u64>,
    read: impl FnOnce(&Run) -> (CollectConfig, Vec<Diagnostic>),
) -> Reading {
    let total_steps = run.total_steps.or(own_steps);
    let (config, diagnostics) = read(&Run { total_steps, ..run.clone() });
    Reading {
        config,
        diagnostics: in_order(diagnostics),
        dialect: Some(notation.dialect()),
        notation: Some(notation),
        total_steps,
    }
}

/// In the order of the file; diagnostics without a line come last.
fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| diagnostic.line.unwrap_or(usize::MAX));
    diagnostics
}
