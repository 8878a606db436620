//! One operation on all ranks that took part in it.

use npuscope_analysis::meetings::{self, Member, RankOperations, members, reported_times};
use npuscope_analysis::messages::collection as data;

use crate::columns;
use crate::missing::{DEVICE, missing};
use crate::{BadQuestion, Made, NotMade, Question, Source};

/// The communication operation that is going on at `at` on the chosen rank, on all ranks that took part: the last to
/// begin, for which the others waited, is last. `late` is its start less the first start.
pub fn collective(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let at = question.moment(source)?;
    let rank = question.one_rank(source)?;
    let all = operations(source)?;
    let of = all.iter().find(|operations| operations.rank == rank.rank);
    let index = of.and_then(|operations| operations.open_at(at));
    let Some((of, index)) = of.zip(index) else {
        return match all.iter().all(|operations| operations.list.is_empty()) {
            true => Err(missing(source, data::data_operations_of_devices(), DEVICE)),
            false => Err(BadQuestion::NoOperation(rank.rank).into()),
        };
    };
    let members = members(of, index, &all.iter().collect::<Vec<_>>());
    let of_members = members.iter().map(|member| reported(source, member)).collect::<Result<Vec<_>, _>>()?;
    let ints = |of: fn(&Member<'_>) -> i64| columns::ints(members.iter().map(of));
    columns::made(vec![
        ("rank", columns::ranks(members.iter().map(|member| member.rank))),
        ("name", columns::texts(members.iter().map(|member| Some(member.operation.name())))),
        ("group", columns::texts(members.iter().map(|member| Some(member.operation.group())))),
        ("start", columns::ints(members.iter().map(|member| member.operation.start - source.origin))),
        ("duration", ints(|member| member.operation.end - member.operation.start)),
        ("late", ints(|member| member.late)),
        ("transit", columns::ints(of_members.iter().map(|(transit, _)| *transit))),
        ("wait", columns::ints(of_members.iter().map(|(_, wait)| *wait))),
    ])
}

/// The operations of all ranks.
pub fn operations(source: &Source<'_>) -> Result<Vec<RankOperations>, NotMade> {
    let ranks: Vec<_> = source.store.profile().ranks.iter().collect();
    Ok(meetings::operations(source.store, &ranks)?)
}

/// How long a rank moved data and waited, where its profile says so.
fn reported(source: &Source<'_>, member: &Member<'_>) -> Result<(Option<i64>, Option<i64>), NotMade> {
    let Some(rank) = source.store.profile().ranks.iter().find(|rank| rank.rank == member.rank) else {
        return Ok((None, None));
    };
    Ok(reported_times(source.store, rank, member.operation.name(), member.operation.start)?)
}
