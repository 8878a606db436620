//! The generated pages of the manual are what the program says of itself. `NPUSCOPE_BLESS=1` writes them anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use arrow::datatypes::DataType;
use clap::{Arg, Command, CommandFactory};
use npuscope::arguments::Arguments;
use npuscope_engine::FUNCTIONS;
use npuscope_measures::glossary::{Language, SECTIONS, terms};
use npuscope_tables::schema::{self, Family, TableSpec};

fn assert_page(name: &str, text: &str) {
    assert_file(&format!("docs/{name}"), text);
}

/// A file of the repository.
fn assert_file(name: &str, text: &str) {
    // Asked for at run time: clones that share a target directory also share what was compiled.
    let path = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..").join(name);
    if std::env::var_os("NPUSCOPE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let (line, _) = written.lines().zip(text.lines()).enumerate().find(|(_, (a, b))| a != b).unwrap_or_default();
    let hint = "NPUSCOPE_BLESS=1 cargo test -p npuscope --test documentation";
    assert!(written == text, "{name} is out of date from line {}; {hint} writes it anew", line + 1);
}

#[test]
fn the_page_of_commands_is_up_to_date() {
    let mut program = Arguments::command();
    program.build();
    let mut page = "# Commands\n\nGenerated from the program; `npuscope COMMAND --help` says the same.\n".to_owned();
    command(&mut page, &mut program);
    for mut shown in program.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help").cloned() {
        command(&mut page, &mut shown);
        for mut part in shown.get_subcommands().filter(|c| c.get_name() != "help").cloned() {
            command(&mut page, &mut part);
        }
    }
    assert_page("commands.md", &page);
}

fn command(page: &mut String, command: &mut Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string();
    let _ = write!(page, "\n## {name}\n\n{}\n\n```\n{}\n```\n", about.trim(), usage.trim_start_matches("Usage: "));
    let is_root = !name.contains(' ');
    let is_shown = |arg: &&Arg| {
        let is_standard = ["help", "version"].contains(&arg.get_id().as_str());
        !arg.is_hide_set() && !is_standard && arg.is_global_set() == is_root
    };
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(is_shown).partition(|arg| arg.is_positional());
    let options_title = if is_root { "Options of every command" } else { "Options" };
    for (title, arguments) in [("Arguments", positional), (options_title, options)] {
        if !arguments.is_empty() {
            let _ = write!(page, "\n{title}:\n\n");
            arguments.iter().for_each(|arg| argument(page, arg));
        }
    }
    if let Some(after) = command.get_after_help() {
        let after = after.to_string();
        let _ = match after.strip_prefix("Examples:\n").or(after.strip_prefix("Example:\n")) {
            Some(examples) => {
                let lines: Vec<&str> = examples.lines().map(str::trim).collect();
                write!(page, "\nExamples:\n\n```sh\n{}\n```\n", lines.join("\n"))
            }
            None => write!(page, "\n{after}\n"),
        };
    }
}

fn argument(page: &mut String, arg: &Arg) {
    let names = arg.get_value_names().unwrap_or_default().join(" ");
    let takes_value = arg.get_action().takes_values();
    let value = if takes_value { format!(" {names}") } else { String::new() };
    let short = arg.get_short().map(|c| format!("-{c}"));
    let longs = arg.get_long().into_iter().chain(arg.get_visible_aliases().unwrap_or_default());
    let flags: Vec<String> = short.into_iter().chain(longs.map(|long| format!("--{long}"))).collect();
    let spelling = if flags.is_empty() { names.clone() } else { format!("{}{value}", flags.join(", ")) };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "- `{spelling}`");
    if !help.is_empty() {
        let _ = write!(page, ": {}", help.replace('\n', " "));
    }
    let values: Vec<_> = arg.get_possible_values().into_iter().filter(|v| takes_value && !v.is_hide_set()).collect();
    if !values.is_empty() {
        let named = values.iter().map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        });
        let _ = write!(page, "; one of {}", named.collect::<Vec<_>>().join(", "));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(page, "; default `{}`", defaults.join(" "));
    }
    page.push('\n');
}

/// The comment at the top of a mode's file is its manual page.
#[test]
fn the_page_of_cluster_modes_is_up_to_date() {
    let mut page = "# Modes of `npuscope cluster`\n\nGenerated from the program. Files and tables have the names that msprof-analyze \
        gives them; figures follow the definitions here, and `--compat` gives those of msprof-analyze 26.2 instead.\n"
        .to_owned();
    let recipes =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../analysis/src/cluster/recipes");
    for mode in npuscope_analysis::cluster::modes() {
        let source = std::fs::read_to_string(recipes.join(mode.name).with_extension("rs")).unwrap();
        let comment = source.lines().map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<&str> = comment.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        let text = plain_links(&lines.join("\n"));
        assert!(lines.len() > 2, "{} has no manual page", mode.name);
        let _ = write!(page, "\n## {}\n\n{}\n", mode.name, text.trim());
    }
    assert_page("cluster.md", &page);
}

/// Text without the places that links of documentation comments lead to.
fn plain_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[`") {
        let Some(end) = rest[start..].find("`]").map(|end| start + end + 1) else { break };
        plain.push_str(&rest[..start]);
        plain.push_str(&rest[start + 1..end]);
        rest = &rest[end + 1..];
        if let Some(end) = rest.strip_prefix('(').and_then(|_| rest.find(')')) {
            rest = &rest[end + 1..];
        }
    }
    plain + rest
}

#[test]
fn the_page_of_tables_is_up_to_date() {
    let mut page = "# Tables\n\nGenerated from the program; `npuscope sql DIR '\\tables'` and `'\\d TABLE'` say the same.\n\n\
        Every table also has the column `rank`. Times are nanoseconds since the epoch, durations nanoseconds, sizes bytes. \
        A type with `?` may be null.\n"
        .to_owned();
    for (family, title) in [
        (Family::Fact, "What happened"),
        (Family::Measured, "What follows from that"),
        (Family::Reported, "What the source's own summaries say, in their units"),
        (Family::About, "About the profile itself"),
    ] {
        let _ = write!(page, "\n## {title}\n");
        schema::all().iter().filter(|table| table.family == family).for_each(|spec| table(&mut page, spec));
    }
    page.push_str(
        "\n## Functions\n\nQueries may call these beside the functions of SQL:\n\n| function | gives |\n|---|---|\n",
    );
    for function in FUNCTIONS {
        let _ = writeln!(page, "| `{}({})` | {} |", function.name, function.arguments.join(", "), function.about);
    }
    assert_page("tables.md", &page);
}

fn table(page: &mut String, spec: &TableSpec) {
    let _ =
        write!(page, "\n### {}\n\n{}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", spec.name, spec.doc);
    for column in &spec.columns {
        let ty = match column.ty.scanned() {
            DataType::Utf8View => "Text".to_owned(),
            other => other.to_string(),
        };
        let null = if column.nullable { "?" } else { "" };
        let doc = column.doc.replace('|', "\\|");
        let _ = writeln!(page, "| `{}` | {ty}{null} | {} | {doc} |", column.name, column.unit);
    }
}

#[test]
fn the_pages_of_terms_are_up_to_date() {
    let head = "# Glossary\n\nGenerated from the program; `npuscope glossary TERM` says the same. Each number has one definition and one \
        function that computes it. Units are those of tables and JSON; a name that ends in `_ms` or `_us` says another. \
        Formulas name other terms.\n";
    assert_page("glossary.md", &glossary(head, Language::English));
    let head = "# 术语表\n\n由程序生成；`npuscope glossary TERM --lang zh` 显示同样的内容。每个数值只有一个定义，由一个函数计算。\
        单位为表和 JSON 中的单位；以 `_ms` 或 `_us` 结尾的名称除外。公式中使用其他术语的名称。\n";
    assert_page("glossary.zh.md", &glossary(head, Language::Chinese));
}

fn glossary(head: &str, language: Language) -> String {
    let mut page = head.to_owned();
    let code = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (colon, labels) = match language {
        Language::English => (": ", ["Unit", "Formula", "Other names", "Computed by"]),
        Language::Chinese => ("：", ["单位", "公式", "其他名称", "计算函数"]),
    };
    for section in SECTIONS {
        let _ = write!(page, "\n## {}\n", language.choose(section.english_name, section.chinese_name));
        for term in section.terms {
            let _ = write!(page, "\n### {}\n\n", term.name(language));
            let _ = write!(page, "`{}`{colon}{}\n\n", term.key, term.definition(language));
            let facts = [&[term.unit], &[term.formula], term.also, &[term.function]];
            for (label, facts) in labels.iter().zip(facts).filter(|(_, facts)| !matches!(facts, [] | [""])) {
                let _ = writeln!(page, "- {label}{colon}{}", code(facts));
            }
        }
    }
    page
}

/// The pages of the viewer show definitions where there is no server, too: in reports.
#[test]
fn the_terms_of_the_viewer_are_up_to_date() {
    let mut module =
        "// What numbers mean. Generated from crates/measures/src/glossary; `make docs` writes it anew.\n\n\
        export const GLOSSARY = {\n"
            .to_owned();
    for term in terms() {
        let [unit, formula, en, zh, english, chinese] =
            [term.unit, term.formula, term.english_name, term.chinese_name, term.english, term.chinese]
                .map(|text| serde_json::to_string(text).unwrap());
        let _ = write!(
            module,
            "  {}: {{\n    unit: {unit},\n    formula: {formula},\n    en: {{ name: {en}, text: {english} }},\n    \
             zh: {{ name: {zh}, text: {chinese} }},\n  }},\n",
            term.key
        );
    }
    module.push_str("} as const;\n");
    assert_file("ui/src/glossary.ts", &module);
}
