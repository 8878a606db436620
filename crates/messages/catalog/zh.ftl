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
