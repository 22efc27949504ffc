//! A kernel in Rust as a typed tree: what `lower` makes of syntax, and `print` makes WGSL of.
//!
//! Everything is resolved: names are ids, every expression has its type, generics are constants,
//! methods are calls of WGSL's functions. What is still Rust's is that blocks, `if`, `match` and loops are
//! expressions; `print` makes statements of them.

mod types;

pub use types::{
    Count, Enum, EnumId, Scalar, StructId, Texture, TextureKind, TextureShape, Type, Variant, Which,
};

use super::builtins::Builtin;
use super::ordered::Ordered;
use crate::ir::claims::Claim;
use proc_macro2::Span;

/// Where something stands in the Rust source: from its first token to its last.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its first token.
    pub first: Span,
    /// Its last token.
    pub last: Span,
}

impl Place {
    /// Its first token.
    pub fn start(self) -> Place {
        Place { first: self.first, last: self.first }
    }

    /// From its first token to the last of another; it alone, if the other stands elsewhere: what is put in where it is used
    /// has its own place.
    pub fn to(self, other: Place) -> Place {
        let position = |span: Span| (span.start().line, span.start().column);
        let follows =
            position(other.last) >= position(self.first) && self.first.file() == other.last.file();
        if follows { Place { first: self.first, last: other.last } } else { self }
    }
}

/// A name with its place. May be one that WGSL reserves.
#[derive(Clone, Debug)]
pub struct Name {
    /// As in Rust, without `r#`.
    pub text: String,
    /// Where it was declared.
    pub place: Place,
}

/// Index into [`Module::consts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(pub usize);
/// Index into [`Module::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub usize);
/// Index into [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub usize);
/// Index into [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub usize);
/// Names a loop or a labelled block within its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub usize);

/// One monitored item: a kernel alone, or a module of kernels and what they need. It becomes one WGSL text
/// with an entry point for each kernel; a generic kernel's instances are texts of their own.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Structs, each after those it contains.
    pub structs: Vec<Struct>,
    /// Enums.
    pub enums: Vec<Enum>,
    /// Constants, const parameters and overrides, each after those it uses.
    pub consts: Vec<Const>,
    /// Buffers, textures, samplers, workgroup and private memory: the kernels' parameters. Parameters of
    /// the same name are the same buffer, so that one launch can run several kernels over it.
    pub globals: Vec<Global>,
    /// Kernels and helpers.
    pub functions: Vec<Function>,
    /// Where `.len()` is called for a `u32`: rustc has it as a `usize`.
    pub short_lengths: Vec<Span>,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: Name,
    /// Its members.
    pub members: Vec<Member>,
}

/// A member of a struct.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// `#[align(N)]`.
    pub align: Option<u32>,
    /// `#[size(N)]`.
    pub size: Option<u32>,
}

/// A constant.
#[derive(Clone, Debug)]
pub struct Const {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// What kind it is.
    pub kind: ConstKind,
}

/// See [`Const`].
#[derive(Clone, Debug)]
pub enum ConstKind {
    /// `const N: u32 = …;`.
    Const(Expr),
    /// A const parameter of a function; its value is given for each instance.
    Parameter,
    /// `#[overridable] const N: u32 = …;`: a pipeline override, with its `id`.
    Override(Expr, Option<u16>),
}

/// A variable that outlives a function.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name: the parameter's.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Where it lives.
    pub space: Space,
}

/// Where a global lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// `&[T]` in every kernel that has it: a storage buffer that is only read.
    StorageRead(Binding),
    /// `&mut [T]`, `&Atomic<T>`: a storage buffer.
    StorageReadWrite(Binding),
    /// `#[uniform]`.
    Uniform(Binding),
    /// A texture or sampler.
    Handle(Binding),
    /// `#[workgroup]`.
    Workgroup,
    /// `#[private]`.
    Private,
}

/// `@group(…) @binding(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The group.
    pub group: u32,
    /// The binding: `#[binding(group, binding)]`, or the position among the module's bound globals.
    pub binding: u32,
}

/// A kernel or a helper.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Set for a kernel.
    pub entry: Option<Entry>,
    /// The const parameters of a helper: their values are the first arguments of its calls.
    pub constants: Vec<ConstId>,
    /// The locals that are parameters, in order (of a kernel: its built-in values).
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: Type,
    /// Every parameter, `let` and loop variable.
    pub locals: Vec<Local>,
    /// What it does.
    pub body: Block,
    /// All of it.
    pub place: Place,
}

/// What makes a function a kernel.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `workgroup_size(x, y, z)`: constant expressions of type `u32`.
    pub workgroup_size: [Expr; 3],
    /// Its const parameters.
    pub generics: Vec<ConstId>,
    /// Its memory.
    pub globals: Vec<GlobalId>,
    /// Whether some of that has the name of other memory in another kernel.
    pub apart: bool,
}

impl Entry {
    /// Whether the kernel is a text by itself: each of its instances is one.
    pub fn is_alone(&self) -> bool {
        self.apart || !self.generics.is_empty()
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The local that holds it.
    pub local: LocalId,
    /// How it comes.
    pub passed: Passed,
}

/// How a parameter comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// By value.
    Value,
    /// `&T`, or a texture or sampler.
    Shared,
    /// `&mut T`.
    Mutable,
    /// A kernel's built-in value, by WGSL's name.
    BuiltIn(&'static str),
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; several locals of a function may have the same.
    pub name: Name,
    /// Its type; for a reference, what it refers to.
    pub ty: Type,
    /// Whether anything assigns to it after its declaration, or borrows it mutably.
    pub mutable: bool,
}

/// Statements, then perhaps a value.
#[derive(Clone, Debug)]
pub struct Block<T = Type> {
    /// The statements.
    pub statements: Vec<Statement<T>>,
    /// The value.
    pub value: Option<Box<Expr<T>>>,
    /// From `{` to `}`.
    pub place: Place,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement<T = Type> {
    /// `let x = value;`; without a value, the local is assigned to later. Tuples that are taken apart come
    /// as a `let` of the whole and one for each part.
    Let(LocalId, Option<Expr<T>>, Place),
    /// `expr;`.
    Expr(Expr<T>),
}

/// An expression. While types are inferred they are not [`Type`]s yet; only `lower` knows of that.
#[derive(Clone, Debug)]
pub struct Expr<T = Type> {
    /// What it is.
    pub kind: ExprKind<T>,
    /// Its type.
    pub ty: T,
    /// Whether it comes back: `false` for `break`, `return` and what ends in one.
    pub diverges: bool,
    /// Where it stands.
    pub place: Place,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind<T = Type> {
    /// A literal of the expression's type: `true`, `-7`, `1.5`.
    Literal(Literal),
    /// A constant, const parameter or override.
    Const(ConstId),
    /// A constant that only WGSL spells: `0x1.921fb6p+1f`, `vec3<f32>(1.0)`.
    Verbatim(&'static str),
    /// A local: its value, or the place. One that is a reference parameter is what it refers to.
    Local(LocalId),
    /// A global, likewise.
    Global(GlobalId),
    /// `base[index]`: of an array, slice, vector or matrix (a column). A place if `base` is one.
    Index(Box<Expr<T>>, Box<Expr<T>>),
    /// `base[start..end]` as it is written, each end evaluated when the part is named; `lower` alone has it.
    Part(Box<Expr<T>>, Option<Box<Expr<T>>>, Option<Box<Expr<T>>>),
    /// A part of an array: the whole, where it begins and how long it is; `lower` alone has it.
    Slice(Box<Expr<T>>, Box<Expr<T>>, Box<Expr<T>>),
    /// A member of a struct or tuple.
    Member(Box<Expr<T>>, usize),
    /// Components of a vector, one or several.
    Swizzle(Box<Expr<T>>, Vec<u8>),
    /// `-x`, `!x`.
    Unary(Unary, Box<Expr<T>>),
    /// As WGSL has it: operands of the same type, or a vector with a scalar, or with a matrix. Shifts have
    /// a `u32` (or a vector of those) at their right. Comparisons of vectors give vectors of `bool`.
    Binary(Binary, Box<Expr<T>>, Box<Expr<T>>),
    /// A conversion to the expression's type, with WGSL's meaning of `T(x)`.
    Convert(Box<Expr<T>>),
    /// The same bits as the expression's type.
    Bitcast(Box<Expr<T>>),
    /// A value of a vector, matrix, array, struct or tuple from its parts, in order. One scalar for a
    /// vector: all its components.
    Construct(Vec<Expr<T>>),
    /// A value of an enum: which variant, and what it holds.
    Variant(usize, Vec<Expr<T>>),
    /// `[value; N]`.
    Repeat(Box<Expr<T>>),
    /// A call of a helper: the values of its const parameters, which are literals or constants, then its
    /// arguments. Those for reference parameters are places.
    Call(FunctionId, Vec<Expr<T>>),
    /// A call of a function whose type parameters are still to be found out; `lower` alone has it, which
    /// numbers such calls in each function.
    Instance(usize, Vec<Expr<T>>),
    /// A call of a function of WGSL's own. Arguments for its references are places. In a model, an atomic may say how it
    /// orders; and a barrier that does is a fence, for which WGSL has no word.
    Builtin(&'static Builtin, Vec<Expr<T>>, Option<Ordered>),
    /// Memory of an atomic touched as if it were not one: `hits.plain()`. Of the scalar's type; a place.
    Plain(Box<Expr<T>>),
    /// `assert!(condition)` and the like; without a condition, `unreachable!()`.
    Claim(Claim, Option<Box<Expr<T>>>),
    /// `place = value`.
    Assign(Box<Expr<T>>, Box<Expr<T>>),
    /// `place op= value`.
    AssignBinary(Binary, Box<Expr<T>>, Box<Expr<T>>),
    /// `{ … }`, perhaps labelled.
    Block(Option<LabelId>, Block<T>),
    /// `if`; without `else`, of type `()`.
    If(Box<Expr<T>>, Block<T>, Option<Box<Expr<T>>>),
    /// `match`; also what `if let` and `while let` become.
    Match(Box<Expr<T>>, Vec<Arm<T>>),
    /// `loop`.
    Loop(LabelId, Block<T>),
    /// `while`.
    While(LabelId, Box<Expr<T>>, Block<T>),
    /// `for`.
    For(Box<For<T>>),
    /// `break`, perhaps with a value.
    Break(LabelId, Option<Box<Expr<T>>>),
    /// `continue`.
    Continue(LabelId),
    /// `return`.
    Return(Option<Box<Expr<T>>>),
}

/// A literal. Its type is the expression's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// In range for its type.
    Int(i128),
    /// Rounded to `f32`, finite.
    Float(f32),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`.
    Negate,
    /// `!` of `bool`: `!` in WGSL.
    Not,
    /// `!` of integers: `~` in WGSL.
    Complement,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// `&&`: the right side is not always evaluated.
    AndThen,
    /// `||`, likewise.
    OrElse,
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm<T = Type> {
    /// What it takes.
    pub pattern: Pattern<T>,
    /// `if …`.
    pub guard: Option<Expr<T>>,
    /// What it gives.
    pub body: Expr<T>,
}

/// A pattern.
#[derive(Clone, Debug)]
pub enum Pattern<T = Type> {
    /// `_`.
    Any,
    /// A literal or a constant.
    Value(Expr<T>),
    /// `a..=b`, `a..b`, `a..`, `..=b`: both ends, and whether the last belongs to it.
    Range(Option<Expr<T>>, Option<Expr<T>>, bool),
    /// `p | q`.
    Either(Vec<Pattern<T>>),
    /// `x`, `x @ p`.
    Bind(LocalId, Box<Pattern<T>>),
    /// `(p, q)`.
    Tuple(Vec<Pattern<T>>),
    /// A variant of an enum, with patterns of what it holds.
    Variant(usize, Vec<Pattern<T>>),
    /// `Ok(p)` (`true`) or `Err(p)` of an exchange: `p` is for the old value.
    Exchanged(bool, Box<Pattern<T>>),
}

/// `for local in start..end { body }`.
#[derive(Clone, Debug)]
pub struct For<T = Type> {
    /// Its label.
    pub label: LabelId,
    /// The loop variable; a new one each turn.
    pub local: LocalId,
    /// Where it starts.
    pub start: Expr<T>,
    /// Where it ends.
    pub end: Expr<T>,
    /// `..=`.
    pub inclusive: bool,
    /// `.step_by(n)`: of type `u32`, at least 1.
    pub step: Option<Expr<T>>,
    /// `.rev()`, applied before the step: `(0..10).rev().step_by(3)` is 9, 6, 3, 0.
    pub reversed: bool,
    /// What it does.
    pub body: Block<T>,
}

impl Module {
    /// What each variant of an enum holds, in order, with the number that it is.
    pub fn variants(&self, which: Which, arguments: &[Type]) -> Vec<(i128, Vec<Type>)> {
        let held = |nth: usize| arguments.get(nth).cloned().into_iter().collect();
        match which {
            Which::Option => vec![(0, Vec::new()), (1, held(0))],
            Which::Result => vec![(0, held(0)), (1, held(1))],
            Which::Ordering => vec![(-1, Vec::new()), (0, Vec::new()), (1, Vec::new())],
            Which::Own(id) => self.enums.get(id.0).map_or_else(Vec::new, |of| {
                let all = of.variants.iter();
                all.map(|variant| (variant.discriminant, variant.parts.clone())).collect()
            }),
        }
    }
}
