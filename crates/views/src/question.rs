//! The request for a view: the part of the profile and the view's own parameters.

use std::collections::{BTreeMap, BTreeSet};

use npuscope_analysis::cluster::{Failure, Job, Options, Usage};
use npuscope_analysis::scope::Scope;
use npuscope_analysis::steps::numbers_of_job;
use npuscope_formats::source::RankSource;
use npuscope_messages::{Message, ranges};
use npuscope_tables::Rank;

use crate::{NotMade, Source, messages};

/// A question of a page: the scope and the view's own parameters, text by name.
pub struct Question<'a> {
    pub scope: Scope,
    pub own: &'a BTreeMap<String, String>,
}

/// What makes no sense about a question.
#[derive(Debug, thiserror::Error)]
pub enum BadQuestion {
    NoParameter(String),
    NoRankChosen,
    /// `ranks` are those of the profile.
    NoRank {
        rank: Rank,
        ranks: Vec<Rank>,
    },
    NotOneRank,
    EndBeforeBeginning,
    NoMoment,
    NotANumber(String),
    OutOfRange {
        name: String,
        most: usize,
    },
    NotOneOf {
        name: String,
        words: Vec<String>,
    },
    NoGap(Rank),
    NoOperation(Rank),
    Usage(#[from] Usage),
}

impl BadQuestion {
    pub fn message(&self) -> Message {
        match self {
            BadQuestion::NoParameter(name) => messages::no_parameter(name),
            BadQuestion::NoRankChosen => messages::no_rank_chosen(),
            BadQuestion::NoRank { rank, ranks } => {
                messages::no_rank(rank.to_string(), ranges(ranks.iter().map(|rank| rank.0)))
            }
            BadQuestion::NotOneRank => messages::not_one_rank(),
            BadQuestion::EndBeforeBeginning => messages::end_before_beginning(),
            BadQuestion::NoMoment => messages::no_moment(),
            BadQuestion::NotANumber(name) => messages::not_a_number(name),
            BadQuestion::OutOfRange { name, most } => messages::out_of_range(name, *most),
            BadQuestion::NotOneOf { name, words } => {
                messages::not_one_of(name, words.iter().map(String::as_str).collect())
            }
            BadQuestion::NoGap(rank) => messages::no_gap(rank.to_string()),
            BadQuestion::NoOperation(rank) => messages::no_operation(rank.to_string()),
            BadQuestion::Usage(usage) => usage.message(),
        }
    }
}

npuscope_messages::display_message!(BadQuestion);

impl Question<'_> {
    /// Whether all that is named exists.
    pub(crate) fn check(&self, source: &Source<'_>, own: &[&str]) -> Result<(), NotMade> {
        if let Some(unknown) = self.own.keys().find(|name| !own.contains(&name.as_str())) {
            return Err(BadQuestion::NoParameter(unknown.clone()).into());
        }
        let known = &source.store.profile().ranks;
        if let Some(ranks) = &self.scope.ranks {
            if ranks.is_empty() {
                return Err(BadQuestion::NoRankChosen.into());
            }
            if let Some(unknown) = ranks.iter().find(|rank| !known.iter().any(|source| source.rank == **rank)) {
                let ranks = known.iter().map(|source| source.rank).collect();
                return Err(BadQuestion::NoRank { rank: *unknown, ranks }.into());
            }
        }
        if let (Some(begin), Some(end)) = (self.scope.begin, self.scope.end)
            && begin > end
        {
            return Err(BadQuestion::EndBeforeBeginning.into());
        }
        let Some(step) = self.scope.step else { return Ok(()) };
        let steps = numbers_of_job(source.store)?;
        if !steps.contains(&step) {
            return Err(BadQuestion::from(Usage::NoStep { step, steps: steps.into_iter().collect() }).into());
        }
        Ok(())
    }

    /// A parameter of the view; an empty one is none.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.own.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// A number among the parameters, if it is given.
    pub fn number(&self, name: &str) -> Result<Option<i64>, NotMade> {
        let parse = |text: &str| text.parse().map_err(|_| BadQuestion::NotANumber(name.to_owned()));
        Ok(self.text(name).map(parse).transpose()?)
    }

    /// A number of things from 1 to `most`.
    pub fn count(&self, name: &str, default: usize, most: usize) -> Result<usize, NotMade> {
        let Some(number) = self.number(name)? else { return Ok(default) };
        let count = usize::try_from(number).ok().filter(|count| (1..=most).contains(count));
        Ok(count.ok_or_else(|| BadQuestion::OutOfRange { name: name.to_owned(), most })?)
    }

    /// One of some words, the first if none is given.
    pub fn choice<'w>(&self, name: &str, words: &[&'w str]) -> Result<&'w str, NotMade> {
        let wanted = self.text(name).or(words.first().copied()).unwrap_or_default();
        let found = words.iter().copied().find(|word| *word == wanted);
        let words = || words.iter().map(|word| (*word).to_owned()).collect();
        Ok(found.ok_or_else(|| BadQuestion::NotOneOf { name: name.to_owned(), words: words() })?)
    }

    /// The selected ranks.
    pub fn sources<'a>(&self, source: &Source<'a>) -> Vec<&'a RankSource> {
        let is_chosen = |rank: Rank| self.scope.ranks.as_ref().is_none_or(|ranks| ranks.contains(&rank));
        source.store.profile().ranks.iter().filter(|source| is_chosen(source.rank)).collect()
    }

    /// The parameter `at` in ns since the epoch.
    pub fn at(&self, source: &Source<'_>) -> Result<Option<i64>, NotMade> {
        Ok(self.number("at")?.map(|at| at.saturating_add(source.origin)))
    }

    /// [`Question::at`], which has to be given.
    pub fn moment(&self, source: &Source<'_>) -> Result<i64, NotMade> {
        Ok(self.at(source)?.ok_or(BadQuestion::NoMoment)?)
    }

    /// The one selected rank.
    pub fn one_rank<'a>(&self, source: &Source<'a>) -> Result<&'a RankSource, NotMade> {
        match self.sources(source).as_slice() {
            [rank] => Ok(rank),
            _ => Err(BadQuestion::NotOneRank.into()),
        }
    }

    /// What a mode of `npuscope cluster` says of the chosen ranks and step, as rows.
    pub fn ask<T>(
        &self,
        source: &Source<'_>,
        options: Options,
        rows: impl Fn(&Job<'_>) -> Result<T, Failure>,
    ) -> Result<T, NotMade> {
        let chosen: Option<BTreeSet<Rank>> = self.scope.ranks.as_ref().map(|ranks| ranks.iter().copied().collect());
        let options = Options { step: self.scope.step, ..options };
        Ok(rows(&Job::new(source.store, chosen.as_ref(), &options))?)
    }
}
