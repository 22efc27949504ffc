//! The layout of values in buffers: encase, which implements WGSL's rules independently, naga's layouter, which launches use, and
//! [`HostShareable`]'s own layout must produce the same bytes.

use super::checked;
use crate::{HostShareable, Launch, Result, Scalars, Shape};
use encase::internal::{CreateFrom, WriteInto};
use encase::{ShaderSize, ShaderType};
use glam::{IVec3, Mat2, Mat3, Mat4, UVec2, Vec2, Vec3, Vec4};
use std::fmt::{Debug, Write};

/// A type with a declaration in WGSL.
trait Declared {
    /// Returns the name of the type, and adds the declarations that it needs to `to`.
    fn declare(to: &mut String) -> String;
}

macro_rules! declared {
    ($($ty:ty: $wgsl:literal;)*) => {$(
        impl Declared for $ty {
            fn declare(_: &mut String) -> String {
                $wgsl.to_owned()
            }
        }
    )*};
}

declared! {
    u32: "u32";
    i32: "i32";
    f32: "f32";
    Vec2: "vec2<f32>";
    Vec3: "vec3<f32>";
    Vec4: "vec4<f32>";
    IVec3: "vec3<i32>";
    UVec2: "vec2<u32>";
    Mat2: "mat2x2<f32>";
    Mat3: "mat3x3<f32>";
    Mat4: "mat4x4<f32>";
}

impl<T: Declared, const N: usize> Declared for [T; N] {
    fn declare(to: &mut String) -> String {
        format!("array<{}, {N}>", T::declare(to))
    }
}

/// Structs to nest.
macro_rules! structs {
    ($($name:ident { $($member:ident: $ty:ident),* })*) => {$(
        #[derive(Debug, PartialEq, ShaderType)]
        struct $name<$($ty: ShaderType + ShaderSize),*> {
            $($member: $ty),*
        }

        impl<$($ty: HostShareable + ShaderSize),*> HostShareable for $name<$($ty),*> {
            fn shape() -> Shape {
                Shape::Struct(vec![$($ty::shape()),*])
            }

            fn write(&self, to: &mut Vec<u8>) {
                $(self.$member.write(to);)*
            }

            fn read(from: &mut Scalars<'_>) -> Self {
                Self { $($member: $ty::read(from)),* }
            }
        }

        impl<$($ty: Declared + ShaderSize),*> Declared for $name<$($ty),*> {
            fn declare(to: &mut String) -> String {
                let mut members = String::new();
                $(
                    let ty = $ty::declare(to);
                    write!(members, "{}: {ty}, ", stringify!($member)).unwrap();
                )*
                let declaration = format!(" {{ {members}}}\n");
                // The same struct may be a member in several places.
                let known = to.lines().find(|line| line.ends_with(declaration.trim_end()));
                if let Some(line) = known {
                    return line.split(' ').nth(1).unwrap().to_owned();
                }
                let name = format!("S{}", to.lines().count());
                write!(to, "struct {name}{declaration}").unwrap();
                name
            }
        }
    )*};
}

structs! {
    Two { first: X, second: Y }
    Three { first: X, second: Y, third: Z }
}

/// Checks that a kernel copies values correctly, as a slice and as a single value at the start of a list, written and read with
/// either layout.
fn agree<T>() -> Result<()>
where
    T: Declared + HostShareable + ShaderSize + WriteInto + CreateFrom + Debug + PartialEq,
{
    let mut text = String::new();
    let name = T::declare(&mut text);
    write!(
        text,
        "struct List {{ n: u32, head: {name}, items: array<{name}> }}
         @group(0) @binding(0) var<storage> input: array<{name}>;
         @group(0) @binding(1) var<storage, read_write> output: List;
         @compute @workgroup_size(1) fn copy() {{
             output.n = arrayLength(&output.items);
             output.head = input[0];
             for (var i = 0u; i < output.n; i++) {{ output.items[i] = input[i]; }}
         }}"
    )
    .unwrap();
    // Distinct small integers, which are the same in every scalar type.
    let value = |n: u32| {
        let count = T::shape().packed_size().unwrap() as u32 / 4;
        let bits = (0..count).map(|i| ((n * count + i) as f32).to_bits());
        let bytes: Vec<u8> = bits.flat_map(u32::to_le_bytes).collect();
        T::read(&mut Scalars::new(&bytes))
    };
    let values = || (0..3).map(value).collect::<Vec<T>>();
    let launch = || {
        Launch::new().workgroups(1).buffer("output", &(0u32, value(7), vec![value(8), value(9)]))
    };
    let mut encased = encase::StorageBuffer::new(Vec::<u8>::new());
    encased.write(&values()).unwrap();
    assert_eq!(values().to_bytes()?, *encased.as_ref(), "{text}");
    assert_eq!(Vec::<T>::from_bytes(encased.as_ref())?, values(), "{text}");
    for launch in [launch().buffer("input", &values()), launch().encased("input", &values())] {
        let checked = checked(&text, launch)?;
        checked.assert_clean();
        let (n, head, items): (u32, T, Vec<T>) = checked.buffer("output")?;
        assert_eq!((n, &head, &items[..]), (2, &value(0), &values()[..2]), "{text}");
        assert_eq!(checked.encased::<Vec<T>>("input")?, values(), "{text}");
        assert_eq!(checked.buffer::<Vec<T>>("input")?, values(), "{text}");
    }
    Ok(())
}

/// Types that were generated randomly once.
macro_rules! drawn {
    ($($name:ident: $ty:ty;)*) => {$(
        #[test]
        fn $name() -> Result<()> {
            agree::<$ty>()
        }
    )*};
}

drawn! {
    drawn_00: Two<Three<Two<f32, Mat4>, Three<Vec4, f32, IVec3>, Three<Vec4, Mat3, Vec2>>, Mat4>;
    drawn_01: Two<Mat4, Two<[Vec4; 3], Two<Mat4, IVec3>>>;
    drawn_02: Two<[Two<Vec3, u32>; 1], Mat2>;
    drawn_03: Two<Mat4, [Three<Vec3, Mat3, Mat4>; 3]>;
    drawn_04: Two<Three<Vec3, Mat4, [Vec3; 1]>, i32>;
    drawn_05: Two<[[Mat4; 1]; 3], Vec4>;
    drawn_06: Two<Three<[Vec3; 3], Vec2, Three<f32, Mat3, Mat2>>, Vec2>;
    drawn_07: Two<Three<Three<Mat4, UVec2, IVec3>, Three<f32, Mat3, Mat2>, Vec3>, Mat2>;
    drawn_08: Three<Vec4, UVec2, f32>;
    drawn_09: Two<Two<Vec3, Mat4>, Mat2>;
    drawn_10: Two<u32, Three<i32, Two<IVec3, Vec3>, UVec2>>;
    drawn_11: Two<Two<Three<f32, f32, Mat4>, Three<IVec3, i32, f32>>, Vec3>;
    drawn_12: Three<[f32; 3], Three<Mat4, [Mat4; 2], Vec2>, Two<Two<Mat4, f32>, Two<IVec3, Vec2>>>;
    drawn_13: Two<u32, [[Mat2; 2]; 1]>;
    drawn_14: Two<u32, [[Two<Vec3, i32>; 2]; 3]>;
    drawn_15: Two<[Mat3; 1], Two<IVec3, Two<Mat2, Two<Vec2, Vec2>>>>;
    drawn_16: Two<Vec2, u32>;
    drawn_17: Two<[f32; 2], Two<Three<[Vec2; 3], [Mat3; 2], Mat3>, Mat4>>;
    drawn_18: Two<i32, IVec3>;
    drawn_19: Two<Two<Mat4, u32>, Two<Vec3, UVec2>>;
    drawn_20: Two<Three<Two<[UVec2; 1], Three<u32, UVec2, Vec4>>, Vec2, Vec3>, [UVec2; 1]>;
    drawn_21: Two<[Vec2; 1], i32>;
    drawn_22: Three<Vec4, UVec2, Mat4>;
    drawn_23: Two<Mat3, Two<Two<[UVec2; 1], Mat3>, [Vec3; 2]>>;
    drawn_24: Two<Mat3, Vec2>;
    drawn_25: Two<i32, u32>;
    drawn_26: Two<Two<Vec4, Two<UVec2, u32>>, Two<i32, [Three<Mat2, i32, Vec2>; 3]>>;
    drawn_27: Two<Mat3, [[Mat4; 2]; 2]>;
}

#[test]
fn a_struct_is_declared_once_wherever_it_stands() {
    let mut text = String::new();
    assert_eq!(<[Two<Vec3, Two<f32, u32>>; 2]>::declare(&mut text), "array<S1, 2>");
    assert_eq!(Two::<Two<f32, u32>, Two<f32, u32>>::declare(&mut text), "S2");
    assert_eq!(
        text,
        "struct S0 { first: f32, second: u32, }\n\
         struct S1 { first: vec3<f32>, second: S0, }\n\
         struct S2 { first: S0, second: S0, }\n"
    );
}
