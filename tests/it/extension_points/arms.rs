//! A pass outside of the library that counts how often each arm of each branch is entered, and how often each branch is decided:
//! the counts of the arms of a branch add up to the number of its decisions, and the embedded machine and a device count the
//! same.
//!
//! The pass uses only what a program tells about its arms, and the skeleton that all passes share.

use super::dispatches::{self, Dispatches, Memory};
use crate::random::engine::{LoadedKernel, RunOrder};
use crate::random::generate;
use hirace::raw::ir::body::{ArmId, ArmKind, BranchKind};
use hirace::raw::ir::rebuild::{FunctionBuilder, RebuildChange};
use hirace::raw::ir::walk::{FunctionId, NumberedStatement};
use hirace::raw::pass::rewrite;
use hirace::raw::program::Program;
use hirace::raw::vm::memory::{Buffer, Resource};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use naga::{
    AddressSpace, ArraySize, AtomicFunction, BinaryOperator, Binding, Block, BuiltIn, Expression,
    FunctionArgument, GlobalVariable, Handle, Module, Scalar, Span, Statement, StorageAccess, Type,
    TypeInner,
};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

/// The number of random kernels in which arms are counted.
const SAMPLE: u64 = 300;

/// The number of these kernels that are considered for a device.
#[cfg(feature = "gpu")]
const SAMPLE_ON_DEVICE: u64 = 150;

/// The name of the counters.
const COUNTERS: &str = "arm_counters";

/// The name of the variable by which the host selects the invocation that runs.
const LANE: &str = "lane_of_dispatch";

/// The same control flow in four languages.
const FIXTURES: [&str; 4] = ["control.wgsl", "control.rs", "control.comp", "control.spv"];

/// The invocations of a workgroup of each fixture.
static LANES: LazyLock<Vec<u32>> = LazyLock::new(|| (0..64).collect());

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for name in FIXTURES {
        let [glsl, spirv] = [cfg!(feature = "glsl"), cfg!(feature = "spirv")];
        if (!glsl && name.ends_with(".comp")) || (!spirv && name.ends_with(".spv")) {
            continue;
        }
        let shown = name.replace('.', "_");
        let partition = format!("extension_points::arms::partition_{shown}");
        trials.push(Trial::test(partition, move || fixture(name)));
        #[cfg(feature = "gpu")]
        trials.push(dispatches::trial_on_device(
            &format!("extension_points::arms::a_device_counts_the_same_in_{shown}"),
            move |device| fixture_on_device(device, name),
        ));
    }
    trials.push(Trial::test(
        "extension_points::arms::partition_a_sample_of_random_kernels",
        || {
            let mut branches = 0;
            for seed in 0..SAMPLE {
                branches += random(seed).map_err(|error| format!("kernel {seed}: {error}"))?;
            }
            if branches > 300 { Ok(()) } else { Err(format!("only {branches} branches").into()) }
        },
    ));
    #[cfg(feature = "gpu")]
    trials.push(dispatches::trial_on_device(
        "extension_points::arms::a_device_counts_the_same_in_random_kernels",
        |device| {
            let (mut kernels, mut branches) = (0, 0);
            for seed in 0..SAMPLE_ON_DEVICE {
                let compared = random_on_device(device, seed);
                let compared = compared.map_err(|error| format!("kernel {seed}: {error}"))?;
                kernels += u32::from(compared > 0);
                branches += compared;
            }
            match kernels >= 30 && branches > 60 {
                true => Ok(()),
                false => Err(format!("only {branches} branches of {kernels} kernels")),
            }
        },
    ));
    trials
}

/// The pass.
struct Count<'a> {
    program: &'a Program,
    function: FunctionId,
    counters: Handle<GlobalVariable>,
    /// The only invocation that runs, if the host selects one: the others return at once.
    lane: Option<Handle<GlobalVariable>>,
}

impl Count<'_> {
    fn count(&self, into: &mut FunctionBuilder<'_>, index: usize) {
        let base = into.declare(Expression::GlobalVariable(self.counters), Span::UNDEFINED);
        let pointer =
            into.emit(Expression::AccessIndex { base, index: index as u32 }, Span::UNDEFINED);
        let value = into.u32(1);
        let add = Statement::Atomic { pointer, fun: AtomicFunction::Add, value, result: None };
        into.push(add, Span::UNDEFINED);
    }
}

impl RebuildChange for Count<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        let (Some(lane), FunctionId::Entry(_)) = (self.lane, self.function) else { return };
        let arguments = &into.function.arguments;
        let is_index = |argument: &FunctionArgument| {
            argument.binding == Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex))
        };
        let Some(index) = arguments.iter().position(is_index) else { return };
        let left = into.declare(Expression::FunctionArgument(index as u32), Span::UNDEFINED);
        let pointer = into.declare(Expression::GlobalVariable(lane), Span::UNDEFINED);
        let right = into.emit(Expression::Load { pointer }, Span::UNDEFINED);
        let is_other = Expression::Binary { op: BinaryOperator::NotEqual, left, right };
        let condition = into.emit(is_other, Span::UNDEFINED);
        let accept = Block::from_vec(vec![Statement::Return { value: None }]);
        let leave = Statement::If { condition, accept, reject: Block::new() };
        into.push(leave, Span::UNDEFINED);
    }

    fn arm(&mut self, into: &mut FunctionBuilder<'_>, arm: ArmId) {
        self.count(into, arm.0 as usize);
    }

    fn before(&mut self, into: &mut FunctionBuilder<'_>, original: NumberedStatement<'_>) {
        let bodies = &self.program.bodies;
        for (index, branch) in bodies.branches.iter().enumerate() {
            if branch.function == self.function && branch.decided_at == original.id {
                self.count(into, bodies.arms.len() + index);
            }
        }
    }
}

/// The invocations that a dispatch runs.
#[derive(Clone, Copy, PartialEq)]
enum InvocationSet {
    /// All invocations of the kernel.
    All,
    /// One, which the host selects, so that the path depends on no race.
    One,
}

/// Returns the instrumented program.
fn counting(program: &Program, who: InvocationSet) -> Result<Program, String> {
    let derived = program.derive(|original| {
        let mut module = rewrite::without_functions(original);
        let counters = counters(&mut module, length(program));
        let number = TypeInner::Scalar(Scalar::U32);
        let lane = (who == InvocationSet::One)
            .then(|| dispatches::add(&mut module, LANE, AddressSpace::Uniform, number));
        let entries: Vec<usize> = (0..original.entry_points.len()).collect();
        rewrite::rewrite(program, original, &mut module, &entries, |function| Count {
            program,
            function,
            counters,
            lane,
        });
        Ok(module)
    });
    let explain =
        |error: Box<hirace::raw::diagnostic::Diagnostic>| format!("{error} {:?}", error.notes);
    let derived = derived.map_err(explain)?;
    // naga must accept its text, if there is one: WGSL cannot express a case that falls through.
    if let Ok(text) = derived.wgsl()
        && let Some(error) = crate::support::naga_rejects(&text)
    {
        return Err(format!("{error}\n{text}"));
    }
    derived.program(&BTreeMap::new()).map_err(explain)
}

/// Returns the number of counters: one for each arm, followed by one for each branch.
fn length(program: &Program) -> u32 {
    (program.bodies.arms.len() + program.bodies.branches.len()) as u32
}

fn counters(module: &mut Module, length: u32) -> Handle<GlobalVariable> {
    let inner = TypeInner::Atomic(Scalar::U32);
    let base = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let size = ArraySize::Constant(NonZeroU32::new(length).unwrap_or(NonZeroU32::MIN));
    let space = AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE };
    dispatches::add(module, COUNTERS, space, TypeInner::Array { base, size, stride: 4 })
}

/// Checks the counters, and returns the number of compared branches that were decided at least once.
fn partition(program: &Program, counts: &[u32]) -> Result<u32, String> {
    let bodies = &program.bodies;
    let mut compared = 0;
    for (index, branch) in bodies.branches.iter().enumerate() {
        let tested = branch.kind != BranchKind::LoopEnd
            && (branch.kind != BranchKind::Loop || branch.decided_at != branch.statement);
        let falls = bodies
            .arms_of(branch)
            .any(|(_, arm)| matches!(arm.kind, ArmKind::Case { fallen_into: true, .. }));
        if !tested || falls {
            continue;
        }
        let decided = counts[bodies.arms.len() + index];
        let taken: u32 = bodies.arms_of(branch).map(|(arm, _)| counts[arm.0 as usize]).sum();
        if decided != taken {
            let what = program.source.snippet(branch.span);
            return Err(format!("{:?} {what}: decided {decided}, taken {taken}", branch.kind));
        }
        compared += u32::from(decided > 0);
    }
    Ok(compared)
}

fn random(seed: u64) -> Result<u32, String> {
    let loaded = LoadedKernel::new(&generate::kernel(seed))?;
    if loaded.program.bodies.arms.is_empty() {
        return Ok(0);
    }
    numbers(&loaded.program)?;
    let counting = counting(&loaded.program, InvocationSet::All)?;
    let mut resources = loaded.resources_of(&counting);
    let counters = dispatches::global(&counting, COUNTERS)?;
    let zeros = Buffer::zeros(4 * length(&loaded.program));
    resources.by_global[counters] = Some(Resource::Buffer(zeros));
    loaded.run_as(&counting, &resources, RunOrder::IN_ORDER)?;
    match &resources.by_global[counters] {
        Some(Resource::Buffer(buffer)) => partition(&loaded.program, &buffer.snapshot()),
        _ => Err("no counters".to_owned()),
    }
}

/// Returns the number of compared branches of a random kernel, if all its invocations take the same arms under every schedule.
#[cfg(feature = "gpu")]
fn random_on_device(device: &hirace_gpu::Device, seed: u64) -> Result<u32, String> {
    use crate::random::kernel::Space;
    let kernel = generate::kernel(seed);
    let is_texture = |touch: &crate::random::kernel::Touch| touch.memory.space == Space::Texture;
    if kernel.depends_on_data() || kernel.touches().iter().any(is_texture) {
        return Ok(0);
    }
    let loaded = LoadedKernel::new(&kernel)?;
    if loaded.program.bodies.arms.is_empty() {
        return Ok(0);
    }
    let counting = counting(&loaded.program, InvocationSet::All)?;
    let resources = loaded.resources_of(&counting);
    let words = |resource: &Option<Resource>| match resource {
        Some(Resource::Buffer(buffer)) => Some(buffer.snapshot()),
        _ => None,
    };
    let mut memory: Memory = resources.by_global.iter().map(words).collect();
    let counters = dispatches::global(&counting, COUNTERS)?;
    memory[counters] = Some(vec![0; length(&loaded.program) as usize]);
    let dispatch = Dispatches {
        program: &counting,
        workgroups: kernel.grid.workgroups,
        subgroup_size: kernel.grid.subgroup_size,
        uniform: None,
        values: &[0],
    };
    let counts = same_counts(device, dispatch, &memory)?;
    partition(&loaded.program, &counts)
}

/// Returns the counts of the embedded machine, after checking that the device counts the same.
#[cfg(feature = "gpu")]
fn same_counts(
    device: &hirace_gpu::Device,
    dispatches: Dispatches<'_>,
    memory: &Memory,
) -> Result<Vec<u32>, String> {
    let counters = dispatches::global(dispatches.program, COUNTERS)?;
    let counts = |memory: Memory| memory.into_iter().nth(counters).flatten().ok_or("no counters");
    let here = counts(dispatches.embedded(memory)?)?;
    let there = counts(dispatches.run_on_device(device, memory)?)?;
    match here == there {
        true => Ok(here),
        false => Err(format!("here {here:?}, on the device {there:?}")),
    }
}

/// Checks that statements are numbered in the order of the walk, and that each statement's parent contains it.
fn numbers(program: &Program) -> Result<(), String> {
    use hirace::raw::ir::walk;
    for body in program.bodies.iter() {
        let function = body.function.get(&program.module);
        let mut walked = Vec::new();
        walk::statements(&function.body, &mut |id, statement, _| {
            walked.push((id, std::ptr::from_ref(statement)));
        });
        let mut numbered = Vec::new();
        let mut open = vec![(body.statements_of(function), None)];
        while let Some((block, parent)) = open.pop() {
            for at in block.iter() {
                numbered.push((at.id, std::ptr::from_ref(at.statement)));
                if body.statement(at.id).parent != parent {
                    return Err(format!("{:?} is not where it says", at.id));
                }
                let inner = at.blocks().into_iter().enumerate();
                open.extend(inner.map(|(index, block)| (block, Some((at.id, index)))));
            }
        }
        numbered.sort_unstable_by_key(|(id, _)| *id);
        if walked != numbered || walked.len() != body.all().count() {
            return Err(format!("{:?} is numbered in two ways", body.function));
        }
    }
    Ok(())
}

/// Returns the contents of a fixture.
fn source(name: &str) -> Result<Vec<u8>, String> {
    let folder = crate::support::root().join("hirace-program/tests/fixtures");
    std::fs::read(folder.join(name)).map_err(|error| error.to_string())
}

/// Returns a program, its instrumented version, and the initial memory of the latter.
fn loaded(
    name: &str,
    source: &[u8],
    who: InvocationSet,
) -> Result<(Program, Program, Memory), String> {
    let program = dispatches::program(name, source)?;
    numbers(&program)?;
    let counting = counting(&program, who)?;
    let memory = dispatches::memory(&counting, |global| match global.space {
        _ if global.name.as_deref() == Some(COUNTERS) => Some(vec![0; length(&program) as usize]),
        AddressSpace::Uniform => Some(vec![7; 4]),
        AddressSpace::Storage { .. } => Some((0..1024).map(|word| word % 11).collect()),
        _ => None,
    });
    Ok((program, counting, memory))
}

/// Returns the dispatches of a fixture: its only workgroup; or, because the fixtures race, a separate dispatch for each
/// invocation.
fn dispatches(counting: &Program, who: InvocationSet) -> Dispatches<'_> {
    let (uniform, values) = match who {
        InvocationSet::All => (None, &LANES[..1]),
        InvocationSet::One => (Some(LANE), &LANES[..]),
    };
    Dispatches { program: counting, workgroups: 1, subgroup_size: 32, uniform, values }
}

fn fixture(name: &str) -> Result<(), Failed> {
    for who in [InvocationSet::All, InvocationSet::One] {
        let (program, counting, memory) = loaded(name, &source(name)?, who)?;
        let left = dispatches(&counting, who).embedded(&memory)?;
        let counts = left[dispatches::global(&counting, COUNTERS)?].as_ref();
        enough(partition(&program, counts.ok_or("no counters")?)?)?;
    }
    Ok(())
}

/// Returns the fixture for devices. naga's SPIR-V writer makes a case that falls through branch to itself if empty cases precede
/// it, so that case ends with a `break`, both there and in the SPIR-V made from the same source.
#[cfg(feature = "gpu")]
fn source_for_devices(name: &str) -> Result<Vec<u8>, String> {
    let edits: &[[&str; 2]] = match name {
        "control.comp" => &[["= 4u;\n        default", "= 4u; break;\n        default"]],
        "control.spv" => {
            let glsl = dispatches::program("control.comp", &source_for_devices("control.comp")?)?;
            let options = naga::back::spv::Options::default();
            let words = naga::back::spv::write_vec(&glsl.module, &glsl.info, &options, None);
            let words = words.map_err(|error| error.to_string())?;
            return Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        }
        _ => &[],
    };
    let mut text = String::from_utf8(source(name)?).map_err(|error| error.to_string())?;
    for [from, to] in edits {
        if text.matches(from).count() != 1 {
            return Err(format!("`{from}` does not occur exactly once in {name}"));
        }
        text = text.replace(from, to);
    }
    Ok(text.into_bytes())
}

#[cfg(feature = "gpu")]
fn fixture_on_device(device: &hirace_gpu::Device, name: &str) -> Result<(), String> {
    let source = source_for_devices(name)?;
    let (program, counting, memory) = loaded(name, &source, InvocationSet::One)?;
    let counts = same_counts(device, dispatches(&counting, InvocationSet::One), &memory)?;
    enough(partition(&program, &counts)?)
}

fn enough(branches: u32) -> Result<(), String> {
    if branches < 8 { Err(format!("only {branches} branches")) } else { Ok(()) }
}
