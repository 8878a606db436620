//! `npuscope doctor`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use npuscope_analysis::diagnostic::of_rank;
use npuscope_analysis::health::{Diagnostic, Health, Missing, RankHealth, health};
use npuscope_collect::Dialect;
use npuscope_formats::source::JOB;
use npuscope_messages::{Decimal, Language, Message, severity, verbatim};
use npuscope_tables::Rank;
use npuscope_tables::date::date_of_day;
use npuscope_tables::table::diagnostic::Severity;

use crate::commands::{ReportFormat, check_strict, json, say_warnings};
use crate::error::CliError;
use crate::messages;
use crate::messages::output as heads;
use crate::settings::Settings;
use crate::terminal::{self, Style};

/// Ranks and diagnostics that are listed one by one.
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
        ReportFormat::Json => json::print(&mut out, &health, &[("diagnostics", "problems")])?, // older name
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
        self.title(&mut text, &messages::doctor_headline(ranks.len(), &self.health.path));
        text.push_str(&self.ranks());
        text.push('\n');
        if self.health.jobs.len() > 1 {
            let jobs = self.health.jobs.iter().map(String::as_str).collect();
            text.push_str(&format!("{}\n\n", self.settings.text(&heads::doctor_jobs(jobs))));
        }
        if self.health.windows.len() > 1 {
            self.title(&mut text, &heads::doctor_windows());
            text.push_str(&self.windows());
            text.push('\n');
        }
        self.title(&mut text, &messages::doctor_files());
        text.push_str(&self.files());
        text.push('\n');
        self.title(&mut text, &messages::doctor_rows());
        text.push_str(&self.rows());
        text.push('\n');
        text.push_str(&self.missing());
        text.push('\n');
        text.push_str(&self.diagnostics());
        text
    }

    fn title(&self, text: &mut String, title: &Message) {
        text.push_str(&self.settings.terminal.styled(Style::Bold, &self.settings.text(title)));
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
                steps(&rank.steps, self.settings.language),
                window(rank.window, self.settings.language),
            ]
        });
        let headers = [
            verbatim("rank".to_owned()),
            heads::head_device(),
            heads::head_host(),
            heads::head_chip(),
            heads::head_format(),
            heads::head_framework(),
            heads::head_versions(),
            heads::head_level(),
            heads::head_step_ids(),
            heads::head_covers(),
        ];
        let mut text = self.table(&headers, &[0, 1], rows);
        self.more(&mut text, self.health.ranks.len(), messages::doctor_more_ranks);
        text
    }

    /// What was recorded without interruption.
    fn windows(&self) -> String {
        let has_stages = self.health.windows.iter().any(|window| window.stage.is_some());
        let rows = self.health.windows.iter().take(MAX_LISTED).map(|of| {
            let directories = match of.directories.as_slice() {
                [one] => one.clone(),
                some => self.settings.text(&heads::doctor_directories(some.len())),
            };
            let mut row = vec![of.window.to_string()];
            row.extend(has_stages.then(|| of.stage.clone().unwrap_or_else(|| "-".to_owned())));
            row.extend([
                terminal::ranges(&of.ranks),
                steps(&of.steps, self.settings.language),
                window(of.span, self.settings.language),
                directories,
            ]);
            row
        });
        let mut headers = vec![heads::head_window()];
        headers.extend(has_stages.then(heads::head_stage));
        let rest =
            [verbatim("rank".to_owned()), heads::head_step_ids(), heads::head_covers(), heads::head_directories()];
        headers.extend(rest);
        let mut text = self.table(&headers, &[0], rows);
        self.more(&mut text, self.health.windows.len(), heads::doctor_more_windows);
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
            let unread = match unread.is_empty() {
                true => self.settings.text(&messages::doctor_nothing()),
                false => unread.join(", "),
            };
            vec![kind.to_owned(), terminal::grouped(files), terminal::bytes(bytes), unread]
        });
        let headers = [heads::head_kind(), heads::head_files(), heads::head_bytes(), heads::head_unread_columns()];
        self.table(&headers, &[1, 2], rows)
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
            let mut headers = vec![heads::head_table()];
            headers.extend(ranks.iter().map(|r| verbatim(format!("rank {}", r.rank))));
            let right: Vec<usize> = (1..headers.len()).collect();
            let rows = tables.iter().map(|table| {
                let mut row = vec![(*table).to_owned()];
                row.extend(ranks.iter().map(|rank| terminal::grouped(count(rank, table))));
                row
            });
            return self.table(&headers, &right, rows);
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
        let headers = [heads::head_table(), heads::head_all_ranks(), heads::head_least(), heads::head_most()];
        self.table(&headers, &[1, 2, 3], rows)
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
        let title = if is_file { messages::doctor_missing_from_file() } else { messages::doctor_missing() };
        self.title(&mut text, &title);
        if missing.is_empty() {
            let nothing = format!("  {}\n", self.settings.text(&messages::doctor_nothing()));
            text.push_str(&self.settings.terminal.styled(Style::Green, &nothing));
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
                let whose = match ranks.as_slice() {
                    all if all.len() == self.health.ranks.len() => messages::doctor_on_all(),
                    [rank] => messages::doctor_on_rank(*rank),
                    some => messages::doctor_on_ranks(terminal::ranges(some)),
                };
                let reason = match &one.why {
                    Some(why) => messages::doctor_why(why.clone()),
                    None if one.was_on => messages::doctor_was_on(),
                    None => messages::doctor_no_reason(),
                };
                let line = messages::doctor_missing_line(one.what.clone(), whose, one.good_for.clone(), reason);
                text.push_str(&format!("  {}\n", self.settings.text(&line)));
            }
            // What was turned on and still is not there, no switch would bring.
            if let Some((one, _)) = of_setting.iter().find(|(one, _)| !one.was_on && one.why.is_none()) {
                let rows = one.switches.iter().map(|(dialect, switch)| {
                    let dialect = match *dialect == Dialect::TorchNpuDynamic.name() {
                        true => self.settings.text(&messages::doctor_torch_npu_dynamic()),
                        false => (*dialect).to_owned(),
                    };
                    vec![format!("  {dialect}"), (*switch).to_owned()]
                });
                text.push_str(&terminal::columns(&["", ""], &[], rows));
            }
        }
        text
    }

    fn diagnostics(&self) -> String {
        let of_ranks = self.health.ranks.iter().flat_map(|r| r.diagnostics.iter().map(move |p| (Some(r.rank), p)));
        let all: Vec<(Option<Rank>, &Diagnostic)> =
            self.health.diagnostics.iter().map(|p| (None, p)).chain(of_ranks).collect();
        let mut text = String::new();
        self.title(&mut text, &messages::doctor_diagnostics());
        if all.is_empty() {
            let none = format!("  {}\n", self.settings.text(&messages::doctor_no_diagnostics()));
            text.push_str(&self.settings.terminal.styled(Style::Green, &none));
            return text;
        }
        for (rank, diagnostic) in all.iter().take(MAX_LISTED) {
            let (style, severity) = match diagnostic.severity {
                Severity::Error => (Style::Red, severity::error()),
                Severity::Warning => (Style::Yellow, severity::warning()),
                Severity::Info => (Style::Dim, severity::info()),
            };
            let severity = self.settings.terminal.styled(style, &self.settings.text(&severity));
            let file = diagnostic.file.clone().unwrap_or_default();
            let offset = diagnostic.offset.map(|offset| self.settings.text(&messages::doctor_at_byte(offset)));
            let place = format!("{file}{}", offset.unwrap_or_default());
            let message = of_rank(rank.unwrap_or(JOB), Some(place.trim_start()), diagnostic.message.clone());
            let line = heads::labelled(&severity, &self.settings.text(&message));
            text.push_str(&format!("  {}\n", self.settings.text(&line)));
        }
        self.more(&mut text, all.len(), messages::doctor_more_diagnostics);
        text
    }

    fn table(&self, headers: &[Message], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
        let headers: Vec<String> = headers.iter().map(|header| self.settings.text(header)).collect();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        terminal::columns(&headers, right, rows)
    }

    fn more(&self, text: &mut String, count: usize, message: fn(usize) -> Message) {
        if count > MAX_LISTED {
            let more = format!("  {}\n", self.settings.text(&message(count - MAX_LISTED)));
            text.push_str(&self.settings.terminal.styled(Style::Dim, &more));
        }
    }
}

/// `50`, `3-7` or `3 from 1 to 9`.
fn steps(ids: &[i64], language: Language) -> String {
    match ids {
        [] => "-".to_owned(),
        [one] => one.to_string(),
        [first, .., last] if last - first == ids.len() as i64 - 1 => format!("{first}-{last}"),
        [first, .., last] => messages::doctor_steps(ids.len(), *first, *last).text(language),
    }
}

/// Start in UTC and length.
fn window(window: Option<(i64, i64)>, language: Language) -> String {
    let Some((start, end)) = window else { return "-".to_owned() };
    let seconds = start.div_euclid(1_000_000_000);
    let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date_of_day(days);
    #[expect(clippy::cast_precision_loss, reason = "shown with three decimals")]
    let length = (end - start) as f64 / 1e9;
    let start = format!("{year}-{month:02}-{day:02} {:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
    messages::doctor_window(Decimal(length), start).text(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_reads_as_a_date_and_a_length() {
        let text = window(Some((1_736_408_883_688_177_930, 1_736_408_884_688_177_930)), Language::English);
        assert_eq!(text, "1.000 s from 2025-01-09 07:48:03 UTC");
    }

    #[test]
    fn steps_are_listed_shortly() {
        assert_eq!(steps(&[50], Language::English), "50");
        assert_eq!(steps(&[3, 4, 5], Language::English), "3-5");
        assert_eq!(steps(&[1, 5, 9], Language::English), "3 from 1 to 9");
    }
}
