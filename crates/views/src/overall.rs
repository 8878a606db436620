//! Where the time of devices went.

use npuscope_analysis::time_split::{Category, Key, NEEDS, Part, Split};

use crate::columns;
use crate::groups::GroupNames;
use crate::missing::{DEVICE, missing};
use crate::sql;
use crate::{Made, NotMade, Question, Source};

/// Where the time of devices went, as [`npuscope_analysis::time_split`] divides it. `total` is the time that counts for
/// the part, `per_step` its mean over steps of ranks, `share` its share of the device time; `average`, `min` and `max`
/// are of the durations of kernels, operations and idle stretches.
pub fn overall(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let ranks = question.sources(source);
    let of_ranks = source.store.each(&ranks, NEEDS, |_, tables| Split::of(&tables, &question.scope))?;
    let split = Split::sum(&of_ranks);
    if split.windows == 0
        && !sql::has_rows(source, "SELECT 1 FROM task")?
        && !sql::has_rows(source, "SELECT 1 FROM kernel")?
    {
        return Err(missing(source, "device tasks", DEVICE));
    }
    let names = GroupNames::of(source, question)?;
    let mut parts: Vec<(&Key, &Part)> = split.parts.iter().collect();
    parts.sort_by_key(|(key, part)| (key.category, &key.group, std::cmp::Reverse(part.time)));
    let group = |key: &Key| key.group.as_ref().map(|hash| names.get(hash.as_str(), None).to_owned());
    let share = |part: &Part| (split.device_time > 0).then(|| part.time as f64 / split.device_time as f64);
    let per_step = |part: &Part| (split.windows > 0).then(|| part.time as f64 / split.windows as f64);
    let average = |part: &Part| (part.count > 0).then(|| part.durations as f64 / part.count as f64);
    let ints = |of: fn(&Part) -> Option<i64>| columns::ints(parts.iter().map(|(_, part)| of(part)));
    columns::made(vec![
        ("category", columns::texts(parts.iter().map(|(key, _)| Some(Category::name(key.category))))),
        ("part", columns::texts(parts.iter().map(|(key, _)| Some(&key.part)))),
        ("group", columns::texts(parts.iter().map(|(key, _)| group(key)))),
        ("total", ints(|part| Some(part.time))),
        ("per_step", columns::reals(parts.iter().map(|(_, part)| per_step(part)))),
        ("share", columns::reals(parts.iter().map(|(_, part)| share(part)))),
        ("count", ints(|part| Some(part.count))),
        ("average", columns::reals(parts.iter().map(|(_, part)| average(part)))),
        ("min", ints(|part| part.min)),
        ("max", ints(|part| part.max)),
    ])
}
