//! Validation of environments: parameters must be in range and must suit the test.

use super::Parameters;
use crate::test::{Action, Test, ThreadPlacement};
use thiserror::Error;

/// The reason why an environment is invalid, or does not suit a test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EnvironmentError {
    /// A parameter is out of its range.
    #[error("`{parameter}` is {value}, but must be from {least} to {greatest}")]
    OutOfRange {
        /// The name of the parameter.
        parameter: &'static str,
        /// The value.
        value: u32,
        /// The smallest valid value.
        least: u32,
        /// The greatest valid value.
        greatest: u32,
    },
    /// The scratch memory has fewer regions than are to be stressed.
    #[error(
        "`scratchMemorySize` is {words}, which has {regions} regions of `stressLineSize` {line}, but `stressTargetLines` is \
         {targets}"
    )]
    TooFewRegions {
        /// The size of the scratch memory in words.
        words: u32,
        /// The size of a region in words.
        line: u32,
        /// The number of regions.
        regions: u32,
        /// The number of regions to stress.
        targets: u32,
    },
    /// The permutation would leave out instances, because its factor and the number of elements are not coprime.
    #[error(
        "the {which} factor of the permutation is {factor}, which has the common divisor {shared} with {of}"
    )]
    NotCoprime {
        /// `first` or `second`.
        which: &'static str,
        /// The factor.
        factor: u32,
        /// The number of elements that are permuted.
        of: u64,
        /// The greatest common divisor.
        shared: u64,
    },
    /// A product of the permutation does not fit in a word.
    #[error("the {which} factor of the permutation is {factor}, which is too large for {of}")]
    Wraps {
        /// `first` or `second`.
        which: &'static str,
        /// The factor.
        factor: u32,
        /// The number of elements that are permuted.
        of: u64,
    },
    /// The test has more threads than fit in this environment.
    #[error("`{parameter}` is {value}, but the test has {threads} threads")]
    TooFewForThreads {
        /// The parameter that limits the number of threads.
        parameter: &'static str,
        /// Its value.
        value: u32,
        /// The number of threads of the test.
        threads: usize,
    },
    /// The test cannot be written as a shader.
    #[error("the test {0}")]
    Test(&'static str),
}

/// The maximum number of iterations of a stress loop: drivers terminate longer loops.
const MAX_ITERATIONS: u32 = 32_000;

/// The maximum size of scratch memory, in words.
const MAX_SCRATCH: u32 = 1 << 28;

/// The maximum number of stressed words.
const MAX_TARGETS: u32 = 1 << 16;

/// The maximum distance between locations, in words. The memory of single instances grows with 2 to the power of this.
const MAX_STRIDE: u32 = 16;

impl Parameters {
    /// Checks that the parameters are in range for a device with these limits.
    pub fn check(
        &self,
        max_workgroups: u32,
        max_workgroup_size: u32,
    ) -> Result<(), EnvironmentError> {
        let ranges = [
            ("maxWorkgroups", self.max_workgroups, 1, max_workgroups),
            ("testingWorkgroups", self.testing_workgroups, 1, self.max_workgroups),
            ("workgroupSize", self.workgroup_size, 1, max_workgroup_size),
            ("scratchMemorySize", self.scratch_memory_size, 1, MAX_SCRATCH),
            ("memStride", self.mem_stride, 1, MAX_STRIDE),
            ("stressLineSize", self.stress_line_size, 1, self.scratch_memory_size),
            ("stressTargetLines", self.stress_target_lines, 1, MAX_TARGETS),
            ("memStressIterations", self.mem_stress_iterations, 0, MAX_ITERATIONS),
            ("preStressIterations", self.pre_stress_iterations, 0, MAX_ITERATIONS),
        ];
        let percentages = self.percentages().map(|(parameter, value)| (parameter, value, 0, 100));
        for (parameter, value, least, greatest) in ranges.into_iter().chain(percentages) {
            if !(least..=greatest).contains(&value) {
                return Err(EnvironmentError::OutOfRange { parameter, value, least, greatest });
            }
        }
        let (words, line) = (self.scratch_memory_size, self.stress_line_size);
        let (regions, targets) = (words / line, self.stress_target_lines);
        match targets > regions {
            true => Err(EnvironmentError::TooFewRegions { words, line, regions, targets }),
            false => Ok(()),
        }
    }

    fn percentages(&self) -> [(&'static str, u32); 9] {
        [
            ("shufflePct", self.shuffle_pct),
            ("barrierPct", self.barrier_pct),
            ("memStressPct", self.mem_stress_pct),
            ("preStressPct", self.pre_stress_pct),
            ("stressStrategyBalancePct", self.stress_strategy_balance_pct),
            ("memStressStoreFirstPct", self.mem_stress_store_first_pct),
            ("memStressStoreSecondPct", self.mem_stress_store_second_pct),
            ("preStressStoreFirstPct", self.pre_stress_store_first_pct),
            ("preStressStoreSecondPct", self.pre_stress_store_second_pct),
        ]
    }

    /// Checks that the test can run in this environment.
    pub fn suit(&self, test: &Test) -> Result<(), EnvironmentError> {
        let (parameter, value) = match test.threads_in {
            ThreadPlacement::OneWorkgroup => ("workgroupSize", self.workgroup_size),
            ThreadPlacement::Workgroups => ("testingWorkgroups", self.testing_workgroups),
        };
        let threads = test.threads.len();
        if (value as usize) < threads {
            return Err(EnvironmentError::TooFewForThreads { parameter, value, threads });
        }
        let waits = |action: &Action| matches!(action, Action::Barrier);
        let is_update = |action: &Action| match action {
            Action::Read { update, .. } | Action::Write { update, .. } => *update,
            Action::Add { .. } => true,
            Action::Fence | Action::Barrier => false,
        };
        let apart = test.threads_in == ThreadPlacement::Workgroups;
        match () {
            () if threads == 0 || test.locations() == 0 => {
                Err(EnvironmentError::Test("does nothing"))
            }
            () if apart && test.memory.workgroup => Err(EnvironmentError::Test(
                "has threads in several workgroups and workgroup memory",
            )),
            () if apart && test.actions().any(waits) => Err(EnvironmentError::Test(
                "has threads in several workgroups that wait at a barrier",
            )),
            () if !test.memory.atomic && test.actions().any(is_update) => {
                Err(EnvironmentError::Test("updates memory that is not atomic"))
            }
            () => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Preset;

    #[test]
    fn presets_are_in_their_ranges() {
        for preset in Preset::ALL {
            assert_eq!(preset.parameters().check(1024, 256), Ok(()), "{preset:?}");
        }
    }

    #[test]
    fn what_is_out_of_its_range_is_named() {
        let stress = Preset::Stress.parameters();
        let refused = |parameters: Parameters| parameters.check(1024, 256).unwrap_err().to_string();
        let percent = refused(Parameters { barrier_pct: 101, ..stress.clone() });
        assert_eq!(percent, "`barrierPct` is 101, but must be from 0 to 100");
        let workgroups = refused(Parameters { testing_workgroups: 1025, ..stress.clone() });
        assert_eq!(workgroups, "`testingWorkgroups` is 1025, but must be from 1 to 1024");
        let regions = refused(Parameters { stress_target_lines: 33, ..stress });
        assert!(regions.ends_with("but `stressTargetLines` is 33"), "{regions}");
    }
}
