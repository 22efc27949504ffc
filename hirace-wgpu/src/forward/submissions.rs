//! Submissions that can be waited for. wgpu's own index of one is private, so they are numbered here.

use std::collections::VecDeque;

/// As many are kept. Who waits for one that came before those waits for the first that is kept, which comes later on
/// the same queue.
const KEPT: usize = 1024;

/// The submissions of one queue.
#[derive(Debug, Default)]
pub(crate) struct Submissions {
    made: u64,
    /// The last ones.
    kept: VecDeque<wgpu::SubmissionIndex>,
}

impl Submissions {
    /// Numbers one, from 1 on.
    pub(crate) fn number(&mut self, index: wgpu::SubmissionIndex) -> u64 {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(index);
        self.made += 1;
        self.made
    }

    /// wgpu's index of the one with this number, or of a later one; the number of the last if there is no such.
    pub(crate) fn find(&self, number: u64) -> Result<wgpu::SubmissionIndex, u64> {
        let after = self.made.checked_sub(number).ok_or(self.made)?;
        let back = usize::try_from(after).unwrap_or(usize::MAX);
        let found = self.kept.iter().rev().nth(back).or(self.kept.front());
        found.cloned().ok_or(self.made)
    }
}
