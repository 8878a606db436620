//! `ClusterBaseInfo`, `HostInfo` and `RankDeviceMap`: how the trainer divided ranks, and where they ran.

use std::collections::BTreeSet;
use std::io;

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use super::super::Reported;

/// `ClusterBaseInfo`, `HostInfo` and `RankDeviceMap`.
pub fn tables(reported: &Reported) -> [ResultTable; 3] {
    let hosts = || reported.ranks.iter().filter(|rank| !reported.compat || rank.host.is_recorded());
    let mut info =
        ResultTable::new("HostInfo", "host_info", &[("hostUid", ColumnKind::Text), ("hostName", ColumnKind::Text)]);
    let distinct: BTreeSet<_> = hosts().map(|rank| (rank.host.name.as_deref(), rank.host.uid.as_deref())).collect();
    for (name, uid) in distinct.into_iter().filter(|host| *host != (None, None)) {
        info.push([Cell::from(uid), Cell::from(name)]);
    }
    let mut devices = ResultTable::new(
        "RankDeviceMap",
        "rank_device_map",
        &[
            ("rankId", ColumnKind::Int),
            ("deviceId", ColumnKind::Int),
            ("hostUid", ColumnKind::Text),
            ("profilePath", ColumnKind::Text),
        ],
    );
    for rank in hosts() {
        let host = &rank.host;
        devices.push([
            rank.rank.into(),
            host.device.into(),
            host.uid.as_deref().into(),
            host.directory.as_str().into(),
        ]);
    }
    [base_info(reported), info, devices]
}

fn base_info(reported: &Reported) -> ResultTable {
    let columns = [("key", ColumnKind::Text), ("value", ColumnKind::Text)];
    let mut table = ResultTable::new("ClusterBaseInfo", "cluster_base_info", &columns);
    if let Some(Value::Object(args)) = &reported.distributed_args {
        let args: serde_json::Map<String, Value> =
            args.iter().filter(|(key, _)| *key != "rank").map(|(key, value)| (key.clone(), value.clone())).collect();
        table.push(["distributed_args".into(), as_python(&Value::Object(args)).into()]);
    }
    table
}

/// JSON with the spaces that Python puts into it.
fn as_python(value: &Value) -> String {
    let mut out = Vec::new();
    // Writing into memory does not fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut out, PythonSpaces));
    String::from_utf8(out).unwrap_or_default()
}

struct PythonSpaces;

impl Formatter for PythonSpaces {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}
