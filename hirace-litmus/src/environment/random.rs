//! Randomly generated environments. Parameters are drawn in the order of the published generators.

use super::Parameters;
use super::prng::Prng;

/// The ranges from which environments are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// The maximum number of workgroups of a dispatch.
    pub max_workgroups: u32,
    /// The published generator, which decides the workgroup sizes and percentages.
    pub version: Version,
}

/// A published generator of environments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// That of MC Mutants: workgroups of 256 invocations, and percentages of 0 or 100. The ranges are those of the
    /// paper; the sequence for its seed is not known.
    Always,
    /// That of GPUHarbor.
    Often {
        /// The maximum number of invocations of a workgroup.
        max_workgroup_size: u32,
        /// Whether percentages are multiples of 5.
        rounded: bool,
    },
}

/// An iterator over randomly generated environments.
#[derive(Clone, Debug)]
pub struct RandomEnvironments {
    prng: Prng,
    ranges: Ranges,
}

impl RandomEnvironments {
    /// Returns the environments of a seed. Each has at least two testing workgroups, whatever the maximum is.
    pub fn new(seed: &str, ranges: Ranges) -> Self {
        Self { prng: Prng::new(seed), ranges }
    }

    fn percent(&mut self) -> u32 {
        match self.ranges.version {
            Version::Always => self.prng.between(0, 1) * 100,
            Version::Often { rounded: false, .. } => self.prng.between(0, 100),
            Version::Often { rounded: true, .. } => self.prng.between(0, 100) / 5 * 5,
        }
    }
}

impl Iterator for RandomEnvironments {
    type Item = Parameters;

    fn next(&mut self) -> Option<Parameters> {
        let max_workgroups = self.ranges.max_workgroups.max(2);
        let testing_workgroups = self.prng.between(2, max_workgroups);
        let workgroup_size = match self.ranges.version {
            Version::Always => super::published_size(),
            Version::Often { max_workgroup_size, .. } => self.prng.between(1, max_workgroup_size),
        };
        let max_workgroups = self.prng.between(testing_workgroups, max_workgroups);
        let stress_line_size = 1 << self.prng.between(2, 10);
        let stress_target_lines = self.prng.between(1, 16);
        // The order of the fields is the order of the draws.
        Some(Parameters {
            testing_workgroups,
            max_workgroups,
            workgroup_size,
            mem_stride: self.prng.between(1, 7),
            shuffle_pct: self.percent(),
            barrier_pct: self.percent(),
            mem_stress_pct: self.percent(),
            pre_stress_pct: self.percent(),
            scratch_memory_size: 32 * stress_line_size * stress_target_lines,
            stress_line_size,
            stress_target_lines,
            mem_stress_iterations: self.prng.between(0, 1024),
            pre_stress_iterations: self.prng.between(0, 128),
            stress_strategy_balance_pct: self.percent(),
            mem_stress_store_first_pct: self.percent(),
            mem_stress_store_second_pct: self.percent(),
            pre_stress_store_first_pct: self.percent(),
            pre_stress_store_second_pct: self.percent(),
            iterations: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFTEN: Version = Version::Often { max_workgroup_size: 32, rounded: false };

    #[test]
    fn the_first_environment_of_a_published_seed_is_the_published_one() {
        let ranges = Ranges { max_workgroups: 32, version: OFTEN };
        let published = Parameters {
            testing_workgroups: 18,
            max_workgroups: 19,
            workgroup_size: 28,
            shuffle_pct: 27,
            barrier_pct: 32,
            mem_stress_pct: 5,
            pre_stress_pct: 95,
            scratch_memory_size: 229_376,
            mem_stride: 7,
            stress_line_size: 512,
            stress_target_lines: 14,
            mem_stress_iterations: 926,
            pre_stress_iterations: 110,
            stress_strategy_balance_pct: 98,
            mem_stress_store_first_pct: 1,
            mem_stress_store_second_pct: 18,
            pre_stress_store_first_pct: 7,
            pre_stress_store_second_pct: 74,
            iterations: None,
        };
        assert_eq!(RandomEnvironments::new("rbjnMzXroA", ranges).next(), Some(published));
    }

    #[test]
    fn percentages_are_as_their_version_has_them() {
        let percentages = |version| {
            let ranges = Ranges { max_workgroups: 1024, version };
            let drawn = RandomEnvironments::new("seed", ranges).take(100);
            drawn
                .flat_map(|of| [of.shuffle_pct, of.pre_stress_store_second_pct])
                .collect::<Vec<_>>()
        };
        let rounded = Version::Often { max_workgroup_size: 32, rounded: true };
        assert!(percentages(OFTEN).iter().any(|percent| percent % 5 != 0));
        assert!(percentages(rounded).iter().all(|percent| percent % 5 == 0));
        assert!(percentages(Version::Always).iter().all(|percent| percent % 100 == 0));
    }
}
