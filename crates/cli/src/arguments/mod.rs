//! The command line's words.

mod config;
pub mod dynamic;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use npuscope_analysis::cluster;
use npuscope_synth::{Fault, FaultKind, Place};

use self::dynamic::DynamicCommand;
use crate::time_range::TimeRange;

pub use config::{
    ConfigAction, ConfigCheckCommand, ConfigCommand, ConfigConvertCommand, ConfigExplainCommand, ConfigSource,
    SourceStyle, TargetStyle,
};

/// See why a training step is slow: profiles of Ascend NPUs as tables, questions as queries.
#[derive(Debug, Parser)]
#[command(name = "npuscope", bin_name = "npuscope", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "A profile is a directory that torch_npu, MindSpore or msprof wrote, or one with many of them.
Start with:  npuscope doctor DIR   then:  npuscope diagnose DIR")]
pub struct Arguments {
    #[command(flatten)]
    pub global: GlobalArguments,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct GlobalArguments {
    /// Directory for caches of profiles that were read [default: NPUSCOPE_CACHE_DIR, or the user's
    /// cache directory]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cache_dir: Option<PathBuf>,
    /// Neither read nor write the cache; ranks that are read stay in memory until the command ends [default:
    /// NPUSCOPE_NO_CACHE]
    #[arg(long, global = true)]
    pub no_cache: bool,
    /// Threads for reading and querying [default: NPUSCOPE_THREADS, or all]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
    /// When to use colours and progress bars
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Doctor(DoctorCommand),
    Info(InfoCommand),
    Diagnose(DiagnoseCommand),
    Cluster(ClusterCommand),
    View(ViewCommand),
    Report(ReportCommand),
    Sql(SqlCommand),
    Convert(ConvertCommand),
    Parse(ParseCommand),
    Config(ConfigCommand),
    Dynamic(DynamicCommand),
    Synth(SynthCommand),
    Completion(CompletionCommand),
    Man(ManCommand),
}

/// What is in a profile, what is missing, and which setting would have collected it
///
/// Reads every rank and reports its files, profiler level, versions, steps, time window, rows per table,
/// problems met while reading, and, for everything that was not collected, the exact setting to turn on
/// in MindSpeed-LLM, FSDP2, MindSpeed-RL, MindSpore and torch_npu.
#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// How to print the report; json has every rank, file and lane
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    pub format: ReportFormat,
    /// Fail if anything could not be read
    #[arg(long)]
    pub strict: bool,
}

/// How long steps took, where the time went, and which rank stands out
#[derive(Debug, Args)]
pub struct InfoCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// How to print the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    pub format: ReportFormat,
    /// Fail if anything could not be read, instead of answering from the rest
    #[arg(long)]
    pub strict: bool,
    /// Exit with 1 if there is a finding of this severity or above
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

/// Who is slow, why, and what it costs
///
/// Aligns the clocks of hosts by the communications that ranks take part in together, works out what had to wait for
/// what, and replays the job without each rank, host, stage or link that differs from its like: what a step is shorter
/// by then is what it costs. Ranks that wait for others are never blamed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope diagnose DIR
  npuscope diagnose DIR --format json --fail-on warning")]
pub struct DiagnoseCommand {
    /// Profile: a directory with the ranks of a job
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// How to print the report; json has the evidence in full
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    pub format: ReportFormat,
    /// Exit with 1 if there is a finding of this severity or above
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

/// Show a profile in the browser: findings, timeline, operators, memory, communication, cluster
///
/// Serves the profile to the browser of whoever started it: the address that is printed has a token without which
/// nobody is answered. Ranks are read when they are looked at.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope view DIR
  npuscope view DIR --no-open --port 8080      on a server, with ssh -L 8080:127.0.0.1:8080")]
pub struct ViewCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Port to listen at; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Address to listen at; any but this machine's own needs --token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// Token to ask for [default: a new one each time]
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// End when nobody has asked for so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub idle_timeout: Option<u64>,
    /// Directory with pages to show instead of those in the program
    #[arg(long, value_name = "DIR", hide = true)]
    pub pages: Option<PathBuf>,
}

/// Write what the viewer shows into one file, to be mailed or kept
///
/// The file opens in any browser, without npuscope and without a network: findings first, then the tables of all pages
/// and the timelines of some ranks, as fine as there is room for.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope report DIR -o report.html
  npuscope report DIR -o report.html --ranks 0,5 --steps 3,4")]
pub struct ReportCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// File to write
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Ranks whose timelines to keep, for example 0,3-7 [default: those that findings show]
    #[arg(long, visible_alias = "rank", value_name = "LIST", value_parser = parse_ranks)]
    pub ranks: Option<RankList>,
    /// Steps to keep the tables of one by one, for example 3,4 [default: all steps together]
    #[arg(long, visible_alias = "step", value_name = "LIST", value_delimiter = ',')]
    pub steps: Vec<i64>,
}

/// All ranks of a job in one table: what msprof-analyze's `cluster` gives, right
///
/// Takes the options of msprof-analyze and writes files under its names. Figures follow their definitions, and are the
/// same for text and databases of one job; --compat gives those of msprof-analyze 26.2 instead. `cluster` may be left
/// out where -d is given. A rank that cannot be read is left out and named.
#[derive(Debug, Args)]
#[command(after_help = cluster_help())]
pub struct ClusterCommand {
    /// Profile: a directory with the ranks of a job
    #[arg(long = "profiling_path", short = 'd', visible_alias = "profiling-path", value_name = "DIR")]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// What to ask, as listed below
    #[arg(long, short, value_name = "MODE", default_value = "all", hide_possible_values = true)]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(cluster::modes().iter().map(|mode| mode.name)))]
    pub mode: String,
    /// Directory to put cluster_analysis_output into [default: the current directory]
    #[arg(long = "output_path", short, visible_alias = "output-path", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    /// What to write [default: db; files for `all` and the communication modes on text profiles]
    #[arg(long = "export_type", visible_alias = "export-type", value_enum, value_name = "FORM")]
    pub export: Option<ClusterExport>,
    /// Ranks to look at, for example 0,3-7 [default: all]
    #[arg(long = "rank_list", visible_alias = "rank-list", value_name = "LIST", value_parser = parse_rank_list)]
    pub ranks: Option<RankList>,
    /// Step to look at; -1 for all
    #[arg(long = "step_id", visible_alias = "step-id", value_name = "N", default_value_t = -1, allow_hyphen_values = true)]
    pub step: i64,
    /// Figures of msprof-analyze 26.2, its defects included
    #[arg(long)]
    pub compat: bool,
    /// Print one line of JSON for programs in place of text
    #[arg(long)]
    pub agent: bool,
    /// Fail if anything could not be read, instead of answering from the rest
    #[arg(long)]
    pub strict: bool,
    /// Taken for msprof-analyze's sake: it skips checks of owners and permissions, which npuscope does not make
    #[arg(long)]
    pub force: bool,
    /// Taken for msprof-analyze's sake
    #[arg(long = "parallel_mode", hide = true, value_name = "MODE")]
    pub parallel_mode: Option<String>,
    /// Rows of a ranking
    #[arg(long = "top_num", visible_alias = "top-num", value_name = "N")]
    pub top_num: Option<usize>,
    /// compute_op_sum: do not tell operators of one type apart
    #[arg(long = "exclude_op_name", visible_alias = "exclude-op-name")]
    pub exclude_op_name: bool,
    /// cluster_time_compare_summary, cluster_compare_baseline: profile to compare with
    #[arg(long = "bp", visible_alias = "baseline", value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub baseline: Option<PathBuf>,
    /// calibrate_npu_gpu: profile of the GPU, an Nsight Systems export or a trace of PyTorch's profiler
    #[arg(long = "baseline_profiling_path", visible_alias = "baseline-profiling-path", value_name = "FILE")]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub baseline_profile: Option<PathBuf>,
    /// calibrate_npu_gpu: how alike names of modules must be, 0 to 1
    #[arg(long = "fuzzy_threshold", visible_alias = "fuzzy-threshold", value_name = "SHARE")]
    pub fuzzy_threshold: Option<f64>,
    /// calibrate_npu_gpu: write what is compared, too
    #[arg(long = "dump_intermediate_results", visible_alias = "dump-intermediate-results")]
    pub dump_intermediate_results: bool,
    /// computational_op_masking: kinds of groups, for example `dp;edp,ep`
    #[arg(long = "parallel_types", visible_alias = "parallel-types", value_name = "KINDS")]
    pub parallel_types: Option<String>,
    /// communication_bottleneck: rank to begin with
    #[arg(long = "rank_id", visible_alias = "rank-id", value_name = "RANK")]
    pub rank_id: Option<i64>,
    /// freq_analysis: frequency that AI Cores should have, in MHz
    #[arg(long = "nominal_frequency", visible_alias = "nominal-frequency", value_name = "MHZ")]
    pub nominal_frequency: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClusterExport {
    /// Tables of cluster_analysis.db
    Db,
    /// csv files and a Jupyter notebook
    Notebook,
    /// csv, json and xlsx files
    Text,
}

/// Examples, and the modes there are.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Info,
    Warning,
    Critical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Text,
    Json,
}

/// Ask a profile a question in SQL
///
/// Every table has the columns that `\d TABLE` lists, and `rank`. Times are nanoseconds since the epoch,
/// durations nanoseconds, sizes bytes.
#[derive(Debug, Args)]
#[command(after_help = r"Examples:
  npuscope sql DIR '\tables'
  npuscope sql DIR '\d kernel'
  npuscope sql DIR 'SELECT op_type, count(*), sum(duration) / 1e6 AS ms FROM kernel GROUP BY 1 ORDER BY 3 DESC LIMIT 10'
  npuscope sql DIR 'SELECT * FROM comm_op' --format parquet -o comm_op.parquet
  echo 'SELECT count(*) FROM task' | npuscope sql DIR -")]
pub struct SqlCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Query; `\tables` lists the tables, `\d TABLE` the columns of one, `-` reads the query from stdin
    pub query: String,
    /// How to print the result [default: as the ending of the output file says, else table]
    #[arg(long, value_enum, value_name = "FORM")]
    pub format: Option<ResultFormat>,
    /// Write the result into a file
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Rows to print as a table; files and the other forms always have all
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_rows: usize,
    /// Memory the query may use before it spills to disk, for example 4GB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<usize>,
    /// Directory to spill to [default: the system's temporary directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub spill_dir: Option<PathBuf>,
    /// Fail if anything could not be read, instead of answering from the rest
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
    Table,
    Csv,
    /// An array of objects
    Json,
    Parquet,
    /// Arrow IPC stream
    Arrow,
}

/// Write a profile in another form
///
/// text and db give the deliverables that torch_npu or MindSpore would have written, one directory per
/// rank; parquet gives one directory per table with one file per rank; perfetto gives one trace of all
/// ranks for ui.perfetto.dev, with every slice on it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope convert DIR --to db -o OUT
  npuscope convert DIR --to perfetto -o job.perfetto-trace
  npuscope convert DIR --to perfetto -o step.pftrace --ranks 0,5 --range step:12
  npuscope convert DIR --to perfetto -o window.pftrace --range 1.5s..2.25s")]
pub struct ConvertCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Form to write
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: TargetFormat,
    /// Directory to write into; created if need be. For perfetto also a file that ends in
    /// .perfetto-trace or .pftrace; in a directory it is profile.perfetto-trace
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    pub output: PathBuf,
    /// Ranks to write, for example 0,3-7 [default: all]
    #[arg(long, visible_alias = "rank", value_name = "LIST", value_parser = parse_ranks)]
    pub ranks: Option<RankList>,
    /// For perfetto: only what intersects a window of time, such as 1.5s..2.25s or 100ms..200ms from the
    /// first event of the profile, step:12, step:12..14, or nanoseconds since the epoch [default: all]
    #[arg(long, value_name = "WINDOW")]
    pub range: Option<TimeRange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetFormat {
    Text,
    Db,
    Parquet,
    Perfetto,
}

/// Turn raw data into deliverables, beside it
///
/// Finds every directory that a recorder or a profiler left raw, with FRAMEWORK in it, and writes ASCEND_PROFILER_OUTPUT
/// there: text, a database or both, as the recording asked for. The other commands open raw directories too; parse is
/// for tools that want the files, and for opening large ones quickly. A directory that is broken is told, and the others
/// go on.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope parse DIR
  npuscope parse DIR --export both
  npuscope parse DIR --force                   again, with what was there replaced")]
pub struct ParseCommand {
    /// A raw directory, or one with many of them below
    #[arg(value_hint = ValueHint::DirPath)]
    pub path: PathBuf,
    /// What to write [default: what the recording asked for, else text]
    #[arg(long, value_enum, value_name = "FORM")]
    pub export: Option<ParseExport>,
    /// Parse directories that have deliverables already
    #[arg(long)]
    pub force: bool,
    /// Fail if any directory could not be parsed
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParseExport {
    /// trace_view.json, csv and json files
    Text,
    /// A database
    Db,
    Both,
}

/// Simulate a training job and write its profile
///
/// A decoder-only transformer on a TP x PP x DP x CP x EP layout: hosts launch, devices compute, ranks meet
/// in communications and wait for the slowest. The same options give the same bytes on every machine.
/// ground_truth.json tells what is true of the job: how long each step took, and for every fault where it
/// is and what it costs, found by running the same job without it.
///
/// A scenario file is TOML with the fields of the job, for example `preset = "llama-7b"`, `pp = 4`,
/// `faults = ["slow-rank@3:1.4"]`; ground_truth.json lists all of them. A folder of such files is a suite:
/// each job goes into a directory named after its file.
#[derive(Debug, Args)]
#[command(after_help = synth_help())]
pub struct SynthCommand {
    /// Directory to write into; must be empty or new
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Scenario file, or folder of them; options change what it says
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub scenario: Option<PathBuf>,
    /// Model to begin with: small, llama-7b, qwen-72b or deepseek-moe
    #[arg(long, value_name = "NAME", conflicts_with = "scenario")]
    pub preset: Option<String>,
    /// Something that goes wrong, as listed below; may be given several times
    #[arg(long = "fault", value_name = "FAULT")]
    pub faults: Vec<Fault>,
    /// Tensor-parallel size
    #[arg(long, value_name = "N")]
    pub tp: Option<usize>,
    /// Pipeline-parallel size
    #[arg(long, value_name = "N")]
    pub pp: Option<usize>,
    /// Data-parallel size
    #[arg(long, value_name = "N")]
    pub dp: Option<usize>,
    /// Context-parallel size
    #[arg(long, value_name = "N")]
    pub cp: Option<usize>,
    /// Expert-parallel size
    #[arg(long, value_name = "N")]
    pub ep: Option<usize>,
    /// Transformer layers
    #[arg(long, value_name = "N")]
    pub layers: Option<usize>,
    /// Hidden size
    #[arg(long, value_name = "N")]
    pub hidden: Option<u64>,
    /// Sequence length
    #[arg(long, value_name = "N")]
    pub sequence: Option<u64>,
    /// Micro-batches per step
    #[arg(long, value_name = "N")]
    pub micro_batches: Option<usize>,
    /// Pieces of the model on each stage; more than 1 is an interleaved pipeline
    #[arg(long, value_name = "N")]
    pub virtual_stages: Option<usize>,
    /// Steps
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// NPUs of a host
    #[arg(long, value_name = "N")]
    pub devices_per_host: Option<usize>,
    /// Steps of reinforcement learning: generation, log probabilities, update
    #[arg(long)]
    pub rl: bool,
    /// How much the profiler records
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub level: Option<SynthLevel>,
    /// Number that all noise comes from
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Form to write
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    pub form: SynthForm,
    /// Framework whose habits the files follow
    #[arg(long, value_enum, value_name = "FRAMEWORK")]
    pub flavour: Option<SynthFlavour>,
}

/// Examples, and the faults there are.
fn synth_help() -> String {
    let mut help = "Examples:
  npuscope synth -o demo --fault slow-rank@5:1.3 && npuscope info demo
  npuscope synth -o moe --preset deepseek-moe --fault experts@2 --fault gc@0:50,steps=11..12
  npuscope synth -o suite --scenario scenarios/

Faults, KIND@PLACE[:STRENGTH][,steps=FIRST..LAST]:
"
    .to_owned();
    for kind in FaultKind::ALL {
        let place = match kind.place() {
            Place::Rank => "RANK",
            Place::Host => "HOST",
            Place::Stage => "STAGE",
            Place::Link => "RANK-RANK",
        };
        let form = format!("{}@{place}", kind.name());
        let (summary, strength, unit) = (kind.summary().trim(), kind.default_strength(), kind.unit());
        help.push_str(&format!("  {form:<24} {summary} [{strength} {unit}]\n"));
    }
    help.truncate(help.trim_end().len());
    help
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SynthLevel {
    None,
    Level0,
    Level1,
    Level2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SynthForm {
    Text,
    Db,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SynthFlavour {
    TorchNpu,
    Mindspore,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope completion bash > ~/.local/share/bash-completion/completions/npuscope
  npuscope completion zsh > ~/.zfunc/_npuscope
  npuscope completion fish > ~/.config/fish/completions/npuscope.fish")]
pub struct CompletionCommand {
    /// Shell to print it for
    pub shell: Shell,
}

/// Write the manual pages, one per command
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct ManCommand {
    /// Directory to write into; created if need be
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
}

const ALL_RANKS: (i64, i64) = (0, i64::MAX);

/// Ranks given as numbers and ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankList(Vec<(i64, i64)>);

impl RankList {
    pub fn contains(&self, rank: i64) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&rank))
    }

    /// Whether it is `all`.
    pub fn is_all(&self) -> bool {
        self.0 == [ALL_RANKS]
    }

    /// Every rank there is in it, in order; `None` where they are too many, or are no ranks.
    pub fn expanded(&self, limit: usize) -> Option<Vec<u32>> {
        let mut ranks = Vec::new();
        for &(first, last) in &self.0 {
            let (first, last) = (u32::try_from(first).ok()?, u32::try_from(last).ok()?);
            ranks.extend((first..=last).take(limit.saturating_add(1)));
            if ranks.len() > limit {
                return None;
            }
        }
        ranks.sort_unstable();
        ranks.dedup();
        Some(ranks)
    }

    /// The numbers that were given one by one.
    pub fn numbers(&self) -> impl Iterator<Item = i64> + '_ {
        self.0.iter().filter(|(first, last)| first == last).map(|(first, _)| *first)
    }
}

/// As [`parse_ranks`], or `all`.
fn parse_rank_list(text: &str) -> Result<RankList, String> {
    if text == "all" { Ok(RankList(vec![ALL_RANKS])) } else { parse_ranks(text) }
}

fn parse_ranks(text: &str) -> Result<RankList, String> {
    let part = |part: &str| -> Option<(i64, i64)> {
        match part.trim().split_once('-') {
            Some((first, last)) => Some((first.parse().ok()?, last.parse().ok()?)),
            None => part.trim().parse().ok().map(|rank| (rank, rank)),
        }
    };
    let parts: Option<Vec<_>> = text.split(',').map(part).collect();
    parts.map(RankList).ok_or_else(|| "expected numbers and ranges such as 0,3-7".to_owned())
}

/// A size such as 512MB or 4GB; a bare number is bytes.
fn parse_size(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default().to_ascii_uppercase();
    let shift = match unit.as_str() {
        "" | "B" => 0,
        "K" | "KB" => 10,
        "M" | "MB" => 20,
        "G" | "GB" => 30,
        "T" | "TB" => 40,
        _ => return Err("expected a size such as 512MB or 4GB".to_owned()),
    };
    let number: usize = digits.trim().parse().map_err(|_| "expected a size such as 512MB or 4GB".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than this machine can address".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn ranks_and_sizes_read_as_they_are_written() {
        let ranks = parse_ranks("0, 3-5").unwrap();
        assert!([0, 3, 4, 5].iter().all(|&r| ranks.contains(r)) && !ranks.contains(1));
        assert!(parse_ranks("a").is_err());
        assert_eq!(parse_size("4GB"), Ok(4 << 30));
        assert_eq!(parse_size("1024"), Ok(1024));
        assert!(parse_size("4 apples").is_err());
    }
}
