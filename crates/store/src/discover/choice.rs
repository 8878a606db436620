//! Which part of what is found is opened.

/// A job, where a directory has several, and windows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The name of a job; without, the one with the most ranks, the last of those.
    pub job: Option<String>,
    /// Numbers of windows and names of stages; all windows if there are none.
    pub windows: Vec<String>,
}
