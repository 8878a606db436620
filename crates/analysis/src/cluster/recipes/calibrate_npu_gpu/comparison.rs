//! Pairs the operators of matched modules.

use std::cmp::{Ordering, Reverse};

use super::matching::{Match, Pair};
use super::{Microseconds, OpUse};
use crate::extract::Text;

/// An operator of a module on either side, or on both.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedOp {
    /// The module, also where it has no operator left for this row.
    pub npu_module: Option<ModuleName>,
    pub gpu_module: Option<ModuleName>,
    /// How the modules were matched; `None` if there is only one.
    pub matched: Option<Match>,
    pub npu: Option<OpUse>,
    pub gpu: Option<OpUse>,
    /// Time of the operator by the time of all modules.
    pub npu_share: Option<f64>,
    pub gpu_share: Option<f64>,
    /// Time of the whole module on the NPU by that on the GPU.
    pub ratio: Option<f64>,
    /// How much longer the whole module takes on the NPU.
    pub difference: Option<Microseconds>,
}

/// The name of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleName {
    /// The modules around, outermost first, by `/`; empty if there is none.
    pub parent: Text,
    pub module: Text,
}

impl ModuleName {
    fn of(one: &OpUse) -> ModuleName {
        ModuleName { parent: one.parent.clone(), module: one.module.clone() }
    }

    fn of_path(path: &str) -> Option<ModuleName> {
        let (parent, module) = path.rsplit_once('/')?;
        Some(ModuleName { parent: parent.into(), module: module.into() })
    }
}

/// The operators of modules, by the module around, the greatest difference first.
pub fn compare(mut pairs: Vec<Pair>, compat: bool) -> Vec<ComparedOp> {
    let npu_time: Microseconds = pairs.iter().filter_map(Pair::npu_time).sum();
    let gpu_time: Microseconds = pairs.iter().filter_map(Pair::gpu_time).sum();
    let mut rows: Vec<(SortKey, ComparedOp)> = Vec::new();
    for pair in &mut pairs {
        pair.npu.sort_by_key(|(one, _)| Reverse(one.total));
        pair.gpu.sort_by_key(|one| Reverse(one.total));
        let both = pair.npu_time().zip(pair.gpu_time());
        let ratio = both.and_then(|(npu, gpu)| npu.ratio(gpu));
        let difference = both.map(|(npu, gpu)| npu - gpu);
        for sides in side_by_side(pair, compat) {
            let (npu, gpu) = sides;
            // msprof-analyze names modules from the path if a side is missing.
            let other_name = |first: Option<&OpUse>| match compat {
                true => ModuleName::of_path(&pair.path),
                false => first.map(ModuleName::of),
            };
            let first_npu = pair.npu.first();
            let with_kind = npu.or_else(|| first_npu.filter(|_| !compat));
            let compared = ComparedOp {
                npu_module: npu
                    .map(|(one, _)| ModuleName::of(one))
                    .or_else(|| other_name(first_npu.map(|(one, _)| one))),
                gpu_module: gpu.map(ModuleName::of).or_else(|| other_name(pair.gpu.first())),
                matched: with_kind.and_then(|(_, kind)| *kind),
                npu: npu.map(|(one, _)| one.clone()),
                gpu: gpu.cloned(),
                npu_share: npu.and_then(|(one, _)| one.time().ratio(npu_time)),
                gpu_share: gpu.and_then(|one| one.time().ratio(gpu_time)),
                ratio,
                difference,
            };
            rows.push((SortKey::of(pair, sides, difference, compat), compared));
        }
    }
    rows.sort_by(|a, b| a.0.order(&b.0, compat));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The sort key of rows.
struct SortKey {
    parent: String,
    difference: Option<Microseconds>,
    gpu: Option<i64>,
}

impl SortKey {
    fn of(pair: &Pair, (npu, gpu): Sides<'_>, difference: Option<Microseconds>, compat: bool) -> SortKey {
        let parent = match (gpu, npu) {
            (Some(gpu), _) => gpu.parent.to_string(),
            (None, Some((npu, _))) if !compat => npu.parent.to_string(),
            _ => pair.path.rsplit_once('/').unwrap_or_default().0.to_owned(),
        };
        SortKey { parent, difference, gpu: gpu.map(|gpu| gpu.total) }
    }

    /// Missing values come last; in msprof-analyze first.
    fn order(&self, other: &SortKey, compat: bool) -> Ordering {
        let missing = if compat { f64::INFINITY } else { f64::NEG_INFINITY };
        let falling = |a: Option<f64>, b: Option<f64>| b.unwrap_or(missing).total_cmp(&a.unwrap_or(missing));
        let difference = |key: &SortKey| key.difference.map(Microseconds::us);
        let gpu = |key: &SortKey| key.gpu.map(|ns| ns as f64);
        let by_difference = || falling(difference(self), difference(other));
        self.parent.cmp(&other.parent).then_with(by_difference).then_with(|| falling(gpu(self), gpu(other)))
    }
}

type Sides<'a> = (Option<&'a (OpUse, Option<Match>)>, Option<&'a OpUse>);

/// The operators of a module in pairs: those of the same name, then the rest by duration. msprof-analyze pairs by
/// duration only.
fn side_by_side(pair: &Pair, compat: bool) -> Vec<Sides<'_>> {
    let mut sides: Vec<Sides<'_>> = Vec::new();
    let mut gpu: Vec<&OpUse> = pair.gpu.iter().collect();
    let mut alone = Vec::new();
    for npu in &pair.npu {
        match gpu.iter().position(|gpu| gpu.op == npu.0.op).filter(|_| !compat) {
            Some(at) => sides.push((Some(npu), Some(gpu.remove(at)))),
            None => alone.push(npu),
        }
    }
    let count = alone.len().max(gpu.len());
    sides.extend((0..count).map(|at| (alone.get(at).copied(), gpu.get(at).copied())));
    sides
}
