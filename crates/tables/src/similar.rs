//! What a misspelt name may have meant.

/// The known name that `name` is a slip of, if one is near: two slips in a long name, one in a short one. A slip puts
/// a letter in, leaves one out, changes one or exchanges two neighbours. Case, `-` and `_` do not count.
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let wanted = plain(name);
    let distance = |candidate: &str| strsim::damerau_levenshtein(&wanted, &plain(candidate));
    let best = known.into_iter().filter(|candidate| *candidate != name).min_by_key(|candidate| distance(candidate))?;
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
