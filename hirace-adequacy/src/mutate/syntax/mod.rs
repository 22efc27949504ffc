//! What of a source operators change: its tokens, with what must be known of them.
//!
//! It is the source's syntax and not naga's module that is looked at: there, constants are folded and `x += 1` is no more
//! than an assignment.

mod loops;
mod rust;
mod shader;
mod templates;

pub use loops::operand;

use hirace_core::diagnostic::Result;
use hirace_core::edit::Edit;
use hirace_core::source_map::Span;

/// What a source is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL.
    Wgsl,
    /// GLSL.
    Glsl,
    /// Rust: the items under `#[hirace::monitor]`.
    Rust,
}

/// Something that operators change.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What it is.
    pub syntax: Syntax,
    /// The function that it is in. Attributes of a function are in it.
    pub function: Option<String>,
}

/// A piece of syntax.
#[derive(Clone, Debug, PartialEq)]
pub enum Syntax {
    /// An operator between two operands.
    Binary {
        /// The operator.
        token: Token,
        /// What is to have parentheses if the operator becomes one that begins with `<`, to be read in Rust.
        cast: Option<Span>,
    },
    /// An operator before its operand.
    Unary(Token),
    /// An operator that assigns.
    Assign {
        /// `+=`.
        token: Token,
        /// Whether the right operand is 1.
        by_one: bool,
    },
    /// `++` or `--`.
    Step(Token),
    /// A call of a barrier.
    Barrier {
        /// The name of the function.
        name: Token,
        /// The call, with the `;` behind it.
        statement: Span,
    },
    /// A call that reads a variable between two barriers.
    UniformLoad {
        /// The call.
        call: Span,
        /// What is read, as its argument.
        place: Span,
    },
    /// Which texel is read or written.
    Texel {
        /// The coordinates.
        coordinates: Span,
        /// How many there are.
        dimensions: usize,
    },
    /// A loop.
    Loop(Loop),
    /// A read-modify-write operation.
    Atomic(Atomic),
    /// A built-in id where it is declared.
    Builtin {
        /// Its name, in the attribute.
        name: Token,
        /// The other built-in ids that are declared beside it.
        beside: Vec<Token>,
    },
    /// A built-in id where it is read: `id.x`, or one that is a number.
    Id {
        /// All of it.
        at: Span,
        /// The name of what it is read from.
        of: Token,
        /// The component, if it is read of a vector.
        axis: Option<Token>,
    },
    /// What says that a variable is in workgroup memory.
    Workgroup(Token),
    /// The size of workgroups: as many as are written down.
    WorkgroupSize(Vec<Token>),
}

/// A stretch of the source, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands.
    pub at: Span,
    /// What stands there.
    pub text: String,
}

/// A loop, and how it is made to run otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Runs not at all.
    pub none: Edit,
    /// Runs one turn less; nothing, if it is not seen how.
    pub less: Option<Edit>,
    /// Runs one turn more.
    pub more: Option<Edit>,
}

/// A read-modify-write operation in a statement of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Atomic {
    /// The statement, without the `;`.
    pub statement: Span,
    /// What is before the call in it: `let old = `.
    pub before: String,
    /// The name that the old value gets.
    pub old: Option<String>,
    /// Where that name also stands in the operation and there means what it was before: what declares another name for
    /// the old value, `old_value`.
    pub kept: Option<String>,
    /// Which operation.
    pub operation: Rmw,
    /// The other operand.
    pub operand: String,
    /// What reads the memory.
    pub load: String,
    /// What writes to it, before and after the value.
    pub store: [String; 2],
}

/// What a read-modify-write operation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rmw {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// The bits of both.
    And,
    /// The bits of either.
    Or,
    /// The bits of one of them.
    Xor,
    /// The new one.
    Exchange,
}

/// All that operators change in a source.
///
/// # Errors
/// It is no Rust.
pub fn of(text: &str, language: Language) -> Result<Vec<Found>> {
    match language {
        Language::Rust => rust::found(text),
        Language::Wgsl | Language::Glsl => Ok(shader::found(text, language)),
    }
}

/// How a source is parted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The stretches that stand for themselves: the monitored items of Rust, else all of it.
    pub items: Vec<Span>,
    /// Where it imports something, outside of these.
    pub imports: Vec<Span>,
}

/// How a source is parted.
///
/// # Errors
/// It is no Rust.
pub fn parts(text: &str, language: Language) -> Result<Parts> {
    match language {
        Language::Rust => rust::parts(text),
        Language::Wgsl | Language::Glsl => {
            let items = vec![Span::new(0, text.len() as u32)];
            Ok(Parts { items, imports: Vec::new() })
        }
    }
}
