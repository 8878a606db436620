//! Numbers of a finding and of the diagnosis that it comes from.

use super::{Section, Term};

pub(super) const SECTION: Section =
    Section { english_name: "Findings and diagnosis", chinese_name: "诊断结论", has_numbers: true, terms: TERMS };

const TERMS: &[Term] = &[
    Term {
        key: "lost",
        english_name: "Lost per step",
        chinese_name: "每个 step 的损失",
        also: &["lost_ms", "cost"],
        unit: "ms",
        formula: "mean over affected steps(replayed step - replayed step without the cause)",
        english: "Time by which a step would be shorter without the cause: the job is replayed with the rank, host, \
                  stage or link made equal to comparable ones. Only steps that the cause affects count.",
        chinese: "消除某个原因后 step 会缩短的时间：把该 rank、主机、stage 或链路改为与可比对象相同，再重放作业。只计\
                  受影响的 step。",
        function: "npuscope_analysis::diagnose::finding",
    },
    Term {
        key: "step_without",
        english_name: "Step time if the findings were fixed",
        chinese_name: "原因消除后的 step 耗时",
        also: &["step_ms_without"],
        unit: "ms",
        formula: "job_step_time - mean over steps(replayed step - replayed step without all causes)",
        english: "Step time of the job if all findings of the diagnosis were fixed.",
        chinese: "消除全部诊断结论的原因后，作业的 step 耗时。",
        function: "npuscope_analysis::diagnose::of_traces",
    },
    Term {
        key: "share_of_step",
        english_name: "Share of step",
        chinese_name: "step 耗时占比",
        also: &["share_of_step_time"],
        unit: "ratio",
        formula: "lost / replayed step time of the affected steps",
        english: "Share of the step time that a finding costs, in the steps that it affects.",
        chinese: "某条诊断结论的损失在其影响的 step 中占 step 耗时的比例。",
        function: "npuscope_analysis::diagnose::finding",
    },
    Term {
        key: "confidence",
        english_name: "Confidence",
        chinese_name: "置信度",
        also: &["% sure"],
        unit: "ratio",
        formula: "share / (share + replay_error) * compared / (compared + 1)",
        english: "How certain a finding is, from 0 to 1. A cost that is no larger than the replay error, or a \
                  comparison with only one other, halves it. For findings that depend on the parallel layout it is \
                  multiplied by the confidence of the layout.",
        chinese: "诊断结论的可信程度，0 到 1。损失不大于重放误差，或只有一个可比对象时，置信度减半。依赖并行布局的诊断\
                  结论还要乘以布局的置信度。",
        function: "npuscope_analysis::diagnose::confidence",
    },
    Term {
        key: "replay_error",
        english_name: "Replay error",
        chinese_name: "重放误差",
        also: &["replay"],
        unit: "ratio",
        formula: "mean over steps(|replayed step - recorded step| / recorded step)",
        english: "Relative difference between the recorded step time and the step time of a replay of the job without \
                  changes.",
        chinese: "不作改动地重放作业时，重放的 step 耗时与实际记录的 step 耗时之间的相对误差。",
        function: "npuscope_analysis::diagnose::Base::of",
    },
    Term {
        key: "unmatched_operations",
        english_name: "Unmatched communication operations",
        chinese_name: "未匹配的通信算子",
        also: &[],
        unit: "",
        formula: "",
        english: "Number of communication operations in which no other rank of the profile takes part.",
        chinese: "在 profile 中找不到其他 rank 参与的通信算子个数。",
        function: "npuscope_analysis::diagnose::meetings::Meetings::of",
    },
    Term {
        key: "clock_offset",
        english_name: "Clock offset",
        chinese_name: "时钟偏移",
        also: &["offset_ns"],
        unit: "ns",
        formula: "median(end on this host - end on the first host) at the first moment",
        english: "Time by which the clock of a host is ahead of the clock of the first host. It is measured from \
                  collectives, which all ranks end at the same time, and times are corrected by it.",
        chinese: "某主机时钟比第一台主机快多少。各 rank 同时结束集合通信，由此得到偏移，并据此校正时间。",
        function: "npuscope_analysis::diagnose::clocks::align",
    },
    Term {
        key: "clock_drift",
        english_name: "Clock drift",
        chinese_name: "时钟漂移",
        also: &["drift_ppm"],
        unit: "ppm",
        formula: "slope of the differences over time",
        english: "Rate by which the clock of a host runs faster than the clock of the first host, in parts per \
                  million.",
        chinese: "某主机时钟比第一台主机走得快多少，单位百万分之一。",
        function: "npuscope_analysis::diagnose::clocks::align",
    },
    Term {
        key: "clock_residual",
        english_name: "Clock residual",
        chinese_name: "时钟残差",
        also: &["residual_ns", "aligned to"],
        unit: "ns",
        formula: "median(|difference - (clock_offset + clock_drift * time)|)",
        english: "Difference that remains between two clocks after they are aligned.",
        chinese: "两个时钟对齐之后剩余的差值。",
        function: "npuscope_analysis::diagnose::clocks::align",
    },
];
