//! Support for functions that are both compiled as Rust and run here, and used as the text of a kernel that the executor runs.

use super::output;
use hirace_testing::harness::Trial;

/// Defines functions from numbers to numbers, and lists them with their text, which includes the text of their helpers.
macro_rules! functions {
    ($(fn $name:ident($lane:ident: u32) -> u32 $body:block)* with { $($helper:item)* }) => {
        $($helper)*
        $(fn $name($lane: u32) -> u32 $body)*
        pub const FUNCTIONS: &[super::native::Function] = &[
            $((stringify!($name), $name, stringify!(fn $name($lane: u32) -> u32 $body))),*
        ];
        pub const HELPERS: &str = concat!($(stringify!($helper), "\n",)*);
    };
}
pub(super) use functions;

/// A function, with its name and its text.
pub type Function = (&'static str, fn(u32) -> u32, &'static str);

/// The number of inputs on which each function is tested.
pub const LANES: u32 = 64;

/// Returns a trial for each function: the executor has to compute what Rust computes here.
pub fn trials(module: &str, functions: &'static [Function], helpers: &'static str) -> Vec<Trial> {
    let of = |&(name, native, text): &Function| {
        Trial::test(format!("rust::{module}::{name}"), move || {
            // With rustc's spaces between tokens, this is not a path that kernels know.
            let text = text.replace("std :: f32 :: consts ::", "std::f32::consts::");
            let got = output(&kernel(name, &format!("{text}\n{helpers}")), LANES)?;
            let wanted: Vec<u32> = (0..LANES).map(native).collect();
            if got == wanted {
                return Ok(());
            }
            Err(format!("{name} gives\n{got:?}, but in Rust\n{wanted:?}").into())
        })
    };
    functions.iter().map(of).collect()
}

/// Returns a module whose kernel writes the result of the function `name` for each lane into `out`.
pub fn kernel(name: &str, text: &str) -> String {
    format!(
        "#[hirace::monitor]
mod functions {{
    use hirace::prelude::*;
    {text}
    #[kernel(workgroup_size({LANES}))]
    fn run(#[builtin(local_invocation_index)] lane: u32, out: &mut [u32]) {{
        out[lane] = {name}(lane);
    }}
}}
"
    )
}
