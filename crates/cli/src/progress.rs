//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use npuscope_store::Progress;
use npuscope_tables::Rank;

/// One bar over all ranks that are being read; it grows as ranks are begun.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub fn new() -> Bar {
        let bar = ProgressBar::new(0);
        let template = "reading {msg} {wide_bar} {bytes} of {total_bytes}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar { bar }
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

/// A bar over a known number of things.
pub struct Count {
    bar: ProgressBar,
}

impl Count {
    pub fn new(what: &str, count: u64) -> Count {
        let bar = ProgressBar::new(count);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos} of {len}, {eta} left") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        Count { bar }
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
