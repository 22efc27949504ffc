//! The mutable syntax of a source: tokens, with the information that operators need.
//!
//! Mutations work on the syntax of the source, not on naga's module, where constants are folded and `x += 1` is an
//! ordinary assignment.

mod loops;
mod rust;
mod shader;
mod templates;

pub use loops::operand;

use hirace_core::diagnostic::Result;
use hirace_core::edit::Edit;
use hirace_core::source_map::Span;

/// A source language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL.
    Wgsl,
    /// GLSL.
    Glsl,
    /// Rust: the items under `#[hirace::monitor]`.
    Rust,
}

/// A piece of mutable syntax in a source.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxOccurrence {
    /// The syntax.
    pub syntax: Syntax,
    /// The enclosing function. The attributes of a function belong to it.
    pub function: Option<String>,
}

/// A kind of mutable syntax.
#[derive(Clone, Debug, PartialEq)]
pub enum Syntax {
    /// A binary operator.
    Binary {
        /// The operator.
        token: Token,
        /// The operand that needs parentheses if the operator becomes one that begins with `<`, in Rust.
        cast: Option<Span>,
    },
    /// A unary operator.
    Unary(Token),
    /// A compound assignment operator.
    Assign {
        /// The operator, for example `+=`.
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
        /// The call with its `;`.
        statement: Span,
        /// Whether the program already uses operations of subgroups, which not every device supports.
        has_subgroups: bool,
    },
    /// A call that reads a variable between two barriers (`workgroupUniformLoad`).
    UniformLoad {
        /// The call.
        call: Span,
        /// The argument that is read.
        place: Span,
    },
    /// The coordinates of a texel access.
    Texel {
        /// The coordinates.
        coordinates: Span,
        /// The number of coordinates.
        dimensions: usize,
    },
    /// A loop.
    Loop(Loop),
    /// A read-modify-write operation.
    Atomic(Atomic),
    /// A built-in id at its declaration.
    Builtin {
        /// Its name in the attribute.
        name: Token,
        /// The other built-in ids that are declared next to it. It cannot become one of them.
        declared: Vec<String>,
    },
    /// A built-in id by its own name where it is read, next to ids that are declared with it.
    IdName {
        /// The name of the variable.
        name: Token,
        /// The built-in id.
        builtin: String,
        /// The other built-in ids, each with the name of its variable.
        others: Vec<(String, String)>,
    },
    /// A built-in id where it is read: `id.x`, or a scalar id.
    Id {
        /// The whole expression.
        at: Span,
        /// The name of the id variable.
        of: Token,
        /// The component, if the id is a vector.
        axis: Option<Token>,
    },
    /// The marker of a variable in workgroup memory.
    Workgroup(Token),
    /// The workgroup size: the dimensions that are given.
    WorkgroupSize(Vec<Token>),
}

/// A span of the source with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The span.
    pub at: Span,
    /// The text.
    pub text: String,
}

/// A loop with the edits that change its number of iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Runs no iterations.
    pub none: Edit,
    /// Runs one iteration less; `None` if no such edit is known.
    pub less: Option<Edit>,
    /// Runs one iteration more; `None` if no such edit is known.
    pub more: Option<Edit>,
}

/// A read-modify-write operation in a statement of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Atomic {
    /// The statement without its `;`.
    pub statement: Span,
    /// The text before the call: `let old = `.
    pub before: String,
    /// The variable that receives the old value.
    pub old: Option<String>,
    /// A declaration of another variable for the old value, `old_value`. Needed if the operation itself reads the
    /// variable `old`.
    pub kept: Option<String>,
    /// The operation.
    pub operation: Rmw,
    /// The other operand.
    pub operand: String,
    /// The expression that reads the memory.
    pub load: String,
    /// The text before and after the value in a statement that writes the memory.
    pub store: [String; 2],
}

/// The operation of a read-modify-write access.
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
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The new value.
    Exchange,
}

/// Returns all mutable syntax of a source.
///
/// # Errors
/// The text is not valid Rust.
pub fn find_syntax(text: &str, language: Language) -> Result<Vec<SyntaxOccurrence>> {
    match language {
        Language::Rust => rust::find_syntax(text),
        Language::Wgsl | Language::Glsl => Ok(shader::find_syntax(text, language)),
    }
}

/// A partition of a source for compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The spans that can be compiled alone: the monitored items of a Rust file, otherwise the whole text.
    pub items: Vec<Span>,
    /// The spans of imports outside of these.
    pub imports: Vec<Span>,
}

/// Returns the partition of a source.
///
/// # Errors
/// The text is not valid Rust.
pub fn parts(text: &str, language: Language) -> Result<Parts> {
    match language {
        Language::Rust => rust::parts(text),
        Language::Wgsl | Language::Glsl => {
            let items = vec![Span::new(0, text.len() as u32)];
            Ok(Parts { items, imports: Vec::new() })
        }
    }
}
