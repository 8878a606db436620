//! The run that is shown: its ranks, each opened when somebody looks at it.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use npuscope_analysis::diagnose::diagnose;
use npuscope_engine::{EngineError, Ranks, Session, SessionOptions};
use npuscope_formats::discover::RankSource;
use serde_json::{Value, json};

use crate::timeline::Timeline;

/// Timelines that are kept at a time: those of other ranks are made again when they are wanted.
const KEPT_TIMELINES: NonZeroUsize = NonZeroUsize::new(16).unwrap();

const NS_PER_SECOND: i64 = 1_000_000_000;

/// A profile that is open.
pub struct Run {
    session: Session,
    /// The last used is last.
    timelines: Mutex<Vec<(i64, Arc<Timeline>)>>,
    origin: OnceLock<i64>,
    ranks: Ranks,
    diagnosis: OnceLock<Value>,
}

impl Run {
    pub fn open(path: &Path, options: SessionOptions) -> Result<Run, EngineError> {
        let ranks = Ranks::open(path, &options)?;
        let session = Session::open(path, options)?;
        let (timelines, origin, diagnosis) = (Mutex::default(), OnceLock::new(), OnceLock::new());
        Ok(Run { session, timelines, origin, ranks, diagnosis })
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    pub fn source(&self, rank: i64) -> Option<&RankSource> {
        self.session.profile().ranks.iter().find(|source| source.rank == rank)
    }

    pub fn ranks(&self) -> impl Iterator<Item = i64> {
        self.session.profile().ranks.iter().map(|source| source.rank)
    }

    /// The timeline of a rank; `None` if there is no such rank.
    pub fn timeline(&self, rank: i64) -> Result<Option<Arc<Timeline>>, EngineError> {
        if let Some(known) = self.known(rank) {
            return Ok(Some(known));
        }
        let Some(source) = self.source(rank) else { return Ok(None) };
        let made = Arc::new(Timeline::of(self.session.load(source)?.tables()?));
        let mut timelines = self.timelines.lock().unwrap_or_else(PoisonError::into_inner);
        if timelines.len() >= KEPT_TIMELINES.get() {
            timelines.remove(0);
        }
        timelines.push((rank, made.clone()));
        Ok(Some(made))
    }

    fn known(&self, rank: i64) -> Option<Arc<Timeline>> {
        let mut timelines = self.timelines.lock().unwrap_or_else(PoisonError::into_inner);
        let at = timelines.iter().position(|(known, _)| *known == rank)?;
        let found = timelines.remove(at);
        timelines.push(found.clone());
        Some(found.1)
    }

    /// The time that times are told from: the second in which the first rank begins.
    pub fn origin(&self) -> Result<i64, EngineError> {
        if let Some(origin) = self.origin.get() {
            return Ok(*origin);
        }
        let mut origin = 0;
        for rank in self.ranks() {
            if let Some(span) = self.timeline(rank)?.and_then(|timeline| timeline.span()) {
                origin = span.start.div_euclid(NS_PER_SECOND) * NS_PER_SECOND;
                break;
            }
        }
        Ok(*self.origin.get_or_init(|| origin))
    }

    /// Who is slow and why, with times from the origin; found once.
    pub fn diagnosis(&self) -> Result<&Value, EngineError> {
        if let Some(known) = self.diagnosis.get() {
            return Ok(known);
        }
        let origin = self.origin()?;
        let mut found = json!(diagnose(&self.ranks)?);
        let findings = found.get_mut("findings").and_then(Value::as_array_mut).into_iter().flatten();
        let evidence = findings.filter_map(|finding| finding.get_mut("evidence")?.as_array_mut()).flatten();
        for place in evidence {
            for time in ["start_ns", "end_ns"] {
                if let Some(since_epoch) = place.get(time).and_then(Value::as_i64) {
                    place[time] = json!(since_epoch - origin);
                }
            }
        }
        Ok(self.diagnosis.get_or_init(|| found))
    }

    /// What the run is: its name and its ranks.
    pub fn describe(&self) -> Value {
        let profile = self.session.profile();
        let name = profile.root.file_name().map(|name| name.to_string_lossy().into_owned());
        let ranks: Vec<Value> = profile
            .ranks
            .iter()
            .map(|source| json!({"rank": source.rank, "name": source.directory_name(), "bytes": source.bytes()}))
            .collect();
        json!({"name": name, "ranks": ranks})
    }
}
