//! The parallel layout of a job: the place of each rank, and the groups in which ranks communicate.
//!
//! Ranks are numbered as Megatron does it: tensor-parallel neighbours are next to each other, then
//! context-parallel ones, then data-parallel ones, then stages of the pipeline. Expert-parallel groups divide the
//! ranks that hold the same weights, which are those of one data-parallel and context-parallel group together.
//!
//! The sizes are those of `distributed_args` in the metadata of any rank. Without them they are inferred from the
//! groups in which ranks were seen to communicate ([`infer`]), which need not be all there: missing ranks cost
//! confidence, not the answer.

mod groups;
mod infer;

use std::collections::BTreeMap;

use npuscope_formats::source::RankSource;
use npuscope_messages::{Decimal, Message};
use npuscope_store::{Store, StoreError};
use npuscope_tables::{Rank, Selection, TableId};
use serde::Serialize;

pub use groups::{RankGroups, UsedGroup};

use crate::communication::{DeclaredGroup, GroupKey};
use crate::extract::{Absent, Analysis, RankData, extracts_by_rank};
use crate::messages;
use groups::{SeenGroup, seen_groups};

/// Ranks that a job can have. Greater numbers in metadata or links are mistakes, which must not cost memory.
pub const MAX_RANKS: i64 = 1_000_000;

/// How ranks are divided, and the groups they communicate in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub sizes: Sizes,
    pub origin: Origin,
    /// How sure it is, 0 to 1: 1 if the metadata says it and no group contradicts.
    pub confidence: f64,
    /// By hash.
    pub groups: Vec<Group>,
}

/// Ranks along each dimension, 1 where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub tp: i64,
    pub cp: i64,
    pub dp: i64,
    pub pp: i64,
    /// Divides `dp * cp`.
    pub ep: i64,
    /// All ranks, whether they are in the profile or not.
    pub world: i64,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { tp: 1, cp: 1, dp: 1, pp: 1, ep: 1, world: 1 }
    }
}

/// Where a layout is known from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    Metadata,
    Inferred,
    #[default]
    Unknown,
}

/// Where a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub pp: i64,
    pub dp: i64,
    pub cp: i64,
    pub tp: i64,
    pub ep: i64,
}

/// A communication group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number after `@` in communication.json.
    pub hash: GroupKey,
    /// The name that the hash is of, where known.
    pub name: Option<String>,
    /// What the trainer calls it, for example `dp`.
    pub pg_name: Option<String>,
    /// Its ranks, ascending, as far as they are known; some may not be in the profile.
    pub ranks: Vec<Rank>,
    /// Ranks by their numbers within the group, as they reported themselves.
    pub numbers: BTreeMap<i64, Rank>,
    pub known: Known,
    pub kind: GroupKind,
}

impl Group {
    /// The rank of a number within the group, if it is known.
    pub fn rank(&self, number: i64) -> Option<Rank> {
        let place = usize::try_from(number).ok()?;
        let listed = self.ranks.get(place).copied();
        match self.known {
            Known::Declared => listed.or_else(|| self.numbers.get(&number).copied()),
            Known::Reckoned => self.numbers.get(&number).copied().or(listed),
            Known::Seen => self.numbers.get(&number).copied(),
        }
    }
}

/// How the ranks of a group are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The metadata lists them.
    Declared,
    /// Two or more were seen with their numbers in the group, from which the places of the others follow.
    Reckoned,
    /// They were seen; there may be others.
    Seen,
}

/// What a group communicates for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKind {
    Tp,
    Cp,
    /// Ranks that hold the same weights, or the same experts.
    Dp,
    Pp,
    Ep,
    World,
    Other,
}

impl GroupKind {
    /// By the name that trainers give groups of this kind; `None` for a name that they do not.
    pub(crate) fn of_name(name: &str) -> Option<GroupKind> {
        let name = name.to_ascii_lowercase();
        let whole = name.split(['-', ':']).next().unwrap_or_default();
        // `exp_dp`, `expert_tensor_parallel` and the like are other groups of the ranks that hold experts.
        let whole = whole.strip_suffix("_group").unwrap_or(whole);
        if matches!(whole, "ep" | "exp" | "expert" | "expert_parallel" | "expert_model_parallel") {
            return Some(GroupKind::Ep);
        }
        match whole.split('_').next().unwrap_or_default() {
            "tp" if !name.contains("cp") && !name.contains("dp") && !name.contains("ep") => Some(GroupKind::Tp),
            "cp" => Some(GroupKind::Cp),
            "dp" => Some(GroupKind::Dp),
            "pp" => Some(GroupKind::Pp),
            "default" | "world" => Some(GroupKind::World),
            _ => None,
        }
    }
}

/// What each rank reports about the groups it communicates in.
#[derive(Serialize)]
struct Groups {
    /// Groups that ranks were seen in, and not only those that their metadata lists.
    with_seen: bool,
}

impl Analysis for Groups {
    type Extract = RankGroups;
    const NAME: &'static str = "layout";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        if self.with_seen { RankGroups::SELECTION } else { Selection::of(&[TableId::Metadata]) }
    }

    fn map(&self, rank: &RankData<'_>) -> Result<RankGroups, Absent> {
        Ok(RankGroups::of(&rank.tables))
    }
}

/// The layout of a job: from metadata or, without metadata about it, inferred from which ranks communicate.
pub fn layout(store: &Store) -> Result<Layout, StoreError> {
    let declared = layout_of(store, false)?;
    if declared.origin == Origin::Metadata { Ok(declared) } else { layout_of(store, true) }
}

fn layout_of(store: &Store, with_seen: bool) -> Result<Layout, StoreError> {
    let sources: Vec<&RankSource> = store.profile().ranks.iter().collect();
    Ok(Layout::of(&extracts_by_rank(store, &sources, &Groups { with_seen })?))
}

/// The groups that the metadata of some ranks lists.
pub fn declared_groups(store: &Store, sources: &[&RankSource]) -> Result<Vec<DeclaredGroup>, StoreError> {
    let groups = extracts_by_rank(store, sources, &Groups { with_seen: false })?;
    Ok(groups.into_iter().flat_map(|(_, groups)| groups.declared).collect())
}

impl Layout {
    /// The layout of a job, from the reports of its ranks.
    pub fn of(ranks: &[(Rank, RankGroups)]) -> Layout {
        let seen = seen_groups(ranks);
        let declared = ranks.iter().find_map(|(_, groups)| groups.sizes());
        let inferred = || infer::infer(ranks.iter().map(|(rank, _)| *rank), &seen);
        let (sizes, origin, confidence) = match declared {
            Some(sizes) => (sizes, Origin::Metadata, 1.0),
            None => match inferred() {
                Some((sizes, confidence)) => (sizes, Origin::Inferred, confidence),
                None => {
                    let world = ranks.iter().map(|(rank, _)| rank.0.saturating_add(1)).max().unwrap_or(1);
                    (Sizes { world, ..Sizes::default() }, Origin::Unknown, 0.0)
                }
            },
        };
        let mut layout = Layout { sizes, origin, confidence, groups: Vec::new() };
        layout.groups = seen.iter().map(|group| layout.group_of(group)).collect();
        if origin == Origin::Metadata {
            layout.confidence = layout.share_that_fits(&seen);
        }
        layout
    }

    pub fn is_known(&self) -> bool {
        self.origin != Origin::Unknown
    }

    /// Where a rank is; `None` if the layout is not known or has no such rank.
    pub fn place(&self, rank: Rank) -> Option<Place> {
        (self.is_known() && (0..self.sizes.world).contains(&rank.0)).then(|| self.sizes.place(rank))
    }

    /// The group of a hash.
    pub fn group(&self, hash: &str) -> Option<&Group> {
        let at = self.groups.binary_search_by(|group| group.hash.as_str().cmp(hash)).ok()?;
        self.groups.get(at)
    }

    /// The stages of the pipeline, each with those of `ranks` that are on it.
    pub fn stages(&self, ranks: impl IntoIterator<Item = Rank>) -> Vec<Vec<Rank>> {
        let mut stages: BTreeMap<i64, Vec<Rank>> = BTreeMap::new();
        for rank in ranks {
            if let Some(place) = self.place(rank) {
                stages.entry(place.pp).or_default().push(rank);
            }
        }
        stages.into_values().collect()
    }

    fn group_of(&self, seen: &SeenGroup) -> Group {
        let (ranks, known) = seen.ranks();
        Group {
            hash: seen.hash.clone(),
            name: seen.name.clone(),
            pg_name: seen.pg_name.clone(),
            kind: self.kind_of(seen, &ranks),
            numbers: seen.users.iter().filter_map(|(rank, number)| Some(((*number)?, *rank))).collect(),
            ranks,
            known,
        }
    }

    fn kind_of(&self, seen: &SeenGroup, ranks: &[Rank]) -> GroupKind {
        if let Some(kind) = seen.pg_name.as_deref().and_then(GroupKind::of_name) {
            return kind;
        }
        if !self.is_known() {
            return if seen.operations.is_point_to_point() { GroupKind::Pp } else { GroupKind::Other };
        }
        let kinds: &[GroupKind] = if seen.operations.is_point_to_point() {
            &[GroupKind::Cp, GroupKind::Pp]
        } else if seen.operations.is_exchange() {
            &[GroupKind::Ep, GroupKind::Cp, GroupKind::Tp]
        } else {
            &[GroupKind::Tp, GroupKind::Cp, GroupKind::Dp, GroupKind::Ep, GroupKind::World]
        };
        kinds.iter().copied().find(|kind| self.sizes.has_group(*kind, ranks)).unwrap_or(GroupKind::Other)
    }

    /// How many of the groups whose kind the trainer named are where the sizes put them.
    fn share_that_fits(&self, seen: &[SeenGroup]) -> f64 {
        let named = seen.iter().filter_map(|group| {
            let kind = GroupKind::of_name(group.pg_name.as_deref()?)?;
            Some((kind, group.declared.as_deref()?))
        });
        let fits: Vec<bool> = named.map(|(kind, ranks)| self.sizes.has_group(kind, ranks)).collect();
        share(fits.iter().filter(|fits| **fits).count(), fits.len())
    }
}

impl Layout {
    /// Sizes, and how they are known.
    pub fn message(&self) -> Message {
        let Sizes { tp, cp, dp, pp, ep, world } = self.sizes;
        let sizes = [("TP", tp), ("CP", cp), ("DP", dp), ("PP", pp), ("EP", ep)];
        let named: Vec<String> =
            sizes.iter().filter(|(_, size)| *size > 1).map(|(name, size)| format!("{name} {size}")).collect();
        let sizes = if named.is_empty() { messages::layout_ranks(world) } else { messages::layout_sizes(named) };
        match self.origin {
            Origin::Metadata => messages::layout_recorded(sizes),
            Origin::Inferred => messages::layout_inferred(sizes, Decimal(self.confidence * 100.0)),
            Origin::Unknown => messages::layout_unknown(),
        }
    }
}

/// `part / whole`, 1 of nothing.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

impl Sizes {
    /// Where a rank is.
    pub fn place(&self, rank: Rank) -> Place {
        let Sizes { tp, cp, dp, pp, ep, .. } = *self;
        let Rank(rank) = rank;
        let replica = rank / tp % (cp * dp);
        Place {
            pp: rank / (tp * cp * dp) % pp,
            dp: rank / (tp * cp) % dp,
            cp: rank / tp % cp,
            tp: rank % tp,
            ep: replica % ep,
        }
    }

    /// Whether dimensions are divided as they must be.
    fn is_sound(&self) -> bool {
        let Sizes { tp, cp, dp, pp, ep, world } = *self;
        [tp, cp, dp, pp, ep].iter().all(|size| *size > 0)
            && tp.checked_mul(cp).and_then(|n| n.checked_mul(dp)).and_then(|n| n.checked_mul(pp)) == Some(world)
            && dp * cp % ep == 0
    }

    /// Whether `ranks`, ascending, are a group of that kind; some may be missing from it.
    fn has_group(&self, kind: GroupKind, ranks: &[Rank]) -> bool {
        let Some(&first) = ranks.first() else { return false };
        let Sizes { tp, cp, dp, ep, .. } = *self;
        let at = self.place(first);
        let is_inside = |rank: &Rank| (0..self.world).contains(&rank.0);
        let size = match kind {
            GroupKind::Tp => tp,
            GroupKind::Cp => cp,
            GroupKind::Ep => ep,
            GroupKind::Dp => dp * cp,
            GroupKind::Pp => self.pp,
            GroupKind::World => self.world,
            GroupKind::Other => 0,
        };
        let belongs = |rank: &Rank| {
            let other = self.place(*rank);
            let (same_tp, same_pp) = (other.tp == at.tp, other.pp == at.pp);
            // The block of replicas that an expert-parallel group is.
            let block = |place: &Place| (place.dp * cp + place.cp) / ep;
            match kind {
                GroupKind::Tp => (other.dp, other.cp, other.pp) == (at.dp, at.cp, at.pp),
                GroupKind::Cp => (other.tp, other.dp, other.pp) == (at.tp, at.dp, at.pp),
                GroupKind::Dp => same_tp && same_pp,
                GroupKind::Ep => same_tp && same_pp && block(&other) == block(&at),
                GroupKind::Pp => (other.tp, other.cp, other.dp) == (at.tp, at.cp, at.dp),
                GroupKind::World => true,
                GroupKind::Other => false,
            }
        };
        // Data-parallel groups come with and without context, and one for every expert; pipelines in pairs.
        let is_part = matches!(kind, GroupKind::Dp | GroupKind::Pp);
        ranks.len() > 1
            && ranks.iter().all(is_inside)
            && ranks.iter().all(belongs)
            && i64::try_from(ranks.len()).is_ok_and(|count| count == size || (is_part && count < size))
    }
}

#[cfg(test)]
mod tests;
