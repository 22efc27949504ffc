//! Random kernels with barriers in nested control flow: hirace warns of non-uniform control flow (HR006) if and only if tint
//! rejects the module for it.

use super::{explain, refusal};
use crate::random::Random;
use hirace::raw::analysis::uniformity::non_uniform_operations;
use hirace::raw::front::wgsl;
use hirace::raw::program::Program;
use hirace_testing::options;
use libtest_mimic::Failed;
use std::collections::BTreeMap;

/// The number of kernels.
const KERNELS: u64 = 150;
/// The minimum number of kernels of each verdict.
const LEAST: u64 = KERNELS / 10;

/// The declarations of each kernel.
const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
@group(0) @binding(2) var<storage, read> fixed: array<u32>;
var<workgroup> tile: array<u32, 64>;
var<private> mine: u32;
fn put(p: ptr<function, u32>, v: u32) { *p = v; }
fn raise(p: ptr<function, u32>, v: u32) { if v > 3u { *p = 1u; } }
";

/// The values that the entry point is made of.
const KERNEL_VALUES: &[&str] = &[
    "l",
    "g.x",
    "q.x",
    "w.x",
    "n",
    "3u",
    "7u",
    "data[l]",
    "data[0]",
    "fixed[l]",
    "fixed[n]",
    "tile[2]",
    "mine",
    "workgroupUniformLoad(&tile[n % 64u])",
    "workgroupUniformLoad(&tile[l])",
];

/// The values that the other function is made of.
const FUNCTION_VALUES: &[&str] = &["a", "b", "n", "3u", "data[a]", "fixed[b]", "tile[2]", "mine"];

/// Compares the verdicts on random kernels.
pub fn agrees() -> Result<(), Failed> {
    let (mut uniform, mut non_uniform) = (0, 0);
    for number in 0..KERNELS {
        let text = kernel(options().seed.wrapping_add(number));
        let refusal = refusal("uniformity", &text)?;
        let of_tint = match &refusal {
            Some(refusal) if !refusal.contains("uniform") => {
                return Err(format!("{refusal}\n{text}").into());
            }
            refusal => refusal.is_some(),
        };
        let parsed = wgsl::parse("random.wgsl", &text).map_err(explain)?;
        let program = Program::new(&parsed, &BTreeMap::new()).map_err(explain)?;
        let found = non_uniform_operations(&program, 0);
        if of_tint == found.is_empty() {
            let refusal = refusal.unwrap_or_default();
            return Err(format!("hirace finds {found:?}, and tint: {refusal}\n{text}").into());
        }
        uniform += u64::from(!of_tint);
        non_uniform += u64::from(of_tint);
    }
    match uniform >= LEAST && non_uniform >= LEAST {
        true => Ok(()),
        false => Err(format!("{uniform} uniform and {non_uniform} non-uniform kernels").into()),
    }
}

/// Returns the kernel with this number.
fn kernel(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed), names: 0, is_function: true };
    let body = writer.block(&[], 1, false);
    let function = format!("fn helper(a: u32, b: u32) -> u32 {{\n{body}return a;\n}}\n");
    writer.is_function = false;
    let body = writer.block(&[], 0, false);
    let parameters = "@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3u, \
                      @builtin(global_invocation_id) q: vec3u, @builtin(num_workgroups) w: vec3u";
    format!("{HEAD}{function}@compute @workgroup_size(64)\nfn main({parameters}) {{\n{body}}}\n")
}

struct Writer {
    random: Random,
    /// The number of names so far.
    names: u32,
    /// Whether a function is written that is not the entry point.
    is_function: bool,
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Returns a value of variables in scope, constants and memory.
    fn value(&mut self, variables: &[String], depth: u32) -> String {
        if depth < 2 && self.random.chance(30) {
            let operator = *self.random.pick(&["+", "*", "&", "|", "^"]);
            let (a, b) = (self.value(variables, depth + 1), self.value(variables, depth + 1));
            return format!("({a} {operator} {b})");
        }
        if !variables.is_empty() && self.random.chance(40) {
            return self.random.pick(variables).clone();
        }
        let values = if self.is_function { FUNCTION_VALUES } else { KERNEL_VALUES };
        (*self.random.pick(values)).to_owned()
    }

    fn condition(&mut self, variables: &[String], depth: u32) -> String {
        let operator = *self.random.pick(&["<", "==", ">"]);
        let (a, b) = (self.value(variables, 1), self.value(variables, 1));
        if depth > 0 && self.random.chance(20) {
            let joined = *self.random.pick(&["&&", "||"]);
            return format!("(({a} {operator} {b}) {joined} {})", self.condition(variables, 0));
        }
        format!("({a} {operator} {b})")
    }

    fn block(&mut self, variables: &[String], depth: u32, in_loop: bool) -> String {
        let mut scope = variables.to_vec();
        let mut text = String::new();
        for _ in 0..1 + self.random.below(4) {
            text += &self.statement(&mut scope, depth, in_loop);
            text.push('\n');
        }
        text
    }

    fn statement(&mut self, scope: &mut Vec<String>, depth: u32, in_loop: bool) -> String {
        match self.random.below(20) {
            3 | 17 if in_loop => {
                let exit = *self.random.pick(&["break", "continue"]);
                format!("if {} {{ {exit}; }}", self.condition(scope, 1))
            }
            0..4 => {
                let (name, value) = (self.name(), self.value(scope, 0));
                scope.push(name.clone());
                format!("var {name} = {value};")
            }
            4..7 if !scope.is_empty() => {
                let name = self.random.pick(scope).clone();
                let operator = *self.random.pick(&["=", "+="]);
                format!("{name} {operator} {};", self.value(scope, 0))
            }
            7 => format!("mine = {};", self.value(scope, 0)),
            8 => format!("data[0] = {};", self.value(scope, 0)),
            9 => format!("tile[1] = {};", self.value(scope, 0)),
            10 | 11 if self.is_function && self.random.chance(70) => String::new(),
            10 => "workgroupBarrier();".to_owned(),
            11 => "storageBarrier();".to_owned(),
            12..15 if depth < 3 => {
                let condition = self.condition(scope, 1);
                let [then, other] = [(); 2].map(|()| self.block(scope, depth + 1, in_loop));
                match self.random.chance(50) {
                    true => format!("if {condition} {{\n{then}}}"),
                    false => format!("if {condition} {{\n{then}}} else {{\n{other}}}"),
                }
            }
            15 if depth < 2 => {
                let (name, from, to) = (self.name(), self.value(scope, 2), self.value(scope, 2));
                let mut inner = scope.clone();
                inner.push(name.clone());
                let body = self.block(&inner, depth + 1, true);
                format!("for (var {name} = {from}; {name} < {to}; {name}++) {{\n{body}}}")
            }
            16 if depth < 2 => {
                let value = self.value(scope, 2);
                let [one, other] = [(); 2].map(|()| self.block(scope, depth + 1, false));
                format!("switch {value} {{\ncase 1u: {{\n{one}}}\ndefault: {{\n{other}}}\n}}")
            }
            18 => {
                let value = if self.is_function { self.value(scope, 0) } else { String::new() };
                format!("if {} {{ return {value}; }}", self.condition(scope, 1))
            }
            19 if !scope.is_empty() && self.random.chance(60) => {
                let (name, value) = (self.random.pick(scope).clone(), self.value(scope, 0));
                let function = *self.random.pick(&["put", "raise"]);
                format!("{function}(&{name}, {value});")
            }
            19 if !self.is_function => {
                let [a, b] = [(); 2].map(|()| self.value(scope, 0));
                let name = self.name();
                scope.push(name.clone());
                format!("var {name} = helper({a}, {b});")
            }
            _ => String::new(),
        }
    }
}
