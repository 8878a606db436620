//! Communication operations, and the links that they went over.

use npuscope_analysis::cluster::Options;
use npuscope_analysis::cluster::recipes::communication_matrix_sum::{self, LinkTraffic};
use npuscope_analysis::messages::collection as data;
use npuscope_collect::Setting;
use npuscope_measures::communication::engine_of_link;
use npuscope_messages::Message;

use crate::columns;
use crate::groups::GroupNames;
use crate::missing::{DEVICE, missing, unless_missing};
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Source};

/// What collects links.
const LINKS: &[Setting] = &[Setting::Level1];

const COLLECTIVES: usize = 5000;
const MOST_COLLECTIVES: usize = 200_000;

/// The kind of an operation from its type or name: `hcom_allReduce__586_0_1` is an `allreduce`.
const KIND: &str = "comm_kind(coalesce(op_type, name))";

/// Bytes of an operation's data.
const BYTES: &str = "count * element_bytes(dtype)";

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
             wait_ratio(sum(wait), sum(transit)) AS wait_ratio, \
             synchronization_ratio(sum(synchronization), sum(transit)) AS synchronization_ratio \
             FROM {operations} GROUP BY rank, \"group\", kind{names} ORDER BY elapsed DESC, rank, \"group\", kind{names}",
            sums.join(", ")
        ),
    )?;
    let made = with_group_names(source, question, made)?;
    match is_summed_up {
        true => Ok(made),
        false => unless_missing(source, made, "SELECT 1 FROM comm_op", data::data_operations_of_devices(), DEVICE),
    }
}

/// Operations of summaries, in ns, with the bytes that went over their transports. What goes over HCCS, PCIe and SIO
/// also counts as SDMA.
fn summed_up(question: &Question<'_>) -> String {
    format!(
        "(SELECT o.rank, o.\"group\", CAST(NULL AS VARCHAR) AS group_name, o.kind, o.name, o.elapsed, o.transit, o.wait, \
         o.synchronization, o.idle, m.bytes FROM \
         (SELECT rank, coalesce(step, '') AS step, coalesce(group_hash, '') AS \"group\", name, \
          comm_kind(name) AS kind, elapse * 1e6 AS elapsed, \
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
        rows("comm_op", Time::Work, &question.scope)
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
            rows("comm_op", Time::Work, &question.scope)
        ),
    )?;
    let made = with_group_names(source, question, made)?;
    unless_missing(source, made, "SELECT 1 FROM comm_op", data::data_operations_of_devices(), DEVICE)
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

/// Traffic of links between ranks of the job, summed over all steps: see `npuscope cluster -m
/// communication_matrix_sum`.
pub fn matrix(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let is_wanted = |name: &str, value: &str| question.text(name).is_none_or(|wanted| wanted == value);
    let links = question.ask(source, Options::default(), communication_matrix_sum::rows);
    let mut links = links.map_err(|why| match why {
        NotMade::Missing { .. } => missing(source, links_of(source), LINKS),
        why => why,
    })?;
    links.retain(|link| is_wanted("group", link.group.as_str()) && is_wanted("kind", &link.kind));
    let labels = GroupNames::of(source, question)?;
    let texts = |of: fn(&LinkTraffic) -> &str| columns::texts(links.iter().map(|link| Some(of(link))));
    columns::made(vec![
        ("group", texts(|link| link.group.as_str())),
        ("group_name", columns::texts(links.iter().map(|link| Some(labels.get(link.group.as_str(), None))))),
        ("kind", texts(|link| &link.kind)),
        ("src", columns::ranks(links.iter().map(|link| link.src))),
        ("dst", columns::ranks(links.iter().map(|link| link.dst))),
        ("transport", texts(|link| engine_of_link(&link.transport))),
        ("link", texts(|link| &link.transport)),
        ("bytes", columns::ints(links.iter().map(|link| link.bytes.round() as i64))),
        ("time", columns::ints(links.iter().map(|link| link.time.round() as i64))),
        ("bandwidth", columns::reals(links.iter().map(LinkTraffic::bandwidth))),
    ])
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
    unless_without_links(source, made, "reported_bandwidth")
}

/// How fast links were, without those over which nothing went.
pub fn bandwidth(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let made = sql::query(
        source,
        &format!(
            "SELECT rank, transport AS link, CAST(round(sum(size) * 1e6) AS BIGINT) AS bytes, \
             CAST(round(sum(time) * 1e6) AS BIGINT) AS time, bandwidth(sum(size), sum(time)) AS bandwidth, \
             large_packet_share(sum(large * packets), sum(packets)) AS large_packet_share FROM {} \
             GROUP BY rank, transport HAVING sum(size) > 0 ORDER BY rank, link",
            transports(question)
        ),
    )?;
    unless_without_links(source, made, "reported_bandwidth")
}

/// `made`, unless it has no rows because `table` has none in the whole profile: no links were recorded.
pub fn unless_without_links(source: &Source<'_>, made: Made, table: &str) -> Result<Made, NotMade> {
    unless_missing(source, made, &format!("SELECT 1 FROM {table}"), links_of(source), LINKS)
}

/// What a profile without links lacks. A single rank may be a whole job, which then has none.
fn links_of(source: &Source<'_>) -> Message {
    if source.store.profile().ranks.len() > 1 { data::data_links() } else { data::data_links_of_devices() }
}
