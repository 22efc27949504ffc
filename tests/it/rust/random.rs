//! Tests of random functions whose expressions contain statements, loops and jumps: the executor must compute from their WGSL
//! what an interpreter of their trees computes by Rust's rules.

use super::native::{LANES, kernel};
use super::{interpret, output};
use crate::random::generate::Random;
use hirace::raw::front::rust::lower;
use hirace_testing::harness::Trial;
use hirace_testing::seeds;

/// The number of functions that the quick tier tries, and the full one.
const FUNCTIONS: u64 = 100;
const ALL_FUNCTIONS: u64 = 3_000;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("rust::random::functions_compute_what_rust_does", || {
        // The shortest failing function is reported.
        let seeds = seeds(FUNCTIONS, ALL_FUNCTIONS);
        let failed = seeds.filter_map(|seed| compare(&of_seed(seed)).err());
        match failed.min_by_key(String::len) {
            Some(failed) => Err(failed.into()),
            None => Ok(()),
        }
    })]
}

/// Returns files with a random kernel each.
pub fn kernels(count: u64) -> impl Iterator<Item = String> {
    (0..count).map(|seed| kernel("f", &of_seed(seed * 3)))
}

fn of_seed(seed: u64) -> String {
    function(seed, 1 + seed as u32 / 60 % 4)
}

fn compare(function: &str) -> Result<(), String> {
    let text = kernel("f", function);
    let failed = |what: &str| format!("{what}\n{text}");
    let syntax = syn::parse_file(&text).map_err(|error| failed(&error.to_string()))?;
    let module = match lower::lower(&syntax.items[0]) {
        Ok(module) => module,
        // Constants are computed at compile time: `0 - 6` is not a u32, and not an index.
        Err(error)
            if ["out of range", "overflows", "out of bounds"]
                .iter()
                .any(|what| error.to_string().contains(what)) =>
        {
            return Ok(());
        }
        Err(error) => return Err(failed(&error.to_string())),
    };
    let got = output(&text, LANES).map_err(|error| failed(&error))?;
    let wanted: Vec<u32> = (0..LANES).map(|lane| interpret::call(&module, "f", lane)).collect();
    match got == wanted {
        true => Ok(()),
        false => Err(failed(&format!("gives\n{got:?}, but in Rust\n{wanted:?}"))),
    }
}

const HELPERS: &str = "
    fn bump(x: &mut u32) -> u32 { *x += 3; *x }
    fn weigh(a: u32, b: u32, c: u32) -> u32 { if a < b { return c; } a * 7 + b * 3 + c }
    fn spread(x: &mut u32, a: &mut [u32; 4]) -> (u32, u32) { a[*x % 4] += 1; *x += a[1]; (a[0], *x) }
";

/// Returns a random function from numbers to numbers, of expressions that are nested `depth` deep.
fn function(seed: u64, depth: u32) -> String {
    let mut writer = Writer { random: Random::new(seed), labels: Vec::new(), names: 0 };
    let statements = writer.statements(depth);
    let value = writer.number(depth);
    format!(
        "fn f(lane: u32) -> u32 {{
        let mut a = lane;
        let mut b = 5u32;
        let mut t = [1u32, 2, 3, 4];
        {statements}
        ({value}) ^ a ^ (b * 31) ^ (t[0] + t[1] * 3 + t[2] * 5 + t[3] * 7)
    }}
    {HELPERS}"
    )
}

/// A label of an enclosing expression.
#[derive(Clone)]
struct Label {
    name: String,
    /// Whether it is a loop, which can be continued.
    is_loop: bool,
    /// Whether leaving it gives a value.
    has_value: bool,
}

struct Writer {
    random: Random,
    labels: Vec<Label>,
    names: u32,
}

impl Writer {
    fn fresh(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    fn variable(&mut self) -> &'static str {
        self.random.pick::<&str>(&["a", "b", "t[0]", "t[a % 4]", "t[b % 4]"])
    }

    fn simple(&mut self) -> String {
        match self.random.below(4) {
            0 => self.random.below(9).to_string(),
            1 => "lane".to_owned(),
            _ => self.variable().to_owned(),
        }
    }

    /// Returns an expression of type `u32`.
    fn number(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.simple();
        }
        let inner = depth - 1;
        match self.random.below(15) {
            0..=2 => {
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                let (x, y) = (self.number(inner), self.number(inner));
                format!("(({x}) {op} ({y}))")
            }
            3 | 4 => self.block(inner),
            5 => {
                let condition = self.truth(inner);
                let (then, otherwise) = (self.block(inner), self.branch(inner));
                format!("(if {condition} {then} else {otherwise})")
            }
            6 => self.choice(inner),
            7 => format!("(({}) as u32)", self.truth(inner)),
            8 => format!("bump(&mut {})", self.random.pick(&["a", "b", "t[2]", "t[a % 4]"])),
            9 => {
                let [x, y, z] = [(); 3].map(|()| self.number(inner));
                format!("weigh({x}, {y}, {z})")
            }
            10 => self.endless(inner),
            11 => self.labeled(inner),
            12 => format!("spread(&mut {}, &mut t).{}", self.random.pick(&["a", "b"]), inner % 2),
            13 => format!("(({}), ({})).{}", self.number(inner), self.number(inner), inner % 2),
            _ => format!("t[({}) % 4]", self.number(inner)),
        }
    }

    fn block(&mut self, depth: u32) -> String {
        let statements = self.statements(depth);
        let value = self.number(depth);
        format!("{{ {statements} {value} }}")
    }

    /// Returns a block, or a jump.
    fn branch(&mut self, depth: u32) -> String {
        if self.random.chance(20) {
            return format!("{{ {} }}", self.jump(depth));
        }
        self.block(depth)
    }

    fn choice(&mut self, depth: u32) -> String {
        let subject = self.number(depth);
        let [one, three] = [(); 2].map(|()| self.branch(depth));
        let [two, other] = [(); 2].map(|()| self.block(depth));
        let n = self.fresh();
        match self.random.below(4) {
            0 => format!(
                "(match ({subject}) % 5 {{ 0 => {one}, 1 | 3 => {two}, 2 => {three}, n{n} => n{n} + {other} }})"
            ),
            1 => {
                let guard = self.truth(depth);
                format!(
                    "(match {subject} {{ 0..=4 => {one}, n{n} if {guard} => n{n} ^ {two}, 7 | 9..20 => {three}, _ => {other} }})"
                )
            }
            2 => {
                let second = self.truth(depth);
                format!(
                    "(match (({subject}) % 3, {second}) {{ (0, true) => {one}, (n{n}, false) => n{n} + {two}, (1, _) => {three}, _ => {other} }})"
                )
            }
            _ => {
                let value = self.number(depth);
                format!(
                    "(match ({subject}, {value}) {{ (x{n}, y{n}) if x{n} < y{n} => x{n} * 3 + y{n}, (3, _) => {one}, (_, z{n}) => z{n} ^ {other} }})"
                )
            }
        }
    }

    fn endless(&mut self, depth: u32) -> String {
        let n = self.fresh();
        let name = format!("l{n}");
        self.labels.push(Label { name: name.clone(), is_loop: true, has_value: true });
        let statements = self.statements(depth);
        let condition = self.truth(depth);
        self.labels.pop();
        let (first, second) = (self.number(depth), self.simple());
        format!(
            "{{ let mut k{n} = 0u32; '{name}: loop {{ k{n} += 1; if k{n} > 3 {{ break {first}; }} {statements} if {condition} {{ break '{name} {second}; }} }} }}"
        )
    }

    fn labeled(&mut self, depth: u32) -> String {
        let name = format!("l{}", self.fresh());
        self.labels.push(Label { name: name.clone(), is_loop: false, has_value: true });
        let statements = self.statements(depth);
        let value = self.number(depth);
        self.labels.pop();
        format!("('{name}: {{ {statements} {value} }})")
    }

    /// Returns a jump out of a loop, a block or the function.
    fn jump(&mut self, depth: u32) -> String {
        let Some(label) = self.labels.get(self.random.below(5) as usize).cloned() else {
            return format!("return {}", self.number(depth.min(1)));
        };
        let name = &label.name;
        match (label.is_loop && self.random.chance(50), label.has_value) {
            (true, _) => format!("continue '{name}"),
            (false, true) => format!("break '{name} {}", self.number(depth.min(1))),
            (false, false) => format!("break '{name}"),
        }
    }

    /// Returns an expression of type `bool`.
    fn truth(&mut self, depth: u32) -> String {
        let inner = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 2 } else { 7 }) {
            0 | 1 => {
                let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({}) {op} ({})", self.number(inner), self.number(inner))
            }
            2 => format!("({}) && ({})", self.truth(inner), self.truth(inner)),
            3 => format!("({}) || ({})", self.truth(inner), self.truth(inner)),
            4 => format!("!({})", self.truth(inner)),
            5 => format!("({}) ^ ({})", self.truth(inner), self.truth(inner)),
            _ => {
                let (statements, truth) = (self.statements(inner), self.truth(inner));
                format!("({{ {statements} {truth} }})")
            }
        }
    }

    fn statements(&mut self, depth: u32) -> String {
        let count = self.random.below(3);
        (0..count).map(|_| self.statement(depth) + " ").collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        let inner = depth.saturating_sub(1);
        let op = *self.random.pick(&["=", "=", "+=", "^=", "*="]);
        match self.random.below(if depth == 0 { 2 } else { 8 }) {
            0 => format!("{} {op} {};", self.variable(), self.number(inner)),
            1 => {
                let (index, value) = (self.number(inner), self.number(inner));
                format!("t[({index}) % 4] {op} {value};")
            }
            2 => {
                let (condition, then) = (self.truth(inner), self.statements(inner));
                match self.random.chance(50) {
                    true => format!("if {condition} {{ {then} }}"),
                    false => {
                        let otherwise = self.statements(inner);
                        format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
                    }
                }
            }
            3 | 4 => self.for_loop(inner),
            5 => {
                let n = self.fresh();
                let condition = self.truth(inner);
                let body = self.body(n, inner);
                format!(
                    "let mut k{n} = 0u32; 'l{n}: while k{n} < 3 && ({condition}) {{ k{n} += 1; {body} }}"
                )
            }
            6 => format!("if {} {{ {}; }}", self.truth(inner), self.jump(inner)),
            _ => {
                let n = self.fresh();
                let value = self.number(inner);
                format!("let v{n} = {value}; b += v{n};")
            }
        }
    }

    fn for_loop(&mut self, depth: u32) -> String {
        let n = self.fresh();
        let (start, end) = (self.number(depth), self.random.below(5));
        let range = match self.random.below(4) {
            0 => format!("0..({start}) % 4"),
            1 => format!("(({start}) % 5..={end})"),
            2 => format!("(({start}) % 4..{end}).rev()"),
            _ => format!("(({start}) % 6..=({end} + b % 3)).rev().step_by(2)"),
        };
        let body = self.body(n, depth);
        format!("'l{n}: for i{n} in {range} {{ a += i{n}; {body} }}")
    }

    /// Returns the body of a loop with the label of this number.
    fn body(&mut self, n: u32, depth: u32) -> String {
        self.labels.push(Label { name: format!("l{n}"), is_loop: true, has_value: false });
        let statements = self.statements(depth);
        self.labels.pop();
        statements
    }
}
