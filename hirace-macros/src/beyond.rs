//! What a kernel asks for that WebGPU does not guarantee, as warnings.
//!
//! Stable Rust has no warnings of macros. It has one for what is deprecated, which says why, and stands where that is
//! used; so a constant is made and used at the tokens. `#[allow(deprecated)]` at the kernel turns it off.

use hirace_program::diagnostic::Diagnostic;
use hirace_program::program::{Parsed, Program};
use hirace_program::webgpu;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::collections::BTreeMap;
use syn::ItemFn;

/// Something that a kernel asks for beyond that.
pub struct Beyond {
    /// The kernel.
    kernel: String,
    message: String,
    /// The tokens that ask for it.
    tokens: TokenStream,
}

/// What the kernels of `parsed` ask for beyond that, with what overrides default to; nothing, if one has no default.
/// `blamed` says which tokens a diagnostic points at.
pub fn of(parsed: &Parsed, blamed: impl Fn(&Diagnostic) -> TokenStream) -> Vec<Beyond> {
    let Ok(program) = Program::new(parsed, &BTreeMap::new()) else { return Vec::new() };
    let demands = program.entries().flat_map(|(entry, _)| webgpu::beyond(&program, entry));
    let beyond = demands.map(|demand| {
        let excess = demand.beyond_webgpu(&program.source);
        let tokens = blamed(&excess);
        Beyond { kernel: demand.entry, message: excess.message, tokens }
    });
    beyond.collect()
}

/// The warnings of one of the kernels, unless it allows them.
pub fn warnings(all: &[Beyond], name: &str, function: &ItemFn) -> TokenStream {
    let levels = function.attrs.iter().filter(|attribute| attribute.path().is_ident("allow"));
    let levels: Vec<_> = levels.collect();
    let own = all.iter().filter(|beyond| beyond.kernel == name).map(
        |Beyond { message, tokens, .. }| {
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
