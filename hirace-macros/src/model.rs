//! `#[hirace::model]`: an item for rustc to check, beside which nothing is made. `hirace verify` reads it in its file.

use crate::{emit, kernels, reword};
use hirace_program::front::rust::compose::{outside, whole};
use hirace_program::front::rust::lower;
use hirace_program::front::rust::print::{Selection, print};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Item;

/// What the compiler is given in place of the item: without our attributes, and with what is wrong with it.
pub fn of(arguments: &TokenStream, tokens: TokenStream) -> TokenStream {
    let item = match syn::parse2::<Item>(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let errors = error.to_compile_error();
            return quote!(#tokens #errors);
        }
    };
    let attributed = kernels::model(&item, arguments.clone());
    let whole = whole(&attributed, &[], &[]);
    let short = reword::short_lengths(&lower::short_lengths(&whole));
    // What it takes from outside is found by who reads the file.
    let refused = match outside(&attributed).is_empty() {
        true => lower::lower(&whole).and_then(|module| print(&module, &Selection::All)).err(),
        false => None,
    };
    emit::model(item, refused.as_ref(), &short)
}
