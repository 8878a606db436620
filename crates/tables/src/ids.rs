//! Numbers that stand for something else, each its own type, so that a lane is never taken for a task.
//!
//! ```
//! use npuscope_tables::{LaneId, TaskId};
//! let lanes = ["Thread 1", "Stream 2"];
//! assert_eq!(lanes[LaneId(1).index()], "Stream 2");
//! assert_eq!(TaskId(7).to_string(), "7");
//! ```

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// Declares an id: a number with a type of its own that reads, prints, sorts and serialises as the number does.
macro_rules! id {
    ($(#[$meta:meta])* $name:ident($number:ty)) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $number);

        impl $name {
            /// The id `count` places further on, at most the last there is.
            #[must_use]
            pub fn plus(self, count: $number) -> Self {
                $name(self.0.saturating_add(count))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<Self, ParseIntError> {
                text.parse().map($name)
            }
        }

        impl From<$number> for $name {
            fn from(number: $number) -> Self {
                $name(number)
            }
        }
    };
}

id! {
    /// A rank of the job. Members of a communication group also have numbers within the group, which are not this.
    Rank(i64)
}

id! {
    /// A window of the job: what was recorded without interruption. Windows of one number were recorded by all ranks
    /// at about the same time; a rank may lack some.
    Window(i64)
}

id! {
    /// A lane of the timeline (`lane.lane`), numbered within the rank.
    LaneId(u32)
}

id! {
    /// A task of the device (`task.task`), numbered within the rank.
    TaskId(i64)
}

id! {
    /// A communication operation (`comm_op.op`), numbered within the rank.
    OpId(i64)
}

id! {
    /// Ties a host call to what it launched (`host_op.connection_id`, `task.connection_id`). Unique within one
    /// source of ids only: queue correlation ids and CANN connection ids overlap.
    ConnectionId(i64)
}

impl LaneId {
    /// The lane as an index: lanes are numbered from 0 without gaps.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<Rank> for npuscope_messages::Argument {
    fn from(Rank(rank): Rank) -> Self {
        rank.into()
    }
}
