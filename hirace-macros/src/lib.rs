//! The attribute macros of `hirace`, which re-exports them. `#[hirace::monitor]` compiles Rust functions to compute
//! kernels. `#[hirace::model]` marks models, which `hirace verify` checks; no code is generated for them (`model`).
//!
//! The item itself is emitted again (`emit`), so that rustc checks its types and editors know its names. Next to each
//! kernel, the macro generates `name::kernel()` (`compile`, `parts`) with WGSL, a source map and bindings, all computed
//! while the user's crate compiles, and the types of its pipelines (`pipeline`). What the front end rejects becomes a
//! `compile_error!` at its tokens (`error_location`). All names are still emitted then, but rustc does not check what was
//! rejected already.

mod bundle;
mod chain;
mod compile;
mod compose;
mod emit;
mod error_location;
mod exports;
mod host;
mod impls;
mod kernels;
mod lines;
mod model;
mod parts;
mod pipeline;
mod postconditions;
mod reword;
mod unfinished;
mod webgpu_warnings;

use hirace_rust::lower;
use proc_macro::TokenStream;
use reword::ShortLengths;

/// Compiles a function to a compute kernel, or an inline module to several.
///
/// See the documentation of `hirace`, which re-exports this.
#[proc_macro_attribute]
pub fn monitor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    monitored(arguments.into(), item.into()).into()
}

/// Marks an algorithm that is verified and never executed, and has rustc check it.
///
/// See the documentation of `hirace`, which re-exports this.
#[proc_macro_attribute]
pub fn model(arguments: TokenStream, item: TokenStream) -> TokenStream {
    model::of(&arguments.into(), item.into()).into()
}

/// Completes the expansion of `monitor` for an item that uses others.
#[doc(hidden)]
#[proc_macro]
pub fn __compose(chain: TokenStream) -> TokenStream {
    let made = syn::parse(chain).and_then(compose::end);
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}

fn monitored(
    arguments: proc_macro2::TokenStream,
    tokens: proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let item = match syn::parse2::<syn::Item>(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let errors = error.to_compile_error();
            return match syn::parse2::<syn::Item>(unfinished::without_bodies(tokens.clone())) {
                Ok(item) => refused(item, &error, &arguments, &ShortLengths::new()),
                Err(_) => quote::quote!(#tokens #errors),
            };
        }
    };
    let attributed = kernels::attributed(&item, arguments.clone());
    let short = || {
        let whole = hirace_rust::compose::merge_with_uses(&attributed, &[], &[]);
        reword::short_lengths(&lower::short_lengths(&whole))
    };
    let outside = hirace_rust::compose::foreign_paths(&attributed);
    let key =
        hirace_rust::compose::split(&item, &[]).into_iter().next().map(|part| part.foreign.key);
    let key = key.unwrap_or_default();
    impls::note(&item, &key);
    if outside.is_empty() || !chain::is_valid_macro_body(&tokens) {
        return match compile::compile(&item, &arguments, &tokens, &[], &[]) {
            Ok(made) => {
                let is_kernel = compose::is_kernel(&item, &arguments);
                let later =
                    !compose::types(&item).is_empty() && chain::is_valid_macro_body(&tokens);
                let exports = match later {
                    true => exports_by_chain(&item, &[], &arguments, &tokens),
                    false => exports(&item, &arguments, false),
                };
                emit::accepted(item, &made, is_kernel, &exports)
            }
            Err(error) => refused(item, &error, &arguments, &short()),
        };
    }
    let mut beside = chain::kernels(&key, &outside, &arguments, &tokens);
    beside.extend(exports_by_chain(&item, &outside, &arguments, &tokens));
    let is_kernel = compose::is_kernel(&item, &arguments);
    emit::composed(item, is_kernel, &beside, &short())
}

fn refused(
    item: syn::Item,
    error: &syn::Error,
    arguments: &proc_macro2::TokenStream,
    short: &ShortLengths,
) -> proc_macro2::TokenStream {
    let exports = exports(&item, arguments, true);
    let is_kernel = compose::is_kernel(&item, arguments);
    emit::refused(item, error, is_kernel, &exports, short)
}

/// Returns the macros through which others can use an item that itself uses no others.
fn exports(
    item: &syn::Item,
    arguments: &proc_macro2::TokenStream,
    refused: bool,
) -> proc_macro2::TokenStream {
    if compose::is_kernel(item, arguments) {
        return proc_macro2::TokenStream::new();
    }
    let parts = hirace_rust::compose::split(item, &[]);
    let (visible, private) = compose::visible(item, &parts);
    let none = proc_macro2::TokenStream::new();
    let macros = exports::exports(&visible, &private, &[], &none, refused);
    if let (syn::Item::Impl(_), [part]) = (item, &visible[..]) {
        impls::made(&part.foreign.key);
        return macros;
    }
    let names = visible.iter().map(|part| exports::named(part));
    quote::quote!(#macros #(#names)*)
}

/// Returns the same for an item that uses others.
fn exports_by_chain(
    item: &syn::Item,
    outside: &[syn::Path],
    arguments: &proc_macro2::TokenStream,
    tokens: &proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    if compose::is_kernel(item, arguments) {
        return proc_macro2::TokenStream::new();
    }
    let parts = hirace_rust::compose::split(item, &[]);
    let (visible, _) = compose::visible(item, &parts);
    let Some(first) = visible.first() else { return proc_macro2::TokenStream::new() };
    let module = quote::format_ident!("{}_exports", exports::export_name(first));
    let chain = chain::exporting(&module, &first.foreign.key, outside, arguments, tokens);
    if let syn::Item::Impl(_) = item {
        return chain;
    }
    let names = visible.iter().map(|part| exports::named_in(part, &module));
    quote::quote!(#chain #(#names)*)
}
