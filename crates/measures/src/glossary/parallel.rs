//! Pipelines, experts and stages of reinforcement learning: how evenly ranks are loaded.

use super::{Section, Term};

pub(super) const SECTION: Section =
    Section { english_name: "Balance between ranks", chinese_name: "rank 间的均衡", terms: TERMS };

const TERMS: &[Term] = &[
    Term {
        key: "pipeline_bubble",
        english_name: "Bubble in the pipeline chart",
        chinese_name: "流水线图中的空泡",
        also: &[],
        unit: "ns",
        formula: "(receives + gaps between passes of a step) - union(kernels)",
        english: "A stretch in which a rank received or was between two passes of a step, and computed nothing. Unlike \
                  the bubble of a step it includes gaps in which nothing was received; stretches below 10 us are left out.",
        chinese: "某个 rank 正在接收或处于同一 step 的两次前/反向之间、且没有计算的一段时间。与 step 的空泡不同，\
                  它包含没有接收的间隙；小于 10 us 的不显示。",
        function: "npuscope_server::views::pipeline::bubbles",
    },
    Term {
        key: "tokens",
        english_name: "Tokens",
        chinese_name: "token 数",
        also: &["inputShapesSummary"],
        unit: "",
        formula: "sum over GroupedMatmul(first dimensions of the inputs but the last two)",
        english: "Tokens that the experts of a rank processed in the chosen steps.",
        chinese: "所选 step 中某个 rank 上的专家处理的 token 数。",
        function: "npuscope_analysis::cluster::recipes::ep_load_balance::tokens_of",
    },
    Term {
        key: "share_of_mean",
        english_name: "Of mean",
        chinese_name: "相对平均",
        also: &["maxByMean"],
        unit: "ratio",
        formula: "load of the rank / mean over the ranks of its expert group(load)",
        english: "How loaded a rank that holds experts is, compared with its expert group: by tokens, or by the time of \
                  grouped matrix products where layers are marked. 1 is even.",
        chinese: "持有专家的 rank 与其专家组相比的负载：按 token 数，或在标记了层时按 GroupedMatmul 的时间。1 表示均衡。",
        function: "npuscope_server::views::cluster::experts",
    },
    Term {
        key: "evenness",
        english_name: "Evenness",
        chinese_name: "均衡度",
        also: &[],
        unit: "ratio",
        formula: "sum over steps(mean over ranks(duration)) / sum over steps(max over ranks(duration))",
        english: "How evenly a stage of reinforcement learning runs on its ranks. 1 means that no rank waits.",
        chinese: "强化学习的某个阶段在各 rank 上的均衡程度。1 表示没有 rank 等待。",
        function: "npuscope_server::views::rl::Summary::evenness",
    },
    Term {
        key: "skew",
        english_name: "Longest / mean",
        chinese_name: "最长/平均",
        also: &["Skew"],
        unit: "ratio",
        formula: "1 / evenness",
        english: "How many times longer a stage of reinforcement learning takes on its slowest rank than on average.",
        chinese: "强化学习的某个阶段在最慢 rank 上的用时是平均用时的多少倍。",
        function: "npuscope_server::views::rl::stage_summary",
    },
    Term {
        key: "bubble_share",
        english_name: "Bubble of a stage",
        chinese_name: "阶段空泡占比",
        also: &[],
        unit: "ratio",
        formula: "1 - evenness",
        english: "Which share of the time of a stage of reinforcement learning its ranks wait for the slowest.",
        chinese: "强化学习的某个阶段中，各 rank 等待最慢 rank 的时间占比。",
        function: "npuscope_server::views::rl::stage_summary",
    },
];
