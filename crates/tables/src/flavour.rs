//! Which framework's habits a profile follows.

use crate::RankTables;
use crate::table::rank;

/// Who wrote a profile. The deliverables have the same names everywhere, but not the same columns,
/// units and layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    TorchNpu,
    MindSpore,
    /// CANN's own exporter, without a framework.
    Msprof,
    /// PyTorch's own profiler, on GPUs and CPUs.
    Kineto,
}

impl Flavour {
    pub const ALL: &[Flavour] = &[Flavour::TorchNpu, Flavour::MindSpore, Flavour::Msprof, Flavour::Kineto];

    /// The word in `rank.framework`.
    pub const fn name(self) -> &'static str {
        match self {
            Flavour::TorchNpu => "torch_npu",
            Flavour::MindSpore => "mindspore",
            Flavour::Msprof => "msprof",
            Flavour::Kineto => "torch",
        }
    }

    /// Whether the files of an NPU have a place for all that such a profile holds.
    pub const fn fits_npu_files(self) -> bool {
        !matches!(self, Flavour::Kineto)
    }

    pub fn from_name(name: &str) -> Option<Flavour> {
        Flavour::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// The flavour of a rank that was read, torch_npu where it does not say.
    pub fn of(tables: &RankTables) -> Flavour {
        let framework = tables.rows::<rank::Row>().next().and_then(|row| row.framework);
        tables.opt_text(framework).and_then(Flavour::from_name).unwrap_or(Flavour::TorchNpu)
    }
}
