use super::*;
use crate::compile::Parts;
use crate::lines::Lines;
use crate::reword::short_lengths;
use hirace_runtime::Hole;
use hirace_rust::print::PrintedModule;
use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;

fn accepted(item: Item, compiled: &CompiledItem) -> TokenStream {
    super::accepted(item, compiled, true, &TokenStream::new())
}

fn refused(item: Item, error: &syn::Error, short: &ShortLengths) -> TokenStream {
    super::refused(item, error, true, &TokenStream::new(), short)
}

/// Returns `text` with the spaces that printed tokens have.
fn tokens(text: &str) -> String {
    text.parse::<TokenStream>().unwrap().to_string()
}

/// Returns whether `expansion` contains `text`.
fn has(expansion: &TokenStream, text: &str) -> bool {
    expansion.to_string().contains(&tokens(text))
}

fn item(text: &str) -> Item {
    syn::parse_str(text).unwrap()
}

fn parts(wgsl: &str) -> Parts {
    let printed = PrintedModule { wgsl: wgsl.to_owned(), ..PrintedModule::default() };
    Parts {
        printed,
        holes: Vec::new(),
        plain: None,
        entries: Vec::new(),
        bindings: Vec::new(),
        constants: Vec::new(),
    }
}

fn compiled(generic: &[&str]) -> CompiledItem {
    let generic = generic.iter().map(|name| {
        let parts = Parts { holes: vec![Hole { at: 7, parameter: 1 }], ..parts("generic") };
        ((*name).to_owned(), parts)
    });
    let lines = Lines { first: 9, text: "the text".to_owned() };
    let arguments = "workgroup_size(N)".parse().unwrap();
    CompiledItem {
        lines,
        arguments,
        overridable: Vec::new(),
        foreign_lines: Vec::new(),
        shared: Some(parts("shared")),
        generic: generic.collect::<BTreeMap<_, _>>(),
        beyond: Vec::new(),
        short_lengths: ShortLengths::new(),
    }
}

const COPY: &str = "pub fn copy(
    #[builtin(global_invocation_id)] id: UVec3,
    #[binding(1, 2)] input: &[f32],
    out: &mut [f32],
) {
    for i in (0..input.len()).step_by(n) { out[id.x + i] = input[map[i]]; }
}";

/// Returns the spans of this name.
fn spans_of(tokens: TokenStream, name: &str) -> Vec<Span> {
    let of = |token| match token {
        TokenTree::Group(group) => spans_of(group.stream(), name),
        token if token.to_string() == name => vec![token.span()],
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(of).collect()
}

#[test]
fn indices_and_lengths_are_widened_for_rustc() {
    let expansion = accepted(item(COPY), &compiled(&[]));
    assert!(has(&expansion, "out[::hirace::prelude::index(id.x + i)]"), "{expansion}");
    let nested = "input[::hirace::prelude::index(map[::hirace::prelude::index(i)])]";
    assert!(has(&expansion, nested), "{expansion}");
    let range = "(0..input.len()).step_by(::hirace::prelude::index(n))";
    assert!(has(&expansion, range), "{expansion}");
    let copy = item(COPY);
    let len = spans_of(copy.to_token_stream(), "len");
    assert_eq!(len.len(), 1);
    let expansion =
        accepted(copy, &CompiledItem { short_lengths: short_lengths(&len), ..compiled(&[]) });
    let range = "(0..(input.len() as u32)).step_by(::hirace::prelude::index(n))";
    assert!(has(&expansion, range), "{expansion}");
}

#[test]
fn comparisons_and_shifts_get_their_types_for_rustc() {
    let text = "fn f(a: Vec4, b: Vec4, n: UVec4) {
        let less: BVec4 = a.cmplt(b);
        let chosen = Vec4::select(less, a, b);
        let small = (n << 2) % 3 >> (1) << n;
        let text = select(a, b, less);
    }";
    let expansion = accepted(item(text), &compiled(&[]));
    assert!(has(&expansion, "::hirace::prelude::mask(a.cmplt(b))"), "{expansion}");
    let select = "Vec4::select(::hirace::prelude::mask_of(less), a, b)";
    assert!(has(&expansion, select), "{expansion}");
    assert!(has(&expansion, "(n << 2u32) % 3 >> (1u32) << n"), "{expansion}");
    assert!(has(&expansion, "let text = select(a, b, less)"), "{expansion}");
}

#[test]
fn attributes_of_hirace_are_removed() {
    let expansion = accepted(item(COPY), &compiled(&[]));
    let signature = "pub fn copy(id: UVec3, input: &[f32], out: &mut [f32],)";
    assert!(has(&expansion, signature), "{expansion}");
    let module = "mod all {
        #[overridable(id = 3)] pub const N: u32 = 4;
        struct Params { #[align(16)] n: u32, #[size(8)] m: u32 }
        #[kernel(workgroup_size(N))] fn one() {}
    }";
    let expansion = accepted(item(module), &compiled(&[])).to_string();
    for attribute in ["overridable", "# [align", "# [size", "# [kernel"] {
        assert!(!expansion.contains(attribute), "{attribute}: {expansion}");
    }
}

#[test]
fn a_kernel_gets_a_module_of_the_same_name_and_visibility() {
    let expansion = accepted(item(COPY), &compiled(&[]));
    assert!(has(&expansion, "pub mod copy"), "{expansion}");
    assert!(has(&expansion, "::hirace::Kernel::from_parts(&__HIRACE, \"copy\")"), "{expansion}");
    let module = "mod all { fn helper() {} #[kernel(workgroup_size(1))] pub(crate) fn one() {} }";
    let expansion = accepted(item(module), &compiled(&[]));
    assert!(has(&expansion, "pub(crate) mod one"), "{expansion}");
    assert!(has(&expansion, "from_parts(&super::__HIRACE, \"one\")"), "{expansion}");
    assert!(!has(&expansion, "mod helper"), "{expansion}");
}

#[test]
fn the_function_of_a_generic_kernel_has_its_parameters() {
    let text = "fn copy<const N: usize, const M: u32>(out: &mut [f32; N]) {}";
    let expansion = accepted(item(text), &compiled(&["copy"]));
    let kernel = "pub fn kernel<const N: usize, const M: u32>() -> ::hirace::Kernel {
        ::hirace::Kernel::instance(&__GENERIC, \"copy\", const { &[N as u32, M as u32] },";
    // The last token is not the end of a group, because the text is truncated.
    let whole = tokens(&format!("{kernel} __scope::sizes) }}"));
    let Some((begin, _)) = whole.split_once(" __scope") else { panic!("{whole}") };
    assert!(expansion.to_string().contains(begin), "{expansion}");
    assert!(has(&expansion, "Some([(N) as u32, (1) as u32, (1) as u32])"), "{expansion}");
    assert!(has(&expansion, "::hirace::kernel::Hole { at: 7u32, parameter: 1u32 }"), "{expansion}");
}

/// Returns an error at each occurrence of `marked` in the text.
fn errors(item: &Item, marked: &str) -> syn::Error {
    struct Find<'a>(&'a str, Option<syn::Error>);
    impl syn::visit::Visit<'_> for Find<'_> {
        fn visit_ident(&mut self, ident: &proc_macro2::Ident) {
            if ident == self.0 {
                let error = syn::Error::new(ident.span(), "refused");
                match &mut self.1 {
                    Some(all) => all.combine(error),
                    None => self.1 = Some(error),
                }
            }
        }
    }
    let mut find = Find(marked, None);
    syn::visit::Visit::visit_item(&mut find, item);
    find.1.unwrap()
}

/// Returns the part of an expansion that rustc sees, without the code for editors.
fn for_rustc(expansion: &TokenStream) -> String {
    let mut file: syn::File = syn::parse2(expansion.clone()).unwrap();
    struct Drop;
    impl syn::visit_mut::VisitMut for Drop {
        fn visit_file_mut(&mut self, file: &mut syn::File) {
            file.items.retain(|item| !matches!(item, Item::Const(item) if item.ident == "_"));
            syn::visit_mut::visit_file_mut(self, file);
        }
        fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
            let items = module.content.iter_mut().flat_map(|(_, items)| std::iter::once(items));
            items.for_each(|items| {
                items.retain(|item| !matches!(item, Item::Const(item) if item.ident == "_"));
            });
        }
    }
    syn::visit_mut::VisitMut::visit_file_mut(&mut Drop, &mut file);
    quote!(#file).to_string()
}

#[test]
fn a_refused_kernel_keeps_its_names_and_reports_each_error() {
    let function = item("pub fn copy<const N: usize>(x: &mut [f32; N]) { wrong; wrong; }");
    let expansion = refused(function.clone(), &errors(&function, "wrong"), &ShortLengths::new());
    let seen = for_rustc(&expansion);
    assert!(seen.contains(&tokens("pub fn copy() {}")), "{seen}");
    assert!(
        seen.contains(&tokens("pub fn kernel<const N: usize>() -> ::hirace::Kernel")),
        "{seen}"
    );
    assert!(!seen.contains("wrong"), "{seen}");
    assert_eq!(seen.matches("compile_error").count(), 2);
    assert!(has(&expansion, "copy<const N: usize>(x: &mut [f32; N])"), "editors see it");
    assert!(has(&expansion, "wrong; wrong;"), "editors see it");
}

#[test]
fn accepted_items_of_a_partly_refused_module_are_kept() {
    let module = item(
        "mod all {
            struct Params { n: u32 }
            struct Refused { text: wrong }
            fn helper(n: u32) -> u32 { wrong }
            #[kernel(workgroup_size(1))] fn bad(out: &mut [u32]) { wrong; }
            #[kernel(workgroup_size(1))] fn good(out: &mut [u32]) { out[0] = helper(1); }
        }",
    );
    let seen = for_rustc(&refused(module.clone(), &errors(&module, "wrong"), &ShortLengths::new()));
    assert!(seen.contains(&tokens("fn helper(n: u32) -> u32 { loop {} }")), "{seen}");
    assert!(seen.contains(&tokens("fn bad() {}")), "{seen}");
    assert!(seen.contains(&tokens("out[::hirace::prelude::index(0)] = helper(1);")), "{seen}");
    assert!(seen.contains(&tokens("struct Params { n: u32 }")), "{seen}");
    assert_eq!(seen.matches("pub fn kernel").count(), 2, "{seen}");
    assert!(seen.contains("HostShareable for Refused"), "{seen}");
    assert!(!seen.contains("wrong as"), "no trait is required of a refused type: {seen}");
}

#[test]
fn an_error_outside_of_the_module_refuses_every_function() {
    let module =
        item("mod all { fn one() { wrong } #[kernel(workgroup_size(1))] fn two() { wrong } }");
    let error = syn::Error::new(proc_macro2::Span::call_site(), "refused");
    assert!(!for_rustc(&refused(module, &error, &ShortLengths::new())).contains("wrong"));
}
