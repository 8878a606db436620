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

    fn or(self, other: Range) -> Range {
        Range { first: self.first.min(other.first), last: self.last.max(other.last) }
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

/// Whether `filter` may let through a row whose `column` is `value`. What it does not say, it leaves open.
pub fn admits(column: &str, value: i64, filter: &Expr) -> bool {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            admits(column, value, left) && admits(column, value, right)
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            admits(column, value, left) || admits(column, value, right)
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::NotEq, right }) => {
            let excludes = |a: &Expr, b: &Expr| is_column(column, a) && integer(b) == Some(value);
            !excludes(left, right) && !excludes(right, left)
        }
        Expr::InList(list) if is_column(column, &list.expr) => {
            let values: Option<Vec<i64>> = list.list.iter().map(integer).collect();
            values.is_none_or(|values| values.contains(&value) != list.negated)
        }
        _ => range_in(column, filter).contains(value),
    }
}

fn range_in(column: &str, filter: &Expr) -> Range {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            range_in(column, left).and(range_in(column, right))
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            range_in(column, left).or(range_in(column, right))
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
        assert_eq!(range(col("start").eq(lit(7i64)).or(col("start").eq(lit(1i64)))), Range { first: 1, last: 7 });
    }

    #[test]
    fn a_value_is_admitted_unless_a_filter_excludes_it() {
        let admitted = |filter: Expr| (0..5).filter(|&value| admits("rank", value, &filter)).collect::<Vec<_>>();
        assert_eq!(admitted(col("rank").eq(lit(3i64))), [3]);
        assert_eq!(admitted(col("rank").eq(lit(0i64)).or(lit(4i64).eq(col("rank")))), [0, 4]);
        assert_eq!(admitted(col("rank").in_list(vec![lit(1i64), lit(4i64)], false)), [1, 4]);
        assert_eq!(admitted(col("rank").in_list(vec![lit(1i64), lit(4i64)], true)), [0, 2, 3]);
        assert_eq!(admitted(col("rank").not_eq(lit(2i64)).and(col("rank").lt(lit(4i64)))), [0, 1, 3]);
        assert_eq!(admitted(col("rank").eq(lit(3i64)).or(col("name").eq(lit("x")))), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_not_understood_leaves_all_open() {
        for filter in [
            col("start").gt(lit(5i64)).or(col("name").eq(lit("x"))),
            col("start").gt(lit(5i64)).or(col("start").not_eq(lit(2i64))),
            col("start").not_eq(lit(5i64)),
            col("end").gt(lit(5i64)),
            (col("start") + lit(1i64)).gt(lit(5i64)),
            col("start").in_list(vec![lit(7i64)], true),
        ] {
            assert_eq!(range_of("start", &[filter]), Range::ALL);
        }
    }
}
