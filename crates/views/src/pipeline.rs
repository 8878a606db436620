//! A pipeline: passes, transfers between its stages, and bubbles.

use npuscope_analysis::cluster::Options;
use npuscope_analysis::cluster::recipes::pp_chart;
use npuscope_analysis::layout::layout;
use npuscope_analysis::pipeline::{self, bars, has_transfers};

use crate::columns;
use crate::{Made, NotMade, Question, Source};

/// Passes (see `npuscope cluster -m pp_chart`), transfers, bubbles and idle times between passes.
pub fn pipeline(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let scope = &question.scope;
    let ranks = pipeline::ask(source.store, &question.sources(source), scope)?;
    let passes = match question.ask(source, Options::default(), pp_chart::rows) {
        Ok(passes) => passes,
        // Transfers alone also show a pipeline.
        Err(NotMade::Missing { .. }) if has_transfers(&ranks) => Vec::new(),
        Err(error) => return Err(error),
    };
    let bars = bars(&passes, ranks, scope);
    let layout = layout(source.store)?;
    columns::made(vec![
        ("rank", columns::ranks(bars.iter().map(|bar| bar.rank))),
        ("stage", columns::ints(bars.iter().map(|bar| Some(layout.place(bar.rank)?.pp)))),
        ("name", columns::texts(bars.iter().map(|bar| Some(&bar.name)))),
        ("kind", columns::texts(bars.iter().map(|bar| Some(bar.kind.name())))),
        ("micro_batch", columns::ints(bars.iter().map(|bar| bar.micro_batch))),
        ("start", columns::ints(bars.iter().map(|bar| bar.start - source.origin))),
        ("duration", columns::ints(bars.iter().map(|bar| bar.duration))),
    ])
}
