//! Matches the modules of both sides.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::super::similarity::{Similarity, closest};
use super::{Microseconds, OpUse};

/// What msprof-analyze uses, whatever the user says.
const COMPAT_THRESHOLD: f64 = 0.6;

/// How two modules were matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// They have the same path.
    Rule,
    /// Their paths are similar.
    Fuzzy,
}

/// A module of either side, or of both.
#[derive(Default)]
pub struct Pair {
    /// The path that msprof-analyze uses for a missing side.
    pub path: String,
    pub npu: Vec<(OpUse, Option<Match>)>,
    pub gpu: Vec<OpUse>,
}

impl Pair {
    /// Time of the whole module on the NPU; `None` if it is not there.
    pub fn npu_time(&self) -> Option<Microseconds> {
        (!self.npu.is_empty()).then(|| self.npu.iter().map(|(one, _)| one.time()).sum())
    }

    /// Time of the whole module on the GPU; `None` if it is not there.
    pub fn gpu_time(&self) -> Option<Microseconds> {
        (!self.gpu.is_empty()).then(|| self.gpu.iter().map(OpUse::time).sum())
    }
}

/// The path of a module.
fn path(one: &OpUse) -> String {
    if one.parent.is_empty() { one.module.to_string() } else { format!("{}/{}", one.parent, one.module) }
}

/// Pairs of modules: those of the same path, then the most similar ones.
pub fn matches(npu: Vec<OpUse>, gpu: Vec<OpUse>, threshold: f64) -> Vec<Pair> {
    let npu_path = |one: &OpUse| path(one).replace("Ascend", "");
    let npu_paths: BTreeSet<String> = npu.iter().map(npu_path).collect();
    let gpu_paths: BTreeSet<String> = gpu.iter().map(path).collect();
    let mut alike: Vec<(f64, &String, &String)> = Vec::new();
    for npu_path in npu_paths.difference(&gpu_paths) {
        let similarity = Similarity::to(npu_path, false);
        let found = gpu_paths.difference(&npu_paths).filter_map(|gpu_path| {
            let ratio = similarity.ratio(gpu_path, threshold)?;
            Some((ratio, npu_path, gpu_path))
        });
        alike.extend(found);
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut partners: HashMap<&String, &String> = HashMap::new();
    let mut taken: HashSet<&String> = HashSet::new();
    for (_, npu_path, gpu_path) in alike {
        if !partners.contains_key(npu_path) && taken.insert(gpu_path) {
            partners.insert(npu_path, gpu_path);
        }
    }
    let mut pairs: BTreeMap<String, Pair> = BTreeMap::new();
    for one in npu {
        let own = npu_path(&one);
        let (path, kind) = match partners.get(&own) {
            Some(partner) => ((*partner).clone(), Some(Match::Fuzzy)),
            None if gpu_paths.contains(&own) => (own, Some(Match::Rule)),
            None => (own, None),
        };
        pairs.entry(path).or_default().npu.push((one, kind));
    }
    for one in gpu {
        pairs.entry(path(&one)).or_default().gpu.push(one);
    }
    pairs.into_values().collect()
}

/// Pairs as msprof-analyze makes them: paths of GPUs begin with `/`, so that nested modules are never the same;
/// several modules may match the same one; modules without a partner are marked `rule`, too.
pub fn compat_matches(npu: Vec<OpUse>, gpu: Vec<OpUse>) -> Vec<Pair> {
    let path = |one: &OpUse| format!("{}/{}", one.parent, one.module);
    let gpu_paths: BTreeSet<String> = gpu.iter().map(path).collect();
    let mut partners: HashMap<String, Option<&str>> = HashMap::new();
    let mut pairs: BTreeMap<String, Pair> = BTreeMap::new();
    for one in npu {
        let own = path(&one).replace("Ascend", "");
        let partner = *partners.entry(own.clone()).or_insert_with(|| match gpu_paths.contains(&own) {
            true => None,
            false => closest(&own, gpu_paths.iter().map(String::as_str), COMPAT_THRESHOLD),
        });
        let kind = if partner.is_some() { Match::Fuzzy } else { Match::Rule };
        let path = partner.map_or(own, str::to_owned);
        pairs.entry(path).or_default().npu.push((one, Some(kind)));
    }
    for one in gpu {
        pairs.entry(path(&one)).or_default().gpu.push(one);
    }
    let with_path = pairs.into_iter().map(|(path, pair)| Pair { path, ..pair });
    with_path.collect()
}
