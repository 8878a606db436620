//! The layout of synthetic jobs is found again.

use npuscope_measures::deliverable::{Carried, Target, complete};
use npuscope_synth::{JobConfig, simulate};
use npuscope_tables::Framework;
use npuscope_tables::{Rank, RankTables, TableId};

use super::*;

/// What is left of a job when it is looked at.
#[derive(Clone, Copy)]
struct Look<'a> {
    with_metadata: bool,
    /// Whether summaries are there, or only operations.
    with_summaries: bool,
    missing: &'a [usize],
}

const WHOLE: Look<'static> = Look { with_metadata: true, with_summaries: true, missing: &[] };
const BARE: Look<'static> = Look { with_metadata: false, ..WHOLE };

fn look_at(config: &JobConfig, look: Look<'_>) -> Layout {
    let job = simulate(config).unwrap();
    let tables = |rank: usize| -> RankTables {
        let mut tables = job.rank(rank);
        if look.with_summaries {
            tables = complete(tables, Target::Text(Framework::TorchNpu), &mut Carried::default());
        }
        if !look.with_metadata {
            tables.clear(TableId::Metadata);
        }
        tables
    };
    let ranks = (0..config.ranks()).filter(|rank| !look.missing.contains(rank));
    let groups: Vec<(Rank, RankGroups)> =
        ranks.map(|rank| (Rank(number(rank)), RankGroups::of(&tables(rank)))).collect();
    Layout::of(&groups)
}

fn number(rank: usize) -> i64 {
    i64::try_from(rank).unwrap()
}

fn small(tp: usize, cp: usize, dp: usize, pp: usize) -> JobConfig {
    JobConfig { tp, cp, dp, pp, layers: 2 * pp, steps: 1, micro_batches: pp, ..JobConfig::default() }
}

fn sparse(tp: usize, cp: usize, dp: usize, pp: usize, ep: usize) -> JobConfig {
    JobConfig { ep, experts: 8, top_k: 2, expert_ffn: 1024, ..small(tp, cp, dp, pp) }
}

/// Every rank is where the simulation put it.
fn assert_found(config: &JobConfig, look: Look<'_>) -> Layout {
    let layout = look_at(config, look);
    let truth = npuscope_synth::Layout::of(config);
    let what = format!("{:?} of {truth:?}", layout.sizes);
    assert_eq!(layout.sizes.world, number(truth.ranks()), "{what}");
    for rank in 0..truth.ranks() {
        let at = truth.place(rank);
        let replica = at.data * truth.cp + at.context;
        let [pp, dp, cp, tp, ep] = [at.stage, at.data, at.context, at.tensor, replica % truth.ep].map(number);
        assert_eq!(layout.place(Rank(number(rank))), Some(Place { pp, dp, cp, tp, ep }), "rank {rank}, {what}");
    }
    layout
}

fn shapes() -> Vec<JobConfig> {
    vec![
        small(2, 1, 2, 2),
        small(2, 2, 2, 2),
        small(1, 2, 2, 2),
        small(2, 2, 2, 1),
        small(2, 4, 1, 1),
        small(1, 1, 4, 2),
        small(4, 1, 1, 2),
        sparse(2, 1, 4, 1, 2),
        sparse(1, 1, 4, 2, 2),
        sparse(1, 2, 2, 1, 2),
    ]
}

#[test]
fn the_layout_is_read_from_metadata() {
    for config in shapes() {
        let layout = assert_found(&config, WHOLE);
        assert_eq!((layout.origin, layout.confidence), (Origin::Metadata, 1.0), "{:?}", layout.sizes);
    }
}

#[test]
fn without_metadata_the_layout_follows_from_groups() {
    for config in shapes() {
        for with_summaries in [true, false] {
            let layout = assert_found(&config, Look { with_summaries, ..BARE });
            assert_eq!(layout.origin, Origin::Inferred);
            assert!((0.4..1.0).contains(&layout.confidence), "{} of {:?}", layout.confidence, layout.sizes);
        }
    }
}

#[test]
fn missing_ranks_cost_confidence_only() {
    let config = small(2, 2, 2, 2);
    let whole = assert_found(&config, BARE);
    for missing in [&[3][..], &[0], &[15], &[5, 6, 12]] {
        let layout = assert_found(&config, Look { missing, ..BARE });
        assert!(layout.confidence < whole.confidence, "{missing:?}");
        assert_found(&config, Look { missing, ..WHOLE });
    }
}

#[test]
fn groups_have_their_kind_and_all_their_ranks() {
    let config = sparse(2, 2, 2, 2, 2);
    let truth = npuscope_synth::Layout::of(&config);
    for look in [WHOLE, BARE, Look { missing: &[3], ..WHOLE }, Look { missing: &[3], ..BARE }] {
        let layout = look_at(&config, look);
        let mut kinds = std::collections::BTreeSet::new();
        for rank in 0..truth.ranks() {
            for group in truth.groups(rank, &config) {
                // A group that was seen on one rank only says nothing about its other ranks.
                let Some(found) = layout.group(&group.hash).filter(|group| group.known != Known::Seen) else {
                    continue;
                };
                let ranks: Vec<Rank> = group.ranks.iter().map(|rank| Rank(number(*rank))).collect();
                assert_eq!(found.ranks, ranks, "{found:?}");
                let kind = match group.kind {
                    npuscope_synth::GroupKind::Tensor => GroupKind::Tp,
                    npuscope_synth::GroupKind::Context => GroupKind::Cp,
                    npuscope_synth::GroupKind::Expert => GroupKind::Ep,
                    npuscope_synth::GroupKind::Data | npuscope_synth::GroupKind::ExpertData => GroupKind::Dp,
                    npuscope_synth::GroupKind::Pipeline => GroupKind::Pp,
                    npuscope_synth::GroupKind::World => GroupKind::World,
                };
                assert_eq!(found.kind, kind, "{found:?} {:?}", group.kind);
                kinds.insert(kind);
                assert_eq!(found.pg_name.as_deref(), look.with_metadata.then(|| group.kind.name()));
            }
        }
        assert_eq!(kinds.len(), 6, "{kinds:?}");
    }
}

#[test]
fn sizes_that_count_context_among_data_are_understood() {
    let args = serde_json::json!({
        "tensor_model_parallel_size": 2, "pipeline_model_parallel_size": 1, "context_parallel_size": 2,
        "data_parallel_size": 4, "world_size": 8,
    });
    let groups = RankGroups { distributed_args: Some(args), ..RankGroups::default() };
    let layout = Layout::of(&[(Rank(0), groups)]);
    assert_eq!(layout.sizes, Sizes { tp: 2, cp: 2, dp: 2, pp: 1, ep: 1, world: 8 });
}

#[test]
fn a_rank_without_communication_has_no_known_place() {
    let layout = look_at(&small(1, 1, 1, 1), BARE);
    assert_eq!((layout.origin, layout.place(Rank(0)), layout.confidence), (Origin::Unknown, None, 0.0));
}

#[test]
fn stages_hold_the_ranks_that_are_there() {
    let layout = look_at(&small(1, 1, 2, 2), Look { missing: &[3], ..WHOLE });
    assert_eq!(layout.stages([0, 1, 2].map(Rank)), [vec![Rank(0), Rank(1)], vec![Rank(2)]]);
}

/// A rank that used the group `7`, of that many ranks, as the one of that number.
fn user(local: i64, size: i64) -> RankGroups {
    let operations = groups::Operations { count: 1, ..Default::default() };
    let used = UsedGroup {
        hash: GroupKey("7".into()),
        local: Some(local),
        size: Some(size),
        operations,
        ..Default::default()
    };
    RankGroups { used: vec![used], ..RankGroups::default() }
}

#[test]
fn numbers_that_no_rank_has_cost_nothing() {
    let layout = Layout::of(&[(Rank(0), user(0, 999_999_999_999)), (Rank(1), user(1, 999_999_999_999))]);
    assert_eq!((layout.groups[0].known, layout.groups[0].ranks.as_slice()), (Known::Seen, &[Rank(0), Rank(1)][..]));
    let layout = Layout::of(&[(Rank(0), user(0, 2)), (Rank(999_999_999_999), user(1, 2))]);
    assert_eq!((layout.origin, layout.groups[0].ranks.as_slice()), (Origin::Unknown, &[Rank(0)][..]));
    let args = serde_json::json!({"world_size": 999_999_999_999i64});
    let layout = Layout::of(&[(Rank(0), RankGroups { distributed_args: Some(args), ..RankGroups::default() })]);
    assert_eq!(layout.origin, Origin::Unknown);
}

#[test]
fn links_with_impossible_ends_are_overlooked() {
    let mut rank = npuscope_tables::RankBuilder::default();
    for end in ["1", "999999999999", "9223372036854775807", "-1"] {
        let [src, dst, hash] = ["0", end, "7"].map(|text| Some(rank.strings.intern(text)));
        let row = npuscope_tables::table::reported_link::Row {
            src_rank: src,
            dst_rank: dst,
            group_hash: hash,
            ..Default::default()
        };
        rank.reported_link.push(row);
    }
    assert_eq!(RankGroups::of(&rank.finish()).used[0].size, Some(2));
}

#[test]
fn a_number_is_that_of_a_rank_as_far_as_it_is_known() {
    let found = Layout::of(&[(Rank(2), user(0, 4)), (Rank(6), user(2, 4))]);
    assert_eq!(
        [0, 1, 2, 3, 4].map(|number| found.groups[0].rank(number)),
        [Some(2), Some(4), Some(6), Some(8), None].map(|rank| rank.map(Rank))
    );
    let alone = Layout::of(&[(Rank(6), user(2, 4))]);
    assert_eq!([0, 2].map(|number| alone.groups[0].rank(number)), [None, Some(Rank(6))]);
}

#[test]
fn expert_groups_have_many_names() {
    for name in ["exp", "EP", "ep_group", "expert_model_parallel_group"] {
        assert_eq!(GroupKind::of_name(name), Some(GroupKind::Ep), "{name}");
    }
    for name in ["dp", "dp_modulo_exp", "tp_exp", "edp", "ep_dp", "expert_tensor_parallel_group"] {
        assert_ne!(GroupKind::of_name(name), Some(GroupKind::Ep), "{name}");
    }
}
