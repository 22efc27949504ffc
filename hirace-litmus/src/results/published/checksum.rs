//! Whether every instance was counted: a run has as many as its iterations, testing workgroups and their size make.

use super::Published;
use crate::test::published;

/// A run whose instances are not as many as its environment makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miscounted {
    /// The number of the entry.
    pub entry: u32,
    /// The published name of the test.
    pub test: String,
    /// How many were counted.
    pub counted: u64,
    /// How many there were.
    pub ran: u128,
}

impl Published {
    /// All runs that are miscounted, of environments that say how many iterations there were. Those of single-instance
    /// environments count one instance an iteration, whatever their workgroups.
    pub fn miscounted(&self) -> Vec<Miscounted> {
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
                    found.push(Miscounted {
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
