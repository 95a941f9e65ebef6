//! Points to the equations that all of them satisfy: `a1*x1 + ... + an*xn = b` with small whole numbers.
//!
//! Gaussian elimination without fractions on the points' differences from the first one; each variable without a pivot
//! gives one equation (Karr, "Affine relationships among variables of a program", 1976, on samples).

/// Coefficients beyond this are chance.
const MOST: i128 = 1 << 16;
/// Beyond this, products might not fit.
const HUGE: i128 = 1 << 60;

/// The coefficients of each equation, and its right-hand side.
pub fn equations(points: &[Vec<i32>]) -> Vec<(Vec<i32>, i32)> {
    let Some((first, others)) = points.split_first() else { return vec![] };
    let width = first.len();
    // Rows in echelon form: the position of the pivot, and the row, with nothing in front of the pivot.
    let mut rows: Vec<(usize, Vec<i128>)> = vec![];
    for point in others {
        let mut row: Vec<i128> = point.iter().zip(first).map(|(a, b)| i128::from(*a) - i128::from(*b)).collect();
        for (pivot, other) in &rows {
            eliminate(&mut row, other, *pivot);
        }
        if let Some(pivot) = row.iter().position(|&value| value != 0) {
            normalise(&mut row);
            for (_, other) in &mut rows {
                eliminate(other, &row, pivot);
                normalise(other);
            }
            rows.push((pivot, row));
        }
        if rows.len() == width || rows.iter().any(|(_, row)| row.iter().any(|value| value.abs() > HUGE)) {
            return vec![];
        }
    }
    let is_pivot = |column: usize| rows.iter().any(|(pivot, _)| *pivot == column);
    let free: Vec<usize> = (0..width).filter(|&column| !is_pivot(column)).collect();
    // The directions are the rows; linear forms orthogonal to all of them are constant. Solve for the pivots of the
    // equation's coefficients, one free coefficient at a time.
    free.iter().filter_map(|&column| equation(&rows, column, first)).collect()
}

/// The equation in which, of the free coefficients, only this one is not zero.
fn equation(rows: &[(usize, Vec<i128>)], column: usize, point: &[i32]) -> Option<(Vec<i32>, i32)> {
    let scale = rows.iter().try_fold(1i128, |scale, (pivot, row)| {
        let least = scale / gcd(scale, row[*pivot]) * row[*pivot].abs();
        (least <= MOST).then_some(least)
    })?;
    let mut coefficients = vec![0i128; point.len()];
    coefficients[column] = scale;
    // Each row says: pivot * c_pivot + row[column] * c_column = 0.
    for (pivot, row) in rows {
        coefficients[*pivot] = -row[column] * scale / row[*pivot];
    }
    normalise(&mut coefficients);
    if coefficients.iter().any(|value| value.abs() > MOST) {
        return None;
    }
    let coefficients: Vec<i32> = coefficients.into_iter().map(|value| value as i32).collect();
    let total = coefficients.iter().zip(point).fold(0i32, |sum, (a, x)| sum.wrapping_add(a.wrapping_mul(*x)));
    Some((coefficients, total))
}

/// Makes a row zero at a pivot of another.
fn eliminate(row: &mut [i128], other: &[i128], pivot: usize) {
    let (a, b) = (row[pivot], other[pivot]);
    if a == 0 {
        return;
    }
    let divisor = gcd(a, b);
    let (a, b) = (a / divisor, b / divisor);
    row.iter_mut().zip(other).for_each(|(value, other)| *value = *value * b - other * a);
}

/// Divides by the common divisor.
fn normalise(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |divisor, &value| gcd(divisor, value));
    if divisor > 1 {
        row.iter_mut().for_each(|value| *value /= divisor);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether all points satisfy an equation that a basis implies is checked by the caller; here, the basis itself.
    fn check(points: &[Vec<i32>], count: usize) {
        let found = equations(points);
        assert_eq!(found.len(), count, "{found:?}");
        for (coefficients, total) in &found {
            for point in points {
                let sum: i64 = coefficients.iter().zip(point).map(|(a, x)| i64::from(*a) * i64::from(*x)).sum();
                assert_eq!(sum, i64::from(*total), "{coefficients:?} {point:?}");
            }
        }
    }

    #[test]
    fn equations_are_found() {
        check(&[vec![0, 0, 0], vec![1, 2, 3], vec![2, 4, 6], vec![5, 10, 15]], 2);
        check(&[vec![0, 5], vec![1, 4], vec![3, 2]], 1);
        check(&[vec![0, 0, 0], vec![1, 0, 2], vec![0, 1, 1], vec![1, 1, 3], vec![4, 2, 10]], 1);
        check(&[vec![7, 7]], 2);
        check(&[vec![0, 0], vec![1, 0], vec![0, 1]], 0);
        check(&[vec![3, 0, 1], vec![3, 2, 2], vec![3, 4, 3]], 2);
        check(&[], 0);
    }
}
