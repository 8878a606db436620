//! Where ranks ran.

use npuscope_formats::source::RankSource;
use npuscope_tables::table::rank;
use serde::{Deserialize, Serialize};

use crate::cluster::RankData;

/// Where a rank ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub uid: Option<String>,
    pub name: Option<String>,
    pub device: Option<i64>,
    /// The directory of the rank's profile, from the root of the file system: filled in when it is read, since profiles
    /// are moved.
    #[serde(skip)]
    pub directory: String,
}

impl Host {
    pub fn of(data: &RankData<'_>) -> Host {
        let tables = &data.tables;
        let row = tables.rows::<rank::Row>().next().unwrap_or_default();
        let text = |id| tables.opt_text(id).map(str::to_owned);
        Host { uid: text(row.host_uid), name: text(row.host), device: row.device, directory: String::new() }
    }

    /// Notes where the profile of the rank is.
    pub fn set_directory(&mut self, source: &RankSource) {
        let directory = &source.first.directory;
        let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.clone());
        self.directory = directory.to_string_lossy().into_owned();
    }

    /// Whether msprof-analyze lists it: a database records host and device.
    pub fn is_recorded(&self) -> bool {
        self.uid.is_some() && self.device.is_some()
    }
}
