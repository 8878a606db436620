//! Values of the arguments of `npuscope dynamic`.

use clap::ValueEnum;
use npuscope_collect::config::{AicMetrics, Level};
use npuscope_collect::dynamic::{Activity, DynamicDialect};
use npuscope_messages::Message;

use crate::commands::dynamic::StartStep;
use crate::messages::errors as messages;

pub fn parse_start(text: &str) -> Result<StartStep, StartStepError> {
    match text.parse() {
        Ok(step) if step >= 1 => Ok(StartStep::At(step)),
        _ if text == "next" => Ok(StartStep::Next),
        _ => Err(StartStepError),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct StartStepError;

impl StartStepError {
    pub fn message(&self) -> Message {
        messages::value_start_step()
    }
}

npuscope_messages::display_message!(StartStepError);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicDialectName {
    #[value(name = "torch_npu", alias = "torch-npu")]
    TorchNpu,
    Mindspore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicLevel {
    #[value(alias = "level_none")]
    None,
    Level0,
    Level1,
    Level2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicMetrics {
    None,
    PipeUtilization,
    ArithmeticUtilization,
    Memory,
    #[value(name = "memory-l0")]
    MemoryL0,
    MemoryUb,
    ResourceConflictRatio,
    #[value(name = "l2-cache")]
    L2Cache,
    MemoryAccess,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicActivity {
    Cpu,
    Npu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicExport {
    Text,
    Db,
}

impl From<DynamicDialectName> for DynamicDialect {
    fn from(dialect: DynamicDialectName) -> DynamicDialect {
        match dialect {
            DynamicDialectName::TorchNpu => DynamicDialect::TorchNpu,
            DynamicDialectName::Mindspore => DynamicDialect::MindSpore,
        }
    }
}

impl From<DynamicLevel> for Level {
    fn from(level: DynamicLevel) -> Level {
        match level {
            DynamicLevel::None => Level::None,
            DynamicLevel::Level0 => Level::Level0,
            DynamicLevel::Level1 => Level::Level1,
            DynamicLevel::Level2 => Level::Level2,
        }
    }
}

impl From<DynamicMetrics> for AicMetrics {
    fn from(metrics: DynamicMetrics) -> AicMetrics {
        match metrics {
            DynamicMetrics::None => AicMetrics::None,
            DynamicMetrics::PipeUtilization => AicMetrics::PipeUtilization,
            DynamicMetrics::ArithmeticUtilization => AicMetrics::ArithmeticUtilization,
            DynamicMetrics::Memory => AicMetrics::Memory,
            DynamicMetrics::MemoryL0 => AicMetrics::MemoryL0,
            DynamicMetrics::MemoryUb => AicMetrics::MemoryUb,
            DynamicMetrics::ResourceConflictRatio => AicMetrics::ResourceConflictRatio,
            DynamicMetrics::L2Cache => AicMetrics::L2Cache,
            DynamicMetrics::MemoryAccess => AicMetrics::MemoryAccess,
        }
    }
}

impl From<DynamicActivity> for Activity {
    fn from(activity: DynamicActivity) -> Activity {
        match activity {
            DynamicActivity::Cpu => Activity::Cpu,
            DynamicActivity::Npu => Activity::Npu,
        }
    }
}

impl From<DynamicExport> for String {
    fn from(export: DynamicExport) -> String {
        match export {
            DynamicExport::Text => "text".to_owned(),
            DynamicExport::Db => "db".to_owned(),
        }
    }
}
