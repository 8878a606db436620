//! What the host did and what came of it, which several summaries look at.

use npuscope_tables::RankTables;

use super::kernels::LaunchedByEntry;
use super::op_tree::OpTree;

pub struct HostWork {
    pub tree: OpTree,
    pub launched: LaunchedByEntry,
}

impl HostWork {
    /// `has_queue` says whether work went through a queue before, and then whether it does.
    pub fn of(tables: &RankTables, has_queue: &mut bool) -> HostWork {
        let tree = OpTree::build(tables, has_queue);
        HostWork { tree, launched: LaunchedByEntry::build(tables, *has_queue) }
    }
}
