//! Communication groups as people know them.

use hashbrown::HashMap;
use npuscope_analysis::layout::declared_groups;
use npuscope_tables::Rank;

use crate::{NotMade, Question, Source};

/// Ranks of a group that are listed.
const LISTED: usize = 8;

/// Purpose and ranks of groups, such as `tp: 0, 1`, by hash and by the name that HCCL gave them, as far as the metadata
/// of the selected ranks lists them.
#[derive(Default)]
pub struct GroupNames(HashMap<String, String>);

impl GroupNames {
    pub fn of(source: &Source<'_>, question: &Question<'_>) -> Result<GroupNames, NotMade> {
        let mut names = HashMap::new();
        for group in declared_groups(source.store, &question.sources(source))? {
            let purpose = if group.purpose.is_empty() { &group.id } else { &group.purpose };
            let label = format!("{purpose}: {}", listed(&group.ranks));
            names.insert(group.id, label.clone());
            names.insert(group.hash.to_string(), label);
        }
        Ok(GroupNames(names))
    }

    /// The name of a group: as the trainer called it, else as the source did, else its hash.
    pub fn get<'a>(&'a self, hash: &'a str, name: Option<&'a str>) -> &'a str {
        self.0.get(hash).map(String::as_str).or(name.filter(|name| !name.is_empty())).unwrap_or(hash)
    }
}

/// `0, 1`.
fn listed(ranks: &[Rank]) -> String {
    let mut list: Vec<String> = ranks.iter().take(LISTED).map(Rank::to_string).collect();
    if ranks.len() > LISTED {
        list.push(format!("… ({})", ranks.len()));
    }
    list.join(", ")
}
