//! Who sends how much to whom, and how long it takes.

use crate::blocks::{Communication, Verb};
use crate::chip::whole_ns;
use crate::config::JobConfig;
use crate::fault::FaultKind;
use crate::resend::Again;

/// Messages below this go along a tree, which has fewer rounds; above, round a ring, which moves less.
const TREE_BELOW: u64 = 64 << 10;

/// How a collective is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Ring,
    Tree,
    Mesh,
}

impl Algorithm {
    pub fn of(communication: &Communication) -> Algorithm {
        match communication.verb {
            Verb::Dispatch | Verb::Combine => Algorithm::Mesh,
            Verb::AllReduce if communication.bytes() < TREE_BELOW => Algorithm::Tree,
            _ => Algorithm::Ring,
        }
    }

    /// As HCCL writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Ring => "MESH-RING",
            Algorithm::Tree => "MESH-H-D",
            Algorithm::Mesh => "MESH-MESH",
        }
    }
}

/// One round of a communication as a rank sees it. All rounds of an operation begin together on all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// From the start of the transfer, in ns.
    pub start: u64,
    pub end: u64,
    /// What the rank sends.
    pub sends: Vec<Transfer>,
    /// What it gets.
    pub receives: Vec<Transfer>,
    /// Whether what comes is added to what is there.
    pub reduces: bool,
}

/// Data on its way over one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The other rank.
    pub peer: usize,
    pub bytes: u64,
    pub ns: u64,
}

/// The links of a job in one step.
#[derive(Clone, Copy)]
pub struct Network<'a> {
    pub config: &'a JobConfig,
    /// Number of the step.
    pub step: i64,
}

impl Network<'_> {
    pub fn same_host(&self, a: usize, b: usize) -> bool {
        a / self.config.devices_per_host == b / self.config.devices_per_host
    }

    /// Nanoseconds to move so many bytes from one rank to another.
    pub fn link_ns(&self, a: usize, b: usize, bytes: u64) -> u64 {
        let slow = self.config.faults.iter().filter(|fault| {
            let ends = (fault.place, fault.other.unwrap_or(usize::MAX));
            fault.kind == FaultKind::SlowLink && fault.is_in(self.step) && (ends == (a, b) || ends == (b, a))
        });
        let factor: f64 = slow.map(|fault| fault.strength).product();
        whole_ns(self.config.chip.link_ns(bytes, self.same_host(a, b)) * factor)
    }

    /// Bytes of an exchange from one rank to another: an even share, and more to or from experts that get more
    /// tokens. The tokens that they get are not taken from others: every rank routes more of them there.
    fn exchanged(&self, communication: &Communication, from: usize, to: usize, count: usize) -> u64 {
        let count = count as u64;
        let of_experts = if communication.verb == Verb::Combine { from } else { to };
        scaled(communication.bytes() / (count * count), self.expert_factor(of_experts))
    }

    /// Bytes that a rank sends in an exchange, its own share included.
    pub fn sent_bytes(&self, communication: &Communication, ranks: &[usize], rank: usize) -> u64 {
        ranks.iter().map(|&to| self.exchanged(communication, rank, to, ranks.len())).sum()
    }

    /// Bytes that a rank keeps for itself.
    pub fn own_bytes(&self, communication: &Communication, ranks: &[usize], rank: usize) -> u64 {
        match Algorithm::of(communication) {
            Algorithm::Mesh => self.exchanged(communication, rank, rank, ranks.len()),
            _ => communication.bytes() / ranks.len() as u64,
        }
    }

    /// How many times its share of tokens the experts of a rank get.
    pub fn expert_factor(&self, rank: usize) -> f64 {
        let faults = self.config.faults.iter().filter(|f| f.kind == FaultKind::Experts && f.place == rank);
        faults.filter(|fault| fault.is_in(self.step)).map(|fault| fault.strength).product()
    }

    /// Nanoseconds that a communication among `ranks` takes once all are there.
    pub fn duration(&self, communication: &Communication, ranks: &[usize], again: Option<Again>) -> u64 {
        self.undisturbed(communication, ranks) + again.map_or(0, |again| again.ns)
    }

    fn undisturbed(&self, communication: &Communication, ranks: &[usize]) -> u64 {
        match Algorithm::of(communication) {
            Algorithm::Ring if communication.verb.is_point_to_point() => match ranks {
                [from, to] => self.link_ns(*from, *to, communication.bytes()),
                _ => 0,
            },
            Algorithm::Ring => ring_rounds(communication.verb, ranks.len()) * self.ring_round_ns(communication, ranks),
            Algorithm::Tree => (0..tree_rounds(ranks.len())).map(|r| self.tree_round_ns(communication, ranks, r)).sum(),
            Algorithm::Mesh => {
                ranks.iter().map(|&rank| self.mesh_ns(communication, ranks, rank)).max().unwrap_or_default()
            }
        }
    }

    /// When the round begins in which a rank first sends to another host, and whom.
    pub fn first_send_abroad(
        &self,
        communication: &Communication,
        ranks: &[usize],
        rank: usize,
    ) -> Option<(u64, usize)> {
        let is_abroad = |transfer: &&Transfer| !self.same_host(rank, transfer.peer);
        let rounds = self.planned(communication, ranks, rank);
        rounds.iter().find_map(|round| Some((round.start, round.sends.iter().find(is_abroad)?.peer)))
    }

    /// The rounds of a communication as one of its ranks sees them.
    ///
    /// A transfer that is sent again takes longer, and so does its round, for all; the later ones wait.
    pub fn rounds(
        &self,
        communication: &Communication,
        ranks: &[usize],
        rank: usize,
        again: Option<Again>,
    ) -> Vec<Round> {
        let mut rounds = self.planned(communication, ranks, rank);
        let Some(Again { rank: sender, ns }) = again else { return rounds };
        let Some((lost, receiver)) = self.first_send_abroad(communication, ranks, sender) else { return rounds };
        for round in &mut rounds {
            if round.start > lost {
                round.start += ns;
            }
            if round.end > lost {
                round.end += ns;
            }
            if round.start == lost {
                let sent = round.sends.iter_mut().filter(|t| (rank, t.peer) == (sender, receiver));
                let received = round.receives.iter_mut().filter(|t| (t.peer, rank) == (sender, receiver));
                sent.chain(received).for_each(|transfer| transfer.ns += ns);
            }
        }
        rounds
    }

    fn planned(&self, communication: &Communication, ranks: &[usize], rank: usize) -> Vec<Round> {
        match Algorithm::of(communication) {
            Algorithm::Ring if communication.verb.is_point_to_point() => {
                self.point_to_point(communication, ranks, rank)
            }
            Algorithm::Ring => self.ring(communication, ranks, rank),
            Algorithm::Tree => self.tree(communication, ranks, rank),
            Algorithm::Mesh => self.mesh(communication, ranks, rank),
        }
    }

    fn transfer(&self, from: usize, to: usize, bytes: u64, is_sender: bool) -> Transfer {
        Transfer { peer: if is_sender { to } else { from }, bytes, ns: self.link_ns(from, to, bytes) }
    }

    fn point_to_point(&self, communication: &Communication, ranks: &[usize], rank: usize) -> Vec<Round> {
        let &[from, to] = ranks else { return Vec::new() };
        let transfer = self.transfer(from, to, communication.bytes(), rank == from);
        let (sends, receives) = if rank == from { (vec![transfer], vec![]) } else { (vec![], vec![transfer]) };
        vec![Round { start: 0, end: transfer.ns, sends, receives, reduces: false }]
    }

    /// Bytes that go to the next rank in each round of a ring.
    fn ring_share(communication: &Communication, count: usize) -> u64 {
        match communication.verb {
            Verb::Shift => communication.bytes(),
            _ => communication.bytes() / count as u64,
        }
    }

    fn ring_round_ns(&self, communication: &Communication, ranks: &[usize]) -> u64 {
        let share = Self::ring_share(communication, ranks.len());
        let hops = ranks.iter().zip(ranks.iter().cycle().skip(1));
        hops.map(|(&a, &b)| self.link_ns(a, b, share)).max().unwrap_or_default()
    }

    fn ring(&self, communication: &Communication, ranks: &[usize], rank: usize) -> Vec<Round> {
        let (count, at) = (ranks.len(), ranks.binary_search(&rank).unwrap_or_default());
        let neighbour = |by: usize| ranks.get((at + by) % count).copied().unwrap_or(rank);
        let (next, previous) = (neighbour(1), neighbour(count - 1));
        let share = Self::ring_share(communication, count);
        let each = self.ring_round_ns(communication, ranks);
        let reducing = match communication.verb {
            Verb::AllReduce | Verb::ReduceScatter => count as u64 - 1,
            _ => 0,
        };
        (0..ring_rounds(communication.verb, count))
            .map(|round| Round {
                start: round * each,
                end: (round + 1) * each,
                sends: vec![self.transfer(rank, next, share, true)],
                receives: vec![self.transfer(previous, rank, share, false)],
                reduces: round < reducing,
            })
            .collect()
    }

    /// Who sends to whom in a round of a tree: up to the root first, then down again.
    fn tree_hops(count: usize, round: u64) -> impl Iterator<Item = (usize, usize)> {
        let (half, levels) = (tree_rounds(count) / 2, tree_rounds(count));
        let is_up = round < half;
        let level = if is_up { round } else { levels - 1 - round };
        let distance = 1usize << level;
        let children = (distance..count).step_by(2 * distance);
        children.map(move |child| if is_up { (child, child - distance) } else { (child - distance, child) })
    }

    fn tree_round_ns(&self, communication: &Communication, ranks: &[usize], round: u64) -> u64 {
        let hops = Self::tree_hops(ranks.len(), round).filter_map(|(a, b)| Some((*ranks.get(a)?, *ranks.get(b)?)));
        hops.map(|(a, b)| self.link_ns(a, b, communication.bytes())).max().unwrap_or_default()
    }

    fn tree(&self, communication: &Communication, ranks: &[usize], rank: usize) -> Vec<Round> {
        let at = ranks.binary_search(&rank).unwrap_or_default();
        let mut start = 0;
        let mut rounds = Vec::new();
        for round in 0..tree_rounds(ranks.len()) {
            let end = start + self.tree_round_ns(communication, ranks, round);
            let (mut sends, mut receives) = (Vec::new(), Vec::new());
            for (from, to) in Self::tree_hops(ranks.len(), round).filter(|(from, to)| *from == at || *to == at) {
                let (Some(&a), Some(&b)) = (ranks.get(from), ranks.get(to)) else { continue };
                let list = if from == at { &mut sends } else { &mut receives };
                list.push(self.transfer(a, b, communication.bytes(), from == at));
            }
            if !sends.is_empty() || !receives.is_empty() {
                rounds.push(Round { start, end, sends, receives, reduces: round < tree_rounds(ranks.len()) / 2 });
            }
            start = end;
        }
        rounds
    }

    /// What one rank needs to send to all others: side by side within a host, one after the other by RDMA.
    fn mesh_ns(&self, communication: &Communication, ranks: &[usize], rank: usize) -> u64 {
        let (mut inside, mut outside) = (0, 0);
        for &to in ranks.iter().filter(|&&to| to != rank) {
            let ns = self.link_ns(rank, to, self.exchanged(communication, rank, to, ranks.len()));
            if self.same_host(rank, to) {
                inside = ns.max(inside);
            } else {
                outside += ns;
            }
        }
        inside.max(outside)
    }

    fn mesh(&self, communication: &Communication, ranks: &[usize], rank: usize) -> Vec<Round> {
        let others = || ranks.iter().copied().filter(|&other| other != rank);
        let bytes = |from: usize, to: usize| self.exchanged(communication, from, to, ranks.len());
        let sends = others().map(|to| self.transfer(rank, to, bytes(rank, to), true));
        let receives = others().map(|from| self.transfer(from, rank, bytes(from, rank), false));
        let end = self.undisturbed(communication, ranks);
        vec![Round { start: 0, end, sends: sends.collect(), receives: receives.collect(), reduces: false }]
    }
}

fn ring_rounds(verb: Verb, count: usize) -> u64 {
    match verb {
        Verb::AllReduce => 2 * (count as u64 - 1),
        Verb::Shift => 1,
        _ => count as u64 - 1,
    }
}

fn tree_rounds(count: usize) -> u64 {
    2 * u64::from(count.next_power_of_two().trailing_zeros())
}

/// So many times as much, in whole bytes.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bytes of a transfer are far below 2^53"
)]
pub fn scaled(amount: u64, factor: f64) -> u64 {
    (amount as f64 * factor) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::blocks::Channel;
    use crate::fault::Fault;
    use crate::kernels::Dtype;

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        /// What one rank says it sends, the other says it gets, and no round ends before its transfers do.
        #[test]
        fn what_is_sent_is_received(
            count in 2usize..20,
            stride in 1usize..5,
            elements in 1u64..10_000_000,
            verb in prop::sample::select(vec![
                Verb::AllReduce, Verb::ReduceScatter, Verb::AllGather, Verb::Dispatch, Verb::Combine, Verb::Shift,
            ]),
            slow in (0usize..20, 0usize..20, 1.0f64..10.0),
            busy in (0usize..20, 1.0f64..5.0),
            sender in 0usize..20,
        ) {
            let ranks: Vec<usize> = (0..count).map(|n| n * stride).collect();
            let link = Fault { other: Some(slow.1), ..Fault::new(FaultKind::SlowLink, slow.0) }.strength(slow.2);
            let experts = Fault::new(FaultKind::Experts, busy.0).strength(busy.1);
            let config = JobConfig { faults: vec![link, experts], ..JobConfig::default() };
            let network = Network { config: &config, step: 10 };
            let communication = Communication { channel: Channel::World, verb, elements, dtype: Dtype::F32 };
            let again = Some(Again { rank: ranks[sender % count], ns: 1_000_000 });
            let again = again.filter(|a| network.first_send_abroad(&communication, &ranks, a.rank).is_some());
            let duration = network.duration(&communication, &ranks, again);
            let (mut sent, mut received) = (Vec::new(), Vec::new());
            for &rank in &ranks {
                for round in network.rounds(&communication, &ranks, rank, again) {
                    prop_assert!(round.end <= duration);
                    let fits = |t: &Transfer| t.ns <= round.end - round.start;
                    prop_assert!(round.receives.iter().all(fits) && round.sends.iter().all(fits));
                    sent.extend(round.sends.iter().map(|t| (rank, t.peer, round.start, t.bytes, t.ns)));
                    received.extend(round.receives.iter().map(|t| (t.peer, rank, round.start, t.bytes, t.ns)));
                }
            }
            sent.sort_unstable();
            received.sort_unstable();
            prop_assert!(!sent.is_empty());
            prop_assert_eq!(sent, received);
        }
    }

    #[test]
    fn every_rank_of_a_tree_hears_of_every_other() {
        for count in 2..40 {
            let mut known: Vec<Vec<bool>> = (0..count).map(|r| (0..count).map(|o| o == r).collect()).collect();
            for round in 0..tree_rounds(count) {
                for (from, to) in Network::tree_hops(count, round).collect::<Vec<_>>() {
                    let copied = known[from].clone();
                    known[to].iter_mut().zip(copied).for_each(|(k, t)| *k |= t);
                }
            }
            assert!(known.iter().flatten().all(|k| *k), "{count}");
        }
    }
}
