//! Ways to skip checks that cannot find anything.

use std::ops::BitOr;

/// The enabled shortcuts, which reduce the checks while a kernel runs. No shortcut changes the findings. Each can be disabled, to
/// measure its effect or to test its correctness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcuts {
    /// Whether access sites that are proved race-free are not watched.
    pub proofs: bool,
    /// Whether, on a device, accesses that depend only on ids and on constants of the launch are checked by running the kernel's
    /// [address slice](crate::exec::sliced), without its data.
    pub slices: bool,
    /// Whether, in slices, one workgroup represents all workgroups that do the same to their own memory
    /// ([`classes`](crate::vm::slice::classes)).
    pub classes: bool,
}

impl Shortcuts {
    /// No shortcuts: every access is watched while the kernel runs.
    pub const NONE: Self = Self { proofs: false, slices: false, classes: false };
    /// All shortcuts.
    pub const ALL: Self = Self { proofs: true, slices: true, classes: true };
    /// All, none, and each single shortcut, by name.
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

    /// Returns the shortcuts that are enabled in either operand.
    fn bitor(self, other: Self) -> Self {
        Self {
            proofs: self.proofs | other.proofs,
            slices: self.slices | other.slices,
            classes: self.classes | other.classes,
        }
    }
}
