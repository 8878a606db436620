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
claim-slow-rank = rank { $rank } computes { $ratio }x as long as { $others } ({ $computing } ms{ $per }, median of the others { $median } ms){ $waiting }
claim-other-ranks = the other ranks
claim-other-ranks-of-stage = the other ranks of its pipeline stage
claim-others-wait = ; they wait for it
claim-others-not-seen-waiting = { "" }
per-step = { " " }per step
in-total = { " " }in total
of-all-recorded = { "" }
who-rank = rank { $rank }
who-ranks = ranks { $ranks }
who-link = ranks { $first } and { $second }
cost = { $lost } ms lost{ $per }{ $when }
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
what-stage-imbalance = pipeline stage { $stage } has more computing than the other stages: { $share } % of its computing is excess
what-host = host { $host } launches work { $ratio }x slower than other hosts
what-host-time = between communications, its host works { $own } ms{ $per }; those of other ranks: { $others } ms
what-host-of-rank = its host process launches work { $ratio }x slower than those of other ranks
what-gc = Python garbage collection takes { $own } ms{ $per }
what-dataloader = it waits { $own } ms{ $per } for the next batch, other ranks { $others } ms
what-synchronisation = its host waits for the device { $own } times{ $per }, other hosts { $others } times
what-memory = memory runs out { $own } times{ $per }: the host waits for the device and allocates again
what-memory-leak = its allocated memory grows by { $growth } MiB with every step
what-link = transfers over their { $transport } link ({ $bandwidth } GB/s) take { $ratio }x as long as over other links
what-retransmission = { $transfers ->
    [one] { $transfers } transfer was retransmitted and took
   *[other] { $transfers } transfers were retransmitted, the longest took
} { $longest } ms
what-clock-ahead = the clock of host { $host } is { $offset } ms ahead of the others; times shown here are corrected
what-clock-behind = the clock of host { $host } is { $offset } ms behind the others; times shown here are corrected

## Findings: what was seen at a place of the timeline

seen-kernel = kernel { $name }: { $own } ms, on other ranks { $others } ms
seen-aicpu = { $name } on the AI CPU: { $own } ms
seen-host-time = work of the host: { $own } ms; other ranks: { $others } ms
seen-gc = garbage collection: { $own } ms
seen-dataloader = waiting for the next batch: { $own } ms
seen-synchronisation = waiting for the device: { $own } ms
seen-allocation = allocating memory: { $own } ms
seen-retransmission = { $size } from rank { $from } to rank { $to }: { $own } ms, usually { $usual } ms
seen-link = { $size }: { $own } ms, over other links { $others } ms

## Findings: what to try

try-compute = look for other processes on the device, low memory bandwidth and faults in its logs; then run on another device
try-frequency = check power and cooling of the device: npu-smi info -t power -i DEVICE and npu-smi info -t temp -i DEVICE
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
try-retransmission = check the network: hccn_tool -i DEVICE -stat -g, dropped packets, flow control, cables
try-clock = synchronize the clocks of all hosts with a time server
try-slow-rank = compare the kernels and the AI Core frequency of this rank with those of another
try-no-device = compare the ranges and operators of the hosts in the timeline

## Findings: names of their numbers

number-lost = lost
number-lost-behind-others = lost once the others are fixed
number-step = step time
number-step-if-fixed = step time if fixed
number-time = time
number-time-if-fixed = time if fixed
number-ratio = duration ratio
number-frequency = frequency
number-frequency-of-others = frequency on other ranks
number-aicpu = on the AI CPU
number-aicpu-of-others = on the AI CPU of other ranks
number-stage = pipeline stage
number-share-of-computing = share of computing
number-per-step = { $work }{ $per }
work-gc = garbage collection
work-dataloader = waiting for the next batch
work-host = host work between communications
number-of-others = on other ranks
number-waits-per-step = waits{ $per }
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
layout-inferred = { $sizes } (inferred from communication groups, confidence { $confidence } %)
layout-unknown = unknown

## What limits a verdict

rank-without-device = rank { $rank } has no device data and is left out
diagnostic-of-rank = rank { $rank }: { $message }
diagnostic-of-file = rank { $rank } { $file }: { $message }

## What a profile lacks

verbatim = { $text }
no-rank-has = No rank has { $what }.
mode-needs = { $mode } needs data that no rank has: { $what }; { $hint }
to-collect = { $what } To collect it: { $switch }
not-collectable = not possible with this profiler
saw-host-only = no device recorded: { $recorder } recorded the host only
set-without-data = { $switch } is already set, but no data arrived

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
data-planned-memory = memory planned by a graph compiler; only jobs in graph mode have it
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
data-expert-group = an expert-parallel group (the model has no experts, or its groups were not recorded)
data-frequency = samples of the AI Core frequency
data-chip = the chip's cores and frequency (device_N/info.json.N)
data-operations = communication operations
data-operations-of-devices = communication operations; a job on one device has none
data-links = communication links
data-links-of-devices = communication links; a job on one device has none
data-pieces = communication tasks of sends and receives
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
use-npu = NPU activity
use-device = device activity
use-step-time = time per training step
use-operators = which operators take the time
use-bound = what a kernel is bound by
use-bandwidth = bandwidth, and wait versus transit time
use-late-host = why the host is late
use-synchronising = synchronizing calls and copies
use-memory = peaks, fragmentation, leaks
use-slow-call = which call of an operator is slow
use-code-line = the line of code behind an operator
use-cache-misses = kernels that miss the cache
use-names = stages and modules by name

## How to collect data

collect-level0 = set the profiler level to level0 or above
collect-level1 = set the profiler level to level1 or above
collect-level1-of-devices = set the profiler level to level1 or above, and record more than one NPU
collect-level1-or-mstx = record at level0 or above, or at level_none with mstx, on more than one device
collect-npu-level0 = enable NPU activities, at level0 or above
collect-npu-level1 = enable NPU activities, at level1 or above
collect-cann-calls = enable NPU activities, at level0 or above; text deliverables have CANN calls from level1 on
collect-parallel-groups = add parallel_group_info to the profiler's metadata, as Megatron and MindSpeed do
collect-parallel-groups-by-hand = trainers on Megatron write it, others can with prof.add_metadata_json
collect-grouped-matmul = record a model with grouped matrix products, at level1 or above
collect-frequency = enable NPU activities on a chip that reports its frequency: Atlas A2 or newer
collect-passes = mark forward_step and backward_step with torch_npu.npu.mstx.range_start and enable mstx
collect-mfu-ranges = enable mstx (mstx=True) and mark operators with { $code }
collect-raw-data = set data_simplification=False, which keeps the raw data of the profiler
collect-communication-ranges = enable mstx, and record more than one NPU
collect-modules = enable mstx (mstx=True) and mark modules with { $code }, for example in a forward hook
collect-device-marks = mark the script with mstx and enable mstx (mstx=True)
collect-rl-stages = mark the stages with torch_npu.npu.mstx.range_start and enable mstx (mstx=True)
collect-exported = profile NPUs with torch_npu, MindSpore or msprof, and export the result
collect-graph-mode = run the model in graph mode
collect-device = record the device, too: only host activity was recorded

## Notes beside the tables of a cluster mode

note-of-baseline = baseline: { $note }
note-frequency = AI Cores of all ranks run at { $nominal } MHz
note-unknown-peak = left out: operators on { $types }, whose peak is unknown
note-no-kernel-in-range = no kernel was launched in a range that gives its number of operations
note-has-operations = not needed: all ranks already have communication operations
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
note-no-masked-operation = no step has a communication operation of group type { $types }
note-nothing-to-compare = nothing to compare: no rank has modules both in the profile and in the baseline
note-not-reported = no rank reports { $what }; { $hint }
note-ranks-not-in-profile = { $count } of { $world } ranks are not in the profile: { $ranks }
note-inferred-layout = the parallel layout is inferred from communication groups: { $sizes } (confidence { $confidence } %)
note-unknown-link-ends = left out { $links ->
    [one] { $links } link
   *[other] { $links } links
}: the rank with number { $number } in group { $group } is unknown
note-unknown-link-ends-more = left out { $links ->
    [one] { $links } link
   *[other] { $links } links
}: the rank with number { $number } in group { $group } is unknown (and { $more } more such numbers)
note-unknown-links = left out { $links ->
    [one] { $links } link
   *[other] { $links } links
}: which ranks they connect is unknown, such as { $from } and { $to } of group { $group }
note-no-operator-in-module = no operator that launched anything ran inside a module
note-incomplete-collectives = { $collectives ->
    [one] { $collectives } collective lacks
   *[other] { $collectives } collectives lack
} ranks: not counted in wait or transmit time
note-earlier-results = compares the results of earlier runs of { $mode } on both profiles
note-baseline-lacks = the baseline lacks { $steps }
step-of-rank = step { $step } of rank { $rank }
note-never-free = devices were never free
note-single-marks = rank { $rank }: marks without a partner: { $marks }

## Why a rank, or a part of it, is not in an answer

absent-step = it has no step { $step }
absent-ranges = it has no mstx ranges of the domain { $domain }
absent-chip = it has no device_N/info.json.N, and its chip is unknown
absent-no-place = it is a trace of PyTorch's own profiler, which NPU databases cannot store
absent-nothing-kept = nothing of it would be kept
absent-modules = none of its modules launched anything
absent-in-baseline = the baseline lacks it
lacks-copy-of-windows = the profile has several windows, so no copy of its database with these results is written; to get one, select a window with --window
lacks-reported = it reports no { $what }
of-baseline = in the baseline: { $why }

## Terminal: findings

findings-heading = findings
findings-more = … and { $count ->
    [one] { $count } more finding
   *[other] { $count } more findings
}; --format json lists all
finding-share = costs about { $share } % of the step
finding-share-of-time = costs about { $share } % of the time
finding-confidence = confidence about { $confidence } %: { $why }
doubt-no-other-rank = no comparable rank
doubt-few = few comparable ranks
doubt-replay = the cost is close to the replay error
doubt-layout = the parallel layout is inferred
finding-seen = evidence: rank { $rank }: { $what }
finding-seen-in-step = evidence: rank { $rank }, step { $step }: { $what }
finding-seen-again = { $seen } ({ $times } times)
finding-try = try: { $suggestion }
finding-see = query: { $command }

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
diagnose-unaligned = not aligned with { $first } (no common communication operations): { $hosts }
diagnose-clocks-unaligned = clocks: not aligned with { $first } (no common communication operations): { $others }
diagnose-replay = replay: { $error } % error against the recorded steps
diagnose-unmatched = { $operations ->
    [one] { $operations } unmatched communication operation
   *[other] { $operations } unmatched communication operations
}
diagnose-no-findings = none

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
info-without-steps = without step times: { $count ->
    [one] rank { $ranks }
   *[other] ranks { $ranks }
}
info-longest-computing = the { $count } ranks that compute longest; --format json lists all
info-longest-steps = the { $count } ranks with the longest steps; --format json lists all
info-host = no device data recorded; step time on the host, mean in ms
info-host-of-ranks = no device data recorded for { $count ->
    [one] rank { $ranks }
   *[other] ranks { $ranks }
}; step time on the host, mean in ms
info-host-work = host time by name, mean per step in ms
info-on-rank = { $value } on rank { $rank }
info-no-device = none; no device data recorded, so nothing can be concluded about devices
info-one-rank = none; there is no other rank to compare with
info-no-findings = none in computing time; npuscope diagnose checks other causes

## Terminal: what reading met

reading-losses = { $losses ->
    [one] { $losses } error or warning while reading, so results may be incomplete; npuscope doctor { $path } lists it
   *[other] { $losses } errors or warnings while reading, so results may be incomplete; npuscope doctor { $path } lists them
}
reading-infos = { $infos ->
    [one] { $infos } note on the files read; npuscope doctor { $path } lists it
   *[other] { $infos } notes on the files read; npuscope doctor { $path } lists them
}
reading-losses-and-infos = { $losses ->
    [one] { $losses } error or warning
   *[other] { $losses } errors or warnings
} and { $infos ->
    [one] { $infos } note
   *[other] { $infos } notes
} while reading, so results may be incomplete; npuscope doctor { $path } lists them
reading-strict = { $losses ->
    [one] { $losses } error or warning
   *[other] { $losses } errors or warnings
} while reading (--strict); the first: { $first }

## Terminal: doctor

doctor-headline = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
} in { $path }
doctor-jobs = jobs: { $jobs }
doctor-windows = windows
doctor-directories = { $count ->
    [one] { $count } directory
   *[other] { $count } directories
}
doctor-more-windows = … and { $count ->
    [one] { $count } more window
   *[other] { $count } more windows
}; --format json lists all
doctor-files = files
doctor-rows = rows per table
doctor-missing = missing
doctor-missing-from-file = missing from this file; the rest of the profile may have it
doctor-missing-line = { $what }{ $whose }: { $purpose }{ $reason }
doctor-on-all = { "" }
doctor-on-rank = { " " }on rank { $rank }
doctor-on-ranks = { " " }on ranks { $ranks }
doctor-no-reason = { "" }
doctor-why = { " " }({ $why })
doctor-was-on = { " " }(enabled, but no data arrived)
doctor-torch-npu-dynamic = torch_npu dynamic
doctor-nothing = none
doctor-diagnostics = diagnostics
doctor-no-diagnostics = none
doctor-at-byte = { " " }at byte { $offset }
doctor-steps = { $count } from { $first } to { $last }
doctor-window = { $seconds } s from { $start } UTC
doctor-more-ranks = … and { $count ->
    [one] { $count } more rank
   *[other] { $count } more ranks
}; --format json lists all
doctor-more-diagnostics = … and { $count ->
    [one] { $count } more diagnostic
   *[other] { $count } more diagnostics
}; --format json lists all

## Terminal: cluster

cluster-left-out = rank { $rank } was left out: { $why }
cluster-left-out-file = rank { $rank } { $file } was left out: { $why }
cluster-strict = { $count ->
    [one] { $count } warning
   *[other] { $count } warnings
} (--strict); the first: { $first }
cluster-more-diagnostics = … and { $count ->
    [one] { $count } more diagnostic
   *[other] { $count } more diagnostics
}
cluster-more-files = … and { $count ->
    [one] { $count } more file
   *[other] { $count } more files
}
cluster-written = { $mode }: { $files ->
    [one] { $files } file written
   *[other] { $files } files written
}
cluster-nothing = { $mode }: nothing to report
ranks-left-out = left out ranks that do not exist: { $missing }; the profile has ranks { $ranks }

## Severities of diagnostics and findings

severity-critical = critical
severity-error = error
severity-warning = warning
severity-info = info

## Collecting

# Diagnostics: with the key that one is about, and what may have been meant.

diagnostic-with-key = { $key }: { $message }
hint-none = { "" }
hint = { " " }(did you mean { $word }?)

# Files that cannot be read.

no-settings = no profiler settings found; expected flags --profile…, YAML with training.profile… or profiler_config.integrated, or JSON of the torch_npu or MindSpore profiler
malformed-text = invalid { $language }: { $what }
syntax-at = syntax error at column { $column } (details: { $text })
nested-too-deep = values are nested too deeply
alias-without-anchor = an alias has no anchor before it
too-many-values = more than { $limit } values
variable-without-object = { $variable } holds no JSON object
section-missing = the section is missing or empty
choice-invalid = { $word } is neither all nor a list

# Keys and flags.

key-twice = duplicate key; the last one counts
abbreviation = abbreviation of { $key }; { $peer } accepts it only as long as no other key begins with it
abbreviation-ambiguous = ambiguous abbreviation of { $keys }; { $consequence }
several-sections = settings for two trainers: { $trainer } uses { $place }, { $other_trainer } uses { $other_place }; only { $place } is checked; --dialect { $dialect } checks the other
value-missing = missing value
value-missing-default = missing value; the default is used here
unknown-key = unknown key{ $hint }; { $consequence }
unknown-flag = unknown flag{ $hint }; { $consequence }
foreign-flag = not a profiler flag of { $trainer }; ignored
consequence-no-effect = it has no effect
consequence-refused = { $trainer ->
    [npuscope] npuscope does not record
   *[other] { $trainer } refuses to start
}
consequence-dropped = { $trainer } ignores it silently
only-section-read = only the section { $section } is read{ $hint }
belongs-below = belongs below { $section }; ignored here
belongs-in = belongs in { $section }
renamed = newer versions call it { $newer }
renamed-and-called = newer versions call it { $newer }, and expect a call of it
renamed-silently = name used by older versions; newer versions ignore it silently and read { $newer }
respelt = { $old } is now spelt { $newer }
deprecated = deprecated; use { $newer }
code-deprecated = numbers are deprecated; { $code } means { $meaning }
export-code-unknown = { $code } is not an export type; { $peer } uses text instead

# Values.

value-invalid = invalid value { $value }, expected { $expected }
value-replaced = invalid value { $value }, expected { $expected }; { $peer } uses { $instead } instead
several-values = takes one value; { $peer } uses { $first } and ignores { $ignored }
several-values-refused = takes one value, but several are given: { $values }; { $consequence }
value-unresolved = only the trainer resolves { $value }; { $instead } is assumed here
value-too-small = { $value } is too small, the minimum is { $least }; { $peer } uses { $instead } instead
expected-bool = true or false
expected-integer = an integer
expected-text = a string
expected-object = an object
expected-keys = a section with keys
expected-one-of = one of { $words }{ $hint }
expected-list-of = a list of { $words }
expected-activity = CPU or NPU
expected-activities = a list of CPU, NPU or both
expected-schedule = an object with wait, warmup, active, repeat and skip_first
expected-export = text, db or a list of them
expected-names = a list of names
expected-ranks = a list of ranks
expected-ranks-or-all = a list of ranks, or [-1] for all
expected-rank-numbers = rank numbers, or -1 for all
expected-milliseconds = milliseconds, at least 0
expected-handler = tensorboard_trace_handler, or an object with its arguments like { $arguments }
instead-none = none
instead-both = CPU and NPU
instead-default = the default
instead-raw-data = no handler (data stays raw until analyse() is called)
instead-temporary-data = no handler (data goes to a temporary directory, which is deleted at the end)

# Ranks and stages.

no-rank-selected = no rank is selected; nothing is recorded
no-such-ranks = none of the selected ranks exists; the job has { $world ->
    [one] only rank 0
   *[other] ranks 0 to { $last }
}; nothing would be recorded
ranks-missing = the job has { $world ->
    [one] only rank 0
   *[other] ranks 0 to { $last }
}; these do not exist: { $ranks }
not-a-rank = { $value } is not a rank
all-ranks-included = -1 is in the list, so all ranks are recorded
all-ranks-not-alone = -1 selects all ranks only if it stands alone; ignored here
all-ranks-is-all = -1 is not a rank here; write all to select all ranks
ranks-are-text = the text { $text } selects no rank; write all, or a list such as [0, 1]
ranks-are-no-list = { $value } is neither all nor a list; { $peer } uses [0] instead
stages-are-no-list = { $value } is neither a stage nor a list of stages; nothing is recorded
all-stages-not-alone = all must stand alone; in a list it selects no stage
unknown-stage = unknown stage { $stage }{ $hint }; the stages are all, { $stages }
no-stage-selected = no existing stage is selected; nothing is recorded

# Steps to record.

profiling-off = profiling is off; the other settings are checked as if it were on
run-without-steps = this run has no steps; nothing is recorded
starts-after-end = recording would begin at step { $first }, but the last step is { $last }; nothing is recorded
data-set-incomplete = the last step is { $last }, but the recording needs steps up to { $needed }; it stays incomplete
fewer-data-sets = the last step is { $last }; { $begun } of { $asked } recordings will be made
until-end = recording continues until training ends; the profiler then warns of an incorrect schedule, but keeps the data
steps-from-run = steps are counted from the start of this run; those before the checkpoint are not included
iterations-from-run = iterations are counted from the start of this run, the first is 1
before-first-step = { $step } is invalid, steps count from { $first }
begins-at-first-step = { $step } is invalid, steps count from 1; recording begins at step 1
before-this-run = { $start } is too early: iteration { $done } is done, the first of this run is { $first }
end-not-after-start = the end { $end } is not after the start { $start }
records-one-step = { $message }; { $peer } records one step instead
records-no-stage = { $message }; no stage is recorded
refused = { $message }; { $trainer ->
    [npuscope] npuscope does not record
   *[other] { $trainer } refuses to start
}
would-refuse = { $message }; { $trainer ->
    [npuscope] npuscope would not record if profiling were on
   *[other] { $trainer } would refuse to start if profiling were on
}
end-of-training = -1 is documented as the end of training, and is used so here; { $trainer } itself records one step
stop-before-start = { $stop } is before start_step { $start }; nothing is recorded
active-missing = missing, but a schedule requires it; 1 is used
no-warmup = no warmup step, so the first recorded step is slower than normal

# Settings that depend on each other.

cpu-in-activities = CPU in activities
host-data-off = no effect without { $switch }: { $what } are recorded on the host
gpu-ignored = GPU is ignored: there is none on this platform
host-sys-needs-root = disk and osrt require root, and the tools iotop, perf and ltrace
no-effect-without = no effect without { $key }
no-effect-with = no effect together with { $key }
no-effect-without-npu = no effect without NPU in activities
no-effect-on-npu = no effect on NPUs
level-none-turns-mstx-on = this level records only marks, so { $peer } turns mstx on
level-none-without-mstx = LevelNone records only marks; without mstx { $peer } uses Level0 instead
metrics-need-level = requires Level1 or Level2; { $peer } uses AiCoreNone instead
metrics-required = none, but this level requires metrics; { $peer } uses PipeUtilization instead
op-attr-needs-db = only available in databases; { $peer } turns it off unless export_type includes db
shapes-need-cpu = requires CPU in activities; { $peer } turns it off
memory-needs-both = memory of the framework requires CPU and NPU in activities
cpu-and-npu-off = profile_with_cpu is off, too; { $peer } records both instead of neither
data-process-needs-no-schedule = not available with a schedule; { $peer } turns it off
host-sys-needs-start = requires start_profile=False, according to the documentation
starts-on-call = recording begins when start() is called
must-start = must be true, otherwise nothing is recorded
start-is-truthy = { $value } is a string; MindSpore treats any string as true, npuscope as false; write true or false
start-is-next = only npuscope's DynamicProfilerMonitor records the next step; MindSpore's own uses -1 instead and records nothing
start-is-text = { $value } is a string, which npuscope treats as false; write true or false
code-in-file = a file cannot contain code; ignored
rank-list-without-is-rank = no effect unless is_rank is true; all ranks are recorded

# Where data goes, and its analysis.

shell-variable = contains a shell variable; its value is unknown here
switch-with-value = takes no value; remove { $value }
path-missing = missing; the documented default { $path } is used here, but MindSpeed-RL itself uses the current directory
output-path-ignored = no effect: the directory of on_trace_ready takes precedence
handler-missing-raw = missing: data stays raw until analyse() is called
handler-missing-temporary = missing: torch_npu writes to a temporary directory, which is deleted at the end
analysed-later = profile_analysis is off; files of this type are written when the data is parsed later
analysis-off-with-ranks = turned off because is_rank is true; set async_mode to parse the data
analyse-mode-ignored = no effect unless analyse is true; nothing is parsed
analyse-mode-unknown = unknown mode { $mode }; the modes are -1 (none), 0 (sync) and 1 (async)

# Shell scripts.

comment-ends-command = the shell ends the command at this comment; line { $line } is not part of the command, but is read here as if it were
comment-in-quotes = the shell has no comments inside quotes; the trainer receives these words as arguments

# Notations of configurations, and conversions between them.

notation-llm-flags = flags of MindSpeed-LLM
notation-fsdp2-yaml = YAML of FSDP2
notation-fsdp2-flags = flags of FSDP2
notation-rl-yaml = YAML of MindSpeed-RL
notation-mindspore-arguments = arguments of MindSpore's profiler
notation-mindspore-dynamic = profiler_config.json of MindSpore
notation-mindspore-environment = MS_PROFILER_OPTIONS of MindSpore
notation-torch-npu-arguments = arguments of torch_npu's profiler
notation-torch-npu-dynamic = profiler_config.json of torch_npu
inexpressible = { $notation } cannot express { $value }; it becomes { $instead }
inexpressible-analysis = { $notation } cannot express { $value }; it becomes { $instead }, because is_rank is true and only async_mode parses then
first-step-differs = the first step of the run is { $here } here, and { $there } in { $notation }
field-first-step = steps
field-schedule = steps to record
field-first-recorded = steps before the first recorded step
field-warmup = warmup steps
field-active = recorded steps
field-repeat = recordings
field-wait = steps between recordings

# Schedules.

schedule-value = { $name } is { $value }, but the minimum is { $least }; { $least } is used
schedule-without-warmup = no warmup, so the first recorded step may be slower than the others
too-few-steps = training has { $total ->
    [one] { $total } step
   *[other] { $total } steps
}, the schedule needs { $needed } for { $cycles ->
    [one] { $cycles } cycle
   *[other] { $cycles } cycles
}; { $recorded ->
    [0] nothing will be recorded
    [one] 1 step will be recorded
   *[other] { $recorded } steps will be recorded
}
warmup-not-recorded = no recording follows the warmup
recording-not-saved = recording ends without being saved; its directory is not parsed
ended-in-warmup = training ended during warmup; nothing was recorded
ended-before-last-step = training ended before the last step to record; the data has fewer steps than requested
ended-in-last-step = training ended during the last step to record; that step may be incomplete

# Kinds of data.

kind-host-operators = host operators
kind-device = device kernels and communication
kind-steps = step markers and step times
kind-detail = communication details, CANN calls and statistics
kind-metrics = AI Core metrics
kind-runtime = runtime calls and AI CPU operators
kind-memory = memory
kind-shapes = input shapes
kind-stack = call stacks
kind-modules = module calls
kind-flops = floating-point operations
kind-mstx = user ranges and marks
kind-l2-cache = L2 cache
kind-network = network cards (NIC and RoCE)
kind-interconnection = links between chips (PCIe and HCCS)
kind-host-system = host CPU, memory, disk or network usage
kind-gc = Python garbage collections
kind-data-process = MindData pipelines
kind-op-attr = operator attributes

# config check, convert and explain.

config-read-as = { $name } is read as { $notation }
config-diagnostic = { $place }: { $severity }: { $diagnostic }
config-result = { $name }: read as { $notation }: { $counts }
config-records-nothing = { $name }: nothing would be recorded
config-not-read = { $name }: not read: { $counts }
config-counts = { $counts }
config-errors = { $count ->
    [one] { $count } error
   *[other] { $count } errors
}
config-warnings = { $count ->
    [one] { $count } warning
   *[other] { $count } warnings
}
config-infos = { $count ->
    [one] { $count } info diagnostic
   *[other] { $count } info diagnostics
}
config-no-diagnostics = no diagnostics
config-start-step-written = start_step is written { $reader }
config-key = { $key }
config-written = written to { $path }
reader = for npuscope's DynamicProfilerMonitor; torch_npu's own monitor begins one step later, when the step in the file is over, and writes to { $place }/*_ascend_pt
reader-at-once = for npuscope's DynamicProfilerMonitor; torch_npu's own monitor writes to { $place }/*_ascend_pt
explain-off = profiling is off: nothing is recorded
explain-steps = steps
explain-where = where
explain-recorded = recorded
explain-not-recorded = off
explain-size = estimated size
explain-without-schedule = from start to stop, without step markers
explain-window = { $warmup }records { $steps }{ $place }{ $end }
explain-nothing = { "" }
explain-warmup = warms up at { $steps },{ " " }
explain-one-step-of-run = { " " }(the { $step } of the run)
explain-steps-of-run = { " " }(the { $first } to { $last } of the run)
explain-rest-of-run = { " " }(from the { $first } of the run on)
explain-at-once = , counted from when the configuration is read
explain-incomplete = ; training ends before the recording is complete
explain-no-steps = no steps are recorded
explain-goes-on = … and so on until training ends
explain-data-sets = { $sets ->
    [one] { $sets } recording
   *[other] { $sets } recordings
} per rank
explain-all-ranks = on all ranks
explain-all-of-ranks = on { $ranks ->
    [one] the only rank
   *[other] all { $ranks } ranks
}
explain-rank = on rank { $ranks }
explain-ranks = on ranks { $ranks }
explain-stages = only in: { $stages }
explain-output = { $output }, { $analysis }
explain-monitor-output = or in the output_path of DynamicProfilerMonitor, which is { $place } by default; a directory in the file takes precedence
explain-analysis-off = raw; parsing later writes the files below
explain-analysis-online = parsed when a recording is complete, while training waits
explain-analysis-async = parsed in the background when a recording is complete
explain-size-of-step = about { $size } per step and rank without raw data, at { $count ->
    [one] { $kernels } kernel
   *[other] { $kernels } kernels
} per step{ $assumed }
explain-assumed = { " " }(assumed; set it with --kernels)
explain-size-of-rank = about { $size } per rank for { $steps ->
    [one] { $steps } recorded step
   *[other] { $steps } recorded steps
}
explain-size-in-all = about { $size } in total
stretch-all = all steps from { $first } on

# dynamic: windows and what a rank does.

window-step = step { $step }
window-steps = steps { $first } to { $last }
ended-in-window = training ended after step { $step }; requested: { $window }
ended-before-window = training ended after step { $step }; requested: { $window }; nothing was recorded
too-late = too late for { $window }: step { $step } is over; nothing is recorded
too-late-for-all = too late for { $window }: step { $step } is over; recording { $rest }

# dynamic: the file.

dynamic-not-a-file = not a regular file
dynamic-too-large = larger than 1 MiB, the limit of torch_npu and MindSpore
dynamic-not-utf8 = not UTF-8 text
dynamic-no-object = not a JSON object
dynamic-unknown = { $diagnostics }
dynamic-of-another-job = { $path } requests the next step, but was written before this job began
dynamic-unusable = cannot use { $path }: { $error }
dynamic-no-thread = cannot start a thread, so changes of the file are not detected: { $error }

# dynamic set.

set-unreadable = cannot read { $path }: { $error }
set-malformed = { $path } is unchanged: { $error }
set-unwritable = cannot write { $path }: { $error }
set-other-dialect = { $path } is in the dialect of { $present }, not of { $asked }; choose another file, or remove this one
set-inexpressible = a file of { $dialect } cannot express { $what }
set-some-ranks = a selection of ranks; every rank that reads the file records
set-warmup = warmup steps
set-no-window = invalid steps { $start } to { $stop }: steps count from 1, and the last one must not be before the first
set-created = created { $path } in the dialect of { $dialect }
set-changed = changed { $path } in the dialect of { $dialect }
set-unchanged = { $path } has these settings already, in the dialect of { $dialect }; updated its modification time
records-nothing = requests no recording
records-window = requests { $window }, counted from 1{ $warmup }, { $ranks }
records-next = requests { $steps ->
    [one] { $steps } step
   *[other] { $steps } steps
} as soon as a running job reads it{ $warmup }, { $ranks }
records-without-warmup = { "" }
records-after-warmup = { " " }after { $steps ->
    [one] { $steps } warmup step
   *[other] { $steps } warmup steps
}
records-on-no-rank = on no rank
set-passed-one = rank { $ranks } has already finished step { $step }, which is too late for step { $start }
set-passed = ranks { $ranks } have already finished step { $step }, which is too late for step { $start }
set-nobody-watches = no rank has reported that it watches this file; a job that starts later ignores `next`, but not a step number
set-next-differs = ranks read the file at different steps, so `next` may be a different step on each rank; give a step number to record the same step

# dynamic status.

status-asks = { $path } { $asks }
status-no-reports = no rank has reported: no job watches this file with npuscope, or none has reached its first step
status-silent = no report from { $count ->
    [one] rank { $ranks }
   *[other] ranks { $ranks }
}
status-host = host
status-state = state
status-config = config
status-steps = steps
status-reported = reported
status-data = data
status-error = error
status-current = current
status-older = older
status-none = none
state-waiting = waiting
state-recording = recording
state-done = done
state-failed = failed
status-gone = { $state }, process gone
status-stale = { $state }, no recent report
seconds-ago = { $count } s ago
minutes-ago = { $count } min ago
hours-ago = { $count } h ago

# parse.

parse-skipped = { $count ->
    [one] { $count } directory is
   *[other] { $count } directories are
} already parsed; use --force to parse again
parse-done = parsed { $count ->
    [one] { $count } rank
   *[other] { $count } ranks
} in { $path }
parse-done-partly = parsed { $count } of { $all ->
    [one] { $all } rank
   *[other] { $all } ranks
} in { $path }
parse-of-directory = { $name }: { $message }
parse-more-diagnostics = { $name }: { $first } (and { $more ->
    [one] { $more } more diagnostic
   *[other] { $more } more diagnostics
})

# CANN.

cann-library = cannot load { $library }: { $error }
cann-symbol = { $library } has no { $symbol }: it is too old, or not a CANN library
cann-call = { $call } failed with { $error }
cann-config = aclprofCreateConfig refused mask { $mask } and metrics { $metrics } for device { $device }
cann-busy = the device is already being recorded; a process can have only one recording at a time
cann-text = { $text } contains a zero byte, which C does not support
acl-error = error { $code }
acl-error-known = error { $code } ({ $meaning })
acl-invalid-parameter = invalid parameter
acl-uninitialised = ACL is not initialized
acl-profiling-repeated = profiling is already initialized
acl-device-busy = the device is already being profiled, by msprof or another profiler
acl-profiling-uninitialised = profiling is not initialized
acl-profiling-conflict = another kind of profiling is in use
acl-no-memory = out of memory
acl-interface-unsupported = the interface is not supported
acl-feature-unsupported = the feature is not supported
acl-internal-error = internal error
acl-profiling-failed = profiling failed
cann-later-devices = devices that are set later are not recorded: { $error }
cann-no-set-config = this CANN has no aclprofSetConfig; { $config } is not set to { $value }
cann-set-config = { $config } is not set to { $value }: { $error }

# The recorder.

recorder-busy = a recording is already running
recorder-directory = cannot record to { $path }: { $error }
recorder-thread = cannot start the writer thread: { $error }
recorder-panicked = the writer thread panicked
recorder-failed = { $error }
recorder-spooled = { $error }; the records are in { $directory }

# Errors of the system.

io-not-found = no such file or directory
io-permission-denied = permission denied
io-already-exists = already exists
io-is-a-directory = is a directory
io-not-a-directory = not a directory
io-directory-not-empty = directory not empty
io-read-only = read-only file system
io-disk-full = no space left on the disk
io-quota-exceeded = disk quota exceeded
io-file-too-large = file too large
io-file-name = invalid file name
io-file-busy = file or device is busy
io-invalid-data = not UTF-8 text
io-end-of-file = unexpected end of file
io-timed-out = timed out
io-interrupted = interrupted
io-out-of-memory = out of memory
io-broken-pipe = the reader of the output closed it
io-connection-refused = connection refused
io-connection-lost = connection lost
io-address-in-use = address already in use
io-address-not-available = not an address of this machine
io-too-many-open-files = too many open files

## Errors: files that are written

output-failed = cannot write { $path }: { $error }
output-not-empty = { $path } is not an empty directory; empty it or choose another path
output-exists = { $path } already exists; remove it or choose another path
output-no-place = cannot write { $path }: text and db deliverables cannot hold this profile; convert it to parquet or perfetto
output-incomplete = cannot write { $path }: an earlier part of the rank could not be written

## Errors: Nsight Systems

nsight-unreadable = cannot read { $path } as an SQLite database (details: { $error })
nsight-lacks-table = { $path } is not a complete export of Nsight Systems: table { $table } is missing; { $hint }
nsight-export = export it with `nsys export --type sqlite`
nsight-trace-nvtx = profile with `nsys profile --trace=cuda,nvtx` and mark modules with NVTX
nsight-trace-cuda = profile with `nsys profile --trace=cuda,nvtx`

## Errors: opening a profile

store-stopped = stopped
profile-missing = no such file or directory: { $path }
profile-unreadable = cannot read { $path }: { $error }
profile-not-a-directory = { $path } is not a directory
profile-not-a-file = { $path } is neither a directory nor a regular file
profile-nothing = no profile in { $path }; expected ASCEND_PROFILER_OUTPUT or FRAMEWORK directories, exported PROF_* directories, deliverables such as trace_view.json, kernel_details.csv or ascend_pytorch_profiler_0.db, or traces of PyTorch's profiler (*.json, *.json.gz)
profile-no-job = there is no job { $name }; choose one of: { $jobs }
profile-no-window = there is no window { $name }; choose one or more of: { $windows }
profile-nothing-readable = no profile in { $path }: { $why }

## Errors: parsing raw data

parse-nothing = { $path } has no records
parse-nothing-readable = no record in { $path } could be read: { $why }
parse-device-raw = { $path } was not parsed: raw PROF data is not supported yet, and without device data the steps would look idle; parse { $path } with the profiler that wrote it

## Errors: the cache

cache-io = cannot use the cache at { $path }: { $error }
cache-contended = cannot use the cache at { $path }: other processes keep replacing it
cache-damaged = the cache at { $path } is damaged: { $what }
cache-off = the cache is off
cache-checksum = wrong checksum
cache-version = written by another version of npuscope
cache-length = wrong length
cache-no-strings = no strings in the file
cache-cut-segment = a segment is cut off
cache-no-segment = a segment is missing
cache-segment-outside = a segment is beyond the end of the file
cache-not-decoded = cannot decode it

## Errors: questions to a profile

question-no-ranks = the selected ranks do not exist in { $path }
question-no-rank = rank { $rank } does not exist; choose another with --rank_id
question-no-step = step { $step } does not exist; the profile has steps { $steps }
question-no-step-of-many = step { $step } does not exist; the profile has steps { $steps } and more
question-no-step-markers = step { $step } does not exist: no step markers found
question-format = { $mode } cannot write { $format }; supported formats: { $possible }
question-no-baseline = { $mode } needs a baseline; add --bp DIR
question-no-baseline-profile = { $mode } needs a baseline profile; add --baseline_profiling_path FILE
question-no-results = { $path } has no table { $table }; run npuscope cluster -m cluster_time_summary on it first

## Errors of the command line

cli-internal = internal error: { $text }
cli-input-output = reading or writing failed: { $error }
cli-closed = the output was closed
cli-no-writer = internal error: the result could not be written
cli-file = { $file }: { $error }
cli-place = { $place }: { $error }

# Options and files of several commands

usage-threads = NPUSCOPE_THREADS must be a number, not { $value }
usage-output-name = -o must name a file
usage-unreadable = cannot read { $name }: { $error }
usage-stdin = cannot read the query from stdin: { $error }
usage-no-such-ranks = the selected ranks do not exist; the profile has ranks { $ranks }
usage-no-timeline = the profile has no ranks; --to perfetto needs at least one
usage-no-step-times = no step times recorded; npuscope doctor { $path } says what is missing
usage-no-device = no device data recorded; npuscope doctor { $path } says what is missing

# --range

usage-no-events = the profile has no events; remove --range and --at
usage-empty-range = --range selects nothing: the profile covers { $seconds } s, from { $start } to { $end } ns since the epoch
usage-outside-profile = --at is outside the profile, which ends at { $seconds } s and covers { $start } to { $end } ns since the epoch
usage-no-such-step = step { $step } does not exist; the profile has steps { $low }-{ $high }
usage-no-such-steps = steps { $first }-{ $last } do not exist; the profile has steps { $low }-{ $high }
usage-no-numbered-steps = the profile has no numbered steps; write --range as times, such as 1.5s..2.25s
usage-range-of-whole-ranks = --range needs --to perfetto; other formats contain whole ranks

# cluster, show and glossary

usage-not-supported-yet = npuscope does not support the command { $command } yet; run it with msprof-analyze
usage-no-mode = there is no mode { $name }; npuscope cluster --help lists the modes
usage-into-profile = results would be written into the profile; choose another directory with -o, or confirm with `-o .` (the current directory)
usage-suggest-doctor = npuscope doctor { $path } says what the profile contains
usage-no-view = there is no view { $name }; npuscope show { $path } lists the views
usage-parameter = { $error }; parameters of { $view }: { $known }
usage-no-term = there is no term { $name }; npuscope glossary lists all terms
usage-no-term-near = there is no term { $name }; did you mean { $near }? npuscope glossary lists all terms

# sql

usage-binary = { $format } is binary; write it to a file with -o, or redirect the output
usage-no-table = { $error } (the query '\tables' lists the tables)
usage-no-column = { $error } (the query '\d { $table }' lists its columns)
usage-memory = { $error }; --memory-limit SIZE raises the limit
usage-time = { $error } with --timeout
usage-no-table-to-list = there is no table { $name }; \tables lists the tables
usage-no-command = unknown command { $command }; use \tables, \d TABLE or \functions

# view

usage-weak-token = --token must have at least { $length } letters and digits, and nothing else
usage-no-token = other machines can reach this address; set a token with --token
usage-no-random-token = cannot create a random token: { $error }; set one with --token
usage-port-in-use = port { $port } is in use; choose another with --port, or omit --port
usage-foreign-address = { $address } is not an address of this machine; choose another with --listen
usage-listen = cannot listen at { $address }: { $error }

# config and dynamic

usage-too-large = { $name } is too large for a configuration: the limit is { $mebibytes } MiB
usage-not-utf8 = { $name } is not UTF-8 text
usage-stop-after-next = --start next does not support --stop; give the number of steps with --steps
usage-too-many-ranks = --ranks must list ranks from 0, at most 65,536
usage-no-package = no Python with the package npuscope was found (tried { $tried }); install the wheel, or set NPUSCOPE_PYTHON to its interpreter; the command was not started
usage-no-control-file = no such file: { $path }; npuscope dynamic set { $path } --start N creates it

# parse and synth

usage-no-raw-data = no raw data in { $path }; expected directories that contain FRAMEWORK, written by npuscope's recorder or torch_npu
usage-no-scenarios = no .toml file in { $path }

# Values of options

value-ranks = expected numbers and ranges such as 0,3-7
value-range = expected a time range such as 1.5s..2.25s, 100ms..200ms, step:12 or step:12..14
value-range-no-unit = { $text } needs a unit: s, ms, us or ns; for example 1.5s or 100ms
value-range-unit = { $unit } is not a unit of time; use s, ms, us or ns
value-range-reversed = the range ends before it begins
value-steps-reversed = the first step is after the last
value-size = expected a size such as 512MiB or 4GiB
value-size-too-large = larger than this machine can address
value-time = expected a time such as 500ms, 30s, 5m or 1h
value-start-step = expected a step number from 1, or next
value-parameter = expected NAME=VALUE, for example group=name

## Errors that clap finds; English has its own texts

clap-unknown-option = { $command } has no option { $option }
clap-unknown-argument = unknown option or argument '{ $argument }'
clap-unknown-command = unknown command '{ $command }'
clap-missing-arguments = required arguments are missing: { $arguments }
clap-missing-command = '{ $command }' needs a subcommand: { $known }
clap-no-value = '{ $argument }' needs a value
clap-no-value-of = '{ $argument }' needs a value: { $known }
clap-invalid-value = invalid value '{ $value }' for '{ $argument }'
clap-invalid-value-of = invalid value '{ $value }' for '{ $argument }'; possible values: { $known }
clap-rejected-value = invalid value '{ $value }' for '{ $argument }': { $reason }
clap-surplus-value = unexpected value '{ $value }' for '{ $argument }'
clap-too-few-values = '{ $argument }' needs at least { $least } values, not { $given }
clap-wrong-number-of-values = '{ $argument }' needs { $expected } values, not { $given }
clap-conflict = '{ $argument }' cannot be used with { $others }
clap-repeated = '{ $argument }' cannot be used more than once
clap-no-equals = '{ $argument }' needs an equals sign before its value
clap-not-utf8 = the command line contains text that is not UTF-8
clap-other = invalid command line (details: { $text })
clap-not-a-number = expected a whole number
clap-number-too-large = the number is too large
clap-out-of-range = must be from { $least } to { $most }
clap-too-small = must be at least { $least }
clap-out-of-range-of = out of range (details: { $range })
clap-invalid = not accepted (details: { $text })
clap-not-an-address = expected an IP address
clap-did-you-mean = did you mean { $suggestions }?
clap-as-value = to pass '{ $argument }' as a value, write '-- { $argument }'
clap-usage = Usage: { $usage }
clap-help = For more information, try '--help'.

## What commands print besides results

diagnose-clocks-of-ranks = clocks: the hosts of { $ranks } ranks are unknown, so each rank is aligned on its own; up to { $apart } us apart, aligned to within { $residual } us
label-error = error
label-warning = warning
label-note = note
listed = { $items }
labelled = { $label }: { $text }
clauses = { $first }; { $second }
progress-reading = reading { $rank } { $bar } { $done } of { $all }, { $left } left
progress-writing = writing { $bar } { $done } of { $all }, { $left } left
view-stop = press Ctrl-C to stop
view-open = open this address in a browser
convert-written = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
} written to { $path }
convert-no-text = cluster_analysis.db was skipped: it has no text format
convert-no-timeline = cluster_analysis.db was skipped: it has no timeline
convert-loose-arrows = skipped { $arrows ->
    [one] { $arrows } arrow that has
   *[other] { $arrows } arrows that have
} no slice at one end
synth-written = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
} and ground_truth.json written to { $path }
report-written = { $size } written to { $path }
rows-shown = { $shown } of { $all } rows shown; --max-rows N shows more, --format csv shows all
unknown-ending = .{ $ending } is no known format, so a text table is written; known endings: .csv, .json, .parquet, .arrow; or choose with --format
sql-no-rows = table { $table } is empty in this profile; npuscope doctor { $path } says what is missing
sql-facts = Recorded events
sql-measured = Computed from events; npuscope glossary has the definitions
sql-reported = Summaries of the profiler, in its own units
sql-about = About the profile
sql-list-columns = \d TABLE lists the columns of a table; every table also has the column rank.
sql-list-functions = \functions lists the functions that npuscope adds to SQL.
sql-rank-column = Rank the row belongs to.
sql-window-column = Window the row belongs to; windows of a job are numbered from 0 by time.
head-table = table
head-one-row = one row per
head-function = function
head-result = result
head-column = column
head-type = type
head-unit = unit
head-meaning = meaning
head-view = view
head-shows = shows
head-parameters = parameters
gap-host-busy = the host was busy and had not launched the next task yet
gap-host-sync = the host waited for the device in a synchronizing call and could not launch tasks ahead
gap-data = the host waited for input data: the data loader was too slow
gap-gc = Python ran garbage collection, and no task was launched meanwhile
gap-queue-empty = the device queue was empty: tasks are launched more slowly than they run
gap-waiting-for-rank = the next task is a collective: the rank waited for another rank that was late
gap-waiting-for-stream = the next task was launched in time, but waited for a task on another stream
gap-start = before the first task of the rank
gap-end = after the last task of the rank
gap-unknown = the profile does not show the cause
gap-cause = { $cause }: { $what }
head-device = device
head-host = host
head-chip = chip
head-format = format
head-framework = framework
head-versions = versions
head-level = level
head-step-ids = step ids
head-covers = time covered
head-window = window
head-stage = stage
head-directories = directories
head-kind = kind
head-files = files
head-bytes = size
head-unread-columns = unread columns
head-all-ranks = all ranks
head-least = least
head-most = most
head-rank = rank
head-step = step
head-steps = steps
head-computing = computing
head-exposed-communication = exposed comm.
head-free = free
head-mean = mean
head-shortest = least
head-longest = most
kind-range = range
kind-operator = operator
glossary-table = table
glossary-option = option
glossary-tables = Tables
glossary-options = Options
glossary-formula = formula
glossary-other-names = other names
glossary-avoid = avoid
glossary-function = computed by
glossary-one = npuscope glossary TERM shows a definition
head-term = term
head-name = name
head-rows = rows

# Queries.

engine-ended = internal error: the query ended without an answer
engine-internal = internal error: { $text }
engine-no-table = there is no table { $name }
engine-no-table-similar = there is no table { $name }; did you mean { $similar }?
engine-no-column = there is no column { $name } in the query
engine-no-column-similar = there is no column { $name } in the query; did you mean { $similar }?
engine-no-column-in = there is no column { $name } in { $tables }
engine-no-column-in-similar = there is no column { $name } in { $tables }; did you mean { $similar }?
engine-memory = the query exceeds its memory limit of { $limit }, even with spilling (details: { $what })
engine-memory-exhausted = the query needs more memory than is available (details: { $what })
engine-disk = the query exceeds its disk limit for spilled data; select fewer rows or columns
engine-time = the query timed out after { $limit }; select fewer rows, or raise the time limit
engine-too-long = the query has { $bytes } bytes; the maximum is { $limit }
engine-too-deep = the query nests deeper than { $limit } levels: an operator counts as one, a join as ten; shorten it, for example with IN (…) in place of OR
engine-too-many-columns = the query selects more than { $limit } columns
engine-too-large = the query is too large after expanding its WITH clauses (limit: { $limit } tokens); refer to its WITH clauses less often
engine-syntax = syntax error (details: { $text })
engine-syntax-at = syntax error at line { $line }, column { $column } (details: { $text })
engine-syntax-expected = syntax error at line { $line }, column { $column }: expected { $expected }, found { $found }
engine-syntax-expected-here = syntax error: expected { $expected }, found { $found }
engine-syntax-end-column = { $error }; END is a word of SQL: write the column as "end"
engine-syntax-string-open = syntax error at line { $line }, column { $column }: the string that begins there has no closing quote
engine-token = { $text }
engine-token-statement = an SQL statement
engine-token-end = the end of the query
engine-token-expression = an expression
engine-token-identifier = a name
engine-no-statement = the query is empty
engine-statements = a query is one statement; run several statements one at a time
engine-read-only = a query can only read; { $what } is not allowed
engine-no-function = there is no function { $name }
engine-no-function-similar = there is no function { $name }; did you mean { $similar }?
engine-no-function-types = no function matches { $call }; check the number and the types of its arguments
engine-ambiguous-column = column { $name } is in more than one of the tables; write TABLE.{ $name }
engine-duplicate-column = the query has more than one column { $name }; rename one with AS
engine-not-grouped = column { $column } is neither in GROUP BY nor in an aggregate function such as sum() or max()
engine-unnamed-order = cannot order by an expression that has no name; give it one with AS and order by that
engine-types = the types of { $expression } do not match; convert one side with CAST(… AS …)
engine-division = division by zero; NULLIF(…, 0) as the divisor makes the result null
engine-overflow = number out of range (details: { $text })
engine-cast = cannot convert a value (details: { $text })
engine-cast-value = cannot convert { $value } to { $to }; TRY_CAST gives null instead
engine-regex = invalid regular expression (details: { $text })
engine-unsupported = this SQL is not supported (details: { $text })
engine-query = the query failed (details: { $text })

# Views.

view-no-parameter = there is no parameter { $name }
view-no-rank-chosen = no rank is selected; select at least one
view-no-rank = rank { $rank } does not exist; the profile has ranks { $ranks }
view-not-one-rank = this view shows one rank; select one, on the command line with --rank N
view-end-before-beginning = the end of the time range is before its start
view-no-moment = this view needs a point in time; on the command line, add --at TIME, for example --at 1.25s
view-not-a-number = { $name } must be a number
view-out-of-range = { $name } must be from 1 to { $most }
view-not-one-of = { $name } must be one of { $words }
view-no-gap = the device of rank { $rank } is not idle at that time
view-no-operation = no communication operation runs on rank { $rank } at that time

# The viewer's server.

server-no-address = there is nothing at this address
server-no-slice = rank { $rank } has no slice { $slice }
server-no-view = there is no view { $name }
server-no-pages = this npuscope was built without its pages; install Node 20 and npm, and build it again
server-internal = internal error (details: { $text })
server-request-invalid = invalid request (details: { $text })
server-request-too-large = the request is larger than { $limit } bytes
server-not-numbers = { $name } must be numbers separated by commas
server-no-level = there is no level above { $most }
server-strip = an overview must have 1 to { $most } buckets, and must end after its start
server-not-idle = the lane is not idle at that time, or is not a lane of the device
server-refused-host = request refused: this server is not reached under that host name; open the address that npuscope view printed
server-refused-origin = request refused: it comes from a page of another site
server-refused-token = request refused: the token is missing or wrong; open the address that npuscope view printed
search-duration = { $text } is not a duration; write it as 250us, 1.5ms or 2s
search-ranks = { $text } is not a list of ranks; write it as 0-7,12

# The simulator.

synth-zero = { $what } must be at least 1
synth-division = { $what } ({ $whole }) cannot be divided evenly among { $parts }
synth-among-stages = { $count } pipeline stages
synth-among-interleaved-stages = { $count } stages of an interleaved pipeline
synth-among-tensor-ranks = { $count } tensor-parallel ranks
synth-among-tensor-and-context-ranks = { $count } tensor- and context-parallel ranks
synth-among-expert-ranks = { $count } expert-parallel ranks
synth-among-heads = { $count } heads
synth-number = { $what } must be a number of at least { $least }, not { $value }
synth-interleaved = an interleaved pipeline (virtual_stages) needs more than one stage (pp)
synth-no-experts = expert parallelism (ep) needs a model with experts
synth-no-stages = windows by stage (profiling = "stages") need reinforcement learning (workload = "reinforcement-learning")
synth-window-order = window { $window } must be inside steps { $first } to { $last } and after the window before it
synth-window-text = "{ $text }" is not a window; expected FIRST..LAST, for example 2..5
synth-too-much = { $what } must be at most { $most }, not { $value }
synth-stuck = rank { $rank } waits forever in step { $step }
synth-framework = framework { $name } is not supported; use torch_npu or mindspore
synth-no-preset = there is no preset { $name }; the presets are { $known }
synth-unknown-key = unknown key { $key }
synth-unknown-key-similar = unknown key { $key }; did you mean { $similar }?
synth-choice = { $key } must be one of { $known }, not { $value }
synth-wrong-type = { $key } must be { $expected }, not { $found }
synth-type-text = a string
synth-type-integer = a whole number
synth-type-number = a number
synth-type-bool = true or false
synth-type-time = a date or time
synth-type-list = a list
synth-type-section = a section
synth-not-toml = not valid TOML at line { $line }, column { $column } (details: { $text })
synth-scenario = invalid scenario (details: { $text })
fault = fault { $fault }: { $why }
fault-no-rank = the job has no rank { $number }; it has { $count ->
    [one] { $count } rank
   *[other] { $count } ranks
}
fault-no-host = the job has no host { $number }; it has { $count ->
    [one] { $count } host
   *[other] { $count } hosts
}
fault-no-stage = the job has no stage { $number }; it has { $count ->
    [one] { $count } stage
   *[other] { $count } stages
}
fault-weak = the strength must be at least { $least }, not { $strength }
fault-link-to-itself = a link joins two different ranks
fault-needs-experts = needs expert parallelism (ep)
fault-needs-pipeline = needs a pipeline (pp)
fault-needs-hosts = needs more than one host; hosts are linked by RDMA
fault-needs-memory = needs memory profiling (profile_memory)
fault-frequency = the chip already runs at { $mhz } MHz; give a lower frequency
fault-in-all-steps = this fault affects all steps; leave out steps=
fault-fraction = the strength ({ $unit }) must be a whole number
fault-sends-nothing = rank { $rank } sends nothing to another host
fault-steps-turned = the last step is before the first: { $from }..{ $to }
fault-no-such-steps = the job has no such steps; it runs steps { $first } to { $last }
fault-expected = expected KIND@PLACE, for example slow-rank@5:1.5
fault-no-kind = there is no kind { $kind }; the kinds are { $known }
fault-place = the place { $text } is not a number
fault-two-ranks = expected two ranks, for example slow-link@0-1:4
fault-strength = the strength { $text } is not a number
fault-weak-unit = the strength ({ $unit }) must be at least { $least }, not { $strength }
fault-steps = expected steps=FIRST..LAST after the comma
fault-step = the step { $text } is not a number

## Diagnostics of reading: what is wrong with a file, and what was done about it

read-empty = the file is empty
read-utf16 = the file is UTF-16, but deliverables are UTF-8; it was skipped. Convert it, for example with iconv
read-not-utf8 = invalid UTF-8; invalid bytes are shown as �
read-unreadable = cannot read the file: { $why }
read-not-regular = not a regular file

# Traces.

read-not-a-trace = expected a JSON array of trace events, or an object with traceEvents; the file was skipped
read-events-cut = the file is cut off inside the list of events; kept { $events ->
    [one] { $events } event
   *[other] { $events } events
}
read-event-garbage = not a trace event; skipped to the next event
read-event-unknown-phase = skipped an event whose phase (ph) is none of X, M, C, s, f: { $text }
read-event-no-time = skipped an event whose ts or dur is not a number
read-more-events = skipped { $count ->
    [one] { $count } more event that
   *[other] { $count } more events that
} could not be read
read-too-much-text = more than 2 GiB of distinct text; later names are shown as empty
read-events-not-closed = the list of events has no closing bracket; kept { $events ->
    [one] { $events } event
   *[other] { $events } events
}
read-after-events = skipped the text after the end of the list of events
read-gzip-offset = { $diagnostic } (the offset is that of the decompressed text)
read-gzip-cut = the gzip file is cut off; kept { $bytes ->
    [one] { $bytes } decompressed byte
   *[other] { $bytes } decompressed bytes
}
read-gzip-damaged = the gzip file is damaged; kept { $bytes ->
    [one] { $bytes } decompressed byte
   *[other] { $bytes } decompressed bytes
} before the damage
read-gzip-checksum = the decompressed text does not match the checksum of the gzip file; kept { $bytes ->
    [one] { $bytes } decompressed byte
   *[other] { $bytes } decompressed bytes
}
read-gzip-garbage = skipped bytes after the end of the gzip data; kept { $bytes ->
    [one] { $bytes } decompressed byte
   *[other] { $bytes } decompressed bytes
}
read-gzip-too-long = the decompressed text exceeds the limit of { $limit } bytes; kept { $bytes ->
    [one] { $bytes } byte
   *[other] { $bytes } bytes
}
read-gzip-no-memory = not enough memory to decompress the file; kept { $bytes ->
    [one] { $bytes } byte
   *[other] { $bytes } bytes
}
read-no-base-time = baseTimeNanoseconds is missing from the incomplete file; times are counted from 1970-01-01
read-trace-settings = the JSON around traceEvents is incomplete or invalid; kept the settings before this place
read-left-in-trace = the deliverables of an NPU cannot hold all of a PyTorch trace; omitted: { $left }
read-left-device-ranges = { $count ->
    [one] { $count } device range
   *[other] { $count } device ranges
}
read-left-host-events = { $count ->
    [one] { $count } other host event
   *[other] { $count } other host events
}
read-left-counter-samples = { $count ->
    [one] { $count } counter sample
   *[other] { $count } counter samples
}

# JSON files.

read-entries-cut = the file is cut off inside a value; kept { $entries ->
    [one] { $entries } entry
   *[other] { $entries } entries
}
read-entries-garbage = unexpected JSON; kept { $entries ->
    [one] { $entries } entry
   *[other] { $entries } entries
} before this place
read-settings-incomplete = not a complete JSON object; kept { $settings ->
    [one] { $settings } setting
   *[other] { $settings } settings
} before this place
read-settings-garbage = a setting is not valid JSON; kept { $settings ->
    [one] { $settings } other setting
   *[other] { $settings } other settings
} (details: { $error })

# csv files.

read-csv-no-header = cannot read the header line; the file was skipped (details: { $error })
read-csv-header-cut = the file is cut off inside the header line; it has no rows
read-csv-row-cut = the file is cut off inside a row; kept the rows before it
read-csv-bad-row = skipped an invalid row (details: { $error })
read-csv-uneven-row = skipped a row with { $cells ->
    [one] { $cells } cell
   *[other] { $cells } cells
}; the header has { $headers }
read-csv-more-uneven-rows = skipped { $count ->
    [one] { $count } more row
   *[other] { $count } more rows
} with too few or too many cells
read-csv-wrong-columns = the file has none of the columns of a { $kind } file ({ $columns } …); it was skipped
read-csv-bad-cells = { $count ->
    [one] { $count } cell has the wrong type and is
   *[other] { $count } cells have the wrong type and are
} read as empty; the first is `{ $cell }` in column { $column }

# FRAMEWORK files.

read-no-clock = profiler_info has no clock (start_info and end_info); times are counted from the start of the machine
read-unmatched-marks = skipped { $count ->
    [one] { $count } queue mark
   *[other] { $count } queue marks
} without a matching start or end
read-record-cut = the file is cut off inside a record; kept { $records ->
    [one] { $records } record
   *[other] { $records } records
}, skipped the last { $bytes ->
    [one] { $bytes } byte
   *[other] { $bytes } bytes
}
read-records-skipped = skipped { $count ->
    [one] { $count } record that is
   *[other] { $count } records that are
} of unknown type or too short

# Databases.

read-db-wal = the -wal file of the database holds changes; they were not read
read-db-not-sqlite = not an SQLite database: the file does not start with `SQLite format 3`; it was skipped
read-db-no-table = the database has no readable table
read-db-damaged = the database is cut off or damaged (details: { $error })
read-db-empty = no table of the database has rows
read-db-bad-cells = { $count ->
    [one] { $count } cell of table { $table } has the wrong type and is
   *[other] { $count } cells of table { $table } have the wrong type and are
} read as empty
read-db-schema-damaged = the list of tables is damaged: { $damage }; the tables listed there are lost
read-db-swapped-columns = PYTORCH_API has shapes in inputDtypes and types in inputShapes; swapped them back
read-db-dangling-ids = { $count ->
    [one] { $count } id has no string in STRING_IDS and is
   *[other] { $count } ids have no string in STRING_IDS and are
} read as empty
read-db-orphan-rows = skipped { $count ->
    [one] { $count } row
   *[other] { $count } rows
} of { $table } whose tasks are missing from { $lacking }
read-db-table-damaged = table { $table } is damaged: { $damage }; kept { $rows ->
    [one] { $rows } row
   *[other] { $rows } rows
}
read-db-more-damage = table { $table } has { $count ->
    [one] { $count } more damaged place
   *[other] { $count } more damaged places
}
read-db-table-unreadable = cannot read table { $table } to its end; kept { $rows ->
    [one] { $rows } row
   *[other] { $rows } rows
} (details: { $error })
read-db-damage-row = a row does not fit its page
read-db-damage-loop = pages refer back to themselves
read-db-damage-missing-page = a page is beyond the end of the file
read-db-damage-foreign-page = a page is not a table page
read-db-damage-no-children = a page has no valid child pages

## Diagnostics of searching and loading a profile

store-same-in-database = skipped files whose data is also in the databases of the rank: { $files }
store-more-in-trace = skipped this file: the trace of the rank has more data
store-text-instead = the database is damaged; the text files of the rank were read instead
store-unknown-file = not a known profile file; skipped
store-no-rank-in-trace = rank unknown (no distributedInfo, and no rank in the file name); shown as rank { $rank }, which may be wrong
store-no-rank = rank unknown (no profiler_info); shown as rank { $rank }, which may be wrong
store-several-jobs = this directory has { $count } jobs: { $jobs }; showing { $read } (choose another with --job)
store-steps-by-order = step numbers repeat or are missing; steps are numbered from 1 in the order in which they were recorded
store-renumbered = NPU ranks and GPU ranks have the same numbers; GPU rank { $rank } is shown as rank { $shown }
store-raw-only = the raw data is not exported; run `msprof --export=on --output=<this directory>` first
store-device-raw = the raw device data is not exported; only host activity is shown
store-ambiguous-file = { $ranks } ranks have files in this directory, and the name does not say which rank this file belongs to; skipped
store-cut-recording = recording incomplete: the process was killed or is still running; the data written so far is shown
store-symlink-loop = the link leads to a directory above itself; skipped
store-too-deep = more than { $depth } directories deep; skipped
store-no-output = the directory of a rank has neither ASCEND_PROFILER_OUTPUT nor FRAMEWORK nor PROF_*; skipped. Copy it again, or record again if the process was killed
store-cannot-list = cannot list the directory: { $why }
store-in-file = { $file }: { $diagnostic }
store-cache-rebuilt = { $error }; it will be rebuilt
store-extract-not-cached = { $error }; the next command will read the ranks again
store-rank-not-cached = { $error }; rank { $rank } will be read again next time

# convert.

convert-left-in-trace = rank { $rank }: { $left }; --to parquet keeps all of it, --to perfetto keeps what a timeline shows
