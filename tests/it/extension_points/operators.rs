//! A mutation operator outside of the library: each `<` becomes `<=`, with all mutants in one module. The active mutant is a
//! number that the host sets: 0 for none, `k` for the `k`-th. Each computes what the source computes with that one `<` replaced.

use super::dispatches::{self, Dispatches, Memory};
use crate::random::engine::LoadedKernel;
use crate::random::generate;
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::ir::rebuild::{FunctionBuilder, RebuildChange};
use hirace::raw::ir::walk::FunctionId;
use hirace::raw::pass::rewrite;
use hirace::raw::program::Program;
use hirace::raw::source_map::Span;
use hirace::raw::vm::memory::Resource;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use naga::{
    AddressSpace, BinaryOperator, Expression, GlobalVariable, Handle, Scalar, Span as Mark,
    TypeInner,
};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The number of random kernels that are mutated.
const SAMPLE: u64 = 1000;

/// The name of the variable with the number of the active mutant.
const MUTANT: &str = "mutant_that_is_on";

/// Kernels whose mutants all leave different contents than the original.
static KERNELS: [Kernel; 3] = [
    Kernel { name: "compares.wgsl", mutants: 8, source: COMPARES },
    Kernel { name: "of_types.wgsl", mutants: 5, source: OF_TYPES },
    Kernel { name: "compares.rs", mutants: 8, source: IN_RUST },
];

struct Kernel {
    name: &'static str,
    mutants: usize,
    source: &'static str,
}

const COMPARES: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @group(0) @binding(1) var<uniform> n: u32;
    fn below(x: u32, y: u32) -> u32 {
        if (x < y) { return 1u; }
        return 10u;
    }
    @compute @workgroup_size(8)
    fn main(@builtin(local_invocation_index) l: u32) {
        var sum = 0u;
        for (var i = 0u; i < n; i++) { sum += i + 1u; }
        var k = 0u;
        while (k < l) { k += 1u; }
        loop {
            sum += 100u;
            continuing {
                k += 2u;
                break if !(k < 6u);
            }
        }
        if (l < 3u) { sum += 1000u; }
        if (n == 7u && l < 2u) { sum += 5u; }
        sum += select(10000u, 20000u, l + n < 9u);
        sum += 100000u * (below(l, 4u) + below(3u, l));
        let each = vec3(l, l, n) < vec3(5u, 4u, 3u);
        sum += 10000000u * dot(select(vec3(0u), vec3(1u, 2u, 4u), each), vec3(1u));
        out[l] = sum;
    }";

const OF_TYPES: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    fn any_below(x: vec2f, y: vec2f) -> bool { return any(x < y); }
    @compute @workgroup_size(8)
    fn main(@builtin(local_invocation_index) l: u32) {
        let i = i32(l) - 4;
        let f = f32(l) * 0.5;
        var sum = select(0u, 1u, i < -1);
        if (f < 1.5) { sum += 2u; }
        if (all(vec4(i) < vec4(0, 1, 2, 3))) { sum += 4u; }
        if (any_below(vec2(f), vec2(1.0, 2.0)) && !any_below(vec2(1.0), vec2(f))) { sum += 8u; }
        switch select(0u, 1u, l < 6u) {
            case 0u: { sum += 16u; }
            default: { sum += 32u; }
        }
        out[l] = sum;
    }";

const IN_RUST: &str = "
#[hirace::monitor]
mod kernels {
    use hirace::prelude::*;

    fn below(x: u32, y: u32) -> u32 {
        if x < y {
            return 1;
        }
        10
    }

    #[kernel(workgroup_size(8))]
    fn compares(#[builtin(local_invocation_index)] l: u32, #[uniform] n: u32, out: &mut [u32]) {
        let mut sum = 0;
        for i in 0..n {
            sum += i + 1;
        }
        let mut k = 0;
        while k < l {
            k += 1;
        }
        loop {
            sum += 100;
            k += 2;
            if !(k < 6) {
                break;
            }
        }
        if l < 3 {
            sum += 1000;
        }
        if n == 7 && l < 2 {
            sum += 5;
        }
        let few = l + n < 9;
        sum += select(10000, 20000, few);
        sum += select(0, 7, l < 5);
        sum += 100000 * (below(l, 4) + below(3, l));
        out[l] = sum;
    }
}
";

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kernel in &KERNELS {
        let shown = kernel.name.replace('.', "_");
        trials.push(Trial::test(
            format!("extension_points::operators::mutants_of_{shown}"),
            move || {
                let found = mutants_are_edits(kernel.name, kernel.source, &mut embedded)?;
                Ok(kernel.holds(found)?)
            },
        ));
        #[cfg(feature = "gpu")]
        trials.push(dispatches::trial_on_device(
            &format!("extension_points::operators::mutants_of_{shown}_on_a_device"),
            move |device| {
                let mut run = |dispatches: Dispatches<'_>, memory: &Memory| {
                    dispatches.run_on_device(device, memory)
                };
                kernel.holds(mutants_are_edits(kernel.name, kernel.source, &mut run)?)?;
                // One module for all mutants, the original, and one for each edit of the source.
                match device.pipelines().misses as usize == 2 + kernel.mutants {
                    true => Ok(()),
                    false => Err(format!("{:?}", device.pipelines())),
                }
            },
        ));
    }
    trials.push(Trial::test("extension_points::operators::mutants_of_random_kernels", random));
    trials
}

/// The number of mutants, and the number of those that left different contents than the original.
#[derive(Debug, PartialEq)]
struct MutantCounts {
    mutants: usize,
    killed: usize,
}

impl Kernel {
    fn holds(&self, found: MutantCounts) -> Result<(), String> {
        match found == (MutantCounts { mutants: self.mutants, killed: self.mutants }) {
            true => Ok(()),
            false => Err(format!("{found:?} of {}", self.mutants)),
        }
    }
}

/// The pass: `a < b` becomes `select(a < b, a <= b, mutant_that_is_on == k)`.
struct OrEqual<'a> {
    program: &'a Program,
    function: FunctionId,
    variable: Handle<GlobalVariable>,
    /// The number of the active mutant.
    on: Option<Handle<Expression>>,
    /// The spans of the mutants so far.
    mutants: &'a RefCell<Vec<Span>>,
}

impl RebuildChange for OrEqual<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        let pointer = into.declare(Expression::GlobalVariable(self.variable), Mark::UNDEFINED);
        self.on = Some(into.emit(Expression::Load { pointer }, Mark::UNDEFINED));
    }

    fn replace_expression(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        original: Handle<Expression>,
        copy: &Expression,
    ) -> Option<Handle<Expression>> {
        let Expression::Binary { op: BinaryOperator::Less, left, right } = *copy else {
            return None;
        };
        let function = self.function.get(&self.program.module);
        let mut mutants = self.mutants.borrow_mut();
        mutants.push(function.expressions.get_span(original).into());
        let number = into.u32(mutants.len() as u32);
        let mut binary =
            |op, left, right| into.emit(Expression::Binary { op, left, right }, Mark::UNDEFINED);
        let less = binary(BinaryOperator::Less, left, right);
        let or_equal = binary(BinaryOperator::LessEqual, left, right);
        let condition = binary(BinaryOperator::Equal, self.on?, number);
        let chosen = Expression::Select { condition, accept: or_equal, reject: less };
        Some(into.emit(chosen, Mark::UNDEFINED))
    }
}

/// Returns the program with all mutants, and their spans.
fn mutated(program: &Program) -> Result<(Program, Vec<Span>), String> {
    let explain = |error: Box<Diagnostic>| format!("{error} {:?}", error.notes);
    let mutants = RefCell::new(Vec::new());
    let derived = program.derive(|original| {
        let mut module = rewrite::without_functions(original);
        let number = TypeInner::Scalar(Scalar::U32);
        let variable = dispatches::add(&mut module, MUTANT, AddressSpace::Uniform, number);
        rewrite::rewrite(program, original, &mut module, &[0], |function| OrEqual {
            program,
            function,
            variable,
            on: None,
            mutants: &mutants,
        });
        Ok(module)
    });
    let mutated = derived.and_then(|derived| derived.program(&BTreeMap::new()));
    Ok((mutated.map_err(explain)?, mutants.into_inner()))
}

/// Returns the number of `<` in the module.
fn comparisons(program: &Program) -> usize {
    let is_less = |(_, expression): &(Handle<Expression>, &Expression)| {
        matches!(expression, Expression::Binary { op: BinaryOperator::Less, .. })
    };
    FunctionId::all(&program.module)
        .map(|function| function.get(&program.module).expressions.iter().filter(is_less).count())
        .sum()
}

/// Returns the source with the one `<` in `span` replaced; for a Rust range, the one in the head of its loop.
fn edited(program: &Program, span: Span) -> Result<String, String> {
    let snippet = program.source.snippet(span);
    let signs = [(" < ", " <= "), ("..", "..=")];
    let sign = signs.into_iter().find(|(sign, _)| snippet.matches(sign).count() == 1);
    let (from, to) = sign.ok_or_else(|| format!("`{snippet}` is not a comparison"))?;
    let text = program.source.text();
    let (start, end) = (span.start as usize, span.end as usize);
    Ok(format!("{}{}{}", &text[..start], snippet.replace(from, to), &text[end..]))
}

/// Returns the contents of buffers by name, which a pass does not change.
fn named(program: &Program, memory: Memory) -> BTreeMap<String, Vec<u32>> {
    let globals = program.module.global_variables.iter().zip(memory);
    let named = globals.filter_map(|((_, global), words)| Some((global.name.clone()?, words?)));
    named.filter(|(name, _)| name != MUTANT).collect()
}

/// A function that runs dispatches with memory.
type Run<'a> = dyn FnMut(Dispatches<'_>, &Memory) -> Result<Memory, String> + 'a;

fn embedded(dispatches: Dispatches<'_>, memory: &Memory) -> Result<Memory, String> {
    dispatches.embedded(memory)
}

/// The launch of a kernel and its memory.
struct TestLaunch<'a> {
    workgroups: u32,
    subgroup_size: u32,
    words: &'a dyn Fn(&GlobalVariable) -> Option<Vec<u32>>,
}

impl TestLaunch<'_> {
    /// Returns the contents after a program with this mutant active.
    fn left(
        &self,
        program: &Program,
        mutant: Option<u32>,
        run: &mut Run<'_>,
    ) -> Result<BTreeMap<String, Vec<u32>>, String> {
        let memory = dispatches::memory(program, |global| match global.name.as_deref() {
            Some(MUTANT) => Some(vec![0]),
            _ => (self.words)(global),
        });
        let dispatches = Dispatches {
            program,
            workgroups: self.workgroups,
            subgroup_size: self.subgroup_size,
            uniform: mutant.map(|_| MUTANT),
            values: &[mutant.unwrap_or_default()],
        };
        Ok(named(program, run(dispatches, &memory)?))
    }

    /// Compares all mutants of a program with edits of its source.
    fn compare(&self, program: &Program, run: &mut Run<'_>) -> Result<MutantCounts, String> {
        let (module, mutants) = mutated(program)?;
        if mutants.len() != comparisons(program) {
            return Err(format!("{} of {} are mutants", mutants.len(), comparisons(program)));
        }
        let original = self.left(program, None, run)?;
        if self.left(&module, Some(0), run)? != original {
            return Err("without a mutant the module does not behave as the original".to_owned());
        }
        let mut killed = 0;
        for (number, span) in (1..).zip(&mutants) {
            let text = edited(program, *span)?;
            let edit = dispatches::program(program.source.name(), text.as_bytes())?;
            let (expected, found) =
                (self.left(&edit, None, run)?, self.left(&module, Some(number), run)?);
            if found != expected {
                let what = program.source.snippet(*span);
                return Err(format!("mutant {number}, `{what}`: {found:?}, not {expected:?}"));
            }
            killed += usize::from(found != original);
        }
        Ok(MutantCounts { mutants: mutants.len(), killed })
    }
}

fn mutants_are_edits(name: &str, source: &str, run: &mut Run<'_>) -> Result<MutantCounts, String> {
    let program = dispatches::program(name, source.as_bytes())?;
    let words = |global: &GlobalVariable| match global.space {
        AddressSpace::Uniform => Some(vec![7; 4]),
        AddressSpace::Storage { .. } => Some(vec![0; 8]),
        _ => None,
    };
    TestLaunch { workgroups: 1, subgroup_size: 32, words: &words }.compare(&program, run)
}

/// Every `<` of a random kernel is a mutant, and each mutant leaves the same contents as its edit.
fn random() -> Result<(), Failed> {
    let (mut mutants, mut killed) = (0, 0);
    for seed in 0..SAMPLE {
        let found = of_random(seed).map_err(|error| format!("kernel {seed}: {error}"))?;
        mutants += found.mutants;
        killed += found.killed;
    }
    match mutants > 200 && killed > 40 {
        true => Ok(()),
        false => Err(format!("only {killed} of {mutants} mutants left something else").into()),
    }
}

fn of_random(seed: u64) -> Result<MutantCounts, String> {
    use crate::random::kernel::Space;
    let kernel = generate::kernel(seed);
    if kernel.touches().iter().any(|touch| touch.memory.space == Space::Texture) {
        return Ok(MutantCounts { mutants: 0, killed: 0 });
    }
    let loaded = LoadedKernel::new(&kernel)?;
    let resources = loaded.resources_of(&loaded.program);
    let globals = loaded.program.module.global_variables.iter().zip(&resources.by_global);
    let lengths: BTreeMap<&str, usize> = globals
        .filter_map(|((_, global), resource)| match resource {
            Some(Resource::Buffer(buffer)) => {
                Some((global.name.as_deref()?, buffer.len() as usize / 4))
            }
            _ => None,
        })
        .collect();
    let words = |global: &GlobalVariable| {
        lengths.get(global.name.as_deref()?).map(|length| vec![0; *length])
    };
    let grid = kernel.grid;
    let setting = TestLaunch {
        workgroups: grid.workgroups,
        subgroup_size: grid.subgroup_size,
        words: &words,
    };
    let found = setting.compare(&loaded.program, &mut embedded)?;
    match found.mutants == loaded.wgsl.matches(" < ").count() {
        true => Ok(found),
        false => Err(format!("{found:?} in\n{}", loaded.wgsl)),
    }
}
