//! `npuscope doctor`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use npuscope_analysis::health::{Health, Missing, Problem, RankHealth, health};
use npuscope_tables::Rank;
use npuscope_tables::date::date_of_day;
use npuscope_tables::table::diagnostic::Severity;

use crate::commands::{ReportFormat, check_strict, say_warnings};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::{self, Style};

/// Ranks and problems that are listed one by one.
const MAX_LISTED: usize = 32;

/// What to report on, and how.
#[derive(Clone, Debug)]
pub struct DoctorOptions {
    pub path: PathBuf,
    pub format: ReportFormat,
    /// Fail if anything could not be read.
    pub strict: bool,
}

pub fn run(options: &DoctorOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = settings.open(&options.path)?;
    let health = health(&store)?;
    say_warnings(&store, settings);
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &health)?;
            writeln!(out)?;
        }
        ReportFormat::Text => out.write_all(Report { health: &health, settings }.text().as_bytes())?,
    }
    if options.strict {
        check_strict(&store)?;
    }
    Ok(ExitCode::SUCCESS)
}

struct Report<'a> {
    health: &'a Health,
    settings: &'a Settings,
}

impl Report<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        let ranks = &self.health.ranks;
        self.title(&mut text, &format!("{} in {}", terminal::counted(ranks.len() as u64, "rank"), self.health.path));
        text.push_str(&self.ranks());
        text.push('\n');
        self.title(&mut text, "files");
        text.push_str(&self.files());
        text.push('\n');
        self.title(&mut text, "rows per table");
        text.push_str(&self.rows());
        text.push('\n');
        text.push_str(&self.missing());
        text.push('\n');
        text.push_str(&self.problems());
        text
    }

    fn title(&self, text: &mut String, title: &str) {
        text.push_str(&self.settings.terminal.styled(Style::Bold, title));
        text.push('\n');
    }

    fn ranks(&self) -> String {
        let rows = self.health.ranks.iter().take(MAX_LISTED).map(|rank| {
            let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
            let versions =
                [("", &rank.framework_version), ("CANN ", &rank.cann_version), ("schema ", &rank.schema_version)];
            let versions: Vec<String> =
                versions.iter().filter_map(|(what, v)| v.as_ref().map(|v| format!("{what}{v}"))).collect();
            vec![
                rank.rank.to_string(),
                rank.device.map_or("-".to_owned(), |d| d.to_string()),
                or_dash(&rank.host),
                or_dash(&rank.chip),
                rank.format.clone(),
                or_dash(&rank.framework),
                if versions.is_empty() { "-".to_owned() } else { versions.join(", ") },
                or_dash(&rank.level),
                steps(&rank.steps),
                window(rank.window),
            ]
        });
        let headers =
            ["rank", "device", "host", "chip", "form", "framework", "versions", "level", "step ids", "covers"];
        let mut text = terminal::columns(&headers, &[0, 1], rows);
        self.more(&mut text, self.health.ranks.len(), "ranks");
        text
    }

    /// Kinds of files, with what was not read of them.
    fn files(&self) -> String {
        let mut kinds: BTreeMap<&str, (u64, u64, Vec<String>)> = BTreeMap::new();
        for file in self.health.ranks.iter().flat_map(|r| &r.files).filter(|f| f.kind != "db_table") {
            let kind = kinds.entry(&file.kind).or_default();
            kind.0 += 1;
            kind.1 += u64::try_from(file.bytes.unwrap_or_default()).unwrap_or_default();
        }
        for file in self.health.ranks.iter().flat_map(|r| &r.files).filter(|f| !f.unread.is_empty()) {
            let kind = if file.kind == "db_table" { "db" } else { file.kind.as_str() };
            let unread = &mut kinds.entry(kind).or_default().2;
            for column in &file.unread {
                let table = file.file.rsplit_once('#').map_or(String::new(), |(_, table)| format!("{table}."));
                let column = format!("{table}{column}");
                if !unread.contains(&column) {
                    unread.push(column);
                }
            }
        }
        let rows = kinds.into_iter().map(|(kind, (files, bytes, unread))| {
            let unread = if unread.is_empty() { "nothing".to_owned() } else { unread.join(", ") };
            vec![kind.to_owned(), terminal::grouped(files), terminal::bytes(bytes), unread]
        });
        terminal::columns(&["kind", "files", "bytes", "unread columns"], &[1, 2], rows)
    }

    /// Rows of each table, rank by rank where ranks are few.
    fn rows(&self) -> String {
        let ranks = &self.health.ranks;
        let mut tables: Vec<&str> = Vec::new();
        for spec in npuscope_tables::schema::all() {
            if ranks.iter().any(|r| r.rows.contains_key(spec.name)) {
                tables.push(spec.name);
            }
        }
        let count = |rank: &RankHealth, table: &str| rank.rows.get(table).copied().unwrap_or_default();
        if ranks.len() <= 8 {
            let mut headers = vec!["table".to_owned()];
            headers.extend(ranks.iter().map(|r| format!("rank {}", r.rank)));
            let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
            let right: Vec<usize> = (1..headers.len()).collect();
            let rows = tables.iter().map(|table| {
                let mut row = vec![(*table).to_owned()];
                row.extend(ranks.iter().map(|rank| terminal::grouped(count(rank, table))));
                row
            });
            return terminal::columns(&headers, &right, rows);
        }
        let rows = tables.iter().map(|table| {
            let counts: Vec<u64> = ranks.iter().map(|rank| count(rank, table)).collect();
            let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
            vec![
                (*table).to_owned(),
                terminal::grouped(counts.iter().sum()),
                terminal::grouped(least.unwrap_or_default()),
                terminal::grouped(most.unwrap_or_default()),
            ]
        });
        terminal::columns(&["table", "all ranks", "least", "most"], &[1, 2, 3], rows)
    }

    /// What was not collected, and what to write to collect it.
    fn missing(&self) -> String {
        let mut text = String::new();
        let mut missing: Vec<(&Missing, Vec<Rank>)> = Vec::new();
        for rank in &self.health.ranks {
            for one in &rank.missing {
                match missing.iter_mut().find(|(m, _)| m.what == one.what && m.was_on == one.was_on && m.why == one.why)
                {
                    Some((_, ranks)) => ranks.push(rank.rank),
                    None => missing.push((one, vec![rank.rank])),
                }
            }
        }
        // A GPU trace is one file, and all there is.
        let is_part = self.health.ranks.iter().any(|rank| rank.format != "kineto");
        let is_file = is_part && Path::new(&self.health.path).is_file();
        let title = if is_file { "missing from this file; the rest of the profile may have it" } else { "missing" };
        self.title(&mut text, title);
        if missing.is_empty() {
            text.push_str(&self.settings.terminal.styled(Style::Green, "  nothing\n"));
        }
        // One block per setting: several things may hang on one.
        let mut settings = Vec::new();
        for (one, _) in &missing {
            if !settings.contains(&one.setting) {
                settings.push(one.setting);
            }
        }
        for setting in settings {
            let of_setting: Vec<_> = missing.iter().filter(|(m, _)| m.setting == setting).collect();
            for (one, ranks) in &of_setting {
                let whose = match ranks.len() {
                    all if all == self.health.ranks.len() => String::new(),
                    1 => format!(" on rank {}", terminal::ranges(ranks)),
                    _ => format!(" on ranks {}", terminal::ranges(ranks)),
                };
                let remark = match &one.why {
                    Some(why) => format!(" ({why})"),
                    None if one.was_on => " (it was turned on, but the files do not have it)".to_owned(),
                    None => String::new(),
                };
                text.push_str(&format!("  {}{whose}: {}{remark}\n", one.what, one.good_for));
            }
            // What was turned on and still is not there, no switch would bring.
            if let Some((one, _)) = of_setting.iter().find(|(one, _)| !one.was_on && one.why.is_none()) {
                let rows =
                    one.switches.iter().map(|(dialect, switch)| vec![format!("  {dialect}"), (*switch).to_owned()]);
                text.push_str(&terminal::columns(&["", ""], &[], rows));
            }
        }
        text
    }

    fn problems(&self) -> String {
        let of_ranks = self.health.ranks.iter().flat_map(|r| r.problems.iter().map(move |p| (Some(r.rank), p)));
        let all: Vec<(Option<Rank>, &Problem)> =
            self.health.problems.iter().map(|p| (None, p)).chain(of_ranks).collect();
        let mut text = String::new();
        self.title(&mut text, "problems");
        if all.is_empty() {
            text.push_str(&self.settings.terminal.styled(Style::Green, "  none\n"));
            return text;
        }
        for (rank, problem) in all.iter().take(MAX_LISTED) {
            let style = match problem.severity {
                Severity::Error => Style::Red,
                Severity::Warning => Style::Yellow,
                Severity::Info => Style::Dim,
            };
            let severity = self.settings.terminal.styled(style, problem.severity.name());
            let rank = rank.map_or(String::new(), |rank| format!("rank {rank} "));
            let file = problem.file.clone().unwrap_or_default();
            let offset = problem.offset.map_or(String::new(), |offset| format!(" at byte {offset}"));
            let place = format!("{rank}{file}{offset}");
            let place = if place.is_empty() { place } else { format!("{}: ", place.trim_end()) };
            text.push_str(&format!("  {severity}: {place}{}\n", problem.message));
        }
        self.more(&mut text, all.len(), "problems");
        text
    }

    fn more(&self, text: &mut String, count: usize, what: &str) {
        if count > MAX_LISTED {
            let more = format!(
                "  … and {} more {what}; --format json has all\n",
                terminal::grouped((count - MAX_LISTED) as u64)
            );
            text.push_str(&self.settings.terminal.styled(Style::Dim, &more));
        }
    }
}

/// `50`, `3-7` or `1, 5, 9`.
fn steps(ids: &[i64]) -> String {
    match ids {
        [] => "-".to_owned(),
        [one] => one.to_string(),
        [first, .., last] if last - first == ids.len() as i64 - 1 => format!("{first}-{last}"),
        [first, .., last] => format!("{} from {first} to {last}", ids.len()),
    }
}

/// Start in UTC and length.
fn window(window: Option<(i64, i64)>) -> String {
    let Some((start, end)) = window else { return "-".to_owned() };
    let seconds = start.div_euclid(1_000_000_000);
    let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date_of_day(days);
    #[expect(clippy::cast_precision_loss, reason = "shown with three decimals")]
    let length = (end - start) as f64 / 1e9;
    format!("{length:.3} s from {year}-{month:02}-{day:02} {:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_reads_as_a_date_and_a_length() {
        let text = window(Some((1_736_408_883_688_177_930, 1_736_408_884_688_177_930)));
        assert_eq!(text, "1.000 s from 2025-01-09 07:48:03");
    }

    #[test]
    fn steps_are_listed_shortly() {
        assert_eq!(steps(&[50]), "50");
        assert_eq!(steps(&[3, 4, 5]), "3-5");
        assert_eq!(steps(&[1, 5, 9]), "3 from 1 to 9");
    }
}
