//! Evaluates the WGSL of a row of the table of built-in functions on the embedded executor.

use super::samples::scalars;
use hirace::raw::front::rust::builtins::{Builtin, Piece};
use hirace::raw::front::rust::tree::{Count, Scalar, Type};
use hirace::raw::front::wgsl;
use hirace::raw::program::Program;
use hirace::raw::vm::driver::run;
use hirace::raw::vm::lower::lower;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::NoObserver;
use hirace::raw::vm::run::Options;
use hirace::raw::vm::schedule::{Limits, Schedule};
use std::collections::BTreeMap;

/// Returns a type in WGSL's notation.
pub fn to_wgsl(ty: &Type) -> String {
    let scalar = |scalar: &Scalar| scalar.wgsl_scalar().name();
    match ty {
        Type::Scalar(of) => scalar(of).to_owned(),
        Type::Vector(components, of) => format!("vec{components}<{}>", scalar(of)),
        Type::Matrix { columns, rows } => format!("mat{columns}x{rows}<f32>"),
        Type::Array(of, Count::Literal(length)) => format!("array<{}, {length}>", to_wgsl(of)),
        other => panic!("values of type {other:?} are not compared"),
    }
}

/// Returns the expressions of a row, one for each part of its result, with the arguments `a0`, `a1` …
pub fn expressions(row: &Builtin, variable: Option<&Type>) -> Vec<String> {
    let parts = row.pieces(variable);
    let expression = |pieces: &Vec<Piece>| {
        let texts = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Argument(number) => format!("a{number}"),
        });
        texts.collect::<String>()
    };
    parts.iter().map(expression).collect()
}

/// Returns the types of the parts of a result.
pub fn parts(result: &Type) -> Vec<Type> {
    match result {
        Type::Tuple(parts) => parts.clone(),
        ty => vec![ty.clone()],
    }
}

/// Returns an expression for a value of a type, whose words are the expressions in `words`.
fn read(ty: &Type, words: &mut impl Iterator<Item = String>) -> String {
    match ty {
        Type::Scalar(scalar) => {
            let word = words.next().expect("a word for each scalar");
            let mut wide = || {
                let high = words.next().expect("a word for each half");
                format!("(u64({word}) | (u64({high}) << 32u))")
            };
            if *scalar == Scalar::U16 {
                return format!("({word} & 0xffffu)");
            }
            match scalar.wgsl_scalar() {
                Scalar::F16 => format!("f16(unpack2x16float({word}).x)"),
                Scalar::U64 => wide(),
                Scalar::I64 => format!("i64{}", wide()),
                Scalar::F32 => format!("bitcast<f32>({word})"),
                Scalar::I32 => format!("bitcast<i32>({word})"),
                Scalar::Bool => format!("({word} != 0u)"),
                _ => word,
            }
        }
        _ => {
            let of = match ty {
                Type::Vector(_, of) => Type::Scalar(*of),
                Type::Array(of, _) => (**of).clone(),
                _ => Type::Scalar(Scalar::F32),
            };
            let values: Vec<String> = scalars(ty).iter().map(|_| read(&of, words)).collect();
            format!("{}({})", to_wgsl(ty), values.join(", "))
        }
    }
}

/// Returns the words of a value named `name`.
fn words_of(ty: &Type, name: &str) -> Vec<String> {
    let word = |scalar: Scalar, value: String| match scalar {
        Scalar::Bool => format!("select(0u, 1u, {value})"),
        Scalar::U32 => value,
        Scalar::F16 => format!("pack2x16float(vec2<f32>(f32({value}), 0.0))"),
        _ => format!("bitcast<u32>({value})"),
    };
    match ty {
        Type::Scalar(Scalar::U64 | Scalar::I64) => {
            vec![format!("u32({name})"), format!("u32({name} >> 32u)")]
        }
        Type::Scalar(scalar) => vec![word(*scalar, name.to_owned())],
        Type::Vector(components, scalar) => {
            (0..*components).map(|i| word(*scalar, format!("{name}[{i}]"))).collect()
        }
        Type::Matrix { columns, rows } => (0..*columns)
            .flat_map(|c| (0..*rows).map(move |r| format!("bitcast<u32>({name}[{c}][{r}])")))
            .collect(),
        Type::Array(of, Count::Literal(length)) => {
            (0..*length).flat_map(|i| words_of(of, &format!("{name}[{i}]"))).collect()
        }
        other => panic!("values of type {other:?} are not compared"),
    }
}

/// Evaluates expressions for each list of argument words in `given`. Returns the words of each result.
pub fn compute(
    expressions: &[String],
    arguments: &[Type],
    result: &Type,
    given: &[Vec<u32>],
) -> Result<Vec<Vec<u32>>, String> {
    use std::fmt::Write;
    const WRITES: &str = "strings can be written to";
    let width = given.first().map_or(0, Vec::len).max(1);
    let result_width = scalars(result).len();
    let mut body = String::new();
    let mut words = (0..).map(|number| format!("given[{width}u * id.x + {number}u]"));
    for (number, ty) in arguments.iter().enumerate() {
        writeln!(body, "let a{number} = {};", read(ty, &mut words)).expect(WRITES);
    }
    let mut at = 0;
    for (number, (expression, ty)) in expressions.iter().zip(parts(result)).enumerate() {
        writeln!(body, "let r{number}: {} = {expression};", to_wgsl(&ty)).expect(WRITES);
        for word in words_of(&ty, &format!("r{number}")) {
            writeln!(body, "results[{result_width}u * id.x + {at}u] = {word};").expect(WRITES);
            at += 1;
        }
    }
    let text = format!(
        "enable f16;
        @group(0) @binding(0) var<storage, read> given: array<u32>;
        @group(0) @binding(1) var<storage, read_write> results: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {{\n{body}}}\n"
    );
    let explain = |error: Box<hirace::raw::diagnostic::Diagnostic>| {
        format!("{error} {:?}\n{text}", error.notes)
    };
    let parsed = wgsl::parse("row.wgsl", &text).map_err(explain)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(explain)?;
    let code = lower(&program, 0).map_err(explain)?;
    let bytes: Vec<u8> = given.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let bytes = if bytes.is_empty() { vec![0; 4] } else { bytes };
    let buffer = |name: &str| match name {
        "given" => Buffer::new(&bytes),
        _ => Buffer::zeros(4 * (result_width * given.len().max(1)) as u32),
    };
    let globals = program.module.global_variables.iter();
    let bound = globals.map(|(_, global)| {
        Some(Resource::Buffer(buffer(global.name.as_deref().unwrap_or_default())))
    });
    let resources = Resources { by_global: bound.collect() };
    let options = Options {
        workgroups: [given.len().max(1) as u32, 1, 1],
        subgroup_size: 1,
        schedule: Schedule::default(),
        limits: Limits::default(),
        parallel: false,
        stop: None,
    };
    run(&code, &resources, &options, &NoObserver).map_err(|error| format!("{error:?}"))?;
    let out = resources.by_global.iter().flatten().last();
    let Some(Resource::Buffer(out)) = out else { return Err("the result is not bound".to_owned()) };
    Ok(out.snapshot().chunks(result_width).map(<[u32]>::to_vec).collect())
}
