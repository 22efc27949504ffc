//! The part of hirace that a program ships with its Rust kernels. This crate has no dependencies, so that a program
//! without hirace's checker contains only its kernels' texts and bindings.
//!
//! Modules: `parts` (what the macro generates for an item), `binding` (the resources of a kernel), `hole` (generic
//! kernels), `shape` (the structure of a Rust type), `layout` (the location of its scalars in a buffer), `grid` (the
//! number of workgroups).

mod binding;
mod grid;
mod hole;
mod layout;
mod parts;
mod shape;

pub use binding::{Binding, BindingKind};
pub use grid::Grid;
pub use hole::{Hole, fill_holes};
pub use layout::{Layout, LayoutError};
pub use parts::{Constant, Entry, Origin, Parts, RelatedSource};
pub use shape::{Scalar, Shape};
