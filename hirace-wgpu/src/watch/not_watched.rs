//! The reasons why a dispatch was not checked.

use hirace_core::diagnostic::Diagnostic;
use std::fmt;

/// The reason why a dispatch was not checked.
#[derive(Clone, Debug)]
pub(crate) enum NotWatchedReason {
    /// The shader is passed to the driver unchanged.
    MachineCode,
    /// The shader is in a language for which support was not compiled in.
    Language,
    /// The shader could not be parsed.
    Unread(Box<Diagnostic>),
    /// The pass cannot be split, so nothing can be copied before the dispatch.
    Pass(&'static str),
    /// The bindings exceed the budget or the maximum buffer size of the device.
    TooLarge { bytes: u64, most: u64 },
    /// Recorded dispatches that have not been submitted use the budget.
    BudgetExhausted,
    /// The device has no memory for copies.
    OutOfMemory,
    /// The device was lost, or the copies could not be read.
    NotRead(String),
    /// Nothing of the right kind is bound to this variable.
    Unbound(String),
    /// The resource of this variable cannot be copied, for this reason.
    NotCopyable(String, &'static str),
    /// Two variables share memory, and one of them writes it.
    Aliased(String, String),
    /// The launch was stopped before its end, so it has no result.
    NotEnded,
    /// The check failed.
    Failed(Box<Diagnostic>),
}

impl fmt::Display for NotWatchedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MachineCode => f.write_str("its shader is passed to the driver unchanged"),
            Self::Language => f.write_str(
                "support for the language of its shader is not compiled in (features glsl, spirv)",
            ),
            Self::Unread(error) => write!(f, "its shader cannot be read: {}", whole(error)),
            Self::Pass(why) => write!(f, "its pass cannot be split: {why}"),
            Self::TooLarge { bytes, most } => write!(
                f,
                "it binds {} MiB, and at most {} MiB can be copied (HIRACE_BUDGET)",
                bytes.div_ceil(1 << 20),
                most >> 20
            ),
            Self::BudgetExhausted => {
                f.write_str("earlier dispatches use the memory for copies (HIRACE_BUDGET)")
            }
            Self::OutOfMemory => f.write_str("the device has no memory for copies"),
            Self::NotRead(why) => write!(f, "the copies of its bindings could not be read: {why}"),
            Self::Unbound(name) => write!(f, "nothing is bound to `{name}`"),
            Self::NotCopyable(name, why) => write!(f, "`{name}` cannot be copied: {why}"),
            Self::Aliased(one, other) => write!(
                f,
                "`{one}` and `{other}` are bound to the same memory, and hirace gives each variable its own"
            ),
            Self::NotEnded => f.write_str("it did not terminate"),
            Self::Failed(error) => write!(f, "its check failed: {}", whole(error)),
        }
    }
}

/// Returns an error with its notes as a single line.
fn whole(error: &Diagnostic) -> String {
    let notes = error.notes.iter().map(String::as_str);
    let parts: Vec<&str> = std::iter::once(error.message.as_str()).chain(notes).collect();
    parts.join("; ").replace('\n', " ")
}
