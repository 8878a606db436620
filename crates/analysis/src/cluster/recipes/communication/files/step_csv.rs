//! `cluster_step_trace_time.csv`.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use npuscope_tables::number::push_float;

use super::super::Reported;
use super::super::steps::{RankStep, StageStep, StepFigures, places, rank_steps, stage_steps};
use super::super::tables::steps::{COLUMNS, indices};
use super::tuple;
use crate::extract::Text;

/// Writes the steps of ranks and then of stages, in us; lines end in CR LF.
pub fn write(reported: &Reported, out: &mut BufWriter<File>) -> io::Result<()> {
    let steps = rank_steps(reported);
    // Older profilers report fewer columns.
    let is_there = |column: usize| steps.iter().any(|step| step.figures.in_order()[column].is_some());
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(|column| is_there(*column)).collect();
    let has_indices = places(reported).is_some();
    write!(out, "Step,Type,Index")?;
    for column in &columns {
        write!(out, ",{}", COLUMNS[*column].1)?;
    }
    write!(out, "{}\r\n", if has_indices { ",DP Index,PP Index,TP Index" } else { "" })?;
    let mut row = |step: Option<&Text>, about: &str, figures: &StepFigures, indices: &str| {
        let mut line = format!("{},{about}", step.map_or("", Text::as_str)).into_bytes();
        let figures = figures.in_order();
        for column in &columns {
            line.push(b',');
            if let Some(figure) = figures[*column] {
                push_float(&mut line, figure.us());
            }
        }
        line.extend_from_slice(indices.as_bytes());
        line.extend_from_slice(b"\r\n");
        out.write_all(&line)
    };
    for RankStep { step, rank, place, figures } in &steps {
        let index = match place.map(indices) {
            _ if !has_indices => String::new(),
            Some([dp, pp, tp]) => format!(",{dp},{pp},{tp}"),
            None => ",,,".to_owned(),
        };
        row(step.as_ref(), &format!("rank,{rank}"), figures, &index)?;
    }
    let index = if has_indices { ",NA,NA,NA" } else { "" };
    for StageStep { step, ranks, figures } in stage_steps(reported) {
        row(step.as_ref(), &format!("stage,\"{}\"", tuple(ranks)), &figures, index)?;
    }
    Ok(())
}
