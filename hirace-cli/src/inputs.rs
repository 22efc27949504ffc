//! The inputs of a verb: which files are selected, how they are read, and the loop that checks each of them.

use crate::args::InputArgs;
use crate::config::Configs;
use crate::entries::Entries;
use crate::files::{self, Input};
use crate::modules::PreprocessInputs;
use hirace_adequacy::suite::configured::{self, Outcome};
use hirace_core::check::file;
use hirace_core::check::run::{self, Run, RunOutcome};
use hirace_core::check::source::check_launches;
use hirace_core::check::{CheckOutcome, LaunchGroup, Options, Session};
use hirace_core::config::TestSpec;
use hirace_core::deadline::{WaitOutcome, timeout_error};
use hirace_core::diagnostic::{Cause, Diagnostic, Result};
use hirace_core::event::Verb;
use hirace_core::exec::Watch;
use hirace_core::facts::DispatchOrder;
use hirace_core::front::{self, Kind, ParsedModule, rust};
use hirace_core::launch::spec::Contents;
use hirace_core::limits::Limits;
use hirace_core::preprocessing::Preprocessing;
use std::path::PathBuf;

/// The inputs selected by the arguments, and their configuration.
pub struct InputPlan {
    pub configs: Configs,
    pub inputs: Vec<Input>,
    /// The device limits that kernels must fit in, if a flag gives them.
    pub limits: Option<Limits>,
    /// The schedule of a dispatch of each launch, if a flag gives it.
    pub order: Option<DispatchOrder>,
}

/// The result of running all inputs.
pub struct InputsOutcome {
    /// How the run ended.
    pub ended: RunOutcome,
    /// The outcomes of the tests in hirace.toml, if the verb runs tests.
    pub tests: Vec<Outcome>,
}

impl InputPlan {
    /// Returns the inputs that `args` selects.
    pub fn new(args: &InputArgs) -> Result<Self> {
        let mut configs = Configs::new(args)?;
        let inputs = inputs(args, &mut configs)?;
        Ok(Self { configs, inputs, limits: None, order: None })
    }

    /// Returns these inputs, whatever paths `args` has.
    pub fn of(args: &InputArgs, inputs: Vec<Input>) -> Result<Self> {
        Ok(Self { configs: Configs::new(args)?, inputs, limits: None, order: None })
    }

    /// Checks all inputs in order. Verbs other than `check` monitor no memory.
    pub fn run(
        self,
        verb: Verb,
        args: &InputArgs,
        preprocessing: &PreprocessInputs,
        session: Session<'_>,
    ) -> Result<InputsOutcome> {
        let Self { mut configs, inputs, limits, order } = self;
        let mut tests = Vec::new();
        let mut run = Run::start(verb, inputs.len(), session);
        let mut entries = Entries::new(&args.launch.entry, inputs.len());
        for input in &inputs {
            let name = input.name();
            let taken = run::Input { name: &name, found: input.found, is_host: input.is_host() };
            let (configs, entries) = (&mut configs, &mut entries);
            let tests = &mut tests;
            let order = order.as_ref();
            let mut wanted =
                FileChecker { verb, limits, order, configs, entries, preprocessing, tests };
            run.input(taken, |run| check_file(args, input, &mut wanted, run));
        }
        if !run.is_stopped() {
            entries.unknown().for_each(|unknown| run.error(&unknown));
            entries.skipped_warning().into_iter().for_each(|warning| run.warn(warning));
        }
        Ok(InputsOutcome { ended: run.end()?, tests })
    }
}

/// The contents of an input file, with its launches and tests.
pub struct InputFile {
    pub input: Input,
    pub text: String,
    /// How its configuration preprocesses it.
    pub preprocessing: Preprocessing,
    /// The options with the launches of the file. They apply if the file has no tests.
    pub options: Options,
    /// The tests that hirace.toml defines for the file.
    pub tests: Vec<TestSpec>,
}

impl InputPlan {
    /// Returns a text that identifies the whole input: sources with the files that they refer to, buffer contents, launches, tests and
    /// modules. Shards of the same input are merged, and a stopped run of the same input can be resumed.
    pub fn key(&mut self, args: &InputArgs, preprocessing: &PreprocessInputs) -> Result<String> {
        let mut key = String::new();
        for input in &self.inputs {
            let options = self.configs.options(args, input)?;
            let tests = self.configs.tests(args, input)?;
            let limits = self.limits.or(self.configs.limits(input)?);
            key += &format!("{} {options:?} {tests:?} {limits:?}\n", input.name());
            let launches = options.launches.iter().chain(tests.iter().map(|test| &test.launch));
            let bindings = launches.flat_map(|launch| &launch.bindings);
            let bindings = bindings.chain(tests.iter().flat_map(|test| &test.expect));
            let files = bindings.filter_map(|binding| match &binding.contents {
                Contents::File(path) => Some(path),
                _ => None,
            });
            // An unreadable file is reported when it is checked.
            let files = files.map(|path| std::fs::read(path).unwrap_or_default());
            for bytes in files.chain([input.read().unwrap_or_default()]) {
                key += &String::from_utf8_lossy(&bytes);
                key += &format!("{} bytes\n", bytes.len());
            }
            let preprocessing = preprocessing.with_configured(&self.configs.preprocessing(input)?);
            key += &preprocessing.key(input, &input.read().unwrap_or_default());
        }
        for module in PreprocessInputs::files(&args.preprocess) {
            key += &std::fs::read_to_string(&module).unwrap_or_default();
        }
        Ok(key)
    }

    /// Reads each input, with its launches and tests.
    pub fn gather(self, args: &InputArgs) -> Result<Vec<InputFile>> {
        let Self { mut configs, inputs, .. } = self;
        let mut gathered = Vec::new();
        for input in inputs {
            let bytes = input.read()?;
            // A folder may contain programs without kernels.
            if input.found && !front::may_have_kernels(&input.name(), &bytes) {
                continue;
            }
            // Callers that need source text reject SPIR-V themselves.
            let text = match Kind::of(&input.name(), &bytes) {
                Kind::Spirv => String::from_utf8_lossy(&bytes).into_owned(),
                _ => match front::decode(&input.name(), &bytes) {
                    Err(_) if input.found && input.is_host() => continue,
                    text => text?.to_owned(),
                },
            };
            let options = configs.options(args, &input)?;
            let tests = configs.tests(args, &input)?;
            let preprocessing = configs.preprocessing(&input)?;
            gathered.push(InputFile { input, text, preprocessing, options, tests });
        }
        Ok(gathered)
    }
}

/// Returns the files to check: those given, or those that hirace.toml names.
fn inputs(args: &InputArgs, configs: &mut Configs) -> Result<Vec<Input>> {
    if !args.paths.is_empty() {
        return files::expand(&args.paths);
    }
    let named = configs.of(PathBuf::from("."))?.map(|config| config.files()).unwrap_or_default();
    if named.is_empty() {
        let error = Diagnostic::new("no file to check");
        return Err(Box::new(error.help(
            "name a shader, a program or a folder of them: hirace check shader.wgsl (or name files in hirace.toml)",
        )));
    }
    files::expand(&named)
}

/// The state needed to check each file of a run.
struct FileChecker<'a, 'e> {
    verb: Verb,
    limits: Option<Limits>,
    order: Option<&'a DispatchOrder>,
    configs: &'a mut Configs,
    entries: &'a mut Entries<'e>,
    preprocessing: &'a PreprocessInputs,
    tests: &'a mut Vec<Outcome>,
}

impl FileChecker<'_, '_> {
    /// Returns the options for a file with the entry points `known`, or `None` if no requested entry point is among
    /// them.
    fn options<'n>(
        &mut self,
        args: &InputArgs,
        input: &Input,
        known: impl Iterator<Item = &'n str>,
    ) -> Result<Option<Options>> {
        let mut options = self.configs.options(args, input)?;
        options.launches.iter_mut().for_each(|launch| launch.order = self.order.cloned());
        match self.verb {
            Verb::Check => options.limits = self.limits.or(self.configs.limits(input)?),
            _ => options.watch = Watch { ignore: vec!["*".to_owned()], ..Watch::default() },
        }
        Ok(self.entries.narrow(&mut options.kernels, known).then_some(options))
    }
}

/// Checks a file that was read, in a session.
type Check<'a> = &'a mut dyn FnMut(&Options, &mut Session<'_>) -> Result<CheckOutcome>;

impl FileChecker<'_, '_> {
    /// Checks the launches of a file, or runs its tests if the verb runs tests and the file has some.
    fn check(
        &mut self,
        args: &InputArgs,
        input: &Input,
        options: &Options,
        run: &mut Run<'_>,
        check: Check<'_>,
    ) -> Result<CheckOutcome> {
        let tests = match self.verb {
            Verb::Check => Vec::new(),
            _ => self.configs.tests(args, input)?,
        };
        if tests.is_empty() {
            let unit = LaunchGroup { name: &input.name(), test: None };
            if !run.session().begins(unit)? {
                return Ok(CheckOutcome::default());
            }
            let given = &options.launches[..];
            // A file without given launches has one guessed launch.
            let wanted = run.session().wanted_launches(unit, given.len().max(1));
            if wanted.is_empty() {
                return Ok(CheckOutcome::default());
            }
            let launches = wanted.iter().filter_map(|number| given.get(number - 1).cloned());
            let options = Options { launches: launches.collect(), ..options.clone() };
            return check(&options, run.session());
        }
        for test in &tests {
            if run.is_stopped() {
                break;
            }
            if !run.session().begins(LaunchGroup { name: &test.name, test: Some(test) })? {
                continue;
            }
            // `amplify` itself reports whether a test's expected output depends on the schedule.
            let held = self.verb != Verb::Amplify;
            let outcome = configured::run(test, held, run.session(), &mut |launch, session| {
                check(&Options { launches: vec![launch], ..options.clone() }, session)
            });
            outcome.failed.iter().for_each(|failed| run.error(failed));
            self.tests.push(outcome);
        }
        Ok(CheckOutcome::default())
    }
}

/// Reads and checks a file.
fn check_file(
    args: &InputArgs,
    input: &Input,
    wanted: &mut FileChecker<'_, '_>,
    run: &mut Run<'_>,
) -> Result<CheckOutcome> {
    let timeout = wanted.configs.timeout(args, input)?;
    let configured = wanted.configs.preprocessing(input)?;
    let preprocessing = wanted.preprocessing.with_configured(&configured);
    let (own, settings) = (input.clone(), preprocessing.clone());
    let read = match run.session().deadline(timeout).wait(move || read(&own, &settings)) {
        WaitOutcome::Done(read) => read?,
        WaitOutcome::Stopped => return Ok(CheckOutcome::default()),
        WaitOutcome::TimedOut(timeout) => {
            let error = timeout_error(&format!("reading {}", input.name()), timeout);
            return Err(Box::new(error.help("raise the limit with --timeout")));
        }
    };
    let read = match read {
        ParsedFile::Host(read) => read,
        ParsedFile::Shader(parsed) => {
            return match wanted.options(args, input, parsed.kernels())? {
                Some(options) => {
                    let mut checked =
                        wanted.check(args, input, &options, run, &mut |options, session| {
                            check_launches(&parsed, options, session)
                        })?;
                    preprocessing.replay(&mut checked);
                    Ok(checked)
                }
                None => Ok(CheckOutcome::default()),
            };
        }
    };
    for error in read.items.iter().filter_map(|item| item.as_ref().err()) {
        // In a folder, a text that no tag marks as WGSL may be something else.
        match input.found && error.cause == Cause::NoKernel {
            true => run.warn((**error).clone()),
            false => run.error(error),
        }
    }
    let mut checked = match wanted.options(args, input, read.kernels())? {
        Some(options) => wanted.check(args, input, &options, run, &mut |options, session| {
            file::check_file(&read, options, session)
        })?,
        None => CheckOutcome::default(),
    };
    checked.warnings.extend(read.unseen);
    if !preprocessing.defines().is_empty() {
        preprocessing.replay(&mut checked);
    }
    Ok(checked)
}

/// A file as its front end read it.
enum ParsedFile {
    Shader(Box<ParsedModule>),
    Host(rust::File),
}

fn read(input: &Input, preprocessing: &PreprocessInputs) -> Result<ParsedFile> {
    let (name, bytes) = (input.name(), input.read()?);
    match input.is_host() {
        true => front::parse_file(&name, &bytes, preprocessing.defines()).map(ParsedFile::Host),
        false => {
            let parsed = preprocessing.parse(input, &bytes)?;
            Ok(ParsedFile::Shader(Box::new(parsed)))
        }
    }
}
