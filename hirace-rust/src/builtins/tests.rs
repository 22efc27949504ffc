//! Tests of the table: for every type that a row accepts, naga must accept its WGSL, with the types that the row
//! gives.

use super::{
    Builtin, Parameter, Piece, RowKind, TextureParameter, constants, find_similar_name, rows,
    texture,
};
use crate::prelude_types::formats;
use crate::types::{Count, Scalar, Texture, TextureKind, TextureShape, Type};
use std::fmt::Write;

const KINDS: [RowKind; 3] = [RowKind::Function, RowKind::Method, RowKind::Associated];

/// Returns a type as written in WGSL.
fn written(ty: &Type) -> String {
    let scalar = |scalar: &Scalar| scalar.wgsl_scalar().name();
    match ty {
        Type::Scalar(of) => scalar(of).to_owned(),
        Type::Vector(components, of) => format!("vec{components}<{}>", scalar(of)),
        Type::Matrix { columns, rows } => format!("mat{columns}x{rows}<f32>"),
        Type::Atomic(of) => format!("atomic<{}>", scalar(of)),
        Type::Array(of, Count::Literal(length)) => format!("array<{}, {length}>", written(of)),
        Type::Sampler { comparison: false } => "sampler".to_owned(),
        Type::Sampler { comparison: true } => "sampler_comparison".to_owned(),
        other => panic!("{other:?} is not a type of the table"),
    }
}

fn written_texture(texture: &Texture) -> String {
    let (before, after) = match texture.kind {
        TextureKind::Sampled(of) => ("", format!("<{}>", written(&Type::Scalar(of)))),
        TextureKind::Multisampled(of) => {
            ("multisampled_", format!("<{}>", written(&Type::Scalar(of))))
        }
        TextureKind::Depth => ("depth_", String::new()),
        TextureKind::DepthMultisampled => ("depth_multisampled_", String::new()),
        TextureKind::Storage { format, access, .. } => {
            ("storage_", format!("<{format}, {access}>"))
        }
    };
    let arrayed = if texture.arrayed { "_array" } else { "" };
    format!("texture_{before}{}{arrayed}{after}", texture.shape.name())
}

/// A shader that calls a row. Each result is bound to a name with its type.
struct Shader {
    globals: String,
    parameters: Vec<String>,
    arguments: Vec<String>,
}

impl Shader {
    fn new() -> Self {
        Self { globals: String::new(), parameters: Vec::new(), arguments: Vec::new() }
    }

    fn global(&mut self, declaration: &str) {
        let number = self.arguments.len();
        writeln!(self.globals, "{}", declaration.replace("NUMBER", &number.to_string()))
            .expect("strings can be written to");
        let by_reference = if declaration.contains("var<") { "&" } else { "" };
        self.arguments.push(format!("{by_reference}global{number}"));
    }

    fn value(&mut self, ty: &Type) {
        let name = format!("a{}", self.arguments.len());
        self.parameters.push(format!("{name}: {}", written(ty)));
        self.arguments.push(name);
    }

    fn argument(&mut self, parameter: Parameter, variable: Option<&Type>) {
        let of = parameter.of(variable);
        match (parameter, of) {
            (Parameter::AtomicPlace, Some(ty)) => self.global(&format!(
                "@group(0) @binding(NUMBER) var<storage, read_write> globalNUMBER: {};",
                written(&ty)
            )),
            (Parameter::Place, Some(ty)) => {
                self.global(&format!("var<workgroup> globalNUMBER: {};", written(&ty)));
            }
            (Parameter::ArrayPlace, _) => self.global(
                "@group(0) @binding(NUMBER) var<storage, read_write> globalNUMBER: array<vec2<f32>>;",
            ),
            (Parameter::Constant(_), _) => self.arguments.push("1u".to_owned()),
            (_, Some(ty)) => self.value(&ty),
            (parameter, None) => panic!("{parameter:?} of {variable:?} has no type"),
        }
    }

    fn text(&self, row: &Builtin, variable: Option<&Type>, results: &[Option<Type>]) -> String {
        let mut body = String::new();
        let parts = row.pieces(variable);
        assert_eq!(
            parts.len(),
            results.len(),
            "{}: a template for each part of its tuple",
            row.name
        );
        for (pieces, result) in parts.iter().zip(results) {
            let mut call = String::new();
            for piece in pieces {
                call.push_str(match piece {
                    Piece::Text(text) => text,
                    Piece::Argument(number) => &self.arguments[*number],
                });
            }
            let number = body.lines().count();
            let statement = match result {
                Some(Type::Unit) => call,
                Some(ty) => format!("let r{number}: {} = {call}", written(ty)),
                None => format!("let r{number} = {call}"),
            };
            writeln!(body, "{statement};").expect("strings can be written to");
        }
        let parameters = self.parameters.join(", ");
        format!("enable f16;\n{}fn f({parameters}) {{\n{body}}}\n", self.globals)
    }
}

/// Returns the result types of a row, one per part of a tuple. `None` stands for a type that has no name in WGSL.
fn results(row: &Builtin, variable: Option<&Type>) -> Vec<Option<Type>> {
    match row.result {
        Parameter::Tuple(parts) => parts.iter().map(|part| part.of(variable)).collect(),
        Parameter::Exchange => vec![None],
        result => {
            let ty = result.of(variable);
            assert!(ty.is_some(), "{}: what does it give, of {variable:?}?", row.name);
            vec![ty]
        }
    }
}

/// Returns naga's error for a text.
fn refusal(text: &str) -> Option<String> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let module = match naga::front::wgsl::parse_str(text) {
        Ok(module) => module,
        Err(error) => return Some(error.emit_to_string(text)),
    };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).err().map(|error| error.emit_to_string(text))
}

/// Returns the types that `T` can be in a row, or a single `None` if the row has no variable.
fn variables(row: &Builtin) -> Vec<Option<Type>> {
    match row.class.types() {
        types if types.is_empty() => vec![None],
        types => types.into_iter().map(Some).collect(),
    }
}

fn is_of_textures(row: &Builtin) -> bool {
    row.parameters.contains(&Parameter::Texture)
}

#[test]
fn naga_takes_every_row_for_every_type_that_it_admits() {
    let mut count = 0;
    let mut refused = String::new();
    for row in KINDS.into_iter().flat_map(rows).filter(|row| !is_of_textures(row)) {
        for variable in variables(row) {
            let variable = variable.as_ref();
            let mut forms = vec![row.parameters.to_vec()];
            if let Some(at) = row.parameters.iter().position(|p| matches!(p, Parameter::Each(_))) {
                let Parameter::Each(scalar) = row.parameters[at] else { continue };
                let mut one_for_all = row.parameters.to_vec();
                one_for_all[at] = Parameter::Scalar(scalar);
                forms.push(one_for_all);
            }
            for form in forms {
                let mut shader = Shader::new();
                form.iter().for_each(|parameter| shader.argument(*parameter, variable));
                let text = shader.text(row, variable, &results(row, variable));
                if let Some(refusal) = refusal(&text) {
                    writeln!(refused, "{} of {variable:?}:\n{refusal}", row.name)
                        .expect("strings can be written to");
                }
                count += 1;
            }
        }
    }
    assert!(refused.is_empty(), "{refused}");
    assert!(count > 1000, "only {count} calls were made");
}

/// Returns every kind of texture.
fn all_textures() -> Vec<Texture> {
    let mut all = Vec::new();
    use TextureShape::{Cube, D1, D2, D3};
    for (shape, arrayed) in
        [(D1, false), (D2, false), (D2, true), (D3, false), (Cube, false), (Cube, true)]
    {
        let mut add = |kind| all.push(Texture { shape, arrayed, kind });
        for scalar in [Scalar::F32, Scalar::I32, Scalar::U32] {
            add(TextureKind::Sampled(scalar));
            if (shape, arrayed) == (D2, false) {
                add(TextureKind::Multisampled(scalar));
            }
        }
        if matches!(shape, D2 | Cube) {
            add(TextureKind::Depth);
        }
        if (shape, arrayed) == (D2, false) {
            add(TextureKind::DepthMultisampled);
        }
        if shape == Cube {
            continue;
        }
        for (format, texel) in formats() {
            for access in ["read", "write", "read_write"] {
                add(TextureKind::Storage { format, texel, access });
            }
        }
    }
    all
}

#[test]
fn naga_takes_every_function_of_every_texture_that_has_it() {
    let mut seen = std::collections::BTreeSet::new();
    let names: std::collections::BTreeSet<&str> =
        rows(RowKind::Function).filter(|row| is_of_textures(row)).map(|row| row.name).collect();
    for kind in all_textures() {
        for name in names.iter().copied() {
            for arguments in 0..8 {
                let Some(call) = texture(name, &kind, arguments) else { continue };
                for integer in [Scalar::U32, Scalar::I32] {
                    let mut shader = Shader::new();
                    let declaration = written_texture(&kind);
                    shader
                        .global(&format!("@group(0) @binding(0) var globalNUMBER: {declaration};"));
                    for parameter in &call.parameters {
                        match parameter {
                            TextureParameter::Type(ty @ Type::Sampler { .. }) => {
                                shader.global(&format!(
                                    "@group(0) @binding(NUMBER) var globalNUMBER: {};",
                                    written(ty)
                                ));
                            }
                            TextureParameter::Type(ty) => shader.value(ty),
                            TextureParameter::Integers(1) => shader.value(&Type::Scalar(integer)),
                            TextureParameter::Integers(size) => {
                                shader.value(&Type::Vector(*size, integer))
                            }
                            TextureParameter::Constant(ty @ Type::Vector(..)) => {
                                shader.arguments.push(format!("{}(1)", written(ty)));
                            }
                            TextureParameter::Constant(_) => shader.arguments.push("1".to_owned()),
                        }
                    }
                    let text = shader.text(call.builtin, None, &[Some(call.result.clone())]);
                    assert_eq!(refusal(&text), None, "{name} of {kind:?}\n{text}");
                }
                seen.insert(call.builtin.name);
            }
        }
    }
    assert_eq!(seen, names, "every function is one of some texture");
}

#[test]
fn naga_takes_every_constant() {
    for (ty, name, wgsl) in constants() {
        let text = format!("fn f() {{ let constant: {} = {wgsl}; }}", written(ty));
        assert_eq!(refusal(&text), None, "{name} of {ty:?}");
    }
}

#[test]
fn a_free_function_that_is_one_of_wgsl_has_its_name_in_snake_case() {
    for row in rows(RowKind::Function) {
        if let super::Emit::Call(function) = row.emit {
            let letters = |name: &str| name.replace('_', "").to_lowercase();
            let made_here =
                ["_offset", "_of_level"].iter().any(|suffix| row.name.ends_with(suffix));
            let is_type = function.contains('<');
            assert!(
                letters(row.name) == letters(function) || made_here || is_type,
                "{} stands for {function}",
                row.name
            );
        }
    }
}

#[test]
fn rows_of_one_name_differ_in_their_types_or_in_their_number_of_parameters() {
    for kind in KINDS {
        let all: Vec<&Builtin> = rows(kind).collect();
        for (index, row) in all.iter().enumerate() {
            let others = all[..index].iter().filter(|other| other.name == row.name);
            for other in others.filter(|other| other.parameters.len() == row.parameters.len()) {
                let both = row.class.types().into_iter().find(|ty| other.class.admits(ty));
                assert_eq!(both, None, "{} is there twice", row.name);
                assert!(!row.class.types().is_empty(), "{} is there twice", row.name);
            }
        }
    }
}

#[test]
fn names_that_are_almost_right_are_known() {
    assert_eq!(find_similar_name("workgroupBarrier"), Some("workgroup_barrier"));
    assert_eq!(find_similar_name("smooth_step"), Some("smoothstep"));
    assert_eq!(find_similar_name("normalize"), Some("normalize"));
    assert_eq!(find_similar_name("textureStore"), Some("texture_store"));
    assert_eq!(find_similar_name("quicksort"), None);
}

#[test]
fn what_is_refused_is_not_there() {
    for name in ["texture_sample", "dpdx", "checked_add"] {
        assert!(super::unavailable_reason(name).is_some(), "{name}");
        assert!(KINDS.into_iter().flat_map(rows).all(|row| row.name != name), "{name}");
    }
    let here = KINDS.into_iter().flat_map(rows).map(|row| row.name);
    // These names exist for other types than those for which they are rejected.
    for name in here.filter(|name| !matches!(*name, "inverse" | "pow")) {
        assert_eq!(super::unavailable_reason(name), None, "{name} is there");
    }
}
