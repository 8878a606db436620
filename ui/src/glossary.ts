// What numbers mean. Generated from crates/measures/src/glossary; `make docs` writes it anew.

export const GLOSSARY = {
  step_time: {
    unit: "ns",
    en: { name: "Step time", text: "Duration of a training step on a rank: from the start to the end of its marker on the host (ProfilerStep#12, MindSpore's step). Without markers it is the device time; `clock` says which.", formula: "end of marker - start of marker" },
    zh: { name: "step 耗时", text: "一个 step 在某个 rank 上的耗时：从主机侧 step 标记（ProfilerStep#12 或 MindSpore 的 step）开始到结束。没有标记时取设备时间；`clock` 字段说明取自哪一侧。", formula: "标记结束 - 标记开始" },
  },
  step_of_work: {
    unit: "",
    en: { name: "Step of work", text: "The step that a kernel, task or communication operation belongs to: the step in whose marker the host launched it, even if it runs after the end of the marker; if the launch was not recorded, the step in whose marker it starts. A slice on the host belongs to the step in whose marker it starts. A marker includes both ends; where two markers meet, the later step counts; outside all markers there is no step. Without markers, the step numbers of kernel_details.csv divide the device time, and the start counts.", formula: "step whose marker includes the launch, or the start where the launch is unknown" },
    zh: { name: "任务所属 step", text: "kernel、任务或通信算子属于哪个 step：主机在哪个 step 的标记内下发，就属于哪个 step，即使它在标记结束之后才运行；没有记录下发时刻时，按开始时刻所在的标记判断。主机侧的操作按其开始时刻所在的标记判断。标记含首尾两端；两个标记相接时取后一个 step；在所有标记之外则不属于任何 step。没有标记时，按 kernel_details.csv 的编号划分设备时间，以开始时刻判断。", formula: "标记包含下发时刻的 step；下发时刻未知时取开始时刻" },
  },
  job_step_time: {
    unit: "ns",
    en: { name: "Step time of the job", text: "Duration of a step of the job: the longest step time of any rank, because a step ends when its last rank ends; mean over the steps.", formula: "mean over steps(max over ranks(step_time))" },
    zh: { name: "作业 step 耗时", text: "整个作业的 step 耗时：step 在最后一个 rank 完成时才结束，因此对每个 step 取各 rank 中最长的 step 耗时，再对所有 step 求平均。", formula: "对各 step 求均值(各 rank step 耗时的最大值)" },
  },
  device_time: {
    unit: "ns",
    en: { name: "Device time", text: "Duration of a step on the device: from the first work that the step launched to the first work that the next step launched. The last step ends with its last work, or with its marker if that is later.", formula: "computing + exposed_communication + free" },
    zh: { name: "设备时间", text: "一个 step 在设备上的耗时：从该 step 下发的第一个任务开始，到下一个 step 下发的第一个任务开始为止。最后一个 step 到其最后一个任务结束为止；若主机标记结束更晚，则到标记结束为止。", formula: "计算 + 未掩盖通信 + 空闲" },
  },
  computing: {
    unit: "ns",
    en: { name: "Computing", text: "Time within the device time in which at least one computing kernel ran. Kernels that run at the same time count once.", formula: "length of union(kernels)" },
    zh: { name: "计算", text: "设备时间内至少有一个计算 kernel 在运行的时间；同时运行的 kernel 只计一次。", formula: "并集(kernel) 的长度" },
  },
  communication: {
    unit: "ns",
    en: { name: "Communication", text: "Time within the device time in which at least one communication operation ran.", formula: "exposed_communication + overlapped_communication" },
    zh: { name: "通信", text: "设备时间内至少有一个通信算子在运行的时间。", formula: "未掩盖通信 + 已掩盖通信" },
  },
  exposed_communication: {
    unit: "ns",
    en: { name: "Exposed communication", text: "Time within the device time in which a communication operation ran and no kernel computed.", formula: "length of (union(communication operations) - union(kernels))" },
    zh: { name: "未掩盖通信", text: "设备时间内有通信算子在运行、且没有计算 kernel 在运行的时间。", formula: "(并集(通信算子) - 并集(kernel)) 的长度" },
  },
  overlapped_communication: {
    unit: "ns",
    en: { name: "Overlapped communication", text: "Communication time that computing overlaps.", formula: "communication - exposed_communication" },
    zh: { name: "已掩盖通信", text: "被计算掩盖的通信时间。", formula: "通信 - 未掩盖通信" },
  },
  free: {
    unit: "ns",
    en: { name: "Free", text: "Time within the device time without computing and communication, including the time up to the next step.", formula: "device_time - computing - exposed_communication" },
    zh: { name: "空闲", text: "设备时间内既无计算也无通信的时间，包含到下一个 step 为止的间隙。", formula: "设备时间 - 计算 - 未掩盖通信" },
  },
  preparing: {
    unit: "ns",
    en: { name: "Preparing", text: "Time from the start of the step's marker on the host to the first work on the device that the step launched; 0 without markers.", formula: "start of first work - start of marker" },
    zh: { name: "准备时间", text: "从主机侧 step 标记开始，到该 step 下发的第一个设备任务开始的时间；没有标记时为 0。", formula: "首个任务开始 - 标记开始" },
  },
  bubble: {
    unit: "ns",
    en: { name: "Bubble", text: "Time within the device time in which a receive, or a batch of sends and receives, ran and no kernel computed: a pipeline stage waits for another.", formula: "length of (union(receives and batches) - union(kernels))" },
    zh: { name: "流水线空泡", text: "设备时间内有接收（或批量收发）在运行、且没有计算 kernel 在运行的时间，即某个流水线 stage 在等待其他 stage。", formula: "(并集(接收与批量收发) - 并集(kernel)) 的长度" },
  },
  exposed_without_receives: {
    unit: "us",
    en: { name: "Exposed communication without receives", text: "Exposed communication other than waiting for another pipeline stage, as in step_trace_time.csv.", formula: "max(exposed_communication - bubble, 0)" },
    zh: { name: "不含接收的未掩盖通信", text: "除等待其他流水线 stage 之外的未掩盖通信，与 step_trace_time.csv 一致。", formula: "最大值(未掩盖通信 - 流水线空泡, 0)" },
  },
  stage_time: {
    unit: "ns",
    en: { name: "Stage time", text: "Device time of a pipeline stage without its bubble.", formula: "device_time - bubble" },
    zh: { name: "stage 时间", text: "流水线 stage 的设备时间中去掉空泡后的部分。", formula: "设备时间 - 流水线空泡" },
  },
  p2p_time: {
    unit: "ns",
    en: { name: "Point-to-point time", text: "Time within the device time in which at least one send, receive or batch of them ran.", formula: "length of union(sends, receives and batches)" },
    zh: { name: "点对点通信时间", text: "设备时间内至少有一个发送、接收或批量收发在运行的时间。", formula: "并集(发送、接收与批量收发) 的长度" },
  },
  copying: {
    unit: "ns",
    en: { name: "Copying", text: "Time within the device time in which at least one copy between host and device ran.", formula: "length of union(copies)" },
    zh: { name: "拷贝", text: "设备时间内至少有一个主机与设备之间的拷贝在运行的时间。", formula: "并集(拷贝) 的长度" },
  },
  exposed_copying: {
    unit: "ns",
    en: { name: "Exposed copying", text: "The part of the free time in which at least one copy ran.", formula: "length of (union(copies) - union(kernels) - union(communication operations))" },
    zh: { name: "未掩盖拷贝", text: "空闲时间中至少有一个拷贝在运行的部分。", formula: "(并集(拷贝) - 并集(kernel) - 并集(通信算子)) 的长度" },
  },
  host_time: {
    unit: "ms",
    en: { name: "Time on the host", text: "Time per step in user ranges (mstx) of one name, or in framework operators of one name that are not nested in another operator. `info` shows it for ranks whose device was not recorded.", formula: "sum(durations in steps) / steps" },
    zh: { name: "主机时间", text: "每个 step 中某一名称的用户区间（mstx），或某一名称且不嵌套在其他算子内的框架算子所用的时间。仅对未采集设备数据的 rank 由 `info` 显示。", formula: "求和(各 step 内的耗时) / step 数" },
  },
  part_time: {
    unit: "ns",
    en: { name: "Time by part", text: "Device time that counts for exactly one part: a class of kernels, a kind of exposed communication, copying, or idle time. Where several kernels run at the same time, it counts for the kernel that started first.", formula: "device_time = sum over parts(part_time)" },
    zh: { name: "分项时间", text: "只计入一个分项的设备时间：某一类 kernel、某一种未掩盖通信、拷贝或空闲。多个 kernel 同时运行时计入最先开始的一个。", formula: "设备时间 = 对各分项求和(分项时间)" },
  },
  per_step: {
    unit: "ns",
    en: { name: "Per step", text: "Mean of the time by part over the steps of all ranks in scope.", formula: "part_time / steps of all ranks in scope" },
    zh: { name: "每个 step 的分项时间", text: "分项时间在所选范围内所有 rank 的 step 上的平均。", formula: "分项时间 / 范围内所有 rank 的 step 总数" },
  },
  share_of_device_time: {
    unit: "ratio",
    en: { name: "Share of device time", text: "Share of a part in the device time of all ranks in scope. The shares of all parts add up to 1.", formula: "part_time / device_time" },
    zh: { name: "设备时间占比", text: "某一分项占所选范围内所有 rank 设备时间的比例；各分项之和为 1。", formula: "分项时间 / 设备时间" },
  },
  covers: {
    unit: "ns",
    en: { name: "Time covered", text: "Time from the first to the last recorded event of a rank, on the host or the device.", formula: "last event - first event" },
    zh: { name: "覆盖时间", text: "某个 rank 从第一个到最后一个已记录事件（主机侧或设备侧）的时间。", formula: "最后事件 - 最早事件" },
  },
  elapsed: {
    unit: "ns",
    en: { name: "Elapsed time", text: "Duration of a communication operation on a rank, including waiting.", formula: "end of operation - start of operation" },
    zh: { name: "通信总耗时", text: "一个通信算子在某个 rank 上的总耗时，包含等待。", formula: "操作结束 - 操作开始" },
  },
  transit: {
    unit: "ns",
    en: { name: "Transit time", text: "Time in which an operation moved data over links, on the plane that HCCL marks as master. An RDMA run lasts from its first payload to its acknowledgement.", formula: "sum(SDMA copies and reductions over a link) + sum(RDMA runs)" },
    zh: { name: "传输时间", text: "通信算子在链路上搬运数据的时间，取 HCCL 标记为 master 的 plane。一次 RDMA 传输从第一个 payload 到确认为止。", formula: "求和(经过链路的 SDMA 拷贝与规约) + 求和(RDMA 连续段)" },
  },
  wait: {
    unit: "ns",
    en: { name: "Wait time", text: "Time in which an operation waited for other ranks, on the plane that HCCL marks as master.", formula: "sum(Notify_Wait)" },
    zh: { name: "等待时间", text: "通信算子等待其他 rank 的时间，取 HCCL 标记为 master 的 plane。", formula: "求和(Notify_Wait)" },
  },
  synchronization: {
    unit: "ns",
    en: { name: "Synchronization time", text: "The part of the wait time before the first data moved: other ranks had not arrived yet.", formula: "sum(Notify_Wait before the first transit)" },
    zh: { name: "同步时间", text: "等待时间中第一次数据传输之前的部分，即其他 rank 尚未到达。", formula: "求和(首次传输之前的 Notify_Wait)" },
  },
  idle: {
    unit: "ns",
    en: { name: "Idle time", text: "Time in which an operation neither moved data nor waited.", formula: "elapsed - transit - wait" },
    zh: { name: "通信空闲时间", text: "通信算子既未传输数据也未等待的时间。", formula: "通信总耗时 - 传输时间 - 等待时间" },
  },
  wait_ratio: {
    unit: "ratio",
    en: { name: "Wait ratio", text: "Share of waiting in the wait and transit time of communication operations. A high ratio points to a slow rank rather than a slow link.", formula: "wait / (wait + transit)" },
    zh: { name: "等待占比", text: "通信算子的等待时间占等待与传输时间之和的比例。比例高说明存在慢 rank，而不是慢链路。", formula: "等待时间 / (等待时间 + 传输时间)" },
  },
  synchronization_ratio: {
    unit: "ratio",
    en: { name: "Synchronization ratio", text: "Share of the synchronization time in the synchronization and transit time of communication operations.", formula: "synchronization / (synchronization + transit)" },
    zh: { name: "同步占比", text: "通信算子的同步时间占同步与传输时间之和的比例。", formula: "同步时间 / (同步时间 + 传输时间)" },
  },
  operation_bytes: {
    unit: "B",
    en: { name: "Operation size", text: "Data size of one communication operation on one rank; unknown if the profile has no element count or type.", formula: "element count * bytes of an element" },
    zh: { name: "通信数据量", text: "一个通信算子在一个 rank 上的数据量；缺少元素个数或类型时未知。", formula: "元素个数 * 每个元素的字节数" },
  },
  bytes_moved: {
    unit: "B",
    en: { name: "Bytes moved", text: "Data moved over a link. Transfers over HCCS, PCIe and SIO also count as SDMA.", formula: "sum(bytes of copies, reductions and RDMA payloads)" },
    zh: { name: "传输数据量", text: "经过链路传输的数据量。经 HCCS、PCIe 和 SIO 的传输同时计入 SDMA。", formula: "求和(拷贝、规约与 RDMA 负载的字节数)" },
  },
  bandwidth: {
    unit: "GB/s",
    en: { name: "Bandwidth", text: "Data moved over a link per second of transit time; waiting does not count. 1 GB is 10^9 bytes.", formula: "bytes_moved / transit" },
    zh: { name: "带宽", text: "链路在传输时间内每秒传输的数据量，不含等待时间。1 GB 为 10^9 字节。", formula: "传输数据量 / 传输时间" },
  },
  large_packet_share: {
    unit: "ratio",
    en: { name: "Large packet share", text: "Share of packets that are large enough to use the link efficiently: above 32 MB over HCCS, PCIe and SIO, above 0.5 MB over RDMA.", formula: "packets above the threshold / packets" },
    zh: { name: "大包占比", text: "足够大、能充分利用链路的包所占的比例：HCCS、PCIe、SIO 大于 32 MB，RDMA 大于 0.5 MB。", formula: "大于阈值的包数 / 包数" },
  },
  packet_bytes: {
    unit: "B",
    en: { name: "Packet size", text: "Size of one transfer over a link.", formula: "" },
    zh: { name: "包大小", text: "链路上一次传输的字节数。", formula: "" },
  },
  start_skew: {
    unit: "ns",
    en: { name: "Start skew", text: "Time from the first to the last start of one communication operation among its ranks, by the clocks of their hosts.", formula: "last start - first start" },
    zh: { name: "起始偏差", text: "同一通信算子在各 rank 上从最早开始到最晚开始的时间差，以各自主机的时钟为准。", formula: "最晚开始 - 最早开始" },
  },
  transmit_stage_time: {
    unit: "us",
    en: { name: "Transmit time of collectives", text: "Sum over collectives of the duration on the rank where the collective was shortest: that rank arrived last and did not wait. Collectives with missing ranks, sends and receives do not count.", formula: "sum over collectives(min over ranks(elapsed))" },
    zh: { name: "集合通信传输时间", text: "每个集合通信在耗时最短的 rank（最后到达、不等待其他 rank）上的耗时之和。缺少 rank 的集合通信以及收发不计入。", formula: "对各集合通信求和(各 rank 通信总耗时的最小值)" },
  },
  wait_stage_time: {
    unit: "us",
    en: { name: "Wait time of collectives", text: "Sum over collectives of the additional duration on this rank, compared with the rank where the collective was shortest.", formula: "sum over collectives(elapsed - min over ranks(elapsed))" },
    zh: { name: "集合通信等待时间", text: "某个 rank 的每个集合通信比耗时最短的 rank 多用的时间之和。", formula: "对各集合通信求和(通信总耗时 - 各 rank 通信总耗时的最小值)" },
  },
  expected_bandwidth: {
    unit: "GB/s",
    en: { name: "Expected bandwidth", text: "Bandwidth of a link if it moved its data at the median bandwidth of comparable links: same operation type, same transport, and same power of two of the bytes.", formula: "bytes_moved / sum(bytes_moved / median bandwidth of comparable links)" },
    zh: { name: "预期带宽", text: "若按可比链路（算子类型、传输方式和数据量的 2 的幂都相同）的带宽中位数传输，该链路应有的带宽。", formula: "传输数据量 / 求和(传输数据量 / 可比链路带宽的中位数)" },
  },
  time_ratio: {
    unit: "ratio",
    en: { name: "Time / expected time", text: "Transit time of a link divided by the expected time. Links above 1.2 are listed as slow.", formula: "expected_bandwidth / bandwidth" },
    zh: { name: "实际用时/预期用时", text: "链路实际用时是预期用时的多少倍。大于 1.2 的链路被列为慢链路。", formula: "预期带宽 / 带宽" },
  },
  slow_affect_count: {
    unit: "",
    en: { name: "Collectives delayed by the rank", text: "Number of collectives in which other ranks waited for this rank: it arrived last and its duration is an outlier.", formula: "" },
    zh: { name: "被等待次数", text: "其他 rank 等待该 rank 的集合通信个数：该 rank 最后到达，且其耗时为离群值。", formula: "" },
  },
  operation_count: {
    unit: "",
    en: { name: "Collectives with other ranks", text: "Number of collectives in which the rank took part together with other ranks.", formula: "" },
    zh: { name: "参与的通信次数", text: "该 rank 与其他 rank 共同参与的集合通信个数。", formula: "" },
  },
  late: {
    unit: "ms",
    en: { name: "Lateness", text: "Time by which the rank arrived later than the median rank, summed over all collectives that it delayed.", formula: "sum over slow collectives(median over ranks(elapsed) - min over ranks(elapsed))" },
    zh: { name: "迟到时间", text: "在所有等待该 rank 的集合通信中，它比耗时为中位数的 rank 晚到的时间之和。", formula: "对各慢集合通信求和(各 rank 通信总耗时的中位数 - 其最小值)" },
  },
  count: {
    unit: "",
    en: { name: "Count", text: "Number of kernels, calls, copies, operations, packets or allocations in the group.", formula: "" },
    zh: { name: "次数", text: "该组中 kernel、调用、拷贝、通信算子、包或分配的个数。", formula: "" },
  },
  total: {
    unit: "ns",
    en: { name: "Total", text: "Sum of the durations of all kernels, calls or copies in the group. Overlapping ones count separately.", formula: "sum(duration)" },
    zh: { name: "合计", text: "该组中所有 kernel、调用或拷贝的时长之和；同时运行的分别计入。", formula: "求和(耗时)" },
  },
  average: {
    unit: "ns",
    en: { name: "Average", text: "Mean duration in the group.", formula: "total / count" },
    zh: { name: "平均", text: "该组的平均时长。", formula: "合计 / 次数" },
  },
  p50: {
    unit: "ns",
    en: { name: "p50", text: "Half of the durations in the group are not longer than this value. It is one of the durations.", formula: "sorted(durations)[ceil(0.50 * count) - 1]" },
    zh: { name: "中位数（p50）", text: "该组中一半的时长不超过该值；取实际出现的时长。", formula: "升序排列(耗时)[向上取整(0.50 * 次数) - 1]" },
  },
  p95: {
    unit: "ns",
    en: { name: "p95", text: "95 percent of the durations in the group are not longer than this value. It is one of the durations.", formula: "sorted(durations)[ceil(0.95 * count) - 1]" },
    zh: { name: "第 95 百分位（p95）", text: "该组中 95 % 的时长不超过该值；取实际出现的时长。", formula: "升序排列(耗时)[向上取整(0.95 * 次数) - 1]" },
  },
  deviation: {
    unit: "ns",
    en: { name: "Deviation", text: "Population standard deviation of the durations in the group.", formula: "sqrt(mean((duration - average)^2))" },
    zh: { name: "标准差", text: "该组时长的总体标准差。", formula: "平方根(均值((耗时 - 平均)^2))" },
  },
  self_time: {
    unit: "ns",
    en: { name: "Self time", text: "Duration of a slice without the slices nested directly in it.", formula: "duration - sum(durations directly inside)" },
    zh: { name: "自身时间", text: "某个切片的时长减去直接嵌套在其中的切片的时长。", formula: "耗时 - 求和(直接内层的耗时)" },
  },
  share: {
    unit: "ratio",
    en: { name: "Share", text: "Share of the group in the time of all kernels in scope.", formula: "total / sum over groups(total)" },
    zh: { name: "占比", text: "该组时长占所选范围内全部 kernel 时长的比例。", formula: "合计 / 对各组求和(合计)" },
  },
  mac_ratio: {
    unit: "ratio",
    en: { name: "Cube busy", text: "Share of the cube cores' time in which the cube unit was busy; for a group, the mean weighted by duration.", formula: "sum(aic_mac_ratio * duration) / sum(duration)" },
    zh: { name: "Cube 忙碌占比", text: "Cube 单元忙碌时间占 Cube 核时间的比例；一组取按时长加权的平均。", formula: "求和(aic_mac_ratio * 耗时) / 求和(耗时)" },
  },
  mte2_ratio: {
    unit: "ratio",
    en: { name: "Memory load busy (MTE2)", text: "Share of time in which the unit that loads data (MTE2) was busy: the greater value of cube and vector cores; for a group, the mean weighted by duration.", formula: "sum(max(aic_mte2_ratio, aiv_mte2_ratio) * duration) / sum(duration)" },
    zh: { name: "搬入忙碌占比", text: "数据搬入单元（MTE2）忙碌时间的比例；取 Cube 核与 Vector 核中较大者，一组取按时长加权的平均。", formula: "求和(最大值(aic_mte2_ratio, aiv_mte2_ratio) * 耗时) / 求和(耗时)" },
  },
  vec_ratio: {
    unit: "ratio",
    en: { name: "Vector busy", text: "Share of the vector cores' time in which the vector unit was busy; for a group, the mean weighted by duration.", formula: "sum(aiv_vec_ratio * duration) / sum(duration)" },
    zh: { name: "Vector 忙碌占比", text: "Vector 单元忙碌时间占 Vector 核时间的比例；一组取按时长加权的平均。", formula: "求和(aiv_vec_ratio * 耗时) / 求和(耗时)" },
  },
  scalar_ratio: {
    unit: "ratio",
    en: { name: "Scalar busy", text: "Share of time in which the scalar unit was busy: the greater value of cube and vector cores; for a group, the mean weighted by duration.", formula: "sum(max(aic_scalar_ratio, aiv_scalar_ratio) * duration) / sum(duration)" },
    zh: { name: "Scalar 忙碌占比", text: "Scalar 单元忙碌时间的比例；取 Cube 核与 Vector 核中较大者，一组取按时长加权的平均。", formula: "求和(最大值(aic_scalar_ratio, aiv_scalar_ratio) * 耗时) / 求和(耗时)" },
  },
  bound: {
    unit: "",
    en: { name: "Bound by", text: "The busiest unit: cube, memory, vector or scalar.", formula: "argmax(mac_ratio, mte2_ratio, vec_ratio, scalar_ratio)" },
    zh: { name: "瓶颈单元", text: "最忙碌的单元：Cube、内存搬入、Vector 或 Scalar。", formula: "最大者(Cube 忙碌占比, 搬入忙碌占比, Vector 忙碌占比, Scalar 忙碌占比)" },
  },
  cube_utilization: {
    unit: "%",
    en: { name: "Cube utilization", text: "Utilization of the cube unit by a kernel, as reported by the profiler.", formula: "" },
    zh: { name: "Cube 利用率", text: "profiler 为 kernel 报告的 Cube 单元利用率。", formula: "" },
  },
  kernel_gap: {
    unit: "ns",
    en: { name: "Gap before the kernel", text: "Gap to the previous kernel of the device, as reported by the profiler.", formula: "start of kernel - end of previous kernel" },
    zh: { name: "kernel 前的间隙", text: "与设备上前一个 kernel 之间的间隙，由 profiler 报告。", formula: "kernel 开始 - 前一个 kernel 结束" },
  },
  mfu: {
    unit: "ratio",
    en: { name: "MFU", text: "Share of the chip's peak performance that a kernel reached. The number of operations is stated by the user range and divided among its kernels by duration; the peak is that of the type of the first input.", formula: "operations / duration / (AI Cores * frequency * operations per cycle)" },
    zh: { name: "算力利用率（MFU）", text: "kernel 达到的芯片峰值算力的比例。运算量由用户区间给出，按时长分摊到其中的 kernel；峰值按第一个输入的数据类型计算。", formula: "运算次数 / 耗时 / (AI Core 数 * 频率 * 每周期运算次数)" },
  },
  prepare: {
    unit: "ns",
    en: { name: "Prepare", text: "Time from the start of the framework operator to the start of its entry into the task queue, or to the launch if there is no queue.", formula: "start of enqueue - start of operator" },
    zh: { name: "算子准备时间", text: "从框架算子开始到其进入任务队列的时间；没有队列时到下发为止。", formula: "入队开始 - 算子开始" },
  },
  enqueue: {
    unit: "ns",
    en: { name: "Enqueue", text: "Time that the host took to put the kernel into the task queue.", formula: "end of enqueue - start of enqueue" },
    zh: { name: "入队时间", text: "主机把 kernel 放入任务队列所用的时间。", formula: "入队结束 - 入队开始" },
  },
  queue: {
    unit: "ns",
    en: { name: "Time in the queue", text: "Time that the kernel spent in the task queue of the host. A long time means that the launching thread cannot keep up.", formula: "start of dequeue - end of enqueue" },
    zh: { name: "排队时间", text: "kernel 在主机任务队列中停留的时间。时间长说明下发线程跟不上。", formula: "出队开始 - 入队结束" },
  },
  launch: {
    unit: "ns",
    en: { name: "Launch", text: "Time from leaving the queue to the end of the call that launched the kernel; without a queue, the duration of that call.", formula: "end of launching call - start of dequeue" },
    zh: { name: "下发时间", text: "从出队到下发该 kernel 的调用结束的时间；没有队列时为该调用的时长。", formula: "下发调用结束 - 出队开始" },
  },
  kernel_wait: {
    unit: "ns",
    en: { name: "Kernel wait", text: "Time from the end of the launching call to the start of the kernel on the device. A long time means that the device is busy, a short time that it waits for the host.", formula: "start of kernel - end of launching call" },
    zh: { name: "kernel 等待时间", text: "从下发调用结束到 kernel 在设备上开始的时间。时间长说明设备忙，时间短说明设备在等主机。", formula: "kernel 开始 - 下发调用结束" },
  },
  end_to_end: {
    unit: "ns",
    en: { name: "End to end", text: "Time from the start of the framework operator to the start of its kernel on the device.", formula: "prepare + enqueue + queue + launch + kernel_wait" },
    zh: { name: "端到端时间", text: "从框架算子开始到其 kernel 在设备上开始的时间。", formula: "算子准备时间 + 入队时间 + 排队时间 + 下发时间 + kernel 等待时间" },
  },
  copy_bandwidth: {
    unit: "GB/s",
    en: { name: "Copy bandwidth", text: "Bandwidth of copies between host and device, or within the device. Copies of unknown size do not count.", formula: "sum(bytes) / sum(duration of copies with known bytes)" },
    zh: { name: "拷贝带宽", text: "主机与设备之间或设备内部拷贝的带宽；大小未知的拷贝不计入。", formula: "求和(字节数) / 求和(字节数已知的拷贝的耗时)" },
  },
  allocated: {
    unit: "B",
    en: { name: "Allocated", text: "Memory that an allocator had assigned to tensors at a point in time, as sampled by the profiler.", formula: "" },
    zh: { name: "已分配", text: "某一时刻分配器已分配给张量的内存，由 profiler 采样。", formula: "" },
  },
  reserved: {
    unit: "B",
    en: { name: "Reserved", text: "Memory that an allocator had obtained from the device at a point in time, including memory that tensors do not use.", formula: "" },
    zh: { name: "已预留", text: "某一时刻分配器已从设备取得的内存，不论是否被张量使用。", formula: "" },
  },
  active: {
    unit: "B",
    en: { name: "Active", text: "Memory that tensors use, or that they have released but a stream still uses.", formula: "" },
    zh: { name: "活跃内存", text: "张量正在使用，或已释放但仍被某个流使用的内存。", formula: "" },
  },
  allocation_bytes: {
    unit: "B",
    en: { name: "Allocation size", text: "Size of one allocation, or of all allocations with one name.", formula: "" },
    zh: { name: "分配大小", text: "一次分配的字节数，或同一名称的所有分配的字节数。", formula: "" },
  },
  active_duration: {
    unit: "ns",
    en: { name: "Active duration", text: "Time from the allocation to the end of the last use of the memory.", formula: "active_release - start" },
    zh: { name: "活跃时长", text: "从分配到该内存最后一次使用结束的时间。", formula: "活跃释放时间 - 开始时间" },
  },
  start_allocated: {
    unit: "B",
    en: { name: "Total allocated after the allocation", text: "Total memory allocated after this allocation.", formula: "" },
    zh: { name: "分配后的已分配总量", text: "本次分配之后已分配内存的总量。", formula: "" },
  },
  start_reserved: {
    unit: "B",
    en: { name: "Total reserved after the allocation", text: "Total memory reserved after this allocation.", formula: "" },
    zh: { name: "分配后的已预留总量", text: "本次分配之后已预留内存的总量。", formula: "" },
  },
  memory_peak: {
    unit: "B",
    en: { name: "Memory peak", text: "Maximum of the memory allocated on a rank; its time is the first time at which the maximum was reached.", formula: "max over allocations(start_allocated)" },
    zh: { name: "内存峰值", text: "某个 rank 上同时分配的最大内存，取首次达到的时刻。", formula: "对各次分配求最大值(分配后的已分配总量)" },
  },
  highest_sample: {
    unit: "B",
    en: { name: "Highest sample", text: "Maximum of the memory samples of a component on a rank. It is not the memory peak: samples also cover other allocators, driver modules and the process, and may miss the time of the peak.", formula: "max over samples(allocated); of reserved where allocated was not sampled" },
    zh: { name: "最高采样值", text: "某个 rank 上一个组件的内存采样中的最大值。它不是内存峰值：采样还包括其他分配器、驱动模块和进程，且可能错过峰值时刻。", formula: "对各采样求最大值(已分配)；未采样已分配时取已预留" },
  },
  share_of_memory: {
    unit: "ratio",
    en: { name: "Share of memory", text: "Share of the memory allocated at the peak, or at the selected time, that belongs to allocations with this name. Memory that was allocated before the recording has no name.", formula: "bytes alive at the moment / max(total of the allocator, bytes alive of all names)" },
    zh: { name: "内存占比", text: "在峰值（或所选时刻）已分配内存中，该名称的分配所占的比例。采集开始前分配的内存没有名称。", formula: "该时刻存活的字节数 / 最大值(分配器的总量, 所有名称存活的字节数)" },
  },
  pipeline_idle: {
    unit: "ns",
    en: { name: "Idle between passes", text: "Time between two passes of a step in which a pipeline stage neither computed nor received. The chart omits intervals below 10 us.", formula: "gaps between passes of a step - union(kernels) - bubble" },
    zh: { name: "前反向之间的空闲", text: "同一 step 中相邻的前向或反向之间，流水线 stage 既未计算也未接收的一段时间。图中不显示小于 10 us 的时间段。", formula: "一个 step 内各前反向之间的间隙 - 并集(kernel) - 流水线空泡" },
  },
  tokens: {
    unit: "",
    en: { name: "Tokens", text: "Number of tokens that the experts of a rank processed in the selected steps.", formula: "sum over GroupedMatmul(first dimensions of the inputs but the last two)" },
    zh: { name: "token 数", text: "所选 step 中某个 rank 上的专家处理的 token 数。", formula: "对各 GroupedMatmul 求和(除最后两个以外各输入的第一维)" },
  },
  share_of_mean: {
    unit: "ratio",
    en: { name: "Load / mean", text: "Load of a rank that holds experts, relative to the mean of its expert group: by tokens, or by the time of grouped matrix products where layers are marked. 1 means balanced.", formula: "load of the rank / mean over the ranks of its expert group(load)" },
    zh: { name: "负载/平均", text: "持有专家的 rank 的负载与其专家组平均负载之比：按 token 数，或在标记了层时按 GroupedMatmul 的时间。1 表示均衡。", formula: "该 rank 的负载 / 其专家组各 rank 负载的均值" },
  },
  evenness: {
    unit: "ratio",
    en: { name: "Evenness", text: "Balance of a stage of reinforcement learning across its ranks. 1 means that no rank waits.", formula: "sum over steps(mean over ranks(duration)) / sum over steps(max over ranks(duration))" },
    zh: { name: "均衡度", text: "强化学习的某个阶段在各 rank 上的均衡程度。1 表示没有 rank 等待。", formula: "对各 step 求和(各 rank 耗时的均值) / 对各 step 求和(各 rank 耗时的最大值)" },
  },
  skew: {
    unit: "ratio",
    en: { name: "Longest / mean", text: "Duration of a stage of reinforcement learning on its slowest rank, divided by the mean over its ranks.", formula: "1 / evenness" },
    zh: { name: "最长/平均", text: "强化学习的某个阶段在最慢 rank 上的时长与各 rank 平均时长之比。", formula: "1 / 均衡度" },
  },
  bubble_share: {
    unit: "ratio",
    en: { name: "Waiting share", text: "Share of the time of a stage of reinforcement learning in which its ranks wait for the slowest rank.", formula: "1 - evenness" },
    zh: { name: "阶段等待占比", text: "强化学习的某个阶段中，各 rank 等待最慢 rank 的时间占比。", formula: "1 - 均衡度" },
  },
  lost: {
    unit: "ms",
    en: { name: "Lost per step", text: "Time by which a step would be shorter without the cause: the job is replayed with the rank, host, stage or link made equal to comparable ones. Only steps that the cause affects count.", formula: "mean over affected steps(replayed step - replayed step without the cause)" },
    zh: { name: "每个 step 的损失", text: "消除某个原因后 step 会缩短的时间：把该 rank、主机、stage 或链路改为与可比对象相同，再重放作业。只计受影响的 step。", formula: "对受影响的 step 求均值(重放的 step 耗时 - 去除该原因后重放的 step 耗时)" },
  },
  step_without: {
    unit: "ms",
    en: { name: "Step time if the findings were fixed", text: "Step time of the job if all findings of the diagnosis were fixed.", formula: "job_step_time - mean over steps(replayed step - replayed step without all causes)" },
    zh: { name: "原因消除后的 step 耗时", text: "消除全部诊断结论的原因后，作业的 step 耗时。", formula: "作业 step 耗时 - 对各 step 求均值(重放的 step 耗时 - 去除所有原因后重放的 step 耗时)" },
  },
  share_of_step: {
    unit: "ratio",
    en: { name: "Share of step", text: "Share of the step time that a finding costs, in the steps that it affects.", formula: "lost / replayed step time of the affected steps" },
    zh: { name: "step 耗时占比", text: "某条诊断结论的损失在其影响的 step 中占 step 耗时的比例。", formula: "每个 step 的损失 / 受影响的 step 重放后的耗时" },
  },
  confidence: {
    unit: "ratio",
    en: { name: "Confidence", text: "How certain a finding is, from 0 to 1. A cost that is no larger than the replay error, or a comparison with only one other, halves it. For findings that depend on the parallel layout it is multiplied by the confidence of the layout.", formula: "share / (share + replay_error) * compared / (compared + 1)" },
    zh: { name: "置信度", text: "诊断结论的可信程度，0 到 1。损失不大于重放误差，或只有一个可比对象时，置信度减半。依赖并行布局的诊断结论还要乘以布局的置信度。", formula: "占比 / (占比 + 重放误差) * 比较对象数 / (比较对象数 + 1)" },
  },
  replay_error: {
    unit: "ratio",
    en: { name: "Replay error", text: "Relative difference between the recorded step time and the step time of a replay of the job without changes.", formula: "mean over steps(|replayed step - recorded step| / recorded step)" },
    zh: { name: "重放误差", text: "不作改动地重放作业时，重放的 step 耗时与实际记录的 step 耗时之间的相对误差。", formula: "对各 step 求均值(|重放的 step 耗时 - 采集的 step 耗时| / 采集的 step 耗时)" },
  },
  unmatched_operations: {
    unit: "",
    en: { name: "Unmatched communication operations", text: "Number of communication operations in which no other rank of the profile takes part.", formula: "" },
    zh: { name: "未匹配的通信算子", text: "在 profile 中找不到其他 rank 参与的通信算子个数。", formula: "" },
  },
  clock_offset: {
    unit: "ns",
    en: { name: "Clock offset", text: "Time by which the clock of a host is ahead of the clock of the first host. It is measured from collectives, which all ranks end at the same time, and times are corrected by it.", formula: "median(end on this host - end on the first host) at the first moment" },
    zh: { name: "时钟偏移", text: "某主机时钟比第一台主机快多少。各 rank 同时结束集合通信，由此得到偏移，并据此校正时间。", formula: "最初时刻的 中位数(本主机上的结束时间 - 第一台主机上的结束时间)" },
  },
  clock_drift: {
    unit: "ppm",
    en: { name: "Clock drift", text: "Rate by which the clock of a host runs faster than the clock of the first host, in parts per million.", formula: "slope of the differences over time" },
    zh: { name: "时钟漂移", text: "某主机时钟比第一台主机走得快多少，单位百万分之一。", formula: "差值随时间变化的斜率" },
  },
  clock_residual: {
    unit: "ns",
    en: { name: "Clock residual", text: "Difference that remains between two clocks after they are aligned.", formula: "median(|difference - (clock_offset + clock_drift * time)|)" },
    zh: { name: "时钟残差", text: "两个时钟对齐之后剩余的差值。", formula: "中位数(|差值 - (时钟偏移 + 时钟漂移 * 时间)|)" },
  },
} as const;
