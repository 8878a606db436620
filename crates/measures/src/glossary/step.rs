//! How long a step takes, and how the time of its device divides.

use super::{Section, Term};

pub(super) const SECTION: Section =
    Section {
        english_name: "Steps and device time", chinese_name: "step 与设备时间", has_numbers: true, terms: TERMS
    };

const TERMS: &[Term] = &[
    Term {
        key: "step_time",
        english_name: "Step time",
        chinese_name: "step 耗时",
        also: &["step_ms", "stepTime", "Step Time(us)"],
        unit: "ns",
        formula: "end of marker - start of marker",
        english: "Duration of a training step on a rank: from the start to the end of its marker on the host \
                  (ProfilerStep#12, MindSpore's step). Without markers it is the device time; `clock` says which.",
        chinese: "一个 step 在某个 rank 上的耗时：从主机侧 step 标记（ProfilerStep#12 或 MindSpore 的 step）开始到结束。\
                  没有标记时取设备时间；`clock` 字段说明取自哪一侧。",
        function: "npuscope_measures::step::Step::time",
    },
    Term {
        key: "step_of_work",
        english_name: "Step of work",
        chinese_name: "任务所属 step",
        also: &["kernel.step", "task.step", "comm_op.step", "StepId"],
        unit: "",
        formula: "step whose marker includes the launch, or the start where the launch is unknown",
        english: "The step that a kernel, task or communication operation belongs to: the step in whose marker the \
                  host launched it, even if it runs after the end of the marker; if the launch was not recorded, the \
                  step in whose marker it starts. A slice on the host belongs to the step in whose marker it starts. \
                  A marker includes both ends; where two markers meet, the later step counts; outside all markers \
                  there is no step. Without markers, the step numbers of kernel_details.csv divide the device time, \
                  and the start counts.",
        chinese: "kernel、任务或通信算子属于哪个 step：主机在哪个 step 的标记内下发，就属于哪个 step，即使它在标记结束之后才运行；\
                  没有记录下发时刻时，按开始时刻所在的标记判断。主机侧的操作按其开始时刻所在的标记判断。标记含首尾两端；\
                  两个标记相接时取后一个 step；在所有标记之外则不属于任何 step。没有标记时，按 kernel_details.csv 的编号划分设备时间，\
                  以开始时刻判断。",
        function: "npuscope_measures::step_of::StepOf::work",
    },
    Term {
        key: "job_step_time",
        english_name: "Step time of the job",
        chinese_name: "作业 step 耗时",
        also: &["ms per step"],
        unit: "ns",
        formula: "mean over steps(max over ranks(step_time))",
        english: "Duration of a step of the job: the longest step time of any rank, because a step ends when its last \
                  rank ends; mean over the steps.",
        chinese: "整个作业的 step 耗时：step 在最后一个 rank 完成时才结束，因此对每个 step 取各 rank 中最长的 step 耗时，\
                  再对所有 step 求平均。",
        function: "npuscope_analysis::job_step::job_step_time",
    },
    Term {
        key: "device_time",
        english_name: "Device time",
        chinese_name: "设备时间",
        also: &["device_ms"],
        unit: "ns",
        formula: "computing + exposed_communication + free",
        english: "Duration of a step on the device: from the first work that the step launched to the first work that \
                  the next step launched. The last step ends with its last work, or with its marker if that is later.",
        chinese: "一个 step 在设备上的耗时：从该 step 下发的第一个任务开始，到下一个 step 下发的第一个任务开始为止。\
                  最后一个 step 到其最后一个任务结束为止；若主机标记结束更晚，则到标记结束为止。",
        function: "npuscope_measures::step::DeviceTime::time",
    },
    Term {
        key: "computing",
        english_name: "Computing",
        chinese_name: "计算",
        also: &["computing_ms", "computation", "Computation(us)"],
        unit: "ns",
        formula: "length of union(kernels)",
        english: "Time within the device time in which at least one computing kernel ran. Kernels that run at the \
                  same time count once.",
        chinese: "设备时间内至少有一个计算 kernel 在运行的时间；同时运行的 kernel 只计一次。",
        function: "npuscope_measures::step::DeviceTime::computing",
    },
    Term {
        key: "communication",
        english_name: "Communication",
        chinese_name: "通信",
        also: &["Communication(us)"],
        unit: "ns",
        formula: "exposed_communication + overlapped_communication",
        english: "Time within the device time in which at least one communication operation ran.",
        chinese: "设备时间内至少有一个通信算子在运行的时间。",
        function: "npuscope_measures::step::DeviceTime::communication",
    },
    Term {
        key: "exposed_communication",
        english_name: "Exposed communication",
        chinese_name: "未掩盖通信",
        also: &[
            "exposed",
            "exposed comm.",
            "exposed_communication_ms",
            "Communication(Not Overlapped)",
            "communication_not_overlapped",
            "communicationNotOverlapComputation",
        ],
        unit: "ns",
        formula: "length of (union(communication operations) - union(kernels))",
        english: "Time within the device time in which a communication operation ran and no kernel computed.",
        chinese: "设备时间内有通信算子在运行、且没有计算 kernel 在运行的时间。",
        function: "npuscope_measures::step::DeviceTime::exposed",
    },
    Term {
        key: "overlapped_communication",
        english_name: "Overlapped communication",
        chinese_name: "已掩盖通信",
        also: &["Overlapped", "communicationOverlapComputation"],
        unit: "ns",
        formula: "communication - exposed_communication",
        english: "Communication time that computing overlaps.",
        chinese: "被计算掩盖的通信时间。",
        function: "npuscope_measures::step::DeviceTime::overlapped",
    },
    Term {
        key: "free",
        english_name: "Free",
        chinese_name: "空闲",
        also: &["free_ms", "Free(us)"],
        unit: "ns",
        formula: "device_time - computing - exposed_communication",
        english: "Time within the device time without computing and communication, including the time up to the next \
                  step.",
        chinese: "设备时间内既无计算也无通信的时间，包含到下一个 step 为止的间隙。",
        function: "npuscope_measures::step::DeviceTime::free",
    },
    Term {
        key: "preparing",
        english_name: "Preparing",
        chinese_name: "准备时间",
        also: &["Preparing(us)"],
        unit: "ns",
        formula: "start of first work - start of marker",
        english: "Time from the start of the step's marker on the host to the first work on the device that the step \
                  launched; 0 without markers.",
        chinese: "从主机侧 step 标记开始，到该 step 下发的第一个设备任务开始的时间；没有标记时为 0。",
        function: "npuscope_measures::step::DeviceTime::preparing",
    },
    Term {
        key: "bubble",
        english_name: "Bubble",
        chinese_name: "流水线空泡",
        also: &["Bubble(us)"],
        unit: "ns",
        formula: "length of (union(receives and batches) - union(kernels))",
        english: "Time within the device time in which a receive, or a batch of sends and receives, ran and no kernel \
                  computed: a pipeline stage waits for another.",
        chinese: "设备时间内有接收（或批量收发）在运行、且没有计算 kernel 在运行的时间，即某个流水线 stage 在等待其他 stage。",
        function: "npuscope_measures::step::DeviceTime::bubble",
    },
    Term {
        key: "exposed_without_receives",
        english_name: "Exposed communication without receives",
        chinese_name: "不含接收的未掩盖通信",
        also: &[
            "Communication(Not Overlapped and Exclude Receive)",
            "communication_not_overlapped_and_exclude_receive",
            "communication_not_overlapped_exclude_receive",
        ],
        unit: "us",
        formula: "max(exposed_communication - bubble, 0)",
        english: "Exposed communication other than waiting for another pipeline stage, as in step_trace_time.csv.",
        chinese: "除等待其他流水线 stage 之外的未掩盖通信，与 step_trace_time.csv 一致。",
        function: "npuscope_tables::table::reported_step::Row::communication_not_overlapped_exclude_receive",
    },
    Term {
        key: "stage_time",
        english_name: "Stage time",
        chinese_name: "stage 时间",
        also: &["Stage(us)"],
        unit: "ns",
        formula: "device_time - bubble",
        english: "Device time of a pipeline stage without its bubble.",
        chinese: "流水线 stage 的设备时间中去掉空泡后的部分。",
        function: "npuscope_measures::step::DeviceTime::stage",
    },
    Term {
        key: "p2p_time",
        english_name: "Point-to-point time",
        chinese_name: "点对点通信时间",
        also: &["point_to_point"],
        unit: "ns",
        formula: "length of union(sends, receives and batches)",
        english: "Time within the device time in which at least one send, receive or batch of them ran.",
        chinese: "设备时间内至少有一个发送、接收或批量收发在运行的时间。",
        function: "npuscope_measures::step::DeviceTime::point_to_point",
    },
    Term {
        key: "copying",
        english_name: "Copying",
        chinese_name: "拷贝",
        also: &["memory"],
        unit: "ns",
        formula: "length of union(copies)",
        english: "Time within the device time in which at least one copy between host and device ran.",
        chinese: "设备时间内至少有一个主机与设备之间的拷贝在运行的时间。",
        function: "npuscope_measures::step::DeviceTime::copying",
    },
    Term {
        key: "exposed_copying",
        english_name: "Exposed copying",
        chinese_name: "未掩盖拷贝",
        also: &["bare_copying", "memoryNotOverlapComputationCommunication"],
        unit: "ns",
        formula: "length of (union(copies) - union(kernels) - union(communication operations))",
        english: "The part of the free time in which at least one copy ran.",
        chinese: "空闲时间中至少有一个拷贝在运行的部分。",
        function: "npuscope_measures::step::DeviceTime::bare_copying",
    },
    Term {
        key: "host_time",
        english_name: "Time on the host",
        chinese_name: "主机时间",
        also: &["where the host's time goes"],
        unit: "ms",
        formula: "sum(durations in steps) / steps",
        english: "Time per step in user ranges (mstx) of one name, or in framework operators of one name that are not \
                  nested in another operator. `info` shows it for ranks whose device was not recorded.",
        chinese: "每个 step 中某一名称的用户区间（mstx），或某一名称且不嵌套在其他算子内的框架算子所用的时间。仅对未采\
                  集设备数据的 rank 由 `info` 显示。",
        function: "npuscope_analysis::overview::host::spent",
    },
    Term {
        key: "part_time",
        english_name: "Time by part",
        chinese_name: "分项时间",
        also: &[],
        unit: "ns",
        formula: "device_time = sum over parts(part_time)",
        english: "Device time that counts for exactly one part: a class of kernels, a kind of exposed communication, \
                  copying, or idle time. Where several kernels run at the same time, it counts for the kernel that \
                  started first.",
        chinese: "只计入一个分项的设备时间：某一类 kernel、某一种未掩盖通信、拷贝或空闲。多个 kernel 同时运行时计入最\
                  先开始的一个。",
        function: "npuscope_analysis::time_split::Slices::add_to",
    },
    Term {
        key: "per_step",
        english_name: "Per step",
        chinese_name: "每个 step 的分项时间",
        also: &[],
        unit: "ns",
        formula: "part_time / steps of all ranks in scope",
        english: "Mean of the time by part over the steps of all ranks in scope.",
        chinese: "分项时间在所选范围内所有 rank 的 step 上的平均。",
        function: "npuscope_analysis::time_split::Split::per_step",
    },
    Term {
        key: "share_of_device_time",
        english_name: "Share of device time",
        chinese_name: "设备时间占比",
        also: &[],
        unit: "ratio",
        formula: "part_time / device_time",
        english: "Share of a part in the device time of all ranks in scope. The shares of all parts add up to 1.",
        chinese: "某一分项占所选范围内所有 rank 设备时间的比例；各分项之和为 1。",
        function: "npuscope_analysis::time_split::Split::share",
    },
    Term {
        key: "covers",
        english_name: "Time covered",
        chinese_name: "覆盖时间",
        also: &[],
        unit: "ns",
        formula: "last event - first event",
        english: "Time from the first to the last recorded event of a rank, on the host or the device.",
        chinese: "某个 rank 从第一个到最后一个已记录事件（主机侧或设备侧）的时间。",
        function: "npuscope_analysis::health::rank_health",
    },
];
