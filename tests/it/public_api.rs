//! Tests that `src/public-api.txt` lists the public items of the crate `hirace`, so that a change of its interface shows in the
//! difference of a commit. `--bless` writes the file.
//!
//! The items are read from the sources, through `pub use` to the crates that define them. All features are on but `unstable`,
//! which Semantic Versioning does not cover. This takes seconds and needs no build of `hirace`, while the documentation in JSON
//! of all its crates takes minutes and an unstable option of rustdoc.

mod crates;
mod expand;
mod listing;

use super::support::root;
use crates::Crates;
use hirace_testing::check_up_to_date;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use listing::{Listing, list};
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("public_api::is_listed_and_names_public_types", is_listed),
        Trial::test("public_api::items_are_read_through_re_exports_and_macros", reader),
    ]
}

/// The crates that define public items of `hirace`.
const CRATES: [(&str, &str); 6] = [
    ("hirace", "src"),
    ("hirace_core", "hirace-core/src"),
    ("hirace_engine", "hirace-engine/src"),
    ("hirace_gpu", "hirace-gpu/src"),
    ("hirace_program", "hirace-program/src"),
    ("hirace_runtime", "hirace-runtime/src"),
];

const HEADER: &str = "\
# The public items of the crate `hirace`, which Semantic Versioning covers, each with its signature. Features in brackets enable an
# item, in addition to the default feature `check`. `cargo xtask test --bless public_api` writes this file.
";

fn interface() -> Result<Listing, Failed> {
    let crates = CRATES.map(|(name, src)| (name, root().join(src)));
    let crates: Vec<(&str, &Path)> = crates.iter().map(|(name, src)| (*name, &**src)).collect();
    Ok(list(&Crates::read(&crates, &["unstable"])?, "hirace"))
}

fn is_listed() -> Result<(), Failed> {
    let found = interface()?;
    check_types(&found)?;
    let lines: Vec<String> = found.lines().map(|line| format!("{line}\n")).collect();
    let path = root().join("src/public-api.txt");
    Ok(check_up_to_date(&path, &(HEADER.to_owned() + &lines.concat()))?)
}

/// Checks that users can name each type in a signature, and that types of naga and wgpu are only in the features for them.
fn check_types(found: &Listing) -> Result<(), Failed> {
    let of_wgpu = |path: &str| path.starts_with("hirace::pipeline::") || path == "hirace::wgpu";
    let foreign = found.foreign.iter().filter(|(of, path)| of != "wgpu" || !of_wgpu(path));
    let foreign = foreign.map(|(of, path)| format!("a type of {of} in {path}"));
    let wrong: Vec<String> = found.hidden.iter().cloned().chain(foreign).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("users cannot name these types: {}", wrong.join("; ")).into()),
    }
}

/// Checks the reader on two small crates.
fn reader() -> Result<(), Failed> {
    let folder = super::support::create_empty_folder(super::support::scratch("public-api"))?;
    let write = |path: &str, text: &str| -> std::io::Result<()> {
        let path = folder.join(path);
        std::fs::create_dir_all(path.with_file_name(""))?;
        std::fs::write(path, text)
    };
    write(
        "inner/lib.rs",
        "pub mod shapes;
        pub struct Unseen;
        impl From<shapes::Shape> for naga::Type { fn from(_: shapes::Shape) -> Self { loop {} } }",
    )?;
    write(
        "inner/shapes.rs",
        "use crate::Unseen;
        use std::fmt;
        #[derive(Clone, Debug)] #[non_exhaustive] pub enum Shape { Line(u32), Box { side: f32 } }
        impl Shape {
            pub fn area(&self, mut of: Vec<Self>) -> f32 { loop {} }
            #[doc(hidden)] pub fn hidden(&self) {}
            fn private(&self) {}
            pub fn unseen(&self, by: &Unseen) {}
        }
        impl fmt::Display for Shape {}
        pub fn left_out() {}",
    )?;
    write(
        "outer/lib.rs",
        "mod private;
        pub use private::*;
        #[cfg(feature = \"more\")] pub mod more { pub use inner::shapes::Shape as Form; }
        #[cfg(feature = \"raw\")] pub mod raw {}
        #[cfg(test)] pub mod tests {}
        pub use inner::shapes::Shape;
        macro_rules! sizes { ($($name:ident: $ty:ty;)*) => {$(
            pub fn $name(of: &'static Shape) -> Option<$ty> { None }
        )*}; }
        sizes! { width: u32; height: Vec<naga::Type>; }",
    )?;
    write(
        "outer/private.rs",
        "pub trait Draw<T: Copy>: Sized { type On; fn draw(self) -> Self::On; }",
    )?;
    let paths = [("inner", folder.join("inner")), ("outer", folder.join("outer"))];
    let paths: Vec<(&str, &Path)> = paths.iter().map(|(name, src)| (*name, &**src)).collect();
    let found = list(&Crates::read(&paths, &["raw"])?, "outer");
    let lines: Vec<&str> = found.lines().collect();
    let expected = [
        "pub trait outer::Draw<T: Copy>: Sized",
        "type outer::Draw::On",
        "fn outer::Draw::draw(self) -> Self::On",
        "#[non_exhaustive] pub enum outer::Shape",
        "impl Clone for outer::Shape",
        "impl Debug for outer::Shape",
        "impl std::fmt::Display for outer::Shape",
        "outer::Shape::Box",
        "outer::Shape::Box::side: f32",
        "outer::Shape::Line",
        "outer::Shape::Line::0: u32",
        "pub fn outer::Shape::area(&self, of: Vec<Self>) -> f32",
        "pub fn outer::Shape::unseen(&self, by: &Unseen)",
        "pub fn outer::height(of: &'static outer::Shape) -> Option<Vec<naga::Type>>",
        "pub mod outer::more [more]",
        "pub use outer::Shape as outer::more::Form [more]",
        "pub fn outer::width(of: &'static outer::Shape) -> Option<u32>",
    ];
    if lines != expected {
        return Err(format!("the list is\n{}", lines.join("\n")).into());
    }
    let hidden: Vec<&str> = found.hidden.iter().map(|hidden| &**hidden).collect();
    let foreign: Vec<&str> = found.foreign.iter().map(|(_, path)| &**path).collect();
    match (&*hidden, &*foreign) {
        (["Unseen in outer::Shape::unseen"], ["outer::height"]) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
