//! Which of a test's actions barriers of the workgroup keep apart.
//!
//! Threads of one workgroup are run as WebGPU's conformance tests run them: up to where they wait for each other, an
//! invocation does what one thread does, and then what the next one does, of another instance. All invocations do so in
//! step, and so a fence, which is a barrier, keeps what is before it apart from what is behind it in the text, of whichever
//! thread that is.

use super::{Action, Test, ThreadsIn};

/// Of each thread's actions, how many barriers all of the workgroup passed before. Workgroups have no barriers in common:
/// what they do is all in one epoch.
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
