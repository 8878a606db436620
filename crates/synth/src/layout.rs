//! Who is where in the parallel layout, and who talks to whom.

use npuscope_formats::link::group_hash;

use crate::config::JobConfig;

/// Places of ranks: tensor-parallel neighbours are next to each other, then data-parallel, then stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub tp: usize,
    pub pp: usize,
    pub dp: usize,
}

/// What a group communicates for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupKind {
    Tensor,
    Data,
    Pipeline,
}

impl GroupKind {
    pub const fn name(self) -> &'static str {
        match self {
            GroupKind::Tensor => "tp",
            GroupKind::Data => "dp",
            GroupKind::Pipeline => "pp",
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
        self.ranks.iter().position(|&r| r == rank).unwrap_or_default()
    }

    /// The three digits of the hash that stand in operation names.
    pub fn digits(&self) -> &str {
        self.hash.get(self.hash.len().saturating_sub(3)..).unwrap_or_default()
    }
}

/// Devices of one host.
pub const DEVICES_PER_HOST: usize = 8;

impl Layout {
    pub fn of(config: &JobConfig) -> Layout {
        Layout { tp: config.tp, pp: config.pp, dp: config.dp }
    }

    /// Tensor, data and pipeline coordinates of a rank.
    pub fn place(self, rank: usize) -> (usize, usize, usize) {
        (rank % self.tp, rank / self.tp % self.dp, rank / (self.tp * self.dp))
    }

    pub fn rank(self, tensor: usize, data: usize, stage: usize) -> usize {
        (stage * self.dp + data) * self.tp + tensor
    }

    /// The groups a rank is in, those of one rank left out.
    pub fn groups(self, rank: usize, config: &JobConfig) -> Vec<Group> {
        let (tensor, data, stage) = self.place(rank);
        let groups = [
            (GroupKind::Tensor, (0..self.tp).map(|t| self.rank(t, data, stage)).collect::<Vec<_>>()),
            (GroupKind::Data, (0..self.dp).map(|d| self.rank(tensor, d, stage)).collect()),
            (GroupKind::Pipeline, (0..self.pp).map(|s| self.rank(tensor, data, s)).collect()),
        ];
        groups
            .into_iter()
            .filter(|(_, ranks)| ranks.len() > 1)
            .map(|(kind, ranks)| group(kind, ranks, config))
            .collect()
    }
}

fn group(kind: GroupKind, ranks: Vec<usize>, config: &JobConfig) -> Group {
    let first = ranks.first().copied().unwrap_or_default();
    let host = first / DEVICES_PER_HOST;
    let port = 60_000 + first % DEVICES_PER_HOST;
    let name = format!("10.0.{}.{}%eth0_{port}_{}_{}", host / 250, host % 250 + 1, kind as u8, config.start / 1000);
    Group { kind, hash: group_hash(&name), ranks, name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_its_own_place() {
        let layout = Layout { tp: 2, pp: 3, dp: 4 };
        for rank in 0..24 {
            let (tensor, data, stage) = layout.place(rank);
            assert_eq!(layout.rank(tensor, data, stage), rank);
        }
    }

    #[test]
    fn members_agree_on_their_groups() {
        let config = JobConfig { tp: 2, pp: 2, dp: 2, ..JobConfig::default() };
        let layout = Layout::of(&config);
        for rank in 0..8 {
            for group in layout.groups(rank, &config) {
                assert!(group.ranks.contains(&rank));
                for &other in &group.ranks {
                    assert!(layout.groups(other, &config).contains(&group));
                }
            }
        }
    }
}
