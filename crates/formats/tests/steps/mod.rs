//! A rank, step by step.

use npuscope_tables::table::*;
use npuscope_tables::{Interner, Ns, RankBuilder, RankPieces, RankTables, Str};

/// The rows of each step, with strings of their own. Lanes are in every chunk; the row of the rank is in the
/// first, its settings are in the last.
pub fn chunks(tables: &RankTables) -> Vec<RankTables> {
    let starts: Vec<Ns> = tables.rows::<step::Row>().map(|step| step.start).collect();
    let chunk = |number: usize| {
        let is_in = |time: Ns| starts.partition_point(|start| *start <= time).saturating_sub(1) == number;
        let mut rest = RankBuilder { strings: Interner::from(tables.strings()), ..RankBuilder::default() };
        macro_rules! take {
            ($($table:ident by $time:expr;)+) => {
                $(tables.rows::<$table::Row>().filter(|row| is_in($time(row))).for_each(|row| rest.$table.push(row));)+
            };
        }
        take! {
            step by |row: &step::Row| row.start;
            host_op by |row: &host_op::Row| row.start;
            task by |row: &task::Row| row.start;
            kernel by |row: &kernel::Row| row.start;
            comm_op by |row: &comm_op::Row| row.start;
            comm_task by |row: &comm_task::Row| row.start;
            overlap by |row: &overlap::Row| row.start;
            mem_event by |row: &mem_event::Row| row.start.unwrap_or_default();
            mem_sample by |row: &mem_sample::Row| row.time;
            counter by |row: &counter::Row| row.time;
            flow by |row: &flow::Row| row.src_time.unwrap_or_default();
        }
        if number == 0 {
            tables.rows::<rank::Row>().for_each(|row| rest.rank.push(row));
        }
        if number + 1 == starts.len() {
            tables.rows::<metadata::Row>().for_each(|row| rest.metadata.push(row));
        }
        let mut pieces = RankPieces::default();
        pieces.append(lanes(tables, number));
        pieces.append(rest);
        pieces.finish()
    };
    (0..starts.len()).map(chunk).collect()
}

/// The lanes, with other strings before theirs in each chunk, so that ids mean something else in each.
fn lanes(tables: &RankTables, number: usize) -> RankBuilder {
    let mut rank = RankBuilder::default();
    (0..=number).for_each(|number| _ = rank.strings.intern(&format!("chunk {number}")));
    for row in tables.rows::<lane::Row>() {
        let mut text = |id: Option<Str>| tables.opt_text(id).map(|text| rank.strings.intern(text));
        let row = lane::Row {
            layer: text(Some(row.layer)).unwrap(),
            process: text(row.process),
            label: text(row.label),
            thread: text(row.thread),
            pid_text: text(row.pid_text),
            tid_text: text(row.tid_text),
            ..row
        };
        rank.lane.push(row);
    }
    rank
}
