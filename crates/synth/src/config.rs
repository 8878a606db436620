//! What job to simulate.

use npuscope_formats::flavour::Flavour;

/// A training job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobConfig {
    /// Tensor-parallel size.
    pub tp: usize,
    /// Pipeline-parallel size.
    pub pp: usize,
    /// Data-parallel size.
    pub dp: usize,
    /// Transformer layers, divided among the pipeline's stages.
    pub layers: usize,
    pub hidden: u64,
    pub sequence: u64,
    pub vocabulary: u64,
    /// Micro-batches per step, run one forward, one backward.
    pub micro_batches: usize,
    pub steps: usize,
    /// Number of the first step.
    pub first_step: i64,
    pub slow_rank: Option<SlowRank>,
    pub seed: u64,
    pub flavour: Flavour,
    /// When collection starts, in ns since the epoch.
    pub start: i64,
}

/// A rank whose kernels take longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowRank {
    pub rank: usize,
    /// How many times as long.
    pub factor: f64,
}

impl Default for JobConfig {
    fn default() -> Self {
        JobConfig {
            tp: 2,
            pp: 2,
            dp: 2,
            layers: 8,
            hidden: 4096,
            sequence: 4096,
            vocabulary: 32_000,
            micro_batches: 4,
            steps: 3,
            first_step: 10,
            slow_rank: None,
            seed: 1,
            flavour: Flavour::TorchNpu,
            start: 1_767_225_600_000_000_000,
        }
    }
}

#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    #[error("{what} must be at least 1")]
    Zero { what: &'static str },
    #[error("{layers} layers cannot be divided among {pp} pipeline stages")]
    Layers { layers: usize, pp: usize },
    #[error("the job has ranks 0 to {last}; there is no rank {rank} to be slow")]
    NoSuchRank { rank: usize, last: usize },
    #[error("a slow rank's factor must be at least 1 and finite, not {factor}")]
    Factor { factor: f64 },
    #[error("hidden size {hidden} cannot be divided among {tp} tensor-parallel ranks")]
    Hidden { hidden: u64, tp: usize },
}

impl JobConfig {
    pub fn ranks(&self) -> usize {
        self.tp * self.pp * self.dp
    }

    pub fn check(&self) -> Result<(), ConfigError> {
        let sizes = [
            ("tp", self.tp),
            ("pp", self.pp),
            ("dp", self.dp),
            ("layers", self.layers),
            ("micro-batches", self.micro_batches),
            ("steps", self.steps),
            ("hidden", usize::from(self.hidden > 0)),
            ("sequence", usize::from(self.sequence > 0)),
            ("vocabulary", usize::from(self.vocabulary > 0)),
        ];
        if let Some((what, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(ConfigError::Zero { what });
        }
        if !self.layers.is_multiple_of(self.pp) {
            return Err(ConfigError::Layers { layers: self.layers, pp: self.pp });
        }
        if !self.hidden.is_multiple_of(self.tp as u64) {
            return Err(ConfigError::Hidden { hidden: self.hidden, tp: self.tp });
        }
        if let Some(SlowRank { rank, factor }) = self.slow_rank {
            if rank >= self.ranks() {
                return Err(ConfigError::NoSuchRank { rank, last: self.ranks() - 1 });
            }
            if !(factor >= 1.0 && factor.is_finite()) {
                return Err(ConfigError::Factor { factor });
            }
        }
        Ok(())
    }
}
