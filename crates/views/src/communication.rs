//! Communication operations, and the links that they went over.

use std::collections::BTreeMap;

use npuscope_analysis::cluster::Options;
use npuscope_collect::Setting;

use crate::columns::{self, Results};
use crate::groups::GroupNames;
use crate::missing::{DEVICE, unless_missing};
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Source};

const COLLECTIVES: usize = 5000;
const MOST_COLLECTIVES: usize = 200_000;

const OPERATIONS: &str = "communication operations; a job on one device has none";
const LINKS: &str = "communication links; a job on one device has none";

/// The kind of an operation from its type or name: `hcom_allReduce__586_0_1` is an `allreduce`.
pub(crate) const KIND: &str = r"lower(regexp_replace(coalesce(op_type, name), '^hcom_([A-Za-z]+)_.*$', '\1'))";

/// Bytes of an operation's data, by the names that HCCL and NCCL give to types.
const BYTES: &str = "count * CASE upper(dtype) \
    WHEN 'INT8' THEN 1 WHEN 'UINT8' THEN 1 WHEN 'BYTE' THEN 1 WHEN 'CHAR' THEN 1 WHEN 'BOOL' THEN 1 \
    WHEN 'INT16' THEN 2 WHEN 'UINT16' THEN 2 WHEN 'FP16' THEN 2 WHEN 'BFP16' THEN 2 WHEN 'HALF' THEN 2 \
    WHEN 'BFLOAT16' THEN 2 WHEN 'INT32' THEN 4 WHEN 'UINT32' THEN 4 WHEN 'FP32' THEN 4 WHEN 'INT' THEN 4 \
    WHEN 'FLOAT' THEN 4 WHEN 'INT64' THEN 8 WHEN 'UINT64' THEN 8 WHEN 'FP64' THEN 8 WHEN 'LONG' THEN 8 \
    WHEN 'DOUBLE' THEN 8 WHEN 'INT128' THEN 16 END";

/// What sources call their own sums.
const NO_TOTALS: &str = "lower(name) NOT LIKE 'total op info%'";

/// How the time of operations divides, as the sources sum it up; where they do not, how long operations took.
pub fn communication(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let by_name = question.choice("by", &["name", "kind"])? == "name";
    let is_summed_up = sql::has_rows(source, "SELECT 1 FROM reported_comm")?;
    let operations = if is_summed_up { summed_up(question) } else { timed(question) };
    let (name, names) = if by_name { ("name", ", name") } else { ("CAST(NULL AS VARCHAR)", "") };
    let sums = ["elapsed", "transit", "wait", "synchronization", "idle", "bytes"]
        .map(|column| format!("CAST(round(sum({column})) AS BIGINT) AS {column}"));
    let made = sql::query(
        source,
        &format!(
            "SELECT rank, \"group\", max(group_name) AS group_name, kind, {name} AS name, count(*) AS count, {}, \
             sum(wait) / nullif(sum(wait) + sum(transit), 0.0) AS wait_ratio, \
             sum(synchronization) / nullif(sum(synchronization) + sum(transit), 0.0) AS synchronization_ratio \
             FROM {operations} GROUP BY rank, \"group\", kind{names} ORDER BY elapsed DESC, rank, \"group\", kind{names}",
            sums.join(", ")
        ),
    )?;
    let made = with_group_names(source, question, made)?;
    match is_summed_up {
        true => Ok(made),
        false => unless_missing(source, made, "SELECT 1 FROM comm_op", OPERATIONS, DEVICE),
    }
}

/// Operations of summaries, in ns, with the bytes that went over their transports. What goes over HCCS, PCIe and SIO
/// also counts as SDMA.
fn summed_up(question: &Question<'_>) -> String {
    format!(
        "(SELECT o.rank, o.\"group\", CAST(NULL AS VARCHAR) AS group_name, o.kind, o.name, o.elapsed, o.transit, o.wait, \
         o.synchronization, o.idle, m.bytes FROM \
         (SELECT rank, coalesce(step, '') AS step, coalesce(group_hash, '') AS \"group\", name, \
          lower(regexp_replace(name, '^hcom_([A-Za-z]+)_.*$', '\\1')) AS kind, elapse * 1e6 AS elapsed, \
          transit * 1e6 AS transit, wait * 1e6 AS wait, synchronization * 1e6 AS synchronization, idle * 1e6 AS idle \
          FROM {operations} WHERE {NO_TOTALS}) o \
         LEFT JOIN (SELECT rank, step, name, \"group\", 1e6 * (coalesce(sum(CASE WHEN transport = 'RDMA' THEN size END), 0) \
          + greatest(coalesce(sum(CASE WHEN transport = 'SDMA' THEN size END), 0), \
            coalesce(sum(CASE WHEN transport NOT IN ('RDMA', 'SDMA') THEN size END), 0))) AS bytes \
          FROM {transports} GROUP BY rank, step, name, \"group\") m \
         ON m.rank = o.rank AND m.step = o.step AND m.name = o.name AND m.\"group\" = o.\"group\")",
        operations = rows("reported_comm", Time::Reported, &question.scope),
        transports = transports(question),
    )
}

/// Transports of operations: the rows of an operation's packets as one.
fn transports(question: &Question<'_>) -> String {
    format!(
        "(SELECT rank, coalesce(step, '') AS step, name, coalesce(group_hash, '') AS \"group\", transport, \
         max(transit_size) AS size, max(transit_time) AS time, max(large_packet_ratio) AS large, sum(count) AS packets \
         FROM {} WHERE {NO_TOTALS} GROUP BY rank, coalesce(step, ''), name, coalesce(group_hash, ''), transport)",
        rows("reported_bandwidth", Time::Reported, &question.scope)
    )
}

/// Operations without summaries.
fn timed(question: &Question<'_>) -> String {
    let unknown = "CAST(NULL AS DOUBLE)";
    format!(
        "(SELECT rank, coalesce(group_hash, group_name, '') AS \"group\", group_name, {KIND} AS kind, name, \
         duration AS elapsed, {unknown} AS transit, {unknown} AS wait, {unknown} AS synchronization, {unknown} AS idle, \
         {BYTES} AS bytes FROM {})",
        rows("comm_op", Time::Slice, &question.scope)
    )
}

/// Operations in time; if there are too many, the longest.
pub fn collectives(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let limit = question.count("limit", COLLECTIVES, MOST_COLLECTIVES)?;
    let made = sql::query(
        source,
        &format!(
            "SELECT * FROM \
             (SELECT rank, op, name, {KIND} AS kind, coalesce(group_hash, group_name, '') AS \"group\", group_name, \
              start - {} AS start, duration, {BYTES} AS bytes FROM {} ORDER BY duration DESC, rank, start LIMIT {limit}) \
             ORDER BY rank, start, op",
            source.origin,
            rows("comm_op", Time::Slice, &question.scope)
        ),
    )?;
    let made = with_group_names(source, question, made)?;
    unless_missing(source, made, "SELECT 1 FROM comm_op", OPERATIONS, DEVICE)
}

/// The same with groups named as the trainer names them.
fn with_group_names(source: &Source<'_>, question: &Question<'_>, mut made: Made) -> Result<Made, NotMade> {
    let names = GroupNames::of(source, question)?;
    for batch in &mut made.batches {
        let known = sql::texts(batch, "group").into_iter().zip(sql::texts(batch, "group_name"));
        let labels = columns::texts(known.map(|(hash, name)| Some(names.get(hash.unwrap_or_default(), name))));
        let place = batch.schema().index_of("group_name").map_err(sql::failed)?;
        let mut all = batch.columns().to_vec();
        if let Some(column) = all.get_mut(place) {
            *column = labels;
        }
        *batch = arrow::array::RecordBatch::try_new(batch.schema(), all).map_err(sql::failed)?;
    }
    Ok(made)
}

/// What went over a link.
#[derive(Clone, Copy, Default)]
struct Moved {
    mb: f64,
    ms: f64,
}

/// What went over links between ranks of the job, as `communication_matrix_sum` tells it, all steps together.
pub fn matrix(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let answer = question.ask(source, "communication_matrix_sum", Options::default())?;
    let results = Results::of(&answer, "ClusterCommunicationMatrix");
    let (names, groups) = (results.texts("hccl_op_name"), results.texts("group_name"));
    let links = results.texts("transport_type");
    let (from, to) = (results.ints("src_rank"), results.ints("dst_rank"));
    let (sizes, times) = (results.reals("transit_size"), results.reals("transit_time"));
    let mut moved: BTreeMap<(&str, &str, i64, i64, &str), Moved> = BTreeMap::new();
    for (row, name) in names.iter().enumerate() {
        let (Some(kind), Some(from), Some(to)) = (name.and_then(summed_kind), from[row], to[row]) else { continue };
        let group = groups[row].unwrap_or_default();
        let is_wanted = |name: &str, value: &str| question.text(name).is_none_or(|wanted| wanted == value);
        if is_wanted("group", group) && is_wanted("kind", kind) {
            let sum = moved.entry((group, kind, from, to, links[row].unwrap_or_default())).or_default();
            sum.mb += sizes[row].unwrap_or_default();
            sum.ms += times[row].unwrap_or_default();
        }
    }
    let labels = GroupNames::of(source, question)?;
    let moved: Vec<_> = moved.into_iter().collect();
    columns::made(vec![
        ("group", columns::texts(moved.iter().map(|(key, _)| Some(key.0)))),
        ("group_name", columns::texts(moved.iter().map(|(key, _)| Some(labels.get(key.0, None))))),
        ("kind", columns::texts(moved.iter().map(|(key, _)| Some(key.1)))),
        ("src", columns::ints(moved.iter().map(|(key, _)| key.2))),
        ("dst", columns::ints(moved.iter().map(|(key, _)| key.3))),
        ("transport", columns::texts(moved.iter().map(|(key, _)| Some(transport(key.4))))),
        ("link", columns::texts(moved.iter().map(|(key, _)| Some(key.4)))),
        ("bytes", columns::ints(moved.iter().map(|(_, moved)| (moved.mb * 1e6).round() as i64))),
        ("time", columns::ints(moved.iter().map(|(_, moved)| (moved.ms * 1e6).round() as i64))),
        ("bandwidth", columns::reals(moved.iter().map(|(_, moved)| (moved.ms > 0.0).then(|| moved.mb / moved.ms)))),
    ])
}

/// The kind of operations that a row sums up; none for places in the order of bandwidth, which are part of a sum, and
/// for the sum over kinds.
fn summed_kind(name: &str) -> Option<&str> {
    match name.rsplit_once('-') {
        _ if name == "Total Op Info" => None,
        Some((kind, "total")) => Some(kind),
        Some((_, place)) if ["top", "middle", "bottom"].iter().any(|word| place.starts_with(word)) => None,
        _ => Some(name),
    }
}

/// What moves data over a link.
fn transport(link: &str) -> &str {
    match link {
        "HCCS" | "PCIE" | "SIO" => "SDMA",
        "ROCE" => "RDMA",
        other => other,
    }
}

/// Packets by size.
pub fn packets(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let made = sql::query(
        source,
        &format!(
            "SELECT rank, transport AS link, CAST(round(CAST(package_size AS DOUBLE) * 1e6) AS BIGINT) AS packet_bytes, \
             CAST(sum(count) AS BIGINT) AS count, CAST(round(sum(total_duration) * 1e6) AS BIGINT) AS time, \
             CAST(round(sum(CAST(package_size AS DOUBLE) * count) * 1e6) AS BIGINT) AS bytes FROM {} \
             WHERE {NO_TOTALS} AND package_size IS NOT NULL AND count > 0 \
             GROUP BY rank, transport, 3 ORDER BY rank, link, packet_bytes",
            rows("reported_bandwidth", Time::Reported, &question.scope)
        ),
    )?;
    unless_missing(source, made, "SELECT 1 FROM reported_bandwidth", LINKS, &[Setting::Level1])
}

/// How fast links were, without those over which nothing went.
pub fn bandwidth(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let made = sql::query(
        source,
        &format!(
            "SELECT rank, transport AS link, CAST(round(sum(size) * 1e6) AS BIGINT) AS bytes, \
             CAST(round(sum(time) * 1e6) AS BIGINT) AS time, sum(size) / nullif(sum(time), 0.0) AS bandwidth, \
             sum(large * packets) / nullif(sum(packets), 0.0) AS large_packet_share FROM {} \
             GROUP BY rank, transport HAVING sum(size) > 0 ORDER BY rank, link",
            transports(question)
        ),
    )?;
    unless_missing(source, made, "SELECT 1 FROM reported_bandwidth", LINKS, &[Setting::Level1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_others_contain_are_not_counted() {
        let names = ["allreduce-total", "allreduce-top1", "send-bottom3", "Total Op Info", "hcom_send__1_0_1"];
        assert_eq!(names.map(summed_kind), [Some("allreduce"), None, None, None, Some("hcom_send__1_0_1")]);
    }
}
