//! Expressions of a host file, as far as the text of a shader depends on them.

use crate::mapped::MappedText;
use hirace_program::source_map::Span;

/// The maximum depth of nested expressions that are read. Deeper ones are unknown.
pub const MAX_DEPTH: usize = 100;

/// An expression of a host file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Its span in the host file.
    pub host: Span,
    /// What it computes.
    pub kind: ExpressionKind,
}

/// What an expression computes.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A string literal.
    Text(MappedText),
    /// A number. Python shows whether it is a float.
    Number {
        /// The value.
        value: f64,
        /// Whether it is written as a float.
        is_float: bool,
    },
    /// A truth value.
    Boolean(bool),
    /// A name.
    Name(String),
    /// A member of an object: `sizes.x`.
    Member(Box<Expression>, String),
    /// An element of a list.
    Element(Box<Expression>, Box<Expression>),
    /// An object or a dictionary.
    Object(Vec<(String, Expression)>),
    /// A list.
    List(Vec<Expression>),
    /// The texts of expressions, one after the other: template literals, `concat!`.
    Template(Vec<Expression>),
    /// The sum of numbers, or the texts of operands one after the other.
    Sum(Vec<Expression>),
    /// Another operation on two numbers.
    Operation(Operator, Box<Expression>, Box<Expression>),
    /// The opposite of a truth value.
    Not(Box<Expression>),
    /// `condition ? yes : no`.
    Conditional(Box<[Expression; 3]>),
    /// A text in which a pattern is replaced.
    Replace {
        /// The text.
        text: Box<Expression>,
        /// The pattern.
        pattern: Box<Expression>,
        /// The replacement.
        with: Box<Expression>,
        /// Whether every occurrence is replaced, and not only the first.
        all: bool,
    },
    /// The elements of a list with a text between them.
    Join(Box<Expression>, Box<Expression>),
    /// A text in which `{}`, `{0}` and `{name}` are replaced by values, as by Rust's `format!` and Python's `format`.
    Format {
        /// The text.
        text: Box<Expression>,
        /// The arguments without a name.
        positional: Vec<Expression>,
        /// The arguments with a name.
        named: Vec<(String, Expression)>,
        /// Whether other names are those of variables, as in Rust.
        captures: bool,
    },
    /// A value of another file.
    Imported(Import),
    /// Anything else.
    Unknown,
}

/// A value of another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The file or the module, as the importing file names it.
    pub from: String,
    /// The name of the value there; `None` for the module, or the text of the file.
    pub name: Option<String>,
}

impl Import {
    /// What is before the path of a file that Rust includes.
    pub const FILE: &str = "file:";
}

/// An operator on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounded towards zero for integers of Rust.
    Divide,
    /// Python's `//`.
    FloorDivide,
    /// `%`
    Remainder,
    /// `**`
    Power,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `==`, `===`
    Equal,
    /// `!=`, `!==`
    NotEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `|`
    BitOr,
    /// `&`
    BitAnd,
    /// `&&`, `and`
    And,
    /// `||`, `or`
    Or,
    /// `??`
    Coalesce,
}

impl ExpressionKind {
    /// Returns the expressions that this one is made of. Their values are needed for its value.
    pub fn parts(&self) -> Vec<&Expression> {
        match self {
            Self::Text(_)
            | Self::Number { .. }
            | Self::Boolean(_)
            | Self::Name(_)
            | Self::Imported(_)
            | Self::Unknown => Vec::new(),
            Self::Member(of, _) | Self::Not(of) => vec![of],
            Self::Element(left, right)
            | Self::Join(left, right)
            | Self::Operation(_, left, right) => vec![left, right],
            Self::Object(members) => members.iter().map(|(_, of)| of).collect(),
            Self::List(all) | Self::Template(all) | Self::Sum(all) => all.iter().collect(),
            Self::Conditional(parts) => parts.iter().collect(),
            Self::Replace { text, pattern, with, .. } => vec![text, pattern, with],
            Self::Format { text, positional, named, .. } => {
                let named = named.iter().map(|(_, of)| of);
                std::iter::once(&**text).chain(positional).chain(named).collect()
            }
        }
    }
}

impl Operator {
    /// Returns the operator with this spelling.
    pub fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "//" => Self::FloorDivide,
            "%" => Self::Remainder,
            "**" => Self::Power,
            "<<" => Self::ShiftLeft,
            ">>" => Self::ShiftRight,
            "==" | "===" => Self::Equal,
            "!=" | "!==" => Self::NotEqual,
            "<" => Self::Less,
            ">" => Self::Greater,
            "<=" => Self::LessEqual,
            ">=" => Self::GreaterEqual,
            "|" => Self::BitOr,
            "&" => Self::BitAnd,
            "&&" | "and" => Self::And,
            "||" | "or" => Self::Or,
            "??" => Self::Coalesce,
            _ => return None,
        })
    }
}

impl Expression {
    /// Creates an expression of which nothing is known.
    pub fn unknown(host: Span) -> Self {
        Self { host, kind: ExpressionKind::Unknown }
    }

    /// Returns the expression as a path of names, such as `config.size`, if it is one.
    pub fn path(&self) -> Option<String> {
        match &self.kind {
            ExpressionKind::Name(name) => Some(name.clone()),
            ExpressionKind::Member(of, name) => Some(format!("{}.{name}", of.path()?)),
            _ => None,
        }
    }
}

/// A declaration of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The name, or the path of a static member: `Sizes.tile`.
    pub name: String,
    /// The span in which the name is known.
    pub scope: Span,
    /// The offset after which it is known, for a variable of Rust. 0 stands for the whole scope.
    pub at: u32,
    /// Whether it is declared in the body of a Python class, so that functions in the class do not see it.
    pub is_class_member: bool,
    /// The value; `None` for parameters and other names whose values are not known.
    pub value: Option<Expression>,
}
