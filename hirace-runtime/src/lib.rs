//! What a kernel in Rust leaves in a program that ships it. This crate depends on nothing, so a program without
//! `hirace`'s checker pays for no more than its texts.
//!
//! The modules: `parts` (what the macro leaves of an item), `binding` (what is bound), `hole` (generic kernels),
//! `shape` (what a Rust type is made of), `layout` (where its scalars lie in a buffer), `grid` (how many workgroups).

mod binding;
mod grid;
mod hole;
mod layout;
mod parts;
mod shape;

pub use binding::{Binding, BindingKind};
pub use grid::Grid;
pub use hole::{Hole, filled};
pub use layout::{Layout, NoLayout};
pub use parts::{Beside, Constant, Entry, Origin, Parts};
pub use shape::{Scalar, Shape};
