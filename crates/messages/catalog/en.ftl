# The sentences of npuscope in English, in the syntax of Project Fluent. One entry per message; crates/messages/src/lib.rs
# explains how they are used. Words follow CONTRIBUTING.md, "Words".

# Documentation of the crate `messages`.
example = { $steps ->
    [one] { $steps } step takes
   *[other] { $steps } steps take
} { $times }x as long as before

## Findings: what is claimed, of whom, at which cost

claim = { $who }: { $what }
claim-with-cost = { $who }: { $what }; { $cost }
claim-no-device = no device data recorded, only host activity: nothing can be concluded about devices
claim-slow-rank = rank { $rank } computes { $ratio }x as long as the other ranks ({ $computing } ms per step, median of the others { $median } ms); they wait for it
claim-slow-in-stage = rank { $rank } computes { $ratio }x as long as the other ranks of its pipeline stage ({ $computing } ms per step, median of the others { $median } ms); they wait for it
who-rank = rank { $rank }
who-ranks = ranks { $ranks }
who-link = ranks { $first } and { $second }
cost = { $lost } ms lost per step{ $when }
cost-behind-others = { $cost }, { $lost } ms once the other causes are fixed
when-always = { "" }
when-in-step = { " " }in step { $step }
when-in-steps = { " " }in { $count } steps between { $first } and { $last }

## Findings: what stands out

what-compute = its kernels run { $ratio }x slower than on comparable ranks
what-frequency = its AI Core runs at { $own } MHz, on other ranks at { $others } MHz
what-expert-imbalance = its experts process more tokens than those of other ranks
what-aicpu = it runs { $operators ->
    [one] { $operators } operator
   *[other] { $operators } operators
} on the AI CPU
what-stage-imbalance = { $share } % of the computing of pipeline stage { $stage } exceeds that of the other stages
what-host = host { $host } takes { $ratio }x as long as other hosts between two launches
what-host-of-rank = its host process takes { $ratio }x as long as others between two launches
what-gc = Python garbage collection takes { $own } ms per step
what-dataloader = it waits { $own } ms per step for the next batch, other ranks { $others } ms
what-synchronisation = its host waits for the device { $own } times per step, other hosts { $others } times
what-memory = memory runs out { $own } times per step: the host waits for the device and allocates again
what-memory-leak = its allocated memory grows by { $growth } MB with every step
what-link = transfers over their { $transport } link take { $ratio }x as long as over other links ({ $bandwidth } GB/s)
what-retransmission = { $transfers ->
    [one] { $transfers } transfer was retransmitted and took
   *[other] { $transfers } transfers were retransmitted, the longest took
} { $longest } ms
what-clock-ahead = the clock of host { $host } is { $offset } ms ahead of the others; times shown here are corrected
what-clock-behind = the clock of host { $host } is { $offset } ms behind the others; times shown here are corrected

## Findings: what was seen at a place of the timeline

seen-kernel = kernel { $name }: { $own } ms, on other ranks { $others } ms
seen-aicpu = { $name } on the AI CPU: { $own } ms
seen-gc = garbage collection: { $own } ms
seen-dataloader = waiting for the next batch: { $own } ms
seen-synchronisation = waiting for the device: { $own } ms
seen-allocation = allocating memory: { $own } ms
seen-retransmission = { $bytes } bytes from rank { $from } to rank { $to }: { $own } ms, usually { $usual } ms
seen-link = { $bytes } bytes: { $own } ms, over other links { $others } ms

## Findings: what to try

try-compute = check the device for other processes, memory bandwidth and faults in its logs; replace it and run again
try-frequency = check power and cooling of the device: npu-smi info -t power and -t temp
try-expert-imbalance = balance the tokens of the experts: auxiliary loss, capacity factor, or move busy experts
try-aicpu = avoid the operator or its data type, so that it runs on the AI Core
try-stage-imbalance = move layers to other stages: --num-layer-list, or an uneven split
try-host = check the host: CPU load, core binding of processes, frequency governor
try-gc = collect garbage only between chosen steps: gc.disable() and gc.collect(), or gc.freeze()
try-dataloader = add data loader workers and prefetching, or use faster storage
try-synchronisation = move .item(), .cpu() and printing of tensors out of the loop, or do them once per step
try-memory = set PYTORCH_NPU_ALLOC_CONF=expandable_segments:True, or leave more memory free
try-memory-leak = look for tensors that are kept across steps, such as losses appended to a list
try-link = test the link with hccl_test; check its cable, port and error counters
try-retransmission = check the network: hccn_tool -stat, dropped packets, flow control, cables
try-clock = synchronise the clocks of all hosts with a time server; npuscope corrects for the difference
try-slow-rank = compare the kernels and the core frequency of this rank with those of another
try-no-device = compare the ranges and operators of the hosts in the timeline

## Findings: names of their numbers

number-lost = lost
number-lost-behind-others = lost once the others are fixed
number-step = step time
number-step-if-fixed = step time if fixed
number-ratio = times as long
number-frequency = frequency
number-frequency-of-others = frequency on other ranks
number-aicpu = on the AI CPU
number-aicpu-of-others = on the AI CPU of other ranks
number-stage = pipeline stage
number-share-of-computing = share of computing
number-per-step = per step
number-of-others = on other ranks
number-waits-per-step = waits per step
number-growth = growth per step
number-bandwidth = bandwidth
number-transfers = transfers
number-longest = longest
number-offset = offset
number-drift = drift
number-computing = computing
number-median = median of the others

## The parallel layout

layout-sizes = { $sizes }
layout-ranks = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
}
layout-recorded = { $sizes } (recorded)
layout-inferred = { $sizes } (inferred from communication groups, confidence { $confidence })
layout-unknown = unknown

## What limits a verdict

rank-without-device = rank { $rank } has no device data and is left out
problem-of-rank = rank { $rank } { $file }: { $message }

## Terminal: findings

findings-heading = findings
findings-more = … and { $count ->
    [one] { $count } more finding
   *[other] { $count } more findings
}; --format json lists all
severity-critical = critical
severity-warning = warning
severity-info = info
finding-share = costs about { $share } % of the step
finding-confidence = confidence about { $confidence } %: few ranks to compare with
finding-seen = seen: rank { $rank }: { $what }
finding-seen-in-step = seen: rank { $rank }, step { $step }: { $what }
finding-seen-again = { $seen } ({ $times } times)
finding-try = try: { $suggestion }
finding-see = see: { $command }

## Terminal: auto-completion

completion-paste = paste this command into the terminal to turn completion on

## Terminal: diagnose

diagnose-headline = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
}, { $steps ->
    [one] { $steps } step
   *[other] { $steps } steps
}, { $step_ms } ms per step
diagnose-if-fixed = ; { $step_ms } ms if these findings were fixed
diagnose-layout = layout: { $layout }
diagnose-one-host = clocks: one host
diagnose-clocks = clocks: { $hosts } hosts, up to { $apart } us apart, aligned to within { $residual } us
diagnose-unaligned = clocks not aligned, because no communication connects the host to the first: { $hosts }
diagnose-replay = replay: { $error } % error against the recorded steps
diagnose-unmatched = { $operations ->
    [one] { $operations } communication operation
   *[other] { $operations } communication operations
} without a counterpart on another rank
diagnose-no-findings = no findings

## Terminal: info

info-headline = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
}, { $steps ->
    [one] { $steps } step
   *[other] { $steps } steps
}, { $step_ms } ms per step
info-headline-without-markers = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
}, no step markers, { $step_ms } ms in total
info-device-per-step = device time per step, mean in ms
info-device = device time, in ms
info-without-steps = without step times: ranks { $ranks }
info-longest-computing = the { $count } ranks that compute longest; --format json lists all
info-longest-steps = the { $count } ranks with the longest steps; --format json lists all
info-host = no device data recorded; step time on the host, mean in ms
info-host-of-ranks = no device data recorded for ranks { $ranks }; step time on the host, mean in ms
info-host-work = host time by name, mean per step in ms
info-on-rank = { $value } on rank { $rank }
info-no-device = none; no device data recorded, so nothing can be concluded about devices
info-one-rank = none; there is no other rank to compare with
info-no-findings = none; no rank computes longer than the others of its stage
