# npuscope 的中文文案，语法见 Project Fluent。每条消息一个条目；用法见 crates/messages/src/lib.rs。

# crates/messages 的示例。
example = { $steps } 个 step 的耗时是之前的 { $times } 倍

## 诊断结论：对象、现象与代价

claim = { $who }：{ $what }
claim-with-cost = { $who }：{ $what }；{ $cost }
claim-no-device = 没有采集设备数据，只有主机侧活动，无法判断设备的情况
claim-slow-rank = rank { $rank } 的计算耗时是{ $others }的 { $ratio } 倍（{ $per }{ $computing } ms，其他 rank 的中位数为 { $median } ms）{ $waiting }
claim-other-ranks = 其他 rank{ " " }
claim-other-ranks-of-stage = 同一流水线 stage 其他 rank{ " " }
claim-others-wait = ，其他 rank 在等待它
claim-others-not-seen-waiting = { "" }
per-step = 每个 step{ " " }
in-total = 总共
of-all-recorded = 计算{ " " }
who-rank = rank { $rank }
who-ranks = rank { $ranks }
who-link = rank { $first } 与 rank { $second }
cost = { $per }损失 { $lost } ms{ $when }
cost-behind-others = { $cost }，其他原因消除后损失 { $lost } ms
when-always = { "" }
when-in-step = （仅 step { $step }）
when-in-steps = （step { $first } 到 { $last } 之间的 { $count } 个 step）

## 诊断结论：现象

what-compute = 其 kernel 耗时是可比 rank 的 { $ratio } 倍
what-frequency = 其 AI Core 频率为 { $own } MHz，其他 rank 为 { $others } MHz
what-expert-imbalance = 其专家处理的 token 多于其他 rank 的专家
what-aicpu = 有 { $operators } 个算子在 AI CPU 上运行
what-stage-imbalance = 流水线 stage { $stage } 的计算多于其他 stage，多出部分占其计算的 { $share } %
what-host = 主机 { $host } 的下发耗时是其他主机的 { $ratio } 倍
what-host-time = 两次通信之间，其主机{ $per }工作 { $own } ms；其他 rank：{ $others } ms
what-host-of-rank = 其主机进程的下发耗时是其他 rank 的主机进程的 { $ratio } 倍
what-gc = Python 垃圾回收{ $per }占用 { $own } ms
what-dataloader = { $per }等待下一批数据 { $own } ms，其他 rank 为 { $others } ms
what-synchronisation = 其主机{ $per }等待设备 { $own } 次，其他主机为 { $others } 次
what-memory = { $per }内存不足 { $own } 次：主机等待设备后重新分配
what-memory-leak = 已分配内存每个 step 增长 { $growth } MiB
what-link = 两者之间 { $transport } 链路（{ $bandwidth } GB/s）的传输耗时是其他链路的 { $ratio } 倍
what-retransmission = 有 { $transfers } 次传输被重传，最长耗时 { $longest } ms
what-clock-ahead = 主机 { $host } 的时钟比其他主机快 { $offset } ms；此处的时间已校正
what-clock-behind = 主机 { $host } 的时钟比其他主机慢 { $offset } ms；此处的时间已校正

## 诊断结论：时间线上的证据

seen-kernel = kernel { $name }：{ $own } ms，其他 rank { $others } ms
seen-aicpu = { $name } 在 AI CPU 上：{ $own } ms
seen-host-time = 主机侧工作：{ $own } ms；其他 rank：{ $others } ms
seen-gc = 垃圾回收：{ $own } ms
seen-dataloader = 等待下一批数据：{ $own } ms
seen-synchronisation = 等待设备：{ $own } ms
seen-allocation = 分配内存：{ $own } ms
seen-retransmission = 从 rank { $from } 到 rank { $to } 的 { $size }：{ $own } ms，通常 { $usual } ms
seen-link = { $size }：{ $own } ms，其他链路 { $others } ms

## 诊断结论：建议

try-compute = 检查该设备是否被其他进程占用、内存带宽是否偏低、日志中是否有故障；然后换一台设备运行
try-frequency = 检查设备的供电与散热：npu-smi info -t power -i DEVICE 和 npu-smi info -t temp -i DEVICE
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
try-retransmission = 检查网络：hccn_tool -i DEVICE -stat -g、丢包、流控、线缆
try-clock = 用时间服务器同步所有主机的时钟
try-slow-rank = 比较该 rank 与其他 rank 的 kernel 和 AI Core 频率
try-no-device = 在时间线上比较各主机的区间与算子

## 诊断结论：数值名称

number-lost = 损失
number-lost-behind-others = 其他原因消除后的损失
number-step = step 耗时
number-step-if-fixed = 原因消除后的 step 耗时
number-time = 耗时
number-time-if-fixed = 原因消除后的耗时
number-ratio = 耗时倍数
number-frequency = 频率
number-frequency-of-others = 其他 rank 的频率
number-aicpu = AI CPU 耗时
number-aicpu-of-others = 其他 rank 的 AI CPU 耗时
number-stage = 流水线 stage
number-share-of-computing = 计算占比
number-per-step = { $per }的{ $work }耗时
work-gc = 垃圾回收
work-dataloader = 等待下一批数据
work-host = 两次通信之间的主机工作
number-of-others = 其他 rank
number-waits-per-step = { $per }的等待次数
number-growth = 每个 step 增长
number-bandwidth = 带宽
number-transfers = 传输次数
number-longest = 最长
number-offset = 时钟偏移
number-drift = 漂移
number-computing = 计算
number-median = 其他 rank 的中位数

## 并行布局

layout-sizes = { $sizes }
layout-ranks = { $ranks } 个 rank
layout-recorded = { $sizes }（来自采集的元数据）
layout-inferred = { $sizes }（由通信组推断，置信度 { $confidence } %）
layout-unknown = 未知

## 结论的局限

rank-without-device = rank { $rank } 没有设备数据，未参与分析
diagnostic-of-rank = rank { $rank }：{ $message }
diagnostic-of-file = rank { $rank } { $file }：{ $message }

## 缺少的数据

verbatim = { $text }
no-rank-has = 所有 rank 都缺少：{ $what }。
mode-needs = { $mode } 需要以下数据，但所有 rank 都缺少：{ $what }；采集方法：{ $hint }
to-collect = { $what }采集方法：{ $switch }
not-collectable = 该 profiler 不支持
saw-host-only = 没有采集设备：{ $recorder } 只采集了主机侧
set-without-data = 已设置 { $switch }，但没有数据

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
data-allocations = 内存分配
data-planned-memory = 图编译器规划的内存；只有图模式（静态图）的作业才有
data-input-shapes = 算子输入 shape
data-call-stacks = 调用栈
data-python-functions = Python 函数
data-l2-cache = L2 缓存命中率
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
data-expert-group = 专家并行组（模型没有专家，或没有采集其通信组）
data-frequency = AI Core 频率采样
data-chip = 芯片的核数与频率（device_N/info.json.N）
data-operations = 通信算子
data-operations-of-devices = 通信算子；单设备的作业没有通信
data-links = 通信链路
data-links-of-devices = 通信链路；单设备的作业没有通信
data-pieces = 发送与接收的通信任务
data-step-times = step 耗时
data-steps-and-communication = step 与通信的耗时
data-parallel-groups = 元数据中的 parallel_group_info
data-passes = 前向与反向的 mstx 区间
data-ranges-of-domain = domain 为 { $domain } 的 mstx 区间
data-communication-ranges = 通信的 mstx 区间
data-device-marks = 设备上的 mstx 打点或区间
data-rl-stages = actor_generate、actor_update 等阶段的用户区间（mstx）

## 数据的用途

use-launching-line = kernel 由模型的哪一行下发
use-npu = NPU 活动
use-device = 设备活动
use-step-time = 每个训练 step 的耗时
use-operators = 哪些算子耗时
use-bound = kernel 的瓶颈单元
use-bandwidth = 带宽，以及等待时间与传输时间
use-late-host = 主机为何下发慢
use-synchronising = 同步调用与拷贝
use-memory = 峰值、碎片、泄漏
use-slow-call = 算子的哪次调用慢
use-code-line = 算子对应的代码行
use-cache-misses = 缓存未命中的 kernel
use-names = 按名称划分的阶段与模块

## 采集方法

collect-level0 = 将采集级别设为 level0 或以上
collect-level1 = 将采集级别设为 level1 或以上
collect-level1-of-devices = 使用多个 NPU，并将采集级别设为 level1 或以上
collect-level1-or-mstx = 使用多个设备，级别为 level0 或以上，或为 level_none 并开启 mstx
collect-npu-level0 = 开启 NPU 活动，级别为 level0 或以上
collect-npu-level1 = 开启 NPU 活动，级别为 level1 或以上
collect-cann-calls = 开启 NPU 活动，级别为 level0 或以上；text 交付件从 level1 起才有 CANN 调用
collect-parallel-groups = 像 Megatron 和 MindSpeed 那样把 parallel_group_info 写入 profiler 的元数据
collect-parallel-groups-by-hand = 基于 Megatron 的训练框架会写入，其他框架可用 prof.add_metadata_json 写入
collect-grouped-matmul = 使用含分组矩阵乘的模型，级别为 level1 或以上
collect-frequency = 在支持上报频率的芯片（Atlas A2 或更新）上开启 NPU 活动
collect-passes = 用 torch_npu.npu.mstx.range_start 标记 forward_step 与 backward_step，并开启 mstx
collect-mfu-ranges = 开启 mstx（mstx=True），并用 { $code } 标记算子
collect-raw-data = 设置 data_simplification=False，以保留 profiler 的原始数据
collect-communication-ranges = 使用多个 NPU，并开启 mstx
collect-modules = 开启 mstx（mstx=True），并用 { $code } 标记模块，例如在 forward hook 中
collect-device-marks = 在脚本中加入 mstx 打点，并开启 mstx（mstx=True）
collect-rl-stages = 用 torch_npu.npu.mstx.range_start 标记各阶段，并开启 mstx（mstx=True）
collect-exported = 用 torch_npu、MindSpore 或 msprof 采集 NPU，并导出结果
collect-graph-mode = 以图模式运行模型
collect-device = 同时采集设备（目前只采集了主机侧活动）

## cluster：说明

note-of-baseline = 基线：{ $note }
note-frequency = 所有 rank 的 AI Core 均以 { $nominal } MHz 运行
note-unknown-peak = 未包含在 { $types } 上运行的算子：其峰值未知
note-no-kernel-in-range = 没有 kernel 是在给出运算量的区间内下发的
note-has-operations = 无需处理：所有 rank 都已有通信算子
note-no-slow-links = 未发现比可比通信更慢的通信
note-no-sends = 没有发送与接收
note-unequal-sends = rank { $source } 向 rank { $destination } 发送 { $sent } 次，后者接收 { $received } 次：部分发送与接收的配对不正确
note-no-slow-rank = 没有 rank 让其他 rank 等待
note-no-masked-operation = 没有 step 含有类型为 { $types } 的通信组的通信算子
note-nothing-to-compare = 无可比较：所有 rank 在 profile 与基线中都没有共同的模块
note-not-reported = 所有 rank 都没有上报：{ $what }；采集方法：{ $hint }
note-ranks-not-in-profile = { $world } 个 rank 中有 { $count } 个不在 profile 中：{ $ranks }
note-inferred-layout = 并行布局由通信组推断：{ $sizes }（置信度 { $confidence } %）
note-unknown-link-ends = 未包含 { $links } 条链路：通信组 { $group } 中编号 { $number } 对应的 rank 未知
note-unknown-link-ends-more = 未包含 { $links } 条链路：通信组 { $group } 中编号 { $number } 对应的 rank 未知（另有 { $more } 个这样的编号）
note-unknown-links = 未包含 { $links } 条链路：它们连接的 rank 未知，例如通信组 { $group } 中的编号 { $from } 与 { $to }
note-no-operator-in-module = 模块内没有下发过任务的算子
note-incomplete-collectives = { $collectives } 个集合通信缺少 rank：未计入等待与传输时间
note-earlier-results = 对比的是此前对两个 profile 运行 { $mode } 的结果
note-baseline-lacks = 基线缺少 { $steps }
step-of-rank = rank { $rank } 的 step { $step }
note-never-free = 设备没有空闲
note-single-marks = rank { $rank }：没有配对的打点：{ $marks }

## cluster：未包含的内容

absent-step = 没有 step { $step }
absent-ranges = 没有 domain 为 { $domain } 的 mstx 区间
absent-chip = 没有 device_N/info.json.N，芯片型号未知
absent-no-place = 它是 PyTorch 自带 profiler 的 trace，NPU 的数据库无法保存
absent-nothing-kept = 过滤后没有剩余内容
absent-modules = 其模块没有下发任何任务
absent-in-baseline = 基线中没有该 rank
lacks-copy-of-windows = 有多个窗口，因此不写出带有这些结果的数据库副本；如需副本，请用 --window 选择一个窗口
lacks-reported = 没有上报：{ $what }
of-baseline = 基线：{ $why }

## 终端：诊断结论

findings-heading = 诊断结论
findings-more = …… 还有 { $count } 条诊断结论；--format json 列出全部
finding-share = 约占 step 的 { $share } %
finding-share-of-time = 约占总耗时的 { $share } %
finding-confidence = 置信度约 { $confidence } %：{ $why }
doubt-no-other-rank = 没有可比较的对象
doubt-few = 可比较的对象太少
doubt-replay = 损失与重放误差相近
doubt-layout = 并行布局为推断
finding-seen = 证据：rank { $rank }：{ $what }
finding-seen-in-step = 证据：rank { $rank }，step { $step }：{ $what }
finding-seen-again = { $seen }（共 { $times } 次）
finding-try = 建议：{ $suggestion }
finding-see = 查询：{ $command }

## 终端：auto-completion

completion-paste = 将以下命令粘贴到终端即可开启自动补全

## 终端：diagnose

diagnose-headline = { $ranks } 个 rank，{ $steps } 个 step，每个 step { $step_ms } ms
diagnose-if-fixed = ；消除以下问题后为 { $step_ms } ms
diagnose-layout = 并行布局：{ $layout }
diagnose-one-host = 时钟：单台主机
diagnose-clocks = 时钟：{ $hosts } 台主机，最多相差 { $apart } us，对齐后误差不超过 { $residual } us
diagnose-unaligned = 未与 { $first } 对齐（没有共同的通信算子）：{ $hosts }
diagnose-clocks-unaligned = 时钟：未与 { $first } 对齐（没有共同的通信算子）：{ $others }
diagnose-replay = 重放误差：{ $error } %（与记录的 step 相比）
diagnose-unmatched = { $operations } 个未匹配的通信算子
diagnose-no-findings = 无

## 终端：info

info-headline = { $ranks } 个 rank，{ $steps } 个 step，每个 step { $step_ms } ms
info-headline-without-markers = { $ranks } 个 rank，没有 step 标记，共 { $step_ms } ms
info-device-per-step = 每个 step 的设备时间，均值，ms
info-device = 设备时间，ms
info-without-steps = 没有 step 耗时的 { $count ->
   *[other] rank：{ $ranks }
}
info-longest-computing = 仅列出计算最久的 { $count } 个 rank；--format json 列出全部
info-longest-steps = 仅列出 step 最长的 { $count } 个 rank；--format json 列出全部
info-host = 没有采集设备数据；主机侧的 step 耗时，均值，ms
info-host-of-ranks = { $count ->
   *[other] rank { $ranks }
} 没有采集设备数据；主机侧的 step 耗时，均值，ms
info-host-work = 按名称统计的主机时间，每个 step 的均值，ms
info-on-rank = { $value }（rank { $rank }）
info-no-device = 无；没有采集设备数据，无法判断设备的情况
info-one-rank = 无；没有其他 rank 可比较
info-no-findings = 计算时间方面无异常；可用 npuscope diagnose 检查其他原因

## 终端：读取情况

reading-losses = 读取时有 { $losses } 条错误或警告，结果可能不完整；npuscope doctor { $path } 可列出详情
reading-infos = 读取时有 { $infos } 条提示；npuscope doctor { $path } 可列出详情
reading-losses-and-infos = 读取时有 { $losses } 条错误或警告和 { $infos } 条提示，结果可能不完整；npuscope doctor { $path } 可列出详情
reading-strict = 读取时有 { $losses } 条错误或警告（--strict）；第一条：{ $first }

## 终端：doctor

doctor-headline = { $path } 中有 { $ranks } 个 rank
doctor-jobs = 作业：{ $jobs }
doctor-windows = 窗口
doctor-directories = { $count } 个目录
doctor-more-windows = …… 还有 { $count } 个窗口；--format json 列出全部
doctor-files = 文件
doctor-rows = 各表行数
doctor-missing = 缺少的数据及其用途
doctor-missing-from-file = 此文件中缺少的数据及其用途；profile 的其他文件中可能有
doctor-missing-line = { $what }{ $whose }：{ $purpose }{ $reason }
doctor-on-all = { "" }
doctor-on-rank = （rank { $rank }）
doctor-on-ranks = （rank { $ranks }）
doctor-no-reason = { "" }
doctor-why = （{ $why }）
doctor-was-on = （已开启，但没有数据）
doctor-torch-npu-dynamic = torch_npu 动态采集
doctor-nothing = 无
doctor-diagnostics = 诊断信息
doctor-no-diagnostics = 无
doctor-at-byte = { " " }第 { $offset } 字节
doctor-steps = { $first } 到 { $last } 之间共 { $count } 个
doctor-window = 自 { $start } UTC 起 { $seconds } s
doctor-more-ranks = …… 还有 { $count } 个 rank；--format json 列出全部
doctor-more-diagnostics = …… 还有 { $count } 条诊断信息；--format json 列出全部

## 终端：cluster

cluster-left-out = 已跳过 rank { $rank }：{ $why }
cluster-left-out-file = 已跳过 rank { $rank } { $file }：{ $why }
cluster-strict = 有 { $count } 条警告（--strict）；第一条：{ $first }
cluster-more-diagnostics = …… 还有 { $count } 条诊断信息
cluster-more-files = …… 还有 { $count } 个文件
cluster-written = { $mode }：已写入 { $files } 个文件
cluster-nothing = { $mode }：没有可报告的内容
ranks-left-out = 以下 rank 不存在，已跳过：{ $missing }；此 profile 有 rank { $ranks }

## 诊断信息与诊断结论的严重程度

severity-critical = 严重
severity-error = 错误
severity-warning = 警告
severity-info = 提示

## 采集

# 诊断信息：所涉及的键，以及可能想写的词

diagnostic-with-key = { $key }：{ $message }
hint-none = { "" }
hint = （是否指 { $word }？）

# 无法读取的文件

no-settings = 没有找到 profiler 配置；应为 --profile… 命令行参数、包含 training.profile… 或 profiler_config.integrated 的 YAML，或者 torch_npu、MindSpore profiler 的 JSON
malformed-text = { $language } 格式错误：{ $what }
syntax-at = 第 { $column } 列有语法错误（详细信息：{ $text }）
nested-too-deep = 嵌套层次过深
alias-without-anchor = 别名之前没有对应的锚点
too-many-values = 值的数量超过 { $limit }
variable-without-object = { $variable } 中没有 JSON 对象
section-missing = 该部分缺失或为空
choice-invalid = { $word } 既不是 all，也不是列表

# 键与命令行参数

key-twice = 键重复；以最后一个为准
abbreviation = { $key } 的缩写；只要没有其他以此开头的键，{ $peer } 就会接受
abbreviation-ambiguous = 缩写有歧义，可能是 { $keys }；{ $consequence }
several-sections = 文件中有两个训练框架的配置：{ $trainer } 使用 { $place }，{ $other_trainer } 使用 { $other_place }；此处只检查 { $place }，用 --dialect { $dialect } 检查另一个
value-missing = 缺少值
value-missing-default = 缺少值；此处使用默认值
unknown-key = 未知的键{ $hint }；{ $consequence }
unknown-flag = 未知的命令行参数{ $hint }；{ $consequence }
foreign-flag = 不是 { $trainer } 的 profiler 参数；忽略
consequence-no-effect = 不会生效
consequence-refused = { $trainer ->
    [npuscope] npuscope 不会采集
   *[other] { $trainer } 会拒绝启动
}
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
several-values = 只取一个值；{ $peer } 会使用 { $first }，忽略 { $ignored }
several-values-refused = 只取一个值，但给出了多个：{ $values }；{ $consequence }
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
instead-both = CPU 和 NPU
instead-default = 默认值
instead-raw-data = 空的 handler（调用 analyse() 之前只有原始数据）
instead-temporary-data = 空的 handler（数据写入临时目录，结束时删除）

# rank 与阶段

no-rank-selected = 没有选择任何 rank；不会采集数据
no-such-ranks = 所选 rank 均不存在；作业有 { $world ->
    [one] rank 0
   *[other] rank 0 到 { $last }
}；不会采集数据
ranks-missing = 作业有 { $world ->
    [one] rank 0
   *[other] rank 0 到 { $last }
}；以下 rank 不存在：{ $ranks }
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

profiling-off = 采集未开启；其余配置按开启时检查
run-without-steps = 本次训练没有 step；不会采集数据
starts-after-end = 采集应从 step { $first } 开始，但最后一个 step 是 { $last }；不会采集数据
data-set-incomplete = 最后一个 step 是 { $last }，但这次采集需要到 step { $needed }；数据将不完整
fewer-data-sets = 最后一个 step 是 { $last }；{ $asked } 次采集中只会进行 { $begun } 次
until-end = 采集持续到训练结束；届时 profiler 会警告 schedule 不正确，但数据会保留
steps-from-run = step 从本次训练开始计数；不包括 checkpoint 之前的 step
iterations-from-run = 迭代从本次训练开始计数，第一个为 1
before-first-step = { $step } 无效，step 从 { $first } 开始计数
begins-at-first-step = { $step } 无效，step 从 1 开始计数；采集从 step 1 开始
before-this-run = { $start } 过早：迭代 { $done } 已完成，本次训练的第一个迭代是 { $first }
end-not-after-start = 结束 { $end } 不在开始 { $start } 之后
records-one-step = { $message }；{ $peer } 会改为采集一个 step
records-no-stage = { $message }；不会采集任何阶段
refused = { $message }；{ $trainer ->
    [npuscope] npuscope 不会采集
   *[other] { $trainer } 会拒绝启动
}
would-refuse = { $message }；如果开启采集，{ $trainer ->
    [npuscope] npuscope 不会采集
   *[other] { $trainer } 会拒绝启动
}
end-of-training = 按文档 -1 表示训练结束，此处照此处理；{ $trainer } 实际只采集一个 step
stop-before-start = { $stop } 在 start_step { $start } 之前；不会采集数据
active-missing = 缺失，但 schedule 需要它；使用 1
no-warmup = 没有预热 step，因此采集的第一个 step 会比正常情况慢

# 互相依赖的配置

cpu-in-activities = activities 中的 CPU
host-data-off = 没有 { $switch } 时不生效：{ $what }在主机侧采集
gpu-ignored = GPU 被忽略：该平台没有 GPU
host-sys-needs-root = disk 和 osrt 需要 root 权限，以及 iotop、perf、ltrace 工具
no-effect-without = 没有 { $key } 时不生效
no-effect-with = 与 { $key } 同时设置时不生效
no-effect-without-npu = activities 中没有 NPU 时不生效
no-effect-on-npu = 在 NPU 上不生效
level-none-turns-mstx-on = 该级别只采集打点，因此 { $peer } 会开启 mstx
level-none-without-mstx = LevelNone 只采集打点；没有 mstx 时 { $peer } 会改用 Level0
metrics-need-level = 需要 Level1 或 Level2；{ $peer } 会改用 AiCoreNone
metrics-required = 未设置，但该级别需要指标；{ $peer } 会改用 PipeUtilization
op-attr-needs-db = 仅数据库支持；export_type 不包含 db 时 { $peer } 会关闭它
shapes-need-cpu = 需要 activities 中有 CPU；{ $peer } 会关闭它
memory-needs-both = 框架的内存数据需要 activities 中同时有 CPU 和 NPU
cpu-and-npu-off = profile_with_cpu 也已关闭；{ $peer } 会两者都采集，而不是都不采集
data-process-needs-no-schedule = 不能与 schedule 同时使用；{ $peer } 会关闭它
host-sys-needs-start = 按文档需要 start_profile=False
starts-on-call = 调用 start() 后才开始采集
must-start = 必须为 true，否则不会采集数据
start-is-truthy = { $value } 是字符串；无论内容如何，MindSpore 都视为 true，而 npuscope 视为 false；请写 true 或 false
start-is-next = 只有 npuscope 的 DynamicProfilerMonitor 会采集下一个 step；MindSpore 自带的监视器会改用 -1，不采集
start-is-text = { $value } 是字符串，npuscope 视为 false；请写 true 或 false
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
notation-mindspore-dynamic = MindSpore 的 profiler_config.json
notation-mindspore-environment = MindSpore MS_PROFILER_OPTIONS
notation-torch-npu-arguments = torch_npu profiler 参数
notation-torch-npu-dynamic = torch_npu 的 profiler_config.json
inexpressible = 目标写法（{ $notation }）无法表示 { $value }；将变为 { $instead }
inexpressible-analysis = 目标写法（{ $notation }）无法表示 { $value }；将变为 { $instead }，因为 is_rank 为 true 时只有 async_mode 会解析
first-step-differs = 第一个 step 的编号在原配置中为 { $here }，在目标写法（{ $notation }）中为 { $there }
field-first-step = step
field-schedule = 要采集的 step
field-first-recorded = 第一个采集的 step 之前的 step 数
field-warmup = 预热 step 数
field-active = 采集的 step 数
field-repeat = 采集次数
field-wait = 两次采集之间的 step 数

# schedule

schedule-value = { $name } 为 { $value }，但最小为 { $least }；使用 { $least }
schedule-without-warmup = 没有预热，因此采集的第一个 step 可能比其他 step 慢
too-few-steps = 训练有 { $total } 个 step，schedule 的 { $cycles } 个周期需要 { $needed } 个；{ $recorded ->
    [0] 不会采集数据
   *[other] 将采集 { $recorded } 个 step
}
warmup-not-recorded = 预热之后没有采集
recording-not-saved = 采集结束但没有保存；其目录不会被解析
ended-in-warmup = 训练在预热期间结束；没有采集到数据
ended-before-last-step = 训练在最后一个要采集的 step 之前结束；数据中的 step 少于要求
ended-in-last-step = 训练在最后一个要采集的 step 期间结束；该 step 可能不完整

# 数据类型

kind-host-operators = 主机侧算子
kind-device = 设备 kernel 与通信
kind-steps = step 标记与 step 耗时
kind-detail = 通信明细、CANN 调用与统计
kind-metrics = AI Core 指标
kind-runtime = runtime 调用与 AI CPU 算子
kind-memory = 内存
kind-shapes = 输入 shape
kind-stack = 调用栈
kind-modules = 模块调用
kind-flops = 浮点运算次数
kind-mstx = 用户区间（mstx）与打点
kind-l2-cache = L2 cache
kind-network = 网卡（NIC 与 RoCE）
kind-interconnection = 芯片间链路（PCIe 与 HCCS）
kind-host-system = 主机 CPU、内存、磁盘或网络的使用情况
kind-gc = Python 垃圾回收
kind-data-process = MindData 流水线
kind-op-attr = 算子属性

# config check、convert、explain

config-read-as = { $name } 识别为 { $notation }
config-diagnostic = { $place }：{ $severity }：{ $diagnostic }
config-result = { $name }（识别为 { $notation }）：{ $counts }
config-records-nothing = { $name }：不会采集任何数据
config-not-read = { $name }：未读取：{ $counts }
config-counts = { $counts }
config-errors = { $count } 个错误
config-warnings = { $count } 个警告
config-infos = { $count } 个提示
config-no-diagnostics = 没有诊断信息
config-start-step-written = start_step 的写法{ $reader }
config-key = { $key }
config-written = 已写入 { $path }
reader = 适用于 npuscope 的 DynamicProfilerMonitor；torch_npu 自带的监视器在文件所写的 step 结束后才开始，即晚一个 step，并写入 { $place }/*_ascend_pt
reader-at-once = 适用于 npuscope 的 DynamicProfilerMonitor；torch_npu 自带的监视器写入 { $place }/*_ascend_pt
explain-off = 采集未开启：不会采集数据
explain-steps = step
explain-where = 位置
explain-recorded = 采集
explain-not-recorded = 关闭
explain-size = 预计数据量
explain-without-schedule = 从 start 到 stop，没有 step 标记
explain-window = { $warmup }采集 { $steps }{ $place }{ $end }
explain-nothing = { "" }
explain-warmup = 在 { $steps } 预热，
explain-one-step-of-run = （本次训练的第 { $step } 个 step）
explain-steps-of-run = （本次训练的第 { $first } 到 { $last } 个 step）
explain-rest-of-run = （从本次训练的第 { $first } 个 step 起）
explain-at-once = ，从读到配置时开始计数
explain-incomplete = ；训练结束时这次采集还不完整
explain-no-steps = 不采集任何 step
explain-goes-on = …… 依此类推，直到训练结束
explain-data-sets = 每个 rank 采集 { $sets } 次
explain-all-ranks = 在所有 rank 上
explain-all-of-ranks = 在全部 { $ranks } 个 rank 上
explain-rank = 在 rank { $ranks } 上
explain-ranks = 在 rank { $ranks } 上
explain-stages = 仅在以下阶段：{ $stages }
explain-output = { $output }，{ $analysis }
explain-monitor-output = 或在 DynamicProfilerMonitor 的 output_path 中，默认为 { $place }；文件中写明的目录优先
explain-analysis-off = 原始数据；以下文件由之后的解析生成
explain-analysis-online = 每次采集完成后解析，训练等待其完成
explain-analysis-async = 每次采集完成后在后台解析
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

dynamic-not-a-file = 不是普通文件
dynamic-too-large = 大于 1 MiB，即 torch_npu 与 MindSpore 的上限
dynamic-not-utf8 = 不是 UTF-8 文本
dynamic-no-object = 不是 JSON 对象
dynamic-unknown = { $diagnostics }
dynamic-of-another-job = { $path } 要求采集下一个 step，但写于本作业开始之前
dynamic-unusable = 无法使用 { $path }：{ $error }
dynamic-no-thread = 无法启动线程，因此检测不到文件的变化：{ $error }

# dynamic set

set-unreadable = 无法读取 { $path }：{ $error }
set-malformed = { $path } 未修改：{ $error }
set-unwritable = 无法写入 { $path }：{ $error }
set-other-dialect = { $path } 采用 { $present } 的配置风格，而不是 { $asked } 的；请换一个文件，或删除它
set-inexpressible = { $dialect } 的配置文件不支持：{ $what }
set-some-ranks = 部分 rank；读取该文件的每个 rank 都会采集
set-warmup = 预热 step
set-no-window = step { $start } 到 { $stop } 无效：step 从 1 开始计数，且最后一个不能在第一个之前
set-created = 已创建 { $path }，采用 { $dialect } 的配置风格
set-changed = 已修改 { $path }，采用 { $dialect } 的配置风格
set-unchanged = { $path } 已是这些设置，采用 { $dialect } 的配置风格；已更新其修改时间
records-nothing = 未要求采集
records-window = 要求{ $ranks }采集 { $window }（从 1 开始计数）{ $warmup }
records-next = 要求运行中的作业读到后立即{ $ranks }采集 { $steps } 个 step{ $warmup }
records-without-warmup = { "" }
records-after-warmup = ，此前预热 { $steps } 个 step
records-on-no-rank = 不在任何 rank 上
set-passed-one = rank { $ranks } 已完成 step { $step }，来不及从 step { $start } 开始
set-passed = rank { $ranks } 已完成 step { $step }，来不及从 step { $start } 开始
set-nobody-watches = 没有 rank 报告正在监视该文件；之后启动的作业会忽略 `next`，但不会忽略 step 编号
set-next-differs = 各 rank 读到文件时所在的 step 不同，因此 `next` 在各 rank 上可能是不同的 step；要采集同一个 step，请给出 step 编号

# dynamic status

status-asks = { $path }：{ $asks }
status-no-reports = 没有 rank 上报：没有作业用 npuscope 监视该文件，或还没有作业到达第一个 step
status-silent = 没有上报的 { $count ->
   *[other] rank：{ $ranks }
}
status-host = 主机
status-state = 状态
status-config = 配置
status-steps = 采集的 step
status-reported = 上报
status-data = 数据
status-error = 错误
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
parse-of-directory = { $name }：{ $message }
parse-more-diagnostics = { $name }：{ $first }（另有 { $more } 条诊断信息）

# CANN

cann-library = 无法加载 { $library }：{ $error }
cann-symbol = { $library } 中没有 { $symbol }：版本过旧，或不是 CANN 的库
cann-call = { $call } 失败：{ $error }
cann-config = aclprofCreateConfig 拒绝了设备 { $device } 的 mask { $mask } 与 metrics { $metrics }
cann-busy = 设备正在采集；一个进程同时只能有一次采集
cann-text = { $text } 包含零字节，C 不支持
acl-error = 错误码 { $code }
acl-error-known = 错误码 { $code }（{ $meaning }）
acl-invalid-parameter = 参数无效
acl-uninitialised = ACL 未初始化
acl-profiling-repeated = 采集已初始化
acl-device-busy = 设备正在被 msprof 或其他 profiler 采集
acl-profiling-uninitialised = 采集未初始化
acl-profiling-conflict = 正在使用其他采集方式
acl-no-memory = 内存不足
acl-interface-unsupported = 不支持该接口
acl-feature-unsupported = 不支持该特性
acl-internal-error = 内部错误
acl-profiling-failed = 采集失败
cann-later-devices = 之后设置的设备不会被采集：{ $error }
cann-no-set-config = 该版本的 CANN 没有 aclprofSetConfig；{ $config } 未设为 { $value }
cann-set-config = { $config } 未设为 { $value }：{ $error }

# 采集功能

recorder-busy = 已有采集在运行
recorder-directory = 无法采集到 { $path }：{ $error }
recorder-thread = 无法启动写入线程：{ $error }
recorder-panicked = 写入线程异常退出
recorder-failed = { $error }
recorder-spooled = { $error }；记录保存在 { $directory }

# 系统错误

io-not-found = 文件或目录不存在
io-permission-denied = 权限不足
io-already-exists = 已存在
io-is-a-directory = 是目录，不是文件
io-not-a-directory = 不是目录
io-directory-not-empty = 目录非空
io-read-only = 文件系统只读
io-disk-full = 磁盘空间不足
io-quota-exceeded = 超出磁盘配额
io-file-too-large = 文件过大
io-file-name = 文件名无效
io-file-busy = 文件或设备正被占用
io-invalid-data = 不是 UTF-8 文本
io-end-of-file = 文件意外结束
io-timed-out = 超时
io-interrupted = 被中断
io-out-of-memory = 内存不足
io-broken-pipe = 输出的读取端已关闭
io-connection-refused = 连接被拒绝
io-connection-lost = 连接中断
io-address-in-use = 地址已被占用
io-address-not-available = 不是本机地址
io-too-many-open-files = 打开的文件过多

## 错误：写文件

output-failed = 无法写入 { $path }：{ $error }
output-not-empty = { $path } 不是空目录；请清空它或换一个路径
output-exists = { $path } 已存在；请删除它或换一个路径
output-no-place = 无法写入 { $path }：text 和 db 交付件无法保存此 profile；请转换为 parquet 或 perfetto
output-incomplete = 无法写入 { $path }：该 rank 之前的部分未能写入

## 错误：Nsight Systems

nsight-unreadable = 无法将 { $path } 作为 SQLite 数据库读取（详细信息：{ $error }）
nsight-lacks-table = { $path } 不是完整的 Nsight Systems 导出文件：缺少表 { $table }；{ $hint }
nsight-export = 请用 `nsys export --type sqlite` 导出
nsight-trace-nvtx = 请用 `nsys profile --trace=cuda,nvtx` 采集，并用 NVTX 标记模块
nsight-trace-cuda = 请用 `nsys profile --trace=cuda,nvtx` 采集

## 错误：打开 profile

store-stopped = 已停止
profile-missing = 文件或目录不存在：{ $path }
profile-unreadable = 无法读取 { $path }：{ $error }
profile-not-a-directory = { $path } 不是目录
profile-not-a-file = { $path } 既不是目录，也不是普通文件
profile-nothing = { $path } 中没有 profile；应包含 ASCEND_PROFILER_OUTPUT 或 FRAMEWORK 目录、已导出的 PROF_* 目录、trace_view.json、kernel_details.csv 或 ascend_pytorch_profiler_0.db 等交付件，或 PyTorch profiler 的 trace（*.json、*.json.gz）
profile-no-job = 没有作业 { $name }；可选：{ $jobs }
profile-no-window = 没有窗口 { $name }；可选：{ $windows }
profile-nothing-readable = { $path } 中没有 profile：{ $why }

## 错误：解析原始数据

parse-nothing = { $path } 没有记录
parse-nothing-readable = { $path } 中的记录均无法读取：{ $why }
parse-device-raw = 未解析 { $path }：尚不支持 PROF 原始数据，没有设备数据时 step 会显示为空闲；请用采集 { $path } 的 profiler 解析

## 错误：缓存

cache-io = 无法使用缓存 { $path }：{ $error }
cache-contended = 无法使用缓存 { $path }：其他进程在不断替换它
cache-damaged = 缓存 { $path } 已损坏：{ $what }
cache-off = 缓存已关闭
cache-checksum = 校验和不符
cache-version = 由其他版本的 npuscope 写入
cache-length = 长度不符
cache-no-strings = 文件中没有字符串
cache-cut-segment = 有一段不完整
cache-no-segment = 缺少一段
cache-segment-outside = 有一段超出文件末尾
cache-not-decoded = 无法解码

## 错误：对 profile 的查询

question-no-ranks = { $path } 中不存在所选的 rank
question-no-rank = rank { $rank } 不存在；请用 --rank_id 选择其他 rank
question-no-step = step { $step } 不存在；此 profile 有 step { $steps }
question-no-step-of-many = step { $step } 不存在；此 profile 有 step { $steps } 等
question-no-step-markers = step { $step } 不存在：没有 step 标记
question-format = { $mode } 不支持 { $format } 格式；支持的格式：{ $possible }
question-no-baseline = { $mode } 需要对比基线；请加上 --bp DIR
question-no-baseline-profile = { $mode } 需要基线 profile；请加上 --baseline_profiling_path FILE
question-no-results = { $path } 中没有表 { $table }；请先对它运行 npuscope cluster -m cluster_time_summary

## 命令行的错误

cli-internal = 内部错误：{ $text }
cli-input-output = 读写失败：{ $error }
cli-closed = 输出已关闭
cli-no-writer = 内部错误：无法写出结果
cli-file = { $file }：{ $error }
cli-place = { $place }：{ $error }

# 多个命令共有的选项和文件

usage-threads = NPUSCOPE_THREADS 应为数字，而不是 { $value }
usage-output-name = -o 应为文件名
usage-unreadable = 无法读取 { $name }：{ $error }
usage-stdin = 无法从标准输入读取查询：{ $error }
usage-no-such-ranks = 所选 rank 不存在；此 profile 有 rank { $ranks }
usage-no-timeline = 此 profile 中没有 rank；--to perfetto 至少需要一个
usage-no-step-times = 没有采集到 step 耗时；npuscope doctor { $path } 可查看缺少的数据
usage-no-device = 没有采集到设备数据；npuscope doctor { $path } 可查看缺少的数据

# --range

usage-no-events = 此 profile 中没有事件；请去掉 --range 和 --at
usage-empty-range = --range 没有选中任何数据：此 profile 时长 { $seconds } s，自 epoch 起 { $start } 到 { $end } ns
usage-outside-profile = --at 超出 profile 的时间范围；profile 在 { $seconds } s 处结束，覆盖自 epoch 起 { $start } 到 { $end } ns
usage-no-such-step = step { $step } 不存在；此 profile 有 step { $low }-{ $high }
usage-no-such-steps = step { $first }-{ $last } 不存在；此 profile 有 step { $low }-{ $high }
usage-no-numbered-steps = 此 profile 中没有带编号的 step；请用时间指定 --range，例如 1.5s..2.25s
usage-range-of-whole-ranks = --range 只能与 --to perfetto 一起使用；其他格式包含整个 rank

# cluster、show 和 glossary

usage-not-supported-yet = npuscope 尚不支持命令 { $command }；请使用 msprof-analyze 运行该命令
usage-no-mode = 没有模式 { $name }；npuscope cluster --help 可列出所有模式
usage-into-profile = 结果会写入 profile 目录；请用 -o 指定其他目录，或用 `-o .`（当前目录）确认
usage-suggest-doctor = npuscope doctor { $path } 可查看 profile 的内容
usage-no-view = 没有视图 { $name }；npuscope show { $path } 可列出所有视图
usage-parameter = { $error }；{ $view } 的参数：{ $known }
usage-no-term = 没有术语 { $name }；npuscope glossary 可列出所有术语
usage-no-term-near = 没有术语 { $name }；是否指 { $near }？npuscope glossary 可列出所有术语

# sql

usage-binary = { $format } 是二进制格式；请用 -o 写入文件，或重定向输出
usage-no-table = { $error }（查询 '\tables' 可列出所有表）
usage-no-column = { $error }（查询 '\d { $table }' 可列出其中的列）
usage-memory = { $error }；--memory-limit SIZE 可提高上限
usage-time = { $error }（--timeout）
usage-no-table-to-list = 没有表 { $name }；\tables 可列出所有表
usage-no-command = 未知命令 { $command }；可用 \tables、\d TABLE 和 \functions

# view

usage-weak-token = --token 至少需要 { $length } 个字母和数字，且不能有其他字符
usage-no-token = 其他机器可以访问此地址；请用 --token 设置 token
usage-no-random-token = 无法生成随机 token：{ $error }；请用 --token 设置
usage-port-in-use = 端口 { $port } 已被占用；请用 --port 指定其他端口，或不指定
usage-foreign-address = { $address } 不是本机地址；请用 --listen 指定其他地址
usage-listen = 无法监听 { $address }：{ $error }

# config 和 dynamic

usage-too-large = { $name } 过大，不是配置文件：上限为 { $mebibytes } MiB
usage-not-utf8 = { $name } 不是 UTF-8 文本
usage-stop-after-next = --start next 不支持 --stop；请用 --steps 指定 step 数
usage-too-many-ranks = --ranks 应列出从 0 开始的 rank，最多 65,536 个
usage-no-package = 未找到安装了 npuscope 包的 Python（已尝试 { $tried }）；请安装 wheel，或将 NPUSCOPE_PYTHON 设为其解释器；未启动命令
usage-no-control-file = 文件不存在：{ $path }；npuscope dynamic set { $path } --start N 可创建它

# parse 和 synth

usage-no-raw-data = { $path } 中没有原始数据；应有包含 FRAMEWORK 的目录，由 npuscope 的采集功能或 torch_npu 写入
usage-no-scenarios = { $path } 中没有 .toml 文件

# 选项的值

value-ranks = 应为数字和范围，例如 0,3-7
value-range = 应为时间范围，例如 1.5s..2.25s、100ms..200ms、step:12 或 step:12..14
value-range-no-unit = { $text } 缺少单位 s、ms、us 或 ns，例如 1.5s 或 100ms
value-range-unit = { $unit } 不是时间单位；请用 s、ms、us 或 ns
value-range-reversed = 范围的终点早于起点
value-steps-reversed = 第一个 step 在最后一个之后
value-size = 应为大小，例如 512MiB 或 4GiB
value-size-too-large = 超出本机可寻址的范围
value-time = 应为时间，例如 500ms、30s、5m 或 1h
value-start-step = 应为从 1 开始的 step 编号，或 next
value-parameter = 应为 NAME=VALUE，例如 group=name

## clap 发现的错误

clap-unknown-option = { $command } 没有选项 { $option }
clap-unknown-argument = 未知选项或参数 '{ $argument }'
clap-unknown-command = 未知命令 '{ $command }'
clap-missing-arguments = 缺少必需的参数：{ $arguments }
clap-missing-command = '{ $command }' 需要子命令：{ $known }
clap-no-value = '{ $argument }' 缺少值
clap-no-value-of = '{ $argument }' 缺少值，可选值：{ $known }
clap-invalid-value = '{ $argument }' 的值 '{ $value }' 无效
clap-invalid-value-of = '{ $argument }' 的值 '{ $value }' 无效，可选值：{ $known }
clap-rejected-value = '{ $argument }' 的值 '{ $value }' 无效：{ $reason }
clap-surplus-value = '{ $argument }' 不接受多余的值 '{ $value }'
clap-too-few-values = '{ $argument }' 至少需要 { $least } 个值，只给了 { $given } 个
clap-wrong-number-of-values = '{ $argument }' 需要 { $expected } 个值，给了 { $given } 个
clap-conflict = '{ $argument }' 不能与 { $others } 同时使用
clap-repeated = '{ $argument }' 不能重复使用
clap-no-equals = '{ $argument }' 的值之前需要等号
clap-not-utf8 = 命令行中有不是 UTF-8 的文本
clap-other = 命令行无效（详细信息：{ $text }）
clap-not-a-number = 应为整数
clap-number-too-large = 数值过大
clap-out-of-range = 应在 { $least } 到 { $most } 之间
clap-too-small = 至少为 { $least }
clap-out-of-range-of = 超出范围（详细信息：{ $range }）
clap-invalid = 不被接受（详细信息：{ $text }）
clap-not-an-address = 应为 IP 地址
clap-did-you-mean = 是否指 { $suggestions }？
clap-as-value = 如要把 '{ $argument }' 作为值传入，请写成 '-- { $argument }'
clap-usage = 用法：{ $usage }
clap-help = 更多信息请用 '--help' 查看。

## 命令在结果之外的输出

diagnose-clocks-of-ranks = 时钟：{ $ranks } 个 rank 的主机未知，逐个 rank 对齐；最多相差 { $apart } us，对齐后误差不超过 { $residual } us
label-error = 错误
label-warning = 警告
label-note = 说明
listed = { $items }
labelled = { $label }：{ $text }
clauses = { $first }；{ $second }
progress-reading = 正在读取 { $rank } { $bar } { $done } / { $all }，剩余 { $left }
progress-writing = 正在写入 { $bar } { $done } / { $all }，剩余 { $left }
view-stop = 按 Ctrl-C 停止
view-open = 请在浏览器中打开此地址
convert-written = 已将 { $ranks } 个 rank 写入 { $path }
convert-no-text = 已跳过 cluster_analysis.db：它没有 text 格式
convert-no-timeline = 已跳过 cluster_analysis.db：它没有时间线
convert-loose-arrows = 已跳过 { $arrows } 个一端没有切片的箭头
synth-written = 已将 { $ranks } 个 rank 和 ground_truth.json 写入 { $path }
report-written = 已将 { $size } 写入 { $path }
rows-shown = 显示 { $all } 行中的 { $shown } 行；--max-rows N 可显示更多，--format csv 可显示全部
unknown-ending = .{ $ending } 不是已知格式，因此写为文本表格；已知的扩展名：.csv、.json、.parquet、.arrow；也可用 --format 指定
sql-no-rows = 此 profile 中表 { $table } 没有数据；npuscope doctor { $path } 可查看缺少的数据
sql-facts = 采集的事件
sql-measured = 由事件计算；定义见 npuscope glossary
sql-reported = profiler 的汇总，采用其原有单位
sql-about = 关于 profile 本身
sql-list-columns = \d TABLE 可列出一张表的列；每张表还有列 rank。
sql-list-functions = \functions 可列出 npuscope 在 SQL 之外增加的函数。
sql-rank-column = 该行所属的 rank。
sql-window-column = 该行所属的窗口；作业的窗口按时间从 0 开始编号。
head-table = 表
head-one-row = 每行对应
head-function = 函数
head-result = 结果
head-column = 列
head-type = 类型
head-unit = 单位
head-meaning = 含义
head-view = 视图
head-shows = 内容
head-parameters = 参数
gap-host-busy = 主机繁忙，尚未下发下一个任务
gap-host-sync = 主机在同步调用中等待设备，无法提前下发任务
gap-data = 主机在等待输入数据：数据加载过慢
gap-gc = Python 正在进行垃圾回收，期间没有下发任务
gap-queue-empty = 设备队列为空：任务的下发慢于执行
gap-waiting-for-rank = 下一个任务是集合通信：该 rank 在等待另一个迟到的 rank
gap-waiting-for-stream = 下一个任务已及时下发，但需等待另一条流上的任务
gap-start = 早于该 rank 的第一个任务
gap-end = 晚于该 rank 的最后一个任务
gap-unknown = profile 中的数据不足以确定原因
gap-cause = { $cause }：{ $what }
head-device = 设备
head-host = 主机
head-chip = 芯片
head-format = 格式
head-framework = 框架
head-versions = 版本
head-level = 级别
head-step-ids = step 编号
head-covers = 覆盖时间
head-window = 窗口
head-stage = 阶段
head-directories = 目录
head-kind = 类型
head-files = 文件数
head-bytes = 大小
head-unread-columns = 未读取的列
head-all-ranks = 所有 rank
head-least = 最少
head-most = 最多
head-rank = rank
head-step = step
head-steps = step 数
head-computing = 计算
head-exposed-communication = 未掩盖通信
head-free = 空闲
head-mean = 均值
head-shortest = 最小
head-longest = 最大
kind-range = 区间
kind-operator = 算子
glossary-table = 表
glossary-option = 选项
glossary-tables = 表
glossary-options = 选项
glossary-formula = 公式
glossary-other-names = 其他名称
glossary-avoid = 避免使用
glossary-function = 计算函数
glossary-one = npuscope glossary TERM 显示某个术语的定义
head-term = 术语
head-name = 名称
head-rows = 行数

# 查询

engine-ended = 内部错误：查询结束，但没有返回结果
engine-internal = 内部错误：{ $text }
engine-no-table = 没有表 { $name }
engine-no-table-similar = 没有表 { $name }；是否指 { $similar }？
engine-no-column = 查询中没有列 { $name }
engine-no-column-similar = 查询中没有列 { $name }；是否指 { $similar }？
engine-no-column-in = { $tables } 中没有列 { $name }
engine-no-column-in-similar = { $tables } 中没有列 { $name }；是否指 { $similar }？
engine-memory = 查询超出内存上限 { $limit }，溢写后仍不足（详细信息：{ $what }）
engine-memory-exhausted = 查询所需内存超过可用内存（详细信息：{ $what }）
engine-disk = 查询超出溢写数据的磁盘上限；请减少行或列
engine-time = 查询超时（{ $limit }）；请减少行数，或提高时限
engine-too-long = 查询长 { $bytes } 字节，上限为 { $limit } 字节
engine-too-deep = 查询的嵌套超过 { $limit } 层（一个运算符计 1 层，一个 JOIN 计 10 层）；请缩短查询，例如用 IN (…) 代替 OR
engine-too-many-columns = 查询选择的列超过 { $limit } 个
engine-too-large = 展开 WITH 子句后查询过大（上限 { $limit } 个词元）；请减少引用 WITH 子句的次数
engine-syntax = 语法错误（详细信息：{ $text }）
engine-syntax-at = 第 { $line } 行第 { $column } 列有语法错误（详细信息：{ $text }）
engine-syntax-expected = 第 { $line } 行第 { $column } 列语法错误：应为{ $expected }，实际为{ $found }
engine-syntax-expected-here = 语法错误：应为{ $expected }，实际为{ $found }
engine-syntax-end-column = { $error }；END 是 SQL 关键字，列名请写成 "end"
engine-syntax-string-open = 第 { $line } 行第 { $column } 列语法错误：此处开始的字符串缺少结束引号
engine-token = {" "}{ $text }
engine-token-statement = {" "}SQL 语句
engine-token-end = 查询末尾
engine-token-expression = 表达式
engine-token-identifier = 名称
engine-no-statement = 查询为空
engine-statements = 一次只能执行一条语句；多条语句请逐条执行
engine-read-only = 查询只能读取数据，不支持 { $what }
engine-no-function = 没有函数 { $name }
engine-no-function-similar = 没有函数 { $name }；是否指 { $similar }？
engine-no-function-types = 没有与 { $call } 匹配的函数；请检查参数的个数和类型
engine-ambiguous-column = 多个表都有列 { $name }；请写成 TABLE.{ $name }
engine-duplicate-column = 查询中有多个列 { $name }；请用 AS 为其中一个改名
engine-not-grouped = 列 { $column } 既不在 GROUP BY 中，也不在 sum()、max() 等聚合函数中
engine-unnamed-order = 不能按没有名称的表达式排序；请用 AS 命名，再按该名称排序
engine-types = { $expression } 两侧的类型不匹配；请用 CAST(… AS …) 转换其中一侧
engine-division = 除数为零；将除数写成 NULLIF(…, 0)，结果即为空值
engine-overflow = 数值超出范围（详细信息：{ $text }）
engine-cast = 无法转换值（详细信息：{ $text }）
engine-cast-value = 无法将 { $value } 转换为 { $to }；TRY_CAST 会给出空值
engine-regex = 正则表达式无效（详细信息：{ $text }）
engine-unsupported = 不支持该 SQL（详细信息：{ $text }）
engine-query = 查询失败（详细信息：{ $text }）

# 视图

view-no-parameter = 没有参数 { $name }
view-no-rank-chosen = 未选择 rank；请至少选择一个
view-no-rank = rank { $rank } 不存在；此 profile 有 rank { $ranks }
view-not-one-rank = 该视图只显示一个 rank；请选择一个，命令行中用 --rank N 指定
view-end-before-beginning = 时间范围的结束早于开始
view-no-moment = 该视图需要一个时刻；命令行中请用 --at 指定时刻，例如 --at 1.25s
view-not-a-number = { $name } 应为数字
view-out-of-range = { $name } 应在 1 到 { $most } 之间
view-not-one-of = { $name } 应为以下之一：{ $words }
view-no-gap = rank { $rank } 的设备在该时刻没有空闲
view-no-operation = rank { $rank } 在该时刻没有正在执行的通信算子

# 查看器的服务端

server-no-address = 该地址没有内容
server-no-slice = rank { $rank } 没有切片 { $slice }
server-no-view = 没有视图 { $name }
server-no-pages = 该 npuscope 构建时未包含页面；请安装 Node 20 和 npm，然后重新构建
server-internal = 内部错误（详细信息：{ $text }）
server-request-invalid = 请求无效（详细信息：{ $text }）
server-request-too-large = 请求超过 { $limit } 字节
server-not-numbers = { $name } 应为以逗号分隔的数字
server-no-level = 没有高于 { $most } 的层级
server-strip = 概览应分为 1 到 { $most } 段，且结束晚于开始
server-not-idle = 该泳道在该时刻没有空闲，或不是设备的泳道
server-refused-host = 请求被拒绝：不能用该主机名访问此服务；请打开 npuscope view 打印的地址
server-refused-origin = 请求被拒绝：请求来自其他网站的页面
server-refused-token = 请求被拒绝：缺少 token，或 token 错误；请打开 npuscope view 打印的地址
search-duration = { $text } 不是时长；请写成 250us、1.5ms 或 2s
search-ranks = { $text } 不是 rank 列表；请写成 0-7,12

# 模拟器

synth-zero = { $what } 至少为 1
synth-division = { $what } 为 { $whole }，无法平均分给 { $parts }
synth-among-stages = { $count } 个流水线 stage
synth-among-interleaved-stages = { $count } 个交错流水线 stage
synth-among-tensor-ranks = { $count } 个张量并行 rank
synth-among-tensor-and-context-ranks = { $count } 个张量并行与上下文并行 rank
synth-among-expert-ranks = { $count } 个专家并行 rank
synth-among-heads = { $count } 个注意力头
synth-number = { $what } 应为不小于 { $least } 的数，实际为 { $value }
synth-interleaved = 交错流水线（virtual_stages）需要多于一个 stage（pp）
synth-no-experts = 专家并行（ep）需要包含专家的模型
synth-no-stages = 按阶段采集窗口（profiling = "stages"）需要强化学习作业（workload = "reinforcement-learning"）
synth-window-order = 窗口 { $window } 必须在 step { $first } 到 { $last } 之内，且在前一个窗口之后
synth-window-text = "{ $text }" 不是窗口；应为 FIRST..LAST，例如 2..5
synth-too-much = { $what } 至多为 { $most }，实际为 { $value }
synth-stuck = rank { $rank } 在 step { $step } 中一直等待
synth-framework = 不支持框架 { $name }；请使用 torch_npu 或 mindspore
synth-no-preset = 没有预设 { $name }；可用的预设：{ $known }
synth-unknown-key = 未知的键 { $key }
synth-unknown-key-similar = 未知的键 { $key }；是否要用 { $similar }？
synth-choice = { $key } 应为以下值之一：{ $known }，实际为 { $value }
synth-wrong-type = { $key } 应为{ $expected }，实际为{ $found }
synth-type-text = 字符串
synth-type-integer = 整数
synth-type-number = 数字
synth-type-bool = { " " }true 或 false
synth-type-time = 日期或时间
synth-type-list = 列表
synth-type-section = 段
synth-not-toml = 第 { $line } 行第 { $column } 列不是有效的 TOML（详细信息：{ $text }）
synth-scenario = 场景无效（详细信息：{ $text }）
fault = 故障 { $fault }：{ $why }
fault-no-rank = 作业没有 rank { $number }，共 { $count } 个 rank
fault-no-host = 作业没有主机 { $number }，共 { $count } 台主机
fault-no-stage = 作业没有 stage { $number }，共 { $count } 个 stage
fault-weak = 强度至少为 { $least }，实际为 { $strength }
fault-link-to-itself = 链路应连接两个不同的 rank
fault-needs-experts = 需要专家并行（ep）
fault-needs-pipeline = 需要流水线并行（pp）
fault-needs-hosts = 需要多于一台主机；主机之间通过 RDMA 连接
fault-needs-memory = 需要采集内存（profile_memory）
fault-frequency = 芯片频率已是 { $mhz } MHz；请指定更低的频率
fault-in-all-steps = 该故障影响所有 step；请去掉 steps=
fault-fraction = 强度（{ $unit }）应为整数
fault-sends-nothing = rank { $rank } 不向其他主机发送数据
fault-steps-turned = 最后一个 step 早于第一个：{ $from }..{ $to }
fault-no-such-steps = 作业没有这些 step；作业运行 step { $first } 到 { $last }
fault-expected = 应为 KIND@PLACE，例如 slow-rank@5:1.5
fault-no-kind = 没有故障类型 { $kind }；可用的类型：{ $known }
fault-place = 位置 { $text } 不是数字
fault-two-ranks = 应为两个 rank，例如 slow-link@0-1:4
fault-strength = 强度 { $text } 不是数字
fault-weak-unit = 强度（{ $unit }）至少为 { $least }，实际为 { $strength }
fault-steps = 逗号后应为 steps=FIRST..LAST
fault-step = step { $text } 不是数字

## 读取的诊断信息：文件有什么问题，如何处理

read-empty = 文件为空
read-utf16 = 文件编码为 UTF-16，而交付件应为 UTF-8；已跳过。请转换编码，例如使用 iconv
read-not-utf8 = 存在无效的 UTF-8；无效字节显示为 �
read-unreadable = 无法读取文件：{ $why }
read-not-regular = 不是普通文件

# trace。

read-not-a-trace = 应为 trace 事件的 JSON 数组，或包含 traceEvents 的对象；已跳过该文件
read-events-cut = 文件在事件列表中被截断；保留了 { $events } 个事件
read-event-garbage = 不是 trace 事件；已跳到下一个事件
read-event-unknown-phase = 跳过一个事件，其类型（ph）不是 X、M、C、s、f 之一：{ $text }
read-event-no-time = 跳过一个事件，其 ts 或 dur 不是数字
read-more-events = 另有 { $count } 个事件无法读取，已跳过
read-too-much-text = 不重复的文本超过 2 GiB；之后的名称显示为空
read-events-not-closed = 事件列表缺少结尾的括号；保留了 { $events } 个事件
read-after-events = 跳过事件列表结束之后的文本
read-gzip-offset = { $diagnostic }（偏移量以解压后的文本计）
read-gzip-cut = gzip 文件被截断；保留了解压后的 { $bytes } 字节
read-gzip-damaged = gzip 文件已损坏；保留了损坏处之前解压后的 { $bytes } 字节
read-gzip-checksum = 解压后的文本与 gzip 文件的校验和不符；保留了解压后的 { $bytes } 字节
read-gzip-garbage = 跳过 gzip 数据结束之后的字节；保留了解压后的 { $bytes } 字节
read-gzip-too-long = 解压后的文本超过 { $limit } 字节的上限；保留了 { $bytes } 字节
read-gzip-no-memory = 内存不足，无法解压整个文件；保留了 { $bytes } 字节
read-no-base-time = 文件不完整，缺少 baseTimeNanoseconds；时间从 1970-01-01 起算
read-trace-settings = traceEvents 之外的 JSON 不完整或无效；保留了此处之前的设置
read-left-in-trace = NPU 的交付件无法容纳 PyTorch trace 的全部内容；已省略：{ $left }
read-left-device-ranges = { $count } 个设备侧区间
read-left-host-events = { $count } 个其他主机侧事件
read-left-counter-samples = { $count } 个计数器采样点

# JSON 文件。

read-entries-cut = 文件在一个值中间被截断；保留了 { $entries } 个条目
read-entries-garbage = JSON 内容不符合预期；保留了此处之前的 { $entries } 个条目
read-settings-incomplete = 不是完整的 JSON 对象；保留了此处之前的 { $settings } 项设置
read-settings-garbage = 有一项设置不是有效的 JSON；保留了其余 { $settings } 项设置（详细信息：{ $error }）

# csv 文件。

read-csv-no-header = 无法读取表头；已跳过该文件（详细信息：{ $error }）
read-csv-header-cut = 文件在表头中被截断；没有数据行
read-csv-row-cut = 文件在一行中间被截断；保留了之前的行
read-csv-bad-row = 跳过无效的行（详细信息：{ $error }）
read-csv-uneven-row = 跳过一行：该行有 { $cells } 个单元格，表头有 { $headers } 个
read-csv-more-uneven-rows = 另有 { $count } 行的单元格过少或过多，已跳过
read-csv-wrong-columns = 文件中没有 { $kind } 文件应有的任何列（{ $columns } 等）；已跳过该文件
read-csv-bad-cells = { $count } 个单元格的类型不符，按空值读取；第一个是 { $column } 列的 `{ $cell }`

# FRAMEWORK 文件。

read-no-clock = profiler_info 缺少时钟（start_info 和 end_info）；时间从机器启动时起算
read-unmatched-marks = 跳过 { $count } 个没有对应开始或结束的队列标记
read-record-cut = 文件在一条记录中间被截断；保留了 { $records } 条记录，跳过最后 { $bytes } 字节
read-records-skipped = 跳过 { $count } 条类型未知或过短的记录

# 数据库。

read-db-wal = 数据库的 -wal 文件中还有修改；这些修改未被读取
read-db-not-sqlite = 不是 SQLite 数据库：文件不以 `SQLite format 3` 开头；已跳过
read-db-no-table = 数据库中没有可读取的表
read-db-damaged = 数据库被截断或已损坏（详细信息：{ $error }）
read-db-empty = 数据库的所有表都没有数据行
read-db-bad-cells = 表 { $table } 有 { $count } 个单元格的类型不符，按空值读取
read-db-schema-damaged = 表的目录已损坏：{ $damage }；其中列出的表已丢失
read-db-swapped-columns = PYTORCH_API 的 inputDtypes 列是 shape，inputShapes 列是数据类型；已将两列对调
read-db-dangling-ids = { $count } 个 id 在 STRING_IDS 中没有对应的字符串，按空值读取
read-db-orphan-rows = 跳过 { $table } 的 { $count } 行：{ $lacking } 中没有对应的任务
read-db-table-damaged = 表 { $table } 已损坏：{ $damage }；保留了 { $rows } 行
read-db-more-damage = 表 { $table } 还有 { $count } 处损坏
read-db-table-unreadable = 表 { $table } 无法读到末尾；保留了 { $rows } 行（详细信息：{ $error }）
read-db-damage-row = 有一行超出所在的页
read-db-damage-loop = 页之间存在循环引用
read-db-damage-missing-page = 有一页超出文件末尾
read-db-damage-foreign-page = 有一页不是表的页
read-db-damage-no-children = 有一页没有有效的子页

## 查找与加载 profile 的诊断信息

store-same-in-database = 跳过以下文件，该 rank 的数据库中有相同的数据：{ $files }
store-more-in-trace = 已跳过此文件：该 rank 的 trace 包含更多数据
store-text-instead = 数据库已损坏；已改为读取该 rank 的文本文件
store-unknown-file = 不是已知的 profile 文件；已跳过
store-no-rank-in-trace = rank 未知（没有 distributedInfo，文件名中也没有 rank）；显示为 rank { $rank }，可能不正确
store-no-rank = rank 未知（没有 profiler_info）；显示为 rank { $rank }，可能不正确
store-several-jobs = 此目录中有 { $count } 个作业：{ $jobs }；当前显示 { $read }（用 --job 选择其他作业）
store-steps-by-order = step 编号重复或缺失；step 按采集顺序从 1 开始编号
store-renumbered = NPU 的 rank 与 GPU 的 rank 编号相同；GPU 的 rank { $rank } 显示为 rank { $shown }
store-raw-only = 原始数据尚未导出；请先运行 `msprof --export=on --output=<此目录>`
store-device-raw = 设备的原始数据尚未导出；只显示主机侧活动
store-ambiguous-file = 此目录中有 { $ranks } 个 rank 的文件，文件名没有说明属于哪个 rank；已跳过
store-cut-recording = 采集不完整：进程被终止或仍在运行；显示已写入的数据
store-symlink-loop = 该链接指向其上级目录；已跳过
store-too-deep = 目录嵌套超过 { $depth } 层；已跳过
store-no-output = 该 rank 目录中没有 ASCEND_PROFILER_OUTPUT、FRAMEWORK 和 PROF_*，已跳过。请重新拷贝；如果进程曾被终止，请重新采集
store-cannot-list = 无法列出目录：{ $why }
store-in-file = { $file }：{ $diagnostic }
store-cache-rebuilt = { $error }；将重新生成
store-extract-not-cached = { $error }；下一条命令将重新读取各 rank
store-rank-not-cached = { $error }；下次将重新读取 rank { $rank }

# convert。

convert-left-in-trace = rank { $rank }：{ $left }；--to parquet 保留全部内容，--to perfetto 保留时间线上的内容
