//! Expands `#[hirace::model]`: rustc checks the item, and no code is generated. `hirace verify` reads the item from its
//! file.

use crate::{emit, kernels, reword};
use hirace_rust::compose::{foreign_paths, merge_with_uses};
use hirace_rust::lower;
use hirace_rust::print::{Selection, print};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Item;

/// Returns the item without hirace's attributes, with its errors.
pub fn of(arguments: &TokenStream, tokens: TokenStream) -> TokenStream {
    let item = match syn::parse2::<Item>(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let errors = error.to_compile_error();
            return quote!(#tokens #errors);
        }
    };
    let attributed = kernels::model(&item, arguments.clone());
    let whole = merge_with_uses(&attributed, &[], &[]);
    let short = reword::short_lengths(&lower::short_lengths(&whole));
    // Names from outside are resolved by `hirace verify`, which reads the file.
    let refused = match foreign_paths(&attributed).is_empty() {
        true => lower::lower(&whole).and_then(|module| print(&module, &Selection::All)).err(),
        false => None,
    };
    emit::model(item, refused.as_ref(), &short)
}
