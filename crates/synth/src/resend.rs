//! Transfers between hosts that are lost on the way and sent again.

use crate::blocks::{Blocks, Channel};
use crate::chip::whole_ns;
use crate::config::JobConfig;
use crate::error::{ConfigError, Misplaced};
use crate::fault::FaultKind;
use crate::layout::Layout;
use crate::network::Network;

/// What sending again adds to a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// The rank that sends.
    pub rank: usize,
    pub ns: u64,
}

/// Channels in the order in which a transfer to be lost is looked for.
const ORDER: [Channel; 8] = [
    Channel::Data,
    Channel::ExpertData,
    Channel::SendForward,
    Channel::SendBackward,
    Channel::Expert,
    Channel::Context,
    Channel::Tensor,
    Channel::World,
];

/// The first channel on which a rank sends to another host.
fn struck(config: &JobConfig, blocks: &Blocks, rank: usize) -> Option<Channel> {
    let layout = Layout::of(config);
    let network = Network { config, step: config.first_step };
    ORDER.into_iter().find(|&channel| {
        let Some(_) = layout.group(channel, rank, config) else { return false };
        let ranks = layout.members(channel, rank);
        let of_channel = blocks.communications.iter().find(|c| c.channel == channel);
        of_channel.is_some_and(|communication| network.first_send_abroad(communication, &ranks, rank).is_some())
    })
}

/// What is sent again of the first communication of a step on a channel.
pub fn sent_again(config: &JobConfig, blocks: &Blocks, step: i64, channel: Channel, ranks: &[usize]) -> Option<Again> {
    // A receiver sees it on its own channel.
    let channel = match channel {
        Channel::ReceiveForward => Channel::SendForward,
        Channel::ReceiveBackward => Channel::SendBackward,
        other => other,
    };
    let faults = config.faults.iter().filter(|fault| {
        let is_here = fault.kind == FaultKind::Retransmission && fault.is_in(step) && ranks.contains(&fault.place);
        is_here && struck(config, blocks, fault.place) == Some(channel)
    });
    let is_sender = |rank: usize| channel.group() != crate::layout::GroupKind::Pipeline || ranks.first() == Some(&rank);
    faults.filter(|fault| is_sender(fault.place)).fold(None, |again, fault| {
        let Again { rank, ns } = again.unwrap_or(Again { rank: fault.place, ns: 0 });
        Some(Again { rank, ns: ns + whole_ns(fault.strength * 1e6) })
    })
}

/// Whether every transfer that a fault wants to be lost exists.
pub fn check(config: &JobConfig, blocks: &Blocks) -> Result<(), ConfigError> {
    let mut faults = config.faults.iter().filter(|fault| fault.kind == FaultKind::Retransmission);
    match faults.find(|fault| struck(config, blocks, fault.place).is_none()) {
        Some(fault) => {
            Err(ConfigError::Fault { fault: fault.to_string(), source: Misplaced::SendsNothing { rank: fault.place } })
        }
        None => Ok(()),
    }
}
