//! Databases as text, so that two can be compared whatever ids they chose.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// Columns whose numbers are ids of `STRING_IDS`.
fn is_name(table: &str, column: &str) -> bool {
    match table {
        "COMPUTE_TASK_INFO" => {
            !matches!(column, "globalTaskId" | "blockNum" | "mixBlockNum" | "blockDim" | "mixBlockDim" | "waitNs")
        }
        "TASK" => column == "taskType",
        "COMMUNICATION_OP" => matches!(column, "opName" | "groupName" | "algType" | "opType"),
        "COMMUNICATION_TASK_INFO" => matches!(column, "name" | "taskType" | "groupName"),
        "CANN_API" => column == "name",
        "PYTORCH_API" => matches!(column, "name" | "inputDtypes" | "inputShapes"),
        "PYTORCH_CALLCHAINS" => column == "stack",
        "TASK_PMU_INFO" | "OP_MEMORY" => column == "name",
        "MEMORY_RECORD" => column == "component",
        "NPU_MEM" | "HBM" => column == "type",
        "LLC" => column == "mode",
        "NPU_OP_MEM" => matches!(column, "operatorName" | "type" | "component"),
        "MSTX_EVENTS" => matches!(column, "message" | "domainId" | "category"),
        "QOS" => column == "eventName",
        _ => false,
    }
}

/// Rows of all tables of a database.
pub fn count(path: &Path) -> usize {
    let connection = Connection::open(path).unwrap();
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
    let tables: Vec<String> = {
        let mut statement = connection.prepare(tables).unwrap();
        statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let rows = |table: &String| connection.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0));
    tables.iter().map(|table| rows(table).map(|count: i64| usize::try_from(count).unwrap()).unwrap()).sum()
}

/// Every table of a database: its rows as sorted text of `column=value`, ids resolved, columns sorted.
///
/// Left out: `STRING_IDS`, which is resolved; `PYTORCH_CALLCHAINS` and `CONNECTION_IDS`, which are put
/// in place of the ids that lead to them; columns `depth`, which a viewer adds; the row numbers of
/// `OVERLAP_ANALYSIS`.
pub fn rows(path: &Path) -> BTreeMap<String, Vec<String>> {
    let uri = format!("file:{}?mode=ro&immutable=1", path.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri, flags).unwrap();
    let tables: Vec<String> = {
        let mut statement = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
        statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let has = |table: &str| tables.iter().any(|t| t == table);
    let strings: HashMap<i64, String> = pairs(&connection, has("STRING_IDS"), "SELECT id, value FROM STRING_IDS");
    let mut chains: HashMap<i64, Vec<String>> = HashMap::new();
    let sql = "SELECT id, stack FROM PYTORCH_CALLCHAINS ORDER BY id, stackDepth";
    for (id, frame) in list(&connection, has("PYTORCH_CALLCHAINS"), sql) {
        chains.entry(id).or_default().push(strings[&frame].clone());
    }
    let mut connections: HashMap<i64, Vec<i64>> = HashMap::new();
    for (id, connection) in list(&connection, has("CONNECTION_IDS"), "SELECT id, connectionId FROM CONNECTION_IDS") {
        connections.entry(id).or_default().push(connection);
    }
    // Ids that two operators share say that one is the other's backward; their numbers are arbitrary.
    let pairs = "SELECT c.connectionId, 0 FROM PYTORCH_API p JOIN CONNECTION_IDS c ON p.connectionId = c.id
        WHERE p.type NOT IN (50002, 50003) GROUP BY 1 HAVING count(*) > 1";
    let pairs: HashSet<i64> = list(&connection, has("CONNECTION_IDS"), pairs).into_iter().map(|(id, _)| id).collect();

    let mut result = BTreeMap::new();
    for table in &tables {
        let skipped = ["STRING_IDS", "PYTORCH_CALLCHAINS", "CONNECTION_IDS", "sqlite_sequence"];
        if skipped.contains(&table.as_str()) {
            continue;
        }
        let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query(()).unwrap();
        let mut lines = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let mut cells: Vec<String> = Vec::new();
            for (index, column) in columns.iter().enumerate().filter(|(_, c)| !is_row_number(table, c)) {
                let value = row.get_ref(index).unwrap();
                let text = match value {
                    ValueRef::Null => "null".to_owned(),
                    ValueRef::Integer(id) if is_name(table, column) => format!("{:?}", strings.get(&id)),
                    ValueRef::Integer(id) if table == "PYTORCH_API" && column == "callchainId" => chains[&id].join("|"),
                    ValueRef::Integer(id) if table == "PYTORCH_API" && column == "connectionId" => {
                        let mut ids: Vec<String> = connections[&id]
                            .iter()
                            .map(|&id| if pairs.contains(&id) { "pair".to_owned() } else { id.to_string() })
                            .collect();
                        ids.sort();
                        ids.join("|")
                    }
                    ValueRef::Integer(number) => number.to_string(),
                    // Bytes per second are GB/s in the tables: the last digit of a double does not survive both ways.
                    ValueRef::Real(real) if column == "bandwidth" => format!("{real:.13e}"),
                    ValueRef::Real(real) => format!("{real}"),
                    ValueRef::Text(text) => text_or_json(std::str::from_utf8(text).unwrap()),
                    ValueRef::Blob(bytes) => format!("{bytes:?}"),
                };
                cells.push(format!("{column}={text}"));
            }
            cells.sort();
            lines.push(cells.join(" "));
        }
        lines.sort();
        result.insert(table.clone(), lines);
    }
    result
}

fn is_row_number(table: &str, column: &str) -> bool {
    column == "depth" || (table, column) == ("OVERLAP_ANALYSIS", "id")
}

fn text_or_json(text: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if value.is_object() => value.to_string(),
        _ => text.to_owned(),
    }
}

fn list(connection: &Connection, is_there: bool, sql: &str) -> Vec<(i64, i64)> {
    if !is_there {
        return Vec::new();
    }
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn pairs(connection: &Connection, is_there: bool, sql: &str) -> HashMap<i64, String> {
    if !is_there {
        return HashMap::new();
    }
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}
