//! Submissions that can be waited for. They are numbered here, because wgpu's submission index is opaque.

use std::collections::VecDeque;

/// The number of submissions that are kept. Waiting for an older one waits for the oldest that is kept, which is later
/// on the same queue.
const KEPT: usize = 1024;

/// The submissions of one queue.
#[derive(Debug, Default)]
pub(crate) struct Submissions {
    made: u64,
    /// The most recent submissions.
    kept: VecDeque<wgpu::SubmissionIndex>,
}

impl Submissions {
    /// Assigns a number to a submission, from 1.
    pub(crate) fn number(&mut self, index: wgpu::SubmissionIndex) -> u64 {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(index);
        self.made += 1;
        self.made
    }

    /// Returns wgpu's index of the submission with this number or of a later one. If there is none, returns the number
    /// of the last submission as the error.
    pub(crate) fn find(&self, number: u64) -> Result<wgpu::SubmissionIndex, u64> {
        let after = self.made.checked_sub(number).ok_or(self.made)?;
        let back = usize::try_from(after).unwrap_or(usize::MAX);
        let found = self.kept.iter().rev().nth(back).or(self.kept.front());
        found.cloned().ok_or(self.made)
    }
}
