//! The words that a touch reads or writes.

use super::kernel::{Part, Shape};

/// A part in the form of the text, and its words relative to the element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The text after the element: `.x`, `[1][2]`, `.tail[lane % 3u]`.
    pub suffix: String,
    pub read: Vec<u32>,
    /// The written words: a write of a component of a vector touches the whole vector.
    pub write: Vec<u32>,
    pub type_: Type,
}

/// The type of a [`Place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    U32,
    I32,
    F32,
    Vec2F,
    Vec3F,
    Vec3U,
    Vec4U,
    Mat2x3F,
    Array3U,
    Record,
}

impl Place {
    /// Returns whether `&` may be applied: not to a component of a vector.
    pub fn addressable(&self) -> bool {
        self.read == self.write
    }
}

const COMPONENTS: [&str; 4] = [".x", ".y", ".z", ".w"];

/// Returns the place of `part` in an element of this shape, for the invocation with this index.
pub fn place(shape: Shape, part: Part, lane: u32) -> Place {
    match shape {
        Shape::Scalar | Shape::AtomicU | Shape::Texel | Shape::AtomicTexel => {
            element(shape, Type::U32)
        }
        Shape::AtomicI => element(shape, Type::I32),
        Shape::Vector => vector(shape, part, lane, 4, Type::Vec4U),
        Shape::PaddedVector => vector(shape, part, lane, 3, Type::Vec3U),
        Shape::Nested => match part {
            Part::All => element(shape, Type::Array3U),
            Part::Fixed(i) | Part::Inner(i, _) => {
                exact(format!("[{}]", i % 3), &[i % 3], Type::U32)
            }
            Part::ByLane => exact("[lane % 3u]".into(), &[lane % 3], Type::U32),
        },
        Shape::Matrix => match part {
            Part::All => element(shape, Type::Mat2x3F),
            Part::Fixed(c) => exact(format!("[{}]", c % 2), &column(c % 2), Type::Vec3F),
            Part::Inner(c, r) => Place {
                suffix: format!("[{}][{}]", c % 2, r % 3),
                read: vec![c % 2 * 4 + r % 3],
                write: column(c % 2).to_vec(),
                type_: Type::F32,
            },
            Part::ByLane => exact("[lane % 2u]".into(), &column(lane % 2), Type::Vec3F),
        },
        Shape::Record => match part {
            Part::All => element(shape, Type::Record),
            Part::Fixed(m) => match m % 3 {
                0 => exact(".id".into(), &[0], Type::U32),
                1 => exact(".pos".into(), &[2, 3], Type::Vec2F),
                _ => exact(".tail".into(), &[4, 5, 6], Type::Array3U),
            },
            Part::Inner(m, c) if m % 2 == 0 => Place {
                suffix: format!(".pos{}", COMPONENTS[c as usize % 2]),
                read: vec![2 + c % 2],
                write: vec![2, 3],
                type_: Type::F32,
            },
            Part::Inner(_, i) => exact(format!(".tail[{}]", i % 3), &[4 + i % 3], Type::U32),
            Part::ByLane => exact(".tail[lane % 3u]".into(), &[4 + lane % 3], Type::U32),
        },
    }
}

fn element(shape: Shape, type_: Type) -> Place {
    exact(String::new(), shape.words(), type_)
}

fn exact(suffix: String, words: &[u32], type_: Type) -> Place {
    Place { suffix, read: words.to_vec(), write: words.to_vec(), type_ }
}

fn column(c: u32) -> [u32; 3] {
    [c * 4, c * 4 + 1, c * 4 + 2]
}

fn vector(shape: Shape, part: Part, lane: u32, size: u32, type_: Type) -> Place {
    let component = match part {
        Part::All => return element(shape, type_),
        Part::Fixed(c) | Part::Inner(c, _) => c % size,
        Part::ByLane => lane % size,
    };
    let suffix = match part {
        Part::ByLane => format!("[lane % {size}u]"),
        _ => COMPONENTS[component as usize].to_owned(),
    };
    Place { suffix, read: vec![component], write: shape.words().to_vec(), type_: Type::U32 }
}
