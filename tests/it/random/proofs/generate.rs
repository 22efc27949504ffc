//! Random kernels whose addresses suit proofs: affine in ids and loop iterations, guarded, wrapped, slightly out of bounds, and
//! sometimes dependent on data.

use crate::random::Random;
use std::fmt::Write;

/// A kernel, and the values of its launch.
pub struct Kernel {
    pub text: String,
    pub workgroups: [u32; 3],
    /// The number of words in each storage buffer.
    pub words: u32,
    /// The values of `n` and `stride` in the uniform.
    pub uniforms: [u32; 2],
}

/// Names of the storage buffers. Most kernels only read the last.
pub const BUFFERS: [&str; 3] = ["a", "b", "k"];
/// The name of the buffer of atomics.
pub const COUNTERS: &str = "c";
/// The name of the uniform.
pub const UNIFORM: &str = "u";

/// The number of elements in workgroup memory.
const TILE: u32 = 40;

/// Returns the kernel with this number.
pub fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(17));
    let is_square = random.chance(25);
    let size = if is_square { [4, 2] } else { [*random.pick(&[4, 8, 16]), 1] };
    let workgroups = [1 + random.below(3), if is_square { 1 + random.below(2) } else { 1 }, 1];
    let width = size[0] * workgroups[0];
    let all = width * size[1] * workgroups[1];
    let words = *random.pick(&[all, all + 3, 2 * all, 4 * all, all.max(5) - 1]);
    let n = *random.pick(&[width, width, width - 1, all, 3]);
    let stride = *random.pick(&[width, width, width + 1, width - 1, 1]);
    let strays = *random.pick(&[0, 5, 15, 40]);
    let homes = [(); 4].map(|()| random.below(9));
    let mut maker = Maker {
        random,
        size,
        workgroups,
        words,
        strays,
        homes,
        turns: Vec::new(),
        text: String::new(),
        depth: 1,
    };
    let steps = 2 + maker.random.below(4);
    (0..steps).for_each(|_| maker.step());
    maker.end();
    let [x, y] = size;
    let text = format!(
        "struct U {{ n: u32, stride: u32 }}
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> u: U;
@group(0) @binding(4) var<storage, read_write> k: array<u32>;
var<workgroup> t: array<u32, {TILE}>;
var<private> seen: u32;
fn put(i: u32) {{ a[i] = seen; }}
fn apart(x: u32, y: u32) -> u32 {{ if (x > y) {{ return x - y; }} return y - x; }}
@compute @workgroup_size({x}, {y})
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>,
    @builtin(local_invocation_id) li: vec3<u32>, @builtin(local_invocation_index) l: u32) {{
{}}}
",
        maker.text
    );
    Kernel { text, workgroups, words, uniforms: [n, stride] }
}

struct Maker {
    random: Random,
    size: [u32; 2],
    workgroups: [u32; 3],
    words: u32,
    /// The number of touches in 100 that access other elements.
    strays: u32,
    /// The usual index of each memory.
    homes: [u32; 4],
    /// The names of the variables of the enclosing loops.
    turns: Vec<String>,
    text: String,
    depth: usize,
}

impl Maker {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    fn local(&self) -> u32 {
        self.size[0] * self.size[1]
    }

    fn all(&self) -> u32 {
        self.local() * self.workgroups[0] * self.workgroups[1]
    }

    fn step(&mut self) {
        match self.random.below(13) {
            0..=2 => self.touch(),
            3 | 4 => self.barrier(),
            5 | 6 => self.guarded(),
            7 | 8 => self.repeated(),
            9 => self.tree(),
            10 => self.barriers_in_turns(),
            11 => self.at_second_hand(),
            _ => {
                self.line("t[l] = seen;");
                self.line("workgroupBarrier();");
                let index = format!("{}u - l", self.local() - 1);
                self.line(&format!("seen ^= t[{index}];"));
                if self.random.chance(60) {
                    self.line("workgroupBarrier();");
                }
            }
        }
    }

    /// Writes the end of the kernel: no barrier follows, so invocations may return.
    fn end(&mut self) {
        if self.random.chance(40) {
            let guard =
                *self.random.pick(&["g.x >= u.n", "g.x >= arrayLength(&a)", "g.x == 0u", "l > 2u"]);
            self.line(&format!("if ({guard}) {{ return; }}"));
            if guard == "g.x == 0u" && self.random.chance(50) {
                self.line("a[g.x - 1u] = seen;");
            }
        }
        (0..1 + self.random.below(3)).for_each(|_| self.touch());
        if self.random.chance(10) {
            self.line("k[g.x] = seen;");
        }
    }

    fn barrier(&mut self) {
        let barrier =
            if self.random.chance(70) { "workgroupBarrier();" } else { "storageBarrier();" };
        self.line(barrier);
    }

    fn guarded(&mut self) {
        let lane = self.random.below(self.local() + 1);
        let guard = match self.random.below(10) {
            0 => format!("l == {lane}u"),
            1 => "u.stride == 0u".to_owned(),
            2 => format!("l < {lane}u"),
            3 => format!("g.x == {lane}u && g.y == 0u"),
            4 => "g.x < u.n".to_owned(),
            5 => "g.x < u.n && g.y < u.stride".to_owned(),
            6 => "(l & 1u) == 0u".to_owned(),
            7 => "w.x == 0u".to_owned(),
            8 => "b[l] % 2u == 0u".to_owned(),
            _ => format!("l >= {lane}u || g.x < 2u"),
        };
        self.line(&format!("if ({guard}) {{"));
        self.depth += 1;
        self.touch();
        if self.random.chance(if guard.contains("==") { 60 } else { 15 }) {
            let which = self.random.below(2);
            let memory = ["t", "a"][which as usize];
            self.line(&format!("{memory}[0] = seen;"));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn repeated(&mut self) {
        let (local, all, words) = (self.local(), self.all(), self.words);
        let name = format!("i{}", self.turns.len());
        let turns = 2 + self.random.below(3);
        let head = match self.random.below(5) {
            0 => format!("var {name} = g.x; {name} < {words}u; {name} += {all}u"),
            1 => format!("var {name} = l; {name} < {TILE}u; {name} += {local}u"),
            2 => format!("var {name} = l; {name} < {TILE}u; {name} += {}u", local - 1),
            _ => format!("var {name} = 0u; {name} < {turns}u; {name}++"),
        };
        self.line(&format!("for ({head}) {{"));
        self.depth += 1;
        let index = match self.random.below(4) {
            0 => format!("{all}u * {name} + g.x"),
            1 => format!("g.x * {turns}u + {name}"),
            2 => name.clone(),
            _ => format!("l + {local}u * {name}"),
        };
        self.turns.push(name.clone());
        let memory = self.random.below(3);
        let line = self.access(memory, &index);
        self.line(&line);
        if self.random.chance(40) {
            self.touch();
        }
        self.turns.pop();
        self.depth -= 1;
        self.line("}");
    }

    /// Writes a sum by a tree, which is sometimes wrong.
    fn tree(&mut self) {
        let half = self.local() / 2;
        let guard = if self.random.chance(80) { "l < h" } else { "l <= h" };
        let end = if self.random.chance(80) { "workgroupBarrier();" } else { "" };
        let start =
            if self.random.chance(50) { format!("{half}u") } else { format!("min(u.n, {half}u)") };
        self.line("t[l] = seen;");
        self.line("workgroupBarrier();");
        self.line(&format!("for (var h = {start}; h > 0u; h /= 2u) {{"));
        self.line(&format!("    if ({guard}) {{ t[l] += t[l + h]; }} {end}"));
        self.line("}");
        if self.random.chance(70) {
            self.line("workgroupBarrier();");
        }
    }

    fn barriers_in_turns(&mut self) {
        let name = format!("k{}", self.turns.len());
        let end = *self.random.pick(&["3u", "u.n", "2u + u.stride"]);
        self.line(&format!("for (var {name} = 0u; {name} < {end}; {name}++) {{"));
        self.depth += 1;
        self.turns.push(name.clone());
        if self.random.chance(50) {
            self.line(&format!("if (l == {name}) {{ t[{name}] = seen; }}"));
            if self.random.chance(60) {
                self.line("workgroupBarrier();");
            }
            let next = if self.random.chance(50) { "" } else { " + 1u" };
            self.line(&format!("seen ^= t[{name}{next}];"));
        } else {
            self.touch();
            self.barrier();
            self.touch();
        }
        if self.random.chance(70) {
            self.barrier();
        }
        self.turns.pop();
        self.depth -= 1;
        self.line("}");
    }

    /// Writes a loop in which an index is uniform only in the first two iterations.
    fn at_second_hand(&mut self) {
        let (x, y, name) = ("x", "y", format!("s{}", self.turns.len()));
        self.line("{");
        self.depth += 1;
        self.line(&format!("var {x} = 0u; var {y} = 0u;"));
        self.line(&format!("for (var {name} = 0u; {name} < 1u + k[w.x] % 4u; {name}++) {{"));
        self.line("    workgroupBarrier();");
        self.line(&format!("    if (l == 0u) {{ t[{x} % 8u + 1u] = seen; }}"));
        self.line(&format!("    seen ^= t[{x} % 8u];"));
        let next = if self.random.chance(50) { "l" } else { "2u" };
        self.line(&format!("    {x} = {y}; {y} = {next};"));
        self.line("}");
        self.depth -= 1;
        self.line("}");
        if self.random.chance(70) {
            self.line("workgroupBarrier();");
        }
    }

    fn touch(&mut self) {
        let memory = self.random.below(4);
        let index = self.index(memory);
        let line = self.access(memory, &index);
        self.line(&line);
    }

    /// Returns an access to the memory with this number: two of storage, one of the workgroup, one of atomics.
    fn access(&mut self, memory: u32, index: &str) -> String {
        let name = ["a", "b", "t", "c"][memory as usize];
        let how = self.random.below(8);
        match (memory, how) {
            (3, 0..=4) => format!("atomicAdd(&c[{index}], 1u);"),
            (3, _) => format!("seen ^= atomicLoad(&c[{index}]);"),
            (0, 0) => format!("put({index});"),
            (_, 0..=2) => format!("{name}[{index}] = seen + 1u;"),
            (_, 3) => format!("{name}[{index}] += seen;"),
            (_, 4) => format!("{{ let p = &{name}[{index}]; *p = seen; }}"),
            _ => format!("seen ^= {name}[{index}];"),
        }
    }

    fn index(&mut self, memory: u32) -> String {
        if !self.random.chance(self.strays) {
            return self.form(self.homes[memory as usize], memory == 2);
        }
        if self.random.chance(15) {
            return format!("b[{}] % {}u", self.form(0, false), self.words);
        }
        let which = self.random.below(21);
        let is_local = self.random.chance(50);
        self.form(which, is_local)
    }

    fn form(&mut self, which: u32, is_local: bool) -> String {
        let (local, all, words) = (self.local(), self.all(), self.words);
        let row = self.size[0] * self.workgroups[0];
        let id = match (is_local, self.size[1]) {
            (true, _) => "l".to_owned(),
            (false, 1) => "g.x".to_owned(),
            (false, _) => format!("(g.y * {row}u + g.x)"),
        };
        let few = 1 + self.random.below(3);
        match which {
            0 | 1 => id,
            2 => format!("{few}u * {id}"),
            3 => "g.y * u.stride + g.x".to_owned(),
            4 => format!("{}u - {id}", if is_local { local - 1 } else { all - 1 }),
            5 => format!("w.x * {local}u + l"),
            6 => format!("{id} ^ 1u"),
            7 => format!("min({id}, {}u)", words - 1),
            8 => format!("{id} / 2u * 2u + {id} % 2u"),
            9 => format!("{id} + {few}u"),
            10 => format!("{id} / {few}u"),
            11 => format!("{id} % {}u", local.max(2) - 1),
            12 => "0u".to_owned(),
            13 => format!("({id} << 31u) >> 29u"),
            14 => format!("({id} + {all}u) % {words}u"),
            15 => format!("apart({id}, {few}u)"),
            16 => format!("select({id}, {id} + 1u, l > {few}u)"),
            17 => format!("k[0] % {few}u + {id}"),
            18 => format!("k[w.x] % {few}u + {id}"),
            19 => format!("k[l] % {few}u + {id}"),
            _ => self.turns.last().map_or(id, |turn| format!("{turn} + l")),
        }
    }
}
