//! Histories of one word: litmus tests for race checkers.
//!
//! A checker that remembers the last few accesses to a word forgets those before them, and misses the races
//! these have with what comes later. J. Jacobson, M. Burtscher and G. Gopalakrishnan show it for a history
//! of one read («HiRace», listing 3): a word is read by one invocation, then by another, which then writes it.
//! [`read_by_many`] is that for any number of readers. A [`History`] is any sequence of accesses and
//! barriers; [`History::races`] says from the definition of a data race alone whether it has one.

use std::fmt::Write;

/// Invocations of a workgroup of the kernels here: two subgroups of 32.
pub const WORKGROUP: u32 = 64;

/// Invocations of a subgroup.
pub const SUBGROUP: u32 = 32;

/// Where the word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In storage memory: shared by all workgroups.
    Storage,
    /// In workgroup memory: each workgroup has its own.
    Workgroup,
}

/// What an invocation does to the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Adds to it atomically.
    Atomic,
}

/// A barrier that all invocations pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// Of the word's memory, for a workgroup.
    Own,
    /// Of the other memory, for a workgroup.
    Other,
    /// For a subgroup.
    Subgroup,
}

/// One step of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The invocation of this number, over all workgroups, accesses the word.
    Access(u32, Action),
    /// All come to a barrier.
    Barrier(Barrier),
}

/// What happens to a word. Accesses of one invocation happen in order; all else is ordered by barriers alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// Where the word is.
    pub memory: Memory,
    /// What happens.
    pub steps: Vec<Step>,
}

/// A word that invocations `0..readers` read, one after another, and that the last of them then writes.
pub fn read_by_many(memory: Memory, readers: u32) -> History {
    let reads = (0..readers).map(|reader| Step::Access(reader, Action::Read));
    let last = Step::Access(readers.saturating_sub(1), Action::Write);
    History { memory, steps: reads.chain([last]).collect() }
}

impl History {
    /// How many workgroups it takes.
    pub fn workgroups(&self) -> u32 {
        let highest = self.accesses().map(|(_, invocation, _)| invocation).max();
        highest.unwrap_or(0) / WORKGROUP + 1
    }

    /// The accesses, with their places in the history.
    fn accesses(&self) -> impl Iterator<Item = (usize, u32, Action)> {
        self.steps.iter().enumerate().filter_map(|(at, step)| match *step {
            Step::Access(invocation, action) => Some((at, invocation, action)),
            Step::Barrier(_) => None,
        })
    }

    /// Whether there is a data race: two accesses to one word, of different invocations, of which one writes
    /// and not both are atomic, and that no barrier orders which both pass and which orders the word's memory.
    pub fn races(&self) -> bool {
        self.accesses().any(|earlier| {
            self.accesses().any(|later| later.0 > earlier.0 && self.race(earlier, later))
        })
    }

    fn race(&self, earlier: (usize, u32, Action), later: (usize, u32, Action)) -> bool {
        let ((first, a, one), (last, b, other)) = (earlier, later);
        let together = |size: u32| a / size == b / size;
        if a == b || (self.memory == Memory::Workgroup && !together(WORKGROUP)) {
            return false;
        }
        let harmless = one == other && one != Action::Write;
        let ordered = self.steps[first..last].iter().any(|step| match step {
            Step::Barrier(Barrier::Own) => together(WORKGROUP),
            Step::Barrier(Barrier::Subgroup) => together(SUBGROUP),
            Step::Barrier(Barrier::Other) | Step::Access(..) => false,
        });
        !harmless && !ordered
    }

    /// A kernel in which this happens.
    pub fn kernel(&self) -> String {
        let [own, other] = match self.memory {
            Memory::Storage => ["storage", "workgroup"],
            Memory::Workgroup => ["workgroup", "storage"],
        };
        let attribute = if self.memory == Memory::Workgroup { "#[workgroup] " } else { "" };
        let length = if self.memory == Memory::Workgroup { "; 1" } else { "" };
        let mut text = format!(
            "#[hirace::monitor(workgroup_size({WORKGROUP}))]
pub fn history(
    #[builtin(global_invocation_id)] id: UVec3,
    sums: &mut [u32],
    {attribute}word: &mut [u32{length}],
) {{
    let mut sum = 0;
"
        );
        for step in &self.steps {
            // Writing to a string does not fail.
            let _ = match step {
                Step::Barrier(Barrier::Own) => writeln!(text, "    {own}_barrier();"),
                Step::Barrier(Barrier::Other) => writeln!(text, "    {other}_barrier();"),
                Step::Barrier(Barrier::Subgroup) => writeln!(text, "    subgroup_barrier();"),
                Step::Access(invocation, action) => {
                    let access = match action {
                        Action::Read => "sum += word[0];",
                        Action::Write => "word[0] = sum;",
                        Action::Atomic => "atomic_add(&mut word[0], 1);",
                    };
                    writeln!(text, "    if id.x == {invocation} {{ {access} }}")
                }
            };
        }
        text + "    sums[id.x] = sum;\n}\n"
    }
}

#[cfg(test)]
mod tests;
