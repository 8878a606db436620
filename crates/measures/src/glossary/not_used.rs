//! Words that texts do not use for a concept, because it has another name.

use super::{Language, Term};

/// A word or phrase, and the term whose name is written instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUsed {
    /// In lower case; whole words, but for Chinese, which has no spaces.
    pub phrase: &'static str,
    /// The key of the term.
    pub instead: &'static str,
    /// Words that contain the phrase and are fine.
    pub except: &'static [&'static str],
}

/// Only phrases that have no other meaning in a profiler: "line", "form" or "run" are fine in many sentences.
pub const NOT_USED: &[NotUsed] = &[
    word("卡", "rank").except(&["网卡", "显卡", "卡住", "卡顿"]),
    word("步骤", "step"),
    word("步耗时", "step"),
    word("每一步", "step"),
    word("时间窗", "window").except(&["时间窗口"]),
    word("宿主", "host"),
    word("流水级", "stage"),
    word("流水段", "stage"),
    word("核函数", "kernel"),
    word("通信操作", "communication_operation"),
    word("集体通信", "collective"),
    word("通信域", "group"),
    word("此次运行", "profile"),
    word("产物", "deliverable"),
    word("输出件", "deliverable"),
    word("kind of file", "format"),
    word("export format", "format"),
    word("flavour", "framework"),
    word("flavours", "framework"),
    word("flavor", "framework"),
    word("config style", "dialect"),
    word("settings style", "dialect"),
    word("配置方言", "dialect"),
    word("remark", "diagnostic"),
    word("remarks", "diagnostic"),
    word("defect", "diagnostic"),
    word("defects", "diagnostic"),
    word("缺陷", "diagnostic"),
    word("line of the timeline", "lane"),
    word("row of the timeline", "lane"),
    word("timeline row", "lane"),
    word("timeline track", "lane"),
    word("轨道", "lane"),
    word("色块", "slice"),
    word("页签", "tab"),
];

const fn word(phrase: &'static str, instead: &'static str) -> NotUsed {
    NotUsed { phrase, instead, except: &[] }
}

impl NotUsed {
    const fn except(self, except: &'static [&'static str]) -> NotUsed {
        NotUsed { except, ..self }
    }
}

impl Term {
    /// Words that are not used for it.
    pub fn not_used(&self) -> Vec<&'static str> {
        NOT_USED.iter().filter(|word| word.instead == self.key).map(|word| word.phrase).collect()
    }

    /// Those of a language: readers of one language do not meet the words of the other.
    pub fn not_used_in(&self, language: Language) -> Vec<&'static str> {
        let is_chinese = language == Language::Chinese;
        self.not_used().into_iter().filter(|phrase| phrase.is_ascii() != is_chinese).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glossary::terms;

    #[test]
    fn every_word_that_is_not_used_names_a_term_to_use_instead() {
        for NotUsed { phrase, instead, except } in NOT_USED {
            assert!(terms().any(|term| term.key == *instead), "{phrase}: no term {instead}");
            assert!(except.iter().all(|fine| fine.contains(phrase)), "{phrase}: an exception without it");
            assert_eq!(phrase.to_lowercase(), *phrase, "in lower case");
        }
    }

    #[test]
    fn words_that_are_not_used_are_divided_by_language() {
        let lane = terms().find(|term| term.key == "lane").unwrap();
        assert!(lane.not_used_in(Language::English).contains(&"timeline row"));
        assert_eq!(lane.not_used_in(Language::Chinese), ["轨道"]);
    }

    #[test]
    fn no_name_or_definition_has_a_word_that_is_not_used() {
        for term in terms() {
            for text in [term.english_name, term.chinese_name, term.english, term.chinese].map(str::to_lowercase) {
                let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
                let spaced = format!(" {} ", words.join(" "));
                for word in NOT_USED {
                    let is_latin = word.phrase.is_ascii();
                    let bare = word.except.iter().fold(spaced.clone(), |text, fine| text.replace(fine, ""));
                    let has = match is_latin {
                        true => bare.contains(&format!(" {} ", word.phrase)),
                        false => bare.contains(word.phrase),
                    };
                    assert!(!has, "{}: {} is not used: {text}", term.key, word.phrase);
                }
            }
        }
    }
}
