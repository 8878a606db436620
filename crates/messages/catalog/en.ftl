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

## What a profile lacks

verbatim = { $text }
no-rank-has = No rank has { $what }.
mode-needs = { $mode } needs { $what }, which no rank has; { $hint }
to-collect = { $what } To collect it: { $switch }
not-collectable = none: this profiler does not collect it
saw-host-only = no device recorded: { $recorder } recorded the host only

## Names of data

data-framework-operators = framework operators
data-device-tasks = device tasks
data-step-markers = step markers
data-types-and-shapes = operator types and kernel shapes
data-operator-types = operator types
data-kernel-shapes = kernel shapes
data-ai-core-metrics = AI Core metrics
data-cann-calls = CANN calls
data-runtime-calls = runtime calls
data-memory = memory
data-memory-figures = memory figures
data-allocations = allocations
data-planned-memory = memory that a graph compiler planned; only jobs that run as compiled graphs have it
data-input-shapes = operator input shapes
data-call-stacks = call stacks
data-python-functions = Python functions
data-l2-cache = L2 cache rates
data-user-ranges = user ranges (mstx)
data-garbage-collections = garbage collections
data-task-queue = entries of the task queue
data-host-slices = slices of the host
data-launches = calls that launch kernels
data-kernels = kernels
data-computing-kernels = computing kernels
data-kernels-or-cann-calls = kernels or CANN calls
data-kernels-or-operations = kernels or communication operations
data-kernels-operators-or-communication = kernels, operators or communication
data-grouped-matmul = kernels of type GroupedMatmul with their shapes
data-expert-group = a group of ranks that share experts
data-frequency = samples of the AI Core frequency
data-chip = the chip's cores and frequency (device_N/info.json.N)
data-operations = communication operations
data-operations-of-devices = communication operations; a job on one device has none
data-links = communication links
data-links-of-devices = communication links; a job on one device has none
data-pieces = parts of sends and receives
data-step-times = step times
data-steps-and-communication = step and communication times
data-parallel-groups = parallel_group_info in the metadata
data-passes = mstx ranges of forward and backward passes
data-ranges-of-domain = mstx ranges of the domain { $domain }
data-communication-ranges = mstx ranges of communication
data-device-marks = mstx marks or ranges on the device
data-rl-stages = user ranges (mstx) of stages such as actor_generate or actor_update

## What data is good for

use-launching-line = which line of the model launched a kernel
use-npu = what the NPU did
use-device = what the device did
use-step-time = time per training step
use-operators = which operators take the time
use-bound = what a kernel is bound by
use-bandwidth = bandwidth, and waiting against moving data
use-late-host = why the host is late
use-synchronising = synchronising calls and copies
use-memory = peaks, fragmentation, leaks
use-slow-call = which call of an operator is slow
use-code-line = the line of code behind an operator
use-cache-misses = kernels that miss the cache
use-names = stages and modules by name

## How to collect data

collect-level0 = collect at level0 or above
collect-level1 = collect at level1 or above
collect-level1-of-devices = collect at level1 or above, on more than one NPU
collect-level1-or-mstx = collect at level1, or level_none with mstx, on more than one NPU
collect-npu-level0 = collect NPU activities at level0 or above
collect-npu-level1 = collect NPU activities at level1 or above
collect-cann-calls = collect NPU activities at level0 or above; text results have calls from level1 on
collect-parallel-groups = add parallel_group_info to the profiler's metadata, as Megatron and MindSpeed do
collect-parallel-groups-by-hand = trainers on Megatron write it, others can with prof.add_metadata_json
collect-grouped-matmul = collect a model with grouped matrix products at level1 or above
collect-frequency = collect NPU activities on a chip that reports it, Atlas A2 or newer
collect-passes = mark forward_step and backward_step with torch_npu.npu.mstx.range_start and collect with mstx
collect-mfu-ranges = collect with mstx=True and mark operators with { $code }
collect-raw-data = collect with data_simplification=False, which keeps the raw data of the profiler
collect-communication-ranges = collect with mstx switched on, on more than one NPU
collect-modules = collect with mstx=True and mark modules with { $code }, for example in a forward hook
collect-device-marks = mark the script with mstx and collect with mstx=True
collect-rl-stages = mark the stages with torch_npu.npu.mstx.range_start and collect with mstx=True
collect-exported = profile NPUs with torch_npu, MindSpore or msprof, and export the result
collect-device = no device was recorded, only what hosts did

## Notes beside the tables of a cluster mode

note-of-baseline = baseline: { $note }
note-frequency = AI Cores of all ranks run at { $nominal } MHz
note-unknown-peak = left out: operators on { $types }, whose peak is unknown
note-no-kernel-in-range = no kernel was launched in a range that gives its number of operations
note-has-operations = every rank has its communication operations already
note-no-slow-links = no communication takes longer than comparable communication
note-no-sends = there are no sends and receives
note-unequal-sends = rank { $source } sent { $sent ->
    [one] { $sent } time
   *[other] { $sent } times
} to rank { $destination }, which received { $received ->
    [one] { $received } time
   *[other] { $received } times
}: some sends are paired with the wrong receive
note-no-slow-rank = no rank keeps the others waiting
note-no-masked-operation = no step has an operation of a group { $types }
note-nothing-to-compare = nothing to compare: no rank has modules both in the profile and in the baseline
note-not-reported = no rank reports { $what }; { $hint }
note-ranks-not-in-profile = { $count } of { $world } ranks are not in the profile: { $ranks }
note-inferred-layout = the parallel layout is inferred from communication groups: { $sizes } (confidence { $confidence } %)
note-unknown-link-ends = left out { $links ->
    [one] { $links } link
   *[other] { $links } links
}: which rank is number { $number } of group { $group } is unknown
note-unknown-link-ends-more = left out { $links ->
    [one] { $links } link
   *[other] { $links } links
}: which rank is number { $number } of group { $group } is unknown, and { $more } more
note-unknown-links = left out { $links ->
    [one] { $links } link
   *[other] { $links } links
}: which ranks they connect is unknown, such as { $from } and { $to } of group { $group }
note-no-operator-in-module = no operator that launched anything ran inside a module
note-incomplete-collectives = { $collectives ->
    [one] { $collectives } collective lacks
   *[other] { $collectives } collectives lack
} ranks: not counted in wait or transmit time
note-earlier-results = both are results of earlier runs of { $mode }
note-baseline-lacks = the baseline lacks { $steps }
step-of-rank = step { $step } of rank { $rank }
note-never-free = devices were never free
note-single-marks = rank { $rank }: marks without a partner: { $marks }

## Why a rank, or a part of it, is not in an answer

absent-step = it has no step { $step }
absent-ranges = it has no mstx ranges of the domain { $domain }
absent-chip = it has no device_N/info.json.N, and its chip is unknown
absent-no-place = it is a trace of PyTorch's own profiler, which databases of NPUs have no place for
absent-nothing-kept = nothing of it would be kept
absent-modules = none of its modules launched anything
absent-in-baseline = the baseline lacks it
lacks-reported = it reports no { $what }
of-baseline = in the baseline: { $why }

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

## Terminal: what reading met

reading-problems = { $problems ->
    [one] { $problems } problem while reading, results may be incomplete; npuscope doctor { $path } lists it
   *[other] { $problems } problems while reading, results may be incomplete; npuscope doctor { $path } lists them
}
reading-remarks = { $remarks ->
    [one] { $remarks } remark while reading; npuscope doctor { $path } lists it
   *[other] { $remarks } remarks while reading; npuscope doctor { $path } lists them
}
reading-problems-and-remarks = { $problems ->
    [one] { $problems } problem
   *[other] { $problems } problems
} and { $remarks ->
    [one] { $remarks } remark
   *[other] { $remarks } remarks
} while reading, results may be incomplete; npuscope doctor { $path } lists them
reading-strict = { $problems ->
    [one] { $problems } problem
   *[other] { $problems } problems
} while reading (--strict); the first: { $first }

## Terminal: doctor

doctor-headline = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
} in { $path }
doctor-files = files
doctor-rows = rows per table
doctor-missing = missing
doctor-missing-from-file = missing from this file; the rest of the profile may have it
doctor-missing-line = { $what }{ $whose }: { $purpose }{ $remark }
doctor-on-all = { "" }
doctor-on-rank = { " " }on rank { $rank }
doctor-on-ranks = { " " }on ranks { $ranks }
doctor-no-remark = { "" }
doctor-why = { " " }({ $why })
doctor-was-on = { " " }(enabled, but no data arrived)
doctor-nothing = nothing
doctor-problems = problems
doctor-no-problems = none
doctor-at-byte = { " " }at byte { $offset }
doctor-steps = { $count } from { $first } to { $last }
doctor-window = { $seconds } s from { $start }
doctor-more-ranks = … and { $count ->
    [one] { $count } more rank
   *[other] { $count } more ranks
}; --format json lists all
doctor-more-problems = … and { $count ->
    [one] { $count } more problem
   *[other] { $count } more problems
}; --format json lists all
severity-error = error

## Terminal: cluster

cluster-left-out = rank { $rank }: left out: { $why }
cluster-lacks = rank { $rank }: { $why }
cluster-left-out-file = rank { $rank } { $file }: left out: { $why }
cluster-lacks-file = rank { $rank } { $file }: { $why }
cluster-strict = something could not be read (--strict): { $first }
cluster-more-problems = … and { $count ->
    [one] { $count } more problem
   *[other] { $count } more problems
}
cluster-more-files = … and { $count ->
    [one] { $count } more file
   *[other] { $count } more files
}
cluster-nothing = { $mode }: nothing to report
cluster-no-ranks = there is no rank { $ranks }
