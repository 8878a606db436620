//! Recomputed from the tables of the real captures, the summaries equal the files.

use npuscope_formats::derive;
use npuscope_formats::discover::discover;
use npuscope_formats::flavour::Flavour;
use npuscope_formats::number::float;
use npuscope_formats::read::{ReadOptions, read_rank};
use npuscope_tables::table::*;
use npuscope_tables::{Interner, RankTables};
use npuscope_testing::captures;

fn each_capture(check: impl Fn(&str, &RankTables)) {
    for (name, path) in captures("text") {
        let profile = discover(&path).unwrap();
        assert_eq!(profile.ranks.len(), 1, "{name}");
        check(&name, &read_rank(&profile.ranks[0], ReadOptions::default()));
    }
}

#[test]
fn no_problem_and_nothing_unread() {
    each_capture(|name, tables| {
        for row in tables.rows::<diagnostic::Row>() {
            println!("{name} {} {:?} {}", tables.text(row.code), tables.opt_text(row.file), tables.text(row.message));
        }
        for row in tables.rows::<source::Row>() {
            println!(
                "{name} {} {} rows {:?} unread {:?}",
                tables.text(row.file),
                tables.text(row.kind),
                row.rows,
                tables.opt_text(row.unread)
            );
        }
        for s in npuscope_tables::schema::all() {
            println!("   {} {}", s.name, tables.len(s.id));
        }
    });
}

#[test]
fn step_trace_time_is_the_same_text() {
    each_capture(|name, tables| {
        let mut strings = Interner::default();
        let derived = derive::step_trace_text(tables, Flavour::TorchNpu, &mut strings);
        let reported: Vec<reported_step::Row> = tables.rows().collect();
        assert_eq!(derived.len(), reported.len(), "{name}");
        for (d, r) in derived.iter().zip(&reported) {
            let text = |r: &reported_step::Row| {
                [
                    r.computing,
                    r.communication_not_overlapped,
                    r.overlapped,
                    r.communication,
                    r.free,
                    r.stage,
                    r.bubble,
                    r.communication_not_overlapped_exclude_receive,
                    r.preparing,
                ]
                .map(|v| float(v.unwrap()))
            };
            assert_eq!(text(d), text(r), "{name}");
        }
    });
}

#[test]
fn operator_details_has_the_same_rows() {
    each_capture(|name, tables| {
        let mut strings = Interner::default();
        let derived = derive::operator_details(tables, &mut strings);
        let reported: Vec<reported_operator::Row> = tables.rows().collect();
        println!("{name} {} {}", derived.len(), reported.len());
        let mut bad = 0;
        for (d, r) in derived.iter().zip(&reported) {
            let num = |r: &reported_operator::Row| {
                [r.host_self, r.host_total, r.device_self, r.device_total, r.device_self_aicore, r.device_total_aicore]
            };
            if strings.get(d.name) != tables.text(r.name)
                || num(d) != num(r)
                || d.shapes.map(|s| strings.get(s)).unwrap_or_default() != tables.opt_text(r.shapes).unwrap_or_default()
                || d.stack.map(|s| strings.get(s)) != tables.opt_text(r.stack)
            {
                bad += 1;
                if bad < 5 {
                    println!("{} {} {:?} {:?}", strings.get(d.name), tables.text(r.name), num(d), num(r));
                    println!("{:?} {:?}", d.shapes.map(|s| strings.get(s)), tables.opt_text(r.shapes));
                    println!("{:?}\n {:?}", d.stack.map(|s| strings.get(s)), tables.opt_text(r.stack));
                }
            }
        }
        assert_eq!(bad, 0, "{name}");
    });
}

#[test]
fn op_statistic_has_the_same_rows() {
    each_capture(|name, tables| {
        let mut strings = Interner::default();
        let derived = derive::op_statistic(tables, &mut strings);
        let reported: Vec<reported_op_type::Row> = tables.rows().collect();
        println!("{name} {} {}", derived.len(), reported.len());
        for (d, r) in derived.iter().zip(&reported) {
            let f = |r: &reported_op_type::Row| (r.count, [r.total, r.min, r.avg, r.max, r.ratio]);
            assert_eq!((strings.get(d.op_type), f(d)), (tables.text(r.op_type), f(r)), "{name}");
        }
    });
}

#[test]
fn api_statistic_has_the_same_rows() {
    each_capture(|name, tables| {
        let mut strings = Interner::default();
        let derived = derive::api_statistic(tables, &mut strings);
        let reported: Vec<reported_api::Row> = tables.rows().collect();
        println!("{name} {} {}", derived.len(), reported.len());
        for r in &reported {
            let d = derived
                .iter()
                .find(|d| strings.get(d.name) == tables.text(r.name) && strings.get(d.level) == tables.text(r.level))
                .unwrap();
            let f = |r: &reported_api::Row| (r.count, [r.total, r.min, r.avg, r.max, r.variance]);
            if f(d) != f(r) {
                println!("{name} {} {:?} {:?}", tables.text(r.name), f(d), f(r));
            }
        }
    });
}

#[test]
fn communication_has_the_same_bandwidth() {
    each_capture(|name, tables| {
        let mut strings = Interner::default();
        let derived = derive::communication(tables, &mut strings);
        let reported: Vec<reported_bandwidth::Row> = tables.rows().collect();
        println!("{name} {} {} {}", derived.times.len(), derived.bandwidths.len(), reported.len());
        let mut bad = 0;
        for (d, r) in derived.bandwidths.iter().zip(&reported) {
            let f = |r: &reported_bandwidth::Row| {
                [r.transit_size, r.transit_time, r.bandwidth, r.large_packet_ratio, r.count, r.total_duration]
            };
            if f(d) != f(r) {
                bad += 1;
                println!("{name} {} {:?} {:?}", tables.text(r.name), f(d), f(r));
            }
        }
        assert_eq!(bad, 0);
    });
}

#[test]
fn matrix_has_the_same_links() {
    each_capture(|name, tables| {
        let mut strings = Interner::default();
        let derived = derive::communication_matrix(tables, &mut strings);
        let reported: Vec<reported_link::Row> = tables.rows().collect();
        println!("{name} {} {}", derived.len(), reported.len());
        let mut bad = 0;
        for r in &reported {
            let key = |r: &reported_link::Row, t: &dyn Fn(npuscope_tables::Str) -> String| {
                (t(r.name), r.src_rank.map(t), r.dst_rank.map(t), r.transport.map(t), r.op_name.map(t))
            };
            let k = key(r, &|s| tables.text(s).to_owned());
            let Some(d) = derived.iter().find(|d| key(d, &|s| strings.get(s).to_owned()) == k) else {
                println!("missing {k:?}");
                bad += 1;
                continue;
            };
            let f = |r: &reported_link::Row| [r.transit_size, r.transit_time, r.bandwidth];
            if f(d) != f(r) {
                bad += 1;
                println!("{name} {:?} {:?} {:?}", k, f(d), f(r));
            }
        }
        assert_eq!(bad, 0);
    });
}
