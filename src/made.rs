//! What code of the macro's goes by that this crate's features decide, and not those of the crate it stands in.

/// `Some` of an [`Origin`](hirace_runtime::Origin), where there is a checker that wants it.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "check")]
macro_rules! __origin {
    ($($origin:tt)*) => {
        ::core::option::Option::Some($crate::kernel::Origin { $($origin)* })
    };
}

/// Nothing: there is no checker, and neither the kernel's Rust nor its map is to be in the program.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "check"))]
macro_rules! __origin {
    ($($origin:tt)*) => {
        ::core::option::Option::None
    };
}

/// What belongs to pipelines, where there are any.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "wgpu")]
macro_rules! __pipeline {
    ($($items:tt)*) => {
        $($items)*
    };
}

/// Nothing: there are no pipelines.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "wgpu"))]
macro_rules! __pipeline {
    ($($items:tt)*) => {};
}
