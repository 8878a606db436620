//! All ranks side by side.

use std::collections::BTreeMap;

use npuscope_analysis::cluster::Options;
use npuscope_analysis::layout::{Layout, Origin, RankGroups};
use npuscope_collect::Setting;
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::source::RankSource;
use npuscope_measures::deliverable::{self, Target};
use npuscope_measures::intervals::Interval;
use npuscope_tables::Flavour;
use npuscope_tables::table::host_op;
use npuscope_tables::table::overlap::Kind;
use npuscope_tables::table::{reported_step, step};
use npuscope_tables::{Interner, RankTables, Selection, TableId};

use crate::columns::{self, Results};
use crate::missing::{DEVICE, missing};
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Scope, Source, device};
use npuscope_analysis::device::spread;

const BUCKETS: usize = 256;
const MOST_BUCKETS: usize = 4096;

/// Links that are listed.
const LINKS: usize = 1000;

/// Where ranks ran, how they were profiled, and their places in the layout.
pub fn ranks(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let origin = source.origin;
    let made = sql::batch(
        source,
        &format!(
            "SELECT rank, device, host, chip, framework, format, level, directory, start - {origin} AS start, \
             \"end\" - {origin} AS \"end\" FROM {} WHERE rank >= 0 ORDER BY rank",
            rows("rank", Time::Timeless, &question.scope)
        ),
    )?;
    let layout = layout(source)?;
    let numbers = sql::ints(&made, "rank");
    let places: Vec<_> = numbers.iter().map(|rank| layout.place((*rank)?)).collect();
    let schema = made.schema();
    let mut all: Vec<_> = schema
        .fields()
        .iter()
        .zip(made.columns())
        .map(|(field, column)| (field.name().as_str(), column.clone()))
        .collect();
    all.extend([
        ("tp", columns::ints(places.iter().map(|place| Some((*place)?.tp)))),
        ("pp", columns::ints(places.iter().map(|place| Some((*place)?.pp)))),
        ("dp", columns::ints(places.iter().map(|place| Some((*place)?.dp)))),
        ("cp", columns::ints(places.iter().map(|place| Some((*place)?.cp)))),
        ("ep", columns::ints(places.iter().map(|place| Some((*place)?.ep)))),
    ]);
    columns::made(all)
}

/// The layout of the job: from metadata, and only if that does not tell it from who talks to whom.
pub fn layout(source: &Source<'_>) -> Result<Layout, NotMade> {
    let all: Vec<&RankSource> = source.store.profile().ranks.iter().collect();
    let of = |selection| -> Result<Layout, NotMade> {
        let groups = source.store.each(&all, selection, |rank, tables| (rank.rank, RankGroups::of(&tables)))?;
        Ok(Layout::of(&groups))
    };
    let told = of(Selection::of(&[TableId::Metadata]))?;
    if told.origin == Origin::Metadata { Ok(told) } else { of(RankGroups::SELECTION) }
}

/// How the time of a step divides, in ns.
struct StepTime {
    step: Option<i64>,
    start: Option<i64>,
    duration: i64,
    computing: Option<i64>,
    exposed: Option<i64>,
    overlapped: Option<i64>,
    free: Option<i64>,
    preparing: Option<i64>,
    bubble: Option<i64>,
}

/// How the time of each step divides, as the profiles report it or, where they do not, as their rows give it.
pub fn steps(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    const REPORTED: Selection = Selection::of(&[TableId::ReportedStep, TableId::Step]);
    let ranks = question.sources(source);
    let reported = source.store.each(&ranks, REPORTED, |_, tables| {
        let rows: Vec<reported_step::Row> = tables.rows().collect();
        let name = |row: &reported_step::Row| tables.opt_text(row.step).and_then(|step| step.parse().ok());
        step_times(&tables, &rows, name)
    })?;
    let untold: Vec<&RankSource> =
        ranks.iter().zip(&reported).filter(|(_, steps)| steps.is_empty()).map(|(rank, _)| *rank).collect();
    let mut derived = derived_steps(source, &untold)?.into_iter();
    let of_ranks = reported.into_iter().map(|steps| match steps.is_empty() {
        true => derived.next().unwrap_or_default(),
        false => steps,
    });
    let all: Vec<(i64, StepTime)> =
        ranks.iter().zip(of_ranks).flat_map(|(rank, steps)| steps.into_iter().map(|step| (rank.rank, step))).collect();
    if all.is_empty() {
        return Err(missing(source, "times of steps", &[Setting::Npu]));
    }
    let is_in_scope = |step: &StepTime| {
        let end = step.start.map(|start| start + step.duration);
        question.scope.step.is_none_or(|wanted| step.step == Some(wanted))
            && question.scope.begin.zip(end).is_none_or(|(begin, end)| end >= begin)
            && question.scope.end.zip(step.start).is_none_or(|(end, start)| start < end)
    };
    let mut kept: Vec<&(i64, StepTime)> = all.iter().filter(|(_, step)| is_in_scope(step)).collect();
    kept.sort_by_key(|(rank, step)| (*rank, step.start, step.step));
    let ints = |of: fn(&StepTime) -> Option<i64>| columns::ints(kept.iter().map(|(_, step)| of(step)));
    columns::made(vec![
        ("rank", columns::ints(kept.iter().map(|(rank, _)| *rank))),
        ("step", ints(|step| step.step)),
        ("start", columns::ints(kept.iter().map(|(_, step)| Some(step.start? - source.origin)))),
        ("duration", ints(|step| Some(step.duration))),
        ("computing", ints(|step| step.computing)),
        ("exposed_communication", ints(|step| step.exposed)),
        ("overlapped_communication", ints(|step| step.overlapped)),
        ("free", ints(|step| step.free)),
        ("preparing", ints(|step| step.preparing)),
        ("bubble", ints(|step| step.bubble)),
    ])
}

/// Rows of a rank in ns, with the time of the step on the host; without that a step takes what its parts take.
fn step_times(
    tables: &RankTables,
    rows: &[reported_step::Row],
    name: impl Fn(&reported_step::Row) -> Option<i64>,
) -> Vec<StepTime> {
    let on_host: BTreeMap<i64, (i64, i64)> =
        tables.rows::<step::Row>().filter_map(|row| Some((row.id?, (row.start.0, row.end.since(row.start))))).collect();
    let ns = |us: Option<f64>| us.map(|us| (us * 1e3).round() as i64);
    let time = |row: &reported_step::Row| {
        let step = name(row);
        let host = step.and_then(|step| on_host.get(&step)).copied();
        let parts = [row.computing, row.communication_not_overlapped, row.free].into_iter().filter_map(ns).sum();
        StepTime {
            step,
            start: host.map(|(start, _)| start),
            duration: host.map_or(parts, |(_, duration)| duration),
            computing: ns(row.computing),
            exposed: ns(row.communication_not_overlapped),
            overlapped: ns(row.overlapped),
            free: ns(row.free),
            preparing: ns(row.preparing),
            bubble: ns(row.bubble),
        }
    };
    rows.iter().map(time).collect()
}

/// Steps of ranks that report none.
fn derived_steps(source: &Source<'_>, ranks: &[&RankSource]) -> Result<Vec<Vec<StepTime>>, NotMade> {
    const TASKS: Selection =
        Selection::of(&[TableId::Step, TableId::Kernel, TableId::CommOp, TableId::Task, TableId::Overlap])
            .without_metrics()
            .and_host_ops(&[host_op::Kind::Cann]);
    // Databases and GPU traces tell steps by their tasks, traces of NPUs by who enqueued what.
    let is_db = |rank: &RankSource| {
        rank.flavour == Flavour::Kineto || rank.has(&FileKind::ProfilerDb) || rank.has(&FileKind::AnalysisDb)
    };
    let selection = if ranks.iter().all(|rank| is_db(rank)) { TASKS } else { Selection::ALL };
    Ok(source.store.each(ranks, selection, |rank, tables| {
        let target = if is_db(rank) { Target::Db(rank.flavour) } else { Target::Text(rank.flavour) };
        let mut strings = Interner::default();
        let rows = deliverable::step_trace(&tables, target, &mut strings);
        step_times(&tables, &rows, |row| strings.get(row.step?).parse().ok())
    })?)
}

/// What devices did in equal stretches of time: shares of each stretch.
pub fn heat(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let buckets = question.count("buckets", BUCKETS, MOST_BUCKETS)?;
    let span = span(source, &question.scope)?;
    let ranks = question.sources(source);
    let shares = device::each(source, &ranks, |_, intervals| {
        let mut shares = vec![[0.0; 3]; buckets];
        for (kind, interval) in &intervals {
            let place = match kind {
                Kind::Computing => 0,
                Kind::Communication => 1,
                Kind::ExposedCommunication => 2,
                Kind::Free => continue,
            };
            spread(*interval, span, buckets, |bucket, share| {
                if let Some(shares) = shares.get_mut(bucket) {
                    shares[place] += share;
                }
            });
        }
        (!intervals.is_empty()).then_some(shares)
    })?;
    if shares.iter().all(Option::is_none) {
        return Err(missing(source, "device tasks", DEVICE));
    }
    let told: Vec<(i64, usize, [f64; 3])> = ranks
        .iter()
        .zip(&shares)
        .filter_map(|(rank, shares)| Some((rank.rank, shares.as_ref()?)))
        .flat_map(|(rank, shares)| shares.iter().enumerate().map(move |(bucket, shares)| (rank, bucket, *shares)))
        .collect();
    let share = |place: usize| columns::reals(told.iter().map(|(_, _, shares)| shares[place].min(1.0)));
    columns::made(vec![
        ("rank", columns::ints(told.iter().map(|(rank, ..)| *rank))),
        ("bucket", columns::ints(told.iter().map(|(_, bucket, _)| *bucket as i64))),
        ("begin", columns::ints(told.iter().map(|(_, bucket, _)| edge(span, buckets, *bucket) - source.origin))),
        ("computing", share(0)),
        ("communication", share(1)),
        ("exposed_communication", share(2)),
    ])
}

/// The stretch of time that is asked about: of a step, from its first begin to its last end.
fn span(source: &Source<'_>, scope: &Scope) -> Result<Interval, NotMade> {
    let sql = match scope.step {
        Some(step) => {
            let steps = rows("step", Time::Timeless, scope);
            format!("SELECT min(start) AS start, max(\"end\") AS \"end\" FROM {steps} WHERE id = {step}")
        }
        None => "SELECT min(start) AS start, max(\"end\") AS \"end\" FROM rank WHERE rank >= 0".to_owned(),
    };
    let batch = sql::batch(source, &sql)?;
    let first = |name: &str| sql::ints(&batch, name).first().copied().flatten();
    let begin = scope.begin.or(first("start")).unwrap_or(source.origin);
    Ok(Interval::new(begin, scope.end.or(first("end")).unwrap_or(begin)))
}

/// Where a bucket begins.
fn edge(span: Interval, buckets: usize, bucket: usize) -> i64 {
    let length = i128::from(span.end - span.start);
    span.start + (length * bucket as i128 / buckets.max(1) as i128) as i64
}

/// Ranks that others wait for, as `slow_rank` tells it, with the time that they were late in all: how much longer the
/// rank in the middle took.
pub fn slow_ranks(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let answer = question.ask(source, "slow_rank", Options::default())?;
    let operations = Results::of(&answer, "SlowOpStats");
    let mut late: BTreeMap<i64, f64> = BTreeMap::new();
    let lengths = operations.reals("MedianNs").into_iter().zip(operations.reals("MinNs"));
    for (names, (middle, least)) in operations.texts("SlowRank").into_iter().zip(lengths) {
        let by = middle.unwrap_or_default() - least.unwrap_or_default();
        for rank in names.unwrap_or_default().split(',').filter_map(|rank| rank.parse().ok()) {
            *late.entry(rank).or_default() += by / 1e6;
        }
    }
    let slow = Results::of(&answer, "SlowRank");
    let ranks = slow.ints("rankId");
    let late = ranks.iter().map(|rank| late.get(&(*rank)?).copied());
    columns::made(vec![
        ("rank", columns::ints(ranks.iter().copied())),
        ("slow_affect_count", columns::ints(slow.ints("slowAffectCount"))),
        ("operation_count", columns::ints(slow.ints("operationCount"))),
        ("late_ms", columns::reals(late)),
    ])
}

/// Links that take longer than others that moved alike, as `slow_link` tells it.
pub fn slow_links(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let options = Options { top_num: Some(LINKS), ..Options::default() };
    let answer = question.ask(source, "slow_link", options)?;
    let links = Results::of(&answer, "SlowLinks");
    columns::made(vec![
        ("src", columns::ints(links.ints("srcRank"))),
        ("dst", columns::ints(links.ints("dstRank"))),
        ("link", columns::texts(links.texts("transport"))),
        ("bytes", columns::ints(links.ints("dataSize"))),
        ("time", columns::ints(links.ints("timeNs"))),
        ("bandwidth", columns::reals(links.reals("bandwidth(GB/s)"))),
        ("median", columns::reals(links.reals("expectedBandwidth(GB/s)"))),
        ("ratio", columns::reals(links.reals("timeRatio"))),
    ])
}

/// The load of a rank.
struct Load {
    rank: i64,
    layer: Option<String>,
    step: Option<i64>,
    tokens: Option<i64>,
    duration: Option<i64>,
}

impl Load {
    /// What ranks are compared by.
    fn weight(&self) -> f64 {
        self.tokens.or(self.duration).unwrap_or_default() as f64
    }
}

/// The load of ranks that hold experts: by layer the time of grouped matrix products, where modules are marked; else
/// the tokens of each step.
pub fn experts(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let tokens = question.ask(source, "ep_load_balance", Options::default())?;
    let summary = Results::of(&tokens, "EPTokensSummary");
    let (ranks, groups) = (summary.ints("rank"), summary.texts("epRanks"));
    let group_of: BTreeMap<i64, &str> =
        ranks.iter().copied().zip(groups).filter_map(|(rank, group)| rank.zip(group)).collect();
    let mut loads = match layers(source, question) {
        Ok(loads) => loads,
        Err(NotMade::Missing { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    loads.retain(|load| group_of.contains_key(&load.rank));
    if loads.is_empty() {
        let durations = grouped_products(source, question)?;
        let tokens = summary.ints("inputShapesSummary");
        loads.extend(ranks.iter().zip(tokens).filter_map(|(rank, tokens)| {
            let rank = (*rank)?;
            let duration = durations.get(&rank).copied();
            Some(Load { rank, layer: None, step: question.scope.step, tokens, duration })
        }));
    }
    let key = |load: &Load| (group_of.get(&load.rank).copied().unwrap_or_default(), load.layer.clone());
    let mut sums: BTreeMap<(&str, Option<String>), (f64, usize)> = BTreeMap::new();
    for load in &loads {
        let sum = sums.entry(key(load)).or_default();
        (sum.0, sum.1) = (sum.0 + load.weight(), sum.1 + 1);
    }
    let share_of_mean = |load: &Load| {
        let (sum, count) = sums.get(&key(load)).copied()?;
        (sum > 0.0).then(|| load.weight() * count as f64 / sum)
    };
    columns::made(vec![
        ("rank", columns::ints(loads.iter().map(|load| load.rank))),
        ("group", columns::texts(loads.iter().map(|load| group_of.get(&load.rank)))),
        ("layer", columns::texts(loads.iter().map(|load| load.layer.as_deref()))),
        ("step", columns::ints(loads.iter().map(|load| load.step))),
        ("tokens", columns::ints(loads.iter().map(|load| load.tokens))),
        ("duration", columns::ints(loads.iter().map(|load| load.duration))),
        ("share_of_mean", columns::reals(loads.iter().map(share_of_mean))),
    ])
}

/// Grouped matrix products are the work of experts.
const GROUPED: &str = "GroupedMatmul";

/// The time of grouped matrix products in each module of each rank, forward and backward together.
fn layers(source: &Source<'_>, question: &Question<'_>) -> Result<Vec<Load>, NotMade> {
    let answer = question.ask(source, "module_statistic", Options::default())?;
    let modules = Results::of(&answer, "ModuleStatistic");
    let (names, kernels) = (modules.texts("module"), modules.texts("kernelList"));
    let (totals, ranks) = (modules.ints("totalKernelDuration(ns)"), modules.ints("rankID"));
    let mut sums: BTreeMap<(i64, &str), i64> = BTreeMap::new();
    for (row, name) in names.iter().enumerate() {
        let is_of_experts = kernels[row].is_some_and(|kernels| kernels.contains(GROUPED));
        if let (Some(name), Some(rank), true) = (name, ranks[row], is_of_experts) {
            let name = name.strip_prefix("[Backward]").unwrap_or(name).trim();
            *sums.entry((rank, name)).or_default() += totals[row].unwrap_or_default();
        }
    }
    let load = |((rank, layer), duration): ((i64, &str), i64)| Load {
        rank,
        layer: Some(layer.to_owned()),
        step: question.scope.step,
        tokens: None,
        duration: Some(duration),
    };
    Ok(sums.into_iter().map(load).collect())
}

/// The time of grouped matrix products of each rank.
fn grouped_products(source: &Source<'_>, question: &Question<'_>) -> Result<BTreeMap<i64, i64>, NotMade> {
    let batch = sql::batch(
        source,
        &format!(
            "SELECT rank, sum(duration) AS duration FROM {} WHERE op_type = '{GROUPED}' GROUP BY rank",
            rows("kernel", Time::Kernel, &question.scope)
        ),
    )?;
    let durations = sql::ints(&batch, "rank").into_iter().zip(sql::ints(&batch, "duration"));
    Ok(durations.filter_map(|(rank, duration)| rank.zip(duration)).collect())
}
