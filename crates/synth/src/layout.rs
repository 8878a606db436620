//! Who is where in the parallel layout, and who talks to whom.

use npuscope_measures::link::group_hash;

use crate::blocks::Channel;
use crate::config::JobConfig;

/// Places of ranks: tensor-parallel neighbours are next to each other, then context-parallel, then
/// data-parallel ones, then stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub tp: usize,
    pub cp: usize,
    pub dp: usize,
    pub pp: usize,
    pub ep: usize,
}

/// Where a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinates {
    pub tensor: usize,
    pub context: usize,
    pub data: usize,
    pub stage: usize,
}

/// What a group communicates for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupKind {
    Tensor,
    Context,
    Expert,
    /// Ranks that hold the same weights: they sum gradients, over data and context.
    Data,
    /// Ranks that hold the same experts.
    ExpertData,
    /// Two neighbours of a pipeline, in one direction.
    Pipeline,
    World,
}

impl GroupKind {
    /// As Megatron calls it.
    pub const fn name(self) -> &'static str {
        match self {
            GroupKind::Tensor => "tp",
            GroupKind::Context => "cp",
            GroupKind::Expert => "exp",
            GroupKind::Data => "dp",
            GroupKind::ExpertData => "dp_modulo_exp",
            GroupKind::Pipeline => "pp",
            GroupKind::World => "default_group",
        }
    }
}

/// A communication group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub kind: GroupKind,
    /// Its ranks, ascending.
    pub ranks: Vec<usize>,
    /// The name all members know it by.
    pub name: String,
    /// Hash of the name.
    pub hash: String,
}

impl Group {
    /// The number of a rank within the group.
    pub fn local(&self, rank: usize) -> usize {
        self.ranks.binary_search(&rank).unwrap_or_default()
    }

    /// The three digits of the hash that stand in operation names.
    pub fn digits(&self) -> &str {
        self.hash.get(self.hash.len().saturating_sub(3)..).unwrap_or_default()
    }
}

impl Layout {
    pub fn of(config: &JobConfig) -> Layout {
        Layout { tp: config.tp, cp: config.cp, dp: config.dp, pp: config.pp, ep: config.ep }
    }

    pub fn ranks(self) -> usize {
        self.tp * self.cp * self.dp * self.pp
    }

    pub fn place(self, rank: usize) -> Coordinates {
        Coordinates {
            tensor: rank % self.tp,
            context: rank / self.tp % self.cp,
            data: rank / (self.tp * self.cp) % self.dp,
            stage: rank / (self.tp * self.cp * self.dp),
        }
    }

    pub fn rank(self, at: Coordinates) -> usize {
        ((at.stage * self.dp + at.data) * self.cp + at.context) * self.tp + at.tensor
    }

    pub fn stage(self, rank: usize) -> usize {
        self.place(rank).stage
    }

    /// The rank at the same place of another stage.
    pub fn on_stage(self, rank: usize, stage: usize) -> usize {
        self.rank(Coordinates { stage, ..self.place(rank) })
    }

    /// The ranks that meet on a channel of a rank: a group, ascending, or sender and receiver.
    pub fn members(self, channel: Channel, rank: usize) -> Vec<usize> {
        let at = self.place(rank);
        // Data and context together: the ranks that see other tokens with the same weights.
        let replica = at.data * self.cp + at.context;
        let of_replica =
            |replica: usize| self.rank(Coordinates { data: replica / self.cp, context: replica % self.cp, ..at });
        let neighbour = |by: usize| self.on_stage(rank, (at.stage + by) % self.pp);
        let (next, previous) = (neighbour(1), neighbour(self.pp - 1));
        match channel {
            Channel::Tensor => (0..self.tp).map(|tensor| self.rank(Coordinates { tensor, ..at })).collect(),
            Channel::Context => (0..self.cp).map(|context| self.rank(Coordinates { context, ..at })).collect(),
            Channel::Expert => (0..self.ep).map(|e| of_replica(replica / self.ep * self.ep + e)).collect(),
            Channel::Data => (0..self.dp * self.cp).map(of_replica).collect(),
            Channel::ExpertData => {
                (0..self.dp * self.cp / self.ep).map(|n| of_replica(n * self.ep + replica % self.ep)).collect()
            }
            Channel::World => (0..self.ranks()).collect(),
            Channel::SendForward => vec![rank, next],
            Channel::ReceiveForward => vec![previous, rank],
            Channel::SendBackward => vec![rank, previous],
            Channel::ReceiveBackward => vec![next, rank],
        }
    }

    /// The group that a rank meets on a channel; `None` for a rank that has nobody to talk to there.
    pub fn group(self, channel: Channel, rank: usize, config: &JobConfig) -> Option<Group> {
        let members = self.members(channel, rank);
        let (first, kind) = (members.first().copied()?, channel.group());
        // The last stage passes nothing on to the first, unless the model goes round again.
        let goes_round = config.virtual_stages > 1;
        let (from, to) = (self.stage(first), members.last().map_or(0, |&last| self.stage(last)));
        let is_used = match channel {
            Channel::ExpertData => config.is_sparse(),
            Channel::SendForward | Channel::ReceiveForward => from < to || goes_round,
            Channel::SendBackward | Channel::ReceiveBackward => from > to || goes_round,
            _ => true,
        };
        if members.len() < 2 || members.first() == members.last() || !is_used {
            return None;
        }
        let mut ranks = members;
        ranks.sort_unstable();
        let host = first / config.devices_per_host;
        let port = 60_000 + first % config.devices_per_host;
        let (high, low, time) = (host / 250, host % 250 + 1, config.start / 1000);
        // Both ends of a direction know it by the same number.
        let number = match channel {
            Channel::ReceiveForward => Channel::SendForward as u8,
            Channel::ReceiveBackward => Channel::SendBackward as u8,
            other => other as u8,
        };
        let name = format!("10.0.{high}.{low}%eth0_{port}_{number}_{time}");
        Some(Group { kind, hash: group_hash(&name), ranks, name })
    }

    /// The groups a rank is in.
    pub fn groups(self, rank: usize, config: &JobConfig) -> Vec<Group> {
        Channel::ALL.iter().filter_map(|&channel| self.group(channel, rank, config)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout { tp: 2, cp: 2, dp: 4, pp: 3, ep: 4 };

    #[test]
    fn every_rank_has_its_own_place() {
        for rank in 0..LAYOUT.ranks() {
            assert_eq!(LAYOUT.rank(LAYOUT.place(rank)), rank);
        }
    }

    #[test]
    fn members_agree_on_their_groups() {
        let config = JobConfig {
            tp: 2,
            cp: 2,
            dp: 4,
            pp: 3,
            ep: 4,
            experts: 4,
            virtual_stages: 2,
            devices_per_host: 5,
            ..JobConfig::default()
        };
        for rank in 0..LAYOUT.ranks() {
            let groups = LAYOUT.groups(rank, &config);
            assert_eq!(groups.len(), Channel::ALL.len());
            for group in &groups {
                assert!(group.ranks.contains(&rank) && group.ranks.is_sorted());
                for &other in &group.ranks {
                    assert!(LAYOUT.groups(other, &config).contains(group), "{group:?}");
                }
                assert_eq!(groups.iter().filter(|g| g.name == group.name).count(), 1);
            }
        }
    }

    #[test]
    fn experts_and_their_replicas_meet_in_one_rank() {
        for rank in 0..LAYOUT.ranks() {
            let experts = LAYOUT.members(Channel::Expert, rank);
            let replicas = LAYOUT.members(Channel::ExpertData, rank);
            assert_eq!((experts.len(), replicas.len()), (4, 2));
            assert_eq!(experts.iter().filter(|r| replicas.contains(r)).collect::<Vec<_>>(), [&rank]);
        }
    }
}
