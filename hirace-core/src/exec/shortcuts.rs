//! How checks are spared that could find nothing.

use std::ops::BitOr;

/// Ways to check less while a kernel runs. None of them changes what is found; each can be left out, to see what it
/// spares, and whether it is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcuts {
    /// Access sites that are proven to take part in no race are not watched.
    pub proofs: bool,
    /// On a device: what hangs on ids and on what is constant in a launch is decided without the kernel's data, by its
    /// [address slice](crate::exec::sliced).
    pub slices: bool,
    /// In slices one workgroup stands for all that do the same to their own memory
    /// ([`classes`](crate::vm::slice::classes)).
    pub classes: bool,
}

impl Shortcuts {
    /// None of them: every access is watched while the kernel runs.
    pub const NONE: Self = Self { proofs: false, slices: false, classes: false };
    /// All of them.
    pub const ALL: Self = Self { proofs: true, slices: true, classes: true };
    /// Each, and all and none, by their names.
    pub const NAMED: [(&'static str, Self); 5] = [
        ("all", Self::ALL),
        ("none", Self::NONE),
        ("proofs", Self { proofs: true, ..Self::NONE }),
        ("slices", Self { slices: true, ..Self::NONE }),
        ("classes", Self { classes: true, ..Self::NONE }),
    ];
}

impl Default for Shortcuts {
    fn default() -> Self {
        Self::ALL
    }
}

impl BitOr for Shortcuts {
    type Output = Self;

    /// Those that are in either.
    fn bitor(self, other: Self) -> Self {
        Self {
            proofs: self.proofs | other.proofs,
            slices: self.slices | other.slices,
            classes: self.classes | other.classes,
        }
    }
}
