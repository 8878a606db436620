# npuscope 的中文文案，语法见 Project Fluent。每条消息一个条目；用法见 crates/messages/src/lib.rs。

# crates/messages 的示例。
example = { $steps } 个 step 的耗时是之前的 { $times } 倍

## 诊断结论：对象、现象与代价

claim = { $who }：{ $what }
claim-with-cost = { $who }：{ $what }；{ $cost }
claim-no-device = 没有采集设备数据，只有主机侧活动，无法判断设备的情况
claim-slow-rank = rank { $rank } 的计算耗时是其他 rank 的 { $ratio } 倍（每个 step { $computing } ms，其他 rank 的中位数为 { $median } ms），其他 rank 在等待它
claim-slow-in-stage = rank { $rank } 的计算耗时是同一流水线阶段其他 rank 的 { $ratio } 倍（每个 step { $computing } ms，其他 rank 的中位数为 { $median } ms），其他 rank 在等待它
who-rank = rank { $rank }
who-ranks = rank { $ranks }
who-link = rank { $first } 与 rank { $second }
cost = 每个 step 损失 { $lost } ms{ $when }
cost-behind-others = { $cost }，其他原因消除后损失 { $lost } ms
when-always = { "" }
when-in-step = （仅 step { $step }）
when-in-steps = （step { $first } 到 { $last } 之间的 { $count } 个 step）

## 诊断结论：现象

what-compute = 其 kernel 耗时是可比 rank 的 { $ratio } 倍
what-frequency = 其 AI Core 频率为 { $own } MHz，其他 rank 为 { $others } MHz
what-expert-imbalance = 其专家处理的 token 多于其他 rank 的专家
what-aicpu = 有 { $operators } 个算子在 AI CPU 上运行
what-stage-imbalance = 流水线阶段 { $stage } 的计算有 { $share } % 超出其他阶段
what-host = 主机 { $host } 两次下发的间隔是其他主机的 { $ratio } 倍
what-host-of-rank = 其主机进程两次下发的间隔是其他进程的 { $ratio } 倍
what-gc = Python 垃圾回收每个 step 占用 { $own } ms
what-dataloader = 每个 step 等待下一批数据 { $own } ms，其他 rank 为 { $others } ms
what-synchronisation = 其主机每个 step 等待设备 { $own } 次，其他主机为 { $others } 次
what-memory = 每个 step 内存不足 { $own } 次：主机等待设备后重新申请
what-memory-leak = 已分配内存每个 step 增长 { $growth } MB
what-link = 两者之间 { $transport } 链路的传输耗时是其他链路的 { $ratio } 倍（{ $bandwidth } GB/s）
what-retransmission = 有 { $transfers } 次传输被重传，最长耗时 { $longest } ms
what-clock-ahead = 主机 { $host } 的时钟比其他主机快 { $offset } ms；此处的时间已校正
what-clock-behind = 主机 { $host } 的时钟比其他主机慢 { $offset } ms；此处的时间已校正

## 诊断结论：时间线上的证据

seen-kernel = kernel { $name }：{ $own } ms，其他 rank { $others } ms
seen-aicpu = { $name } 在 AI CPU 上：{ $own } ms
seen-gc = 垃圾回收：{ $own } ms
seen-dataloader = 等待下一批数据：{ $own } ms
seen-synchronisation = 等待设备：{ $own } ms
seen-allocation = 申请内存：{ $own } ms
seen-retransmission = 从 rank { $from } 到 rank { $to } 的 { $bytes } 字节：{ $own } ms，通常 { $usual } ms
seen-link = { $bytes } 字节：{ $own } ms，其他链路 { $others } ms

## 诊断结论：建议

try-compute = 检查该设备：是否有其他进程占用、内存带宽、日志中的故障；更换设备后重新运行
try-frequency = 检查设备的供电与散热：npu-smi info -t power 和 -t temp
try-expert-imbalance = 均衡各专家的 token：辅助损失、容量因子，或迁移繁忙的专家
try-aicpu = 避免使用该算子或该数据类型，使其在 AI Core 上运行
try-stage-imbalance = 将部分层移到其他阶段：--num-layer-list，或不均匀切分
try-host = 检查主机：CPU 负载、进程绑核、频率调节策略
try-gc = 只在指定的 step 之间回收垃圾：gc.disable() 与 gc.collect()，或 gc.freeze()
try-dataloader = 增加数据加载的 worker 与预取，或更换更快的存储
try-synchronisation = 将 .item()、.cpu() 和打印张量移出循环，或每个 step 只做一次
try-memory = 设置 PYTORCH_NPU_ALLOC_CONF=expandable_segments:True，或预留更多内存
try-memory-leak = 查找跨 step 保留的张量，例如追加到列表中的 loss
try-link = 用 hccl_test 测试该链路；检查线缆、端口与错误计数
try-retransmission = 检查网络：hccn_tool -stat、丢包、流控、线缆
try-clock = 用时间服务器同步所有主机的时钟；npuscope 已对偏差作校正
try-slow-rank = 将该 rank 的 kernel 与核频率同其他 rank 比较
try-no-device = 在时间线上比较各主机的区间与算子

## 诊断结论：数值名称

number-lost = 损失
number-lost-behind-others = 其他原因消除后的损失
number-step = step 时间
number-step-if-fixed = 消除后的 step 时间
number-ratio = 耗时倍数
number-frequency = 频率
number-frequency-of-others = 其他 rank 的频率
number-aicpu = AI CPU 耗时
number-aicpu-of-others = 其他 rank 的 AI CPU 耗时
number-stage = 流水线阶段
number-share-of-computing = 计算占比
number-per-step = 每个 step
number-of-others = 其他 rank
number-waits-per-step = 每个 step 的等待次数
number-growth = 每个 step 增长
number-bandwidth = 带宽
number-transfers = 传输次数
number-longest = 最长
number-offset = 偏差
number-drift = 漂移
number-computing = 计算
number-median = 其他 rank 的中位数

## 并行策略

layout-sizes = { $sizes }
layout-ranks = { $ranks } 个 rank
layout-recorded = { $sizes }（来自采集的元数据）
layout-inferred = { $sizes }（由通信组推断，置信度 { $confidence }）
layout-unknown = 未知

## 结论的局限

rank-without-device = rank { $rank } 没有设备数据，未参与分析
problem-of-rank = rank { $rank } { $file }：{ $message }

## 缺少的数据

verbatim = { $text }
no-rank-has = 没有 rank 含有以下数据：{ $what }。
mode-needs = { $mode } 缺少所需数据，没有 rank 含有：{ $what }；{ $hint }
to-collect = { $what }采集方法：{ $switch }
not-collectable = 无：该 profiler 不采集此数据
saw-host-only = 没有采集设备：{ $recorder } 只采集了主机侧

## 数据名称

data-framework-operators = 框架算子
data-device-tasks = 设备任务
data-step-markers = step 标记
data-types-and-shapes = 算子类型与 kernel 形状
data-operator-types = 算子类型
data-kernel-shapes = kernel 形状
data-ai-core-metrics = AI Core 指标
data-cann-calls = CANN 调用
data-runtime-calls = runtime 调用
data-memory = 内存
data-memory-figures = 内存数据
data-allocations = 内存申请
data-planned-memory = 图编译器规划的内存；只有以编译图运行的作业才有
data-input-shapes = 算子输入形状
data-call-stacks = 调用栈
data-python-functions = Python 函数
data-l2-cache = L2 cache 命中率
data-user-ranges = 用户区间（mstx）
data-garbage-collections = 垃圾回收记录
data-task-queue = 任务队列记录
data-host-slices = 主机切片
data-launches = 下发 kernel 的调用
data-kernels = kernel
data-computing-kernels = 计算类 kernel
data-kernels-or-cann-calls = kernel 或 CANN 调用
data-kernels-or-operations = kernel 或通信算子
data-kernels-operators-or-communication = kernel、算子或通信
data-grouped-matmul = 带形状的 GroupedMatmul kernel
data-expert-group = 共享专家的 rank 组
data-frequency = AI Core 频率采样
data-chip = 芯片的核数与频率（device_N/info.json.N）
data-operations = 通信算子
data-operations-of-devices = 通信算子；单设备的作业没有通信
data-links = 通信链路
data-links-of-devices = 通信链路；单设备的作业没有通信
data-pieces = 发送与接收的各个部分
data-step-times = step 时间
data-steps-and-communication = step 与通信的时间
data-parallel-groups = 元数据中的 parallel_group_info
data-passes = 前向与反向的 mstx 区间
data-ranges-of-domain = { $domain } 域的 mstx 区间
data-communication-ranges = 通信的 mstx 区间
data-device-marks = 设备上的 mstx 标记或区间
data-rl-stages = actor_generate、actor_update 等阶段的用户区间（mstx）

## 数据的用途

use-launching-line = kernel 由模型的哪一行下发
use-npu = NPU 做了什么
use-device = 设备做了什么
use-step-time = 每个训练 step 的时间
use-operators = 哪些算子耗时
use-bound = kernel 受什么限制
use-bandwidth = 带宽，以及等待与传输的占比
use-late-host = 主机为何下发慢
use-synchronising = 同步调用与拷贝
use-memory = 峰值、碎片、泄漏
use-slow-call = 算子的哪次调用慢
use-code-line = 算子对应的代码行
use-cache-misses = cache 未命中的 kernel
use-names = 按名称划分的阶段与模块

## 采集方法

collect-level0 = 以 level0 或以上采集
collect-level1 = 以 level1 或以上采集
collect-level1-of-devices = 在多个 NPU 上以 level1 或以上采集
collect-level1-or-mstx = 在多个 NPU 上以 level1 采集，或以 level_none 并打开 mstx 采集
collect-npu-level0 = 以 level0 或以上采集 NPU 活动
collect-npu-level1 = 以 level1 或以上采集 NPU 活动
collect-cann-calls = 以 level0 或以上采集 NPU 活动；text 结果从 level1 起才有调用
collect-parallel-groups = 像 Megatron 和 MindSpeed 那样把 parallel_group_info 写入 profiler 的元数据
collect-parallel-groups-by-hand = 基于 Megatron 的训练框架会写入，其他框架可用 prof.add_metadata_json 写入
collect-grouped-matmul = 以 level1 或以上采集含分组矩阵乘的模型
collect-frequency = 在支持上报频率的芯片（Atlas A2 或更新）上采集 NPU 活动
collect-passes = 用 torch_npu.npu.mstx.range_start 标记 forward_step 与 backward_step，并打开 mstx 采集
collect-mfu-ranges = 以 mstx=True 采集，并用 { $code } 标记算子
collect-raw-data = 以 data_simplification=False 采集，保留 profiler 的原始数据
collect-communication-ranges = 在多个 NPU 上打开 mstx 采集
collect-modules = 以 mstx=True 采集，并用 { $code } 标记模块，例如在 forward hook 中
collect-device-marks = 在脚本中加入 mstx 标记，并以 mstx=True 采集
collect-rl-stages = 用 torch_npu.npu.mstx.range_start 标记各阶段，并以 mstx=True 采集
collect-exported = 用 torch_npu、MindSpore 或 msprof 采集 NPU，并导出结果
collect-device = 没有采集设备，只有主机侧活动

## cluster：说明

note-of-baseline = 基线：{ $note }
note-frequency = 所有 rank 的 AI Core 均以 { $nominal } MHz 运行
note-unknown-peak = 未包含在 { $types } 上运行的算子：其峰值未知
note-no-kernel-in-range = 没有 kernel 是在给出计算量的区间内下发的
note-has-operations = 每个 rank 都已有通信算子
note-no-slow-links = 没有通信的耗时长于可比的通信
note-no-sends = 没有发送与接收
note-unequal-sends = rank { $source } 向 rank { $destination } 发送 { $sent } 次，后者接收 { $received } 次：部分发送与接收的配对不正确
note-no-slow-rank = 没有 rank 让其他 rank 等待
note-no-masked-operation = 没有 step 含有 { $types } 组的算子
note-nothing-to-compare = 无可比较：没有 rank 在 profile 与基线中都有模块
note-not-reported = 没有 rank 上报以下数据：{ $what }；{ $hint }
note-ranks-not-in-profile = { $world } 个 rank 中有 { $count } 个不在 profile 中：{ $ranks }
note-inferred-layout = 并行策略由通信组推断：{ $sizes }（置信度 { $confidence } %）
note-unknown-link-ends = 未包含 { $links } 条链路：组 { $group } 的 { $number } 号是哪个 rank 未知
note-unknown-link-ends-more = 未包含 { $links } 条链路：组 { $group } 的 { $number } 号是哪个 rank 未知，另有 { $more } 处
note-unknown-links = 未包含 { $links } 条链路：它们连接的 rank 未知，例如组 { $group } 的 { $from } 号与 { $to } 号
note-no-operator-in-module = 没有下发过任务的算子在模块内运行
note-incomplete-collectives = { $collectives } 个集合通信缺少 rank：未计入等待与传输时间
note-earlier-results = 两者均为此前运行 { $mode } 的结果
note-baseline-lacks = 基线缺少 { $steps }
step-of-rank = rank { $rank } 的 step { $step }
note-never-free = 设备没有空闲
note-single-marks = rank { $rank }：没有配对的标记：{ $marks }

## cluster：未包含的内容

absent-step = 没有 step { $step }
absent-ranges = 没有 { $domain } 域的 mstx 区间
absent-chip = 没有 device_N/info.json.N，芯片型号未知
absent-no-place = 它是 PyTorch 自带 profiler 的 trace，无法写入 NPU 的数据库
absent-nothing-kept = 过滤后没有剩余内容
absent-modules = 其模块没有下发任何任务
absent-in-baseline = 基线中没有该 rank
lacks-reported = 没有上报：{ $what }
of-baseline = 基线：{ $why }

## 终端：诊断结论

findings-heading = 诊断结论
findings-more = …… 还有 { $count } 条结论；--format json 列出全部
severity-critical = 严重
severity-warning = 警告
severity-info = 提示
finding-share = 约占 step 的 { $share } %
finding-confidence = 置信度约 { $confidence } %：可比较的 rank 太少
finding-seen = 证据：rank { $rank }：{ $what }
finding-seen-in-step = 证据：rank { $rank }，step { $step }：{ $what }
finding-seen-again = { $seen }（共 { $times } 次）
finding-try = 建议：{ $suggestion }
finding-see = 查看：{ $command }

## 终端：diagnose

diagnose-headline = { $ranks } 个 rank，{ $steps } 个 step，每个 step { $step_ms } ms
diagnose-if-fixed = ；消除以下问题后为 { $step_ms } ms
diagnose-layout = 并行策略：{ $layout }
diagnose-one-host = 时钟：单台主机
diagnose-clocks = 时钟：{ $hosts } 台主机，最多相差 { $apart } us，对齐误差 { $residual } us
diagnose-unaligned = 时钟未对齐（与第一台主机之间没有通信）：{ $hosts }
diagnose-replay = 重放：与记录的 step 相差 { $error } %
diagnose-unmatched = { $operations } 个通信算子在其他 rank 上没有对应项
diagnose-no-findings = 未发现问题

## 终端：info

info-headline = { $ranks } 个 rank，{ $steps } 个 step，每个 step { $step_ms } ms
info-headline-without-markers = { $ranks } 个 rank，没有 step 标记，共 { $step_ms } ms
info-device-per-step = 每个 step 的设备时间，均值，ms
info-device = 设备时间，ms
info-without-steps = 没有 step 时间的 rank：{ $ranks }
info-longest-computing = 仅列出计算最久的 { $count } 个 rank；--format json 列出全部
info-longest-steps = 仅列出 step 最长的 { $count } 个 rank；--format json 列出全部
info-host = 没有采集设备数据；主机侧的 step 时间，均值，ms
info-host-of-ranks = rank { $ranks } 没有采集设备数据；主机侧的 step 时间，均值，ms
info-host-work = 按名称统计的主机时间，每个 step 的均值，ms
info-on-rank = { $value }（rank { $rank }）
info-no-device = 无；没有采集设备数据，无法判断设备的情况
info-one-rank = 无；没有其他 rank 可比较
info-no-findings = 无；没有 rank 的计算时间明显长于同阶段的其他 rank

## 终端：读取情况

reading-problems = 读取时遇到 { $problems } 个问题，结果可能不完整；npuscope doctor { $path } 列出详情
reading-remarks = 读取时有 { $remarks } 条提示；npuscope doctor { $path } 列出详情
reading-problems-and-remarks = 读取时遇到 { $problems } 个问题，另有 { $remarks } 条提示，结果可能不完整；npuscope doctor { $path } 列出详情
reading-strict = 读取时遇到 { $problems } 个问题（--strict）；第一个：{ $first }

## 终端：doctor

doctor-headline = { $path } 中有 { $ranks } 个 rank
doctor-files = 文件
doctor-rows = 各表行数
doctor-missing = 缺少的数据
doctor-missing-from-file = 此文件中缺少的数据；profile 的其他文件中可能有
doctor-missing-line = { $what }{ $whose }：{ $purpose }{ $remark }
doctor-on-all = { "" }
doctor-on-rank = （rank { $rank }）
doctor-on-ranks = （rank { $ranks }）
doctor-no-remark = { "" }
doctor-why = （{ $why }）
doctor-was-on = （已开启，但没有数据）
doctor-nothing = 无
doctor-problems = 问题
doctor-no-problems = 无
doctor-at-byte = { " " }第 { $offset } 字节
doctor-steps = { $first } 到 { $last } 之间共 { $count } 个
doctor-window = { $start } 起 { $seconds } s
doctor-more-ranks = …… 还有 { $count } 个 rank；--format json 列出全部
doctor-more-problems = …… 还有 { $count } 个问题；--format json 列出全部
severity-error = 错误

## 终端：cluster

cluster-left-out = 未包含 rank { $rank }：{ $why }
cluster-lacks = rank { $rank }：{ $why }
cluster-left-out-file = 未包含 rank { $rank } { $file }：{ $why }
cluster-lacks-file = rank { $rank } { $file }：{ $why }
cluster-strict = 有内容无法读取（--strict）：{ $first }
cluster-more-problems = …… 还有 { $count } 个问题
cluster-more-files = …… 还有 { $count } 个文件
cluster-nothing = { $mode }：没有可报告的内容
cluster-no-ranks = 没有 rank { $ranks }
