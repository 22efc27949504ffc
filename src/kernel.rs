//! What is checked: a kernel that `#[hirace::monitor]` made of a Rust function, or WGSL, SPIR-V or GLSL that is
//! there already.

use crate::error::Result;
use hirace_core::cover::located;
use hirace_core::cover::record::Record;
#[cfg(feature = "glsl")]
use hirace_core::front::glsl;
use hirace_core::front::rust::compose::pieces::{self, Piece};
use hirace_core::front::rust::map::Map;
use hirace_core::front::rust::{parse_file_among, parse_printed, template};
#[cfg(feature = "spirv")]
use hirace_core::front::spirv;
use hirace_core::front::{Parsed, wgsl};
use hirace_core::ir::bindings::bindings;
use hirace_core::mutated::Mutated;
use hirace_core::pass::monitor::{Options, monitor};
use hirace_core::program::Program;
use hirace_core::source_map::SourceMap;
use hirace_core::watch::{Request, WatchPlan};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use hirace_core::front::rust::template::Hole;
pub use hirace_core::ir::bindings::{Binding, BindingKind};

/// A compute kernel: WGSL text, where it came from, and what it wants bound.
///
/// `#[hirace::monitor]` puts a module beside each kernel, of the same name, in which `kernel()` gives one
/// of these. What exists already is taken by [`Kernel::from_wgsl`], and by `Kernel::from_spirv` and
/// `Kernel::from_glsl` under the features `spirv` and `glsl`.
#[derive(Clone, Debug)]
pub struct Kernel {
    origin: KernelSource,
    entry: Option<Cow<'static, str>>,
}

#[derive(Clone, Debug)]
enum KernelSource {
    Rust { parts: &'static Parts, values: Cow<'static, [u32]> },
    Parsed { parsed: Arc<Parsed>, wgsl: Arc<str>, bindings: Arc<[Binding]> },
}

/// What the macro leaves of a monitored item in the user's program, for every kernel in it. All of it is
/// static: `static PARTS: Parts = Parts { … }` in the code that the macro makes.
///
/// ```
/// mod clear {
///     use hirace::kernel::{Binding, BindingKind, Kernel, Parts};
///     use std::borrow::Cow;
///
///     static PARTS: Parts = Parts {
///         wgsl: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
/// @compute @workgroup_size(64) fn clear(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = 0u; }",
///         holes: &[],
///         instrumented: None,
///         map: "", // `Map::encode`
///         file: "src/kernels.rs",
///         line: 3,
///         text: "fn clear(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) { out[id.x] = 0; }",
///         beside: &[],
///         names: &[],
///         bindings: &[Binding {
///             name: Cow::Borrowed("out"),
///             group: 0,
///             binding: 0,
///             kind: BindingKind::StorageReadWrite,
///             ty: Cow::Borrowed("array<u32>"),
///         }],
///     };
///
///     pub fn kernel() -> Kernel {
///         Kernel::from_parts(&PARTS, "clear")
///     }
/// }
/// assert_eq!(clear::kernel().entry(), Some("clear"));
/// ```
#[derive(Debug)]
pub struct Parts {
    /// The WGSL text, with an entry point for each kernel. What it checks of itself is left out of what is handed
    /// out.
    pub wgsl: &'static str,
    /// Where in it the const parameters of a generic kernel stand. For others, empty.
    pub holes: &'static [Hole],
    /// The same with the monitor built in; `None` for a generic kernel, whose instances differ.
    pub instrumented: Option<&'static str>,
    /// Where each stretch of the WGSL came from:
    /// [`Map::encode`](hirace_core::front::rust::map::Map::encode). Lines are those of `file`.
    pub map: &'static str,
    /// The Rust file, as reports name it.
    pub file: &'static str,
    /// Which line of it `text` begins with, from 1.
    pub line: u32,
    /// The file, or the lines of it that hold the item.
    pub text: &'static str,
    /// What of Rust the kernels use that stands elsewhere.
    pub beside: &'static [Beside],
    /// What WGSL calls otherwise than Rust: (as in WGSL, as in Rust). Buffers, members, functions.
    pub names: &'static [(&'static str, &'static str)],
    /// What it wants bound, by group and number.
    pub bindings: &'static [Binding],
}

impl Parts {
    fn pieces(&self) -> Vec<Piece<'static>> {
        let own = Piece { file: self.file, line: self.line, text: self.text };
        let beside = self.beside.iter();
        let beside = beside.map(|&Beside { file, line, text }| Piece { file, line, text });
        std::iter::once(own).chain(beside).collect()
    }

    /// What is known of its files. Lines that are not known are empty, so that numbers are right.
    fn source(&self) -> SourceMap {
        pieces::source(&self.pieces())
    }

    /// Where its WGSL came from.
    fn decoded_map(&self) -> Map {
        let files = pieces::files(&self.pieces()).into_iter().map(str::to_owned).collect();
        Map { files, ..Map::decode(self.map).unwrap_or_default() }
    }
}

/// Lines of Rust that a kernel uses and that do not stand in its item.
#[derive(Debug)]
pub struct Beside {
    /// The file, as reports name it.
    pub file: &'static str,
    /// Which line of it `text` begins with, from 1.
    pub line: u32,
    /// The lines.
    pub text: &'static str,
}

/// What the kernels of an item hold that uses others. For code that the macro makes, which makes this in a place of its own.
pub trait Monitored {
    /// It.
    fn parts() -> &'static Parts;
}

impl Parts {
    /// A text of these without what only checks something.
    fn without_checks(&self, text: Cow<'static, str>) -> Cow<'static, str> {
        let map = Map::decode(self.map).unwrap_or_default();
        match map.without_checks(&text) {
            Cow::Owned(text) => Cow::Owned(text),
            Cow::Borrowed(_) => text,
        }
    }
}

impl Kernel {
    /// The kernel `entry` of a monitored item. For code that the macro makes.
    pub const fn from_parts(parts: &'static Parts, entry: &'static str) -> Self {
        Self::instance(parts, entry, &[])
    }

    /// A generic kernel with these values of its const parameters: `Kernel::instance(&PARTS, "f", &[N as
    /// u32])`. For code that the macro makes.
    pub const fn instance(
        parts: &'static Parts,
        entry: &'static str,
        values: &'static [u32],
    ) -> Self {
        let origin = KernelSource::Rust { parts, values: Cow::Borrowed(values) };
        Self { origin, entry: Some(Cow::Borrowed(entry)) }
    }

    /// The kernels of the WGSL text `text`, called `name` in reports.
    ///
    /// ```
    /// let text = "@compute @workgroup_size(64) fn main() {}";
    /// let kernel = hirace::Kernel::from_wgsl("empty.wgsl", text)?;
    /// assert_eq!(kernel.wgsl(), text);
    ///
    /// let error = hirace::Kernel::from_wgsl("typo.wgsl", "fn main( {}").unwrap_err();
    /// assert!(error.message.contains("expected"));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn from_wgsl(name: &str, text: &str) -> Result<Self> {
        Self::of(made(text, |text| wgsl::parse(name, text))?)
    }

    /// The kernels of the SPIR-V module `bytes`, called `name` in reports. Findings are shown in the sources
    /// that the module holds, else in its listing.
    ///
    /// What cannot be taken is listed in
    /// [docs/spirv.md](https://docs.rs/crate/hirace/latest/source/docs/spirv.md).
    ///
    /// ```no_run
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_spirv("sum.spv", &std::fs::read("shaders/sum.spv").unwrap())?;
    /// check(&kernel, Launch::new().workgroups(4).zeros("out", 4))?.assert_clean();
    /// # Ok::<(), hirace::Error>(())
    /// ```
    #[cfg(feature = "spirv")]
    pub fn from_spirv(name: &str, bytes: &[u8]) -> Result<Self> {
        Self::of(spirv::parse_bytes(name, bytes, &|_| None)?)
    }

    /// The kernel of the GLSL compute shader `text`, called `name` in reports.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, Verdict, check};
    ///
    /// let kernel = Kernel::from_glsl("tally.comp", "#version 450
    ///     layout(local_size_x = 64) in;
    ///     layout(binding = 0) buffer Tally { uint count; };
    ///     void main() { count += 1; }")?;
    /// let checked = check(&kernel, Launch::new().workgroups(4))?;
    /// assert_eq!(checked.verdict(), Verdict::Findings);
    /// assert_eq!(checked.findings().next().unwrap().accesses[0].line, 4);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    #[cfg(feature = "glsl")]
    pub fn from_glsl(name: &str, text: &str) -> Result<Self> {
        Self::of(made(text, |text| glsl::parse(name, text))?)
    }

    fn of(parsed: Parsed) -> Result<Self> {
        let (wgsl, bindings) = (parsed.plain()?.into(), bindings(&parsed.module).into());
        let origin = KernelSource::Parsed { parsed: Arc::new(parsed), wgsl, bindings };
        Ok(Self { origin, entry: None })
    }

    /// The kernel at the entry point `name`, of a text or module with several.
    ///
    /// ```
    /// let text = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(2) fn b() {}";
    /// let kernel = hirace::Kernel::from_wgsl("two.wgsl", text)?;
    /// assert_eq!(kernel.entry(), None);
    /// assert_eq!(kernel.with_entry("b").entry(), Some("b"));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn with_entry(mut self, name: &str) -> Self {
        self.entry = Some(Cow::Owned(name.to_owned()));
        self
    }

    /// The entry point that a launch without dispatches of its own runs; `None`: each in turn.
    pub fn entry(&self) -> Option<&str> {
        self.entry.as_deref()
    }

    /// The entry point as its WGSL calls it, to make a pipeline of. It differs from [`Kernel::entry`] where WGSL
    /// has the name for itself.
    pub fn wgsl_entry(&self) -> Option<&str> {
        let entry = self.entry()?;
        let KernelSource::Rust { parts, .. } = &self.origin else { return Some(entry) };
        // A buffer may have the same name in Rust.
        let is_function = |name: &str| parts.wgsl.contains(&format!("fn {name}("));
        let mut renamed = parts.names.iter().filter(|(_, rust)| *rust == entry);
        Some(renamed.find(|(wgsl, _)| is_function(wgsl)).map_or(entry, |(wgsl, _)| wgsl))
    }

    /// Its WGSL, to make a shader module of. Of SPIR-V and GLSL it is a translation, to be read rather than run:
    /// WGSL has no words for their fences and scopes.
    pub fn wgsl(&self) -> Cow<'_, str> {
        self.handed_out();
        match &self.origin {
            KernelSource::Rust { parts, values } => match self.mutant() {
                // One that does not come this far is in no population.
                Some(Ok(mutant)) => match mutant.plain() {
                    Ok(wgsl) => Cow::Owned(wgsl.into_owned()),
                    Err(_) => Cow::Owned(mutant.wgsl().text().to_owned()),
                },
                _ => parts.without_checks(filled(parts, values)),
            },
            KernelSource::Parsed { wgsl, .. } => Cow::Borrowed(wgsl),
        }
    }

    /// Its WGSL with the monitor built in: it watches itself for data races, with what overrides default to.
    ///
    /// ```
    /// let text = "
    ///     @group(0) @binding(0) var<storage, read_write> count: u32;
    ///     @compute @workgroup_size(64) fn tally() { count += 1u; }";
    /// let kernel = hirace::Kernel::from_wgsl("tally.wgsl", text)?;
    /// assert!(kernel.instrumented()?.contains("hirace_"));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn instrumented(&self) -> Result<Cow<'_, str>> {
        self.handed_out();
        if let KernelSource::Rust { parts: Parts { instrumented: Some(text), .. }, .. } =
            &self.origin
            && self.mutant().is_none()
        {
            return Ok(Cow::Borrowed(text));
        }
        let program = Program::new(self.parsed()?.as_ref(), &BTreeMap::new())?;
        let watch = WatchPlan::of_all(&program, &Request::default());
        Ok(Cow::Owned(monitor(&program, &watch, &Options::default())?.wgsl()?))
    }

    /// Notes for `hirace cover` that a host may run it now, unseen.
    fn handed_out(&self) {
        if let Some(record) = Record::of_process() {
            let file = match &self.origin {
                KernelSource::Rust { parts, .. } => {
                    let source = parts.source();
                    let found = located::find(parts.file, source.file_text(parts.file).0);
                    found.map_or_else(|| parts.file.to_owned(), |found| found.file)
                }
                KernelSource::Parsed { parsed, .. } => parsed.source.name().to_owned(),
            };
            // Where nothing can be written, the next check says so.
            let _ = record.handed_out(&file, self.entry().unwrap_or_default());
        }
    }

    /// The kernel as the checker takes it.
    pub(crate) fn parsed(&self) -> Result<Cow<'_, Parsed>> {
        if let Some(mutant) = self.mutant() {
            return Ok(Cow::Owned(mutant?));
        }
        match &self.origin {
            KernelSource::Rust { parts, values } => {
                let source = parts.source();
                let map = parts.decoded_map();
                let text = filled(parts, values);
                Ok(Cow::Owned(parse_printed(&source, &text, map, parts.names)?))
            }
            KernelSource::Parsed { parsed, .. } => Ok(Cow::Borrowed(parsed)),
        }
    }

    /// A kernel in Rust as it is with the mistake that `hirace mutate` made in its file.
    fn mutant(&self) -> Option<hirace_core::diagnostic::Result<Parsed>> {
        let KernelSource::Rust { parts, values } = &self.origin else { return None };
        let mutated = Mutated::of_process()?;
        let (source, pieces) = (parts.source(), parts.pieces());
        let found = |file: &str| located::find(file, source.file_text(file).0);
        let own = found(parts.file)?;
        // The mistake may be in a file that the kernel uses something of.
        let files = pieces::files(&pieces).into_iter();
        let (changed, text) = files
            .filter_map(found)
            .find_map(|file| mutated.of_hash(&file.text).map(|text| (file.file, text)))?;
        let entry = self.entry().unwrap_or_default();
        let path = Path::new(&own.file);
        let made = match changed == own.file {
            true => parse_file_among(parts.file, path, text, &[]),
            false => {
                let given = [(PathBuf::from(changed), text.to_owned())];
                parse_file_among(parts.file, path, &located::text_of(path)?, &given)
            }
        };
        let made = made.and_then(|file| file.kernel(entry, values));
        Some(made.inspect_err(|error| mutated.not_made(error)))
    }

    /// What it wants bound, by group and number.
    ///
    /// ```
    /// use hirace::kernel::BindingKind;
    ///
    /// let kernel = hirace::Kernel::from_wgsl("fill.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    ///     @compute @workgroup_size(64)
    ///     fn fill(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = 7u; }
    /// ")?;
    /// let [out] = kernel.bindings() else { panic!("one binding") };
    /// assert_eq!((&*out.name, &*out.ty), ("out", "array<u32>"));
    /// assert_eq!(out.kind, BindingKind::StorageReadWrite);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn bindings(&self) -> &[Binding] {
        match &self.origin {
            KernelSource::Rust { parts, .. } => parts.bindings,
            KernelSource::Parsed { bindings, .. } => bindings,
        }
    }
}

/// What is made of a text, or of it with the mistake that `hirace mutate` made in it.
fn made(
    text: &str,
    make: impl FnOnce(&str) -> hirace_core::diagnostic::Result<Parsed>,
) -> hirace_core::diagnostic::Result<Parsed> {
    let mutated = Mutated::of_process();
    match mutated.and_then(|mutated| Some((mutated, mutated.instead_of(text)?))) {
        Some((mutated, text)) => make(text).inspect_err(|error| mutated.not_made(error)),
        None => make(text),
    }
}

/// The text of `parts` with `values` in its holes.
fn filled(parts: &Parts, values: &[u32]) -> Cow<'static, str> {
    if parts.holes.is_empty() {
        return Cow::Borrowed(parts.wgsl);
    }
    Cow::Owned(template::filled(parts.wgsl, parts.holes, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    static PARTS: Parts = Parts {
        wgsl: "const n: u32 = 0x00000001u; @compute @workgroup_size(n) fn loop_() {}",
        holes: &[Hole { at: 15, parameter: 0 }],
        instrumented: None,
        map: "",
        file: "src/lib.rs",
        line: 1,
        text: "fn f<const N: u32>() {}",
        names: &[("loop_1", "loop"), ("loop_", "loop")],
        bindings: &[],
    };

    #[test]
    fn an_entry_point_has_a_name_for_each_language() {
        let kernel = Kernel::from_parts(&PARTS, "loop");
        assert_eq!((kernel.entry(), kernel.wgsl_entry()), (Some("loop"), Some("loop_")));
    }

    #[test]
    fn instances_of_a_generic_kernel_differ_in_their_values_alone() {
        const KERNEL: Kernel = Kernel::instance(&PARTS, "f", &[640]);
        let text = "const n: u32 = 0x00000280u; @compute @workgroup_size(n) fn loop_() {}";
        assert_eq!(KERNEL.wgsl(), text);
        assert_eq!(Hole::show(u32::MAX).len(), Hole::WIDTH);
    }
}
