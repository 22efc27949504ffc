//! Writes the table as documentation: `docs/book/languages/rust-functions.md`, which a test generates and compares.

use super::{Builtin, Class, Emit, Parameter, RowKind, constants, rows};
use crate::types::{Scalar, Type};
use std::fmt::Write;

const HEAD: &str = "\
# Functions of kernels in Rust, and their WGSL

`cargo xtask test --bless the_listing` generates this page from the table that the compiler of kernels uses.
Functions have WGSL's meaning. Methods, associated functions and constants have the meaning of Rust's `std` or of glam;
those that WGSL cannot compute with that meaning are not supported. A test compares each of them with Rust's result.
Floats have the accuracy that WGSL requires: a remainder is computed from a rounded quotient, and a float outside the range
of an integer is converted to the nearest bound that a float can represent. Calls that panic in Rust return an unspecified value.

`T` is the type that a function is called with and `E` its scalar type. `F`, `I`, `U` and `B` are `T` with
`f32`, `i32`, `u32` and `bool` as scalar type. *Floats* are `f32` and its vectors. *Integers* are `i32`, `u32` and their
vectors. *Numbers* are both. *Signed* are all numbers except `u32` and its vectors.
`f16` is the type of the crate `half`; its constants are supported too.
";

#[test]
fn the_listing_is_that_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/book/languages/rust-functions.md");
    hirace_testing::assert_up_to_date(path, &listing());
}

fn listing() -> String {
    let mut text = HEAD.to_owned();
    for (kind, title) in [
        (RowKind::Function, "Functions"),
        (RowKind::Method, "Methods"),
        (RowKind::Associated, "Associated functions"),
    ] {
        write!(text, "\n## {title}\n\n| Rust | types | WGSL |\n| --- | --- | --- |\n").unwrap();
        rows(kind).for_each(|row| line(&mut text, kind, row));
    }
    text.push_str("\n## Constants\n\n| Rust | WGSL |\n| --- | --- |\n");
    for (ty, name, wgsl) in constants() {
        writeln!(text, "| `{}::{name}` | `{wgsl}` |", rust(ty)).unwrap();
    }
    text
}

fn line(text: &mut String, kind: RowKind, row: &Builtin) {
    let argument = |number: usize| char::from(b'a' + number as u8).to_string();
    let parameters: Vec<String> = row
        .parameters
        .iter()
        .enumerate()
        .map(|(number, parameter)| format!("{}: {}", argument(number), named(*parameter)))
        .collect();
    let call = match kind {
        RowKind::Method => format!("a.{}({})", row.name, parameters[1..].join(", ")),
        RowKind::Associated => format!("T::{}({})", row.name, parameters.join(", ")),
        RowKind::Function => format!("{}({})", row.name, parameters.join(", ")),
    };
    let result = match row.result {
        Parameter::Unit | Parameter::Texture => String::new(),
        result => format!(" -> {}", named(result)),
    };
    let filled = |template: &str| {
        let mut filled = template.to_owned();
        for number in 0..row.parameters.len() {
            filled = filled.replace(&format!("{{{number}}}"), &argument(number));
        }
        filled.replace(['{', '}'], "")
    };
    let wgsl = match row.emit {
        Emit::Call(function) | Emit::Retried(function) => {
            let arguments: Vec<String> = (0..row.parameters.len()).map(argument).collect();
            let call = format!("{function}({})", arguments.join(", "));
            let retried = matches!(row.emit, Emit::Retried(_));
            if retried { format!("loop {{ {call} }}") } else { call }
        }
        Emit::Template(template) => filled(template),
        Emit::Cast => format!("{}({})", named(row.result).replace('T', "f16"), argument(0)),
        Emit::Parts(parts) => parts.iter().map(|part| filled(part)).collect::<Vec<_>>().join(", "),
    };
    let receiver = match row.parameters.first() {
        Some(Parameter::AtomicPlace) => "`Atomic<T>`".to_owned(),
        Some(Parameter::ArrayPlace) => "arrays, slices".to_owned(),
        Some(Parameter::Texture) => "textures".to_owned(),
        _ => types(row.class),
    };
    let escaped = |text: &str| text.replace('|', "\\|");
    writeln!(text, "| `{call}{result}` | {receiver} | `{}` |", escaped(&wgsl)).unwrap();
}

/// Describes the types of a class in words.
fn types(class: Class) -> String {
    match class {
        Class::None => String::new(),
        Class::Float => "floats".to_owned(),
        Class::FloatVector => "vectors of floats".to_owned(),
        Class::Numeric => "numbers".to_owned(),
        Class::Signed => "signed".to_owned(),
        Class::Integer => "integers".to_owned(),
        Class::NumericVector => "vectors of numbers".to_owned(),
        Class::Value => "scalars and vectors".to_owned(),
        Class::Any => "all".to_owned(),
        _ => {
            let names: Vec<String> =
                class.types().iter().map(|ty| format!("`{}`", rust(ty))).collect();
            names.join(", ")
        }
    }
}

fn rust(ty: &Type) -> String {
    match ty {
        Type::Scalar(of) => of.name().to_owned(),
        Type::Vector(components, of) => {
            let letter = letter(*of).trim_start_matches('F');
            format!("{letter}Vec{components}")
        }
        Type::Matrix { columns, rows } if columns == rows => format!("Mat{columns}"),
        Type::Matrix { columns, rows } => format!("Mat{columns}x{rows}"),
        other => format!("{other:?}"),
    }
}

/// Returns the letter that type names use for a scalar.
fn letter(of: Scalar) -> &'static str {
    match of {
        Scalar::Bool => "B",
        Scalar::I32 | Scalar::Isize | Scalar::I8 | Scalar::I16 | Scalar::I64 => "I",
        Scalar::U32 | Scalar::Usize | Scalar::U8 | Scalar::U16 | Scalar::U64 => "U",
        Scalar::F32 | Scalar::F16 => "F",
    }
}

fn named(parameter: Parameter) -> String {
    match parameter {
        Parameter::T => "T".to_owned(),
        Parameter::Element => "E".to_owned(),
        Parameter::Like(of) => letter(of).to_owned(),
        Parameter::Each(of) => format!("{} or {}", letter(of), of.name()),
        Parameter::Constant(of) => format!("constant {}", of.name()),
        Parameter::Elements(count) => format!("vector of {count} E"),
        Parameter::Array(count) => format!("[E; {count}]"),
        Parameter::Column => "column".to_owned(),
        Parameter::Row => "row".to_owned(),
        Parameter::Transposed => "transposed T".to_owned(),
        Parameter::Tuple(parts) => {
            format!("({})", parts.iter().map(|part| named(*part)).collect::<Vec<_>>().join(", "))
        }
        Parameter::Unit => "()".to_owned(),
        Parameter::AtomicPlace => "&Atomic<T> or &mut T".to_owned(),
        Parameter::Place => "&T".to_owned(),
        Parameter::Content => "T".to_owned(),
        Parameter::ArrayPlace => "&[…]".to_owned(),
        Parameter::Exchange => "Result<T, T>".to_owned(),
        Parameter::Texture => "…".to_owned(),
        Parameter::Index => "u32 or i32".to_owned(),
        other => other.of(None).map_or_else(String::new, |ty| rust(&ty)),
    }
}
