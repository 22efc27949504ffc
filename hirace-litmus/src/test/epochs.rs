//! The epochs of a test: groups of actions that workgroup barriers separate.
//!
//! Threads of one workgroup run as in the conformance tests of WebGPU. An invocation performs the actions of one thread
//! up to the point where the threads wait for each other, and then those of the next thread, of another instance. All
//! invocations execute the same text, so a fence, which is a barrier, separates everything before it in the text from
//! everything after it, for all threads.

use super::{Action, Test, ThreadPlacement};

/// Returns, for each action of each thread, the number of barriers that the workgroup has passed before it. Several
/// workgroups have no common barriers, so all their actions are in one epoch.
pub(super) fn epochs(test: &Test) -> Vec<Vec<usize>> {
    let mut epochs: Vec<Vec<usize>> = vec![Vec::new(); test.threads.len()];
    let mut epoch = 0;
    if test.threads_in == ThreadPlacement::Workgroups {
        return test.threads.iter().map(|actions| vec![epoch; actions.len()]).collect();
    }
    while epochs.iter().zip(&test.threads).any(|(assigned, actions)| assigned.len() < actions.len())
    {
        for (assigned, actions) in epochs.iter_mut().zip(&test.threads) {
            while let Some(action) = actions.get(assigned.len()) {
                assigned.push(epoch);
                match action {
                    Action::Barrier => break,
                    Action::Fence => epoch += 1,
                    _ => {}
                }
            }
        }
        epoch += 1;
    }
    epochs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{Condition, Kind, Memory};

    #[test]
    fn fences_and_barriers_separate_epochs_as_in_the_shader() {
        let read = Action::Read { location: 0, register: 0, update: false };
        let mut test = Test {
            name: "apart".to_owned(),
            kind: Kind::Observation,
            mutator: None,
            threads_in: ThreadPlacement::OneWorkgroup,
            memory: Memory { workgroup: false, atomic: true },
            threads: vec![
                vec![read, Action::Fence, read, Action::Barrier, read],
                vec![read, Action::Fence, read],
            ],
            condition: Condition::All(Vec::new()),
        };
        assert_eq!(epochs(&test), [vec![0, 0, 1, 1, 3], vec![1, 1, 2]]);
        test.threads_in = ThreadPlacement::Workgroups;
        assert_eq!(epochs(&test), [vec![0; 5], vec![0; 3]]);
    }
}
