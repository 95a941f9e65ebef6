//! The known name that is most like one that is not known.

/// The nearest of the candidates, if it is likely to be the intended name: few letters have to be changed, added,
/// dropped or swapped with their neighbour, whatever their case.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let enough = (name.chars().count() / 3).max(1);
    let distance = |candidate: &str| strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase());
    let near = candidates.map(|candidate| (distance(candidate), candidate));
    near.filter(|(distance, _)| *distance <= enough).min().map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_near_and_other_words_are_not() {
        let known = ["press", "pending", "at", "dir"];
        let suggestion = |name| nearest(name, known.into_iter());
        assert_eq!(suggestion("pres"), Some("press"));
        assert_eq!(suggestion("Pending"), Some("pending"));
        assert_eq!(suggestion("pednign"), Some("pending"));
        assert_eq!(suggestion("ta"), Some("at"));
        assert_eq!(suggestion("elephant"), None);
    }
}
