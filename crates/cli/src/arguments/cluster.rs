//! Arguments of `npuscope cluster`: those of msprof-analyze.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use npuscope_analysis::cluster::{self, Export, Options};
use npuscope_tables::Rank;

use super::choice::ChoiceArguments;
use crate::commands::cluster::ClusterOptions;
use crate::rank_list::RankList;

/// Summarize all ranks of a job (msprof-analyze's cluster modes, corrected)
///
/// Accepts the options of msprof-analyze and writes files with the same names. Values follow npuscope's definitions and
/// do not depend on the format of the profile; --compat reproduces the values of msprof-analyze 26.2 instead. The word
/// `cluster` may be omitted if -d is given. Ranks that cannot be read are reported and skipped.
#[derive(Debug, Args)]
#[command(after_help = cluster_help())]
pub struct ClusterCommand {
    /// Profile: a directory with the ranks of a job
    #[arg(long = "profiling_path", short = 'd', visible_alias = "profiling-path", value_name = "DIR")]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Mode to run, from the list below
    #[arg(long, short, value_name = "MODE", default_value = "all", hide_possible_values = true)]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(cluster::modes().iter().map(|mode| mode.name)))]
    pub mode: String,
    /// Write cluster_analysis_output into directory DIR [default: the current directory]
    #[arg(long = "output_path", short, visible_alias = "output-path", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    /// Output format [default: db; text for `all` and the communication modes on text profiles]
    #[arg(long = "export_type", visible_alias = "export-type", value_enum, value_name = "FORMAT")]
    pub export: Option<ClusterExport>,
    /// Ranks to analyse, for example 0,3-7 [default: all]
    #[arg(long = "rank_list", visible_alias = "rank-list", value_name = "LIST", value_parser = RankList::parse_or_all)]
    pub ranks: Option<RankList>,
    /// Step to analyse; -1 for all
    #[arg(long = "step_id", visible_alias = "step-id", alias = "step", value_name = "N", default_value_t = -1, allow_hyphen_values = true)]
    pub step: i64,
    /// Reproduce the values of msprof-analyze 26.2, including its known errors
    #[arg(long)]
    pub compat: bool,
    /// Print one line of JSON, for programs, instead of text
    #[arg(long)]
    pub agent: bool,
    /// Fail if any data cannot be read, instead of continuing without it
    #[arg(long)]
    pub strict: bool,
    /// Accepted for compatibility; ignored (npuscope does not check owners and permissions of files)
    #[arg(long)]
    pub force: bool,
    /// Accepted for compatibility; ignored
    #[arg(long = "parallel_mode", hide = true, value_name = "MODE")]
    pub parallel_mode: Option<String>,
    /// Maximum number of rows in a ranking [default: depends on the mode]
    #[arg(long = "top_num", visible_alias = "top-num", value_name = "N")]
    pub top_num: Option<usize>,
    /// Omit the statistics by operator name (mode compute_op_sum)
    #[arg(long = "exclude_op_name", visible_alias = "exclude-op-name")]
    pub exclude_op_name: bool,
    /// Profile to compare with (modes cluster_time_compare_summary and cluster_compare_baseline)
    #[arg(long = "bp", visible_alias = "baseline", value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub baseline: Option<PathBuf>,
    /// GPU profile to compare with: an Nsight Systems export in SQLite format, or a trace of PyTorch's profiler (mode
    /// calibrate_npu_gpu)
    #[arg(long = "baseline_profiling_path", visible_alias = "baseline-profiling-path", value_name = "FILE")]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub baseline_profile: Option<PathBuf>,
    /// Minimum similarity of two module names that match, from 0 to 1 [default: 0.8] (mode calibrate_npu_gpu)
    #[arg(long = "fuzzy_threshold", visible_alias = "fuzzy-threshold", value_name = "SIMILARITY")]
    pub fuzzy_threshold: Option<f64>,
    /// Also write the NPU and GPU tables that are compared (mode calibrate_npu_gpu)
    #[arg(long = "dump_intermediate_results", visible_alias = "dump-intermediate-results")]
    pub dump_intermediate_results: bool,
    /// Sets of group types to analyse, for example `dp;edp,ep`: a comma joins types, a semicolon separates sets (mode
    /// computational_op_masking)
    #[arg(long = "parallel_types", visible_alias = "parallel-types", value_name = "TYPES")]
    pub parallel_types: Option<String>,
    /// Rank whose longest collectives are analyzed [default: 0] (mode communication_bottleneck)
    #[arg(long = "rank_id", visible_alias = "rank-id", value_name = "RANK")]
    pub rank_id: Option<Rank>,
    /// Nominal AI Core frequency in MHz [default: the most common maximum frequency among the ranks] (mode freq_analysis)
    #[arg(long = "nominal_frequency", visible_alias = "nominal-frequency", value_name = "MHZ")]
    pub nominal_frequency: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClusterExport {
    /// Tables in cluster_analysis.db
    Db,
    /// csv files and a Jupyter notebook
    Notebook,
    /// csv, json and xlsx files
    Text,
}

impl From<ClusterExport> for Export {
    fn from(export: ClusterExport) -> Export {
        match export {
            ClusterExport::Db => Export::Db,
            ClusterExport::Notebook => Export::Notebook,
            ClusterExport::Text => Export::Text,
        }
    }
}

impl From<ClusterCommand> for ClusterOptions {
    fn from(command: ClusterCommand) -> ClusterOptions {
        ClusterOptions {
            path: command.path,
            mode: command.mode,
            output: command.output,
            ranks: command.ranks,
            agent: command.agent,
            strict: command.strict,
            question: Options {
                compat: command.compat,
                export: command.export.map(Into::into),
                step: Some(command.step).filter(|step| *step >= 0),
                top_num: command.top_num,
                exclude_op_name: command.exclude_op_name,
                baseline: command.baseline,
                baseline_profile: command.baseline_profile,
                fuzzy_threshold: command.fuzzy_threshold,
                dump_intermediate_results: command.dump_intermediate_results,
                parallel_types: command.parallel_types,
                rank_id: command.rank_id,
                nominal_frequency: command.nominal_frequency,
            },
        }
    }
}

/// Examples and the list of modes.
fn cluster_help() -> String {
    let mut help = "Examples:
  npuscope cluster -d DIR -o OUT
  npuscope -d DIR -m slow_rank --export_type text -o OUT
  npuscope cluster -d DIR -m cann_api_sum --rank_list 0,3-7 --step_id 11 -o OUT

Modes:
"
    .to_owned();
    for mode in cluster::modes() {
        help.push_str(&format!("  {:<30} {}\n", mode.name, mode.about));
    }
    help.truncate(help.trim_end().len());
    help
}
