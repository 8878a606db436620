//! The generated pages of the manual are what the program says of itself. `NPUSCOPE_BLESS=1` writes them anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use arrow::datatypes::DataType;
use clap::{Arg, Command};
use npuscope::arguments::OPTIONS_OF_EVERY_COMMAND;
use npuscope::help;
use npuscope_engine::FUNCTIONS;
use npuscope_measures::glossary::{Language, SECTIONS, numbers};
use npuscope_messages::documentation::{translate, translate_markdown};
use npuscope_tables::schema::{self, TableSpec};
use npuscope_testing::manual_page;

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

/// A page in each language: its file is `NAME.md` or `NAME.zh.md`.
fn assert_pages(name: &str, page: impl Fn(Language) -> String) {
    assert_page(&format!("{name}.md"), &page(Language::English));
    assert_page(&format!("{name}.zh.md"), &page(Language::Chinese));
}

#[test]
fn the_pages_of_commands_are_up_to_date() {
    assert_pages("commands", |language| {
        let mut program = help::command(language);
        program.build();
        let mut page = language
            .choose(
                "# Commands\n\nGenerated from the program; `npuscope COMMAND --help` says the same.\n",
                "# 命令\n\n由程序生成；`npuscope COMMAND --help --lang zh` 显示同样的内容。\n",
            )
            .to_owned();
        command(&mut page, &mut program, language);
        for mut shown in program.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help").cloned() {
            command(&mut page, &mut shown, language);
            for mut part in shown.get_subcommands().filter(|c| c.get_name() != "help").cloned() {
                command(&mut page, &mut part, language);
            }
        }
        page
    });
}

fn command(page: &mut String, command: &mut Command, language: Language) {
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
    let options_title = if is_root { OPTIONS_OF_EVERY_COMMAND } else { "Options:" };
    for (title, arguments) in [("Arguments:", positional), (options_title, options)] {
        if !arguments.is_empty() {
            let title = translate(title, language);
            let _ =
                write!(page, "\n{}\n\n", title.trim_end_matches([':', '：']).to_owned() + language.choose(":", "："));
            arguments.iter().for_each(|arg| argument(page, arg, language));
        }
    }
    if let Some(after) = command.get_after_help() {
        let after = after.to_string();
        let title = translate("Examples:", language);
        let _ = match after.strip_prefix(&*title).and_then(|after| after.strip_prefix('\n')) {
            Some(examples) => {
                let (examples, lists) = examples.split_once("\n\n").unwrap_or((examples, ""));
                let lines: Vec<&str> = examples.lines().map(str::trim).collect();
                let _ = write!(page, "\n{title}\n\n```sh\n{}\n```\n", lines.join("\n"));
                list(page, lists, language);
                Ok(())
            }
            None => write!(page, "\n{after}\n"),
        };
    }
}

/// What stands below the examples: a heading, and an indented line for each entry, its name in front.
fn list(page: &mut String, text: &str, language: Language) {
    for line in text.lines().filter(|line| !line.is_empty()) {
        let _ = match line.trim_start().split_once("  ") {
            Some((name, about)) if line.starts_with(' ') => {
                writeln!(page, "- `{name}`{}{}", language.choose(": ", "："), about.trim_start())
            }
            _ => write!(page, "\n{line}\n\n"),
        };
    }
}

/// An argument with its help; in Chinese, the help has its values and its default in it.
fn argument(page: &mut String, arg: &Arg, language: Language) {
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
        let _ = write!(page, "{}{}", language.choose(": ", "："), help.replace('\n', " "));
    }
    let is_listed = takes_value && !arg.is_hide_possible_values_set();
    let values: Vec<_> = arg.get_possible_values().into_iter().filter(|v| is_listed && !v.is_hide_set()).collect();
    if !values.is_empty() {
        let named = values.iter().map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        });
        let _ = write!(page, "; one of {}", named.collect::<Vec<_>>().join(", "));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_value && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let _ = write!(page, "; default `{}`", defaults.join(" "));
    }
    page.push('\n');
}

/// The comment at the top of a mode's file is its manual page.
#[test]
fn the_pages_of_cluster_modes_are_up_to_date() {
    let recipes =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../analysis/src/cluster/recipes");
    assert_pages("cluster", |language| {
        let mut page = language
            .choose(
                "# Modes of `npuscope cluster`\n\nGenerated from the program. Files and tables have the names that \
                 msprof-analyze gives them; numbers follow the definitions here, and `--compat` selects those of \
                 msprof-analyze 26.2.\n",
                "# `npuscope cluster` 的模式\n\n由程序生成。文件和表采用 msprof-analyze 的名称；数值按此处的定义计算，\
                 `--compat` 则采用 msprof-analyze 26.2 的算法。\n",
            )
            .to_owned();
        for mode in npuscope_analysis::cluster::modes() {
            let text = manual_page(&recipes.join(mode.name).with_extension("rs"));
            assert!(text.lines().count() > 2, "{} has no manual page", mode.name);
            let _ = write!(page, "\n## {}\n\n{}\n", mode.name, translate_markdown(&text, language).trim_end());
        }
        page
    });
}

#[test]
fn the_pages_of_tables_are_up_to_date() {
    assert_pages("tables", |language| {
        let mut page = language
            .choose(
                "# Tables\n\nGenerated from the program; `npuscope sql DIR '\\tables'` and `'\\d TABLE'` say the same.\n\n\
                 Every table also has the columns `rank` and `window`. Times are nanoseconds since the epoch, durations nanoseconds, sizes \
                 bytes. A type with `?` may be null.\n",
                "# 表\n\n由程序生成；`npuscope sql DIR '\\tables'` 和 `'\\d TABLE'` 显示同样的内容。\n\n\
                 每张表还有 `rank` 列和 `window` 列。时间为自 epoch 起的纳秒数，时长单位为纳秒，大小单位为字节。类型带 `?` 的列可以为空。\n",
            )
            .to_owned();
        for (family, title) in npuscope::messages::output::table_families() {
            let _ = write!(page, "\n## {}\n", title.text(language));
            let tables = schema::all().iter().filter(|table| table.family == family);
            tables.for_each(|spec| table(&mut page, spec, language));
        }
        page.push_str(language.choose(
            "\n## Functions\n\nQueries may call these functions in addition to those of SQL:\n\n| function | result |\n|---|---|\n",
            "\n## 函数\n\n除 SQL 自带的函数外，查询还可以调用：\n\n| 函数 | 结果 |\n|---|---|\n",
        ));
        for function in FUNCTIONS {
            let about = translate(function.about, language);
            let _ = writeln!(page, "| `{}({})` | {about} |", function.name, function.arguments.join(", "));
        }
        page
    });
}

fn table(page: &mut String, spec: &TableSpec, language: Language) {
    let head = language.choose("| column | type | unit | meaning |", "| 列 | 类型 | 单位 | 含义 |");
    let doc = translate(spec.doc, language);
    let _ = write!(page, "\n### {}\n\n{doc}\n\n{head}\n|---|---|---|---|\n", spec.name);
    for column in &spec.columns {
        let ty = match column.ty.scanned() {
            DataType::Utf8View => "Text".to_owned(),
            other => other.to_string(),
        };
        let null = if column.nullable { "?" } else { "" };
        let doc = translate(column.doc, language).replace('|', "\\|");
        let _ = writeln!(page, "| `{}` | {ty}{null} | {} | {doc} |", column.name, column.unit);
    }
}

#[test]
fn the_pages_of_terms_are_up_to_date() {
    let head = "# Glossary\n\nGenerated from the program; `npuscope glossary TERM` says the same. Each name has one meaning, and each \
        number one definition and one function that computes it. Units are those of tables and JSON; names ending in `_ms` or `_us` use that unit. \
        Names in formulas are terms of this glossary.\n";
    assert_page("glossary.md", &glossary(head, Language::English));
    let head = "# 术语表\n\n由程序生成；`npuscope glossary TERM --lang zh` 显示同样的内容。每个名称只有一个含义；每个数值只有一个定义，由一个函数计算。\
        单位为表和 JSON 中的单位；以 `_ms` 或 `_us` 结尾的名称使用该单位。公式中的名称均为本术语表中的术语。\n";
    assert_page("glossary.zh.md", &glossary(head, Language::Chinese));
}

fn glossary(head: &str, language: Language) -> String {
    let mut page = head.to_owned();
    let code = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (colon, labels) = match language {
        Language::English => (": ", ["Unit", "Formula", "Other names", "Avoid", "Computed by"]),
        Language::Chinese => ("：", ["单位", "公式", "其他名称", "避免使用", "计算函数"]),
    };
    for section in SECTIONS {
        let _ = write!(page, "\n## {}\n", section.name(language));
        for term in section.terms {
            let _ = write!(page, "\n### {}\n\n", term.name(language));
            let _ = write!(page, "`{}`{colon}{}\n\n", term.key, term.definition(language));
            let not_used = term.not_used_in(language);
            let formula = term.formula_in(language);
            let facts = [&[term.unit], &[formula.as_ref()], term.also, not_used.as_slice(), &[term.function]];
            for (label, facts) in labels.iter().zip(facts).filter(|(_, facts)| !matches!(facts, [] | [""])) {
                let _ = writeln!(page, "- {label}{colon}{}", code(facts));
            }
        }
    }
    let (tables, options) = (language.choose("Tables", "表"), language.choose("Options", "选项"));
    let (tables_page, commands_page) =
        (language.choose("tables.md", "tables.zh.md"), language.choose("commands.md", "commands.zh.md"));
    let _ = write!(page, "\n## {tables}\n\n");
    for spec in schema::all() {
        let _ =
            writeln!(page, "- [`{}`]({tables_page}#{}){colon}{}", spec.name, spec.name, translate(spec.doc, language));
    }
    let _ = write!(page, "\n## {options}\n\n[{commands_page}]({commands_page})\n\n");
    for (name, help) in help::options(language) {
        let _ = writeln!(page, "- `{name}`{colon}{help}");
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
    for term in numbers() {
        let in_chinese = term.formula_in(Language::Chinese);
        let [unit, formula, in_chinese] =
            [term.unit, term.formula, &in_chinese].map(|text| serde_json::to_string(text).unwrap());
        let [en, zh, english, chinese] = [term.english_name, term.chinese_name, term.english, term.chinese]
            .map(|text| serde_json::to_string(text).unwrap());
        let _ = write!(
            module,
            "  {}: {{\n    unit: {unit},\n    en: {{ name: {en}, text: {english}, formula: {formula} }},\n    \
             zh: {{ name: {zh}, text: {chinese}, formula: {in_chinese} }},\n  }},\n",
            term.key
        );
    }
    module.push_str("} as const;\n");
    assert_file("ui/src/glossary.ts", &module);
}
