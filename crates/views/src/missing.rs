//! What a profile lacks, and the setting that collects it.

use npuscope_analysis::health::hint;
use npuscope_collect::Setting;
use npuscope_messages::Message;

use crate::{Made, NotMade, Source, sql};

/// What collects kernels and operations. A run that had NPU activities needs a level.
pub const DEVICE: &[Setting] = &[Setting::Npu, Setting::Level1];

/// No rank has `what`, with the advice that `doctor` gives about these settings, the likeliest first.
pub fn missing(source: &Source<'_>, what: Message, settings: &[Setting]) -> NotMade {
    match hint(source.store, settings) {
        Ok(switch) => NotMade::missing(what, switch),
        Err(error) => error.into(),
    }
}

/// `made`, unless it has no rows because there are none of `rows`, a query, in the whole profile.
pub fn unless_missing(
    source: &Source<'_>,
    made: Made,
    rows: &str,
    what: Message,
    settings: &[Setting],
) -> Result<Made, NotMade> {
    if made.rows() == 0 && !sql::has_rows(source, rows)? { Err(missing(source, what, settings)) } else { Ok(made) }
}
