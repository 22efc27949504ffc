//! Names that never refer to a user's item: those of the prelude and of Rust.

use super::super::builtins;
use crate::prelude_types::is_prelude_type;

/// Rust's own names. They are never looked up; lowering accepts or rejects them.
static RUST: &[&str] = &[
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f16",
    "f32",
    "f64",
    "f128",
    "bool",
    "char",
    "str",
    "String",
    "Vec",
    "Box",
    "Option",
    "Some",
    "None",
    "Result",
    "Ok",
    "Err",
    "Self",
    "Default",
    "Clone",
    "Copy",
    "Send",
    "Sync",
    "Sized",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "drop",
    "Iterator",
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Extend",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "FromIterator",
    "AsRef",
    "AsMut",
    "ToOwned",
    "ToString",
    "Eq",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Not",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "ShlAssign",
    "ShrAssign",
    "Index",
    "IndexMut",
    "Range",
    "RangeInclusive",
    "Sum",
    "Product",
    "Debug",
    "Hash",
    "size_of",
    "align_of",
];

/// Returns whether a name is part of the prelude or of Rust.
pub fn is_known(name: &str) -> bool {
    RUST.contains(&name)
        || ["bitcast", "consts", "AtomicU32", "AtomicI32", "Ordering", "Scope"].contains(&name)
        || is_prelude_type(name)
        || !builtins::functions(name).is_empty()
}

/// Returns whether a crate is one that kernels can use without an import.
pub fn is_root(name: &str) -> bool {
    ["std", "core", "alloc", "hirace", "glam"].contains(&name)
}

/// Returns whether a name is a crate or module that contains no monitored items.
pub fn is_known_root(name: &str) -> bool {
    is_root(name) || name == "prelude" || is_known(name)
}

/// Macros of `std` that need no import. A user's macro of the same name shadows them.
static MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Returns whether `std` has a macro of this name.
pub fn shadows_a_macro(name: &str) -> bool {
    MACROS.contains(&name)
}

/// Built-in attributes whose names a function or a constant may have too.
static ATTRIBUTES: &[&str] = &[
    "allow",
    "cold",
    "coverage",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "feature",
    "forbid",
    "ignore",
    "inline",
    "link",
    "marker",
    "must_use",
    "naked",
    "optimize",
    "path",
    "pointee",
    "repr",
    "used",
    "warn",
];

/// Returns whether Rust has a built-in attribute of this name, which cannot be distinguished from an import.
pub fn is_builtin_attribute(name: &str) -> bool {
    ATTRIBUTES.contains(&name)
}
