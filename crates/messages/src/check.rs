//! Whether the catalogs have a sentence for every message, and no other.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use fluent_syntax::parser;

use crate::{Declared, Language, catalog};

/// The entry of the documentation of this crate.
const EXAMPLE: Declared = Declared { id: "example", arguments: &["steps", "times"] };

/// What is wrong with the catalogs, a line each; nothing if every message of `declared` has one entry in every language
/// that uses exactly its arguments, and no entry is without a message.
pub fn problems(declared: &[Declared]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut expected: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for message in declared.iter().chain([&EXAMPLE]) {
        if expected.insert(message.id, message.arguments.iter().copied().collect()).is_some() {
            problems.push(format!("{}: declared twice", message.id));
        }
    }
    for language in Language::ALL {
        let file = format!("{}.ftl", language.code());
        let entries = entries(catalog::source(language), &file, &mut problems);
        for (id, arguments) in &expected {
            match entries.get(id) {
                None => problems.push(format!("{file}: no entry for {id}")),
                Some(used) if used != arguments => {
                    problems.push(format!("{file}: {id} uses {used:?}, its message has {arguments:?}"));
                }
                Some(_) => {}
            }
        }
        let unused = entries.keys().filter(|id| !expected.contains_key(*id));
        problems.extend(unused.map(|id| format!("{file}: no message for the entry {id}")));
    }
    problems
}

/// The entries of a catalog, each with the arguments that it uses.
fn entries<'a>(source: &'a str, file: &str, problems: &mut Vec<String>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let resource = parser::parse(source).unwrap_or_else(|(resource, errors)| {
        problems.extend(errors.iter().map(|error| format!("{file}: byte {}: {error}", error.pos.start)));
        resource
    });
    let mut entries = BTreeMap::new();
    for entry in resource.body {
        if let Entry::Message(message) = entry {
            let mut used = BTreeSet::new();
            if let Some(pattern) = &message.value {
                arguments_of(pattern, &mut used);
            }
            if entries.insert(message.id.name, used).is_some() {
                problems.push(format!("{file}: {} stands twice", message.id.name));
            }
        }
    }
    entries
}

fn arguments_of<'a>(pattern: &Pattern<&'a str>, used: &mut BTreeSet<&'a str>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            arguments_of_expression(expression, used);
        }
    }
}

fn arguments_of_expression<'a>(expression: &Expression<&'a str>, used: &mut BTreeSet<&'a str>) {
    let inline = match expression {
        Expression::Inline(inline) => inline,
        Expression::Select { selector, variants } => {
            variants.iter().for_each(|variant| arguments_of(&variant.value, used));
            selector
        }
    };
    match inline {
        InlineExpression::VariableReference { id } => {
            used.insert(id.name);
        }
        InlineExpression::Placeable { expression } => arguments_of_expression(expression, used),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_the_arguments_of_every_variant() {
        let mut problems = Vec::new();
        let source = "a = { $n ->\n    [one] { $x }\n   *[other] { $y } of { $n }\n}\nb = plain\n";
        let found = entries(source, "en.ftl", &mut problems);
        assert_eq!(found["a"], BTreeSet::from(["n", "x", "y"]));
        assert!(found["b"].is_empty() && problems.is_empty());
    }

    #[test]
    fn what_is_missing_surplus_or_different_is_reported() {
        let declared = [Declared { id: "not-there", arguments: &[] }, Declared { id: "not-there", arguments: &[] }];
        let problems = problems(&declared);
        for expected in
            ["not-there: declared twice", "en.ftl: no entry for not-there", "zh.ftl: no entry for not-there"]
        {
            assert!(problems.iter().any(|problem| problem == expected), "{expected}: {problems:?}");
        }
        let mut problems = Vec::new();
        entries("a = x\na = y\nb = { $\n", "zh.ftl", &mut problems);
        assert!(problems.iter().any(|problem| problem == "zh.ftl: a stands twice"), "{problems:?}");
        assert!(problems.iter().any(|problem| problem.starts_with("zh.ftl: byte ")), "{problems:?}");
    }
}
