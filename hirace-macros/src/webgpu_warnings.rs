//! Warns about requirements of a kernel that WebGPU does not guarantee.
//!
//! On stable Rust, macros cannot emit warnings. But the use of a deprecated constant causes a warning with a message of
//! choice. So such a constant is defined and used at the tokens. `#[allow(deprecated)]` at the kernel turns the warning
//! off.

use hirace_program::diagnostic::Diagnostic;
use hirace_program::program::{ParsedModule, Program};
use hirace_program::webgpu;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::collections::BTreeMap;
use syn::ItemFn;

/// A requirement of a kernel that WebGPU does not guarantee.
pub struct ExcessDemand {
    /// The name of the kernel.
    kernel: String,
    message: String,
    /// The tokens that cause the requirement.
    tokens: TokenStream,
}

/// Returns the requirements of the kernels of `parsed` beyond WebGPU's guarantees, with overrides at their defaults;
/// none if an override has no default. `blamed` returns the tokens that a diagnostic points at.
pub fn of(parsed: &ParsedModule, blamed: impl Fn(&Diagnostic) -> TokenStream) -> Vec<ExcessDemand> {
    let Ok(program) = Program::new(parsed, &BTreeMap::new()) else { return Vec::new() };
    let demands =
        program.entries().flat_map(|(entry, _)| webgpu::exceeded_requirements(&program, entry));
    let beyond = demands.map(|demand| {
        let excess = demand.beyond_webgpu(&program.source);
        let tokens = blamed(&excess);
        ExcessDemand { kernel: demand.entry, message: excess.message, tokens }
    });
    beyond.collect()
}

/// Returns the warnings of one kernel, at the lint levels that its `allow` attributes set.
pub fn warnings(all: &[ExcessDemand], name: &str, function: &ItemFn) -> TokenStream {
    let levels = function.attrs.iter().filter(|attribute| attribute.path().is_ident("allow"));
    let levels: Vec<_> = levels.collect();
    let own = all.iter().filter(|beyond| beyond.kernel == name).map(
        |ExcessDemand { message, tokens, .. }| {
            let first = tokens.clone().into_iter().next();
            let used = first.map(|token| quote_spanned!(token.span()=> BEYOND_WEBGPU));
            quote! {
                #(#levels)*
                const _: () = {
                    #[deprecated(note = #message)]
                    const BEYOND_WEBGPU: () = ();
                    #used
                };
            }
        },
    );
    own.collect()
}
