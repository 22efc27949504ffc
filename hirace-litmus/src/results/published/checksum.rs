//! Checks that every instance was counted. Their number is the product of iterations, testing workgroups and workgroup
//! size.

use super::PublishedResults;
use crate::test::published;

/// A run whose number of instances differs from that of its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountMismatch {
    /// The number of the entry.
    pub entry: u32,
    /// The published name of the test.
    pub test: String,
    /// The number of instances that were counted.
    pub counted: u64,
    /// The number of instances that ran.
    pub ran: u128,
}

impl PublishedResults {
    /// Returns all miscounted runs, for environments with a known number of iterations. Single-instance environments
    /// count one instance per iteration, whatever their workgroups.
    pub fn find_miscounted(&self) -> Vec<CountMismatch> {
        let mut found = Vec::new();
        for entry in &self.entries {
            let Some(parameters) = &entry.parameters else { continue };
            let Some(iterations) = parameters.iterations else { continue };
            for (test, run) in &entry.runs {
                let ran = match published::find(test).is_some_and(|known| known.single_instance) {
                    true => u128::from(iterations),
                    false => {
                        u128::from(iterations)
                            * u128::from(parameters.testing_workgroups)
                            * u128::from(parameters.workgroup_size)
                    }
                };
                let counted = run.instances();
                if u128::from(counted) != ran {
                    found.push(CountMismatch {
                        entry: entry.number,
                        test: test.clone(),
                        counted,
                        ran,
                    });
                }
            }
        }
        found
    }
}
