//! A pass of its own, which counts how often each arm of each branch is entered, and each branch comes to be
//! decided: the sides of a branch together are taken as often as it is decided.
//!
//! It is made of nothing but what a program says of its arms, and of the skeleton that all passes share.

use crate::random::engine::{Loaded, Way};
use crate::random::generate;
use hirace::raw::front::{self, Kind, rust};
use hirace::raw::ir::body::{ArmId, ArmKind, BranchKind};
use hirace::raw::ir::rebuild::{Change, Rebuild};
use hirace::raw::ir::walk::{FunctionId, Numbered};
use hirace::raw::pass::rewrite;
use hirace::raw::program::Program;
use hirace::raw::vm::lower;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::Unwatched;
use hirace::raw::vm::run::{self, Options};
use hirace::raw::vm::schedule::{Limits, Schedule};
use libtest_mimic::{Failed, Trial};
use naga::{
    AddressSpace, ArraySize, AtomicFunction, Expression, GlobalVariable, Handle, Module,
    ResourceBinding, Scalar, Span, Statement, StorageAccess, Type, TypeInner,
};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// How many random kernels are counted in.
const SAMPLE: u64 = 300;

/// What the counters are called.
const COUNTERS: &str = "arm_counters";

/// The same control flow in four languages.
const FIXTURES: [&str; 4] = ["control.wgsl", "control.rs", "control.comp", "control.spv"];

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = FIXTURES
        .into_iter()
        .filter(|name| match *name {
            "control.comp" => cfg!(feature = "glsl"),
            "control.spv" => cfg!(feature = "spirv"),
            _ => true,
        })
        .map(|name| {
            Trial::test(format!("arms::partition_{}", name.replace('.', "_")), move || {
                fixture(name)
            })
        })
        .collect();
    trials.push(Trial::test("random::sample_of_arms_partitions", || {
        let mut branches = 0;
        for seed in 0..SAMPLE {
            branches += random(seed).map_err(|error| format!("kernel {seed}: {error}"))?;
        }
        if branches > 300 { Ok(()) } else { Err(format!("only {branches} branches").into()) }
    }));
    trials
}

/// The pass.
struct Count<'a> {
    program: &'a Program,
    function: FunctionId,
    counters: Handle<GlobalVariable>,
}

impl Count<'_> {
    fn count(&self, into: &mut Rebuild<'_>, index: usize) {
        let base = into.declare(Expression::GlobalVariable(self.counters), Span::UNDEFINED);
        let pointer =
            into.emit(Expression::AccessIndex { base, index: index as u32 }, Span::UNDEFINED);
        let value = into.u32(1);
        let add = Statement::Atomic { pointer, fun: AtomicFunction::Add, value, result: None };
        into.push(add, Span::UNDEFINED);
    }
}

impl Change for Count<'_> {
    fn arm(&mut self, into: &mut Rebuild<'_>, arm: ArmId) {
        self.count(into, arm.0 as usize);
    }

    fn before(&mut self, into: &mut Rebuild<'_>, original: Numbered<'_>) {
        let bodies = &self.program.bodies;
        for (index, branch) in bodies.branches.iter().enumerate() {
            if branch.function == self.function && branch.decided_at == original.id {
                self.count(into, bodies.arms.len() + index);
            }
        }
    }
}

/// The program that counts.
fn counting(program: &Program) -> Result<Program, String> {
    let length = program.bodies.arms.len() + program.bodies.branches.len();
    let derived = program.derive(|original| {
        let mut module = rewrite::empty(original);
        let counters = counters(&mut module, length as u32);
        let entries: Vec<usize> = (0..original.entry_points.len()).collect();
        rewrite::rewrite(program, original, &mut module, &entries, |function| Count {
            program,
            function,
            counters,
        });
        Ok(module)
    });
    let explain =
        |error: Box<hirace::raw::diagnostic::Diagnostic>| format!("{error} {:?}", error.notes);
    let derived = derived.map_err(explain)?;
    // Its text is taken too, if there is one: WGSL has no words for a case that goes on with the next.
    if let Ok(text) = derived.wgsl()
        && let Some(error) = crate::support::naga_rejects(&text)
    {
        return Err(format!("{error}\n{text}"));
    }
    derived.program(&BTreeMap::new()).map_err(explain)
}

fn counters(module: &mut Module, length: u32) -> Handle<GlobalVariable> {
    let mut ty = |inner| module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let base = ty(TypeInner::Atomic(Scalar::U32));
    let size = ArraySize::Constant(NonZeroU32::new(length).unwrap_or(NonZeroU32::MIN));
    let ty = ty(TypeInner::Array { base, size, stride: 4 });
    let variable = GlobalVariable {
        name: Some(COUNTERS.to_owned()),
        space: AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE },
        binding: Some(ResourceBinding { group: 3, binding: 99 }),
        ty,
        init: None,
        memory_decorations: Default::default(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// Checks the counters, and says how many branches were compared that were decided at all.
fn partition(program: &Program, counting: &Program, resources: &Resources) -> Result<u32, String> {
    let mut globals = counting.module.global_variables.iter();
    let at = globals.find(|(_, global)| global.name.as_deref() == Some(COUNTERS));
    let buffer = at.and_then(|(handle, _)| resources.by_global[handle.index()].as_ref());
    let Some(Resource::Buffer(buffer)) = buffer else { return Err("no counters".to_owned()) };
    let counts = buffer.snapshot();
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
    let loaded = Loaded::new(&generate::kernel(seed))?;
    if loaded.program.bodies.arms.is_empty() {
        return Ok(0);
    }
    numbers(&loaded.program)?;
    let counting = counting(&loaded.program)?;
    let mut resources = loaded.resources_of(&counting);
    give_counters(&counting, &mut resources, &loaded.program);
    loaded.run_as(&counting, &resources, Way::IN_ORDER)?;
    partition(&loaded.program, &counting, &resources)
}

/// Numbers of statements are those of the walk, and each is held by the one that it says.
fn numbers(program: &Program) -> Result<(), String> {
    use hirace::raw::ir::walk;
    for body in program.bodies.iter() {
        let function = body.function.get(&program.module);
        let mut walked = Vec::new();
        walk::statements(&function.body, &mut |id, statement, _| {
            walked.push((id, std::ptr::from_ref(statement)));
        });
        let mut numbered = Vec::new();
        let mut open = vec![(body.numbered(function), None)];
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

fn give_counters(counting: &Program, resources: &mut Resources, program: &Program) {
    let length = program.bodies.arms.len() + program.bodies.branches.len();
    for (handle, global) in counting.module.global_variables.iter() {
        if global.name.as_deref() == Some(COUNTERS) {
            resources.by_global[handle.index()] =
                Some(Resource::Buffer(Buffer::zeros(4 * length as u32)));
        }
    }
}

fn fixture(name: &str) -> Result<(), Failed> {
    let folder = crate::support::root().join("hirace-program/src/ir/body/tests");
    let bytes = std::fs::read(folder.join(name))?;
    let parsed = match Kind::of(name, &bytes) {
        Kind::Rust => rust::parse_file(name, std::str::from_utf8(&bytes)?)
            .map_err(|error| error.message.clone())?
            .items
            .remove(0),
        _ => front::parse_bytes(name, &bytes, &|_| None),
    };
    let parsed = parsed.map_err(|error| error.message.clone())?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(|error| error.message.clone())?;
    numbers(&program)?;
    let counting = counting(&program)?;
    let words: Vec<u8> = (0..1024_u32).flat_map(|word| (word % 11).to_le_bytes()).collect();
    let globals = counting.module.global_variables.iter();
    let by_global = globals.map(|(_, global)| match global.space {
        AddressSpace::Uniform => Some(Resource::Buffer(Buffer::new(&[7, 0, 0, 0].repeat(4)))),
        AddressSpace::Storage { .. } => Some(Resource::Buffer(Buffer::new(&words))),
        _ => None,
    });
    let mut resources = Resources { by_global: by_global.collect() };
    give_counters(&counting, &mut resources, &program);
    let code = lower::lower(&counting, 0).map_err(|error| error.message.clone())?;
    let options = Options {
        workgroups: [1, 1, 1],
        subgroup_size: 32,
        schedule: Schedule::default(),
        limits: Limits::default(),
        parallel: false,
        stop: None,
    };
    let ran = run::run(&code, &resources, &options, &Unwatched).map_err(|e| e.message.clone())?;
    if ran.no_progress.is_some() {
        return Err(format!("it does not end: {ran:?}").into());
    }
    let compared = partition(&program, &counting, &resources)?;
    if compared < 8 { Err(format!("only {compared} branches").into()) } else { Ok(()) }
}
