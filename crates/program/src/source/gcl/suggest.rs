//! The known name that is most like one that is not known.

/// The nearest of the candidates, if it is near enough to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let enough = (name.chars().count() / 3).max(1);
    let near = candidates.map(|candidate| (distance(name, candidate), candidate));
    near.filter(|(distance, _)| *distance <= enough).min().map(|(_, candidate)| candidate)
}

/// How many letters must be changed, added, dropped or swapped with their neighbour, whatever their case.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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
