//! What the host did and what came of it, which several summaries look at.

use npuscope_tables::RankTables;

use super::kernels::LaunchedByEntry;
use super::op_tree::OpTree;

pub struct HostWork {
    pub tree: OpTree,
    pub launched: LaunchedByEntry,
}

impl HostWork {
    pub fn of(tables: &RankTables) -> HostWork {
        HostWork { tree: OpTree::build(tables), launched: LaunchedByEntry::build(tables) }
    }
}
