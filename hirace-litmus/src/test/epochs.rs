//! Epochs: the actions of a test that are separated by workgroup barriers.
//!
//! Threads of one workgroup run as in the conformance tests of WebGPU. An invocation performs the actions of one thread
//! up to the point where the threads wait for each other, and then those of the next thread, of another instance. All
//! invocations execute the same text, so a fence, which is a barrier, separates everything before it in the text from
//! everything after it, for all threads.

use super::{Action, Test, ThreadsIn};

/// Returns, for each action of each thread, the number of barriers that the workgroup has passed before it. Several
/// workgroups have no common barriers, so all their actions are in one epoch.
pub(super) fn epochs(test: &Test) -> Vec<Vec<usize>> {
    let mut epochs: Vec<Vec<usize>> = vec![Vec::new(); test.threads.len()];
    let mut now = 0;
    if test.threads_in == ThreadsIn::Workgroups {
        return test.threads.iter().map(|actions| vec![now; actions.len()]).collect();
    }
    while epochs.iter().zip(&test.threads).any(|(done, actions)| done.len() < actions.len()) {
        for (done, actions) in epochs.iter_mut().zip(&test.threads) {
            while let Some(action) = actions.get(done.len()) {
                done.push(now);
                match action {
                    Action::Barrier => break,
                    Action::Fence => now += 1,
                    _ => {}
                }
            }
        }
        now += 1;
    }
    epochs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{Condition, Kind, Memory};

    #[test]
    fn fences_and_barriers_keep_actions_apart_as_the_shader_has_them() {
        let read = Action::Read { location: 0, register: 0, update: false };
        let mut test = Test {
            name: "apart".to_owned(),
            kind: Kind::Observation,
            mutator: None,
            threads_in: ThreadsIn::OneWorkgroup,
            memory: Memory { workgroup: false, atomic: true },
            threads: vec![
                vec![read, Action::Fence, read, Action::Barrier, read],
                vec![read, Action::Fence, read],
            ],
            condition: Condition::All(Vec::new()),
        };
        assert_eq!(epochs(&test), [vec![0, 0, 1, 1, 3], vec![1, 1, 2]]);
        test.threads_in = ThreadsIn::Workgroups;
        assert_eq!(epochs(&test), [vec![0; 5], vec![0; 3]]);
    }
}
