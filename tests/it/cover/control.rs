//! Random kernels that consist only of control flow. Each block begins with a line that counts its executions, and the path of
//! an invocation depends only on its ids.

use crate::random::Random;
use std::fmt::Write;

/// Returns the kernel with this number, whose statements are nested `depth` deep.
pub fn kernel(seed: u64, depth: u32) -> String {
    let mut print = Print { random: Random::new(seed), text: String::new(), lines: 0, names: 0 };
    print.line(0, "@group(0) @binding(0) var<storage, read_write> own: array<atomic<u32>>;");
    print.line(0, "fn helper(x: u32) -> u32 {");
    print.line(1, "var v = x;");
    print.block(1, depth.min(2), Inside { a_loop: false, helper: true });
    print.line(1, "return v;");
    print.line(0, "}");
    print.line(0, "@compute @workgroup_size(16)");
    print.line(0, "fn main(@builtin(global_invocation_id) id: vec3<u32>) {");
    print.line(1, "var v = id.x * 7u;");
    print.block(1, depth, Inside { a_loop: false, helper: false });
    print.line(0, "}");
    print.text
}

/// Returns the index of the counter in which a line counts its executions.
pub fn counted_in(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once("atomicAdd(&own[")?;
    rest.split_once(']')?.0.parse().ok()
}

#[derive(Clone, Copy)]
struct Inside {
    a_loop: bool,
    helper: bool,
}

struct Print {
    random: Random,
    text: String,
    lines: usize,
    names: usize,
}

impl Print {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * depth);
    }

    /// Writes a line that counts its executions.
    fn counted(&mut self, depth: usize) {
        if self.lines < 256 {
            let line = format!("atomicAdd(&own[{}], 1u);", self.lines);
            self.line(depth, &line);
            self.lines += 1;
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("k{}", self.names)
    }

    /// Returns a condition that depends on ids.
    fn condition(&mut self, depth: u32) -> String {
        let constant = self.random.below(9);
        match self.random.below(if depth > 0 { 6 } else { 3 }) {
            0 => format!("v % {}u == {}u", constant + 2, self.random.below(constant + 2)),
            1 => format!("v < {}u", constant * 11),
            2 => format!("(v >> {}u & 1u) != 0u", constant % 4),
            3 => format!("({}) && ({})", self.condition(depth - 1), self.condition(depth - 1)),
            4 => format!("({}) || ({})", self.condition(depth - 1), self.condition(depth - 1)),
            _ => format!("!({})", self.condition(depth - 1)),
        }
    }

    fn block(&mut self, depth: usize, left: u32, inside: Inside) {
        self.counted(depth);
        for _ in 0..self.random.below(3) + 1 {
            self.statement(depth, left, inside);
        }
        self.counted(depth);
        // Statements after these would not run, and naga rejects them.
        match self.random.below(12) {
            0 if inside.a_loop => self.line(depth, "break;"),
            1 if inside.a_loop => self.line(depth, "continue;"),
            2 if depth > 1 && inside.helper => self.line(depth, "return v + 1u;"),
            2 if depth > 1 => self.line(depth, "return;"),
            _ => {}
        }
    }

    fn statement(&mut self, depth: usize, left: u32, inside: Inside) {
        let kind = if left == 0 { 7 + self.random.below(3) } else { self.random.below(10) };
        let within = Inside { a_loop: true, ..inside };
        match kind {
            0 | 1 => {
                let condition = self.condition(2);
                self.line(depth, &format!("if ({condition}) {{"));
                self.block(depth + 1, left - 1, inside);
                if self.random.chance(50) {
                    self.line(depth, "} else {");
                    self.block(depth + 1, left - 1, inside);
                }
                self.line(depth, "}");
            }
            2 => {
                let cases = self.random.below(3) + 1;
                self.line(depth, &format!("switch (v % {}u) {{", cases + 2));
                for case in 0..cases {
                    let also = if case == 0 { format!(", {}u", cases) } else { String::new() };
                    self.line(depth + 1, &format!("case {case}u{also}: {{"));
                    self.block(depth + 2, left - 1, inside);
                    self.line(depth + 1, "}");
                }
                self.line(depth + 1, "default: {");
                self.counted(depth + 2);
                self.line(depth + 1, "}");
                self.line(depth, "}");
            }
            3 | 4 => {
                let (name, most) = (self.name(), self.random.below(4));
                let end =
                    if self.random.chance(50) { "v % 3u".to_owned() } else { format!("{most}u") };
                self.line(depth, &format!("for (var {name} = 0u; {name} < {end}; {name}++) {{"));
                self.block(depth + 1, left - 1, within);
                self.line(depth, "}");
            }
            5 => {
                let name = self.name();
                self.line(depth, &format!("var {name} = v % 4u;"));
                self.line(depth, &format!("while ({name} > 0u) {{"));
                self.line(depth + 1, &format!("{name} -= 1u;"));
                self.block(depth + 1, left - 1, within);
                self.line(depth, "}");
            }
            6 => {
                let name = self.name();
                self.line(depth, &format!("var {name} = 0u;"));
                self.line(depth, "loop {");
                self.block(depth + 1, left - 1, within);
                self.line(depth + 1, "continuing {");
                self.line(depth + 2, &format!("{name} += 1u;"));
                self.counted(depth + 2);
                self.line(depth + 2, &format!("break if {name} > v % 3u;"));
                self.line(depth + 1, "}");
                self.line(depth, "}");
            }
            7 if !inside.helper => self.line(depth, "v += helper(v);"),
            8 => {
                let condition = self.condition(1);
                self.line(depth, &format!("v += select(1u, 5u, {condition});"));
            }
            _ => self.line(depth, "v = v * 5u + 1u;"),
        }
    }
}
