//! What a misspelt word may have meant.

/// The known word that `word` is a slip of, if one is near: two slips in a long word, one in a short one.
/// Case, `-` and `_` do not count.
pub(super) fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    let wanted = plain(word);
    let distance = |candidate: &str| strsim::damerau_levenshtein(&wanted, &plain(candidate));
    let best = known.into_iter().filter(|candidate| *candidate != word).min_by_key(|candidate| distance(candidate))?;
    let allowed = if best.trim_start_matches('-').len() > 8 { 2 } else { 1 };
    (distance(best) <= allowed).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn slips_are_found_and_other_words_left_alone() {
        let known = ["profile", "profile_step_start", "profile_step_end"];
        assert_eq!(near("profile_step_strat", known), Some("profile_step_start"));
        assert_eq!(near("profile-step-end", known), Some("profile_step_end"));
        assert_eq!(near("porfile", known), Some("profile"));
        assert_eq!(near("precision", known), None);
        assert_eq!(near("profile_dir", known), None);
    }
}
