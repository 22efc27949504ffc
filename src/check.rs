//! Checks a kernel and returns the results.

use crate::contents::Contents;
use crate::error::{Result, style};
use crate::host_shareable::HostShareable;
use crate::kernel::Kernel;
use crate::launch::Launch;
use bytemuck::AnyBitPattern;
use hirace_core::amplify::record::ProcessTask;
use hirace_core::check::Options;
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::source::check_launches;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::facts::{LaunchFacts, Verdict};
use hirace_core::finding::fingerprint::digest;
use hirace_core::launch::spec::Binding;
use hirace_core::process;
use hirace_core::process_mutation::{ProcessMutation, reject_selected_mutant};
use hirace_core::report::document::{Finding, Report};
use hirace_core::report::{compose, text};
use std::fmt;

/// Runs `kernel` as `launch` says, and watches every access to memory that invocations share. Returns the findings and the final
/// contents of buffers.
///
/// ```
/// use hirace::{Kernel, Launch, Verdict, check};
///
/// let kernel = Kernel::from_wgsl("tally.wgsl", "
///     @group(0) @binding(0) var<storage, read_write> count: u32;
///     @compute @workgroup_size(64)
///     fn tally() { count += 1u; }
/// ")?;
/// let checked = check(&kernel, Launch::new().workgroups(4))?;
/// assert_eq!(checked.verdict(), Verdict::Findings);
/// for finding in checked.findings() {
///     assert_eq!(finding.message, "data race on `count` (storage memory)");
///     assert_eq!(finding.accesses[0].line, 4);
/// }
/// # Ok::<(), hirace::Error>(())
/// ```
///
/// Names, sizes and types in the launch that do not match the kernel are errors:
///
/// ```
/// # use hirace::{Kernel, Launch, check};
/// # let kernel = Kernel::from_wgsl("tally.wgsl", "
/// #     @group(0) @binding(0) var<storage, read_write> count: u32;
/// #     @compute @workgroup_size(64) fn tally() { count += 1u; }")?;
/// let error = check(&kernel, Launch::new().buffer("counter", &0u32)).unwrap_err();
/// assert_eq!(error.message(), "tally.wgsl has no variable `counter` to give contents to");
/// assert_eq!(error.help(), Some("did you mean `count`?"));
/// # Ok::<(), hirace::Error>(())
/// ```
pub fn check(kernel: &Kernel, launch: Launch) -> Result<Checked> {
    let executor = launch.executor()?;
    let Launch { spec, schedules, watch, first_error, .. } = launch;
    if let Some(error) = first_error {
        return Err(error.into());
    }
    let kernels = kernel.entry().map(str::to_owned).into_iter().collect();
    let options = Options { kernels, launches: vec![spec], schedules, watch, ..Options::default() };
    let parsed = kernel.parsed()?;
    reject_selected_mutant("the checks of the crate `hirace`")?;
    let checked = process::run_check(executor.as_ref(), options, |options, mut session| {
        check_launches(parsed.as_ref(), options, &mut session)
    })?;
    if let Some(failure) = checked.failures.into_iter().next() {
        return Err(Box::new(failure).into());
    }
    Ok(Checked {
        report: compose::report(&checked.launches),
        launches: checked.launches,
        memories: checked.memories,
        warnings: checked.warnings,
    })
}

/// The results of a [`check`]. `Display` formats the report.
#[derive(Clone, Debug)]
pub struct Checked {
    report: Report,
    launches: Vec<LaunchFacts>,
    memories: Vec<FinalMemory>,
    warnings: Vec<Diagnostic>,
}

impl Checked {
    /// Panics with the whole report unless nothing was found and nothing is missing: the verdict is [`Verdict::Clean`], or
    /// [`Verdict::NoFindings`] if something of the launch was guessed. An inconclusive verdict is not clean: add what the launch had
    /// to guess. Findings that are warnings do not count, such as a race in which all invocations write the same value.
    ///
    /// ```should_panic
    /// # use hirace::{Kernel, Launch, check};
    /// let kernel = Kernel::from_wgsl("tally.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> count: u32;
    ///     @compute @workgroup_size(64)
    ///     fn tally() { count += 1u; }
    /// ")?;
    /// check(&kernel, Launch::new().workgroups(4))?.assert_clean();
    /// # Ok::<(), hirace::Error>(())
    /// ```
    #[track_caller]
    pub fn assert_clean(&self) -> &Self {
        if !self.verdict().is_success()
            // The check has refused a request that cannot be followed.
            && let Ok(Some(mutated)) = ProcessMutation::of_process()
            && !mutated.record_not_clean()
        {
            return self;
        }
        match self.verdict() {
            verdict if verdict.is_success() => self,
            Verdict::Findings => panic!("the kernel is not clean\n\n{self}"),
            Verdict::Inconclusive => {
                panic!(
                    "the check is inconclusive: it is not known whether the kernel is clean\n\n{self}"
                )
            }
            other => panic!("the verdict is {other:?}, not clean\n\n{self}"),
        }
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        self.report.verdict
    }

    /// Returns the findings.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.report.launches.iter().flat_map(|launch| &launch.findings)
    }

    /// Returns the report of the check. [`crate::report`] converts it to text, JSON, SARIF and GitHub annotations.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check, report};
    ///
    /// let text = "@compute @workgroup_size(1) fn nothing() {}";
    /// let checked = check(&Kernel::from_wgsl("nothing.wgsl", text)?, Launch::new().workgroups(1))?;
    /// assert!(report::json::report(checked.report()).contains(r#""verdict": "clean""#));
    /// assert!(checked.to_string().starts_with("clean: nothing.wgsl: `nothing`"));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the facts about each launch as types, for programs that base decisions on them.
    ///
    /// ```
    /// use hirace::facts::{Doubt, Warning};
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("scatter.wgsl", "
    ///     @group(0) @binding(0) var<storage> to: array<u32>;
    ///     @group(0) @binding(1) var<storage, read_write> out: array<u32>;
    ///     @compute @workgroup_size(64)
    ///     fn scatter(@builtin(global_invocation_id) id: vec3<u32>) { out[to[id.x]] = id.x; }
    /// ")?;
    /// let checked = check(&kernel, Launch::new().workgroups(4))?;
    /// let launch = &checked.launches()[0];
    /// assert!(launch.warnings.iter().all(|warning| !matches!(warning, Warning::OracleDisagrees { .. })));
    /// assert!(matches!(&launch.findings[0].doubts[..], [Doubt::Address(on)] if on.contents == ["to"]));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn launches(&self) -> &[LaunchFacts] {
        &self.launches
    }

    /// Returns the contents of a buffer after the launch as a number, a vector, a struct, an array, a `Vec` or any other type
    /// that fits the buffer's type. Padding is left out.
    ///
    /// If the grid was guessed, these are the contents after the smallest launch. Guessed buffers can be read too.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("tally.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
    ///     @group(0) @binding(1) var<storage, read_write> last: array<u32>;
    ///     @compute @workgroup_size(64)
    ///     fn tally(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    ///         atomicAdd(&count, 1u);
    ///         if (lane == 0u) { last[group.x] = group.x; }
    ///     }
    /// ")?;
    /// let checked = check(&kernel, Launch::new().workgroups(4).zeros("last", 4).buffer("count", &0u32))?;
    /// assert_eq!(checked.buffer::<u32>("count")?, 256);
    /// assert_eq!(checked.buffer::<Vec<u32>>("last")?, [0, 1, 2, 3]);
    /// assert_eq!(checked.buffer::<[u32; 4]>("last")?, [0, 1, 2, 3]);
    ///
    /// let error = checked.buffer::<Vec<f32>>("last").unwrap_err();
    /// assert_eq!(error.message(), "`last` is `array<u32>`: it cannot be read as `Vec<f32>`");
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn buffer<T: HostShareable>(&self, name: &str) -> Result<T> {
        Contents::of(self.memory(name)?).buffer(name)
    }

    /// Returns the memory of a buffer after the launch as plain old data. See [`Launch::bytes`] for an example.
    pub fn bytes<T: AnyBitPattern>(&self, name: &str) -> Result<Vec<T>> {
        Contents::of(self.memory(name)?).bytes(name)
    }

    /// Returns the contents of a buffer after the launch as a type with `encase::ShaderType`. See [`Launch::encased`] for an
    /// example.
    #[cfg(feature = "encase")]
    pub fn encased<T>(&self, name: &str) -> Result<T>
    where
        T: encase::ShaderType + encase::internal::CreateFrom,
    {
        Contents::of(self.memory(name)?).encased(name)
    }

    /// Returns the texels of a texture after the launch, x fastest, then y, then z or layers, as numbers or vectors of its
    /// components. See [`Launch::texture`] for an example.
    pub fn texture<T: HostShareable>(&self, name: &str) -> Result<Vec<T>> {
        Contents::of(self.memory(name)?).texture(name)
    }

    /// Returns the contents of memory after the dispatch with this index, counted from 0, if
    /// [`Launch::keep_contents`] follows that dispatch.
    pub fn contents_after(&self, dispatch: usize) -> Result<Contents<'_>> {
        let kept = self.memories.iter().find_map(|memory| memory.after_dispatch(dispatch));
        kept.map(Contents::owned).ok_or_else(|| {
            let error = format!("the memory after dispatch {dispatch} was not kept");
            let help = "call `.keep_contents()` after the dispatch to keep its memory (dispatches are counted from 0)";
            Box::new(Diagnostic::new(error).help(help)).into()
        })
    }

    /// Returns the contents of memory after the launch under each schedule of [`Launch::schedules`], with its seed.
    /// [`Launch::schedule`] runs a single schedule. If the grid of the launch was guessed, there may be none.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("tickets.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
    ///     @group(0) @binding(1) var<storage, read_write> got: array<u32>;
    ///     @compute @workgroup_size(1)
    ///     fn take(@builtin(workgroup_id) id: vec3<u32>) { got[id.x] = atomicAdd(&next, 1u); }
    /// ")?;
    /// let launch = Launch::new().workgroups(4).buffer("next", &0u32).zeros("got", 4).schedules(5);
    /// let checked = check(&kernel, launch)?;
    /// for (_, contents) in checked.assert_clean().schedules() {
    ///     let mut got: Vec<u32> = contents.buffer("got")?;
    ///     got.sort();
    ///     assert_eq!(got, [0, 1, 2, 3]);
    /// }
    /// assert!(checked.differing_schedules("next")?.is_empty()); // the number of tickets does not depend on the order,
    /// assert!(!checked.differing_schedules("got")?.is_empty()); // but the assignment of tickets does
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn schedules(&self) -> Vec<(u64, Contents<'_>)> {
        let of = |memory: &FinalMemory| {
            let seeds: Vec<u64> = memory.schedules.keys().copied().collect();
            let under = |seed| Some((seed, Contents::owned(memory.after_schedule(seed)?)));
            seeds.into_iter().filter_map(under).collect::<Vec<_>>()
        };
        self.memories.iter().flat_map(of).collect()
    }

    /// Returns the seeds of the schedules under which the final bits of a buffer or texture differ from those under the serial
    /// order.
    pub fn differing_schedules(&self, name: &str) -> Result<Vec<u64>> {
        let memory = self.memory(name)?;
        let plain = memory.contents(name)?;
        let mut differing = Vec::new();
        for &seed in memory.schedules.keys() {
            if let Some(under) = memory.after_schedule(seed)
                && Contents::owned(under).bits(name)? != plain
            {
                differing.push(seed);
            }
        }
        Ok(differing)
    }

    /// Panics unless a buffer holds the contents that `spec` describes, in the syntax of [`Launch::contents`] and `--buffer`.
    ///
    /// ```should_panic
    /// # use hirace::{Kernel, Launch, check};
    /// # let kernel = Kernel::from_wgsl("count.wgsl", "
    /// #     @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    /// #     @compute @workgroup_size(4)
    /// #     fn count(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = id.x; }")?;
    /// let checked = check(&kernel, Launch::new().workgroups(1).zeros("data", 4))?;
    /// checked.assert_holds("data", "0,1,2,4"); // number 3 of `data` is 3, and 4 is expected
    /// # Ok::<(), hirace::Error>(())
    /// ```
    #[track_caller]
    pub fn assert_holds(&self, name: &str, spec: &str) -> &Self {
        let differs = || -> Result<_> {
            let expected = Binding::new(name, spec)?;
            Ok(self.memory(name)?.find_difference(&expected, 0.0)?)
        };
        match differs() {
            Ok(None) => self,
            Ok(Some(differs)) => panic!(
                "number {} of `{name}` is {}, and {} is expected",
                differs.index, differs.actual, differs.expected
            ),
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a hash of the bits of a buffer or texture after the launch, to pin results that are too large to write down. The
    /// hash does not depend on the platform or the version.
    pub fn digest(&self, name: &str) -> Result<u64> {
        Ok(digest(&self.memory(name)?.contents(name)?))
    }

    /// Returns the memory of the only launch that used `name`.
    fn memory(&self, name: &str) -> Result<&FinalMemory> {
        if let Some(amplified) = ProcessTask::get()? {
            process::require_recorded(amplified.record_read(name))?;
        }
        let mut holding = self.memories.iter().filter(|memory| memory.holds(name));
        match (holding.next(), holding.next()) {
            (Some(memory), None) => Ok(memory),
            (None, _) => match self.memories.first() {
                Some(memory) => Ok(memory),
                None => Err(Box::new(Diagnostic::new("nothing was launched")).into()),
            },
            (Some(_), Some(_)) => {
                let error = Diagnostic::new(format!("`{name}` was used by several launches"));
                let help = "choose an entry point: `kernel.with_entry(\"main\")`";
                Err(Box::new(error.help(help)).into())
            }
        }
    }
}

/// Formats the report as text, without colors unless `CARGO_TERM_COLOR=always`.
impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for warning in &self.warnings {
            writeln!(f, "{}", text::warning(warning, style()))?;
        }
        f.write_str(&text::report(&self.report, style()))
    }
}
