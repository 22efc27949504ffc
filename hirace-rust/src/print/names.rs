//! Unique names that WGSL accepts.
//!
//! A name that WGSL reserves or predeclares gets a suffix, and so does a local whose name is already in use. No name
//! ever shadows another, so helpers can be printed for the memory of their callers.

use naga::keywords::wgsl::{BUILTIN_IDENTIFIERS, RESERVED};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Names that no declaration may have: keywords, reserved words, and WGSL's predeclared functions and types.
static TAKEN: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| RESERVED.iter().chain(BUILTIN_IDENTIFIERS).copied().collect());

/// The names that are in use in a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    used: FxHashSet<String>,
}

impl Names {
    /// Returns an unused name like `wanted`.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let base = match wanted {
            "_" | "" => "unused".to_owned(),
            _ if wanted.starts_with("__") => format!("x{wanted}"),
            _ => wanted.to_owned(),
        };
        let suffixed = |suffix: usize| format!("{base}_{suffix}");
        let plain = Some(base.clone()).filter(|name| !TAKEN.contains(name.as_str()));
        let reserved = plain.is_none().then(|| format!("{base}_"));
        let name = plain
            .into_iter()
            .chain(reserved)
            .chain((1..).map(suffixed))
            .find(|name| !self.used.contains(name))
            .unwrap_or(base);
        self.used.insert(name.clone());
        name
    }
}

/// Returns the WGSL name of a struct member. Members have a namespace of their own, so only reserved words are
/// changed.
pub(super) fn member(wanted: &str) -> String {
    if wanted.starts_with(|c: char| c.is_ascii_digit()) {
        format!("part_{wanted}")
    } else if RESERVED.contains(&wanted) {
        format!("{wanted}_")
    } else if wanted.starts_with("__") {
        format!("x{wanted}")
    } else {
        wanted.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wgsl_has_itself_gets_a_suffix() {
        let mut names = Names::default();
        let given = ["filter", "min", "x", "x", "filter", "x_1", "_", "__y"];
        let got: Vec<String> = given.iter().map(|name| names.unique(name)).collect();
        assert_eq!(got, ["filter_", "min_", "x", "x_1", "filter_1", "x_1_1", "unused", "x__y"]);
    }

    #[test]
    fn members_may_be_called_as_functions_are() {
        assert_eq!([member("min"), member("ref"), member("x")], ["min", "ref_", "x"]);
    }
}
