//! Generates `rows.in`: each row of the table as rustc sees it, and for a row with a Rust name the call that compares it.

use super::grouped::{Grouped, Row};
use hirace::raw::front::rust::builtins::{self, Builtin, Parameter, RowKind, TextureParameter};
use hirace::raw::front::rust::tree::{Count, Scalar, Texture, TextureKind, TextureShape, Type};

/// The rows of the table, grouped by how rustc checks them.
pub struct Rows {
    /// Functions of the prelude.
    pub functions: Grouped,
    /// Methods of memory: of atomics and of textures.
    pub methods: Grouped,
    /// Functions that have a Rust name, and are compared with it.
    pub compared: Grouped,
    /// Constants, which are compared too.
    pub constants: Grouped,
}

impl Rows {
    /// Returns the rows of the table.
    pub fn of_the_table() -> Self {
        let [mut functions, mut methods, mut compared, mut constants] =
            [(); 4].map(|()| Grouped::default());
        for row in builtins::rows(RowKind::Function).filter(|row| !is_of_textures(row)) {
            for variable in variables(row) {
                for signature in signatures(row, variable.as_ref()) {
                    functions.add(Row::new(variable.as_ref().map(rust), &signature, row.name));
                }
            }
        }
        for row in builtins::rows(RowKind::Method).filter(|row| of_atomics(row)) {
            for scalar in [Scalar::U32, Scalar::I32].map(Type::Scalar) {
                let of = format!("Atomic<{}>", rust(&scalar));
                let mut types = vec![format!("&{of}")];
                types.resize(row.parameters.len(), rust(&scalar));
                let result = rust_result(row, Some(&scalar));
                methods.add(Row::new(
                    Some(of),
                    &format!("fn({}){result}", types.join(", ")),
                    row.name,
                ));
            }
        }
        texture_methods(&mut functions, &mut methods);
        for kind in [RowKind::Method, RowKind::Associated] {
            for row in builtins::rows(kind).filter(|row| !of_memory(row)) {
                variables(row).iter().flatten().for_each(|ty| compared.add(call(kind, row, ty)));
            }
        }
        for (ty, name, _) in builtins::constants() {
            let form = if is_float_constant(ty, name) { "consts" } else { "" };
            constants.add(Row::new(Some(rust(ty)), "T", name).with_form(form));
        }
        Self { functions, methods, compared, constants }
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        format!(
            "// Each row of the table of builtins as rustc sees it. Written by `generate`: do not edit.\n\n\
             functions! {{\n{}}}\n\nmethods! {{\n{}}}\n\ncompared! {{\n{}}}\n\nconstants! {{\n{}}}\n",
            self.functions, self.methods, self.compared, self.constants
        )
    }
}

/// Returns whether this is a constant in std's module for `f32` and not an associated constant.
fn is_float_constant(ty: &Type, name: &str) -> bool {
    *ty == Type::Scalar(Scalar::F32) && !["MAX", "MIN", "MIN_POSITIVE", "EPSILON"].contains(&name)
}

fn is_of_textures(row: &Builtin) -> bool {
    row.parameters.contains(&Parameter::Texture)
}

fn of_atomics(row: &Builtin) -> bool {
    row.parameters.first() == Some(&Parameter::AtomicPlace)
}

/// Returns whether the receiver of a row is memory. `len` is rustc's own, which the macro changes to a `u32`.
fn of_memory(row: &Builtin) -> bool {
    of_atomics(row) || row.parameters.first() == Some(&Parameter::ArrayPlace)
}

fn variables(row: &Builtin) -> Vec<Option<Type>> {
    match row.class.types() {
        types if types.is_empty() => vec![None],
        types => types.into_iter().map(Some).collect(),
    }
}

/// Returns a type as Rust writes it.
pub fn rust(ty: &Type) -> String {
    let scalar = |scalar: &Scalar| scalar.name();
    match ty {
        Type::Unit => "()".to_owned(),
        Type::Scalar(of) => scalar(of).to_owned(),
        Type::Vector(components, of) => {
            let letter = match of.wgsl_scalar() {
                Scalar::F32 => "",
                Scalar::I32 => "I",
                Scalar::Bool => "B",
                _ => "U",
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
        other => panic!("{other:?} is not a type of the table"),
    }
}

fn rust_result(row: &Builtin, variable: Option<&Type>) -> String {
    match row.result.of(variable) {
        Some(Type::Unit) | None => String::new(),
        Some(ty) => format!(" -> {}", rust(&ty)),
    }
}

/// Returns the types that one parameter of a free function accepts.
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
            // glam's comparisons of `Vec4` return masks of a separate type.
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

/// Returns all signatures that a free function has for a type.
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

/// Returns the row that compares a method or an associated function for a type.
fn call(kind: RowKind, row: &Builtin, ty: &Type) -> Row {
    let parameters: Vec<Type> =
        row.parameters.iter().filter_map(|parameter| parameter.of(Some(ty))).collect();
    assert_eq!(parameters.len(), row.parameters.len(), "{} of {ty:?}", row.name);
    let result = row.result.of(Some(ty)).expect("methods of values give values");
    let of = rust(ty);
    // glam's `Vec4` has a separate mask type.
    let masked =
        |ty: &Type| rust(ty).replace("BVec4", if of == "Vec4" { "BVec4A" } else { "BVec4" });
    let types: Vec<String> = parameters.iter().map(masked).collect();
    let signature = format!("fn({}) -> {}", types.join(", "), masked(&result));
    let by_reference =
        kind == RowKind::Method && (matches!(ty, Type::Matrix { .. }) || row.name == "to_array");
    let index = row.parameters.contains(&Parameter::Index);
    let given = if by_reference || index {
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
        format!(" |{}| ({})", names.join(", "), given.join(", "))
    } else {
        String::new()
    };
    let kind = if kind == RowKind::Method { "method" } else { "associated" };
    Row::new(Some(of), &signature, row.name).with_form(&format!("{kind}{given}"))
}

/// Adds each method of each kind of texture.
fn texture_methods(functions: &mut Grouped, methods: &mut Grouped) {
    for (rust_name, texture) in textures() {
        let names: std::collections::BTreeSet<&str> = builtins::rows(RowKind::Function)
            .filter(|row| is_of_textures(row))
            .map(|row| row.name)
            .collect();
        for name in names {
            let found = (0..8).find_map(|count| builtins::texture(name, &texture, count));
            let Some(call) = found else { continue };
            for integer in [Scalar::U32, Scalar::I32] {
                let parameters = call.parameters.iter().map(|parameter| match parameter {
                    TextureParameter::Type(Type::Sampler { comparison: false }) => {
                        "&'static Sampler".to_owned()
                    }
                    TextureParameter::Type(Type::Sampler { comparison: true }) => {
                        "&'static SamplerComparison".to_owned()
                    }
                    TextureParameter::Type(ty) | TextureParameter::Constant(ty) => rust(ty),
                    TextureParameter::Integers(1) => rust(&Type::Scalar(integer)),
                    TextureParameter::Integers(size) => rust(&Type::Vector(*size, integer)),
                });
                let mut types = vec![format!("&'static {rust_name}")];
                types.extend(parameters);
                let result = match &call.result {
                    Type::Unit => String::new(),
                    ty => format!(" -> {}", rust(ty)),
                };
                let short = name.strip_prefix("texture_").unwrap_or(name);
                let signature = format!("fn({}){result}", types.join(", "));
                let row = |name| Row::new(Some(rust_name.clone()), &signature, name);
                methods.add(row(short));
                if is_free(name, &texture) {
                    functions.add(row(name));
                }
            }
        }
    }
}

/// Returns whether the prelude has the function for this texture outside of an `impl` too.
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

/// Returns every kind of texture, with its type in Rust.
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
