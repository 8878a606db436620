//! Lanes of the timeline as threads of processes, in the order they are shown.

use hashbrown::HashMap;
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::{LaneId, RankTables, Str};

pub struct Process {
    pub name: String,
    pub pid: i64,
    /// Label, and the id in the source.
    pub labels: Vec<String>,
    sort: i64,
    source: Option<(i64, Option<Str>)>,
}

pub struct Lane {
    /// Index into the processes.
    pub process: usize,
    pub tid: i64,
    pub name: String,
    pub layer: Layer,
    sort: i64,
    number: Option<LaneId>,
}

/// Processes and lanes of a rank. The first lane is for steps, the last for what the source has no lane for.
pub struct Lanes {
    pub processes: Vec<Process>,
    pub list: Vec<Lane>,
    by_number: HashMap<LaneId, usize>,
}

impl Lanes {
    pub fn of(tables: &RankTables) -> Lanes {
        let rows: Vec<lane::Row> = tables.rows().collect();
        let mut processes = vec![extra("Steps", i64::MIN), extra("Other", i64::MAX)];
        for row in &rows {
            let source = Some((row.pid, row.pid_text));
            if !processes.iter().any(|process| process.source == source) {
                processes.push(process(row, tables));
            }
        }
        processes.sort_by_key(|process| process.sort);
        let positions: HashMap<_, _> = processes.iter().enumerate().map(|(at, process)| (process.source, at)).collect();
        let position = |row: &lane::Row| positions.get(&Some((row.pid, row.pid_text))).copied().unwrap_or_default();
        let mut list: Vec<Lane> = rows.iter().map(|row| lane(row, position(row), tables)).collect();
        list.push(Lane {
            process: 0,
            tid: 0,
            name: "Steps".to_owned(),
            layer: Layer::Other,
            sort: i64::MIN,
            number: None,
        });
        let last = processes.len() - 1;
        list.push(Lane {
            process: last,
            tid: 0,
            name: "without a lane".to_owned(),
            layer: Layer::Other,
            sort: i64::MAX,
            number: None,
        });
        list.sort_by_key(|lane| (lane.process, lane.sort));
        let by_number = list.iter().enumerate().filter_map(|(at, lane)| Some((lane.number?, at))).collect();
        Lanes { processes, list, by_number }
    }

    /// The lane with a number of the tables.
    pub fn index(&self, number: Option<LaneId>) -> usize {
        number.and_then(|number| self.known(number)).unwrap_or(self.list.len() - 1)
    }

    pub fn known(&self, number: LaneId) -> Option<usize> {
        self.by_number.get(&number).copied()
    }

    pub fn steps(&self) -> usize {
        0
    }
}

fn extra(name: &str, sort: i64) -> Process {
    Process { name: name.to_owned(), pid: 0, labels: Vec::new(), sort, source: None }
}

fn process(row: &lane::Row, tables: &RankTables) -> Process {
    let id = tables.opt_text(row.pid_text).map_or_else(|| row.pid.to_string(), str::to_owned);
    Process {
        name: tables.opt_text(row.process).map_or_else(|| format!("Process {id}"), str::to_owned),
        pid: row.pid,
        labels: tables.opt_text(row.label).map(str::to_owned).into_iter().chain([format!("pid {id}")]).collect(),
        sort: row.process_sort.unwrap_or(i64::MAX - 1).clamp(i64::MIN + 1, i64::MAX - 1),
        source: Some((row.pid, row.pid_text)),
    }
}

fn lane(row: &lane::Row, process: usize, tables: &RankTables) -> Lane {
    let id = tables.opt_text(row.tid_text).map_or_else(|| row.tid.to_string(), str::to_owned);
    Lane {
        process,
        tid: row.tid,
        name: tables.opt_text(row.thread).map_or_else(|| format!("Thread {id}"), str::to_owned),
        layer: Layer::from_name(tables.text(row.layer)).unwrap_or(Layer::Other),
        sort: row.thread_sort.unwrap_or(row.tid),
        number: Some(row.lane),
    }
}
