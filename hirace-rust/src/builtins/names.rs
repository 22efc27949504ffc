//! Suggestions for misspelt names, and explanations for names of WGSL or Rust that are not available in kernels.

use super::{ASSOCIATED, Builtin, FUNCTIONS, METHODS};

/// Returns an existing name similar to `name`, for "did you mean".
pub fn find_similar_name(name: &str) -> Option<&'static str> {
    let rust_name = to_snake_case(name);
    let rows = [FUNCTIONS, METHODS, ASSOCIATED].into_iter().flatten().copied().flatten();
    let similarity = |row: &Builtin| strsim::jaro_winkler(row.name, &rust_name);
    let nearest = rows.max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
    (similarity(nearest) > 0.85).then_some(nearest.name)
}

/// Converts a camel-case name, as in WGSL, to snake case.
fn to_snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Returns why no function or method of this name exists, and what to write instead.
pub fn unavailable_reason(name: &str) -> Option<&'static str> {
    let derivatives = "compute shaders have no derivatives: pass the level to `texture.sample_level`, or the \
                       gradients to `texture.sample_grad`";
    let base_name = name.strip_prefix("texture_").unwrap_or(name);
    Some(match base_name {
        "sample" | "sample_bias" | "sample_compare" => derivatives,
        _ if name.starts_with("dpdx") || name.starts_with("dpdy") || name.starts_with("fwidth") => {
            "compute shaders have no derivatives"
        }
        "inverse" => "WGSL cannot invert a matrix of four columns: invert it on the host",
        "pow" | "saturating_pow" => "write `x.powf(…)`, or for integers `x.pow(…)`",
        "compiler_fence" | "spin_loop" => {
            "WGSL's atomics do not order other accesses, and it has no fences: call `workgroup_barrier()`, or use \
             another dispatch"
        }
        "exp_m1" | "ln_1p" => "WGSL has no function with this accuracy: use `exp` or `ln`",
        "min_position" | "max_position" | "test" => "WGSL has no `usize`: compare the components",
        "map" => "WGSL has no closures: write the components",
        "inverse_lerp" | "remap" => "write the expression: `(x - a) / (b - a)`",
        _ if name.starts_with("checked_") => {
            "WGSL has no `Option`: compare the operands, or use the `wrapping_` or `saturating_` method"
        }
        _ => return None,
    })
}
