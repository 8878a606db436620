# npuscope 的中文文案，语法见 Project Fluent。每条消息一个条目；用法见 crates/messages/src/lib.rs。

# crates/messages 的示例。
example = { $steps } 个 step 的耗时是之前的 { $times } 倍

## 诊断结论：对象、现象与代价

claim = { $who }：{ $what }
claim-with-cost = { $who }：{ $what }；{ $cost }
claim-no-device = 没有采集设备数据，只有主机侧活动，无法判断设备的情况
claim-slow-rank = rank { $rank } 的计算耗时是其他 rank 的 { $ratio } 倍（每个 step { $computing } ms，其他 rank 的中位数为 { $median } ms），其他 rank 在等待它
claim-slow-in-stage = rank { $rank } 的计算耗时是同一流水线 stage 其他 rank 的 { $ratio } 倍（每个 step { $computing } ms，其他 rank 的中位数为 { $median } ms），其他 rank 在等待它
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
what-stage-imbalance = 流水线 stage { $stage } 的计算有 { $share } % 超出其他 stage
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
try-stage-imbalance = 将部分层移到其他 stage：--num-layer-list，或不均匀切分
try-host = 检查主机：CPU 负载、进程绑核、频率调节策略
try-gc = 只在指定的 step 之间回收垃圾：gc.disable() 与 gc.collect()，或 gc.freeze()
try-dataloader = 增加数据加载的 worker 与预取，或更换更快的存储
try-synchronisation = 将 .item()、.cpu() 和打印张量移出循环，或每个 step 只做一次
try-memory = 设置 PYTORCH_NPU_ALLOC_CONF=expandable_segments:True，或留出更多空闲内存
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
number-stage = 流水线 stage
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

## 并行布局

layout-sizes = { $sizes }
layout-ranks = { $ranks } 个 rank
layout-recorded = { $sizes }（来自采集的元数据）
layout-inferred = { $sizes }（由通信组推断，置信度 { $confidence }）
layout-unknown = 未知

## 结论的局限

rank-without-device = rank { $rank } 没有设备数据，未参与分析
diagnostic-of-rank = rank { $rank } { $file }：{ $message }

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
data-types-and-shapes = 算子类型与 kernel shape
data-operator-types = 算子类型
data-kernel-shapes = kernel shape
data-ai-core-metrics = AI Core 指标
data-cann-calls = CANN 调用
data-runtime-calls = runtime 调用
data-memory = 内存
data-memory-figures = 内存数据
data-allocations = 内存申请
data-planned-memory = 图编译器规划的内存；只有以编译图运行的作业才有
data-input-shapes = 算子输入 shape
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
data-grouped-matmul = 带 shape 的 GroupedMatmul kernel
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
data-device-marks = 设备上的 mstx 打点或区间
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
collect-device-marks = 在脚本中加入 mstx 打点，并以 mstx=True 采集
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
note-inferred-layout = 并行布局由通信组推断：{ $sizes }（置信度 { $confidence } %）
note-unknown-link-ends = 未包含 { $links } 条链路：组 { $group } 的 { $number } 号是哪个 rank 未知
note-unknown-link-ends-more = 未包含 { $links } 条链路：组 { $group } 的 { $number } 号是哪个 rank 未知，另有 { $more } 处
note-unknown-links = 未包含 { $links } 条链路：它们连接的 rank 未知，例如组 { $group } 的 { $from } 号与 { $to } 号
note-no-operator-in-module = 没有下发过任务的算子在模块内运行
note-incomplete-collectives = { $collectives } 个集合通信缺少 rank：未计入等待与传输时间
note-earlier-results = 两者均为此前运行 { $mode } 的结果
note-baseline-lacks = 基线缺少 { $steps }
step-of-rank = rank { $rank } 的 step { $step }
note-never-free = 设备没有空闲
note-single-marks = rank { $rank }：没有配对的打点：{ $marks }

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

## 终端：auto-completion

completion-paste = 将以下命令粘贴到终端即可启用自动补全

## 终端：diagnose

diagnose-headline = { $ranks } 个 rank，{ $steps } 个 step，每个 step { $step_ms } ms
diagnose-if-fixed = ；消除以下问题后为 { $step_ms } ms
diagnose-layout = 并行布局：{ $layout }
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
info-no-findings = 无；没有 rank 的计算时间明显长于同一流水线 stage 的其他 rank

## 终端：读取情况

reading-losses = 读取时有 { $losses } 条警告，结果可能不完整；npuscope doctor { $path } 列出详情
reading-infos = 读取时有 { $infos } 条提示；npuscope doctor { $path } 列出详情
reading-losses-and-infos = 读取时有 { $losses } 条警告和 { $infos } 条提示，结果可能不完整；npuscope doctor { $path } 列出详情
reading-strict = 读取时有 { $losses } 条警告（--strict）；第一条：{ $first }

## 终端：doctor

doctor-headline = { $path } 中有 { $ranks } 个 rank
doctor-files = 文件
doctor-rows = 各表行数
doctor-missing = 缺少的数据
doctor-missing-from-file = 此文件中缺少的数据；profile 的其他文件中可能有
doctor-missing-line = { $what }{ $whose }：{ $purpose }{ $reason }
doctor-on-all = { "" }
doctor-on-rank = （rank { $rank }）
doctor-on-ranks = （rank { $ranks }）
doctor-no-reason = { "" }
doctor-why = （{ $why }）
doctor-was-on = （已开启，但没有数据）
doctor-nothing = 无
doctor-diagnostics = 诊断信息
doctor-no-diagnostics = 无
doctor-at-byte = { " " }第 { $offset } 字节
doctor-steps = { $first } 到 { $last } 之间共 { $count } 个
doctor-window = { $start } 起 { $seconds } s
doctor-more-ranks = …… 还有 { $count } 个 rank；--format json 列出全部
doctor-more-diagnostics = …… 还有 { $count } 条诊断信息；--format json 列出全部
severity-error = 错误

## 终端：cluster

cluster-left-out = 未包含 rank { $rank }：{ $why }
cluster-lacks = rank { $rank }：{ $why }
cluster-left-out-file = 未包含 rank { $rank } { $file }：{ $why }
cluster-lacks-file = rank { $rank } { $file }：{ $why }
cluster-strict = 有内容无法读取（--strict）：{ $first }
cluster-more-diagnostics = …… 还有 { $count } 条诊断信息
cluster-more-files = …… 还有 { $count } 个文件
cluster-nothing = { $mode }：没有可报告的内容
cluster-no-ranks = 没有 rank { $ranks }

## 采集

# 提示：级别与所涉及的键

diagnostic-info = 提示
diagnostic-warning = 警告
diagnostic-error = 错误
diagnostic-with-key = { $key }：{ $message }
hint-none = { "" }
hint = （是否想写 { $word }？）

# 无法读取的文件

no-settings = 没有找到 profiler 配置；应为 --profile… 命令行参数、包含 training.profile… 或 profiler_config.integrated 的 YAML，或者 torch_npu、MindSpore profiler 的 JSON
malformed-text = { $language } 格式错误：{ $what }
nested-too-deep = 嵌套层次过深
alias-without-anchor = 别名之前没有对应的锚点
too-many-values = 值的数量超过 { $limit }
variable-without-object = { $variable } 中没有 JSON 对象
section-missing = 该部分缺失或为空
choice-invalid = "{ $word }" 既不是 "all"，也不是列表

# 键与命令行参数

key-twice = 键重复；以最后一个为准
value-missing = 缺少值
value-missing-default = 缺少值；此处使用默认值
unknown-key = 未知的键{ $hint }；{ $consequence }
unknown-flag = 未知的命令行参数{ $hint }；{ $consequence }
foreign-flag = 不是 { $trainer } 的 profiler 参数；忽略
consequence-no-effect = 不会生效
consequence-refused = { $trainer } 会拒绝启动
consequence-dropped = { $trainer } 会直接忽略，不作提示
only-section-read = 只读取 { $section } 部分{ $hint }
belongs-below = 应写在 { $section } 之下；此处忽略
belongs-in = 应写在 { $section } 中
renamed = 新版本中名为 { $newer }
renamed-and-called = 新版本中名为 { $newer }，并且需要调用它
renamed-silently = 旧版本的名称；新版本会直接忽略它，改为读取 { $newer }
respelt = { $old } 现在写作 { $newer }
deprecated = 已弃用；请使用 { $newer }
code-deprecated = 数字写法已弃用；{ $code } 表示 { $meaning }
export-code-unknown = { $code } 不是导出类型；{ $peer } 会改用 text

# 取值

value-invalid = 取值 { $value } 无效，应为{ $expected }
value-replaced = 取值 { $value } 无效，应为{ $expected }；{ $peer } 会改用 { $instead }
value-unresolved = { $value } 只能由训练框架解析；此处按 { $instead } 处理
value-too-small = { $value } 过小，最小为 { $least }；{ $peer } 会改用 { $instead }
expected-bool = { " " }true 或 false
expected-integer = 整数
expected-text = 字符串
expected-object = 对象
expected-keys = 包含键的部分
expected-one-of = { " " }{ $words } 之一{ $hint }
expected-list-of = { " " }{ $words } 的列表
expected-activity = { " " }CPU 或 NPU
expected-activities = { " " }CPU、NPU 或两者的列表
expected-schedule = 包含 wait、warmup、active、repeat、skip_first 的对象
expected-export = { " " }text、db 或两者的列表
expected-names = 名称列表
expected-ranks = rank 列表
expected-ranks-or-all = rank 列表，或用 [-1] 表示全部
expected-rank-numbers = rank 编号，或用 -1 表示全部
expected-milliseconds = 不小于 0 的毫秒数
expected-handler = { " " }tensorboard_trace_handler，或包含其参数的对象，例如 { $arguments }
instead-none = 空值
instead-both = 两者
instead-default = 默认值
instead-raw-data = 空的 handler（调用 analyse() 之前只有原始数据）
instead-temporary-data = 空的 handler（数据写入临时目录，结束时删除）

# rank 与阶段

no-rank-selected = 没有选择任何 rank；不会采集数据
no-such-ranks = 作业有 { $world } 个 rank（从 0 编号），其中没有选择任何一个；不会采集数据
ranks-missing = 作业有 { $world } 个 rank（从 0 编号）；以下 rank 不存在：{ $ranks }
not-a-rank = { $value } 不是 rank
all-ranks-included = 列表中有 -1，因此采集所有 rank
all-ranks-not-alone = -1 单独出现时才表示所有 rank；此处忽略
all-ranks-is-all = -1 在此处不是 rank；选择所有 rank 请写 all
ranks-are-text = 字符串 { $text } 不会选中任何 rank；请写 all，或列表如 [0, 1]
ranks-are-no-list = { $value } 既不是 all，也不是列表；{ $peer } 会改用 [0]
stages-are-no-list = { $value } 既不是阶段，也不是阶段列表；不会采集数据
all-stages-not-alone = all 必须单独出现；在列表中不会选中任何阶段
unknown-stage = 未知的阶段 { $stage }{ $hint }；可用的阶段为 all、{ $stages }
no-stage-selected = 没有选择任何存在的阶段；不会采集数据

# 要采集的 step

profiling-off = profiling 未开启；其余配置按开启时检查
run-without-steps = 本次运行没有 step；不会采集数据
starts-after-end = 采集应从 step { $first } 开始，但最后一个 step 是 { $last }；不会采集数据
data-set-incomplete = 最后一个 step 是 { $last }，但这份数据需要到 step { $needed }；数据将不完整
fewer-data-sets = 最后一个 step 是 { $last }；{ $asked } 份数据中只会采集 { $begun } 份
until-end = 采集持续到训练结束；届时 profiler 会警告 schedule 不正确，但数据会保留
steps-from-run = step 从本次运行开始计数；不包括检查点之前的 step
iterations-from-run = 迭代从本次运行开始计数，第一个为 1
before-first-step = { $step } 无效，step 从 { $first } 开始计数
begins-at-first-step = { $step } 无效，step 从 1 开始计数；采集从 step 1 开始
before-this-run = { $start } 过早：迭代 { $done } 已完成，本次运行的第一个迭代是 { $first }
end-not-after-start = 结束 { $end } 不在开始 { $start } 之后
records-one-step = { $message }；torch_npu 会改为采集一个 step
records-no-stage = { $message }；不会采集任何阶段
refused = { $message }；{ $trainer } 会拒绝启动
would-refuse = { $message }；如果开启 profiling，{ $trainer } 会拒绝启动
end-of-training = 按文档 -1 表示训练结束，此处照此处理；{ $trainer } 实际只采集一个 step
stop-before-start = { $stop } 在 start_step { $start } 之前；不会采集数据
active-missing = 缺失，但 schedule 需要它；使用 1
no-warmup = 没有 warmup step，因此采集的第一个 step 会比正常情况慢

# 互相依赖的配置

cpu-in-activities = activities 中的 CPU
host-data-off = 没有 { $switch } 时不生效：{ $what }在主机侧采集
gpu-ignored = GPU 被忽略：该平台没有 GPU
host-sys-needs-root = disk 和 osrt 需要 root 权限，以及 iotop、perf、ltrace 工具
no-effect-without = 没有 { $key } 时不生效
no-effect-with = 与 { $key } 同时设置时不生效
no-effect-without-npu = activities 中没有 NPU 时不生效
no-effect-on-npu = 在 NPU 上不生效
level-none-turns-mstx-on = 该级别只采集打点，因此 torch_npu 会开启 mstx
level-none-without-mstx = LevelNone 只采集打点；没有 mstx 时 MindSpore 会改用 Level0
metrics-need-level = 需要 Level1 或 Level2；{ $peer } 会改用 AiCoreNone
metrics-required = 未设置，但该级别需要指标；{ $peer } 会改用 PipeUtilization
op-attr-needs-db = 仅数据库支持；export_type 不包含 db 时 torch_npu 会关闭它
shapes-need-cpu = 需要 activities 中有 CPU；MindSpore 会关闭它
memory-needs-both = 框架的内存数据需要 activities 中同时有 CPU 和 NPU
cpu-and-npu-off = profile_with_cpu 也已关闭；torch_npu 会两者都采集，而不是都不采集
data-process-needs-no-schedule = 不能与 schedule 同时使用；MindSpore 会关闭它
host-sys-needs-start = 按文档需要 start_profile=False
starts-on-call = 调用 start() 后才开始采集
must-start = 必须为 true，否则不会采集数据
code-in-file = 文件中不能包含代码；忽略
rank-list-without-is-rank = is_rank 为 true 时才生效；采集所有 rank

# 数据的位置与解析

shell-variable = 包含 shell 变量；此处不知道它的值
switch-with-value = 不带值；请删除 { $value }
path-missing = 缺失；此处使用文档中的默认值 { $path }，但 MindSpeed-RL 实际使用当前目录
output-path-ignored = 不生效：以 on_trace_ready 的目录为准
handler-missing-raw = 缺失：调用 analyse() 之前只有原始数据
handler-missing-temporary = 缺失：torch_npu 写入临时目录，结束时删除
analysed-later = profile_analysis 已关闭；此类文件由之后的解析生成
analysis-off-with-ranks = is_rank 为 true，因此被关闭；要解析请设置 async_mode
analyse-mode-ignored = analyse 为 true 时才生效；不会解析数据
analyse-mode-unknown = 未知的模式 { $mode }；可用的模式为 -1（不解析）、0（同步）、1（异步）

# shell 脚本

comment-ends-command = shell 在此注释处结束命令；第 { $line } 行不属于该命令，但此处仍一并读取
comment-in-quotes = 引号内没有 shell 注释；训练框架会把这些文字当作参数

# 配置的写法与相互转换

notation-llm-flags = MindSpeed-LLM 命令行参数
notation-fsdp2-yaml = FSDP2 YAML
notation-fsdp2-flags = FSDP2 命令行参数
notation-rl-yaml = MindSpeed-RL YAML
notation-mindspore-arguments = MindSpore profiler 参数
notation-mindspore-dynamic = MindSpore 动态采集 JSON
notation-mindspore-environment = MindSpore MS_PROFILER_OPTIONS
notation-torch-npu-arguments = torch_npu profiler 参数
notation-torch-npu-dynamic = torch_npu 动态采集 JSON
inexpressible = 目标格式（{ $notation }）无法表示 { $value }；将变为 { $instead }
inexpressible-analysis = 目标格式（{ $notation }）无法表示 { $value }；将变为 { $instead }，因为 is_rank 为 true 时只有 async_mode 会解析
first-step-differs = 运行的第一个 step 在此处是 { $here }，在目标格式（{ $notation }）中是 { $there }
field-first-step = step
field-schedule = 要采集的 step
field-first-recorded = 第一个采集的 step 之前的 step 数
field-warmup = warmup step 数
field-active = 采集的 step 数
field-repeat = 数据份数
field-wait = 两份数据之间的 step 数

# schedule

schedule-value = { $name } 为 { $value }，但最小为 { $least }；使用 { $least }
schedule-without-warmup = 没有 warmup，因此采集的第一个 step 可能比其他 step 慢
too-few-steps = 训练有 { $total } 个 step，schedule 的 { $cycles } 个周期需要 { $needed } 个；{ $recorded ->
    [0] 不会采集数据
   *[other] 将采集 { $recorded } 个 step
}
warmup-not-recorded = warmup 之后没有采集
recording-not-saved = 采集结束但没有保存；其目录不会被解析
ended-in-warmup = 训练在 warmup 期间结束；没有采集到数据
ended-before-last-step = 训练在最后一个要采集的 step 之前结束；数据中的 step 少于要求
ended-in-last-step = 训练在最后一个要采集的 step 期间结束；该 step 可能不完整

# 数据种类

kind-host-operators = 主机侧算子
kind-device = 设备 kernel 与通信
kind-steps = step 标记与 step 时间
kind-detail = 通信明细、CANN 调用与统计
kind-metrics = AI Core 指标
kind-runtime = runtime 调用与 AI CPU 算子
kind-memory = 内存
kind-shapes = 输入 shape
kind-stack = 调用栈
kind-modules = 模块调用
kind-flops = 浮点运算量
kind-mstx = 用户区间与打点
kind-l2-cache = L2 cache
kind-network = 网卡（NIC 与 RoCE）
kind-interconnection = 片间链路（PCIe 与 HCCS）
kind-host-system = 主机 CPU、内存、磁盘或网络的使用情况
kind-gc = Python 垃圾回收
kind-data-process = MindData 流水线
kind-op-attr = 算子属性

# config check、convert、explain

config-read-as = { $name } 识别为 { $notation }
config-result = { $name }：识别为 { $notation }：{ $counts }
config-not-read = { $name }：未读取：{ $counts }
config-counts = { $counts }
config-errors = { $count } 个错误
config-warnings = { $count } 个警告
config-notes = { $count } 个提示
config-no-problems = 未发现问题
config-start-step-written = start_step 的写法{ $reader }
config-key = { $key }
config-written = 已写入 { $path }
reader = 适用于 npuscope 的 DynamicProfilerMonitor；torch_npu 自带的监视器在文件所写的 step 结束后才开始，即晚一个 step，并写入 { $place }/*_ascend_pt
reader-at-once = 适用于 npuscope 的 DynamicProfilerMonitor；torch_npu 自带的监视器写入 { $place }/*_ascend_pt
explain-off = profiling 未开启：不会采集数据
explain-steps = step
explain-where = 位置
explain-recorded = 采集
explain-not-recorded = 关闭
explain-size = 估计大小
explain-without-schedule = 从 start 到 stop，没有 step 标记
explain-window = { $warmup }采集 { $steps }{ $place }{ $end }
explain-nothing = { "" }
explain-warmup = 在 { $steps } warmup，
explain-one-step-of-run = （本次运行的第 { $step } 个）
explain-steps-of-run = （本次运行的第 { $first } 到 { $last } 个）
explain-rest-of-run = （从本次运行的第 { $first } 个开始）
explain-at-once = ，从读到配置时开始计数
explain-incomplete = ；运行结束时这份数据还不完整
explain-no-steps = 不采集任何 step
explain-goes-on = …… 依此类推，直到训练结束
explain-data-sets = 每个 rank { $sets } 份数据
explain-all-ranks = 在所有 rank 上
explain-all-of-ranks = 在全部 { $ranks } 个 rank 上
explain-rank = 在 rank { $ranks } 上
explain-ranks = 在 rank { $ranks } 上
explain-stages = 仅在以下阶段：{ $stages }
explain-output = { $output }，{ $analysis }
explain-analysis-off = 原始数据；以下文件由之后的解析生成
explain-analysis-online = 每份数据采集完成后解析，训练等待其完成
explain-analysis-async = 每份数据采集完成后在后台解析
explain-size-of-step = 每个 rank 每个 step 约 { $size }（不含原始数据），按每个 step { $count ->
   *[other] { $kernels } 个
} kernel 计{ $assumed }
explain-assumed = （假设值；可用 --kernels 指定）
explain-size-of-rank = 每个 rank 采集 { $steps } 个 step，约 { $size }
explain-size-in-all = 共约 { $size }
stretch-all = { $first } 及之后的所有 step

# dynamic：采集窗口与各 rank 的行为

window-step = step { $step }
window-steps = step { $first } 到 { $last }
ended-in-window = 训练在 step { $step } 后结束；要求采集：{ $window }
ended-before-window = 训练在 step { $step } 后结束；要求采集：{ $window }；没有采集数据
too-late = 来不及采集 { $window }：step { $step } 已结束；不会采集数据
too-late-for-all = 来不及采集 { $window }：step { $step } 已结束；采集 { $rest }

# dynamic：配置文件

dynamic-file = { $error }
dynamic-not-a-file = 不是普通文件
dynamic-too-large = 大于 1 MiB，即 torch_npu 与 MindSpore 的上限
dynamic-not-utf8 = 不是 UTF-8 文本
dynamic-no-object = 不是 JSON 对象
dynamic-unknown = { $problems }
dynamic-of-another-job = { $path } 要求采集下一个 step，但写于本作业开始之前
dynamic-unusable = 无法使用 { $path }：{ $problem }
dynamic-no-thread = 无法启动线程，因此检测不到文件的变化：{ $error }

# dynamic set

set-unreadable = 无法读取 { $path }：{ $problem }
set-malformed = { $path } 未修改：{ $problem }
set-unwritable = 无法写入 { $path }：{ $error }
set-other-dialect = { $path } 采用 { $present } 的配置风格，而不是 { $asked } 的；请换一个文件，或删除它
set-inexpressible = { $dialect } 的文件无法表示{ $what }
set-next-step = 下一个 step；请给出 step 编号
set-some-ranks = 部分 rank；读取该文件的每个 rank 都会采集
set-warmup = { " " }warmup step
set-no-window = step { $start } 到 { $stop } 无效：step 从 1 开始计数，且最后一个不能在第一个之前
set-created = 已创建 { $path }，采用 { $dialect } 的配置风格
set-changed = 已修改 { $path }，采用 { $dialect } 的配置风格
set-unchanged = { $path } 已是这些设置，采用 { $dialect } 的配置风格；已更新其修改时间
records-nothing = 不采集数据
records-window = 采集 { $window }（从 1 开始计数）{ $warmup }，{ $ranks }
records-next = 运行中的作业读到后立即采集 { $steps } 个 step{ $warmup }，{ $ranks }
records-without-warmup = { "" }
records-after-warmup = ，此前有 { $steps } 个 warmup step
records-on-no-rank = 不在任何 rank 上
set-passed-one = rank { $ranks } 已完成 step { $step }，来不及从 step { $start } 开始
set-passed = rank { $ranks } 已完成 step { $step }，来不及从 step { $start } 开始
set-nobody-watches = 没有 rank 报告正在监视该文件；之后启动的作业会忽略 `next`，但不会忽略 step 编号
set-next-differs = 各 rank 读到文件时所在的 step 不同，因此 `next` 在各 rank 上可能是不同的 step；要采集同一个 step，请给出 step 编号

# dynamic status

status-asks = { $path }：{ $asks }
status-no-reports = 没有 rank 上报：没有作业用 npuscope 监视该文件，或还没有作业到达第一个 step
status-silent = 没有上报的 rank：{ $ranks }
status-host = 主机
status-state = 状态
status-config = 配置
status-steps = 采集的 step
status-reported = 上报
status-data = 数据
status-problem = 问题
status-current = 当前
status-older = 较旧
status-none = 无
state-waiting = 等待
state-recording = 采集中
state-done = 完成
state-failed = 失败
status-gone = { $state }，进程已不存在
status-stale = { $state }，近期没有上报
seconds-ago = { $count } 秒前
minutes-ago = { $count } 分钟前
hours-ago = { $count } 小时前

# parse

parse-skipped = { $count } 个目录已解析；使用 --force 重新解析
parse-done = 已解析 { $path } 中的 { $count } 个 rank
parse-done-partly = 已解析 { $path } 中 { $all } 个 rank 里的 { $count } 个
parse-problem = { $name }：{ $problem }
parse-problems = { $name }：{ $problem }（另有 { $more } 个问题）

# CANN

cann-library = 无法加载 { $library }：{ $problem }
cann-symbol = { $library } 中没有 { $symbol }：版本过旧，或不是 CANN 的库
cann-call = { $call } 失败：{ $error }
cann-config = aclprofCreateConfig 拒绝了设备 { $device } 的 mask { $mask } 与 metrics { $metrics }
cann-busy = 设备正在采集；一个进程同时只能有一次采集
cann-text = { $text } 包含零字节，C 不支持
acl-error = 错误码 { $code }
acl-error-known = 错误码 { $code }（{ $meaning }）
acl-invalid-parameter = 参数无效
acl-uninitialised = ACL 未初始化
acl-profiling-repeated = profiling 已初始化
acl-device-busy = 设备正在被 msprof 或其他 profiler 采集
acl-profiling-uninitialised = profiling 未初始化
acl-profiling-conflict = 正在使用其他 profiling 方式
acl-no-memory = 内存不足
acl-interface-unsupported = 不支持该接口
acl-feature-unsupported = 不支持该特性
acl-internal-error = 内部错误
acl-profiling-failed = profiling 失败
cann-later-devices = 之后设置的设备不会被采集：{ $error }
cann-no-set-config = 该版本的 CANN 没有 aclprofSetConfig；{ $config } 未设为 { $value }
cann-set-config = { $config } 未设为 { $value }：{ $error }

# 采集器

recorder-busy = 已有采集在运行
recorder-directory = 无法采集到 { $path }：{ $error }
recorder-thread = 无法启动写入线程：{ $error }
recorder-panicked = 写入线程异常退出
recorder-failed = { $error }
recorder-spooled = { $error }；记录保存在 { $directory }
