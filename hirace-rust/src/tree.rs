//! The typed tree of a kernel in Rust: `lower` makes it from syntax, and `print` makes WGSL from it.
//!
//! All names are resolved to ids, every expression has its type, generics are constants, and methods are calls of
//! WGSL's functions. Blocks, `if`, `match` and loops are still expressions as in Rust; `print` converts them to
//! statements.

pub use super::name::{Name, Place};
pub use super::types::{
    ConstId, Count, Enum, EnumId, EnumKind, Scalar, StructId, Texture, TextureKind, TextureShape,
    Type, Variant,
};

use super::builtins::Builtin;
use super::memory_ordering::OperationOrdering;
use crate::ir::claims::Claim;
use proc_macro2::Span;

/// Index into [`Module::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub usize);
/// Index into [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub usize);
/// Index into [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub usize);
/// Names a loop or a labeled block within its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub usize);

/// A monitored item: a single kernel, or a module of kernels and the items that they need. It becomes one WGSL text
/// with an entry point per kernel. Each instance of a generic kernel is a text of its own.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The structs, each after those it contains.
    pub structs: Vec<Struct>,
    /// The enums.
    pub enums: Vec<Enum>,
    /// The constants, const parameters and overrides, each after those it uses.
    pub consts: Vec<Const>,
    /// Buffers, textures, samplers, workgroup and private memory: the kernels' parameters. Parameters with the same
    /// name are the same buffer, so that one launch can run several kernels over it.
    pub globals: Vec<Global>,
    /// The kernels and helpers.
    pub functions: Vec<Function>,
    /// The calls of `.len()` that are used as a `u32`; in rustc they have the type `usize`.
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
    /// The kind of the constant.
    pub kind: ConstKind,
}

/// The kind of a [`Const`].
#[derive(Clone, Debug)]
pub enum ConstKind {
    /// `const N: u32 = …;`.
    Const(Expr),
    /// A const parameter of a function. Each instance has its own value.
    Parameter,
    /// `#[overridable] const N: u32 = …;`: a pipeline override with its default and its `id`.
    Override(Expr, Option<u16>),
}

/// A variable that is declared outside functions.
#[derive(Clone, Debug)]
pub struct Global {
    /// The name of the kernels' parameter.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Its address space.
    pub space: Space,
}

/// The address space of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// `&[T]` in every kernel that has it: a read-only storage buffer.
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
    /// The entry point's properties, if it is a kernel.
    pub entry: Option<Entry>,
    /// The const parameters of a helper. Their values are the first arguments of its calls.
    pub constants: Vec<ConstId>,
    /// The locals that are parameters, in order; for a kernel, its built-in values.
    pub parameters: Vec<Parameter>,
    /// The type that it returns.
    pub result: Type,
    /// Every parameter, `let` and loop variable.
    pub locals: Vec<Local>,
    /// Its body.
    pub body: Block,
    /// The place of the whole function.
    pub place: Place,
}

/// The properties that make a function a kernel.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `workgroup_size(x, y, z)`: constant expressions of type `u32`.
    pub workgroup_size: [Expr; 3],
    /// Its const parameters.
    pub generics: Vec<ConstId>,
    /// Its memory.
    pub globals: Vec<GlobalId>,
    /// Whether one of its globals has the same name as different memory in another kernel.
    pub separate: bool,
}

impl Entry {
    /// Returns whether the kernel is printed as a separate text. Each instance of a generic kernel is one.
    pub fn is_separate(&self) -> bool {
        self.separate || !self.generics.is_empty()
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The local that holds it.
    pub local: LocalId,
    /// How it is passed.
    pub passed: PassMode,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassMode {
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
    /// Whether it is assigned to after its declaration, or borrowed mutably.
    pub mutable: bool,
}

/// A sequence of statements with an optional value.
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
    /// `let x = value;`. Without a value, the local is assigned to later. A destructuring `let` of a tuple becomes one
    /// `let` for the whole and one for each part.
    Let(LocalId, Option<Expr<T>>, Place),
    /// `expr;`.
    Expr(Expr<T>),
}

/// An expression. During type inference in `lower`, `T` is not [`Type`] yet.
#[derive(Clone, Debug)]
pub struct Expr<T = Type> {
    /// Its kind.
    pub kind: ExprKind<T>,
    /// Its type.
    pub ty: T,
    /// Whether control never continues after it: `true` for `break`, `return` and expressions that end in one.
    pub diverges: bool,
    /// Its place in the source.
    pub place: Place,
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind<T = Type> {
    /// A literal of the expression's type: `true`, `-7`, `1.5`.
    Literal(Literal),
    /// A constant, const parameter or override.
    Const(ConstId),
    /// A constant that is written directly in WGSL: `0x1.921fb6p+1f`, `vec3<f32>(1.0)`.
    Verbatim(&'static str),
    /// A local as a value or a place. For a reference parameter, this is the referent.
    Local(LocalId),
    /// A global as a value or a place.
    Global(GlobalId),
    /// `base[index]`: of an array, slice, vector or matrix (a column). A place if `base` is one.
    Index(Box<Expr<T>>, Box<Expr<T>>),
    /// `base[start..end]` as it is written. Each end is evaluated where the range is written. Exists only in `lower`.
    Part(Box<Expr<T>>, Option<Box<Expr<T>>>, Option<Box<Expr<T>>>),
    /// A part of an array: the whole array, the start and the length. Exists only in `lower`.
    Slice(Box<Expr<T>>, Box<Expr<T>>, Box<Expr<T>>),
    /// A member of a struct or tuple.
    Member(Box<Expr<T>>, usize),
    /// Components of a vector, one or several.
    Swizzle(Box<Expr<T>>, Vec<u8>),
    /// `-x`, `!x`.
    Unary(Unary, Box<Expr<T>>),
    /// A binary operation with WGSL's rules: operands of the same type, or a vector with a scalar or a matrix. The
    /// right operand of a shift is a `u32` or a vector of `u32`. A comparison of vectors is a vector of `bool`.
    Binary(Binary, Box<Expr<T>>, Box<Expr<T>>),
    /// A conversion to the expression's type, like `T(x)` in WGSL.
    Convert(Box<Expr<T>>),
    /// A reinterpretation of the bits as the expression's type.
    Bitcast(Box<Expr<T>>),
    /// A vector, matrix, array, struct or tuple made of its parts, in order. A single scalar for a vector sets all
    /// components.
    Construct(Vec<Expr<T>>),
    /// A value of an enum: the index of the variant, and its fields.
    Variant(usize, Vec<Expr<T>>),
    /// `[value; N]`.
    Repeat(Box<Expr<T>>),
    /// A call of a helper. The first arguments are the values of its const parameters, which are literals or
    /// constants. Arguments for reference parameters are places.
    Call(FunctionId, Vec<Expr<T>>),
    /// A call of a function whose type parameters are not inferred yet, by its index among such calls in the function.
    /// Exists only in `lower`.
    Instance(usize, Vec<Expr<T>>),
    /// A call of a WGSL built-in function. Arguments for its pointers are places. In a model, an atomic may specify a
    /// memory ordering; a barrier that specifies one is a fence, which WGSL does not have.
    Builtin(&'static Builtin, Vec<Expr<T>>, Option<OperationOrdering>),
    /// A non-atomic access to an atomic: `hits.plain()`. It has the scalar's type and is a place.
    Plain(Box<Expr<T>>),
    /// `assert!(condition)` and similar macros. Without a condition, `unreachable!()`.
    Claim(Claim, Option<Box<Expr<T>>>),
    /// `place = value`.
    Assign(Box<Expr<T>>, Box<Expr<T>>),
    /// `place op= value`.
    AssignBinary(Binary, Box<Expr<T>>, Box<Expr<T>>),
    /// `{ … }`, with an optional label.
    Block(Option<LabelId>, Block<T>),
    /// `if`. Without `else`, its type is `()`.
    If(Box<Expr<T>>, Block<T>, Option<Box<Expr<T>>>),
    /// `match`. `if let` and `while let` become one too.
    Match(Box<Expr<T>>, Vec<Arm<T>>),
    /// `loop`.
    Loop(LabelId, Block<T>),
    /// `while`.
    While(LabelId, Box<Expr<T>>, Block<T>),
    /// `for`.
    For(Box<For<T>>),
    /// `break`, with an optional value.
    Break(LabelId, Option<Box<Expr<T>>>),
    /// `continue`.
    Continue(LabelId),
    /// `return`.
    Return(Option<Box<Expr<T>>>),
}

/// A literal. Its type is the type of the expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// An integer in the range of its type.
    Int(i128),
    /// A finite float, rounded to `f32`.
    Float(f32),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`.
    Negate,
    /// `!` on `bool`: `!` in WGSL.
    Not,
    /// `!` on integers: `~` in WGSL.
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
    /// `&&`: the right side is evaluated only if the left is true.
    AndThen,
    /// `||`: the right side is evaluated only if the left is false.
    OrElse,
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm<T = Type> {
    /// Its pattern.
    pub pattern: Pattern<T>,
    /// `if …`.
    pub guard: Option<Expr<T>>,
    /// Its value.
    pub body: Expr<T>,
}

/// A pattern.
#[derive(Clone, Debug)]
pub enum Pattern<T = Type> {
    /// `_`.
    Wildcard,
    /// A literal or a constant.
    Value(Expr<T>),
    /// `a..=b`, `a..b`, `a..`, `..=b`: both ends, and whether the last is included.
    Range(Option<Expr<T>>, Option<Expr<T>>, bool),
    /// `p | q`.
    Either(Vec<Pattern<T>>),
    /// `x`, `x @ p`.
    Bind(LocalId, Box<Pattern<T>>),
    /// `(p, q)`.
    Tuple(Vec<Pattern<T>>),
    /// A variant of an enum, with patterns for its fields.
    Variant(usize, Vec<Pattern<T>>),
    /// `Ok(p)` (`true`) or `Err(p)` of a compare-exchange: `p` matches the old value.
    ExchangeResult(bool, Box<Pattern<T>>),
}

/// `for local in start..end { body }`.
#[derive(Clone, Debug)]
pub struct For<T = Type> {
    /// Its label.
    pub label: LabelId,
    /// The loop variable. Each iteration has a new one.
    pub local: LocalId,
    /// The start of the range.
    pub start: Expr<T>,
    /// The end of the range.
    pub end: Expr<T>,
    /// Whether the range includes its end (`..=`).
    pub inclusive: bool,
    /// `.step_by(n)`: of type `u32`, at least 1.
    pub step: Option<Expr<T>>,
    /// `.rev()`, applied before the step: `(0..10).rev().step_by(3)` is 9, 6, 3, 0.
    pub reversed: bool,
    /// The loop body.
    pub body: Block<T>,
}

impl Module {
    /// Returns the discriminant and the field types of each variant of an enum, in order.
    pub fn variants(&self, which: EnumKind, arguments: &[Type]) -> Vec<(i128, Vec<Type>)> {
        let held = |nth: usize| arguments.get(nth).cloned().into_iter().collect();
        match which {
            EnumKind::Option => vec![(0, Vec::new()), (1, held(0))],
            EnumKind::Result => vec![(0, held(0)), (1, held(1))],
            EnumKind::Ordering => vec![(-1, Vec::new()), (0, Vec::new()), (1, Vec::new())],
            EnumKind::Own(id) => self.enums.get(id.0).map_or_else(Vec::new, |of| {
                let all = of.variants.iter();
                all.map(|variant| (variant.discriminant, variant.parts.clone())).collect()
            }),
        }
    }
}
