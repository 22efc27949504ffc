//! Macros for generated code that depends on this crate's features instead of those of the crate that contains the code.
//!
//! Generated code cannot use `cfg` for this, because it would test the features of the user's crate.

/// Expands to `Some` of an [`Origin`](hirace_runtime::Origin), for the checker.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "check")]
macro_rules! __origin {
    ($($origin:tt)*) => {
        ::core::option::Option::Some($crate::kernel::Origin { $($origin)* })
    };
}

/// Expands to `None`: without a checker, the program contains neither the kernel's Rust source nor its source map.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "check"))]
macro_rules! __origin {
    ($($origin:tt)*) => {
        ::core::option::Option::None
    };
}

/// Expands to the items of pipelines.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "wgpu")]
macro_rules! __pipeline {
    ($($items:tt)*) => {
        $($items)*
    };
}

/// Expands to nothing: there are no pipelines.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "wgpu"))]
macro_rules! __pipeline {
    ($($items:tt)*) => {};
}
