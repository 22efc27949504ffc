//! Values as words of memory, and the sample values for comparisons.

use half::f16;
use hirace::prelude::*;
use hirace::raw::front::rust::tree::{Count, Scalar, Type};
use hirace::raw::random::Random;

/// A value that a kernel can take, and that can be compared with its results.
pub trait Sample: Copy {
    /// Returns the type of the value.
    fn ty() -> Type;
    /// Reads a value from one word per scalar.
    fn from_words(words: &mut impl Iterator<Item = u32>) -> Self;
    /// Returns the words of the value.
    fn words(self) -> Vec<u32>;
}

macro_rules! scalar {
    ($($ty:ident $scalar:ident: $from:expr, $to:expr;)*) => {$(
        impl Sample for $ty {
            fn ty() -> Type {
                Type::Scalar(Scalar::$scalar)
            }
            fn from_words(words: &mut impl Iterator<Item = u32>) -> Self {
                let from: fn(u32) -> $ty = $from;
                from(words.next().expect("a word for each scalar"))
            }
            fn words(self) -> Vec<u32> {
                let to: fn($ty) -> u32 = $to;
                vec![to(self)]
            }
        }
    )*};
}

scalar! {
    f32 F32: f32::from_bits, f32::to_bits;
    u32 U32: |word| word, |value| value;
    i32 I32: |word| word as i32, |value| value as u32;
    bool Bool: |word| word & 1 == 1, u32::from;
    u16 U16: |word| word as u16, u32::from;
    f16 F16: |word| f16::from_bits(word as u16), |value| value.to_bits().into();
}

/// Implements [`Sample`] for types of two words, the low one first.
macro_rules! wide {
    ($($ty:ident $scalar:ident;)*) => {$(
        impl Sample for $ty {
            fn ty() -> Type {
                Type::Scalar(Scalar::$scalar)
            }
            fn from_words(words: &mut impl Iterator<Item = u32>) -> Self {
                let [low, high] = <[u32; 2]>::from_words(words);
                (u64::from(high) << 32 | u64::from(low)) as $ty
            }
            fn words(self) -> Vec<u32> {
                vec![self as u32, (self >> 32) as u32]
            }
        }
    )*};
}

wide! {
    u64 U64;
    i64 I64;
}

macro_rules! vector {
    ($($ty:ident $components:literal $element:ident $scalar:ident: $($name:ident)*;)*) => {$(
        impl Sample for $ty {
            fn ty() -> Type {
                Type::Vector($components, Scalar::$scalar)
            }
            fn from_words(words: &mut impl Iterator<Item = u32>) -> Self {
                $(let $name = $element::from_words(words);)*
                $ty::new($($name),*)
            }
            fn words(self) -> Vec<u32> {
                let values: [$element; $components] = self.into();
                values.into_iter().flat_map(Sample::words).collect()
            }
        }
    )*};
}

vector! {
    Vec2 2 f32 F32: x y;
    Vec3 3 f32 F32: x y z;
    Vec4 4 f32 F32: x y z w;
    IVec2 2 i32 I32: x y;
    IVec3 3 i32 I32: x y z;
    IVec4 4 i32 I32: x y z w;
    UVec2 2 u32 U32: x y;
    UVec3 3 u32 U32: x y z;
    UVec4 4 u32 U32: x y z w;
    BVec2 2 bool Bool: x y;
    BVec3 3 bool Bool: x y z;
    BVec4 4 bool Bool: x y z w;
    BVec4A 4 bool Bool: x y z w;
}

macro_rules! matrix {
    ($($ty:ident $columns:literal $rows:literal: $($axis:ident)*;)*) => {$(
        impl Sample for $ty {
            fn ty() -> Type {
                Type::Matrix { columns: $columns, rows: $rows }
            }
            fn from_words(words: &mut impl Iterator<Item = u32>) -> Self {
                $(let $axis = Sample::from_words(words);)*
                $ty::from_cols($($axis),*)
            }
            fn words(self) -> Vec<u32> {
                [$(self.$axis.words()),*].concat()
            }
        }
    )*};
}

matrix! {
    Mat2 2 2: x_axis y_axis;
    Mat3 3 3: x_axis y_axis z_axis;
    Mat4 4 4: x_axis y_axis z_axis w_axis;
    Mat2x3 2 3: x_axis y_axis;
    Mat2x4 2 4: x_axis y_axis;
    Mat3x2 3 2: x_axis y_axis z_axis;
    Mat3x4 3 4: x_axis y_axis z_axis;
    Mat4x2 4 2: x_axis y_axis z_axis w_axis;
    Mat4x3 4 3: x_axis y_axis z_axis w_axis;
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn ty() -> Type {
        Type::Array(Box::new(T::ty()), Count::Literal(N as u32))
    }
    fn from_words(words: &mut impl Iterator<Item = u32>) -> Self {
        std::array::from_fn(|_| T::from_words(words))
    }
    fn words(self) -> Vec<u32> {
        self.into_iter().flat_map(T::words).collect()
    }
}

impl<A: Sample, B: Sample> Sample for (A, B) {
    fn ty() -> Type {
        Type::Tuple(vec![A::ty(), B::ty()])
    }
    fn from_words(words: &mut impl Iterator<Item = u32>) -> Self {
        (A::from_words(words), B::from_words(words))
    }
    fn words(self) -> Vec<u32> {
        [self.0.words(), self.1.words()].concat()
    }
}

/// Returns the scalars of a type, in the order of its words; for a 64-bit integer, its halves.
pub fn scalars(ty: &Type) -> Vec<Scalar> {
    match ty {
        Type::Scalar(Scalar::U64 | Scalar::I64) => vec![Scalar::U32; 2],
        Type::Scalar(scalar) => vec![*scalar],
        Type::Vector(components, scalar) => vec![*scalar; usize::from(*components)],
        Type::Matrix { columns, rows } => vec![Scalar::F32; usize::from(columns * rows)],
        Type::Array(of, Count::Literal(length)) => {
            let of = scalars(of);
            of.iter().copied().cycle().take(of.len() * *length as usize).collect()
        }
        Type::Tuple(parts) => parts.iter().flat_map(scalars).collect(),
        other => panic!("values of type {other:?} are not compared"),
    }
}

/// Floats at which functions change their behavior, and some others.
const FLOATS: [f32; 26] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.0,
    2.5,
    -2.5,
    3.0,
    -3.0,
    0.25,
    0.499_999_97,
    -0.3,
    0.7,
    3.7,
    -3.7,
    0.001,
    -0.001,
    10.75,
    -10.75,
    100.25,
    -100.25,
    7.0,
];

/// Floats that are large or small.
const WIDE: [f32; 12] = [
    8_388_607.5,
    -8_388_607.5,
    8_388_609.0,
    -16_777_217.0,
    1e10,
    -1e10,
    1e30,
    -1e30,
    1e-10,
    -1e-30,
    3e38,
    -3e38,
];

const NOT_FINITE: [f32; 4] = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE];

const INTEGERS: [u32; 20] = [
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    31,
    32,
    33,
    64,
    100,
    255,
    65536,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xdead_beef,
    0xffff_fffe,
    0xffff_ffff,
];

/// The range of floats that is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Floats for which sums of products are exact enough to be compared.
    Moderate,
    /// Also large and small ones.
    Wide,
    /// Also those that are not finite.
    All,
}

/// Returns words of many arguments of these scalars: all pairs of the sample values if there are few scalars, and seeded random
/// values.
pub fn arguments(scalars: &[Scalar], range: Range) -> Vec<Vec<u32>> {
    let floats: Vec<u32> = match range {
        Range::Moderate => FLOATS.to_vec(),
        Range::Wide => [&FLOATS[..], &WIDE].concat(),
        Range::All => [&FLOATS[..], &WIDE, &NOT_FINITE].concat(),
    }
    .into_iter()
    .map(f32::to_bits)
    .collect();
    let listed = |scalar: Scalar| match scalar {
        Scalar::F32 => floats.clone(),
        Scalar::F16 => {
            let half = |word: &u32| f16::from_f32(f32::from_bits(*word)).to_bits();
            floats.iter().map(|word| half(word).into()).collect()
        }
        Scalar::Bool => vec![0, 1],
        _ => INTEGERS.to_vec(),
    };
    let mut rows: Vec<Vec<u32>> = Vec::new();
    if scalars.len() <= 2 {
        rows.push(Vec::new());
        for scalar in scalars {
            let values = listed(*scalar);
            rows = rows
                .iter()
                .flat_map(|row| values.iter().map(move |value| [&row[..], &[*value]].concat()))
                .collect();
        }
    }
    let mut random = Random::new(0);
    let mut draw = || (random.bits() >> 32) as u32;
    for number in 0..300 {
        // A third of the rows has only small values.
        let row = scalars.iter().map(|scalar| match (draw() % 3 * (number % 3).min(1), scalar) {
            (0, Scalar::F32) => ((draw() % 16_384) as f32 / 1024.0 - 8.0).to_bits(),
            (0, Scalar::I32) => (draw() % 200).wrapping_sub(100),
            (0, Scalar::U32) => draw() % 200,
            (1, Scalar::I32 | Scalar::U32) => draw(),
            _ => {
                let values = listed(*scalar);
                values[draw() as usize % values.len()]
            }
        });
        rows.push(row.collect());
    }
    rows
}
