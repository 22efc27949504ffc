//! Attributes: those of kernels and their parameters, those that have no effect on kernels, and errors for all others.

use super::errors::{at, error, place, refuse};
use super::names::{did_you_mean, last};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, LitInt, Meta, Token};

/// Attributes that have no effect on a kernel.
const HARMLESS: [&str; 10] = [
    "doc",
    "allow",
    "expect",
    "warn",
    "deny",
    "forbid",
    "inline",
    "must_use",
    "rustfmt",
    "rust_analyzer",
];

/// Rejects attributes that are neither harmless nor in `known`.
pub fn check(attributes: &[Attribute], known: &[&str]) -> syn::Result<()> {
    for attribute in attributes {
        let name = last(attribute.path());
        let first = attribute.path().segments.first().map(|s| s.ident.to_string());
        let tool = first.is_some_and(|first| HARMLESS.contains(&first.as_str()));
        if tool || known.contains(&name.as_str()) {
            continue;
        }
        return refuse(place(attribute), unknown(&name, known));
    }
    Ok(())
}

fn unknown(name: &str, known: &[&str]) -> String {
    match name {
        "cfg" | "cfg_attr" => format!(
            "`{name}` is not supported inside a monitored item: put it on the whole item, or branch on an \
             `#[overridable] const`"
        ),
        "test" => "a test cannot be inside a monitored item: move it next to the item".to_owned(),
        _ if known.is_empty() => format!("the attribute `{name}` is not supported here"),
        _ => format!("unknown attribute `{name}`{}", did_you_mean(name, known.iter().copied())),
    }
}

/// Returns the attribute of this name, if there is one. Several are an error.
pub fn find<'a>(attributes: &'a [Attribute], name: &str) -> syn::Result<Option<&'a Attribute>> {
    let mut named = attributes.iter().filter(|attribute| last(attribute.path()) == name);
    let first = named.next();
    match named.next() {
        Some(second) => refuse(place(second), format!("duplicate attribute `{name}`")),
        None => Ok(first),
    }
}

/// Returns the sizes in `#[kernel(workgroup_size(x, y, z))]`.
pub fn workgroup_size(attribute: &Attribute) -> syn::Result<Vec<Expr>> {
    let name = last(attribute.path());
    let missing = || format!("missing workgroup size: write `#[{name}(workgroup_size(64))]`");
    let Meta::List(list) = &attribute.meta else {
        return refuse(place(attribute), missing());
    };
    let arguments = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
    let mut sizes = None;
    for argument in &arguments {
        if !argument.path().is_ident("workgroup_size") {
            let given = last(argument.path());
            let meant = did_you_mean(&given, ["workgroup_size"]);
            return refuse(place(argument), format!("unknown argument `{given}`{meant}"));
        }
        let Meta::List(list) = argument else {
            return refuse(place(argument), missing());
        };
        let given = list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
        if given.is_empty() || given.len() > 3 {
            return refuse(
                place(argument),
                "expected 1, 2 or 3 sizes: write `workgroup_size(8, 8)`",
            );
        }
        if sizes.replace(given.into_iter().collect()).is_some() {
            return refuse(place(argument), "duplicate argument `workgroup_size`");
        }
    }
    sizes.ok_or_else(|| error(place(attribute), missing()))
}

/// Returns the number in `#[align(16)]` or `#[size(32)]`.
pub fn number(attribute: &Attribute) -> syn::Result<u32> {
    let name = last(attribute.path());
    let literal: LitInt = attribute.parse_args().map_err(|_| {
        error(place(attribute), format!("`{name}` takes a number: write `#[{name}(16)]`"))
    })?;
    let value: u32 = literal.base10_parse()?;
    if value == 0 || name == "align" && !value.is_power_of_two() {
        return refuse(
            at(literal.span()),
            format!("the value of `{name}` must be above 0, and for `align` a power of two"),
        );
    }
    Ok(value)
}

/// Returns the `id` in `#[overridable(id = 3)]`.
pub fn override_id(attribute: &Attribute) -> syn::Result<Option<u16>> {
    if matches!(attribute.meta, Meta::Path(_)) {
        return Ok(None);
    }
    let wrong = || {
        error(
            place(attribute),
            "malformed attribute: write `#[overridable]` or `#[overridable(id = 3)]`",
        )
    };
    let pair: syn::MetaNameValue = attribute.parse_args().map_err(|_| wrong())?;
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(id), .. }) = &pair.value else {
        return Err(wrong());
    };
    if !pair.path.is_ident("id") {
        return Err(wrong());
    }
    let id = id
        .base10_parse()
        .map_err(|_| error(at(id.span()), "the id of an override must be below 65536"))?;
    Ok(Some(id))
}

/// Returns the group and binding in `#[binding(0, 3)]`.
pub fn binding(attribute: &Attribute) -> syn::Result<(u32, u32)> {
    let numbers = attribute.parse_args_with(Punctuated::<LitInt, Token![,]>::parse_terminated);
    let numbers = numbers.ok().filter(|numbers| numbers.len() == 2).ok_or_else(|| {
        error(place(attribute), "`binding` takes a group and a binding: write `#[binding(0, 3)]`")
    })?;
    Ok((numbers[0].base10_parse()?, numbers[1].base10_parse()?))
}

/// WGSL's built-in values of compute shaders, and whether each is a vector.
pub const BUILT_IN: [(&str, bool); 9] = [
    ("global_invocation_id", true),
    ("local_invocation_id", true),
    ("local_invocation_index", false),
    ("workgroup_id", true),
    ("num_workgroups", true),
    ("subgroup_size", false),
    ("subgroup_invocation_id", false),
    ("subgroup_id", false),
    ("num_subgroups", false),
];

/// Returns the value that `#[builtin(…)]` names, and whether it is a vector.
pub fn built_in(attribute: &Attribute) -> syn::Result<(&'static str, bool)> {
    let ident: syn::Ident = attribute.parse_args().map_err(|_| {
        error(place(attribute), "missing built-in value: write `#[builtin(global_invocation_id)]`")
    })?;
    let name = ident.to_string();
    BUILT_IN.into_iter().find(|(known, _)| *known == name).ok_or_else(|| {
        let meant = did_you_mean(&name, BUILT_IN.map(|(known, _)| known));
        error(at(ident.span()), format!("compute shaders have no built-in value `{name}`{meant}"))
    })
}
