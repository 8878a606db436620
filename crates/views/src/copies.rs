//! Copies between host and device, and within the device.

use npuscope_analysis::messages::collection as data;
use npuscope_measures::kernel_class::COPY_TASKS;

use crate::missing::{DEVICE, unless_missing};
use crate::sql::{self, Time, quoted, rows};
use crate::{Made, NotMade, Question, Source};

/// Copies by kind: the direction, if the source contains it. Bandwidth is that of copies with known bytes.
pub fn copies(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let types = COPY_TASKS.map(quoted).join(", ");
    let made = sql::query(
        source,
        &format!(
            "SELECT kind, count(*) AS count, sum(bytes) AS bytes, sum(duration) AS total, avg(duration) AS average, \
             min(duration) AS min, max(duration) AS max, \
             bandwidth(sum(bytes), sum(CASE WHEN bytes IS NOT NULL THEN duration END)) AS bandwidth \
             FROM (SELECT coalesce(operation, CASE WHEN task_type LIKE 'gpu%' THEN name ELSE task_type END) AS kind, \
              bytes, duration FROM {} WHERE task_type IN ({types}) OR operation IS NOT NULL) GROUP BY kind ORDER BY total DESC, kind",
            rows("task", Time::Work, &question.scope)
        ),
    )?;
    unless_missing(source, made, "SELECT 1 FROM task", data::data_device_tasks(), DEVICE)
}
