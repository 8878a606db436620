//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use npuscope_messages::{Language, Message};
use npuscope_store::Progress;
use npuscope_tables::Rank;

use crate::messages::output as messages;

/// One bar over all ranks that are being read; it grows as ranks are begun.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub fn new(language: Language) -> Bar {
        let template = messages::progress_reading("{msg}", "{wide_bar}", "{bytes}", "{total_bytes}", "{eta}");
        Bar { bar: styled(0, &template, language) }
    }
}

impl Progress for Bar {
    fn start(&self, rank: Rank, bytes: u64) {
        self.bar.inc_length(bytes);
        self.bar.set_message(format!("rank {rank}"));
    }

    fn advance(&self, _: Rank, bytes: u64) {
        self.bar.inc(bytes);
    }

    fn finish(&self, _: Rank) {
        if self.bar.length().is_none_or(|length| self.bar.position() >= length) {
            self.bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn styled(length: u64, template: &Message, language: Language) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(&template.text(language)) {
        bar.set_style(style);
    }
    bar
}

/// A bar over a known number of things.
pub struct Count {
    bar: ProgressBar,
}

impl Count {
    /// Of what is written.
    pub fn of_writing(count: u64, language: Language) -> Count {
        let template = messages::progress_writing("{wide_bar}", "{pos}", "{len}", "{eta}");
        Count { bar: styled(count, &template, language) }
    }

    pub fn advance(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
