//! Tiles: what is drawn of some lanes in a stretch of time, as bytes.
//!
//! A tile of level L covers 256 intervals of 2^L ns, counted from the origin of the profile. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | number of lanes |
//! | 8 per lane | lane, number of bars |
//! | 20 per bar | begin and end in 65536ths of the tile (2 + 2), row (2), 0 (2), slice (4), name (4), slices it stands for (4) |
//!
//! Bars that reach beyond the tile are cut at its edges. Their number does not depend on how many slices there are.

use super::Timeline;

/// Intervals of a tile.
pub const INTERVALS: i64 = 256;

/// The highest level: a tile of it covers all times there are.
pub const MAX_LEVEL: u32 = 54;

/// A stretch of time that a tile covers.
#[derive(Clone, Copy, Debug)]
pub struct TileTime {
    pub begin: i64,
    pub end: i64,
    pub level: u32,
}

impl TileTime {
    /// `origin` is the time that tiles are counted from.
    pub fn new(level: u32, index: i64, origin: i64) -> TileTime {
        let level = level.min(MAX_LEVEL);
        let length = INTERVALS << level;
        let begin = index.saturating_mul(length).saturating_add(origin);
        TileTime { begin, end: begin.saturating_add(length), level }
    }

    /// Where a time is in the tile, in 65536ths; those outside are at its edges.
    pub fn share(&self, time: i64) -> u16 {
        let time = time.clamp(self.begin, self.end) - self.begin;
        // 256 intervals are 8 bits of the 16.
        let share = if self.level >= 8 { time >> (self.level - 8) } else { time << (8 - self.level) };
        u16::try_from(share).unwrap_or(u16::MAX)
    }
}

/// The tile of some lanes.
pub fn tile(timeline: &Timeline, lanes: &[usize], time: TileTime) -> Vec<u8> {
    let mut heads = Vec::with_capacity(HEAD + LANE_HEAD * lanes.len());
    let mut bars = Vec::new();
    heads.extend((lanes.len() as u32).to_le_bytes());
    for &lane in lanes {
        let before = bars.len();
        for (row, of_row) in (0u32..).zip(timeline.rows(lane)) {
            for bar in timeline.bars(of_row, time.level, time.begin, time.end) {
                let name = timeline.index.names.get(bar.slice as usize).copied().unwrap_or(u32::MAX);
                bars.extend(time.share(bar.begin).to_le_bytes());
                bars.extend(time.share(bar.end).to_le_bytes());
                bars.extend(u16::try_from(row).unwrap_or(u16::MAX).to_le_bytes());
                bars.extend([0, 0]);
                bars.extend(bar.slice.to_le_bytes());
                bars.extend(name.to_le_bytes());
                bars.extend(bar.count.to_le_bytes());
            }
        }
        heads.extend((lane as u32).to_le_bytes());
        heads.extend((((bars.len() - before) / BAR) as u32).to_le_bytes());
    }
    heads.extend(bars);
    heads
}

/// Bytes before the lanes of a tile, and of each lane before the bars.
pub const HEAD: usize = 4;
pub const LANE_HEAD: usize = 8;

/// Bytes of a bar.
const BAR: usize = 20;
