//! The racy words of a race, and who touched them between which barriers: what a picture of it is drawn from.

use super::grid::Grid;
use super::memory::Memory;
use super::place::Place;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;

/// Some of the words of a race, and what was done to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The shape of the dispatch.
    pub grid: Grid,
    /// The words, in order: the rows.
    pub words: Vec<Word>,
    /// The epochs in which they were touched, in order: the columns. The number is that of the barriers of the memory's class
    /// that a workgroup had passed, so one number means different times in two workgroups.
    pub epochs: Vec<u32>,
    /// What was done to them: by word, epoch and workgroup.
    pub touches: Vec<Touch>,
    /// What there was no room for.
    pub left_out: LeftOut,
}

/// A word of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What the source calls it.
    pub memory: Memory,
    /// Whose instance, for workgroup memory.
    pub workgroup: Option<u32>,
    /// The dispatch of the launch, from 0.
    pub dispatch: usize,
}

/// What invocations of one workgroup did to a word at a site in an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The word, by its place in [`Picture::words`].
    pub word: usize,
    /// The epoch.
    pub epoch: u32,
    /// The workgroup.
    pub workgroup: u32,
    /// The first of the invocations, by local invocation index, ascending.
    pub invocations: Vec<u32>,
    /// How many more.
    pub more: u64,
    /// What they did.
    pub action: Action,
    /// Where.
    pub site: SiteId,
    /// Where that is.
    pub place: Place,
    /// Whether each of them races with another access to the word, at a site of the finding.
    pub races: bool,
}

/// What of a race is not in its picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Words.
    pub words: u64,
    /// Epochs of those words that are there.
    pub epochs: u64,
    /// Accesses to those words.
    pub accesses: u64,
}

impl Picture {
    /// What was done to a word in an epoch.
    pub fn cell(&self, word: usize, epoch: u32) -> impl Iterator<Item = &Touch> {
        self.touches.iter().filter(move |touch| (touch.word, touch.epoch) == (word, epoch))
    }
}
