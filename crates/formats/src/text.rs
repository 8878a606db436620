//! The text deliverables of a rank, all together.

use npuscope_tables::table::{metadata, reported_bandwidth, reported_comm, reported_link};
use npuscope_tables::{Ns, RankTables, Span, TableId};

use crate::derive::{self, Target};
use crate::discover::OUTPUT_DIRECTORY;
use crate::flavour::Flavour;
use crate::number::push_float;
use crate::output::{Output, OutputError};
use crate::{comm_json, csv, info_json, trace_json};

/// Writes the deliverables of rank number `rank` into `directory`, a rank directory of its own.
pub fn write_rank(tables: RankTables, rank: i64, directory: &Output) -> Result<(), OutputError> {
    let flavour = Flavour::of(&tables);
    directory.check_flavour(flavour)?;
    let tables = derive::complete(tables, Target::Text(flavour));
    let out = directory.directory(OUTPUT_DIRECTORY)?;
    write_settings(&tables, rank, directory, &out)?;
    if !tables.is_empty(TableId::Lane) {
        out.file("trace_view.json", |file| trace_json::write(file, &tables, flavour))?;
    }
    csv::write_files(&tables, flavour, &out)?;
    if !tables.is_empty(TableId::ReportedComm) {
        let times: Vec<reported_comm::Row> = tables.rows().collect();
        let bandwidths: Vec<reported_bandwidth::Row> = tables.rows().collect();
        out.file("communication.json", |file| {
            comm_json::write_communication(file, &times, &bandwidths, tables.strings())
        })?;
    }
    if !tables.is_empty(TableId::ReportedLink) {
        let links: Vec<reported_link::Row> = tables.rows().collect();
        out.file("communication_matrix.json", |file| comm_json::write_matrix(file, &links, flavour, tables.strings()))?;
    }
    Ok(())
}

/// `profiler_info_{rank}.json` and `profiler_metadata.json` beside the deliverables, pipeline summaries
/// among them.
fn write_settings(tables: &RankTables, rank: i64, directory: &Output, out: &Output) -> Result<(), OutputError> {
    let mut files: Vec<&str> = tables.rows::<metadata::Row>().map(|row| tables.text(row.file)).collect();
    files.sort_unstable();
    files.dedup();
    // Peers take the rank from this file's name, so it is there whatever the source had.
    directory.file(&format!("profiler_info_{rank}.json"), |file| info_json::write(file, tables, "profiler_info"))?;
    for file in files {
        match file {
            "profiler_metadata" => {
                directory.file("profiler_metadata.json", |out| info_json::write(out, tables, file))?;
            }
            name if name.starts_with("minddata_pipeline_summary") => {
                out.file(name, |out| info_json::write(out, tables, file))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// A duration in microseconds, as few decimals as it takes. One too long for a double to hold its
/// nanoseconds, such as a time that was taken for a duration, is printed by its digits.
pub(crate) fn push_span(out: &mut String, span: Span) {
    if span.ns().unsigned_abs() < 1 << 52 {
        push_float(out, span.us());
    } else {
        out.push_str(&Ns(span.ns()).to_string());
    }
}
