//! Commands within the sentences of the manual name commands and options that exist.

use std::fs;

use clap::{Command, CommandFactory};
use npuscope::arguments::Arguments;

use crate::blocks::{repository, written_pages};

#[test]
fn every_command_in_a_sentence_has_options_that_exist() {
    let mut program = Arguments::command();
    program.build();
    let (mut count, mut wrong) = (0, Vec::new());
    for page in written_pages() {
        let text = fs::read_to_string(repository().join(&page)).unwrap();
        for span in spans(&text) {
            count += 1;
            wrong.extend(fault(&program, span).map(|why| format!("{page}: `{span}`: {why}")));
        }
    }
    assert!(count > 80, "only {count} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commands between backticks, outside of blocks.
fn spans(text: &str) -> Vec<&str> {
    // Every second part between fences is a block, and of what is left every second part between backticks is code.
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).filter(|code| code.starts_with("npuscope ")).collect()
}

/// What is wrong with a command: an unknown name, or an option that it does not have.
fn fault(program: &Command, span: &str) -> Option<String> {
    let mut command = program;
    let mut words = span.split_whitespace().skip(1).filter(|word| *word != "msprof-analyze").peekable();
    while let Some(found) = words.peek().and_then(|word| command.find_subcommand(word)) {
        command = found;
        words.next();
    }
    if let Some(word) = words.peek().filter(|_| command.has_subcommands()) {
        // A word in capitals stands for any command, `…` for any words.
        let stands_for_any = !word.starts_with(|letter: char| letter.is_ascii_lowercase());
        return (!stands_for_any).then(|| format!("there is no command {word}"));
    }
    let options = words.filter(|word| word.starts_with('-') && word.len() > 1);
    let unknown = options.map(|word| word.split('=').next().unwrap_or(word)).find(|word| !has_option(command, word));
    unknown.map(|word| format!("there is no option {word}"))
}

fn has_option(command: &Command, word: &str) -> bool {
    command.get_arguments().any(|argument| {
        let longs = argument.get_long().into_iter().chain(argument.get_all_aliases().unwrap_or_default());
        let mut longs = longs.map(|name| format!("--{name}"));
        longs.any(|name| name == word) || argument.get_short().is_some_and(|short| word == format!("-{short}"))
    })
}

#[test]
fn unknown_commands_and_options_are_found() {
    let mut program = Arguments::command();
    program.build();
    let text = "`npuscope info DIR --strict` `--else`\n```\n`npuscope nothing`\n```\n`npuscope config check -` ";
    assert_eq!(spans(text), ["npuscope info DIR --strict", "npuscope config check -"]);
    for fine in
        ["npuscope info DIR --strict --lang zh", "npuscope config check -", "npuscope COMMAND --help", "npuscope …"]
    {
        assert_eq!(fault(&program, fine), None, "{fine}");
    }
    for (span, why) in [
        ("npuscope information DIR", "there is no command information"),
        ("npuscope config ask", "there is no command ask"),
        ("npuscope info DIR --strictly", "there is no option --strictly"),
    ] {
        assert_eq!(fault(&program, span).as_deref(), Some(why));
    }
}
