//! Shards: parts of a run, each of which can run on a different machine.
//!
//! The shard of an item depends only on the item's name or number, so a shard need not know the others. The merge
//! computes the results that depend on all items, for example which kernels no test launches. A shard writes the data
//! for that into its JSON, and a complete run does not. The facts of several schedules of a launch can be summed up in
//! any order, and merging documents gives the same result as summing up facts.

use std::fmt;
use std::str::FromStr;

/// The `k`-th of `n` parts of a run. `k` counts from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    k: u64,
    n: u64,
}

impl Shard {
    /// Returns whether the item with this id, which begins with hexadecimal digits, belongs to the shard. The result
    /// depends only on the id, not on other items.
    pub fn has(self, id: &str) -> bool {
        let digits = id.split('-').next().unwrap_or_default();
        let number = u64::from_str_radix(digits, 16).unwrap_or_default();
        self.has_number(number)
    }

    /// Returns whether the item with this number belongs to the shard.
    pub fn has_number(self, number: u64) -> bool {
        number % self.n == self.k - 1
    }

    /// Returns the shards of the same run that are not among `these`. Returns `None` if `these` are empty or do not have
    /// the same number of parts.
    pub fn missing(these: &[Self]) -> Option<Vec<Self>> {
        let n = these.first()?.n;
        let all = (1..=n).map(|k| Self { k, n });
        let are_alike = these.iter().all(|shard| shard.n == n);
        are_alike.then(|| all.filter(|shard| !these.contains(shard)).collect())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.k, self.n)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed =
            text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parsed {
            Some((k, n)) if (1..=n).contains(&k) => Ok(Self { k, n }),
            _ => Err(format!("expected K/N, with K from 1 to N, got `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_is_in_one_of_the_parts() {
        for id in ["00ff", "1234-2", "0"] {
            for n in [1u64, 2, 7] {
                let shards = (1..=n).map(|k| format!("{k}/{n}").parse::<Shard>().unwrap());
                assert_eq!(shards.filter(|shard| shard.has(id)).count(), 1);
            }
        }
    }

    #[test]
    fn those_that_are_missing_are_known() {
        let of = |texts: &[&str]| {
            let shards: Vec<Shard> = texts.iter().map(|text| text.parse().unwrap()).collect();
            Shard::missing(&shards)
                .map(|missing| missing.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(of(&["2/3"]), Some(vec!["1/3".to_owned(), "3/3".to_owned()]));
        assert_eq!(of(&["2/2", "1/2"]), Some(Vec::new()));
        assert_eq!(of(&["2/2", "1/3"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "1", "0/1", "2/1", "a/b", "1/0", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
