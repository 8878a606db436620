//! No query ends the process: what nests too deeply is refused, what does not is answered.

use npuscope_engine::{EngineError, Session};
use proptest::prelude::*;

use crate::job::{Job, number};

/// One kind of query of any depth.
type Kind = (&'static str, fn(usize) -> String);

fn nested(open: &str, core: &str, close: &str, depth: usize) -> String {
    format!("{}{core}{}", open.repeat(depth), close.repeat(depth))
}

const KINDS: &[Kind] = &[
    ("sum", |n| format!("SELECT {}", vec!["1"; n].join("+"))),
    ("sum of a column", |n| format!("SELECT {} FROM step", vec!["start"; n].join("+"))),
    ("or", |n| format!("SELECT 1 FROM step WHERE {}", vec!["start = 1"; n].join(" OR "))),
    ("and", |n| format!("SELECT 1 FROM step WHERE {}", vec!["rank > 0"; n].join(" AND "))),
    ("concatenation", |n| format!("SELECT {}", vec!["'a'"; n].join("||"))),
    ("comparison", |n| format!("SELECT {}", vec!["true"; n].join("="))),
    ("is distinct", |n| format!("SELECT {}", vec!["1"; n].join(" IS DISTINCT FROM "))),
    ("parentheses", |n| format!("SELECT {}", nested("(", "1", ")", n))),
    ("open parentheses", |n| format!("SELECT {}", "(".repeat(n))),
    ("parentheses with a tail", |n| format!("SELECT {}", nested("(", "1", "+1+1)", n))),
    ("functions", |n| format!("SELECT {}", nested("abs(", "1", ")", n))),
    ("case", |n| format!("SELECT {}", nested("CASE WHEN true THEN ", "1", " END", n))),
    ("else", |n| format!("SELECT {}", nested("CASE WHEN false THEN 0 ELSE ", "1", " END", n))),
    ("when", |n| format!("SELECT CASE {} END", "WHEN rank = 1 THEN 2 ".repeat(n))),
    ("not", |n| format!("SELECT {}true", "NOT ".repeat(n))),
    ("minus", |n| format!("SELECT {}1", "- ".repeat(n))),
    ("interval", |n| format!("SELECT {}'1 day'", "INTERVAL ".repeat(n))),
    ("cast", |n| format!("SELECT 1{}", "::bigint".repeat(n))),
    ("subscript", |n| format!("SELECT a{}", "[1]".repeat(n))),
    ("field", |n| format!("SELECT (a){}", ".b".repeat(n))),
    ("type", |n| format!("SELECT CAST(1 AS {}INT{})", "ARRAY<".repeat(n), ">".repeat(n))),
    ("type in brackets", |n| format!("SELECT CAST(1 AS {})", nested("Nullable(", "INT", ")", n))),
    ("type of arrays", |n| format!("SELECT CAST(1 AS INT{})", "[]".repeat(n))),
    ("array", |n| format!("SELECT {}", nested("[", "1", "]", n))),
    ("union", |n| vec!["SELECT 1"; n].join(" UNION ALL ")),
    ("except", |n| vec!["SELECT 1"; n].join(" EXCEPT ")),
    ("cross join", |n| format!("SELECT 1 FROM step{}", ", step".repeat(n))),
    ("join", |n| {
        format!("SELECT 1 FROM step s{}", (0..n).map(|i| format!(" JOIN step t{i} ON true")).collect::<String>())
    }),
    ("subquery", |n| nested("SELECT * FROM (", "SELECT 1", ") t", n)),
    ("scalar subquery", |n| nested("SELECT (", "SELECT 1", ")", n)),
    ("exists", |n| nested("SELECT 1 WHERE EXISTS (", "SELECT 1", ")", n)),
    ("with", |n| {
        let more = (1..n).map(|i| format!(", t{i} AS (SELECT * FROM t{})", i - 1));
        format!("WITH t0 AS (SELECT 1){} SELECT * FROM t{}", more.collect::<String>(), n.max(1) - 1)
    }),
    ("doubling with", |n| {
        let more = (1..n).map(|i| format!(", t{i} AS (SELECT * FROM t{0} UNION ALL SELECT * FROM t{0})", i - 1));
        format!("WITH t0 AS (SELECT 1){} SELECT count(*) FROM t{}", more.collect::<String>(), n.max(1) - 1)
    }),
    ("explain", |n| format!("{}SELECT 1", "EXPLAIN ".repeat(n))),
    ("statements", |n| "SELECT 1;".repeat(n)),
    ("in", |n| format!("SELECT 1 FROM step WHERE rank IN ({})", vec!["7"; n].join(","))),
    ("columns", |n| format!("SELECT {}", (0..n).map(|i| format!("{i} AS c{i}")).collect::<Vec<_>>().join(","))),
    ("values", |n| format!("SELECT count(*) FROM (VALUES {}) t", vec!["(1)"; n].join(","))),
    ("comment", |n| nested("/*", "", "*/", n) + "SELECT 1"),
];

/// A query may be refused for what it is; it is never a fault of ours.
fn ask(session: &Session, kind: &str, depth: usize, sql: &str) {
    match session.sql(sql) {
        Ok(_) => {}
        Err(why @ (EngineError::Internal(_) | EngineError::Ended)) => panic!("{kind}, {depth} times: {why}"),
        Err(error) => {
            assert!(error.to_string().len() < 2000, "{kind}, {depth} times: {} bytes", error.to_string().len())
        }
    }
}

#[test]
fn queries_of_every_kind_and_depth_are_answered_or_refused() {
    let job = Job::one_rank();
    let session = job.open();
    for (kind, make) in KINDS {
        for depth in [1, 10, 50, 500, 5000, 50_000] {
            let begin = std::time::Instant::now();
            ask(&session, kind, depth, &make(depth));
            println!("{kind}, {depth} times: {:?}", begin.elapsed());
        }
    }
}

#[test]
fn what_is_as_deep_as_may_be_is_answered() {
    let session = Job::one_rank().open();
    assert_eq!(number(&session, &format!("SELECT {} AS n", vec!["1"; 990].join("+"))), 990);
    let union = vec!["SELECT 1"; 100].join(" UNION ALL ");
    assert_eq!(number(&session, &format!("SELECT count(*) FROM ({union}) t")), 100);
}

#[test]
fn a_long_list_is_not_deep() {
    let session = Job::one_rank().open();
    let list = (0..100_000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let kernels = number(&session, "SELECT count(*) FROM kernel");
    assert_eq!(number(&session, &format!("SELECT count(*) FROM kernel WHERE rank IN ({list})")), kernels);
}

#[test]
fn what_is_refused_says_why() {
    let session = Job::one_rank().open();
    let refused = |sql: String| session.sql(&sql).unwrap_err();
    assert!(matches!(refused(KINDS[0].1(50_000)), EngineError::TooDeep { .. }));
    assert!(matches!(refused(format!("SELECT 1 {}", " ".repeat(2 << 20))), EngineError::TooLong { .. }));
    let (_, doubling) = KINDS.iter().find(|(kind, _)| *kind == "doubling with").unwrap();
    assert!(matches!(refused(doubling(40)), EngineError::TooLarge { .. }));
}

proptest! {
    #![proptest_config(npuscope_testing::cases(8))]

    /// Kinds inside each other: expressions of one as a term of the next.
    #[test]
    fn mixed_nesting_is_answered_or_refused(
        layers in prop::collection::vec((0..8usize, 1..150usize), 1..5),
    ) {
        let mut term = "1".to_owned();
        for (kind, count) in layers {
            term = match kind {
                0 => format!("({term}{})", "+1".repeat(count)),
                1 => format!("(CASE WHEN {term} = 1 {} THEN 1 ELSE 0 END)", "OR 1 = 2 ".repeat(count)),
                2 => nested("(", &term, ")", count.min(30)),
                3 => nested("abs(", &term, ")", count.min(30)),
                4 => format!("(SELECT {term} {})", "UNION ALL SELECT 1 ".repeat(count % 60)),
                5 => format!("coalesce({term}{})", ", 1".repeat(count)),
                6 => format!("({}{term})", "1-".repeat(count)),
                _ => format!("({term}{})::bigint", "*1".repeat(count)),
            };
        }
        let session = SESSION.with(|session| session.clone());
        ask(&session.1, "mixed", 0, &format!("SELECT {term}"));
    }
}

thread_local! {
    static SESSION: std::rc::Rc<(Job, Session)> = {
        let job = Job::one_rank();
        let session = job.open();
        std::rc::Rc::new((job, session))
    };
}
