//! `#[hirace::monitor]`: a compute kernel of a Rust function. Use it through the crate `hirace`.
//!
//! The item is given back (`emit`), so that rustc checks its types and editors know its names. Beside each
//! kernel stands `name::kernel()` (`compile`, `parts`): WGSL, a source map and bindings, all made here, and what its pipelines go by (`pipeline`), while the user's crate compiles. What the front end refuses becomes a
//! `compile_error!` at its tokens (`blame`); every name then stays, and rustc is not asked about what was
//! refused already.

mod blame;
mod compile;
mod emit;
mod host;
mod kernels;
mod lines;
mod parts;
mod pipeline;
mod reword;
mod unread;

use hirace_program::front::rust::lower;
use proc_macro::TokenStream;
use reword::ShortLengths;

/// Makes a compute kernel of a function, or several of an inline module.
///
/// See the documentation of `hirace`, which re-exports this.
#[proc_macro_attribute]
pub fn monitor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    monitored(arguments.into(), item.into()).into()
}

fn monitored(
    arguments: proc_macro2::TokenStream,
    tokens: proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let item = match syn::parse2::<syn::Item>(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let errors = error.to_compile_error();
            return match syn::parse2::<syn::Item>(unread::without_bodies(tokens.clone())) {
                Ok(item) => emit::refused(item, &error, &ShortLengths::new()),
                Err(_) => quote::quote!(#tokens #errors),
            };
        }
    };
    match compile::compile(&item, &tokens, arguments.clone()) {
        Ok(made) => emit::accepted(item, &made),
        Err(error) => {
            let short = reword::short_lengths(&lower::short_lengths(&kernels::attributed(
                &item, arguments,
            )));
            emit::refused(item, &error, &short)
        }
    }
}
