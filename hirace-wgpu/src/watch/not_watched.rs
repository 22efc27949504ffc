//! Why a dispatch was not checked.

use hirace_core::diagnostic::Diagnostic;
use std::fmt;

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) enum NotWatched {
    /// The shader is machine code.
    MachineCode,
    /// It is in a language that this was built without.
    Language,
    /// It could not be read.
    Unread(Box<Diagnostic>),
    /// The pass cannot be parted, so nothing can be copied before the dispatch.
    Pass(&'static str),
    /// What it binds is more than the budget, or than a buffer of the device may have.
    TooLarge { bytes: u64, most: u64 },
    /// The budget is taken by dispatches that were recorded and not submitted so far.
    BudgetTaken,
    /// The device had no memory for copies.
    OutOfMemory,
    /// The device was lost, or what was copied could not be read.
    NotRead(String),
    /// Nothing is bound to this variable, or not what it takes.
    Unbound(String),
    /// A variable of this name is of a kind that cannot be copied, and why.
    Uncopied(String, &'static str),
    /// Two variables share memory, and one of them writes it.
    Aliased(String, String),
    /// It was stopped before its end, so that it has no result.
    NotEnded,
    /// Its check failed.
    Failed(Box<Diagnostic>),
}

impl fmt::Display for NotWatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MachineCode => f.write_str("its shader is given to the driver as it is"),
            Self::Language => f.write_str(
                "its shader is in a language that this was built without (features glsl, spirv)",
            ),
            Self::Unread(error) => write!(f, "its shader cannot be read: {}", whole(error)),
            Self::Pass(why) => write!(f, "its pass cannot be parted: {why}"),
            Self::TooLarge { bytes, most } => write!(
                f,
                "it binds {} MiB, and {} MiB may be copied (HIRACE_BUDGET)",
                bytes.div_ceil(1 << 20),
                most >> 20
            ),
            Self::BudgetTaken => {
                f.write_str("other dispatches before it take the memory for copies (HIRACE_BUDGET)")
            }
            Self::OutOfMemory => f.write_str("the device has no memory for copies"),
            Self::NotRead(why) => write!(f, "what it binds could not be read: {why}"),
            Self::Unbound(name) => write!(f, "nothing is bound to `{name}`"),
            Self::Uncopied(name, why) => write!(f, "`{name}` cannot be copied: {why}"),
            Self::Aliased(one, other) => write!(
                f,
                "`{one}` and `{other}` are bound to the same memory, and hirace gives each variable its own"
            ),
            Self::NotEnded => f.write_str("it did not come to its end"),
            Self::Failed(error) => write!(f, "its check failed: {}", whole(error)),
        }
    }
}

/// An error with its notes, in a line.
fn whole(error: &Diagnostic) -> String {
    let notes = error.notes.iter().map(String::as_str);
    let parts: Vec<&str> = std::iter::once(error.message.as_str()).chain(notes).collect();
    parts.join("; ").replace('\n', " ")
}
