//! Compares random small programs, each in GLSL, which is compiled to SPIR-V, and as a litmus test: the findings, the number of
//! executions and the outcome of the assertion about the final contents must be the same.

use super::{kinds, verify_file};
use crate::spirv::{needing, run_compiler};
use crate::support::scratch;
use hirace::raw::random::Random;
use hirace_testing::harness::Trial;
use hirace_testing::{options, sample_size};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The number of programs that a trial compares.
const EACH: u64 = 4;
/// The maximum number of reads and writes in a program: the number of executions grows with both.
const ACCESSES: u64 = 7;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |number: u64| {
        let name = format!("verify::generated::{number}");
        needing("glslangValidator", name, move || {
            let folder = scratch("verify-generated");
            let first = options().seed + number * EACH;
            (first..first + EACH).try_for_each(|seed| compare(&folder, seed))
        })
    };
    (0..sample_size(4, 50)).map(trial).collect()
}

fn compare(folder: &Path, seed: u64) -> Result<(), Failed> {
    let program = Program::random(&mut Random::new(seed));
    let [glsl, litmus, module] =
        ["comp", "litmus", "spv"].map(|end| folder.join(format!("{seed}.{end}")));
    fs::write(&glsl, program.glsl())?;
    fs::write(&litmus, program.litmus(seed))?;
    run_compiler(
        Command::new("glslangValidator")
            .args(["-V", "-g", "--target-env", "vulkan1.1", "-o"])
            .args([&module, &glsl]),
    )?;
    let workgroups = if program.is_together { 1 } else { program.invocations }.to_string();
    let flags = ["--model", "scoped-rc11", "--reductions", "none", "--no-fail-fast"];
    let launch = ["--workgroups", &workgroups, "--buffer", "X=zeros", "--buffer", "Y=zeros"];
    let named = program.claim_in_glsl();
    let claim = ["--assert", &named];
    let (as_module, _) = verify_file(&module, &[&launch[..], &flags, &claim].concat())?;
    let (as_litmus, _) = verify_file(&litmus, &flags)?;
    let shown = |json: &Value| {
        let kinds = kinds(json).into_iter().filter(|kind| *kind != "assertion");
        let kinds: Vec<String> = kinds.map(str::to_owned).collect();
        (kinds, ["executions", "blocked"].map(|count| json[count].as_u64()))
    };
    let holds = as_litmus["programs"][0]["claim"]["holds"].as_bool();
    let is_unmet = kinds(&as_module).contains(&"assertion");
    assert_eq!(holds, Some(!is_unmet), "claim of {seed} in {}", folder.display());
    assert!(as_litmus["executions"].as_u64() > Some(0), "{seed}: {as_litmus}");
    assert_eq!(shown(&as_module), shown(&as_litmus), "program {seed} in {}", folder.display());
    Ok(())
}

/// The memory order of an atomic or a fence.
#[derive(Clone, Copy)]
struct Orders {
    order: Order,
    is_of_workgroup: bool,
    /// The kinds of memory that it orders, as bits: buffers, shared memory.
    classes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}
use Order::{Acquire, AcquireRelease, Relaxed, Release};

/// The names of locations by number: two in buffers, one in shared memory.
const NAMES: [&str; 3] = ["x", "y", "z"];

#[derive(Clone, Copy)]
enum Operation {
    Load(u64, u64, Option<Orders>),
    Store(u64, u64, Option<Orders>),
    /// Reads into a register, and adds or stores a number.
    Add(u64, u64, u64, Orders),
    Exchange(u64, u64, u64, Orders),
    /// Stores a number if it reads 0.
    Compare(u64, u64, u64, Orders),
    Fence(Orders),
}

/// An instruction, executed if a register holds a number.
struct Line {
    when: Option<(u64, u64)>,
    what: Operation,
}

struct Program {
    invocations: u64,
    /// Whether the invocations are in one workgroup, instead of one each.
    is_together: bool,
    /// The lines by part and by invocation. Between parts all invocations wait at a barrier.
    parts: Vec<Vec<Vec<Line>>>,
    /// The kinds of memory that the barriers order.
    barriers: u64,
    /// The assertion about the final contents.
    claim: String,
}

impl Program {
    fn random(random: &mut Random) -> Self {
        let invocations = 2 + random.below(2_u64);
        let is_together = random.below(2_u64) == 0;
        let count = if is_together { 1 + random.below(2_u64) } else { 1 };
        let mut accesses = 0;
        let mut loaded = vec![0; invocations as usize];
        let mut part = || -> Vec<Vec<Line>> {
            let lines = |loaded: &mut u64| {
                let count = 1 + random.below(4_u64);
                let line = |_| Line::random(random, is_together, loaded, &mut accesses);
                (0..count).filter_map(line).collect()
            };
            loaded.iter_mut().map(lines).collect()
        };
        let parts = (0..count).map(|_| part()).collect();
        let barriers = random.below(4_u64);
        let mut holds = || {
            let sign = ["==", "!=", "<", ">="][random.below(4_u64) as usize];
            format!("{} {sign} {}", NAMES[random.below(2_u64) as usize], random.below(4_u64))
        };
        let (one, other) = (holds(), holds());
        let claim = format!("{one} {} {other}", ["&&", "||"][random.below(2_u64) as usize]);
        Self { invocations, is_together, parts, barriers, claim }
    }

    fn glsl(&self) -> String {
        let (size, who) = match self.is_together {
            true => (self.invocations, "gl_LocalInvocationIndex"),
            false => (1, "gl_WorkGroupID.x"),
        };
        let mut text = format!(
            "#version 450\n#extension GL_KHR_memory_scope_semantics : require\nlayout(local_size_x = {size}) in;\n\
             layout(std430, binding = 0) buffer X {{ uint x; }};\n\
             layout(std430, binding = 1) buffer Y {{ uint y; }};\nshared uint z;\n\
             void main() {{\n    uint r0 = 0u, r1 = 0u, r2 = 0u, r3 = 0u;\n"
        );
        for (number, part) in self.parts.iter().enumerate() {
            if number > 0 {
                let of =
                    Orders { order: AcquireRelease, is_of_workgroup: true, classes: self.barriers };
                let (_, semantics) =
                    of.glsl(if self.barriers == 0 { Relaxed } else { AcquireRelease });
                let _ = writeln!(
                    text,
                    "    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, {semantics});"
                );
            }
            for (invocation, lines) in part.iter().enumerate() {
                let _ = writeln!(text, "    if ({who} == {invocation}u) {{");
                lines.iter().for_each(|line| text.push_str(&line.glsl()));
                text.push_str("    }\n");
            }
        }
        text + "}\n"
    }

    /// Returns the assertion with the names that reports have for members of blocks. Variables that the kernel does not use are
    /// not bound, and stay 0.
    fn claim_in_glsl(&self) -> String {
        let text = self.glsl().replace("gl_WorkGroupID.x", "");
        let body = text.split_once("void main").map_or("", |(_, body)| body);
        let is_used = |name| body.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
        let named = |name, of| if is_used(name) { of } else { "0" };
        self.claim.replace('x', named("x", "X.x")).replace('y', named("y", "Y.y"))
    }

    fn litmus(&self, seed: u64) -> String {
        let mut columns = vec![Vec::new(); self.invocations as usize];
        for (number, part) in self.parts.iter().enumerate() {
            for (column, lines) in columns.iter_mut().zip(part) {
                if number > 0 {
                    column.push(format!(
                        "cbar{}.wg{} {number}",
                        match self.barriers {
                            0 => "",
                            _ => ".acq_rel",
                        },
                        classes(self.barriers)
                    ));
                }
                for line in lines {
                    line.litmus(column);
                }
            }
        }
        let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
        let place = |number: u64| match self.is_together {
            true => format!("P{number}@sg 0, wg 0, qf 0"),
            false => format!("P{number}@sg {number}, wg {number}, qf 0"),
        };
        let heads: Vec<String> = (0..self.invocations).map(place).collect();
        let mut text = format!("VULKAN G{seed}\n{{ x=0; y=0; z=0; }}\n {} ;\n", heads.join(" | "));
        for row in 0..rows {
            let cells = columns.iter().map(|column| column.get(row).map_or("", String::as_str));
            let _ = writeln!(text, " {} ;", cells.collect::<Vec<_>>().join(" | "));
        }
        text + "forall (" + &self.claim + ")\n"
    }
}

impl Orders {
    fn random(random: &mut Random, among: &[Order]) -> Self {
        let order = among[random.below(among.len())];
        let classes = if order == Relaxed { 0 } else { 1 + random.below(3_u64) };
        Self { order, is_of_workgroup: random.below(4_u64) == 0, classes }
    }

    /// Returns the scope, and the semantics with this order.
    fn glsl(self, order: Order) -> (&'static str, String) {
        let scope = if self.is_of_workgroup { "gl_ScopeWorkgroup" } else { "gl_ScopeDevice" };
        let classes = match (order, self.classes) {
            (Relaxed, _) | (_, 0) => "None",
            (_, 1) => "Buffer",
            (_, 2) => "Shared",
            _ => "Buffer | gl_StorageSemanticsShared",
        };
        let order = match order {
            Relaxed => "Relaxed",
            Acquire => "Acquire",
            Release => "Release",
            AcquireRelease => "AcquireRelease",
        };
        (scope, format!("gl_StorageSemantics{classes}, gl_Semantics{order}"))
    }

    fn litmus(self) -> String {
        let scope = if self.is_of_workgroup { "wg" } else { "dv" };
        let order = match self.order {
            Relaxed => "",
            Acquire => ".acq",
            Release => ".rel",
            AcquireRelease => ".acq_rel",
        };
        format!("{order}.{scope}{}", classes(self.classes))
    }
}

/// Returns the storage class semantics.
fn classes(of: u64) -> &'static str {
    [" ", ".semsc0", ".semsc1", ".semsc0.semsc1"][of as usize].trim_end()
}

impl Line {
    /// Returns a random line, if another access is allowed.
    fn random(
        random: &mut Random,
        is_together: bool,
        loaded: &mut u64,
        accesses: &mut u64,
    ) -> Option<Self> {
        let at = random.below(if is_together { 3 } else { 2_u64 });
        let into = (*loaded).min(3);
        let value = 1 + random.below(2_u64);
        let all = [Relaxed, Acquire, Release, AcquireRelease];
        let when = (*loaded > 0 && random.below(3_u64) == 0)
            .then(|| (random.below(*loaded), random.below(2_u64)));
        let is_plain = random.below(3_u64) == 0;
        let what = match random.below(9_u64) {
            0..3 => Operation::Load(
                into,
                at,
                (!is_plain).then(|| Orders::random(random, &[Relaxed, Acquire])),
            ),
            3..6 => Operation::Store(
                at,
                value,
                (!is_plain).then(|| Orders::random(random, &[Relaxed, Release])),
            ),
            6 => Operation::Add(into, at, value, Orders::random(random, &all)),
            7 if is_plain => Operation::Exchange(into, at, value, Orders::random(random, &all)),
            7 => Operation::Compare(into, at, value, Orders::random(random, &all)),
            _ => Operation::Fence(Orders::random(random, &all[1..])),
        };
        *accesses += match what {
            Operation::Fence(_) => 0,
            Operation::Load(..) | Operation::Store(..) => 1,
            _ => 2,
        };
        if *accesses > ACCESSES {
            return None;
        }
        let reads = !matches!(what, Operation::Store(..) | Operation::Fence(_));
        *loaded = (*loaded + u64::from(reads)).min(4);
        Some(Self { when, what })
    }

    fn glsl(&self) -> String {
        let name = |at: u64| NAMES[at as usize];
        let orders = |orders: Orders| {
            let (scope, semantics) = orders.glsl(orders.order);
            format!("{scope}, {semantics}")
        };
        let what = match self.what {
            Operation::Load(into, at, None) => format!("r{into} = {}", name(at)),
            Operation::Load(into, at, Some(of)) => {
                format!("r{into} = atomicLoad({}, {})", name(at), orders(of))
            }
            Operation::Store(at, value, None) => format!("{} = {value}u", name(at)),
            Operation::Store(at, value, Some(of)) => {
                format!("atomicStore({}, {value}u, {})", name(at), orders(of))
            }
            Operation::Add(into, at, value, of) => {
                format!("r{into} = atomicAdd({}, {value}u, {})", name(at), orders(of))
            }
            Operation::Exchange(into, at, value, of) => {
                format!("r{into} = atomicExchange({}, {value}u, {})", name(at), orders(of))
            }
            Operation::Compare(into, at, value, of) => {
                // A failed comparison is a read, which cannot release.
                let failed =
                    if matches!(of.order, Acquire | AcquireRelease) { Acquire } else { Relaxed };
                let (_, failed) = of.glsl(failed);
                format!(
                    "r{into} = atomicCompSwap({}, 0u, {value}u, {}, {failed})",
                    name(at),
                    orders(of)
                )
            }
            Operation::Fence(of) => format!("memoryBarrier({})", orders(of)),
        };
        match self.when {
            Some((register, value)) => {
                format!("        if (r{register} == {value}u) {{ {what}; }}\n")
            }
            None => format!("        {what};\n"),
        }
    }

    fn litmus(&self, column: &mut Vec<String>) {
        let place = |at: u64| (if at == 2 { "sc1" } else { "sc0" }, NAMES[at as usize]);
        let update = |function: &str, into: u64, at: u64, values: &str, of: Orders| {
            let (class, name) = place(at);
            format!("rmw.{function}.{class}{} r{into}, {name}, {values}", of.litmus())
        };
        let how =
            |of: Option<Orders>| of.map_or_else(String::new, |of| format!(".atom{}", of.litmus()));
        let what = match self.what {
            Operation::Load(into, at, of) => {
                format!("ld{}.{} r{into}, {}", how(of), place(at).0, place(at).1)
            }
            Operation::Store(at, value, of) => {
                format!("st{}.{} {}, {value}", how(of), place(at).0, place(at).1)
            }
            Operation::Add(into, at, value, of) => update("add", into, at, &value.to_string(), of),
            Operation::Exchange(into, at, value, of) => {
                update("exch", into, at, &value.to_string(), of)
            }
            Operation::Compare(into, at, value, of) => {
                update("cas", into, at, &format!("0, {value}"), of)
            }
            Operation::Fence(of) => format!("membar{}", of.litmus()),
        };
        match self.when {
            Some((register, value)) => {
                let label = format!("LC{:02}", column.len());
                column.extend([
                    format!("bne r{register}, {value}, {label}"),
                    what,
                    format!("{label}:"),
                ]);
            }
            None => column.push(what),
        }
    }
}
