//! The languages users can choose.

use std::str::FromStr;

/// A language of messages, help, pages and manual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Chinese,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// The code that users write: `--lang zh`.
    pub const fn code(self) -> &'static str {
        self.choose("en", "zh")
    }

    /// One of two texts.
    pub const fn choose<T: Copy>(self, english: T, chinese: T) -> T {
        match self {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    /// The language of a locale such as `zh_CN.UTF-8`: Chinese if its language is `zh`, else English.
    pub fn of_locale(locale: &str) -> Language {
        let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("zh") { Language::Chinese } else { Language::English }
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, UnknownLanguage> {
        Language::ALL.into_iter().find(|language| language.code() == code).ok_or(UnknownLanguage)
    }
}

/// A code that is neither `en` nor `zh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLanguage;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_locale_is_its_first_part() {
        for (locale, language) in [
            ("zh_CN.UTF-8", Language::Chinese),
            ("zh", Language::Chinese),
            ("zh-Hans", Language::Chinese),
            ("ZH_tw@radical", Language::Chinese),
            ("en_US.UTF-8", Language::English),
            ("C.UTF-8", Language::English),
            ("zha", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of_locale(locale), language, "{locale}");
        }
    }

    #[test]
    fn a_code_names_its_language() {
        assert_eq!("zh".parse(), Ok(Language::Chinese));
        assert_eq!("en".parse(), Ok(Language::English));
        assert_eq!("fr".parse::<Language>(), Err(UnknownLanguage));
    }
}
