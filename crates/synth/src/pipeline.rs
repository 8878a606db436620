//! In what order a stage works on micro-batches.

/// The forward or backward pass of one micro-batch through one piece of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    pub is_backward: bool,
    pub micro_batch: usize,
    /// Which of the stage's pieces of the model.
    pub piece: usize,
}

/// The passes of a stage: one forward, one backward, after running ahead of the stages that follow.
///
/// With several pieces per stage, micro-batches go in groups of as many as there are stages, through one
/// piece after the other.
pub fn passes(stage: usize, stages: usize, pieces: usize, micro_batches: usize) -> Vec<Pass> {
    let all = micro_batches * pieces;
    let ahead = match pieces {
        1 => stages - stage - 1,
        _ => (stages - stage - 1) * 2 + (pieces - 1) * stages,
    };
    let ahead = ahead.min(all);
    let nth = |number: usize, is_backward: bool| {
        if pieces == 1 {
            return Pass { is_backward, micro_batch: number, piece: 0 };
        }
        let group = stages * pieces;
        let piece = number % group / stages;
        Pass {
            is_backward,
            micro_batch: number / group * stages + number % stages,
            piece: if is_backward { pieces - 1 - piece } else { piece },
        }
    };
    let mut order: Vec<Pass> = (0..ahead).map(|number| nth(number, false)).collect();
    for number in 0..all - ahead {
        order.extend([nth(ahead + number, false), nth(number, true)]);
    }
    order.extend((all - ahead..all).map(|number| nth(number, true)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_micro_batch_goes_through_every_piece_and_back() {
        for (stages, pieces, micro_batches) in [(1, 1, 3), (4, 1, 2), (4, 1, 6), (2, 2, 4), (4, 3, 8)] {
            for stage in 0..stages {
                let order = passes(stage, stages, pieces, micro_batches);
                for micro_batch in 0..micro_batches {
                    for piece in 0..pieces {
                        let at = |is_backward| {
                            let pass = Pass { is_backward, micro_batch, piece };
                            let mut places = order.iter().enumerate().filter(|(_, p)| **p == pass).map(|(n, _)| n);
                            let place = places.next().unwrap();
                            assert_eq!(places.next(), None);
                            place
                        };
                        assert!(at(false) < at(true));
                    }
                }
                assert_eq!(order.len(), 2 * pieces * micro_batches);
            }
        }
    }
}
