//! Which framework operator was running, for things that do not say who caused them.

use hashbrown::HashMap;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankTables, Str};

/// The host slices of a rank, once it is known how they nest.
pub struct Operators {
    /// By row number.
    slices: Vec<Slice>,
    /// Row numbers by start, outer slices first.
    by_lane: HashMap<LaneId, Vec<u32>>,
    /// The calls of the driver's API by what ties them to the device.
    calls: HashMap<ConnectionId, u32>,
}

struct Slice {
    start: Ns,
    end: Ns,
    parent: Option<u32>,
    /// The name, of operators.
    operator: Option<Str>,
}

impl Operators {
    pub fn of(tables: &RankTables) -> Operators {
        let mut operators = Operators { slices: Vec::new(), by_lane: HashMap::new(), calls: HashMap::new() };
        for (number, row) in (0u32..).zip(tables.rows::<host_op::Row>()) {
            let kind = Kind::from_name(tables.text(row.kind));
            let end = row.start.plus(row.duration.ns());
            let operator = (kind == Some(Kind::Op)).then_some(row.name);
            operators.slices.push(Slice { start: row.start, end, parent: row.parent, operator });
            operators.by_lane.entry(row.lane).or_default().push(number);
            if let (Some(Kind::Cann), Some(connection)) = (kind, row.connection_id) {
                operators.calls.entry(connection).or_insert(number);
            }
        }
        let Operators { slices, by_lane, .. } = &mut operators;
        for rows in by_lane.values_mut() {
            rows.sort_by_key(|&row| {
                slices.get(row as usize).map(|slice| (slice.start, std::cmp::Reverse(slice.end), row))
            });
        }
        operators
    }

    /// The innermost operator around the call that is tied to the device by `connection`.
    pub fn around_call(&self, connection: ConnectionId) -> Option<Str> {
        self.climb(*self.calls.get(&connection)?, |_| true)
    }

    /// The innermost operator of a lane that was running at `time`.
    pub fn at(&self, lane: LaneId, time: Ns) -> Option<Str> {
        let rows = self.by_lane.get(&lane)?;
        let after = rows.partition_point(|&row| self.slices.get(row as usize).is_some_and(|s| s.start <= time));
        self.climb(*rows.get(after.checked_sub(1)?)?, |slice| time <= slice.end)
    }

    fn climb(&self, from: u32, is_around: impl Fn(&Slice) -> bool) -> Option<Str> {
        let mut row = Some(from);
        while let Some(slice) = self.slices.get(row? as usize) {
            if slice.operator.is_some() && is_around(slice) {
                return slice.operator;
            }
            row = slice.parent;
        }
        None
    }
}
