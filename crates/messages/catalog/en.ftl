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
diagnostic-of-rank = rank { $rank } { $file }: { $message }

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
info-no-findings = none; no rank computes much longer than the others of its stage

## Terminal: what reading met

reading-losses = { $losses ->
    [one] { $losses } warning while reading, so results may be incomplete; npuscope doctor { $path } lists it
   *[other] { $losses } warnings while reading, so results may be incomplete; npuscope doctor { $path } lists them
}
reading-infos = { $infos ->
    [one] { $infos } note on the files read; npuscope doctor { $path } lists it
   *[other] { $infos } notes on the files read; npuscope doctor { $path } lists them
}
reading-losses-and-infos = { $losses ->
    [one] { $losses } warning
   *[other] { $losses } warnings
} and { $infos ->
    [one] { $infos } note
   *[other] { $infos } notes
} while reading, so results may be incomplete; npuscope doctor { $path } lists them
reading-strict = { $losses ->
    [one] { $losses } warning
   *[other] { $losses } warnings
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
doctor-missing-line = { $what }{ $whose }: { $purpose }{ $reason }
doctor-on-all = { "" }
doctor-on-rank = { " " }on rank { $rank }
doctor-on-ranks = { " " }on ranks { $ranks }
doctor-no-reason = { "" }
doctor-why = { " " }({ $why })
doctor-was-on = { " " }(enabled, but no data arrived)
doctor-nothing = nothing
doctor-diagnostics = diagnostics
doctor-no-diagnostics = none
doctor-at-byte = { " " }at byte { $offset }
doctor-steps = { $count } from { $first } to { $last }
doctor-window = { $seconds } s from { $start }
doctor-more-ranks = … and { $count ->
    [one] { $count } more rank
   *[other] { $count } more ranks
}; --format json lists all
doctor-more-diagnostics = … and { $count ->
    [one] { $count } more diagnostic
   *[other] { $count } more diagnostics
}; --format json lists all
severity-error = error

## Terminal: cluster

cluster-left-out = rank { $rank }: left out: { $why }
cluster-lacks = rank { $rank }: { $why }
cluster-left-out-file = rank { $rank } { $file }: left out: { $why }
cluster-lacks-file = rank { $rank } { $file }: { $why }
cluster-strict = something could not be read (--strict): { $first }
cluster-more-diagnostics = … and { $count ->
    [one] { $count } more diagnostic
   *[other] { $count } more diagnostics
}
cluster-more-files = … and { $count ->
    [one] { $count } more file
   *[other] { $count } more files
}
cluster-nothing = { $mode }: nothing to report
cluster-no-ranks = there is no rank { $ranks }

## Collecting

# Diagnostics: severities, and a diagnostic with the key that it is about.

diagnostic-info = info
diagnostic-warning = warning
diagnostic-error = error
diagnostic-with-key = { $key }: { $message }
hint-none = { "" }
hint = { " " }(did you mean { $word }?)

# Files that cannot be read.

no-settings = no profiler settings found; expected flags --profile…, YAML with training.profile… or profiler_config.integrated, or JSON of the torch_npu or MindSpore profiler
malformed-text = invalid { $language }: { $what }
nested-too-deep = values are nested too deeply
alias-without-anchor = an alias has no anchor before it
too-many-values = more than { $limit } values
variable-without-object = { $variable } holds no JSON object
section-missing = the section is missing or empty
choice-invalid = "{ $word }" is neither "all" nor a list

# Keys and flags.

key-twice = duplicate key; the last one counts
value-missing = missing value
value-missing-default = missing value; the default is used here
unknown-key = unknown key{ $hint }; { $consequence }
unknown-flag = unknown flag{ $hint }; { $consequence }
foreign-flag = not a profiler flag of { $trainer }; ignored
consequence-no-effect = it has no effect
consequence-refused = { $trainer } refuses to start
consequence-dropped = { $trainer } ignores it silently
only-section-read = only the section { $section } is read{ $hint }
belongs-below = belongs below { $section }; ignored here
belongs-in = belongs in { $section }
renamed = newer versions call it { $newer }
renamed-and-called = newer versions call it { $newer }, and expect a call of it
renamed-silently = name of older versions; newer versions ignore it silently and read { $newer }
respelt = { $old } is now spelt { $newer }
deprecated = deprecated; use { $newer }
code-deprecated = numbers are deprecated; { $code } means { $meaning }
export-code-unknown = { $code } is not an export type; { $peer } uses text instead

# Values.

value-invalid = invalid value { $value }, expected { $expected }
value-replaced = invalid value { $value }, expected { $expected }; { $peer } uses { $instead } instead
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
instead-both = both
instead-default = the default
instead-raw-data = no handler (data stays raw until analyse() is called)
instead-temporary-data = no handler (data goes to a temporary directory, which is deleted at the end)

# Ranks and stages.

no-rank-selected = no rank is selected; nothing is recorded
no-such-ranks = the job has { $world ->
    [one] { $world } rank
   *[other] { $world } ranks
}, numbered from 0, and none of them is selected; nothing is recorded
ranks-missing = the job has { $world ->
    [one] { $world } rank
   *[other] { $world } ranks
}, numbered from 0; these do not exist: { $ranks }
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
data-set-incomplete = the last step is { $last }, but the data set needs steps up to { $needed }; it stays incomplete
fewer-data-sets = the last step is { $last }; { $begun } of { $asked } data sets will be recorded
until-end = recording continues until training ends; the profiler then warns of an incorrect schedule, but keeps the data
steps-from-run = steps are counted from the start of this run; those before the checkpoint are not included
iterations-from-run = iterations are counted from the start of this run, the first is 1
before-first-step = { $step } is invalid, steps count from { $first }
begins-at-first-step = { $step } is invalid, steps count from 1; recording begins at step 1
before-this-run = { $start } is too early: iteration { $done } is done, the first of this run is { $first }
end-not-after-start = the end { $end } is not after the start { $start }
records-one-step = { $message }; torch_npu records one step instead
records-no-stage = { $message }; no stage is recorded
refused = { $message }; { $trainer } refuses to start
would-refuse = { $message }; { $trainer } would refuse to start if profiling were on
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
level-none-turns-mstx-on = this level records only marks, so torch_npu turns mstx on
level-none-without-mstx = LevelNone records only marks; without mstx MindSpore uses Level0 instead
metrics-need-level = requires Level1 or Level2; { $peer } uses AiCoreNone instead
metrics-required = none, but this level requires metrics; { $peer } uses PipeUtilization instead
op-attr-needs-db = only available in databases; torch_npu turns it off unless export_type includes db
shapes-need-cpu = requires CPU in activities; MindSpore turns it off
memory-needs-both = memory of the framework requires CPU and NPU in activities
cpu-and-npu-off = profile_with_cpu is off, too; torch_npu records both instead of neither
data-process-needs-no-schedule = not available with a schedule; MindSpore turns it off
host-sys-needs-start = requires start_profile=False, according to the documentation
starts-on-call = recording begins when start() is called
must-start = must be true, otherwise nothing is recorded
code-in-file = a file cannot contain code; ignored
rank-list-without-is-rank = no effect unless is_rank is true; all ranks are recorded

# Where data goes, and its analysis.

shell-variable = contains a shell variable; its value is unknown here
switch-with-value = takes no value; remove { $value }
path-missing = missing; the documented default { $path } is used here, but MindSpeed-RL itself uses the current directory
output-path-ignored = no effect: the directory of on_trace_ready takes precedence
handler-missing-raw = missing: data stays raw until analyse() is called
handler-missing-temporary = missing: torch_npu writes to a temporary directory, which is deleted at the end
analysed-later = profile_analysis is off; files of this type are written by a later analysis
analysis-off-with-ranks = turned off because is_rank is true; set async_mode to analyse
analyse-mode-ignored = no effect unless analyse is true; nothing is analysed
analyse-mode-unknown = unknown mode { $mode }; the modes are -1 (none), 0 (sync) and 1 (async)

# Shell scripts.

comment-ends-command = the shell ends the command at this comment; line { $line } is not part of the command, but is read here as if it were
comment-in-quotes = the shell has no comments inside quotes; the trainer receives these words as arguments

# Forms of configurations, and conversions between them.

notation-llm-flags = flags of MindSpeed-LLM
notation-fsdp2-yaml = YAML of FSDP2
notation-fsdp2-flags = flags of FSDP2
notation-rl-yaml = YAML of MindSpeed-RL
notation-mindspore-arguments = arguments of MindSpore's profiler
notation-mindspore-dynamic = dynamic JSON of MindSpore
notation-mindspore-environment = MS_PROFILER_OPTIONS of MindSpore
notation-torch-npu-arguments = arguments of torch_npu's profiler
notation-torch-npu-dynamic = dynamic JSON of torch_npu
inexpressible = { $notation } cannot express { $value }; it becomes { $instead }
inexpressible-analysis = { $notation } cannot express { $value }; it becomes { $instead }, because is_rank is true and only async_mode analyses then
first-step-differs = the first step of the run is { $here } here, and { $there } in { $notation }
field-first-step = steps
field-schedule = steps to record
field-first-recorded = steps before the first recorded step
field-warmup = warmup steps
field-active = recorded steps
field-repeat = data sets
field-wait = steps between data sets

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
recording-not-saved = recording ends without being saved; its directory is not analysed
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
config-result = { $name }: read as { $notation }: { $counts }
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
config-notes = { $count ->
    [one] { $count } note
   *[other] { $count } notes
}
config-no-problems = no problems found
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
explain-incomplete = ; the run ends before the data set is complete
explain-no-steps = no steps are recorded
explain-goes-on = … and so on until training ends
explain-data-sets = { $sets ->
    [one] { $sets } data set
   *[other] { $sets } data sets
} per rank
explain-all-ranks = on all ranks
explain-all-of-ranks = on { $ranks ->
    [one] the only rank
   *[other] all { $ranks } ranks
}
explain-rank = on rank { $ranks }
explain-ranks = on ranks { $ranks }
explain-stages = only in the stages { $stages }
explain-output = { $output }, { $analysis }
explain-analysis-off = raw; a later analysis writes the files below
explain-analysis-online = analysed when a data set is complete, while training waits
explain-analysis-async = analysed in the background when a data set is complete
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
ended-before-window = training ended after step { $step }; requested: { $window }; nothing is recorded
too-late = too late for { $window }: step { $step } is over; nothing is recorded
too-late-for-all = too late for { $window }: step { $step } is over; recording { $rest }

# dynamic: the file.

dynamic-file = { $error }
dynamic-not-a-file = not a regular file
dynamic-too-large = larger than 1 MiB, the limit of torch_npu and MindSpore
dynamic-not-utf8 = not UTF-8 text
dynamic-no-object = not a JSON object
dynamic-unknown = { $problems }
dynamic-of-another-job = { $path } requests the next step, but was written before this job began
dynamic-unusable = cannot use { $path }: { $problem }
dynamic-no-thread = cannot start a thread, so changes of the file are not detected: { $error }

# dynamic set.

set-unreadable = cannot read { $path }: { $problem }
set-malformed = { $path } is unchanged: { $problem }
set-unwritable = cannot write { $path }: { $error }
set-other-dialect = { $path } is in the dialect of { $present }, not of { $asked }; choose another file, or remove this one
set-inexpressible = a file of { $dialect } cannot express { $what }
set-next-step = the next step; give a step number
set-some-ranks = a selection of ranks; every rank that reads the file records
set-warmup = warmup steps
set-no-window = invalid steps { $start } to { $stop }: steps count from 1, and the last one must not be before the first
set-created = created { $path } in the dialect of { $dialect }
set-changed = changed { $path }, in the dialect of { $dialect }
set-unchanged = { $path } has these settings already, in the dialect of { $dialect }; updated its modification time
records-nothing = records nothing
records-window = records { $window }, counted from 1{ $warmup }, { $ranks }
records-next = records { $steps ->
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
status-silent = no report from ranks { $ranks }
status-host = host
status-state = state
status-config = config
status-steps = steps
status-reported = reported
status-data = data
status-problem = problem
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
parse-problem = { $name }: { $problem }
parse-problems = { $name }: { $problem } (and { $more ->
    [one] { $more } more problem
   *[other] { $more } more problems
})

# CANN.

cann-library = cannot load { $library }: { $problem }
cann-symbol = { $library } has no { $symbol }: it is too old, or not a CANN library
cann-call = { $call } failed with { $error }
cann-config = aclprofCreateConfig refused mask { $mask } and metrics { $metrics } for device { $device }
cann-busy = the device is already being recorded; a process can have only one recording at a time
cann-text = { $text } contains a zero byte, which C does not support
acl-error = error { $code }
acl-error-known = error { $code } ({ $meaning })
acl-invalid-parameter = invalid parameter
acl-uninitialised = ACL is not initialised
acl-profiling-repeated = profiling is already initialised
acl-device-busy = the device is already being profiled, by msprof or another profiler
acl-profiling-uninitialised = profiling is not initialised
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
