//! A program: a naga module that validates, with the map back to what the user wrote.

use crate::diagnostic::Result;
use crate::front::wgsl::spans;
use crate::front::{Parsed, overrides};
use crate::ir::access;
use crate::ir::sites::Sites;
use crate::source_map::SourceMap;
use std::collections::BTreeMap;

/// The language of a source, as far as reports show code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL.
    Wgsl,
    /// Rust, with hirace's prelude.
    Rust,
    /// Lines of GLSL, of which instructions of SPIR-V were made.
    GlslLines,
    /// Lines of HLSL or Slang, of which instructions of SPIR-V were made.
    HlslLines,
    /// Instructions of SPIR-V, or lines of a language that hirace does not know.
    Spirv,
}

impl Language {
    /// Whether what stands at a site is the expression or call that it is about, and not a line.
    pub fn shows_expressions(self) -> bool {
        matches!(self, Self::Wgsl | Self::Rust)
    }
}

/// What a module leaves to its host, and was guessed.
#[derive(Clone, Debug)]
pub struct Guess {
    /// What it is, and what was taken for it.
    pub what: String,
    /// Whether what is found may hang on it.
    pub is_doubt: bool,
}

/// A module ready for passes and executors: storage pointers specialised away, overrides resolved,
/// validated, its sites enumerated.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module.
    pub module: naga::Module,
    /// What naga's validator found out about it.
    pub info: naga::valid::ModuleInfo,
    /// The text it came from.
    pub source: SourceMap,
    /// What that text is written in.
    pub language: Language,
    /// The places in it that findings speak of.
    pub sites: Sites,
    /// Why races that are found in it may be none.
    pub doubt: Option<String>,
    /// What was guessed of it.
    pub guessed: Option<Guess>,
}

impl Program {
    /// The program that `parsed` is under these values of its overrides.
    pub fn new(parsed: &Parsed, overrides: &BTreeMap<String, f64>) -> Result<Self> {
        let _span = tracing::info_span!("program").entered();
        let specialised = parsed.origin.as_ref().and_then(|origin| origin.specialised(overrides));
        if let Some(specialised) = specialised {
            return Self::resolved(&specialised?, &BTreeMap::new());
        }
        Self::resolved(parsed, overrides)
    }

    fn resolved(parsed: &Parsed, overrides: &BTreeMap<String, f64>) -> Result<Self> {
        let (mut module, info) = overrides::resolve(parsed, overrides)?;
        let source = parsed.source.clone();
        let mut sites = access::enumerate(&module, &info);
        match &parsed.origin {
            None => spans::mend(&mut sites, &module, &parsed.source),
            Some(origin) => origin.place(&mut sites, &mut module),
        }
        let language = parsed.origin.as_ref().map_or(Language::Wgsl, |origin| origin.language());
        let doubt = parsed.origin.as_ref().and_then(|origin| origin.doubt());
        let guessed = parsed.origin.as_ref().and_then(|origin| origin.guessed());
        Ok(Self { module, info, source, language, sites, doubt, guessed })
    }

    /// Indices and names of its compute entry points.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &str)> {
        let entries = self.module.entry_points.iter().enumerate();
        entries
            .filter(|(_, entry)| entry.stage == naga::ShaderStage::Compute)
            .map(|(index, entry)| (index, entry.name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use crate::ir::access::Action;

    fn program(text: &str, overrides: &[(&str, f64)]) -> Result<Program> {
        let overrides =
            overrides.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Program::new(&wgsl::parse("test.wgsl", text)?, &overrides)
    }

    const SIZED: &str = "
        override n: u32;
        var<workgroup> tile: array<u32, n>;
        var<workgroup> other: array<u32, 64>;
        @compute @workgroup_size(n) fn main(@builtin(local_invocation_index) l: u32) {
            tile[l] += other[n - 1u - l];
        }";

    #[test]
    fn overrides_become_constants_everywhere() {
        let program = program(SIZED, &[("n", 64.0)]).unwrap();
        assert_eq!(program.module.entry_points[0].workgroup_size, [64, 1, 1]);
        assert!(program.module.overrides.is_empty());
        let arrays = program.module.types.iter().filter_map(|(_, ty)| match ty.inner {
            naga::TypeInner::Array { size, .. } => Some(size),
            _ => None,
        });
        let size = naga::ArraySize::Constant(std::num::NonZeroU32::new(64).unwrap());
        assert_eq!(arrays.collect::<Vec<_>>(), [size; 2]);
        let actions = program.sites.accesses().map(|(_, _, access)| access.action);
        assert_eq!(actions.collect::<Vec<_>>(), [Action::Read, Action::Read, Action::Write]);
    }

    #[test]
    fn an_override_without_a_value_is_told_at_its_declaration() {
        let error = program(SIZED, &[]).unwrap_err();
        assert_eq!(error.message, "no value given for override `n`");
        assert_eq!(error.help.as_deref(), Some("give one: `--override n=VALUE`"));
        let map = error.source_map.unwrap();
        assert!(map.snippet(error.labels[0].0).contains("override n"), "{:?}", error.labels);
    }

    #[test]
    fn a_misspelt_override_is_told_the_right_name() {
        let text =
            SIZED.replace("override n", "override tile_size").replace(", n>", ", tile_size>");
        let text = text.replace("(n)", "(tile_size)").replace("n - 1u", "tile_size - 1u");
        let error = program(&text, &[("tilesize", 1.0)]).unwrap_err();
        assert_eq!(error.message, "`test.wgsl` has no override `tilesize`");
        assert_eq!(error.help.as_deref(), Some("did you mean `tile_size`?"));
    }

    #[test]
    fn an_override_with_an_id_goes_by_its_name_or_its_number() {
        let text = "@id(7) override size: u32 = 2u; override twice = size * 2u;
            @compute @workgroup_size(twice) fn main() {}";
        let x = |overrides: &[(&str, f64)]| {
            program(text, overrides).unwrap().module.entry_points[0].workgroup_size[0]
        };
        assert_eq!(x(&[]), 4);
        assert_eq!(x(&[("size", 8.0)]), 16);
        assert_eq!(x(&[("7", 8.0)]), 16);
        assert_eq!(x(&[("twice", 3.0)]), 3);
    }

    #[test]
    fn an_array_length_of_zero_is_refused() {
        for value in [0.0, -1.0, 1e300, f64::NAN] {
            assert!(program(SIZED, &[("n", value)]).is_err(), "{value}");
        }
    }
}
