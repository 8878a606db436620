//! Which framework's habits a profile follows.

use crate::RankTables;
use crate::table::rank;

/// Who wrote a profile. The deliverables have the same names everywhere, but not the same columns,
/// units and layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    TorchNpu,
    MindSpore,
    /// CANN's own exporter, without a framework.
    Msprof,
    /// PyTorch's own profiler, on GPUs and CPUs.
    Kineto,
}

impl Framework {
    pub const ALL: &[Framework] = &[Framework::TorchNpu, Framework::MindSpore, Framework::Msprof, Framework::Kineto];

    /// The word in `rank.framework`.
    pub const fn name(self) -> &'static str {
        match self {
            Framework::TorchNpu => "torch_npu",
            Framework::MindSpore => "mindspore",
            Framework::Msprof => "msprof",
            Framework::Kineto => "torch",
        }
    }

    /// Whether the files of an NPU have a place for all that such a profile holds.
    pub const fn fits_npu_files(self) -> bool {
        !matches!(self, Framework::Kineto)
    }

    pub fn from_name(name: &str) -> Option<Framework> {
        Framework::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// The framework of a rank that was read, torch_npu where it does not say.
    pub fn of(tables: &RankTables) -> Framework {
        let framework = tables.rows::<rank::Row>().next().and_then(|row| row.framework);
        tables.opt_text(framework).and_then(Framework::from_name).unwrap_or(Framework::TorchNpu)
    }
}
