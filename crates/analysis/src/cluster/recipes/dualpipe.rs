//! The schedule of DualPipeV: which passes a stage runs, in order.

use std::ops::Range;

/// Passes of a stage and the phase they belong to, 0 to 6.
///
/// The model is cut into `2 * stages` pieces, of which each stage has two: data goes through the first of all stages
/// and back through the second of all. Micro-batches of the first piece are numbered from 0, those of the second from
/// `micro_batches`. A forward pass is `k`, a backward pass `kB`, both at once `kF+mB`; a backward pass in two parts is
/// `kb`, for the input, and `kw`, for the weights. Stage 0 computes `logits` before passes that need them. Empty if
/// there are fewer than two micro-batches for each stage, or if it would be longer than `most` passes: every
/// micro-batch goes forward twice, each time in a pass of its own.
pub fn schedule(stages: usize, micro_batches: usize, stage: usize, most: usize) -> Vec<(String, i64)> {
    if stages > micro_batches / 2 || stage >= stages || micro_batches > most / 2 {
        return Vec::new();
    }
    let after = stages - stage - 1;
    let mut passes = Passes { list: Vec::new(), phase: 0, has_logits: stage == 0 };
    let mut forward = [0..micro_batches, micro_batches..2 * micro_batches];
    let mut backward = forward.clone();
    let next = |numbers: &mut Range<usize>| numbers.next().unwrap_or_default();

    for _ in 0..2 * after {
        passes.push(next(&mut forward[0]).to_string());
    }
    passes.phase = 1;
    for _ in 0..=stage {
        passes.push(next(&mut forward[0]).to_string());
        passes.push(next(&mut forward[1]).to_string());
    }
    passes.phase = 2;
    for _ in 0..after {
        let back = next(&mut backward[1]);
        passes.logits();
        passes.push(format!("{back}b"));
        passes.push(format!("{back}w"));
        passes.push(next(&mut forward[1]).to_string());
    }
    passes.phase = 3;
    for pair in 0..=micro_batches - 2 * stages + stage {
        passes.logits();
        let (ahead, back) = (next(&mut forward[0]), next(&mut backward[1]));
        if pair == 0 && after == 0 {
            passes.push(format!("{ahead}F"));
            passes.push(format!("{back}B"));
        } else {
            passes.push(format!("{ahead}F+{back}B"));
        }
        passes.push(format!("{}F+{}B", next(&mut forward[1]), next(&mut backward[0])));
    }
    passes.phase = 4;
    for _ in 0..after {
        passes.logits();
        passes.push(format!("{}B", next(&mut backward[1])));
        passes.push(format!("{}F+{}B", next(&mut forward[1]), next(&mut backward[0])));
    }
    for place in 0..=stage + stages {
        passes.phase = if place <= stage { 5 } else { 6 };
        let piece = if place % 2 == 0 && !backward[1].is_empty() { 1 } else { 0 };
        let back = next(&mut backward[piece]);
        if piece == 1 && passes.phase == 5 {
            passes.logits();
        }
        passes.push(format!("{back}B"));
    }
    passes.list
}

struct Passes {
    list: Vec<(String, i64)>,
    phase: i64,
    has_logits: bool,
}

impl Passes {
    fn push(&mut self, pass: String) {
        self.list.push((pass, self.phase));
    }

    fn logits(&mut self) {
        if self.has_logits {
            self.push("logits".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: usize = 1000;

    #[test]
    fn what_no_rank_can_have_run_is_not_made() {
        for micro_batches in [500_000_000_000, usize::MAX] {
            assert_eq!(schedule(2, micro_batches, 0, MANY), []);
            assert_eq!(schedule(usize::MAX / 2, micro_batches, 0, MANY), []);
        }
        assert_eq!(schedule(usize::MAX, 4, 0, MANY), []);
    }

    /// As msprof-analyze 26.2 names the passes.
    #[test]
    fn stages_run_what_the_peer_expects() {
        let expected = [
            (
                (2, 4, 0),
                "0:0 1:0 2:1 4:1 logits:2 4b:2 4w:2 5:2 logits:3 3F+5B:3 6F+0B:3 logits:4 6B:4 7F+1B:4 logits:5 7B:5 \
                 2B:6 3B:6",
            ),
            ((2, 4, 1), "0:1 4:1 1:1 5:1 2F:3 4B:3 6F+0B:3 3F+5B:3 7F+1B:3 6B:5 2B:5 7B:6 3B:6"),
            (
                (3, 6, 1),
                "0:0 1:0 2:1 6:1 3:1 7:1 6b:2 6w:2 8:2 4F+7B:3 9F+0B:3 5F+8B:3 10F+1B:3 9B:4 11F+2B:4 10B:5 3B:5 \
                 11B:6 4B:6 5B:6",
            ),
            (
                (3, 6, 2),
                "0:1 6:1 1:1 7:1 2:1 8:1 3F:3 6B:3 9F+0B:3 4F+7B:3 10F+1B:3 5F+8B:3 11F+2B:3 9B:5 3B:5 10B:5 4B:6 \
                 11B:6 5B:6",
            ),
            ((1, 3, 0), "0:1 3:1 logits:3 1F:3 3B:3 4F+0B:3 logits:3 2F+4B:3 5F+1B:3 logits:5 5B:5 2B:6"),
            ((2, 3, 0), ""),
        ];
        for ((stages, micro_batches, stage), passes) in expected {
            let ours: Vec<String> = schedule(stages, micro_batches, stage, MANY)
                .iter()
                .map(|(name, phase)| format!("{name}:{phase}"))
                .collect();
            assert_eq!(ours.join(" "), passes, "stage {stage} of {stages}, {micro_batches} micro-batches");
        }
    }

    #[test]
    fn every_micro_batch_goes_forward_and_backward_through_both_pieces() {
        for (stages, micro_batches) in [(2, 4), (3, 7), (4, 8), (4, 13), (8, 16)] {
            for stage in 0..stages {
                let passes = schedule(stages, micro_batches, stage, MANY);
                let (mut forward, mut backward) = (Vec::new(), Vec::new());
                for part in passes.iter().flat_map(|(name, _)| name.split('+')).filter(|part| *part != "logits") {
                    let number: usize = part.trim_end_matches(['F', 'B', 'b', 'w']).parse().unwrap();
                    match part.chars().last() {
                        Some('B' | 'b') => backward.push(number),
                        Some('w') => {}
                        _ => forward.push(number),
                    }
                }
                forward.sort_unstable();
                backward.sort_unstable();
                let all: Vec<usize> = (0..2 * micro_batches).collect();
                assert_eq!((forward, backward), (all.clone(), all), "stage {stage} of {stages}");
            }
        }
    }
}
