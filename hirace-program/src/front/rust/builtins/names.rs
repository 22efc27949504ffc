//! Names that are almost right, and those that WGSL or Rust has and kernels do not.

use super::{ASSOCIATED, Builtin, FUNCTIONS, METHODS};

/// Names like `name` that exist, for «did you mean».
pub fn similar(name: &str) -> Option<&'static str> {
    let written = snake(name);
    let rows = [FUNCTIONS, METHODS, ASSOCIATED].into_iter().flatten().copied().flatten();
    let likeness = |row: &Builtin| strsim::jaro_winkler(row.name, &written);
    let nearest = rows.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(nearest) > 0.85).then_some(nearest.name)
}

/// WGSL's way of writing a name, as Rust writes it.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Why a function or method of this name is not there, and what to write instead.
pub fn refused(name: &str) -> Option<&'static str> {
    let derivatives = "compute shaders have no derivatives: give the level, or the gradients, to \
         `texture.sample_level` or `texture.sample_grad`";
    let plain = name.strip_prefix("texture_").unwrap_or(name);
    Some(match plain {
        "sample" | "sample_bias" | "sample_compare" => derivatives,
        _ if name.starts_with("dpdx") || name.starts_with("dpdy") || name.starts_with("fwidth") => {
            "compute shaders have no derivatives"
        }
        "inverse" => "WGSL inverts no matrices of four columns: invert it on the host",
        "pow" | "saturating_pow" => "write `x.powf(…)`, or for integers `x.pow(…)`",
        "compiler_fence" | "spin_loop" => {
            "WGSL's atomics order nothing, and it has no fences: call `workgroup_barrier()`, or end the dispatch"
        }
        "exp_m1" | "ln_1p" => "WGSL has no function as exact as this one: use `exp` or `ln`",
        "min_position" | "max_position" | "test" => "WGSL has no `usize`: compare the components",
        "map" => "WGSL has no closures: write the components",
        "inverse_lerp" | "remap" => "write the expression: `(x - a) / (b - a)`",
        _ if name.starts_with("checked_") => {
            "WGSL has no `Option`: compare the operands, or use the `wrapping_` or `saturating_` one"
        }
        _ => return None,
    })
}
