//! A generic kernel: WGSL with holes for the values of its const parameters.
//!
//! An instance is made by filling in the holes, so it needs neither the Rust source nor the compiler again.

use super::map::Map;
use super::print::{Selection, print};
use super::printed::parse_printed;
use super::tree::{ConstId, Entry, ExprKind, FunctionId, Module};
use crate::diagnostic::{Diagnostic, Result};
use crate::front::Parsed;
use crate::source_map::SourceMap;

pub use hirace_runtime::{Hole, fill_holes};

/// A generic kernel. See the [module](self).
#[derive(Clone, Debug)]
pub struct Template {
    /// The kernel's name in Rust.
    pub kernel: String,
    /// Its const parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The WGSL of one instance.
    pub wgsl: String,
    /// The source map, which is the same for all instances.
    pub map: Map,
    /// The names that differ between WGSL and Rust, as pairs.
    pub names: Vec<(String, String)>,
    /// The positions of the values in the WGSL.
    pub holes: Vec<Hole>,
    /// The Rust source, if it has several files.
    pub source: Option<SourceMap>,
}

/// A const parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// A value with which the workgroup has 64 invocations.
    pub guess: u32,
}

/// A value that does not occur in source code. Each parameter uses the next one as its marker.
const MARK: u32 = 0xa5c3_9600;

/// The values that are tried if nothing better is known.
const SAMPLES: [u32; 9] = [64, 8, 4, 16, 1, 2, 32, 128, 256];

impl Template {
    /// Returns the template of a kernel of `module` that is printed as a separate text, or `None` for any other
    /// function.
    pub fn of(module: &Module, kernel: FunctionId) -> syn::Result<Option<Self>> {
        let Some(function) = module.functions.get(kernel.0) else { return Ok(None) };
        let Some(entry) = function.entry.as_ref().filter(|entry| entry.is_separate()) else {
            return Ok(None);
        };
        let marks: Vec<u32> = (MARK..).take(entry.generics.len()).collect();
        let printed = print(module, &Selection::Instance(kernel, marks.clone()))?;
        let mut holes = Vec::new();
        for (parameter, &mark) in (0..).zip(&marks) {
            let mark = Hole::show(mark);
            let found = printed.wgsl.match_indices(&mark);
            holes.extend(found.map(|(at, _)| Hole { at: at as u32, parameter }));
        }
        holes.sort_unstable();
        let parameter = |&id: &ConstId| Parameter {
            name: module
                .consts
                .get(id.0)
                .map_or(String::new(), |constant| constant.name.text.clone()),
            guess: guess(entry, id),
        };
        Ok(Some(Self {
            kernel: function.name.text.clone(),
            parameters: entry.generics.iter().map(parameter).collect(),
            wgsl: printed.wgsl,
            map: printed.map,
            names: printed.names,
            holes,
            source: None,
        }))
    }

    /// Returns the WGSL of an instance.
    pub fn text(&self, values: &[u32]) -> String {
        fill_holes(&self.wgsl, &self.holes, values)
    }

    /// Creates an instance. `source` is the Rust source if it has only one file.
    pub fn instance(&self, source: &SourceMap, values: &[u32]) -> Result<Parsed> {
        let source = self.source.as_ref().unwrap_or(source);
        parse_printed(source, &self.text(values), self.map.clone(), &self.names)
    }

    /// Creates an instance with the given values, and chooses the others so that the kernel compiles. A kernel may
    /// compile for few combinations only.
    pub fn sample(&self, source: &SourceMap, given: &[Option<u32>]) -> Result<(Vec<u32>, Parsed)> {
        let value = |index: usize, other: u32| given.get(index).copied().flatten().unwrap_or(other);
        let guesses = self.parameters.iter().enumerate();
        let guesses = guesses.map(|(index, parameter)| value(index, parameter.guess)).collect();
        let same = |sample| (0..self.parameters.len()).map(|index| value(index, sample)).collect();
        let mut tries: Vec<Vec<u32>> = vec![guesses];
        tries.extend(SAMPLES.map(same));
        let mut refused = None;
        for values in tries {
            match self.instance(source, &values) {
                Ok(parsed) => return Ok((values, parsed)),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused
            .unwrap_or_else(|| Box::new(Diagnostic::new("no instance of this kernel compiles"))))
    }
}

/// Returns a value of a parameter with which a workgroup has 64 invocations. The parameter may be the size of several
/// dimensions.
fn guess(entry: &Entry, parameter: ConstId) -> u32 {
    let dimensions = entry.workgroup_size.iter().filter(|size| match &size.kind {
        ExprKind::Const(id) => *id == parameter,
        ExprKind::Convert(inner) => matches!(inner.kind, ExprKind::Const(id) if id == parameter),
        _ => false,
    });
    let all = entry.workgroup_size.iter().filter(|size| !matches!(size.kind, ExprKind::Literal(_)));
    match dimensions.count().max(all.count()) {
        0 | 1 => 64,
        2 => 8,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;

    fn template(text: &str) -> Template {
        let module = lower(&syn::parse_str(text).unwrap()).unwrap();
        Template::of(&module, FunctionId(0)).unwrap().unwrap()
    }

    const FILL: &str = "#[hirace::monitor(workgroup_size(N))]
        fn fill<const N: usize, const STEP: u32>(
            #[builtin(local_invocation_index)] lane: u32,
            out: &mut [u32],
            #[workgroup] tile: &mut [u32; N],
        ) { tile[lane] = STEP; out[lane] = tile[lane] + N as u32; }";

    #[test]
    fn instances_differ_in_their_values_alone() {
        let template = template(FILL);
        let names: Vec<_> = template.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!((template.kernel.as_str(), names), ("fill", vec!["N", "STEP"]));
        let (a, b) = (template.text(&[64, 3]), template.text(&[4096, 7]));
        assert_eq!(a.len(), b.len());
        assert!(a.contains("0x00000040u") && b.contains("0x00001000u"), "{a}\n{b}");
        assert!(!a.contains(&Hole::show(MARK)) && !a.contains(&Hole::show(MARK + 1)), "{a}");
        let source = SourceMap::new("fill.rs", FILL);
        let parsed = template.instance(&source, &[32, 3]).unwrap();
        assert_eq!(parsed.module.entry_points[0].workgroup_size, [32, 1, 1]);
    }

    #[test]
    fn missing_values_are_chosen_to_compile() {
        let text = "#[hirace::monitor(workgroup_size(N, M))]
            fn f<const N: usize, const M: usize>(#[workgroup] tile: &mut [[u32; M]; N]) {
                tile[3][N as u32 / 8] = 1;
            }";
        let (template, source) = (template(text), SourceMap::new("f.rs", text));
        let (values, parsed) = template.sample(&source, &[]).unwrap();
        assert_eq!(values, [8, 8]);
        assert_eq!(parsed.module.entry_points[0].workgroup_size, [8, 8, 1]);
        let (values, _) = template.sample(&source, &[Some(128), None]).unwrap();
        assert_eq!(values[0], 128);
        assert!(template.sample(&source, &[Some(0), None]).is_err());
    }
}
