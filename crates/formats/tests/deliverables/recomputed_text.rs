//! Recomputed from the tables of the real captures, the summaries equal the files.

use npuscope_measures::deliverable;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::Framework;
use npuscope_tables::number::float;
use npuscope_tables::table::{
    reported_api, reported_bandwidth, reported_link, reported_op_type, reported_operator, reported_step,
};
use npuscope_tables::{Interner, RankTables, Str};
use npuscope_testing::captures;

/// Texts of ids: those of the tables, or those that a derivation made.
type Texts<'a> = &'a dyn Fn(Option<Str>) -> Option<String>;

/// Derives rows from each capture and compares what `figures` says of them with what the file reports.
fn check<R: npuscope_tables::Table, F: PartialEq + std::fmt::Debug>(
    derive: impl Fn(&RankTables, &mut Interner) -> Vec<R>,
    figures: impl Fn(&R, Texts<'_>) -> F,
) {
    for (name, path) in captures("text") {
        let tables = read_rank(&discover(&path).unwrap().ranks[0], ReadOptions::default());
        let mut strings = Interner::default();
        let derived = derive(&tables, &mut strings);
        let of_tables: Texts<'_> = &|id| tables.opt_text(id).map(str::to_owned);
        let of_derived: Texts<'_> = &|id| id.map(|id| strings.get(id).to_owned());
        let reported: Vec<F> = tables.rows::<R>().map(|row| figures(&row, of_tables)).collect();
        let derived: Vec<F> = derived.iter().map(|row| figures(row, of_derived)).collect();
        for (derived, reported) in derived.iter().zip(&reported) {
            assert_eq!(derived, reported, "{name}");
        }
        assert_eq!(derived.len(), reported.len(), "{name}");
    }
}

#[test]
fn step_trace_time_is_the_same_text() {
    check(
        |tables, strings| deliverable::step_trace_text(tables, Framework::TorchNpu, strings),
        |row: &reported_step::Row, text| (text(row.step), row.figures().map(|figure| float(figure.unwrap()))),
    );
}

#[test]
fn operator_details_has_the_same_rows() {
    check(deliverable::operator_details, |row: &reported_operator::Row, text| {
        let host = [row.host_self, row.host_total];
        let device = [row.device_self, row.device_total, row.device_self_aicore, row.device_total_aicore];
        (text(Some(row.name)), text(row.shapes).unwrap_or_default(), text(row.stack), host, device)
    });
}

#[test]
fn op_statistic_has_the_same_rows() {
    check(deliverable::op_statistic, |row: &reported_op_type::Row, text| {
        let figures = [row.total, row.min, row.avg, row.max, row.ratio];
        (text(Some(row.op_type)), text(row.core), row.count, figures)
    });
}

/// The variance is within a thousandth: the order in which the file's author added is not known.
#[test]
fn api_statistic_has_the_same_rows() {
    let by_name = |tables: &RankTables, strings: &mut Interner| {
        let mut rows = deliverable::api_statistic(tables, strings);
        let reported: Vec<_> = tables.rows::<reported_api::Row>().collect();
        let place = |row: &reported_api::Row| {
            let same = |r: &reported_api::Row| {
                tables.text(r.name) == strings.get(row.name) && tables.text(r.level) == strings.get(row.level)
            };
            reported.iter().position(same)
        };
        rows.retain(|row| place(row).is_some());
        rows.sort_by_key(place);
        for (row, reported) in rows.iter_mut().zip(&reported) {
            let (derived, said) = (row.variance.unwrap(), reported.variance.unwrap());
            assert!((derived - said).abs() < 0.001_5, "{derived} {said}");
            row.variance = reported.variance;
        }
        rows
    };
    check(by_name, |row: &reported_api::Row, text| {
        let figures = [row.total, row.min, row.avg, row.max, row.variance];
        (text(Some(row.name)), text(Some(row.level)), row.count, figures)
    });
}

#[test]
fn communication_has_the_same_bandwidth() {
    check(
        |tables, strings| deliverable::communication(tables, strings).bandwidths,
        |row: &reported_bandwidth::Row, text| {
            let figures = [row.transit_size, row.transit_time, row.bandwidth, row.large_packet_ratio];
            let packets = (text(row.package_size), row.count, row.total_duration);
            (text(Some(row.name)), text(row.group_hash), text(Some(row.transport)), figures, packets)
        },
    );
}

#[test]
fn communication_matrix_has_the_same_links() {
    check(deliverable::communication_matrix, |row: &reported_link::Row, text| {
        let link = [Some(row.name), row.group_hash, row.src_rank, row.dst_rank, row.transport, row.op_name].map(text);
        (link, [row.transit_size, row.transit_time, row.bandwidth])
    });
}
