//! Whether Chinese text is Chinese.

/// The commands of npuscope.
pub const COMMANDS: [&str; 18] = [
    "auto-completion",
    "cluster",
    "completion",
    "config",
    "convert",
    "diagnose",
    "doctor",
    "dynamic",
    "glossary",
    "info",
    "msprof-analyze",
    "parse",
    "report",
    "run",
    "show",
    "sql",
    "synth",
    "view",
];

/// The first English sentence in Chinese text: three or more English words in a row. `None` where there is none.
///
/// Quoted text, `code`, `<PLACEHOLDERS>`, names, paths, options and commands of npuscope with the path behind them are
/// the same in every language, and are no English.
///
/// ```
/// use npuscope_testing::english_sentence;
///
/// assert_eq!(english_sentence("没有视图 weather；npuscope show my job 可列出所有视图"), None);
/// assert_eq!(english_sentence("错误：there is no view").as_deref(), Some("there is no view"));
/// ```
pub fn english_sentence(text: &str) -> Option<String> {
    let plain = without_quotes(text);
    // Two spaces are between columns of a table.
    plain.split(|c: char| !c.is_ascii() || c == '\n').flat_map(|part| part.split("  ")).find_map(|part| {
        let mut words = part.split_whitespace().peekable();
        let mut run: Vec<&str> = Vec::new();
        while let Some(word) = words.next() {
            if word == "npuscope" {
                if let Some(command) = words.next_if(|word| COMMANDS.contains(word)) {
                    // Its argument, and the name of a command within a command.
                    let arguments = if ["config", "dynamic"].contains(&command) { 2 } else { 1 };
                    words.by_ref().take(arguments).for_each(drop);
                }
                run.clear();
                continue;
            }
            if !is_english(word) {
                run.clear();
                continue;
            }
            run.push(word);
            if run.len() == 3 {
                return Some(part.trim().to_owned());
            }
            // Names in a list.
            if word.ends_with(',') {
                run.clear();
            }
        }
        None
    })
}

/// A word of letters alone, with a mark behind it at most. `rank` and `step` stay as they are in Chinese.
fn is_english(word: &str) -> bool {
    let letters = word.trim_end_matches([',', '.', ';', ':', '?', '!', ')']).trim_start_matches('(');
    let is_word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '\'');
    let rest = letters.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(letters);
    is_word(rest) && !["rank", "step", "profile"].contains(&letters)
}

/// The text without what stands in quotes, backquotes and angle brackets. An apostrophe inside a word is no quote, and
/// what its line does not close is none either.
fn without_quotes(text: &str) -> String {
    text.lines().map(line_without_quotes).collect::<Vec<_>>().join("\n")
}

fn line_without_quotes(line: &str) -> String {
    let mut plain = String::new();
    let mut closing = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let closed_by = |end: char| line[at + c.len_utf8()..].contains(end).then_some(end);
        match closing {
            Some(end) if c == end => closing = None,
            Some(_) => {}
            None => match c {
                '\'' if before.is_ascii_alphanumeric() => plain.push(c),
                '\'' | '"' | '`' => closing = closed_by(c),
                '<' => closing = closed_by('>'),
                '“' => closing = closed_by('”'),
                '‘' => closing = closed_by('’'),
                _ => plain.push(c),
            },
        }
        before = c;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_quotes_options_and_commands_are_no_english() {
        for text in [
            "错误：'--ranks <LIST>' 的值 'this is no list' 无效：应为数字和范围，例如 0,3-7",
            "用法：npuscope convert [OPTIONS] --to <FORMAT> --output <OUT> <PATH>",
            "没有采集到设备数据；npuscope doctor my job dir 可查看缺少的数据",
            "缺少 trace_view.json、kernel_details.csv 或 ascend_pytorch_profiler_0.db",
            "可选值：text、db、parquet、perfetto",
            "请用 `nsys profile it all` 采集",
            "  name   text    kernel 的名称",
            "参数：name, core, stream, limit",
        ] {
            assert_eq!(english_sentence(text), None, "{text}");
        }
    }

    #[test]
    fn three_english_words_are_a_sentence() {
        for text in [
            "错误：no such file or directory: job",
            "无法写入 out：Permission denied by you",
            "there is nothing",
            "错误：npuscope cannot read this file",
            "npuscope doctor job lists what is missing",
            "错误：' is a quote that nothing closes",
            "错误：值 '4 无效：expected a whole number\n请用 '8'",
        ] {
            assert!(english_sentence(text).is_some(), "{text}");
        }
    }
}
