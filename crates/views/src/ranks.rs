//! Ranks: where they ran and where they are in the layout.

use npuscope_analysis::layout::layout;
use npuscope_tables::Rank;

use crate::columns;
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Source};

/// Where ranks ran, how they were profiled, and their places in the layout.
pub fn ranks(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let origin = source.origin;
    let made = sql::batch(
        source,
        &format!(
            "SELECT rank, device, host, chip, framework, format, level, directory, start - {origin} AS start, \
             \"end\" - {origin} AS \"end\" FROM {} WHERE rank >= 0 ORDER BY rank",
            rows("rank", Time::Timeless, &question.scope)
        ),
    )?;
    let layout = layout(source.store)?;
    let numbers = sql::ints(&made, "rank");
    let places: Vec<_> = numbers.iter().map(|rank| layout.place(Rank((*rank)?))).collect();
    let schema = made.schema();
    let mut all: Vec<_> = schema
        .fields()
        .iter()
        .zip(made.columns())
        .map(|(field, column)| (field.name().as_str(), column.clone()))
        .collect();
    all.extend([
        ("tp", columns::ints(places.iter().map(|place| Some((*place)?.tp)))),
        ("pp", columns::ints(places.iter().map(|place| Some((*place)?.pp)))),
        ("dp", columns::ints(places.iter().map(|place| Some((*place)?.dp)))),
        ("cp", columns::ints(places.iter().map(|place| Some((*place)?.cp)))),
        ("ep", columns::ints(places.iter().map(|place| Some((*place)?.ep)))),
    ]);
    columns::made(all)
}
