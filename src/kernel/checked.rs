//! Kernels in the form that the checker needs, and kernels from texts that are read at run time.

use super::{Kernel, KernelSource, filled};
use crate::error::{Error, Result};
use hirace_core::cover::located;
use hirace_core::cover::record::Record;
#[cfg(feature = "glsl")]
use hirace_core::front::glsl;
use hirace_core::front::rust::compose::pieces::{self, Piece};
use hirace_core::front::rust::map::Map;
use hirace_core::front::rust::{parse_file_among, parse_printed};
#[cfg(feature = "spirv")]
use hirace_core::front::spirv;
use hirace_core::front::{ParsedModule, wgsl};
use hirace_core::ir::bindings::bindings;
use hirace_core::pass::monitor::{Options, monitor};
use hirace_core::process_mutation::ProcessMutation;
use hirace_core::program::Program;
use hirace_core::source_map::SourceMap;
use hirace_core::watch::{WatchOptions, WatchPlan};
use hirace_runtime::{Binding, Entry, Origin, Parts, RelatedSource};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kernel that was read from a text or a module at run time.
#[derive(Clone, Debug)]
pub struct ParsedKernel {
    parsed: Arc<ParsedModule>,
    pub wgsl: Arc<str>,
    pub entries: Arc<[Entry]>,
    /// The bindings of all entry points together.
    pub bindings: Arc<[Binding]>,
}

/// Returns the source pieces of a monitored item and of the items that it uses.
fn pieces(origin: &Origin) -> Vec<Piece<'static>> {
    let own = Piece { file: origin.file, line: origin.line, text: origin.text };
    let beside = origin.related.iter();
    let beside = beside.map(|&RelatedSource { file, line, text }| Piece { file, line, text });
    std::iter::once(own).chain(beside).collect()
}

/// Returns the pieces as one source. Unknown lines are empty, so that line numbers are correct.
fn source(parts: &Parts) -> SourceMap {
    match &parts.origin {
        Some(origin) => pieces::source(&pieces(origin)),
        None => SourceMap::new("the kernel", parts.wgsl),
    }
}

/// Returns the source map of the WGSL of a monitored item.
fn map(origin: &Origin) -> Map {
    let files = pieces::files(&pieces(origin)).into_iter().map(str::to_owned).collect();
    Map { files, ..Map::decode(origin.map).unwrap_or_default() }
}

impl Kernel {
    /// Reads the kernels of the WGSL text `text`, called `name` in reports.
    ///
    /// ```
    /// let text = "@compute @workgroup_size(64) fn main() {}";
    /// let kernel = hirace::Kernel::from_wgsl("empty.wgsl", text)?;
    /// assert_eq!(kernel.wgsl(), text);
    ///
    /// let error = hirace::Kernel::from_wgsl("typo.wgsl", "fn main( {}").unwrap_err();
    /// let place = &error.places()[0];
    /// assert_eq!((&*place.file, place.line), ("typo.wgsl", 1));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn from_wgsl(name: &str, text: &str) -> Result<Self> {
        Self::of(parse_or_mutant(text, |text| wgsl::parse(name, text))?)
    }

    /// Reads the kernels of the SPIR-V module `bytes`, called `name` in reports. Findings are shown in the sources that the
    /// module contains, or else in its disassembly.
    ///
    /// Unsupported features are listed in [spirv.md](https://docs.rs/crate/hirace/latest/source/docs/book/languages/spirv.md).
    ///
    /// ```no_run
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_spirv("sum.spv", &std::fs::read("shaders/sum.spv")?)?;
    /// check(&kernel, Launch::new().workgroups(4).zeros("out", 4))?.assert_clean();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "spirv")]
    pub fn from_spirv(name: &str, bytes: &[u8]) -> Result<Self> {
        Self::of(spirv::parse_bytes(name, bytes, &|_| None)?)
    }

    /// Reads the kernel of the GLSL compute shader `text`, called `name` in reports.
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
    /// assert_eq!(checked.report().launches[0].findings[0].accesses[0].line, 4);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    #[cfg(feature = "glsl")]
    pub fn from_glsl(name: &str, text: &str) -> Result<Self> {
        Self::of(parse_or_mutant(text, |text| glsl::parse(name, text))?)
    }

    fn of(parsed: ParsedModule) -> Result<Self> {
        let read = ParsedKernel {
            wgsl: parsed.plain()?.into(),
            entries: parsed.entries().into(),
            bindings: bindings(&parsed.module).into(),
            parsed: Arc::new(parsed),
        };
        Ok(Self { origin: KernelSource::Read(read), entry: None })
    }

    /// Returns the kernel's WGSL with the monitor included, which detects data races at run time.
    ///
    /// Overrides have their default values; an override without a default is an error. The text depends on the environment as
    /// [`Kernel::wgsl`] does: under `hirace mutate` it is that of the mutated kernel. The names and the layout of the monitor's
    /// buffers may change in every version.
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
        self.record_handed_out();
        let program = Program::new(self.parsed()?.as_ref(), &BTreeMap::new())?;
        let watch = WatchPlan::of_all(&program, &WatchOptions::default());
        Ok(Cow::Owned(monitor(&program, &watch, &Options::default())?.wgsl()?))
    }

    /// Records for `hirace cover` that a host may now run the kernel without being observed.
    ///
    /// # Panics
    /// The request of the command that runs this process is refused. Callers return no errors.
    pub(super) fn record_handed_out(&self) {
        let record = Record::of_process().unwrap_or_else(|error| panic!("{}", Error::from(error)));
        if let Some(record) = record {
            let file = match &self.origin {
                KernelSource::Rust { parts, .. } => {
                    let source = source(parts);
                    let name = parts.origin.as_ref().map_or(source.name(), |origin| origin.file);
                    let found = located::find(name, source.file_text(name).0);
                    found.map_or_else(|| name.to_owned(), |found| found.file)
                }
                KernelSource::Read(read) => read.parsed.source.name().to_owned(),
            };
            // If the record cannot be written, the next check reports it.
            let _ = record.handed_out(&file, self.entry().unwrap_or_default());
        }
    }

    /// Returns the kernel in the form that the checker needs.
    pub(crate) fn parsed(&self) -> Result<Cow<'_, ParsedModule>> {
        if let Some(mutant) = self.mutant() {
            return Ok(Cow::Owned(mutant?));
        }
        match &self.origin {
            KernelSource::Rust { parts, values, .. } => {
                let Some(origin) = &parts.origin else {
                    return Ok(Cow::Owned(wgsl::parse("the kernel", &filled(parts, values))?));
                };
                let text = match origin.checked {
                    Some((text, holes)) => {
                        Cow::Owned(hirace_runtime::fill_holes(text, holes, values))
                    }
                    None => filled(parts, values),
                };
                Ok(Cow::Owned(parse_printed(&source(parts), &text, map(origin), origin.names)?))
            }
            KernelSource::Read(read) => Ok(Cow::Borrowed(&read.parsed)),
        }
    }

    /// Returns a kernel in Rust with the mutation that `hirace mutate` made in its file.
    fn mutant(&self) -> Option<hirace_core::diagnostic::Result<ParsedModule>> {
        let KernelSource::Rust { parts, values, .. } = &self.origin else { return None };
        let mutated = match ProcessMutation::of_process() {
            Ok(mutated) => mutated?,
            Err(error) => return Some(Err(error)),
        };
        let origin = parts.origin.as_ref()?;
        let (source, pieces) = (source(parts), pieces(origin));
        let found = |file: &str| located::find(file, source.file_text(file).0);
        let own = found(origin.file)?;
        // The mutation may be in another file that the kernel uses.
        let files = pieces::files(&pieces).into_iter();
        let (changed, text) = files
            .filter_map(found)
            .find_map(|file| mutated.of_hash(&file.text).map(|text| (file.file, text)))?;
        let entry = self.entry().unwrap_or_default();
        let path = Path::new(&own.file);
        let made = match changed == own.file {
            true => parse_file_among(origin.file, path, text, &[]),
            false => {
                let given = [(PathBuf::from(changed), text.to_owned())];
                parse_file_among(origin.file, path, &located::text_of(path)?, &given)
            }
        };
        let made = made.and_then(|file| file.kernel(entry, values));
        Some(made.inspect_err(|error| mutated.record_not_made(error)))
    }

    /// Returns the text of a mutant, if the test process runs one.
    pub(super) fn mutated(&self) -> Option<String> {
        // A mutant that cannot be parsed is not counted.
        let mutant = self.mutant()?.ok()?;
        Some(match mutant.plain() {
            Ok(wgsl) => wgsl.into_owned(),
            Err(_) => mutant.wgsl().text().to_owned(),
        })
    }
}

/// Parses a text, or the mutant of it that `hirace mutate` made.
fn parse_or_mutant(
    text: &str,
    make: impl FnOnce(&str) -> hirace_core::diagnostic::Result<ParsedModule>,
) -> hirace_core::diagnostic::Result<ParsedModule> {
    match ProcessMutation::of_process()?
        .and_then(|mutated| Some((mutated, mutated.replacement(text)?)))
    {
        Some((mutated, text)) => make(text).inspect_err(|error| mutated.record_not_made(error)),
        None => make(text),
    }
}
