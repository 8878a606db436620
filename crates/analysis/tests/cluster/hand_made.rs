//! Profiles of a few rows, written by hand as databases.

use std::path::{Path, PathBuf};

use npuscope_analysis::cluster::{Export, Options};
use rusqlite::{Connection, params};

use crate::support::{Rows, Value, database, run};

const TABLES: &str = "
    CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE META_DATA (name TEXT, value TEXT);
    CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
    CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
    CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
        globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
    CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER,
        mixBlockDim INTEGER, taskType INTEGER, opType INTEGER);
    CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,
        connectionId INTEGER PRIMARY KEY, name INTEGER);
    CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER,
        sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER,
        type INTEGER);
    CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
    CREATE TABLE MSTX_EVENTS (startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER,
        message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER, connectionId INTEGER);
    CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER,
        groupName INTEGER, opId INTEGER PRIMARY KEY, relay INTEGER, retry INTEGER, dataType INTEGER, algType INTEGER,
        count NUMERIC, opType INTEGER);
    CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER, globalTaskId INTEGER, taskType INTEGER, planeId INTEGER,
        groupName INTEGER, notifyId INTEGER, rdmaType INTEGER, srcRank INTEGER, dstRank INTEGER, transportType INTEGER,
        size INTEGER, dataType INTEGER, linkType INTEGER, opId INTEGER);
";

/// All times are this and what is said, in ns.
pub const ZERO: i64 = 1_700_000_000_000_000_000;

const THREAD: i64 = 1 << 32 | 7;

/// The database of a rank.
pub struct RankDb {
    connection: Connection,
    next: i64,
}

impl RankDb {
    pub fn create(root: &Path, rank: i64) -> RankDb {
        let directory = root.join(format!("rank{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT"));
        std::fs::create_dir_all(&directory).unwrap();
        let connection = Connection::open(directory.join(format!("ascend_pytorch_profiler_{rank}.db"))).unwrap();
        connection.execute_batch(TABLES).unwrap();
        connection.execute("INSERT INTO RANK_DEVICE_MAP VALUES (?1, ?1)", [rank]).unwrap();
        RankDb { connection, next: 0 }
    }

    fn number(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    fn string(&mut self, text: &str) -> i64 {
        let id = self.number();
        self.connection.execute("INSERT INTO STRING_IDS VALUES (?1, ?2)", params![id, text]).unwrap();
        id
    }

    pub fn step(&mut self, id: i64, (start, end): (i64, i64)) {
        let row = params![id, ZERO + start, ZERO + end];
        self.connection.execute("INSERT INTO STEP_TIME VALUES (?1, ?2, ?3)", row).unwrap();
    }

    pub fn metadata(&mut self, name: &str, value: &str) {
        self.connection.execute("INSERT INTO META_DATA VALUES (?1, ?2)", params![name, value]).unwrap();
    }

    /// A task; gives its number.
    pub fn task(&mut self, kind: &str, (start, end): (i64, i64), stream: i64, connection: Option<i64>) -> i64 {
        let (task, kind) = (self.number(), self.string(kind));
        let row = params![ZERO + start, ZERO + end, connection, task, kind, stream];
        let insert = "INSERT INTO TASK VALUES (?1, ?2, 0, ?3, ?4, 1, ?5, 4294967295, ?6, ?4, 4294967295)";
        self.connection.execute(insert, row).unwrap();
        task
    }

    /// A call of CANN that launches, for an operator of the framework; gives its connection.
    pub fn launch(&mut self, operator: (&str, i64, i64), call: (i64, i64)) -> i64 {
        let (connection, key) = (self.number(), self.number());
        let (name, launch) = (self.string(operator.0), self.string("launch"));
        let row = params![ZERO + call.0, ZERO + call.1, THREAD, connection, launch];
        self.connection.execute("INSERT INTO CANN_API VALUES (?1, ?2, 10000, ?3, ?4, ?5)", row).unwrap();
        let (start, end) = ((ZERO + operator.1).to_string(), (ZERO + operator.2).to_string());
        let insert = "INSERT INTO PYTORCH_API VALUES (?1, ?2, ?3, ?4, ?5, NULL, NULL, NULL, NULL, NULL, 50001)";
        self.connection.execute(insert, params![start, end, THREAD, key, name]).unwrap();
        self.connection.execute("INSERT INTO CONNECTION_IDS VALUES (?1, ?2)", [key, connection]).unwrap();
        connection
    }

    /// A computing kernel.
    pub fn kernel(&mut self, name: &str, span: (i64, i64), connection: Option<i64>) {
        let task = self.task("KERNEL_AICORE", span, 2, connection);
        let (name, core) = (self.string(name), self.string("AI_CORE"));
        let insert = "INSERT INTO COMPUTE_TASK_INFO VALUES (?1, ?2, 24, 0, ?3, ?1)";
        self.connection.execute(insert, params![name, task, core]).unwrap();
    }

    /// A communication operation and the ends of its pieces.
    pub fn operation(&mut self, name: &str, group: &str, (start, end): (i64, i64), pieces: &[(&str, i64, i64)]) {
        let (op, name, group) = (self.number(), self.string(name), self.string(group));
        let row = params![name, ZERO + start, ZERO + end, group, op];
        let insert = "INSERT INTO COMMUNICATION_OP VALUES (?1, ?2, ?3, NULL, ?4, ?5, 0, 0, 3, NULL, 8, NULL)";
        self.connection.execute(insert, row).unwrap();
        for &(kind, source, destination) in pieces {
            let (task, kind) = (self.task("SDMA", (start, end), 5, None), self.string(kind));
            let insert =
                "INSERT INTO COMMUNICATION_TASK_INFO VALUES (?1, ?2, ?3, 0, ?4, 0, 65535, ?5, ?6, 0, 8, 3, 1, ?7)";
            self.connection.execute(insert, params![name, task, kind, group, source, destination, op]).unwrap();
        }
    }

    /// A range of the user, and the task that shows it.
    pub fn range(&mut self, message: &str, host: (i64, i64), device: (i64, i64), stream: i64) {
        let (connection, message) = (self.number(), self.string(message));
        self.task("PROFILER_TRACE_EX", device, stream, Some(connection));
        let row = params![ZERO + host.0, ZERO + host.1, message, THREAD, connection];
        let insert = "INSERT INTO MSTX_EVENTS VALUES (?1, ?2, 2, 1, 4294967295, ?3, ?4, ?4, 4294967295, ?5)";
        self.connection.execute(insert, row).unwrap();
    }

    pub fn execute(&mut self, sql: &str) {
        self.connection.execute_batch(sql).unwrap();
    }
}

/// All files below a directory.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in npuscope_testing::entries(root) {
        if entry.is_dir() { files.extend(self::files(&entry)) } else { files.push(entry) }
    }
    files
}

/// The tables that a mode gives.
pub fn ask(root: &Path, mode: &str, options: &Options) -> Vec<(String, Rows)> {
    let options = Options { export: Some(Export::Db), ..options.clone() };
    let run = run(root, mode, None, &options).unwrap();
    run.written.database.as_deref().map(database).unwrap_or_default().into_iter().collect()
}

/// The values of a column.
pub fn column(rows: &Rows, name: &str) -> Vec<String> {
    let at = rows.0.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"));
    rows.1.iter().map(|row| text(&row[at])).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
    }
}
