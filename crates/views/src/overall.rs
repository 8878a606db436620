//! Where the time of devices went.

use npuscope_analysis::messages::collection as data;
use npuscope_analysis::time_split::{self, Category, Key, Part};

use crate::columns;
use crate::groups::GroupNames;
use crate::missing::{DEVICE, missing};
use crate::{Made, NotMade, Question, Source};

/// Where the time of devices went, as [`npuscope_analysis::time_split`] divides it. `total` is the time that counts for
/// the part, `per_step` its mean over steps of ranks, `share` its share of the device time; `average`, `min` and `max`
/// are of the durations of kernels, operations and idle stretches.
pub fn overall(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let split = time_split::ask(source.store, &question.sources(source), &question.scope)?;
    let split = split.ok_or_else(|| missing(source, data::data_device_tasks(), DEVICE))?;
    let names = GroupNames::of(source, question)?;
    let mut parts: Vec<(&Key, &Part)> = split.parts.iter().collect();
    parts.sort_by_key(|(key, part)| (key.category, &key.group, std::cmp::Reverse(part.time)));
    let group = |key: &Key| key.group.as_ref().map(|hash| names.get(hash.as_str(), None).to_owned());
    let reals = |of: &dyn Fn(&Part) -> Option<f64>| columns::reals(parts.iter().map(|(_, part)| of(part)));
    let ints = |of: fn(&Part) -> Option<i64>| columns::ints(parts.iter().map(|(_, part)| of(part)));
    columns::made(vec![
        ("category", columns::texts(parts.iter().map(|(key, _)| Some(Category::name(key.category))))),
        ("part", columns::texts(parts.iter().map(|(key, _)| Some(&key.part)))),
        ("group", columns::texts(parts.iter().map(|(key, _)| group(key)))),
        ("total", ints(|part| Some(part.time))),
        ("per_step", reals(&|part| split.per_step(part))),
        ("share", reals(&|part| split.share(part))),
        ("count", ints(|part| Some(part.count))),
        ("average", reals(&Part::average)),
        ("min", ints(|part| part.min)),
        ("max", ints(|part| part.max)),
    ])
}
