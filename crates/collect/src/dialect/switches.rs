//! The settings that both backends of MindSpeed-LLM share.

use crate::config::{AicMetrics, CollectConfig, Export, Level};

use super::check;
use super::names::{EXPORTS_MINDSPEED, LEVELS_MINDSPEED};
use super::section::Section;

/// Their names.
pub(super) struct Names {
    pub level: &'static str,
    pub export: &'static str,
    pub simplify: &'static str,
    pub cpu: &'static str,
    pub stack: &'static str,
    pub memory: &'static str,
    pub shapes: &'static str,
    pub path: &'static str,
}

/// What to record, apart from when and where. Switches are read by `switch`, which dialects do differently.
pub(super) fn read(
    section: &mut Section,
    names: &Names,
    default_path: &str,
    switch: fn(&mut Section, &str) -> bool,
) -> CollectConfig {
    let level = section.one_of(names.level, LEVELS_MINDSPEED, "level0").unwrap_or(Level::Level0);
    let export = section.one_of(names.export, EXPORTS_MINDSPEED, "text").unwrap_or(Export::Text);
    let mut config = CollectConfig {
        level,
        aic_metrics: metrics(level),
        export: vec![export],
        simplify: switch(section, names.simplify),
        cpu: switch(section, names.cpu),
        stack: switch(section, names.stack),
        memory: switch(section, names.memory),
        shapes: switch(section, names.shapes),
        output: section.text(names.path, default_path),
        ..CollectConfig::default()
    };
    check::level_none_needs_mstx(section, &mut config, names.level);
    config
}

/// MindSpeed always asks for the use of pipes, and torch_npu takes it back at levels that have no metrics.
pub(super) fn metrics(level: Level) -> AicMetrics {
    if level.has_metrics() { AicMetrics::PipeUtilization } else { AicMetrics::None }
}
