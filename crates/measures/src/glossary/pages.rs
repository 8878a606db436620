//! Pages of the viewer and their tabs. Names are those of `ui/src/shell/pages.ts` and of the `PARTS` in `ui/src/pages`.

use super::{Section, Term};

pub(super) const SECTION: Section =
    Section { english_name: "Pages", chinese_name: "页面", has_numbers: false, terms: TERMS };

const TERMS: &[Term] = &[
    Term {
        key: "overview_page",
        english_name: "Overview page",
        chinese_name: "总览页面",
        english: "Findings with their cost and links to the evidence; the time breakdown of steps and ranks; the \
                  operators, communication operations and memory that cost most.",
        chinese: "诊断结论、损失以及指向证据的链接；各 step 和各 rank 的时间分解；开销最大的算子、通信算子和内存。",
        ..Term::NAME
    },
    Term {
        key: "timeline_page",
        english_name: "Timeline page",
        chinese_name: "时间线页面",
        english: "Every slice of the selected ranks on lanes over time, with details, statistics, search, marks, the \
                  cause of a gap, and a collective on all its ranks in the panel below.",
        chinese: "所选 rank 的全部切片，按泳道随时间显示；下方面板显示详情、统计、搜索、标记、间隙的原因，以及集合通信\
                  在其所有 rank 上的情况。",
        ..Term::NAME
    },
    Term {
        key: "operators_page",
        english_name: "Operators page",
        chinese_name: "算子页面",
        english: "Kernels, host calls, the breakdown of device time, dispatch, and copies.",
        chinese: "kernel、主机调用、设备时间分解、下发链路和拷贝。",
        ..Term::NAME
    },
    Term {
        key: "operators_kernels_tab",
        english_name: "Operators page: Kernels",
        chinese_name: "算子页面：kernel",
        english: "Kernels by type, name, shape, core, stream or module, with percentiles and the unit that limits \
                  them.",
        chinese: "按类型、名称、shape、加速核、流或模块统计的 kernel，包括百分位和瓶颈单元。",
        ..Term::NAME
    },
    Term {
        key: "operators_host_tab",
        english_name: "Operators page: Host calls",
        chinese_name: "算子页面：主机调用",
        english: "Slices on the host by kind and name: framework operators, CANN calls, Python functions, user \
                  ranges, garbage collection, queues.",
        chinese: "按类型和名称统计的主机侧切片：框架算子、CANN 调用、Python 函数、用户区间、垃圾回收、队列。",
        ..Term::NAME
    },
    Term {
        key: "operators_overall_tab",
        english_name: "Operators page: Time breakdown",
        chinese_name: "算子页面：时间分解",
        english: "Breakdown of the device time into classes of kernels, exposed communication, copying and idle time.",
        chinese: "设备时间的分解：各类 kernel、未掩盖通信、拷贝和空闲。",
        ..Term::NAME
    },
    Term {
        key: "operators_dispatch_tab",
        english_name: "Operators page: Dispatch",
        chinese_name: "算子页面：下发",
        english: "The kernels with the longest time from the framework operator to the start of the kernel, and its \
                  parts.",
        chinese: "从框架算子到 kernel 开始用时最长的 kernel，以及各分段的用时。",
        ..Term::NAME
    },
    Term {
        key: "operators_copies_tab",
        english_name: "Operators page: Copies",
        chinese_name: "算子页面：拷贝",
        english: "Time and bandwidth of copies by direction.",
        chinese: "按方向统计的拷贝时间和带宽。",
        ..Term::NAME
    },
    Term {
        key: "memory_page",
        english_name: "Memory page",
        chinese_name: "内存页面",
        english: "Memory over time; a click selects the time that the tabs below show.",
        chinese: "内存随时间的变化；单击选择下方标签页所显示的时刻。",
        ..Term::NAME
    },
    Term {
        key: "memory_holders_tab",
        english_name: "Memory page: What holds memory",
        chinese_name: "内存页面：内存占用",
        english: "The operators whose allocations are alive at the peak, or at the selected time.",
        chinese: "在峰值时刻（或所选时刻）占用内存的算子。",
        ..Term::NAME
    },
    Term {
        key: "memory_allocations_tab",
        english_name: "Memory page: Allocations",
        chinese_name: "内存页面：分配记录",
        english: "Single allocations, largest first.",
        chinese: "单次分配，最大的在前。",
        ..Term::NAME
    },
    Term {
        key: "memory_components_tab",
        english_name: "Memory page: Components",
        chinese_name: "内存页面：组件",
        english: "The highest sample of each component: allocators, driver modules, the process.",
        chinese: "各组件的最高采样值：分配器、驱动模块、进程。",
        ..Term::NAME
    },
    Term {
        key: "memory_leaks_tab",
        english_name: "Memory page: Never released",
        chinese_name: "内存页面：未释放",
        english: "Allocations in the time range that were not released before the end of the profile.",
        chinese: "时间范围内分配、到 profile 结束仍未释放的内存。",
        ..Term::NAME
    },
    Term {
        key: "memory_planned_tab",
        english_name: "Memory page: Static graphs",
        chinese_name: "内存页面：静态图",
        english: "Memory that graph compilers planned for static graphs.",
        chinese: "图编译器为静态图规划的内存。",
        ..Term::NAME
    },
    Term {
        key: "communication_page",
        english_name: "Communication page",
        chinese_name: "通信页面",
        english: "Communication operations, the data between ranks, and links.",
        chinese: "通信算子、rank 之间的数据和链路。",
        ..Term::NAME
    },
    Term {
        key: "communication_durations_tab",
        english_name: "Communication page: Time by rank",
        chinese_name: "通信页面：各 rank 耗时",
        english: "Transit, wait and idle time of communication operations by rank.",
        chinese: "各 rank 的通信算子的传输、等待和空闲时间。",
        ..Term::NAME
    },
    Term {
        key: "communication_matrix_tab",
        english_name: "Communication page: Matrix",
        chinese_name: "通信页面：矩阵",
        english: "Bandwidth, bytes or time from rank to rank.",
        chinese: "rank 之间的带宽、字节数或时间。",
        ..Term::NAME
    },
    Term {
        key: "communication_collectives_tab",
        english_name: "Communication page: Operations over time",
        chinese_name: "通信页面：通信算子时间图",
        english: "Communication operations of all ranks over time; ranks can be aligned to a selected operation.",
        chinese: "所有 rank 的通信算子随时间的分布；可按所选通信算子对齐各 rank。",
        ..Term::NAME
    },
    Term {
        key: "communication_links_tab",
        english_name: "Communication page: Links and packets",
        chinese_name: "通信页面：链路与包",
        english: "Bandwidth of links, and the sizes of their packets.",
        chinese: "链路的带宽及其包大小。",
        ..Term::NAME
    },
    Term {
        key: "cluster_page",
        english_name: "Cluster page",
        chinese_name: "集群页面",
        english: "All ranks of the job compared.",
        chinese: "作业所有 rank 的比较。",
        ..Term::NAME
    },
    Term {
        key: "cluster_grid_tab",
        english_name: "Cluster page: Parallel layout",
        chinese_name: "集群页面：并行布局",
        english: "Ranks by position in the parallel layout, colored by their time.",
        chinese: "按并行布局中的位置排列的 rank，以颜色表示时间。",
        ..Term::NAME
    },
    Term {
        key: "cluster_heat_tab",
        english_name: "Cluster page: Ranks over time",
        chinese_name: "集群页面：各 rank 随时间的变化",
        english: "Share of computing and communication of each rank over time.",
        chinese: "每个 rank 的计算和通信占比随时间的变化。",
        ..Term::NAME
    },
    Term {
        key: "cluster_steps_tab",
        english_name: "Cluster page: Step time",
        chinese_name: "集群页面：step 耗时",
        english: "Device time breakdown of each rank, or of each step.",
        chinese: "各 rank 或各 step 的时间分解。",
        ..Term::NAME
    },
    Term {
        key: "cluster_slow_tab",
        english_name: "Cluster page: Slow ranks and links",
        chinese_name: "集群页面：慢 rank 与慢链路",
        english: "Ranks that other ranks wait for, and links that are slower than comparable links.",
        chinese: "被其他 rank 等待的 rank，以及比可比链路慢的链路。",
        ..Term::NAME
    },
    Term {
        key: "cluster_pipeline_tab",
        english_name: "Cluster page: Pipeline",
        chinese_name: "集群页面：流水线",
        english: "Forward and backward passes of pipeline stages, their transfers, and bubbles.",
        chinese: "流水线 stage 的前向、反向、传输和空泡。",
        ..Term::NAME
    },
    Term {
        key: "cluster_experts_tab",
        english_name: "Cluster page: Expert load",
        chinese_name: "集群页面：专家负载",
        english: "Load of the ranks that hold experts, by layer or by tokens.",
        chinese: "持有专家的 rank 的负载，按层或按 token 数。",
        ..Term::NAME
    },
    Term {
        key: "rl_page",
        english_name: "RL stages page",
        chinese_name: "强化学习阶段页面",
        english: "Stages of reinforcement learning over time, their balance, and the slowest ranks.",
        chinese: "强化学习各阶段随时间的分布、均衡程度和最慢的 rank。",
        ..Term::NAME
    },
    Term {
        key: "query_page",
        english_name: "Query page",
        chinese_name: "查询页面",
        english: "SQL over the tables; the result is shown as a table, a chart or a lane.",
        chinese: "对各表执行 SQL；结果显示为表格、图表或泳道。",
        ..Term::NAME
    },
    Term {
        key: "report_page",
        english_name: "Report page",
        chinese_name: "报告页面",
        english: "Selection of the ranks, steps and findings for a report.",
        chinese: "选择写入报告的 rank、step 和诊断结论。",
        ..Term::NAME
    },
    Term {
        key: "health_page",
        english_name: "Data health page",
        chinese_name: "数据健康页面",
        english: "What was recorded, what is missing and the setting that records it, and the diagnostics of reading.",
        chinese: "采集了哪些数据、缺少哪些数据及采集它们的配置项，以及读取时的诊断信息。",
        ..Term::NAME
    },
];
