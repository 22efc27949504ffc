//! The data of the diagram of a race: its racy words, and the accesses to them between barriers.

use super::grid::Grid;
use super::memory::Memory;
use super::place::Place;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;

/// A selection of the words of a race and the accesses to them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// The shape of the dispatch.
    pub grid: Grid,
    /// The words in order; the rows of the diagram.
    pub words: Vec<Word>,
    /// The epochs in which the words were accessed, in order; the columns of the diagram. An epoch is the number of
    /// barriers of the memory's class that a workgroup has passed, so one number means different times in two
    /// workgroups.
    pub epochs: Vec<u32>,
    /// The accesses, by word, epoch and workgroup.
    pub touches: Vec<Touch>,
    /// What the diagram omits.
    pub left_out: LeftOut,
}

/// A word of the diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Word {
    /// The word in the syntax of the source.
    pub memory: Memory,
    /// The workgroup that owns the instance, for workgroup memory.
    pub workgroup: Option<u32>,
    /// The index of the dispatch in the launch, from 0.
    pub dispatch: usize,
}

/// The accesses of invocations of one workgroup to a word at one site in one epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Touch {
    /// The index of the word in [`Picture::words`].
    pub word: usize,
    /// The epoch.
    pub epoch: u32,
    /// The workgroup.
    pub workgroup: u32,
    /// The local invocation indices of the first invocations, ascending.
    pub invocations: Vec<u32>,
    /// The number of further invocations.
    pub more: u64,
    /// What the accesses do.
    pub action: Action,
    /// The site of the accesses.
    #[doc(hidden)]
    pub site: SiteId,
    /// The source location of the site.
    pub place: Place,
    /// Whether each of these accesses races with another access to the word, at a site of the finding.
    pub races: bool,
}

/// The parts of a race that its diagram omits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The number of omitted words.
    pub words: u64,
    /// The number of omitted epochs of the words that are shown.
    pub epochs: u64,
    /// The number of omitted accesses to the words that are shown.
    pub accesses: u64,
}

impl Picture {
    /// Returns the accesses to a word in an epoch.
    pub fn cell(&self, word: usize, epoch: u32) -> impl Iterator<Item = &Touch> {
        self.touches.iter().filter(move |touch| (touch.word, touch.epoch) == (word, epoch))
    }
}
