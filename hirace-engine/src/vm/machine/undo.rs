//! Plain single-threaded memory for stepped runs, which can be rolled back.
//!
//! Every write records the old value in a journal. A mark is a position in the journal: taking one copies
//! nothing, and rolling back to it copies as many words as were written since, however long the buffers are.

use super::Machine;
use super::request::{Access, Answer, Piece, Place, Request};
use crate::vm::memory::{Resource, Resources};
use crate::vm::observer::{MemoryId, Space};
use rustc_hash::FxHashMap;

/// The contents of all memory that the invocations of a dispatch share.
#[derive(Clone, Debug)]
pub struct UndoMemory {
    /// The contents. Workgroup memory is added when it is first touched.
    cells: Vec<Vec<u32>>,
    by_place: FxHashMap<Place, usize>,
    /// Number of words of each workgroup variable.
    workgroup_variables: FxHashMap<MemoryId, usize>,
    /// The cell, the word and its old value.
    journal: Vec<(usize, usize, u32)>,
    copied: u64,
}

/// A state that an [`UndoMemory`] can be rolled back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

impl UndoMemory {
    /// Creates a copy of the memory that the code may write.
    pub fn new(machine: &Machine<'_>, resources: &Resources) -> Self {
        let code = machine.setup.code;
        let workgroup_variables = code.workgroup_variables.iter();
        let mut memory = Self {
            cells: Vec::new(),
            by_place: FxHashMap::default(),
            workgroup_variables: workgroup_variables
                .map(|(id, bytes)| (*id, bytes.div_ceil(4) as usize))
                .collect(),
            journal: Vec::new(),
            copied: 0,
        };
        let buffers = code.buffers.iter().filter(|used| used.writable);
        let buffers = buffers.map(|used| (used.memory, Space::Storage));
        let textures = code.textures.iter().map(|used| (used.memory, Space::Texture));
        for (id, space) in buffers.chain(textures) {
            let words = match resources.by_global.get(id.0 as usize).and_then(Option::as_ref) {
                Some(Resource::Buffer(buffer)) => buffer.snapshot(),
                Some(Resource::Texture(texture)) => texture.texels.snapshot(),
                Some(Resource::Sampler(_)) | None => continue,
            };
            memory.by_place.insert(Place { memory: id, space, workgroup: 0 }, memory.cells.len());
            memory.cells.push(words);
        }
        memory
    }

    /// Returns a mark of the current state.
    pub fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Undoes all writes since a mark. A mark that was taken in a part that has been undone is invalid.
    pub fn roll_back(&mut self, to: Mark) {
        while self.journal.len() > to.0 {
            if let Some((cell, word, old)) = self.journal.pop() {
                self.cells[cell][word] = old;
                self.copied += 1;
            }
        }
    }

    /// Discards the journal, which invalidates all marks.
    pub(in crate::vm) fn forget(&mut self) {
        self.journal.clear();
    }

    /// Returns the number of words copied so far, to record old values and to restore them.
    pub fn copied(&self) -> u64 {
        self.copied
    }

    /// Returns the words of a memory, if it was touched or existed from the start.
    pub fn words(&self, place: Place) -> Option<&[u32]> {
        Some(&self.cells[*self.by_place.get(&place)?])
    }

    /// Returns the bits of a piece, at the low end; 0 if out of bounds.
    pub fn read(&mut self, place: Place, piece: Piece) -> u64 {
        let Some(cell) = self.cell(place) else { return 0 };
        let word = |at: u32| self.cells[cell].get(at as usize).copied().map_or(0, u64::from);
        let (index, shift) = (piece.offset / 4, 8 * (piece.offset % 4));
        match piece.bytes {
            8 => word(index) | word(index + 1) << 32,
            bytes => word(index) >> shift & mask(bytes),
        }
    }

    /// Sets the bits of a piece; does nothing if out of bounds.
    pub fn write(&mut self, place: Place, piece: Piece, bits: u64) {
        let Some(cell) = self.cell(place) else { return };
        let (index, shift) = (piece.offset as usize / 4, 8 * (piece.offset % 4));
        if piece.bytes == 8 {
            self.set(cell, index, u32::MAX, bits as u32);
            self.set(cell, index + 1, u32::MAX, (bits >> 32) as u32);
            return;
        }
        let mask = mask(piece.bytes) as u32;
        self.set(cell, index, mask << shift, (bits as u32 & mask) << shift);
    }

    /// Performs a request immediately and returns the answer; `None` if the request is not an access to
    /// memory.
    pub fn answer(&mut self, request: &Request) -> Option<Answer> {
        match request {
            Request::Read(Access { place, pieces, .. }) => {
                let read = pieces.iter().map(|piece| self.read(*place, *piece) as u32);
                Some(Answer::Read(read.collect()))
            }
            Request::Write(Access { place, pieces, .. }, values) => {
                for (piece, value) in pieces.iter().zip(values) {
                    self.write(*place, *piece, u64::from(*value));
                }
                Some(Answer::Done)
            }
            Request::Update(Access { place, pieces, .. }, update) => {
                let piece = *pieces.first()?;
                let old = self.read(*place, piece);
                self.write(*place, piece, update.apply(old));
                Some(Answer::Updated(old))
            }
            Request::Fence { .. } => Some(Answer::Done),
            _ => None,
        }
    }

    /// Writes the contents of storage buffers and textures back to the resources.
    pub fn write_back(&self, resources: &Resources) {
        for (place, cell) in &self.by_place {
            match resources.by_global.get(place.memory.0 as usize).and_then(Option::as_ref) {
                Some(Resource::Buffer(buffer)) => buffer.restore(&self.cells[*cell]),
                Some(Resource::Texture(texture)) => texture.texels.restore(&self.cells[*cell]),
                Some(Resource::Sampler(_)) | None => {}
            }
        }
    }

    fn set(&mut self, cell: usize, index: usize, mask: u32, bits: u32) {
        if let Some(word) = self.cells[cell].get_mut(index) {
            self.journal.push((cell, index, *word));
            self.copied += 1;
            *word = *word & !mask | bits;
        }
    }

    fn cell(&mut self, place: Place) -> Option<usize> {
        if let Some(cell) = self.by_place.get(&place) {
            return Some(*cell);
        }
        let words = *self.workgroup_variables.get(&place.memory)?;
        self.cells.push(vec![0; words]);
        self.by_place.insert(place, self.cells.len() - 1);
        Some(self.cells.len() - 1)
    }
}

/// Returns the mask of the low `bytes` bytes, at most four.
fn mask(bytes: u32) -> u64 {
    u64::from(u32::MAX >> (32 - 8 * bytes.clamp(1, 4)))
}
