//! Pipelines, experts and stages of reinforcement learning: how evenly ranks are loaded.

use super::{Section, Term};

pub(super) const SECTION: Section =
    Section {
        english_name: "Balance between ranks", chinese_name: "rank 间的均衡", has_numbers: true, terms: TERMS
    };

const TERMS: &[Term] = &[
    Term {
        key: "pipeline_idle",
        english_name: "Idle between passes",
        chinese_name: "前反向之间的空闲",
        also: &[],
        unit: "ns",
        formula: "gaps between passes of a step - union(kernels) - bubble",
        english: "Time between two passes of a step in which a pipeline stage neither computed nor received. The \
                  chart omits intervals below 10 us.",
        chinese: "同一 step 中相邻的前向或反向之间，流水线 stage 既未计算也未接收的一段时间。图中不显示小于 10 us 的时间段。",
        function: "npuscope_analysis::pipeline::bars",
    },
    Term {
        key: "tokens",
        english_name: "Tokens",
        chinese_name: "token 数",
        also: &["inputShapesSummary"],
        unit: "",
        formula: "sum over GroupedMatmul(first dimensions of the inputs but the last two)",
        english: "Number of tokens that the experts of a rank processed in the selected steps.",
        chinese: "所选 step 中某个 rank 上的专家处理的 token 数。",
        function: "npuscope_analysis::cluster::recipes::ep_load_balance::tokens_of",
    },
    Term {
        key: "share_of_mean",
        english_name: "Load / mean",
        chinese_name: "负载/平均",
        also: &["Of mean", "maxByMean"],
        unit: "ratio",
        formula: "load of the rank / mean over the ranks of its expert group(load)",
        english: "Load of a rank that holds experts, relative to the mean of its expert group: by tokens, or by the \
                  time of grouped matrix products where layers are marked. 1 means balanced.",
        chinese: "持有专家的 rank 的负载与其专家组平均负载之比：按 token 数，或在标记了层时按 GroupedMatmul 的时间。1 \
                  表示均衡。",
        function: "npuscope_analysis::experts::shares_of_mean",
    },
    Term {
        key: "evenness",
        english_name: "Evenness",
        chinese_name: "均衡度",
        also: &[],
        unit: "ratio",
        formula: "sum over steps(mean over ranks(duration)) / sum over steps(max over ranks(duration))",
        english: "Balance of a stage of reinforcement learning across its ranks. 1 means that no rank waits.",
        chinese: "强化学习的某个阶段在各 rank 上的均衡程度。1 表示没有 rank 等待。",
        function: "npuscope_analysis::rl_stages::Summary::evenness",
    },
    Term {
        key: "skew",
        english_name: "Longest / mean",
        chinese_name: "最长/平均",
        also: &["Skew"],
        unit: "ratio",
        formula: "1 / evenness",
        english: "Duration of a stage of reinforcement learning on its slowest rank, divided by the mean over its \
                  ranks.",
        chinese: "强化学习的某个阶段在最慢 rank 上的时长与各 rank 平均时长之比。",
        function: "npuscope_analysis::rl_stages::Summary::skew",
    },
    Term {
        key: "bubble_share",
        english_name: "Waiting share",
        chinese_name: "阶段等待占比",
        also: &[],
        unit: "ratio",
        formula: "1 - evenness",
        english: "Share of the time of a stage of reinforcement learning in which its ranks wait for the slowest rank.",
        chinese: "强化学习的某个阶段中，各 rank 等待最慢 rank 的时间占比。",
        function: "npuscope_analysis::rl_stages::Summary::bubble_share",
    },
];
