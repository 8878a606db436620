//! What the words for numbers mean, in both languages: the text of `npuscope glossary`, of docs/glossary and of the
//! tooltips of the pages.

/// A number that users see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The name in tables, JSON and pages, without a unit.
    pub key: &'static str,
    /// Names that mean the same, among them the columns of the files that users know.
    pub also: &'static [&'static str],
    pub unit: &'static str,
    pub english: &'static str,
    pub chinese: &'static str,
    /// The function that computes it.
    pub function: &'static str,
}

impl Term {
    /// The term with this key, or that goes by this name; capitals and the signs between words do not matter.
    pub fn find(name: &str) -> Option<&'static Term> {
        let name = plain(name);
        let is_called = |term: &&Term| plain(term.key) == name || term.also.iter().any(|also| plain(also) == name);
        TERMS.iter().find(is_called)
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// In the order in which a newcomer would ask.
pub const TERMS: &[Term] = &[
    Term {
        key: "step_time",
        also: &["step", "step_ms", "stepTime", "Step Time(us)"],
        unit: "ns",
        english: "How long a training step took on a rank: from the beginning to the end of its marker on the host \
                  (ProfilerStep#12, MindSpore's step). Without markers: the device time; `clock` says which.",
        chinese: "一个 step 在某个 rank 上的耗时：从主机侧 step 标记（ProfilerStep#12 或 MindSpore 的 step）开始到结束。\
                  没有标记时取设备时间；`clock` 字段说明取自哪一侧。",
        function: "npuscope_measures::step::Step::time",
    },
    Term {
        key: "job_step_time",
        also: &["ms per step"],
        unit: "ns",
        english: "How long a step of the job took: the mean over its steps of the longest step time of any rank.",
        chinese: "整个作业的 step 耗时：对每个 step 取各 rank 中最长的 step 耗时，再对所有 step 求平均。",
        function: "npuscope_analysis::job_step::job_step_time",
    },
    Term {
        key: "device_time",
        also: &["device", "device_ms"],
        unit: "ns",
        english: "How long a step took on the device: from the first work that it launched to the first work that the \
                  next step launched; the last step ends with its last work, or with its marker if that is later. \
                  device time = computing + exposed communication + free.",
        chinese: "一个 step 在设备上的耗时：从该 step 下发的第一个任务开始，到下一个 step 下发的第一个任务开始为止；\
                  最后一个 step 到其最后一个任务结束（若主机标记结束更晚，则到标记结束）。\
                  设备时间 = 计算 + 未掩盖通信 + 空闲。",
        function: "npuscope_measures::step::DeviceTime::time",
    },
    Term {
        key: "computing",
        also: &["computing_ms", "Computing", "computation", "Computation(us)"],
        unit: "ns",
        english: "Time within the device time in which any kernel computed. Kernels that run at once count once.",
        chinese: "设备时间内至少有一个计算 kernel 在运行的时间；同时运行的 kernel 只计一次。",
        function: "npuscope_measures::step::DeviceTime::computing",
    },
    Term {
        key: "communication",
        also: &["Communication", "Communication(us)"],
        unit: "ns",
        english: "Time within the device time in which any communication operation ran.",
        chinese: "设备时间内至少有一个通信算子在运行的时间。",
        function: "npuscope_measures::step::DeviceTime::communication",
    },
    Term {
        key: "exposed_communication",
        also: &[
            "exposed",
            "exposed comm.",
            "exposed_communication_ms",
            "Communication(Not Overlapped)",
            "communication_not_overlapped",
            "communicationNotOverlapComputation",
        ],
        unit: "ns",
        english: "Time within the device time in which a communication operation ran and no kernel computed.",
        chinese: "未掩盖通信：设备时间内有通信算子在运行、且没有计算 kernel 在运行的时间。",
        function: "npuscope_measures::step::DeviceTime::exposed",
    },
    Term {
        key: "overlapped",
        also: &["Overlapped", "communicationOverlapComputation"],
        unit: "ns",
        english: "Communication that computing hides: communication - exposed communication.",
        chinese: "被计算掩盖的通信：通信 - 未掩盖通信。",
        function: "npuscope_measures::step::DeviceTime::overlapped",
    },
    Term {
        key: "free",
        also: &["free_ms", "Free", "Free(us)"],
        unit: "ns",
        english: "Time within the device time in which nothing computed or communicated, time up to the next step \
                  included: device time - computing - exposed communication.",
        chinese: "空闲：设备时间内既无计算也无通信的时间，包含到下一个 step 为止的间隙：设备时间 - 计算 - 未掩盖通信。",
        function: "npuscope_measures::step::DeviceTime::free",
    },
    Term {
        key: "bubble",
        also: &["Bubble"],
        unit: "ns",
        english: "Time within the device time in which a receive, or a batch of sends and receives, ran and no kernel \
                  computed: a pipeline stage waiting for another.",
        chinese: "流水线气泡：设备时间内有接收（或批量收发）在运行、且没有计算 kernel 在运行的时间，即某个 stage 在等待其他 stage。",
        function: "npuscope_measures::step::DeviceTime::bubble",
    },
    Term {
        key: "stage",
        also: &["Stage"],
        unit: "ns",
        english: "Device time - bubble.",
        chinese: "设备时间 - 流水线气泡。",
        function: "npuscope_measures::step::DeviceTime::stage",
    },
    Term {
        key: "p2p_time",
        also: &["point_to_point", "point-to-point time"],
        unit: "ns",
        english: "Time within the device time in which any send, receive or batch of them ran.",
        chinese: "点对点通信时间：设备时间内至少有一个发送、接收或批量收发在运行的时间。",
        function: "npuscope_measures::step::DeviceTime::point_to_point",
    },
    Term {
        key: "preparing",
        also: &["Preparing"],
        unit: "ns",
        english: "From the beginning of the step's marker on the host to the first work on the device that it launched.",
        chinese: "从主机侧 step 标记开始，到该 step 下发的第一个设备任务开始的时间。",
        function: "npuscope_measures::step::DeviceTime::preparing",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_found_by_any_of_its_names() {
        for (name, key) in [
            ("Step Time", "step_time"),
            ("Communication(Not Overlapped)", "exposed_communication"),
            ("free", "free"),
            ("point-to-point time", "p2p_time"),
        ] {
            assert_eq!(Term::find(name).map(|term| term.key), Some(key), "{name}");
        }
        assert_eq!(Term::find("weather"), None);
    }

    #[test]
    fn no_name_means_two_things() {
        let mut names: Vec<String> = TERMS
            .iter()
            .flat_map(|term| {
                let mut names: Vec<String> = [term.key].iter().chain(term.also).map(|name| plain(name)).collect();
                names.sort();
                names.dedup();
                names
            })
            .collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
