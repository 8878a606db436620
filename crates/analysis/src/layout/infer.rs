//! The layout of a job without metadata about it.
//!
//! The ranks of a group have equal distances, and the distance identifies the dimension:
//! - a group that only sends and receives, between ranks that no other group joins, is part of a pipeline; the
//!   least distance in one is the number of ranks of a stage;
//! - one that only sends and receives inside another is context-parallel;
//! - one that mostly exchanges all with all is expert-parallel;
//! - of the rest, the ranks that hold the same weights are as far apart as a tensor-parallel group is large.
//!
//! Where a stage is one group and there is no other, tensor parallelism and data parallelism look the same. Many
//! operations then indicate tensor parallelism, with half the confidence.

use npuscope_tables::Rank;

use super::groups::{Row, SeenGroup};
use super::{MAX_RANKS, Sizes, share};

/// How sure an inferred layout can be at most.
const INFERRED: f64 = 0.9;

/// Operations of a rank in one group and step from which on they are taken for those of layers, not of gradients.
const MANY_OPERATIONS: usize = 24;

/// A group whose ranks have equal distances.
struct Seen<'a> {
    row: Row,
    group: &'a SeenGroup,
}

impl Seen<'_> {
    fn is_transfer(&self) -> bool {
        self.group.operations.is_point_to_point()
    }

    fn is_exchange(&self) -> bool {
        self.group.operations.is_exchange()
    }

    fn holds(&self, other: &Row) -> bool {
        other.ranks().all(|rank| self.row.has(rank))
    }

    fn operations_per_step(&self) -> usize {
        self.group.operations.count / self.group.steps.max(1)
    }
}

/// Sizes and how sure they are; `None` if ranks were not seen to communicate, or are more than there can be.
pub fn infer(present: impl Iterator<Item = Rank>, groups: &[SeenGroup]) -> Option<(Sizes, f64)> {
    let rows = groups.iter().filter_map(|group| Some(Seen { row: group.row()?, group }));
    let seen: Vec<Seen<'_>> = rows.filter(|seen| seen.group.operations.count > 0).collect();
    let present: Vec<Rank> = present.collect();
    let last = seen.iter().map(|seen| seen.row.last()).max()?.max(present.iter().copied().max()?);
    if last.0 >= MAX_RANKS {
        return None;
    }
    let mut world = last.0 + 1;
    let is_all = |seen: &Seen<'_>, world: i64| seen.row == Row { first: Rank(0), stride: 1, count: world };
    let inner: Vec<&Seen<'_>> = seen.iter().filter(|seen| !seen.is_transfer() && !is_all(seen, world)).collect();
    let (contexts, pipes): (Vec<&Seen<'_>>, Vec<&Seen<'_>>) = seen
        .iter()
        .filter(|seen| seen.is_transfer())
        .partition(|transfer| inner.iter().any(|group| group.holds(&transfer.row)) || is_all(transfer, world));
    let stage = match pipes.iter().map(|pipe| pipe.row.stride).min() {
        Some(stage) => {
            // The last ranks may be missing.
            world = (world + stage - 1) / stage * stage;
            stage
        }
        None => world,
    };
    let in_stage = |row: &Row| row.first.0 / stage == row.last().0 / stage;
    let inside: Vec<&Seen<'_>> = seen.iter().filter(|seen| !seen.is_transfer() && in_stage(&seen.row)).collect();
    let (exchanges, replicas): (Vec<&Seen<'_>>, Vec<&Seen<'_>>) = inside.into_iter().partition(|s| s.is_exchange());
    let (tp, cp, is_clear) = tensor_and_context(stage, &contexts, &exchanges, &replicas);
    let ep = exchanges.iter().map(|seen| seen.row.count).max().unwrap_or(1);
    let sizes = Sizes { tp, cp, dp: stage / (tp * cp).max(1), pp: world / stage, ep, world };
    let (sizes, is_clear) = match sizes.is_sound() {
        true => (sizes, is_clear),
        false => (Sizes { tp: 1, cp: 1, dp: stage, ep: 1, ..sizes }, false),
    };
    let whole = share(present.len(), usize::try_from(world).unwrap_or(usize::MAX));
    let explained = seen.iter().filter(|seen| is_explained(&sizes, seen)).count();
    let confidence = INFERRED * whole * share(explained, seen.len()) * if is_clear { 1.0 } else { 0.5 };
    Some((sizes, confidence))
}

/// Tensor-parallel and context-parallel size, and whether there is no other way to see it.
fn tensor_and_context(
    stage: i64,
    contexts: &[&Seen<'_>],
    exchanges: &[&Seen<'_>],
    replicas: &[&Seen<'_>],
) -> (i64, i64, bool) {
    let cp = contexts.iter().map(|seen| seen.row.count).max().unwrap_or(1);
    if let Some(tp) = contexts.iter().chain(exchanges).map(|seen| seen.row.stride).min() {
        return (tp, cp, true);
    }
    let apart = replicas.iter().map(|seen| seen.row).filter(|row| row.stride > 1 && row.stride * row.count == stage);
    if let Some(tp) = apart.map(|row| row.stride).min() {
        return (tp, cp, true);
    }
    let neighbours = || replicas.iter().filter(|seen| seen.row.stride == 1);
    let Some(least) = neighbours().map(|seen| seen.row.count).min() else { return (1, cp, replicas.is_empty()) };
    let is_nested = neighbours().any(|seen| seen.row.count > least);
    match least < stage {
        true if is_nested => (1, least, true),
        true => (least, cp, false),
        false => {
            let most = neighbours().map(|seen| seen.operations_per_step()).max().unwrap_or(0);
            (if most >= MANY_OPERATIONS { stage } else { 1 }, cp, false)
        }
    }
}

fn is_explained(sizes: &Sizes, seen: &Seen<'_>) -> bool {
    use super::GroupKind::{Cp, Dp, Ep, Pp, Tp, World};
    let ranks: Vec<Rank> = seen.row.ranks().collect();
    [Tp, Cp, Dp, Ep, Pp, World].iter().any(|kind| sizes.has_group(*kind, &ranks))
}
