//! Histories of one word: litmus tests for race checkers.
//!
//! A checker that remembers only the last few accesses to a word forgets the earlier ones, and misses their races with
//! later accesses. J. Jacobson, M. Burtscher and G. Gopalakrishnan show this for a history of one read ("HiRace",
//! listing 3): one invocation reads a word, then another one reads and writes it. [`read_by_many`] generalizes this to
//! any number of readers. A [`History`] is any sequence of accesses and barriers. [`History::races`] decides by the
//! definition of a data race whether it has one.

use std::fmt::Write;

/// The number of invocations per workgroup of the kernels: two subgroups of 32.
pub const WORKGROUP: u32 = 64;

/// The number of invocations per subgroup.
pub const SUBGROUP: u32 = 32;

/// The memory of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In storage memory: shared by all workgroups.
    Storage,
    /// In workgroup memory: each workgroup has its own.
    Workgroup,
}

/// An access to the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Adds to the word atomically.
    Atomic,
}

/// A barrier that all invocations execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// A workgroup barrier for the memory of the word.
    OwnMemory,
    /// A workgroup barrier for the other memory.
    OtherMemory,
    /// A subgroup barrier.
    Subgroup,
}

/// One step of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The invocation of this number, over all workgroups, accesses the word.
    Access(u32, Action),
    /// All invocations execute a barrier.
    Barrier(Barrier),
}

/// A history of a word. Accesses of one invocation are in program order; everything else is ordered only by barriers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The memory of the word.
    pub memory: Memory,
    /// The steps.
    pub steps: Vec<Step>,
}

/// Returns the history in which invocations `0..readers` read a word one after another, and the last of them writes it.
pub fn read_by_many(memory: Memory, readers: u32) -> History {
    let reads = (0..readers).map(|reader| Step::Access(reader, Action::Read));
    let last = Step::Access(readers.saturating_sub(1), Action::Write);
    History { memory, steps: reads.chain([last]).collect() }
}

impl History {
    /// Returns the number of workgroups.
    pub fn workgroups(&self) -> u32 {
        let highest = self.accesses().map(|(_, invocation, _)| invocation).max();
        highest.unwrap_or(0) / WORKGROUP + 1
    }

    /// Returns the accesses with their positions in the history.
    fn accesses(&self) -> impl Iterator<Item = (usize, u32, Action)> {
        self.steps.iter().enumerate().filter_map(|(at, step)| match *step {
            Step::Access(invocation, action) => Some((at, invocation, action)),
            Step::Barrier(_) => None,
        })
    }

    /// Returns whether there is a data race: two accesses to one word by different invocations, at least one a write,
    /// not both atomic, and not ordered by a barrier for the word's memory that both invocations execute.
    pub fn races(&self) -> bool {
        self.accesses().any(|earlier| {
            self.accesses().any(|later| later.0 > earlier.0 && self.is_race(earlier, later))
        })
    }

    /// Returns whether these two accesses race.
    fn is_race(&self, earlier: (usize, u32, Action), later: (usize, u32, Action)) -> bool {
        let ((first, a, first_action), (last, b, last_action)) = (earlier, later);
        let are_in_same_group = |size: u32| a / size == b / size;
        if a == b || (self.memory == Memory::Workgroup && !are_in_same_group(WORKGROUP)) {
            return false;
        }
        let is_harmless = first_action == last_action && first_action != Action::Write;
        let is_ordered = self.steps[first..last].iter().any(|step| match step {
            Step::Barrier(Barrier::OwnMemory) => are_in_same_group(WORKGROUP),
            Step::Barrier(Barrier::Subgroup) => are_in_same_group(SUBGROUP),
            Step::Barrier(Barrier::OtherMemory) | Step::Access(..) => false,
        });
        !is_harmless && !is_ordered
    }

    /// Returns a kernel with this history.
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
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Barrier(Barrier::OwnMemory) => writeln!(text, "    {own}_barrier();"),
                Step::Barrier(Barrier::OtherMemory) => writeln!(text, "    {other}_barrier();"),
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
