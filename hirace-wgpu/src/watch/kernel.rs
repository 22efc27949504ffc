//! The kernel of a pipeline, which is parsed at its first dispatch.

use super::not_watched::NotWatchedReason;
use super::settings::Settings;
use super::shaders::Shaders;
use crate::forward::lock;
use crate::hooks::{CreatedPipeline, Module, PipelineRequest, Source};
use hirace_core::check::source::given_program;
use hirace_core::diagnostic::{self, Diagnostic};
use hirace_core::exec::matches_pattern;
#[cfg(feature = "glsl")]
use hirace_core::front::glsl;
use hirace_core::front::{wgsl, ParsedModule};
use hirace_core::launch::candidates::find_entry;
use hirace_core::program::Program;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The kernel of a pipeline. See the [module](self).
#[derive(Debug)]
pub(crate) struct Kernel {
    /// The label of the pipeline.
    pub(crate) label: Option<String>,
    module: Arc<Module>,
    entry_point: Option<String>,
    constants: Vec<(String, f64)>,
    read: OnceLock<Result<Arc<ParsedKernel>, NotWatchedReason>>,
    /// The number of dispatches.
    dispatches: AtomicU64,
    /// The digests of the launches that have been checked.
    checked: Mutex<HashSet<u64>>,
}

/// The program of a kernel.
#[derive(Debug)]
pub(crate) struct ParsedKernel {
    pub(crate) program: Arc<Program>,
    /// The index of the entry point.
    pub(crate) entry: usize,
}

impl Kernel {
    /// Creates the requested pipeline, with its kernel as the state, in an `Arc`.
    pub(crate) fn pipeline(request: &PipelineRequest<'_>) -> CreatedPipeline {
        let state = Some(Arc::new(Arc::new(Self::new(request))) as _);
        CreatedPipeline { pipeline: request.make(), layouts_of: None, state }
    }

    fn new(request: &PipelineRequest<'_>) -> Self {
        Self {
            label: request.label.filter(|label| !label.is_empty()).map(str::to_owned),
            module: Arc::clone(request.module),
            entry_point: request.entry_point.map(str::to_owned),
            constants: request.constants.iter().map(|&(n, v)| (n.to_owned(), v)).collect(),
            read: OnceLock::new(),
            dispatches: AtomicU64::new(0),
            checked: Mutex::default(),
        }
    }

    /// Returns the names of the kernel, the most specific first.
    fn names(&self) -> impl Iterator<Item = &str> {
        let names = [self.label.as_deref(), self.module_label(), self.entry_point.as_deref()];
        names.into_iter().flatten()
    }

    fn module_label(&self) -> Option<&str> {
        self.module.label.as_deref().filter(|label| !label.is_empty())
    }

    /// Returns the name of the kernel in a summary.
    pub(crate) fn name(&self) -> String {
        let name = self.names().next();
        name.map_or_else(|| "an unlabeled pipeline".to_owned(), |name| format!("`{name}`"))
    }

    /// Returns whether one of these patterns matches a name of the kernel.
    fn is_among(&self, patterns: &[String]) -> bool {
        self.names().any(|name| patterns.iter().any(|pattern| matches_pattern(pattern, name)))
    }

    /// Counts a dispatch. Returns whether it is to be checked.
    pub(crate) fn is_wanted(&self, settings: &Settings) -> bool {
        let before = self.dispatches.fetch_add(1, Ordering::Relaxed);
        let meant = (settings.only.is_empty() || self.is_among(&settings.only))
            && !self.is_among(&settings.ignore);
        meant && before.is_multiple_of(settings.every)
    }

    /// Returns whether a launch with this digest has been checked.
    pub(crate) fn is_known(&self, digest: u64) -> bool {
        lock(&self.checked).contains(&digest)
    }

    /// Records that a launch with this digest has been checked.
    pub(crate) fn record_checked(&self, digest: u64) {
        lock(&self.checked).insert(digest);
    }

    /// Returns the program of the kernel.
    pub(crate) fn read(&self, shaders: &Shaders) -> Result<Arc<ParsedKernel>, NotWatchedReason> {
        self.read.get_or_init(|| self.reading(shaders)).clone()
    }

    fn reading(&self, shaders: &Shaders) -> Result<Arc<ParsedKernel>, NotWatchedReason> {
        let label = self.module_label().or(self.label.as_deref());
        let unread = NotWatchedReason::Unread;
        let parsed = match &self.module.source {
            Source::Wgsl(text) => wgsl::parse(&shaders.name(label, text), text).map_err(unread)?,
            Source::Naga(module) => {
                let text = printed(module).map_err(unread)?;
                wgsl::parse(&shaders.name(label, &text), &text).map_err(unread)?
            }
            #[cfg(feature = "spirv")]
            Source::SpirV(words) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let name = format!("{}.spv", label.unwrap_or("shader"));
                hirace_core::front::parse_bytes(&name, &bytes, &|_| None).map_err(unread)?
            }
            #[cfg(feature = "glsl")]
            Source::Glsl { shader, defines, .. } => {
                let name = format!("{}.comp", label.unwrap_or("shader"));
                let settings =
                    glsl::Settings { defines: defines.clone(), ..glsl::Settings::default() };
                glsl::parse_with(&name, shader, &settings, &|_| None).map_err(unread)?
            }
            Source::Passthrough { .. } => return Err(NotWatchedReason::MachineCode),
            Source::Unread => return Err(NotWatchedReason::Language),
        };
        let read = self.of(&parsed).map_err(unread)?;
        Ok(Arc::new(read))
    }

    fn of(&self, parsed: &ParsedModule) -> diagnostic::Result<ParsedKernel> {
        let Some(program) = given_program(parsed, &self.constants(&parsed.module)) else {
            let error = "a pipeline-overridable constant has neither a value nor a default";
            return Err(Box::new(Diagnostic::new(error)));
        };
        let program = Arc::new(program?);
        let entry = match &self.entry_point {
            Some(name) => find_entry(&program, &self.name_in(&parsed.module, name))?,
            None => match program.entries().collect::<Vec<_>>()[..] {
                [(index, _)] => index,
                _ => {
                    let error = "the pipeline does not name an entry point, and the module does not have exactly one";
                    return Err(Box::new(Diagnostic::new(error)));
                }
            },
        };
        Ok(ParsedKernel { program, entry })
    }

    /// Returns the name in `module` of an entry point. A naga module is printed as WGSL, which may change names but not
    /// their order.
    fn name_in(&self, module: &naga::Module, name: &str) -> String {
        let there = match &self.module.source {
            Source::Naga(printed) => {
                let place = printed.entry_points.iter().position(|entry| entry.name == name);
                place.and_then(|place| module.entry_points.get(place))
            }
            _ => None,
        };
        there.map_or_else(|| name.to_owned(), |entry| entry.name.clone())
    }

    /// Returns the values of constants by their names in `module`; see [`Kernel::name_in`].
    fn constants(&self, module: &naga::Module) -> Vec<(String, f64)> {
        let Source::Naga(printed) = &self.module.source else { return self.constants.clone() };
        let name = |given: &str| {
            let mut pairs = printed.overrides.iter().zip(module.overrides.iter());
            let found = pairs.find(|((_, one), _)| match one.id {
                Some(id) => id.to_string() == given,
                None => one.name.as_deref() == Some(given),
            });
            let (_, (_, other)) = found?;
            other.id.map(|id| id.to_string()).or_else(|| other.name.clone())
        };
        let named =
            |(given, value): &(String, f64)| (name(given).unwrap_or_else(|| given.clone()), *value);
        self.constants.iter().map(named).collect()
    }
}

/// Returns a naga module as WGSL.
fn printed(module: &naga::Module) -> diagnostic::Result<String> {
    let failed = |error: String| Box::new(Diagnostic::new(error));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module);
    let info = info.map_err(|error| failed(error.into_inner().to_string()))?;
    naga::back::wgsl::write_string(module, &info, naga::back::wgsl::WriterFlags::empty())
        .map_err(|error| failed(error.to_string()))
}
