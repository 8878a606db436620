//! What a query's filters say about ranks and times, as far as a scan can use it.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

/// Values that a filter lets through at most: `first..=last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub first: i64,
    pub last: i64,
}

impl Range {
    pub const ALL: Range = Range { first: i64::MIN, last: i64::MAX };

    pub fn contains(self, value: i64) -> bool {
        self.first <= value && value <= self.last
    }

    /// Whether any value of `first..=last` is in the range.
    pub fn overlaps(self, first: i64, last: i64) -> bool {
        self.first <= last && first <= self.last
    }

    fn and(self, other: Range) -> Range {
        Range { first: self.first.max(other.first), last: self.last.min(other.last) }
    }
}

/// The range of `column` that all `filters` together leave. What they do not say about it, they leave open.
pub fn range_of(column: &str, filters: &[Expr]) -> Range {
    filters.iter().fold(Range::ALL, |range, filter| range.and(range_in(column, filter)))
}

/// Whether a filter says anything about the range of `column`.
pub fn narrows(column: &str, filter: &Expr) -> bool {
    range_in(column, filter) != Range::ALL
}

fn range_in(column: &str, filter: &Expr) -> Range {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            range_in(column, left).and(range_in(column, right))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            if is_column(column, left)
                && let Some(value) = integer(right)
            {
                return compared(*op, value);
            }
            if is_column(column, right)
                && let Some(value) = integer(left)
            {
                return op.swap().map_or(Range::ALL, |op| compared(op, value));
            }
            Range::ALL
        }
        Expr::Between(between) if !between.negated && is_column(column, &between.expr) => {
            match (integer(&between.low), integer(&between.high)) {
                (Some(first), Some(last)) => Range { first, last },
                _ => Range::ALL,
            }
        }
        Expr::InList(list) if !list.negated && is_column(column, &list.expr) => {
            let values: Option<Vec<i64>> = list.list.iter().map(integer).collect();
            match values.as_deref().map(|v| (v.iter().min(), v.iter().max())) {
                Some((Some(&first), Some(&last))) => Range { first, last },
                _ => Range::ALL,
            }
        }
        _ => Range::ALL,
    }
}

fn compared(op: Operator, value: i64) -> Range {
    match op {
        Operator::Eq => Range { first: value, last: value },
        Operator::Lt => Range { last: value.saturating_sub(1), ..Range::ALL },
        Operator::LtEq => Range { last: value, ..Range::ALL },
        Operator::Gt => Range { first: value.saturating_add(1), ..Range::ALL },
        Operator::GtEq => Range { first: value, ..Range::ALL },
        _ => Range::ALL,
    }
}

fn is_column(name: &str, expression: &Expr) -> bool {
    matches!(expression, Expr::Column(column) if column.name == name)
}

fn integer(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::Literal(ScalarValue::Int64(value), _) => *value,
        Expr::Literal(ScalarValue::Int32(value), _) => value.map(i64::from),
        Expr::Literal(ScalarValue::UInt64(value), _) => value.and_then(|v| i64::try_from(v).ok()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::prelude::{col, lit};

    #[test]
    fn ranges_are_what_the_filters_leave() {
        let range = |filter: Expr| range_of("start", &[filter]);
        assert_eq!(range(col("start").gt_eq(lit(5i64)).and(col("start").lt(lit(9i64)))), Range { first: 5, last: 8 });
        assert_eq!(range(lit(5i64).lt(col("start"))), Range { first: 6, ..Range::ALL });
        assert_eq!(range(col("start").between(lit(2i64), lit(3i64))), Range { first: 2, last: 3 });
        assert_eq!(range(col("start").in_list(vec![lit(7i64), lit(1i64)], false)), Range { first: 1, last: 7 });
    }

    #[test]
    fn what_is_not_understood_leaves_all_open() {
        for filter in [
            col("start").gt(lit(5i64)).or(col("name").eq(lit("x"))),
            col("start").not_eq(lit(5i64)),
            col("end").gt(lit(5i64)),
            (col("start") + lit(1i64)).gt(lit(5i64)),
            col("start").in_list(vec![lit(7i64)], true),
        ] {
            assert_eq!(range_of("start", &[filter]), Range::ALL);
        }
    }
}
