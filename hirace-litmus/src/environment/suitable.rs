//! Which environments can be: that parameters are in their ranges, and suit a test.

use super::Parameters;
use crate::test::{Action, Test, ThreadsIn};
use thiserror::Error;

/// Why an environment cannot be, or not for a test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsuitable {
    /// A parameter is out of its range.
    #[error("`{parameter}` is {value}, and has to be from {least} to {greatest}")]
    OutOfRange {
        /// Its name.
        parameter: &'static str,
        /// What it is.
        value: u32,
        /// The least that it may be.
        least: u32,
        /// The greatest.
        greatest: u32,
    },
    /// There are fewer regions of scratch memory than are to be stressed.
    #[error(
        "`scratchMemorySize` is {words}, which has {regions} regions of `stressLineSize` {line}, and `stressTargetLines` is \
         {targets}"
    )]
    TooFewRegions {
        /// Words of scratch memory.
        words: u32,
        /// Words of a region.
        line: u32,
        /// How many regions that makes.
        regions: u32,
        /// How many are to be stressed.
        targets: u32,
    },
    /// A factor of the permutation would leave instances out.
    #[error(
        "the {which} factor of the permutation is {factor}, which has {shared} in common with {of}"
    )]
    NotCoprime {
        /// `first` or `second`.
        which: &'static str,
        /// The factor.
        factor: u32,
        /// What is permuted.
        of: u64,
        /// What they have in common.
        shared: u64,
    },
    /// A product of the permutation does not fit a word.
    #[error("the {which} factor of the permutation is {factor}, which is too large for {of}")]
    Wraps {
        /// `first` or `second`.
        which: &'static str,
        /// The factor.
        factor: u32,
        /// What is permuted.
        of: u64,
    },
    /// A test whose threads could not be apart.
    #[error("`{parameter}` is {value}, and the test has {threads} threads")]
    TooFewForThreads {
        /// Which parameter says how many there are.
        parameter: &'static str,
        /// What it is.
        value: u32,
        /// Threads of the test.
        threads: usize,
    },
    /// A test that no shader can be of.
    #[error("the test {0}")]
    Test(&'static str),
}

/// The most turns of a loop that stresses: drivers end loops that take more.
const MAX_TURNS: u32 = 32_000;

/// The most words of scratch memory.
const MAX_SCRATCH: u32 = 1 << 28;

/// The most words that are stressed.
const MAX_TARGETS: u32 = 1 << 16;

/// The most words between locations: of single instances that is a power of 2.
const MAX_STRIDE: u32 = 16;

impl Parameters {
    /// Refuses parameters that are out of their ranges on a device with so many workgroups of so many invocations.
    pub fn check(&self, max_workgroups: u32, max_workgroup_size: u32) -> Result<(), Unsuitable> {
        let ranges = [
            ("maxWorkgroups", self.max_workgroups, 1, max_workgroups),
            ("testingWorkgroups", self.testing_workgroups, 1, self.max_workgroups),
            ("workgroupSize", self.workgroup_size, 1, max_workgroup_size),
            ("scratchMemorySize", self.scratch_memory_size, 1, MAX_SCRATCH),
            ("memStride", self.mem_stride, 1, MAX_STRIDE),
            ("stressLineSize", self.stress_line_size, 1, self.scratch_memory_size),
            ("stressTargetLines", self.stress_target_lines, 1, MAX_TARGETS),
            ("memStressIterations", self.mem_stress_iterations, 0, MAX_TURNS),
            ("preStressIterations", self.pre_stress_iterations, 0, MAX_TURNS),
        ];
        let percentages = self.percentages().map(|(parameter, value)| (parameter, value, 0, 100));
        for (parameter, value, least, greatest) in ranges.into_iter().chain(percentages) {
            if !(least..=greatest).contains(&value) {
                return Err(Unsuitable::OutOfRange { parameter, value, least, greatest });
            }
        }
        let (words, line) = (self.scratch_memory_size, self.stress_line_size);
        let (regions, targets) = (words / line, self.stress_target_lines);
        match targets > regions {
            true => Err(Unsuitable::TooFewRegions { words, line, regions, targets }),
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

    /// Refuses a test that cannot be in it.
    pub fn suit(&self, test: &Test) -> Result<(), Unsuitable> {
        let (parameter, value) = match test.threads_in {
            ThreadsIn::OneWorkgroup => ("workgroupSize", self.workgroup_size),
            ThreadsIn::Workgroups => ("testingWorkgroups", self.testing_workgroups),
        };
        let threads = test.threads.len();
        if (value as usize) < threads {
            return Err(Unsuitable::TooFewForThreads { parameter, value, threads });
        }
        let waits = |action: &Action| matches!(action, Action::Barrier);
        let is_update = |action: &Action| match action {
            Action::Read { update, .. } | Action::Write { update, .. } => *update,
            Action::Add { .. } => true,
            Action::Fence | Action::Barrier => false,
        };
        let apart = test.threads_in == ThreadsIn::Workgroups;
        match () {
            () if threads == 0 || test.locations() == 0 => Err(Unsuitable::Test("does nothing")),
            () if apart && test.memory.workgroup => {
                Err(Unsuitable::Test("has threads in several workgroups and workgroup memory"))
            }
            () if apart && test.actions().any(waits) => {
                Err(Unsuitable::Test("has threads in several workgroups that wait at a barrier"))
            }
            () if !test.memory.atomic && test.actions().any(is_update) => {
                Err(Unsuitable::Test("updates memory that is not atomic"))
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
        assert_eq!(percent, "`barrierPct` is 101, and has to be from 0 to 100");
        let workgroups = refused(Parameters { testing_workgroups: 1025, ..stress.clone() });
        assert_eq!(workgroups, "`testingWorkgroups` is 1025, and has to be from 1 to 1024");
        let regions = refused(Parameters { stress_target_lines: 33, ..stress });
        assert!(regions.ends_with("and `stressTargetLines` is 33"), "{regions}");
    }
}
