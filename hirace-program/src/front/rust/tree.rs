//! A kernel in Rust as a typed tree: what `lower` makes of syntax, and `print` makes WGSL of.
//!
//! Everything is resolved: names are ids, every expression has its type, generics are constants,
//! methods are calls of WGSL's functions. What is still Rust's is that blocks, `if`, `match` and loops are
//! expressions; `print` makes statements of them.

use super::builtins::Builtin;
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

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
    /// `usize`, of 32 bits: a `u32` in WGSL.
    Usize,
    /// `isize`, of 32 bits: an `i32` in WGSL.
    Isize,
    /// `u8`: a `u32` in WGSL that stays below 2^8.
    U8,
    /// `i8`, likewise an `i32`.
    I8,
    /// `u16`: a `u32` in WGSL that stays below 2^16.
    U16,
    /// `i16`, likewise an `i32`.
    I16,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Bool,
        Self::I32,
        Self::U32,
        Self::F32,
        Self::Usize,
        Self::Isize,
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
    ];

    /// As Rust names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::Usize => "usize",
            Self::Isize => "isize",
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
        }
    }

    /// What holds it in WGSL.
    pub const fn stored(self) -> Self {
        match self {
            Self::Usize | Self::U8 | Self::U16 => Self::U32,
            Self::Isize | Self::I8 | Self::I16 => Self::I32,
            other => other,
        }
    }

    /// Whether WGSL has no such type of its own, so that no memory that a host sees can hold it.
    pub fn is_local(self) -> bool {
        self != self.stored()
    }

    /// Its bits, if it is an integer of less than 32: WGSL's arithmetic has to be brought back to these.
    pub const fn narrow(self) -> Option<u32> {
        match self {
            Self::U8 | Self::I8 => Some(8),
            Self::U16 | Self::I16 => Some(16),
            _ => None,
        }
    }

    /// Whether it is one of the integers.
    pub fn is_integer(self) -> bool {
        self.range().is_some()
    }

    /// The least and the greatest of an integer's values.
    pub const fn range(self) -> Option<(i64, i64)> {
        match self {
            Self::U32 | Self::Usize => Some((0, u32::MAX as i64)),
            Self::I32 | Self::Isize => Some((i32::MIN as i64, i32::MAX as i64)),
            Self::U8 => Some((0, u8::MAX as i64)),
            Self::I8 => Some((i8::MIN as i64, i8::MAX as i64)),
            Self::U16 => Some((0, u16::MAX as i64)),
            Self::I16 => Some((i16::MIN as i64, i16::MAX as i64)),
            Self::Bool | Self::F32 => None,
        }
    }

    /// Whether it is an integer with negative values.
    pub fn is_signed(self) -> bool {
        self.range().is_some_and(|(least, _)| least < 0)
    }

    /// The integer of this signedness and as many bits, as `usize` is of `isize`.
    pub const fn with_sign(self, signed: bool) -> Self {
        match (self, signed) {
            (Self::U32 | Self::I32, true) => Self::I32,
            (Self::U32 | Self::I32, false) => Self::U32,
            (Self::Usize | Self::Isize, true) => Self::Isize,
            (Self::Usize | Self::Isize, false) => Self::Usize,
            (Self::U8 | Self::I8, true) => Self::I8,
            (Self::U8 | Self::I8, false) => Self::U8,
            (Self::U16 | Self::I16, true) => Self::I16,
            (Self::U16 | Self::I16, false) => Self::U16,
            (other, _) => other,
        }
    }

    /// Whether every value of this integer is one of the other.
    pub fn fits(self, other: Self) -> bool {
        match (self.range(), other.range()) {
            (Some((least, greatest)), Some((from, to))) => from <= least && greatest <= to,
            _ => self == other,
        }
    }
}

/// A type of a value or a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `()`, and `!`, the type of what does not come back.
    Unit,
    /// A scalar.
    Scalar(Scalar),
    /// glam's vectors: 2 to 4 components.
    Vector(u8, Scalar),
    /// Matrices of `f32`.
    Matrix {
        /// 2 to 4.
        columns: u8,
        /// 2 to 4.
        rows: u8,
    },
    /// `Atomic<u32>` or `Atomic<i32>`.
    Atomic(Scalar),
    /// `[T; N]`.
    Array(Box<Type>, Count),
    /// `[T]`: the runtime-sized array of a buffer, or at the end of a buffer's struct.
    Slice(Box<Type>),
    /// A struct of the module.
    Struct(StructId),
    /// Several values; never in memory that is shared.
    Tuple(Vec<Type>),
    /// One of several variants, with what stands for the type's parameters.
    Enum(Which, Vec<Type>),
    /// What a compare-exchange gives: `Result<T, T>` in Rust, a struct of WGSL's own.
    Exchange(Scalar),
    /// A texture.
    Texture(Texture),
    /// `Sampler` or `SamplerComparison`.
    Sampler {
        /// Whether it compares.
        comparison: bool,
    },
}

impl Type {
    /// Whether a value of this type is in WGSL what `as` makes of it for the other.
    pub fn is_same_in_wgsl(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) => {
                one.stored() == other.stored() && (other.narrow().is_none() || one.fits(*other))
            }
            _ => self == other,
        }
    }
}

/// The length of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// A number, or a constant expression's value.
    Literal(u32),
    /// A constant, a const parameter of a generic kernel, or an override (workgroup memory only).
    Const(ConstId),
}

/// The kind of a texture, and what its texels are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    /// How its texels lie.
    pub shape: TextureShape,
    /// Whether it has layers.
    pub arrayed: bool,
    /// What it is.
    pub kind: TextureKind,
}

/// How the texels of a texture lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureShape {
    /// In a line.
    D1,
    /// In a plane.
    D2,
    /// In space.
    D3,
    /// In six planes around a point.
    Cube,
}

impl TextureShape {
    /// As WGSL's types of textures have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D2 => "2d",
            Self::D3 => "3d",
            Self::Cube => "cube",
        }
    }

    /// How many sizes it has.
    pub const fn dimensions(self) -> u8 {
        match self {
            Self::D1 => 1,
            Self::D2 | Self::Cube => 2,
            Self::D3 => 3,
        }
    }

    /// How many coordinates a point has that it is sampled at: of a cube, a direction.
    pub const fn coordinates(self) -> u8 {
        match self {
            Self::Cube => 3,
            _ => self.dimensions(),
        }
    }
}

/// See [`Texture`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// `texture_2d<f32>` and the like.
    Sampled(Scalar),
    /// `texture_multisampled_2d`.
    Multisampled(Scalar),
    /// `texture_depth_2d` and the like.
    Depth,
    /// `texture_depth_multisampled_2d`.
    DepthMultisampled,
    /// `texture_storage_2d<format, access>`.
    Storage {
        /// WGSL's name of the format.
        format: &'static str,
        /// What a texel's components are.
        texel: Scalar,
        /// WGSL's name of the access: `read`, `write` or `read_write`.
        access: &'static str,
    },
}

/// Index into [`Module::structs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub usize);
/// Index into [`Module::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub usize);

/// Which enum a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// `Option<T>`: `None`, then `Some`.
    Option,
    /// `Result<T, E>`: `Ok`, then `Err`.
    Result,
    /// `std::cmp::Ordering`: `Less`, `Equal`, `Greater`.
    Ordering,
    /// One of the module.
    Own(EnumId),
}

impl Which {
    /// That of `std` with this name and so many parameters.
    pub fn standard(name: &str, parameters: usize) -> Option<Self> {
        match (name, parameters) {
            ("Option", 1) => Some(Self::Option),
            ("Result", 2) => Some(Self::Result),
            _ => None,
        }
    }
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// Its variants, in order.
    pub variants: Vec<Variant>,
    /// The one marked `#[default]`.
    pub default: Option<usize>,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The number that it is as an integer.
    pub discriminant: i64,
    /// What it holds.
    pub parts: Vec<Type>,
    /// The names of its parts, if they have some.
    pub names: Vec<String>,
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
    /// A call of a function of WGSL's own. Arguments for its references are places.
    Builtin(&'static Builtin, Vec<Expr<T>>),
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
    Int(i64),
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
    pub fn variants(&self, which: Which, arguments: &[Type]) -> Vec<(i64, Vec<Type>)> {
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
