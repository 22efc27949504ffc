//! Presents the rows of `rows.in` to rustc: if a row is not a function of that name and type, this module does not compile, and
//! rustc names the row's line in the file.
//!
//! A row applies to each of the types that it lists; `T` stands for the type in the row's signature.

use super::compare::Compare;
use half::f16;
use hirace::prelude::kernels::*;
use hirace::prelude::*;

/// Calls `$then!` with each name and each type of the rows.
macro_rules! each {
    ($then:ident $with:tt $types:tt $signature:ty = $($name:ident)+) => {
        $(each!(@types $then $with $types $signature = $name);)+
    };
    (@types $then:ident $with:tt [$($of:ty),+] $signature:ty = $name:ident) => {
        $($then!($with $of, $signature, $name);)+
    };
}

/// Counts a row.
macro_rules! count {
    ($count:tt $of:ty, $signature:ty, $name:ident) => {
        $count += 1;
    };
}

/// Counts the rows.
macro_rules! counted {
    ($($types:tt $signature:ty = $($name:ident)+;)+) => {{
        let mut count = 0;
        $(each!(count count $types $signature = $($name)+);)+
        count
    }};
}

macro_rules! function {
    (() $of:ty, $signature:ty, $name:ident) => {
        const _: () = {
            #[allow(dead_code, reason = "not every signature has the type")]
            type T = $of;
            let _: $signature = $name;
        };
    };
}

macro_rules! functions {
    ($($types:tt $signature:ty = $($name:ident)+;)+) => {
        $(each!(function () $types $signature = $($name)+);)+
        /// The number of functions of the prelude that rustc knows.
        pub const FUNCTIONS: usize = counted!($($types $signature = $($name)+;)+);
    };
}

macro_rules! method {
    (() $of:ty, $signature:ty, $name:ident) => {
        const _: () = {
            type T = $of;
            let _: $signature = T::$name;
        };
    };
}

macro_rules! methods {
    ($($types:tt $signature:ty = $($name:ident)+;)+) => {
        $(each!(method () $types $signature = $($name)+);)+
        /// The number of methods of memory that rustc knows.
        pub const METHODS: usize = counted!($($types $signature = $($name)+;)+);
    };
}

macro_rules! call {
    (($compare:ident method) $of:ty, $signature:ty, $name:ident) => {{
        type T = $of;
        $compare.method(stringify!($name), T::$name as $signature);
    }};
    (($compare:ident associated) $of:ty, $signature:ty, $name:ident) => {{
        type T = $of;
        $compare.associated::<T, _>(stringify!($name), T::$name as $signature);
    }};
    (($compare:ident $kind:ident ($($a:ident),+) $given:tt) $of:ty, $signature:ty, $name:ident) => {{
        type T = $of;
        $compare.$kind(stringify!($name), (|$($a),+| T::$name $given) as $signature);
    }};
}

macro_rules! compared {
    ($($kind:ident $(|$($a:ident),+| $given:tt)? [$($of:ty),+] $signature:ty = $($name:ident)+;)+) => {
        /// Compares each row that has a Rust name.
        pub fn compare(compare: &mut Compare) {
            // One function per line, because rustc is slow with long functions.
            $({
                fn line(compare: &mut Compare) {
                    each!(call (compare $kind $(($($a),+) $given)?) [$($of),+] $signature = $($name)+);
                }
                line(compare);
            })+
        }
    };
}

macro_rules! constant {
    (($compare:ident) $of:ty, $signature:ty, $name:ident) => {{
        type T = $of;
        $compare.constant::<T>(stringify!($name), T::$name);
    }};
    (($compare:ident consts) $of:ty, $signature:ty, $name:ident) => {
        $compare.constant::<$of>(stringify!($name), consts::$name);
    };
}

macro_rules! constants {
    ($($($consts:ident)? [$($of:ty),+] $signature:ty = $($name:ident)+;)+) => {
        /// Compares each constant.
        pub fn constants(compare: &mut Compare) {
            $(each!(constant (compare $($consts)?) [$($of),+] $signature = $($name)+);)+
        }
    };
}

include!("rows.in");
