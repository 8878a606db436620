//! Names of things that are not numbers: parts of a job, of a profile and of the program. Each has one name everywhere.

use super::{Section, Term};

pub(super) const SECTION: Section =
    Section { english_name: "Concepts", chinese_name: "概念", has_numbers: false, terms: TERMS };

const TERMS: &[Term] = &[
    Term {
        key: "job",
        english_name: "Job",
        chinese_name: "作业",
        english: "One training job: all its ranks, from start to end.",
        chinese: "一次训练作业，包括从开始到结束的所有 rank。",
        ..Term::NAME
    },
    Term {
        key: "rank",
        english_name: "Rank",
        chinese_name: "rank",
        also: &["rank id"],
        english: "One training process of the job and the device that it uses, by its number in the job.",
        chinese: "作业中的一个训练进程及其使用的设备，以其在作业中的编号表示。",
        ..Term::NAME
    },
    Term {
        key: "step",
        english_name: "Step",
        chinese_name: "step",
        also: &["iteration"],
        english: "One training step, by the number that the trainer assigns. `step_time` is its duration, and \
                  `step_of_work` says which work belongs to it.",
        chinese: "一个训练 step，以训练框架给出的编号表示。`step_time` 为其耗时，`step_of_work` 说明哪些任务属于它。",
        ..Term::NAME
    },
    Term {
        key: "step_marker",
        english_name: "Step marker",
        chinese_name: "step 标记",
        also: &["marker", "ProfilerStep"],
        english: "The range on the host that a trainer marks as a step: ProfilerStep#12 in PyTorch, the step of \
                  MindSpore.",
        chinese: "训练框架在主机侧标记为 step 的区间：PyTorch 的 ProfilerStep#12，MindSpore 的 step。",
        ..Term::NAME
    },
    Term {
        key: "window",
        english_name: "Window",
        chinese_name: "窗口",
        english: "Consecutive steps that are recorded together.",
        chinese: "一起采集的若干个连续 step。",
        ..Term::NAME
    },
    Term {
        key: "host",
        english_name: "Host",
        chinese_name: "主机",
        also: &["node"],
        english: "A computer of the job, with its CPUs and devices; also the CPU side of a rank, as opposed to the \
                  device.",
        chinese: "作业中的一台计算机，包括其 CPU 和设备；也指 rank 的 CPU 一侧，与设备相对。",
        ..Term::NAME
    },
    Term {
        key: "device",
        english_name: "Device",
        chinese_name: "设备",
        also: &["NPU", "GPU"],
        english: "The NPU or GPU that a rank uses.",
        chinese: "rank 使用的 NPU 或 GPU。",
        ..Term::NAME
    },
    Term {
        key: "core",
        english_name: "Accelerator core",
        chinese_name: "加速核",
        also: &["Accelerator Core"],
        english: "The kind of core of a device that runs a kernel: cube cores (AI Core), vector cores, AI CPU.",
        chinese: "设备上运行 kernel 的核的类型：Cube 核（AI Core）、Vector 核、AI CPU。",
        ..Term::NAME
    },
    Term {
        key: "stream",
        english_name: "Stream",
        chinese_name: "流",
        english: "A queue of a device. Its tasks run one after the other; tasks of different streams may run at the \
                  same time.",
        chinese: "设备的一个队列。同一个流上的任务依次运行；不同流上的任务可以同时运行。",
        ..Term::NAME
    },
    Term {
        key: "parallel_layout",
        english_name: "Parallel layout",
        chinese_name: "并行布局",
        also: &["layout"],
        english: "The position of each rank in tensor, pipeline, data, context and expert parallelism.",
        chinese: "每个 rank 在张量、流水线、数据、上下文和专家并行中的位置。",
        ..Term::NAME
    },
    Term {
        key: "stage",
        english_name: "Pipeline stage",
        chinese_name: "流水线 stage",
        also: &["PP stage"],
        english: "The part of the model's layers that some ranks compute in pipeline parallelism.",
        chinese: "流水线并行中由一部分 rank 计算的若干层。",
        ..Term::NAME
    },
    Term {
        key: "rl_stage",
        english_name: "Stage of reinforcement learning",
        chinese_name: "强化学习阶段",
        also: &["RL stage"],
        english: "A phase of a step of reinforcement learning, such as generation, reward or update, marked by the \
                  trainer.",
        chinese: "强化学习一个 step 中的一个阶段，例如生成、奖励或更新，由训练框架标记。",
        ..Term::NAME
    },
    Term {
        key: "operator",
        english_name: "Operator",
        chinese_name: "算子",
        also: &["framework operator"],
        english: "An operation of the framework, such as aten::mm; its calls on the host launch kernels.",
        chinese: "框架的一种运算，例如 aten::mm；其在主机侧的调用下发 kernel。",
        ..Term::NAME
    },
    Term {
        key: "kernel",
        english_name: "Kernel",
        chinese_name: "kernel",
        english: "One execution of a device program, launched by an operator.",
        chinese: "设备程序的一次执行，由算子下发。",
        ..Term::NAME
    },
    Term {
        key: "task",
        english_name: "Task",
        chinese_name: "任务",
        also: &["device task"],
        english: "A unit of work on a stream of a device: kernel, copy, event, notify, or task of a collective. Table \
                  `task`.",
        chinese: "设备流上的一个工作单元：kernel、拷贝、event、notify，或集合通信中的任务。见表 `task`。",
        ..Term::NAME
    },
    Term {
        key: "communication_operation",
        english_name: "Communication operation",
        chinese_name: "通信算子",
        also: &["comm_op", "HCCL operator"],
        english: "One collective, or one send or receive, on one rank. Table `comm_op`.",
        chinese: "一个 rank 上的一次集合通信，或一次发送、接收。见表 `comm_op`。",
        ..Term::NAME
    },
    Term {
        key: "collective",
        english_name: "Collective",
        chinese_name: "集合通信",
        also: &["collective communication"],
        english: "A communication in which all ranks of a group take part, such as allreduce; each rank has one \
                  communication operation for it.",
        chinese: "通信组内所有 rank 都参与的一次通信，例如 allreduce；每个 rank 上对应一个通信算子。",
        ..Term::NAME
    },
    Term {
        key: "communication_task",
        english_name: "Communication task",
        chinese_name: "通信任务",
        also: &["comm_task"],
        english: "A part of a communication operation on a link: copy, reduction, notify, or RDMA send. Table \
                  `comm_task`.",
        chinese: "通信算子在链路上的一个组成部分：拷贝、归约、notify 或 RDMA 发送。见表 `comm_task`。",
        ..Term::NAME
    },
    Term {
        key: "group",
        english_name: "Communication group",
        chinese_name: "通信组",
        also: &["group name", "communicator", "process group"],
        english: "The ranks that take part in the same collectives.",
        chinese: "参与同一组集合通信的 rank。",
        ..Term::NAME
    },
    Term {
        key: "plane",
        english_name: "Plane",
        chinese_name: "plane",
        english: "One of the parallel sequences of tasks that a communication operation consists of. HCCL marks one \
                  of them as master.",
        chinese: "组成通信算子的若干并行任务序列之一。HCCL 把其中一个标记为 master。",
        ..Term::NAME
    },
    Term {
        key: "link",
        english_name: "Link",
        chinese_name: "链路",
        english: "The connection over which one rank sends data to another: HCCS, PCIe, RoCE, SIO or on-chip.",
        chinese: "一个 rank 向另一个 rank 发送数据所经的连接：HCCS、PCIe、RoCE、SIO 或片内。",
        ..Term::NAME
    },
    Term {
        key: "user_range",
        english_name: "User range",
        chinese_name: "用户区间",
        also: &["mstx", "range"],
        english: "A range on the host that the user's code marks with mstx.",
        chinese: "用户代码用 mstx 在主机侧标记的区间。",
        ..Term::NAME
    },
    Term {
        key: "profile",
        english_name: "Profile",
        chinese_name: "profile",
        also: &["profiling data"],
        english: "The recorded data of a job: one directory per rank, in one of the formats.",
        chinese: "一个作业的采集数据：每个 rank 一个目录，为某种格式。",
        ..Term::NAME
    },
    Term {
        key: "recording",
        english_name: "Recording",
        chinese_name: "采集",
        also: &["collection", "profiling"],
        english: "The act of collecting a profile during training.",
        chinese: "在训练过程中采集 profile 的过程。",
        ..Term::NAME
    },
    Term {
        key: "deliverable",
        english_name: "Deliverable",
        chinese_name: "交付件",
        english: "A file that a profiler writes, such as kernel_details.csv or trace_view.json.",
        chinese: "profiler 写出的一个文件，例如 kernel_details.csv 或 trace_view.json。",
        ..Term::NAME
    },
    Term {
        key: "format",
        english_name: "Format",
        chinese_name: "格式",
        english: "The format of a profile: text, db, parquet, perfetto, kineto, or raw for profiler data that was not \
                  parsed yet.",
        chinese: "profile 的格式：text、db、parquet、perfetto、kineto；尚未解析的 profiler 数据为 raw。",
        ..Term::NAME
    },
    Term {
        key: "framework",
        english_name: "Framework",
        chinese_name: "框架",
        english: "The software that wrote a profile: torch_npu, MindSpore, msprof, or torch.",
        chinese: "写出 profile 的软件：torch_npu、MindSpore、msprof 或 torch。",
        ..Term::NAME
    },
    Term {
        key: "dialect",
        english_name: "Dialect",
        chinese_name: "配置风格",
        english: "The way in which a trainer writes its profiler settings: MindSpeed-LLM, FSDP2, and others.",
        chinese: "训练框架书写 profiler 配置的方式，例如 MindSpeed-LLM、FSDP2。",
        ..Term::NAME
    },
    Term {
        key: "notation",
        english_name: "Notation",
        chinese_name: "写法",
        english: "One way to write the settings of a dialect: command-line flags, YAML, JSON, or arguments of a \
                  profiler. FSDP2, for example, has YAML and flags.",
        chinese: "同一配置风格的一种书写方式：命令行参数、YAML、JSON 或 profiler 的参数。例如 FSDP2 有 YAML 和命令行参数两种。",
        ..Term::NAME
    },
    Term {
        key: "level",
        english_name: "Profiler level",
        chinese_name: "采集级别",
        also: &["profile_level", "profiler_level"],
        english: "How much the profiler records: level_none, level0, level1 or level2. level1 adds AI Core metrics \
                  and communication links to level0.",
        chinese: "profiler 采集数据的多少：level_none、level0、level1 或 level2。level1 在 level0 之上增加 AI Core 指\
                  标和通信链路。",
        ..Term::NAME
    },
    Term {
        key: "diagnostic",
        english_name: "Diagnostic",
        chinese_name: "诊断信息",
        english: "Something wrong with an input file or a configuration, with severity (error, warning or info), file \
                  and place. Table `diagnostic`.",
        chinese: "输入文件或配置中的一处问题，包括严重程度（错误、警告或提示）、文件和位置。见表 `diagnostic`。",
        ..Term::NAME
    },
    Term {
        key: "finding",
        english_name: "Finding",
        chinese_name: "诊断结论",
        english: "A conclusion of `npuscope diagnose` or `npuscope info`, with severity critical, warning or info.",
        chinese: "`npuscope diagnose` 或 `npuscope info` 得出的一条结论，严重程度为严重、警告或提示。",
        ..Term::NAME
    },
    Term {
        key: "cause",
        english_name: "Cause",
        chinese_name: "原因",
        english: "The reason that `npuscope diagnose` gives for a finding, such as compute, host or link. `lost` is its \
                  cost.",
        chinese: "`npuscope diagnose` 为诊断结论给出的原因，例如 compute、host 或 link。`lost` 为其损失。",
        ..Term::NAME
    },
    Term {
        key: "comparable",
        english_name: "Comparable",
        chinese_name: "可比",
        english: "Comparable ranks do the same work: they are in the same pipeline stage and have the same kernels. \
                  Comparable links have the same transport and move about the same amount of data.",
        chinese: "可比的 rank 做同样的工作：属于同一流水线 stage，执行相同的 kernel。可比的链路传输方式相同，传输的数据量\
                  相近。",
        ..Term::NAME
    },
    Term {
        key: "note",
        english_name: "Note",
        chinese_name: "说明",
        english: "A line on the terminal beside the result, with the label `note:`.",
        chinese: "终端上结果之外的一行说明，以“说明：”开头。",
        ..Term::NAME
    },
    Term {
        key: "table",
        english_name: "Table",
        chinese_name: "表",
        english: "Rows with named columns that `npuscope sql` queries; docs/tables.md lists all tables.",
        chinese: "可用 `npuscope sql` 查询的数据，由行和命名的列组成；docs/tables.md 列出所有表。",
        ..Term::NAME
    },
    Term {
        key: "view",
        english_name: "View",
        chinese_name: "视图",
        english: "The table behind a part of a page; `npuscope show VIEW` prints it.",
        chinese: "页面某一部分所用的表；`npuscope show VIEW` 可打印它。",
        ..Term::NAME
    },
    Term {
        key: "mode",
        english_name: "Mode",
        chinese_name: "模式",
        also: &["analysis mode", "recipe"],
        english: "An analysis of all ranks that `npuscope cluster -m MODE` runs.",
        chinese: "`npuscope cluster -m MODE` 对所有 rank 执行的一种分析。",
        ..Term::NAME
    },
    Term {
        key: "page",
        english_name: "Page",
        chinese_name: "页面",
        english: "A page of the viewer that `npuscope view` opens. The section Pages lists them.",
        chinese: "`npuscope view` 打开的查看器中的一个页面。“页面”一节列出了所有页面。",
        ..Term::NAME
    },
    Term {
        key: "tab",
        english_name: "Tab",
        chinese_name: "标签页",
        english: "A part of a page that is selected by its name at the top of the page.",
        chinese: "页面的一部分，通过页面顶部的名称选择。",
        ..Term::NAME
    },
    Term {
        key: "lane",
        english_name: "Lane",
        chinese_name: "泳道",
        also: &["track", "swimlane"],
        english: "A horizontal strip of the timeline with the slices of a thread, stream, plane or counter. Table \
                  `lane`.",
        chinese: "时间线上的一条横带，显示一个线程、流、plane 或计数器的切片。见表 `lane`。",
        ..Term::NAME
    },
    Term {
        key: "slice",
        english_name: "Slice",
        chinese_name: "切片",
        english: "A bar on a lane: an event with a start and a duration.",
        chinese: "泳道上的一个条块：有开始时刻和时长的一个事件。",
        ..Term::NAME
    },
    Term {
        key: "flow",
        english_name: "Arrow",
        chinese_name: "箭头",
        also: &["connection"],
        english: "A connection between two slices, such as a call on the host and the kernel that it launched. Table \
                  `flow`.",
        chinese: "两个切片之间的关联，例如主机侧的调用与其下发的 kernel。见表 `flow`。",
        ..Term::NAME
    },
    Term {
        key: "gap",
        english_name: "Gap",
        chinese_name: "间隙",
        english: "A time in which nothing runs on the device of a rank.",
        chinese: "某个 rank 的设备上没有任何任务运行的一段时间。",
        ..Term::NAME
    },
    Term {
        key: "scope",
        english_name: "Scope",
        chinese_name: "范围",
        english: "The ranks, the step and the time range that a page or a command is limited to.",
        chinese: "页面或命令所限定的 rank、step 和时间范围。",
        ..Term::NAME
    },
    Term {
        key: "cache",
        english_name: "Cache",
        chinese_name: "缓存",
        english: "The directory in which npuscope stores tables, extracts and results, so that the second request is \
                  fast.",
        chinese: "npuscope 保存表、中间结果和结果的目录，使再次请求更快。",
        ..Term::NAME
    },
    Term {
        key: "extract",
        english_name: "Extract",
        chinese_name: "中间结果",
        english: "The part of an analysis that was computed from one rank; it is stored in the cache.",
        chinese: "一种分析由单个 rank 计算出的部分，保存在缓存中。",
        ..Term::NAME
    },
    Term {
        key: "report",
        english_name: "Report",
        chinese_name: "报告",
        english: "One html file with the viewer and selected data; it opens without npuscope and without a network.",
        chinese: "一个包含查看器和所选数据的 html 文件；打开时不需要 npuscope，也不需要网络。",
        ..Term::NAME
    },
    Term {
        key: "scenario",
        english_name: "Scenario",
        chinese_name: "场景",
        english: "A TOML file with the parameters of a job that `npuscope synth` simulates.",
        chinese: "一个 TOML 文件，包含由 `npuscope synth` 模拟的作业的参数。",
        ..Term::NAME
    },
    Term {
        key: "term",
        english_name: "Term",
        chinese_name: "术语",
        english: "A name in this glossary.",
        chinese: "本术语表中的一个名称。",
        ..Term::NAME
    },
    Term {
        key: "size_units",
        english_name: "Units of size",
        chinese_name: "大小的单位",
        also: &["KiB", "MiB", "GiB"],
        english: "Sizes of memory, files and transfers are shown in KiB, MiB and GiB, powers of 1024 bytes. Rates are in \
                  GB/s, 10^9 bytes per second, as links are rated. What profilers call MB stays MB in their own columns: \
                  it is 2^20 bytes in files of memory, and 10^6 bytes in files of communication and packet sizes.",
        chinese: "内存、文件和传输的大小以 KiB、MiB、GiB 显示，均为 1024 字节的幂。速率以 GB/s 显示，即每秒 10^9 字节，\
                  与链路的标称一致。profiler 自身的列中仍用 MB：在内存文件中为 2^20 字节，在通信文件和包大小中为 10^6 字节。",
        ..Term::NAME
    },
];
