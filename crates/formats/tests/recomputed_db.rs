//! Recomputed from the tables of the real databases, `StepTraceTime` equals the file.

use npuscope_formats::derive;
use npuscope_formats::discover::discover;
use npuscope_formats::read::{ReadOptions, read_rank};
use npuscope_tables::Interner;
use npuscope_tables::table::{diagnostic, reported_step, source};
use npuscope_testing::captures;

#[test]
fn step_trace_time_has_the_same_values() {
    for (name, path) in captures("db") {
        let profile = discover(&path).unwrap();
        let tables = read_rank(&profile.ranks[0], ReadOptions::default());
        let mut strings = Interner::default();
        let derived = derive::step_trace_db(&tables, &mut strings);
        let reported: Vec<reported_step::Row> = tables.rows().collect();
        assert_eq!(derived.len(), 1, "{name}");
        for (mut d, r) in derived.into_iter().zip(reported) {
            assert_eq!(d.step.map(|s| strings.get(s)), tables.opt_text(r.step), "{name}");
            d.step = r.step;
            assert_eq!(d, r, "{name}");
        }
        for row in tables.rows::<diagnostic::Row>() {
            println!("{name} {} {:?} {}", tables.text(row.code), tables.opt_text(row.file), tables.text(row.message));
        }
        for row in tables.rows::<source::Row>() {
            if row.unread.is_some() {
                println!(
                    "{name} {} {} rows {:?} unread {:?}",
                    tables.text(row.file),
                    tables.text(row.kind),
                    row.rows,
                    tables.opt_text(row.unread)
                );
            }
        }
        for s in npuscope_tables::schema::all() {
            print!("{} {}; ", s.name, tables.len(s.id));
        }
    }
}
