//! Groups of similar devices: k-means (Lloyd, 1982) on the rows of the similarity matrix, as in GPUHarbor. The first
//! centers are chosen by k-means++ (Arthur and Vassilvitskii, 2007), and the best of several starts is kept.

use hirace_core::random::Random;

/// The number of starts of k-means, as in GPUHarbor.
pub const STARTS: u64 = 10;
/// The seed for choosing the first centers.
pub const SEED: u64 = 42;
/// The maximum number of rounds of a start. Starts converge long before.
const MAX_ROUNDS: usize = 300;

/// The assignment of rows to groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The group of each row, from 0, numbered in the order of their first rows.
    pub of: Vec<usize>,
    /// The sum of squared distances of rows to the centers of their groups.
    pub inertia: f64,
}

/// Groups `rows` into at most `most` groups. Rows have equal lengths and are finite. The result is empty without rows
/// or groups.
pub fn clusters(rows: &[Vec<f64>], most: usize) -> Clusters {
    let most = most.min(rows.len());
    let starts =
        (0..STARTS).map(|start| lloyd(rows, first(rows, most, Random::stream(SEED, start))));
    let best = starts.min_by(|a, b| a.inertia.total_cmp(&b.inertia));
    let mut best = best.filter(|_| most > 0).unwrap_or(Clusters { of: Vec::new(), inertia: 0.0 });
    let mut numbers: Vec<usize> = Vec::new();
    for group in &mut best.of {
        let known = numbers.iter().position(|number| number == group);
        let number = known.unwrap_or(numbers.len());
        if known.is_none() {
            numbers.push(*group);
        }
        *group = number;
    }
    best
}

/// Returns the inertia of one group, of two groups, and so on up to `most`. The bend of this curve gives the number of
/// groups.
pub fn elbow(rows: &[Vec<f64>], most: usize) -> Vec<f64> {
    (1..=most.min(rows.len())).map(|groups| clusters(rows, groups).inertia).collect()
}

/// Returns the number of groups at the bend of the curve: the point farthest below the line from the first to the last
/// point. Returns `None` for fewer than three points, or if there is no bend.
pub fn bend(elbow: &[f64]) -> Option<usize> {
    let (first, last) = (*elbow.first()?, *elbow.last()?);
    let steps = (elbow.len() - 1) as f64;
    let below = |at: usize, inertia: f64| first + (last - first) * at as f64 / steps - inertia;
    let inner = elbow.iter().enumerate().take(elbow.len() - 1).skip(1);
    let (at, depth) = inner
        .map(|(at, inertia)| (at, below(at, *inertia)))
        .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    (depth > 1e-9 * first.abs()).then_some(at + 1)
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Returns the center nearest to a row, and its squared distance.
fn nearest(row: &[f64], centers: &[Vec<f64>]) -> (usize, f64) {
    let distances = centers.iter().map(|center| squared(row, center)).enumerate();
    distances.reduce(|best, next| if next.1 < best.1 { next } else { best }).unwrap_or((0, 0.0))
}

/// Chooses the first centers: each next row with a probability proportional to its squared distance to the chosen ones.
fn first(rows: &[Vec<f64>], most: usize, mut random: Random) -> Vec<Vec<f64>> {
    let mut centers: Vec<Vec<f64>> = Vec::new();
    while centers.len() < most {
        let distances: Vec<f64> = match centers.is_empty() {
            true => vec![1.0; rows.len()],
            false => rows.iter().map(|row| nearest(row, &centers).1).collect(),
        };
        let mut left = random.unit() * distances.iter().sum::<f64>();
        let chosen = distances.iter().position(|distance| {
            left -= distance;
            *distance > 0.0 && left < 0.0
        });
        // Floating-point sums may fall slightly short; or all rows may be centers already.
        let last = distances.iter().rposition(|distance| *distance > 0.0);
        match chosen.or(last) {
            Some(row) => centers.push(rows[row].clone()),
            None => break,
        }
    }
    centers
}

/// Iterates until nothing changes: assigns rows to their nearest center, and moves centers to the mean of their rows.
fn lloyd(rows: &[Vec<f64>], mut centers: Vec<Vec<f64>>) -> Clusters {
    let mut of: Vec<usize> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let now: Vec<usize> = rows.iter().map(|row| nearest(row, &centers).0).collect();
        if now == of {
            break;
        }
        of = now;
        for (group, center) in centers.iter_mut().enumerate() {
            let members = rows.iter().zip(&of).filter(|(_, of)| **of == group);
            let members: Vec<&Vec<f64>> = members.map(|(row, _)| row).collect();
            if !members.is_empty() {
                for (at, value) in center.iter_mut().enumerate() {
                    let sum: f64 = members.iter().map(|row| row[at]).sum();
                    *value = sum / members.len() as f64;
                }
            }
        }
    }
    let inertia = rows.iter().map(|row| nearest(row, &centers).1).sum();
    Clusters { of, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns rows around distant centers, alternating between these.
    fn made(groups: usize, each: usize) -> Vec<Vec<f64>> {
        let mut random = Random::new(9);
        (0..groups * each)
            .map(|row| {
                let group = row % groups;
                (0..groups).map(|at| f64::from(at == group) * 10.0 + random.unit()).collect()
            })
            .collect()
    }

    #[test]
    fn groups_that_were_made_are_found() {
        for groups in 1..7 {
            let rows = made(groups, 6);
            let wanted: Vec<usize> = (0..rows.len()).map(|row| row % groups).collect();
            assert_eq!(clusters(&rows, groups).of, wanted, "{groups} groups");
        }
        let elbow = elbow(&made(4, 6), 8);
        assert!(elbow.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9), "{elbow:?}");
        assert_eq!(bend(&elbow), Some(4), "{elbow:?}");
    }

    #[test]
    fn clusters_of_few_rows_are_nearly_always_optimal() {
        let mut random = Random::new(2);
        let mut missed = 0;
        for _ in 0..40 {
            let rows: Vec<Vec<f64>> =
                (0..6).map(|_| vec![f64::from(random.below(20_u32)), random.unit()]).collect();
            let inertia = |of: usize| -> f64 {
                (0..2)
                    .map(|group| {
                        let members: Vec<&Vec<f64>> = (0..6)
                            .filter(|row| of >> row & 1 == group)
                            .map(|row| &rows[row])
                            .collect();
                        let mean: Vec<f64> = (0..2)
                            .map(|at| {
                                members.iter().map(|row| row[at]).sum::<f64>()
                                    / members.len().max(1) as f64
                            })
                            .collect();
                        members.iter().map(|row| squared(row, &mean)).sum::<f64>()
                    })
                    .sum()
            };
            let best = (0..64).map(inertia).fold(f64::INFINITY, f64::min);
            let found = clusters(&rows, 2).inertia;
            assert!(found > best * 0.9999 - 1e-9, "{found} is below the optimum {best}");
            missed += usize::from(found > best * 1.0001 + 1e-9);
        }
        // Each start ends at a local optimum, which may not be the global one.
        assert!(missed <= 2, "{missed} of 40");
    }

    #[test]
    fn rows_that_are_one_are_one_group() {
        assert_eq!(
            clusters(&vec![vec![1.0, 2.0]; 5], 3),
            Clusters { of: vec![0; 5], inertia: 0.0 }
        );
        assert_eq!(clusters(&[], 3), Clusters { of: vec![], inertia: 0.0 });
        assert_eq!(clusters(&[vec![1.0]], 0), Clusters { of: vec![], inertia: 0.0 });
        assert_eq!(bend(&elbow(&vec![vec![1.0]; 5], 5)), None);
        assert_eq!(bend(&[]), None);
        assert_eq!(bend(&[2.0, 1.0]), None);
    }
}
