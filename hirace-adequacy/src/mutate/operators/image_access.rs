//! Mutations of texel coordinates.

use super::Mutation;
use crate::mutate::syntax::{Language, Syntax};
use hirace_core::edit::Edit;
use hirace_core::source_map::Span;

const AXES: [&str; 3] = ["x", "y", "z"];

pub(super) fn mutations(syntax: &Syntax, language: Language) -> Vec<Mutation> {
    let Syntax::Texel { coordinates, dimensions } = syntax else { return Vec::new() };
    let mut mutations = Vec::new();
    for (axis, shown) in AXES.iter().enumerate().take(*dimensions) {
        for (sign, name) in [("+", "plus"), ("-", "minus")] {
            let by: Vec<String> = units(language, axis, *dimensions);
            let texts = by.iter().map(|by| format!("{sign} {by}")).collect();
            let operator = format!("{shown}-{name}-one");
            mutations.push(append_to_coordinates(
                &operator,
                *coordinates,
                texts,
                &format!("{shown}{sign}1"),
            ));
        }
    }
    for (one, first) in AXES.iter().enumerate().take(*dimensions) {
        for (other, second) in AXES.iter().enumerate().take(*dimensions).skip(one + 1) {
            let mut order = AXES[..*dimensions].to_vec();
            order.swap(one, other);
            let operator = format!("{first}-and-{second}-exchanged");
            let swizzle = order.concat();
            let text = match language {
                Language::Rust => format!(".{swizzle}()"),
                _ => format!(".{swizzle}"),
            };
            mutations.push(append_to_coordinates(
                &operator,
                *coordinates,
                vec![text.clone()],
                &text,
            ));
        }
    }
    mutations
}

/// Appends each of these texts to the coordinates, as alternative edits.
fn append_to_coordinates(operator: &str, at: Span, texts: Vec<String>, shown: &str) -> Mutation {
    let (before, after) = (Span::new(at.start, at.start), Span::new(at.end, at.end));
    let way = |text: String| {
        let space = if text.starts_with('.') { "" } else { " " };
        vec![Edit::new(before, "("), Edit::new(after, format!("){space}{text}"))]
    };
    let ways = texts.into_iter().map(way).collect();
    Mutation { operator: operator.to_owned(), at, replacement: shown.to_owned(), ways }
}

/// Returns a unit vector along an axis, in each type that coordinates may have.
fn units(language: Language, axis: usize, dimensions: usize) -> Vec<String> {
    if dimensions == 1 {
        return vec!["1".to_owned()];
    }
    let numbers = (0..dimensions).map(|at| if at == axis { "1" } else { "0" });
    let numbers = numbers.collect::<Vec<_>>().join(", ");
    let of = |name: &str| format!("{name}{dimensions}({numbers})");
    match language {
        Language::Wgsl => vec![of("vec")],
        Language::Glsl => vec![of("ivec"), of("uvec")],
        Language::Rust => vec![of("uvec"), of("ivec")],
    }
}
