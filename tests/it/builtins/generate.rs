//! Writes `rows`: each row of the table as rustc sees it, and for what has a Rust name the call that compares.

use hirace::raw::front::rust::builtins::{self, Builtin, Kind, Parameter, TextureParameter};
use hirace::raw::front::rust::tree::{Count, Scalar, Texture, TextureKind, TextureShape, Type};
use std::fmt::Write;

/// What cannot fail: writing to a string.
const WRITES: &str = "strings can be written to";

/// The file.
pub fn rows() -> String {
    let mut text = String::from(
        "//! Each row of the table of builtins as rustc sees it. Written by `generate`: do not edit.\n\n\
         use super::compare::Compare;\nuse hirace::prelude::*;\n\n",
    );
    for row in builtins::rows(Kind::Function).filter(|row| !is_of_textures(row)) {
        for variable in variables(row) {
            for signature in signatures(row, variable.as_ref()) {
                writeln!(text, "const _: {signature} = {};", row.name).expect(WRITES);
            }
        }
    }
    for row in builtins::rows(Kind::Method).filter(|row| of_atomics(row)) {
        for scalar in ["u32", "i32"] {
            let variable = Type::Scalar(if scalar == "u32" { Scalar::U32 } else { Scalar::I32 });
            let arguments = vec![scalar; row.parameters.len() - 1].join(", ");
            let comma = if arguments.is_empty() { "" } else { ", " };
            let result = rust_result(row, Some(&variable));
            writeln!(
                text,
                "const _: fn(&Atomic<{scalar}>{comma}{arguments}){result} = Atomic::<{scalar}>::{};",
                row.name
            )
            .expect(WRITES);
        }
    }
    texture_methods(&mut text);
    let mut calls = Vec::new();
    for kind in [Kind::Method, Kind::Associated] {
        for row in builtins::rows(kind).filter(|row| !of_memory(row)) {
            calls.extend(variables(row).iter().flatten().map(|ty| call(kind, row, ty)));
        }
    }
    writeln!(
        text,
        "\n/// Compares each row that has a Rust name.\npub fn compare(compare: &mut Compare) {{"
    )
    .expect(WRITES);
    for number in 0..calls.chunks(100).len() {
        writeln!(text, "    compare_{number}(compare);").expect(WRITES);
    }
    text.push_str("}\n");
    for (number, calls) in calls.chunks(100).enumerate() {
        writeln!(text, "\nfn compare_{number}(compare: &mut Compare) {{").expect(WRITES);
        calls.iter().for_each(|call| writeln!(text, "    {call}").expect(WRITES));
        text.push_str("}\n");
    }
    text.push_str("\n/// Compares each constant.\npub fn constants(compare: &mut Compare) {\n");
    for (ty, name, _) in builtins::constants() {
        let rust = rust(ty);
        let path = if is_float_constant(ty, name) { "consts".to_owned() } else { rust };
        writeln!(text, "    compare.constant(\"{name}\", {path}::{name});").expect(WRITES);
    }
    text.push_str("}\n");
    text
}

/// Of `f32`, a constant that is in std's module and no associated one.
fn is_float_constant(ty: &Type, name: &str) -> bool {
    *ty == Type::Scalar(Scalar::F32) && !["MAX", "MIN", "MIN_POSITIVE", "EPSILON"].contains(&name)
}

fn is_of_textures(row: &Builtin) -> bool {
    row.parameters.contains(&Parameter::Texture)
}

fn of_atomics(row: &Builtin) -> bool {
    row.parameters.first() == Some(&Parameter::AtomicPlace)
}

/// Rows whose receiver is memory: `len` is rustc's own, which the macro makes a `u32`.
fn of_memory(row: &Builtin) -> bool {
    of_atomics(row) || row.parameters.first() == Some(&Parameter::ArrayPlace)
}

fn variables(row: &Builtin) -> Vec<Option<Type>> {
    match row.class.types() {
        types if types.is_empty() => vec![None],
        types => types.into_iter().map(Some).collect(),
    }
}

/// A type as Rust writes it.
pub fn rust(ty: &Type) -> String {
    let scalar = |scalar: &Scalar| match scalar {
        Scalar::Bool => "bool",
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        Scalar::F32 => "f32",
    };
    match ty {
        Type::Unit => "()".to_owned(),
        Type::Scalar(of) => scalar(of).to_owned(),
        Type::Vector(components, of) => {
            let letter = match of {
                Scalar::F32 => "",
                Scalar::I32 => "I",
                Scalar::U32 => "U",
                Scalar::Bool => "B",
            };
            format!("{letter}Vec{components}")
        }
        Type::Matrix { columns, rows } if columns == rows => format!("Mat{columns}"),
        Type::Matrix { columns, rows } => format!("Mat{columns}x{rows}"),
        Type::Array(of, Count::Literal(length)) => format!("[{}; {length}]", rust(of)),
        Type::Tuple(parts) => {
            format!("({})", parts.iter().map(rust).collect::<Vec<_>>().join(", "))
        }
        Type::Exchange(of) => format!("Result<{0}, {0}>", scalar(of)),
        other => panic!("{other:?} is no type of the table"),
    }
}

fn rust_result(row: &Builtin, variable: Option<&Type>) -> String {
    match row.result.of(variable) {
        Some(Type::Unit) | None => String::new(),
        Some(ty) => format!(" -> {}", rust(&ty)),
    }
}

/// What one parameter of a free function may be given.
fn forms(row: &Builtin, parameter: Parameter, variable: Option<&Type>) -> Vec<String> {
    let of = parameter.of(variable);
    let own = || of.as_ref().map(rust).into_iter().collect::<Vec<_>>();
    match parameter {
        Parameter::AtomicPlace => {
            let holds = variable.map(rust).unwrap_or_default();
            let mut forms =
                vec![format!("&'static mut {holds}"), format!("&'static Atomic<{holds}>")];
            forms.extend((row.name == "atomic_load").then(|| format!("&'static {holds}")));
            forms
        }
        Parameter::Place => vec![format!("&'static {}", variable.map(rust).unwrap_or_default())],
        Parameter::ArrayPlace => {
            ["&'static [f32]", "&'static [Vec3; 4]"].map(str::to_owned).to_vec()
        }
        Parameter::Each(scalar) => {
            let mut forms = own();
            let one = rust(&Type::Scalar(scalar));
            // glam compares its `Vec4` to masks of their own type.
            if forms.iter().any(|form| form == "BVec4") {
                forms.push("BVec4A".to_owned());
            }
            forms.extend((!forms.contains(&one)).then_some(one));
            forms
        }
        Parameter::T if ["all", "any"].contains(&row.name) && own() == ["BVec4"] => {
            ["BVec4", "BVec4A"].map(str::to_owned).to_vec()
        }
        _ => own(),
    }
}

/// All signatures that a free function has for a type.
fn signatures(row: &Builtin, variable: Option<&Type>) -> Vec<String> {
    let mut lists: Vec<Vec<String>> = vec![Vec::new()];
    for parameter in row.parameters {
        let forms = forms(row, *parameter, variable);
        assert!(!forms.is_empty(), "{}: {parameter:?} of {variable:?}", row.name);
        lists = lists
            .iter()
            .flat_map(|list| {
                forms.iter().map(move |form| [&list[..], std::slice::from_ref(form)].concat())
            })
            .collect();
    }
    let result = rust_result(row, variable);
    lists.iter().map(|list| format!("fn({}){result}", list.join(", "))).collect()
}

/// The call that compares a method or an associated function for a type.
fn call(kind: Kind, row: &Builtin, ty: &Type) -> String {
    let parameters: Vec<Type> =
        row.parameters.iter().filter_map(|parameter| parameter.of(Some(ty))).collect();
    assert_eq!(parameters.len(), row.parameters.len(), "{} of {ty:?}", row.name);
    let result = row.result.of(Some(ty)).expect("methods of values give values");
    let of = rust(ty);
    // glam's `Vec4` has masks of its own type.
    let masked =
        |ty: &Type| rust(ty).replace("BVec4", if of == "Vec4" { "BVec4A" } else { "BVec4" });
    let types: Vec<String> = parameters.iter().map(masked).collect();
    let by_reference =
        kind == Kind::Method && (matches!(ty, Type::Matrix { .. }) || row.name == "to_array");
    let index = row.parameters.contains(&Parameter::Index);
    let name = row.name;
    let function = if by_reference || index {
        let names: Vec<String> = (0..types.len()).map(|number| format!("a{number}")).collect();
        let given =
            row.parameters.iter().zip(&names).enumerate().map(|(number, (parameter, name))| {
                match parameter {
                    Parameter::Index => format!("{name} as usize"),
                    _ if number == 0 => format!("&{name}"),
                    _ => name.clone(),
                }
            });
        let given: Vec<String> = given.collect();
        format!("(|{}| {of}::{name}({}))", names.join(", "), given.join(", "))
    } else {
        format!("{of}::{name}")
    };
    let (method, of) = match kind {
        Kind::Method => ("method", String::new()),
        _ => ("associated", format!("::<{of}, _>")),
    };
    format!(
        "compare.{method}{of}(\"{name}\", {function} as fn({}) -> {});",
        types.join(", "),
        masked(&result)
    )
}

/// Each method of each kind of texture.
fn texture_methods(text: &mut String) {
    for (rust_name, texture) in textures() {
        let names: std::collections::BTreeSet<&str> = builtins::rows(Kind::Function)
            .filter(|row| is_of_textures(row))
            .map(|row| row.name)
            .collect();
        for name in names {
            let found = (0..8).find_map(|count| builtins::texture(name, &texture, count));
            let Some(call) = found else { continue };
            for whole in [Scalar::U32, Scalar::I32] {
                let parameters = call.parameters.iter().map(|parameter| match parameter {
                    TextureParameter::Type(Type::Sampler { comparison: false }) => {
                        "&'static Sampler".to_owned()
                    }
                    TextureParameter::Type(Type::Sampler { comparison: true }) => {
                        "&'static SamplerComparison".to_owned()
                    }
                    TextureParameter::Type(ty) | TextureParameter::Constant(ty) => rust(ty),
                    TextureParameter::Whole(1) => rust(&Type::Scalar(whole)),
                    TextureParameter::Whole(size) => rust(&Type::Vector(*size, whole)),
                });
                let mut types = vec![format!("&'static {rust_name}")];
                types.extend(parameters);
                let result = match &call.result {
                    Type::Unit => String::new(),
                    ty => format!(" -> {}", rust(ty)),
                };
                let short = name.strip_prefix("texture_").unwrap_or(name);
                let path = rust_name.replacen('<', "::<", 1);
                let signature = format!("fn({}){result}", types.join(", "));
                writeln!(text, "const _: {signature} = {path}::{short};").expect(WRITES);
                if is_free(name, &texture) {
                    writeln!(text, "const _: {signature} = {name};").expect(WRITES);
                }
            }
        }
    }
}

/// Whether the prelude has the function, of this texture, outside of an `impl` too.
fn is_free(name: &str, texture: &Texture) -> bool {
    let storage = matches!(texture.kind, TextureKind::Storage { .. });
    match name {
        "texture_dimensions"
        | "texture_num_levels"
        | "texture_num_layers"
        | "texture_num_samples" => true,
        "texture_load" => !texture.arrayed && !storage,
        "texture_store" => !texture.arrayed,
        "texture_sample_level" => {
            !texture.arrayed && matches!(texture.kind, TextureKind::Sampled(_))
        }
        _ => false,
    }
}

/// Every kind of texture, with its type in Rust.
fn textures() -> Vec<(String, Texture)> {
    let mut all = Vec::new();
    use TextureShape::{Cube, D1, D2, D3};
    for (written, shape, arrayed) in [
        ("1d", D1, false),
        ("2d", D2, false),
        ("2dArray", D2, true),
        ("3d", D3, false),
        ("Cube", Cube, false),
        ("CubeArray", Cube, true),
    ] {
        let mut add = |name: String, kind| all.push((name, Texture { shape, arrayed, kind }));
        for scalar in [Scalar::F32, Scalar::I32, Scalar::U32] {
            let of = rust(&Type::Scalar(scalar));
            add(format!("Texture{written}<{of}>"), TextureKind::Sampled(scalar));
            if written == "2d" {
                add(format!("TextureMultisampled2d<{of}>"), TextureKind::Multisampled(scalar));
            }
        }
        if matches!(shape, D2 | Cube) {
            add(format!("TextureDepth{written}"), TextureKind::Depth);
        }
        if written == "2d" {
            add("TextureDepthMultisampled2d".to_owned(), TextureKind::DepthMultisampled);
        }
        if shape == Cube {
            continue;
        }
        for (rust, format, texel) in
            [("Rgba8Unorm", "rgba8unorm", Scalar::F32), ("R32Uint", "r32uint", Scalar::U32)]
        {
            for (rust_access, access) in
                [("Read", "read"), ("Write", "write"), ("ReadWrite", "read_write")]
            {
                let name = format!("TextureStorage{written}<{rust}, {rust_access}>");
                add(name, TextureKind::Storage { format, texel, access });
            }
        }
    }
    all
}
