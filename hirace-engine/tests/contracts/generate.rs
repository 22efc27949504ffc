//! Random kernels whose indices, guards and loops are of the kinds that contracts are inferred for, most of them correct and some
//! slightly wrong.

use hirace_engine::random::Random;
use std::fmt::Write;

/// The number of elements of each array in workgroup memory.
const TILE: u32 = 16;

/// Runtime-sized arrays of single words: the name, as in `NAME[i]`.
const ARRAYS: [&str; 4] = ["a", "b", "tail.list", "k"];

/// The globals and functions of every kernel.
const HEAD: &str = "
struct Size { w: u32, h: u32, s: i32, d: u32, m: array<vec4<u32>, 4> }
struct Pair { x: u32, y: u32 }
struct Row { m: array<u32, 4>, p: Pair }
struct Tail { n: u32, list: array<u32> }
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read> k: array<u32>;
@group(0) @binding(3) var<uniform> u: Size;
@group(0) @binding(4) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> r: array<Row>;
@group(0) @binding(6) var<storage, read_write> tail: Tail;
@group(0) @binding(7) var<storage, read_write> v: array<vec2<u32>>;
var<workgroup> t: array<u32, 16>;
var<workgroup> q: array<u32, 16>;
var<workgroup> z: array<atomic<u32>, 16>;
var<workgroup> e: u32;
var<private> seen: u32;
var<private> own: array<u32, 8>;
fn put(i: u32) { a[i] = seen; }
fn row(y: u32, width: u32, x: u32) -> u32 { return y * width + x; }
fn away(x: u32, y: u32) -> u32 { if (x > y) { return x - y; } return y - x; }
fn inside(x: u32, end: u32) -> bool { return x < end; }
fn bump(p: ptr<function, u32>, by: u32) { *p = *p + by; }
fn limit(x: u32, end: u32) -> u32 { if (end == 0u) { return 0u; } if (x >= end) { return end - 1u; } return x; }
";

/// Returns the text of the kernel with this number.
pub fn kernel(seed: u64) -> String {
    let mut random = Random::stream(seed, 47);
    let sizes =
        [[4, 1, 1], [8, 1, 1], [2, 2, 1], [4, 2, 1], [2, 2, 2], [1, 1, 1], [3, 1, 1], [16, 1, 1]];
    let size = sizes[random.below(sizes.len())];
    let faults = [0, 0, 4, 12, 30][random.below(5_usize)];
    let main = random.below(3_usize);
    let mut maker = Maker {
        random,
        size,
        faults,
        main,
        names: Vec::new(),
        number: 0,
        text: String::new(),
        depth: 1,
    };
    maker.body();
    let [x, y, z] = size;
    format!(
        "{HEAD}@compute @workgroup_size({x}, {y}, {z})
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) wg: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) l: u32,
    @builtin(num_workgroups) n: vec3<u32>) {{
{}}}
",
        maker.text
    )
}

struct Maker {
    random: Random,
    size: [u32; 3],
    /// The probability of a deviation from what is usually correct, in percent.
    faults: u32,
    /// The index that most accesses use.
    main: usize,
    /// The names of integer variables in scope.
    names: Vec<String>,
    /// The number of names that were given.
    number: u32,
    text: String,
    depth: usize,
}

impl Maker {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.below(100_u32) < percent
    }

    fn is_wrong(&mut self) -> bool {
        let faults = self.faults;
        self.chance(faults)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.random.below(from.len())]
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }

    fn name(&mut self) -> String {
        self.number += 1;
        format!("x{}", self.number)
    }

    fn local(&self) -> u32 {
        self.size.iter().product()
    }

    fn body(&mut self) {
        let steps = 1 + self.random.below(3_u32);
        for _ in 0..steps {
            self.step(0);
        }
    }

    fn step(&mut self, nesting: u32) {
        let names = self.names.len();
        match self.random.below(27_u32) {
            0..=3 => self.guarded_access(),
            4 if nesting == 0 => self.early_return(),
            5 | 6 => self.variable(),
            7..=9 if nesting < 2 => self.grid_loop(nesting),
            10 | 11 if nesting == 0 => self.tile_loop(),
            12 if nesting == 0 => self.tree(),
            13 if nesting == 0 => self.exchange(),
            14 if nesting < 2 => self.branch(nesting),
            15 => self.barrier(),
            16 => self.one_writer(),
            17 if nesting < 2 => self.rows_loop(nesting),
            18 if nesting < 2 => self.open_loop(nesting),
            19 if nesting == 0 => self.uniform_barriers(),
            20 if nesting == 0 => self.ping_pong(),
            21 => self.atomic(),
            22 => self.own_memory(),
            23 => self.parts(),
            24 if nesting == 0 => self.second_hand(),
            _ => self.guarded_access(),
        }
        // Names of variables in nested blocks are unknown after them.
        if nesting > 0 {
            self.names.truncate(names);
        }
    }

    // Values.

    fn constant(&mut self) -> String {
        let local = self.local();
        let values = [
            0,
            1,
            1,
            2,
            2,
            3,
            4,
            5,
            7,
            8,
            local,
            local - 1,
            16,
            31,
            0xffff_ffff,
            0x8000_0000,
            65_536,
        ];
        format!("{}u", values[self.random.below(values.len())])
    }

    fn small(&mut self) -> u32 {
        1 + self.random.below(4_u32)
    }

    fn length(&mut self) -> String {
        let name = self.pick(&["a", "a", "a", "b", "k", "c", "r", "tail.list", "v"]);
        format!("arrayLength(&{name})")
    }

    /// Returns a value on which all invocations agree.
    fn uniform(&mut self, depth: u32) -> String {
        if depth == 0 || self.chance(60) {
            return match self.random.below(12_u32) {
                0..=2 => "u.w".to_owned(),
                3 | 4 => "u.h".to_owned(),
                5 => "u.d".to_owned(),
                6 => "u32(u.s)".to_owned(),
                7 => format!("n.{}", self.pick(&["x", "y", "z"])),
                8 => self.pick(&["k[0]", "k[1]", "tail.n"]).to_owned(),
                9 => self.constant(),
                _ => self.length(),
            };
        }
        let (one, other) = (self.uniform(depth - 1), self.uniform(depth - 1));
        self.combined(&one, &other)
    }

    fn id(&mut self) -> String {
        if !self.names.is_empty() && self.chance(35) {
            return self.names[self.random.below(self.names.len())].clone();
        }
        self.pick(&["g.x", "g.x", "g.x", "g.y", "g.z", "l", "l", "lid.x", "lid.y", "wg.x", "wg.y"])
            .to_owned()
    }

    /// Returns any value.
    fn value(&mut self, depth: u32) -> String {
        if depth == 0 || self.chance(35) {
            return match self.random.below(16_u32) {
                0..=2 => self.uniform(0),
                3 | 4 => self.constant(),
                5 => self
                    .pick(&["t[l]", "b[0]", "b[g.x % arrayLength(&b)]", "own[0]", "tail.n"])
                    .to_owned(),
                _ => self.id(),
            };
        }
        let one = self.value(depth - 1);
        let other = if self.chance(50) { self.constant() } else { self.value(depth - 1) };
        self.combined(&one, &other)
    }

    fn combined(&mut self, one: &str, other: &str) -> String {
        let few = self.small();
        let power = 1 << self.random.below(4_u32);
        let bits = self.random.below(4_u32);
        let condition =
            if self.chance(50) { format!("{one} < {other}") } else { "l < 2u".to_owned() };
        match self.random.below(27_u32) {
            0..=4 => format!("({one} + {other})"),
            5 | 6 => format!("({one} - {other})"),
            7..=9 => format!("({one} * {other})"),
            10 => format!("({one} / {few}u)"),
            11 => format!("({one} % {few}u)"),
            12 => format!("({one} << {bits}u)"),
            13 => format!("({one} >> {bits}u)"),
            14 => format!("({one} & {}u)", power - 1),
            15 => format!("({one} ^ {power}u)"),
            16 => format!("min({one}, {other})"),
            17 => format!("max({one}, {other})"),
            18 => format!("clamp({one}, l, {other})"),
            19 => format!("u32(i32({one}) + i32({other}))"),
            20 => format!("u32(i32({one}) - {few})"),
            21 => format!("select({one}, {other}, {condition})"),
            22 => format!("row({one}, {few}u, {other})"),
            23 => format!("away({one}, {other})"),
            24 => format!("limit({one}, {other})"),
            25 => format!("({one} | {power}u)"),
            _ => format!("(({one} / {power}u) * {power}u + {one} % {power}u)"),
        }
    }

    /// Returns an index that differs from invocation to invocation, if nothing deviates, and a guard under which it does.
    fn own_index(&mut self) -> (String, Vec<[String; 2]>) {
        let [x, y, z] = self.size;
        let local = self.local();
        let is_flat = y * z == 1;
        let width = match self.random.below(6_u32) {
            0 | 1 => "u.w".to_owned(),
            2 => format!("(n.x * {x}u)"),
            3 => "u.h".to_owned(),
            4 => "u.d".to_owned(),
            _ => self.uniform(1),
        };
        let pair = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let which = if self.chance(60) { self.main } else { 3 + self.random.below(11_usize) };
        let (mut index, guards) = match which {
            0 | 1 if is_flat => ("g.x".to_owned(), vec![]),
            0 | 3 => {
                let text = match self.random.below(4_u32) {
                    0 => format!("g.y * {width} + g.x"),
                    1 => format!("row(g.y, {width}, g.x)"),
                    2 => format!("g.x + {width} * g.y"),
                    _ => format!("({width} * g.y + g.x)"),
                };
                (text, vec![pair("g.x", &width)])
            }
            1 | 4 => (format!("wg.x * {local}u + l"), vec![]),
            2 | 5 => {
                let height = self.pick(&["u.h", "u.w", "u.d", "n.y"]);
                let text = match self.random.below(2_u32) {
                    0 => format!("(g.z * {height} + g.y) * {width} + g.x"),
                    _ => format!("g.z * {width} * {height} + g.y * {width} + g.x"),
                };
                (text, vec![pair("g.x", &width), pair("g.y", height)])
            }
            6 => (format!("g.x + g.y * (n.x * {x}u)"), vec![]),
            7 => {
                let few = self.small();
                let more = self.random.below(few);
                (format!("g.x * {few}u + {more}u"), vec![])
            }
            8 => (format!("(wg.y * n.x + wg.x) * {local}u + l"), vec![]),
            9 => (format!("g.x * {width} + g.y"), vec![pair("g.y", &width)]),
            10 => ("g.x + u.d".to_owned(), vec![]),
            11 => {
                let end = self.uniform(0);
                (format!("{end} - 1u - g.x"), vec![pair("g.x", &end)])
            }
            12 => ("u32(i32(g.x) + u.s)".to_owned(), vec![]),
            _ => (self.value(2), vec![]),
        };
        if self.is_wrong() {
            let other = self.value(1);
            index = self.combined(&format!("({index})"), &other);
        }
        (index, guards)
    }

    // Conditions.

    /// Returns a spelling of `one < other`.
    fn less(&mut self, one: &str, other: &str) -> String {
        if self.is_wrong() {
            return match self.random.below(4_u32) {
                0 => format!("{one} <= {other}"),
                1 => format!("{one} != {other}"),
                2 => format!("{one} < {other} + 1u"),
                _ => format!("{one} - 1u < {other}"),
            };
        }
        match self.random.below(9_u32) {
            0 => format!("{other} > {one}"),
            1 => format!("!({one} >= {other})"),
            2 => format!("{one} + 1u <= {other}"),
            3 => format!("{one} <= {other} - 1u"),
            4 => format!("inside({one}, {other})"),
            5 => format!("!({other} <= {one})"),
            6 => format!("i32({one}) < i32({other})"),
            _ => format!("{one} < {other}"),
        }
    }

    fn guard(&mut self) -> String {
        match self.random.below(9_u32) {
            0 => {
                let (one, other) = (self.uniform(0), self.uniform(0));
                let operator = self.pick(&["<", "<=", "==", "!=", ">", ">="]);
                format!("{one} {operator} {other}")
            }
            1 => format!("l == {}u", self.random.below(3_u32)),
            2 => "(l & 1u) == 0u".to_owned(),
            3 => {
                let (one, other) = (self.id(), self.uniform(1));
                self.less(&one, &other)
            }
            4 => {
                let (one, other) = (self.value(1), self.value(1));
                self.less(&one, &other)
            }
            5 => "all(vec2(g.x, g.y) < vec2(u.w, u.h))".to_owned(),
            6 => "wg.x == 0u".to_owned(),
            7 => {
                let (one, other) = (self.guard(), self.guard());
                let operator = self.pick(&["&&", "||"]);
                format!("({one}) {operator} ({other})")
            }
            _ => {
                let (one, other) = (self.id(), self.length());
                self.less(&one, &other)
            }
        }
    }

    fn joined(&mut self, guards: &[[String; 2]]) -> String {
        let parts: Vec<String> = guards
            .iter()
            .map(|[one, other]| self.less(&format!("({one})"), &format!("({other})")))
            .collect();
        let joined = parts.join(" && ");
        match self.random.below(4_u32) {
            0 if parts.len() > 1 => {
                let negated: Vec<String> = parts.iter().map(|part| format!("!({part})")).collect();
                format!("!({})", negated.join(" || "))
            }
            1 => format!("select(false, true, {joined})"),
            _ => joined,
        }
    }

    // Statements.

    fn use_of(&mut self, memory: &str, index: &str) {
        let line = match memory {
            "c" => match self.random.below(3_u32) {
                0 => format!("seen += atomicLoad(&c[{index}]);"),
                1 => format!("atomicStore(&c[{index}], seen);"),
                _ => format!("atomicAdd(&c[{index}], 1u);"),
            },
            "r" => match self.random.below(6_u32) {
                0 => format!("r[{index}].p = Pair(seen, l);"),
                1 => format!("r[{index}].m[{}] = seen;", self.random.below(4_u32)),
                2 => format!("r[{index}].p.y = r[{index}].p.x;"),
                3 => {
                    let inner = self.value(1);
                    format!("r[{index}].m[{inner} & 3u] = seen;")
                }
                4 => format!("{{ let o = r[{index}]; r[{index}] = o; }}"),
                _ => format!("seen += r[{index}].p.x;"),
            },
            "v" => match self.random.below(4_u32) {
                0 => format!("v[{index}] = vec2(seen, l);"),
                1 => format!("v[{index}].y = v[{index}].x;"),
                2 => format!("v[{index}][l & 1u] = seen;"),
                _ => format!("seen += v[{index}].x;"),
            },
            "k" => format!("seen += k[{index}];"),
            "a" if self.chance(15) => format!("put({index});"),
            _ => match self.random.below(6_u32) {
                0 | 1 => format!("{memory}[{index}] = seen + 1u;"),
                2 => format!("{memory}[{index}] += 1u;"),
                3 => format!("{{ let p = &{memory}[{index}]; *p = *p + 1u; }}"),
                4 => format!("{memory}[{index}] = {index};"),
                _ => format!("seen += {memory}[{index}];"),
            },
        };
        self.line(&line);
    }

    fn guarded_access(&mut self) {
        let memory = self.pick(&["a", "a", "a", "b", "k", "c", "r", "v", "tail.list", "t"]);
        if memory == "t" {
            let index = if self.is_wrong() { self.value(1) } else { self.tile_index() };
            return self.use_of("t", &index);
        }
        let (mut index, mut guards) = self.own_index();
        if self.chance(35) {
            let name = self.name();
            self.line(&format!("let {name} = {index};"));
            self.names.push(name.clone());
            index = name;
        }
        if !guards.is_empty() && self.is_wrong() {
            guards.pop();
        }
        match self.random.below(6_u32) {
            0 | 1 => guards.push([index.clone(), format!("arrayLength(&{memory})")]),
            2 => {
                let end = self.uniform(1);
                guards.push(["g.x".to_owned(), end]);
            }
            3 => {
                let end = self.uniform(0);
                guards.push([index.clone(), end]);
            }
            _ => {}
        }
        if guards.is_empty() {
            return self.use_of(memory, &index);
        }
        if self.chance(30) {
            guards.reverse();
        }
        let condition = self.joined(&guards);
        if self.chance(12) {
            self.open("switch (l & 1u) {");
            self.open(&format!("case 0u: {{ if ({condition}) {{"));
            self.use_of(memory, &index);
            self.close("} }");
            self.line("default: {}");
            return self.close("}");
        }
        self.open(&format!("if ({condition}) {{"));
        self.use_of(memory, &index);
        if self.chance(20) {
            let other = self.pick(&["a", "b", "c"]);
            self.use_of(other, &index);
        }
        self.close("}");
    }

    fn early_return(&mut self) {
        let (one, other) = match self.random.below(4_u32) {
            0 => ("g.x".to_owned(), self.length()),
            1 => ("g.y".to_owned(), "u.h".to_owned()),
            2 => (self.value(1), self.uniform(1)),
            _ => ("g.x".to_owned(), self.uniform(1)),
        };
        let less = self.less(&one, &other);
        let text = match self.random.below(3_u32) {
            0 => format!("if (!({less})) {{ return; }}"),
            1 => format!("if ({one} >= {other}) {{ return; }}"),
            _ => format!("if ({one} >= {other} || g.y >= u.h) {{ return; }}"),
        };
        self.line(&text);
    }

    fn variable(&mut self) {
        let name = self.name();
        let value = if self.chance(40) { self.own_index().0 } else { self.value(2) };
        if self.chance(50) {
            self.line(&format!("let {name} = {value};"));
        } else {
            self.line(&format!("var {name} = {value};"));
            let (condition, by) = (self.guard(), self.value(1));
            match self.random.below(4_u32) {
                0 => self.line(&format!("if ({condition}) {{ {name} = {by}; }}")),
                1 => self.line(&format!("if ({condition}) {{ {name} += {by}; }}")),
                2 => self.line(&format!("bump(&{name}, {by});")),
                _ => {
                    let step = self.small();
                    self.line(&format!(
                        "for (var i = 0u; i < {step}u; i++) {{ if ({condition}) {{ break; }} {name} += {by}; }}"
                    ));
                }
            }
        }
        self.names.push(name);
    }

    fn grid_loop(&mut self, nesting: u32) {
        let [x, _, _] = self.size;
        let local = self.local();
        let name = self.name();
        let memory = self.pick(&["a", "a", "b", "c", "r", "v", "tail.list", "t", "k"]);
        let (start, stride) = match self.random.below(5_u32) {
            0 | 1 => ("g.x".to_owned(), format!("{x}u * n.x")),
            2 => ("l".to_owned(), format!("{local}u")),
            3 => (format!("wg.x * {local}u + l"), format!("n.x * {local}u")),
            _ => (self.value(1), self.uniform(1)),
        };
        let stride = if self.is_wrong() { self.uniform(1) } else { stride };
        let end = match (memory, self.random.below(4_u32)) {
            ("t", 0..=2) => format!("{TILE}u"),
            (_, 0 | 1) => format!("arrayLength(&{memory})").replace("&t)", "&a)"),
            (_, 2) => self.uniform(1),
            _ => "u.w".to_owned(),
        };
        let less = self.less(&name, &end);
        match self.random.below(3_u32) {
            0 => {
                self.line(&format!("var {name} = {start};"));
                self.open(&format!("while ({less}) {{"));
            }
            _ => self.open(&format!("for (var {name} = {start}; {less}; {name} += {stride}) {{")),
        }
        let is_for = !self.text.trim_end().ends_with(&format!("while ({less}) {{"));
        self.names.push(name.clone());
        if self.chance(15) {
            let guard = self.guard();
            // A `while` loop would not terminate.
            let jump = if is_for { "continue" } else { "break" };
            self.line(&format!("if ({guard}) {{ {jump}; }}"));
        }
        let index = if self.is_wrong() { self.combined(&name, "1u") } else { name.clone() };
        self.use_of(memory, &index);
        if self.chance(25) {
            self.step(nesting + 1);
        }
        if self.chance(10) {
            let guard = self.guard();
            self.line(&format!("if ({guard}) {{ break; }}"));
        }
        if !is_for {
            self.line(&format!("{name} += {stride};"));
        }
        self.close("}");
        self.names.retain(|it| *it != name);
    }

    fn rows_loop(&mut self, nesting: u32) {
        let (name, width) = (self.name(), self.pick(&["u.w", "u.h", "u.d"]));
        let end = if self.is_wrong() { self.uniform(0) } else { width.to_owned() };
        let memory = self.pick(&["a", "b", "c", "tail.list", "k"]);
        let row = if self.size[1] * self.size[2] == 1 { "g.x" } else { "g.y" };
        let end_of_rows = self.pick(&["u.h", "u.w", "u.d", "arrayLength(&a)"]);
        let guard = self.less(row, end_of_rows);
        if self.chance(60) {
            self.open(&format!("if ({guard}) {{"));
        } else {
            self.open("{");
        }
        self.open(&format!("for (var {name} = 0u; {name} < {end}; {name}++) {{"));
        self.names.push(name.clone());
        let index = if self.chance(70) {
            format!("{row} * {width} + {name}")
        } else {
            format!("{name} * {width} + {row}")
        };
        let check = self.chance(40);
        if check {
            self.open(&format!("if ({index} < arrayLength(&{memory})) {{"));
        }
        self.use_of(memory, &index);
        if check {
            self.close("}");
        }
        if self.chance(15) {
            self.step(nesting + 1);
        }
        self.names.retain(|it| *it != name);
        self.close("}");
        self.close("}");
    }

    /// Writes a loop with several exits.
    fn open_loop(&mut self, nesting: u32) {
        let name = self.name();
        let (start, end, step) = (self.value(1), self.uniform(1), self.uniform(0));
        self.line(&format!("var {name} = {start};"));
        self.open("loop {");
        self.names.push(name.clone());
        let less = self.less(&name, &end);
        self.line(&format!("if (!({less})) {{ break; }}"));
        if self.chance(50) {
            let guard = self.guard();
            let exit = if nesting == 0 && self.chance(40) { "return" } else { "break" };
            self.line(&format!("if ({guard}) {{ {exit}; }}"));
        }
        let memory = ARRAYS[self.random.below(ARRAYS.len())];
        let index = if self.chance(60) { name.clone() } else { self.own_index().0 };
        self.open(&format!("if ({index} < arrayLength(&{memory})) {{"));
        self.use_of(memory, &index);
        self.close("}");
        if self.chance(30) {
            let step = self.small();
            self.line(&format!("if (l > {step}u) {{ {name} += {step}u; continue; }}"));
        }
        match self.random.below(3_u32) {
            0 => self.line(&format!("{name} += {step};")),
            1 => {
                let guard = self.guard();
                self.line(&format!("continuing {{ {name} += 1u; break if {guard}; }}"));
            }
            _ => self.line(&format!("{name} += {}u;", self.local())),
        }
        self.close("}");
    }

    fn tile_index(&mut self) -> String {
        let last = self.local() - 1;
        match self.random.below(6_u32) {
            0 => format!("{last}u - l"),
            1 => "l ^ 1u".to_owned(),
            2 => format!("(l + 1u) % {}u", last + 1),
            _ => "l".to_owned(),
        }
    }

    fn barrier(&mut self) {
        let barrier = if self.chance(75) { "workgroupBarrier();" } else { "storageBarrier();" };
        self.line(barrier);
    }

    fn maybe_barrier(&mut self) {
        if !self.is_wrong() {
            self.line("workgroupBarrier();");
        } else if self.chance(40) {
            self.line("storageBarrier();");
        }
    }

    fn tile_loop(&mut self) {
        let (name, end) = (self.name(), self.uniform(1));
        let (local, names) = (self.local(), self.names.len());
        self.open(&format!("for (var {name} = 0u; {name} < {end}; {name}++) {{"));
        self.names.push(name.clone());
        match self.random.below(3_u32) {
            0 => {
                let index = format!("{name} * {local}u + l");
                self.line(&format!(
                    "if ({index} < arrayLength(&k)) {{ t[l] = k[{index}]; }} else {{ t[l] = 0u; }}"
                ));
            }
            1 => self.line("t[l] = seen;"),
            _ => self.line(&format!("t[l] = {name};")),
        }
        self.maybe_barrier();
        match self.random.below(3_u32) {
            0 => self.line(&format!("for (var j = 0u; j < {local}u; j++) {{ seen += t[j]; }}")),
            _ => {
                let index = self.tile_index();
                self.line(&format!("seen += t[{index}];"));
            }
        }
        if self.chance(30) {
            self.guarded_access();
        }
        self.maybe_barrier();
        self.names.truncate(names);
        self.close("}");
    }

    fn tree(&mut self) {
        let half = self.local() / 2;
        self.line("t[l] = seen;");
        self.maybe_barrier();
        let is_wrong = self.is_wrong();
        let guard = if is_wrong { "l <= h" } else { "l < h" };
        match self.random.below(4_u32) {
            0 | 1 => {
                let next = self.pick(&["h >>= 1u", "h /= 2u", "h = h / 2u"]);
                let start =
                    if self.is_wrong() { format!("min(u.w, {half}u)") } else { format!("{half}u") };
                self.open(&format!("for (var h = {start}; h > 0u; {next}) {{"));
                self.line(&format!("if ({guard}) {{ t[l] += t[l + h]; }}"));
            }
            2 => {
                let local = self.local();
                self.open(&format!("for (var h = 1u; h < {local}u; h *= 2u) {{"));
                self.line(&format!(
                    "if (l % (2u * h) == 0u && l + h < {local}u) {{ t[l] += t[l + h]; }}"
                ));
            }
            _ => {
                let local = self.local();
                self.open(&format!("for (var h = 1u; h < {local}u; h <<= 1u) {{"));
                self.line("var m = 0u;");
                self.line("if (l >= h) { m = t[l - h]; }");
                self.maybe_barrier();
                self.line("t[l] += m;");
            }
        }
        self.maybe_barrier();
        self.close("}");
        let end = self.pick(&[
            "if (l == 0u) { a[wg.x] = t[0]; }",
            "if (l == 0u && wg.x < arrayLength(&b)) { b[wg.x] = t[0]; }",
            "seen = t[0];",
        ]);
        self.line(end);
    }

    fn exchange(&mut self) {
        if self.chance(30) {
            self.line("if (l == 0u) { e = u.w; }");
            self.maybe_barrier();
            let name = self.name();
            self.line(&format!("let {name} = workgroupUniformLoad(&e);"));
            self.names.push(name);
            return;
        }
        self.line("t[l] = seen;");
        self.maybe_barrier();
        let index = self.tile_index();
        self.line(&format!("seen += t[{index}];"));
        if self.chance(60) {
            self.line("workgroupBarrier();");
        }
    }

    fn ping_pong(&mut self) {
        let (name, end) = (self.name(), self.uniform(0));
        self.line("t[l] = seen; q[l] = seen;");
        self.maybe_barrier();
        let end = if self.chance(50) { "4u".to_owned() } else { end };
        self.open(&format!("for (var {name} = 0u; {name} < {end}; {name}++) {{"));
        let index = self.tile_index();
        self.line(&format!(
            "if (({name} & 1u) == 0u) {{ q[l] = t[{index}]; }} else {{ t[l] = q[{index}]; }}"
        ));
        self.maybe_barrier();
        self.close("}");
    }

    fn branch(&mut self, nesting: u32) {
        let guard = self.guard();
        self.open(&format!("if ({guard}) {{"));
        self.step(nesting + 1);
        if self.chance(40) {
            self.close("} else {");
            self.depth += 1;
            self.step(nesting + 1);
        }
        self.close("}");
    }

    fn uniform_barriers(&mut self) {
        let (one, other) = (self.uniform(0), self.uniform(1));
        let wrong = self.is_wrong();
        let one = match self.random.below(3_u32) {
            _ if !wrong => one,
            0 => self
                .pick(&["t[l]", "t[0]", "b[0]", "b[g.x % arrayLength(&b)]", "own[0]"])
                .to_owned(),
            _ => self.value(1),
        };
        self.open(&format!("if ({one} < {other}) {{"));
        self.line("t[l] = seen;");
        self.line("workgroupBarrier();");
        let index = self.tile_index();
        self.line(&format!("seen += t[{index}];"));
        self.line("workgroupBarrier();");
        self.close("}");
    }

    fn one_writer(&mut self) {
        let (guard, index) = match self.random.below(6_u32) {
            0 => ("l == 0u", "wg.x"),
            1 => ("l == 0u", "wg.x + wg.y * n.x"),
            2 => ("g.x == 0u && g.y == 0u && g.z == 0u", "0u"),
            3 => ("g.x == u.w", "u.d"),
            4 => ("lid.x == 0u", "wg.x"),
            _ => ("l == 0u && wg.x == 0u", "u.h"),
        };
        let memory = ARRAYS[self.random.below(3_usize)];
        let index = if self.is_wrong() { self.uniform(1) } else { index.to_owned() };
        self.open(&format!("if ({guard}) {{"));
        self.use_of(memory, &index);
        self.close("}");
    }

    /// Writes a loop in which a value is uniform only in the first two iterations, if something deviates.
    fn second_hand(&mut self) {
        let end = self.uniform(0);
        let next = if self.is_wrong() { self.id() } else { self.uniform(0) };
        self.open("{");
        self.line("var x = 0u; var y = 0u;");
        self.open(&format!("for (var s = 0u; s < {end}; s++) {{"));
        self.line("workgroupBarrier();");
        if self.chance(50) {
            self.line("if (l == 0u) { t[x % 8u + 1u] = seen; }");
            self.line("seen ^= t[x % 8u];");
        } else {
            self.line("if (x < 2u) { workgroupBarrier(); }");
        }
        self.line(&format!("x = y; y = {next};"));
        self.close("}");
        self.close("}");
    }

    /// Writes an access of a part of an element, and one of a whole element.
    fn parts(&mut self) {
        let (array, part) = match self.random.below(4_u32) {
            0 => ("v", ".y"),
            1 => ("r", ".p.y"),
            2 => ("r", ".m[2]"),
            _ => ("r", ".p"),
        };
        let index = self.own_index().0;
        let other = match self.random.below(4_u32) {
            0 => "0u".to_owned(),
            1 => self.uniform(0),
            _ => index.clone(),
        };
        self.open(&format!(
            "if ({index} < arrayLength(&{array}) && {other} < arrayLength(&{array})) {{"
        ));
        let part = format!("{array}[{index}]{part}");
        match self.random.below(3_u32) {
            0 => self.line(&format!(
                "{{ let o = {array}[{other}]; {part} = {part}; seen += u32(o.{}); }}",
                if array == "v" { "x" } else { "p.x" }
            )),
            1 => self.line(&format!("{{ let o = {part}; {array}[{other}] = {array}[{index}]; }}")),
            _ => self.line(&format!("{{ {part} = {part}; let o = {array}[{other}]; }}")),
        }
        self.close("}");
    }

    /// Writes accesses of memory that invocations do not share.
    fn own_memory(&mut self) {
        let index = if self.chance(60) { self.uniform(0) } else { self.value(1) };
        let index = match self.random.below(3_u32) {
            0 => index,
            1 => format!("min({index}, 3u)"),
            _ => format!("({index} & 3u)"),
        };
        match self.random.below(5_u32) {
            0 => self.line(&format!("own[{index}] = seen;")),
            1 => self.line(&format!("seen += own[{index}] + own[l & 7u];")),
            2 => self.line(&format!("seen += u.m[{index}].y;")),
            3 => self.line(&format!("seen += u.m[1][{index}];")),
            _ => self.line(&format!(
                "{{ var o = array<u32, 4>(); bump(&o[{index}], l); seen += o[0]; }}"
            )),
        }
    }

    fn atomic(&mut self) {
        let index = self.value(1);
        match self.random.below(4_u32) {
            0 => self.line(&format!("atomicAdd(&z[{index} % 16u], 1u);")),
            1 => self.line(&format!("atomicMax(&c[{index} % arrayLength(&c)], l);")),
            2 => {
                let name = self.name();
                self.line(&format!("let {name} = atomicAdd(&c[0], 1u);"));
                if self.chance(50) {
                    self.line(&format!("if ({name} < arrayLength(&a)) {{ seen += a[{name}]; }}"));
                }
                self.names.push(name);
            }
            _ => self.line(&format!(
                "if ({index} < arrayLength(&c)) {{ atomicStore(&c[{index}], 1u); }}"
            )),
        }
    }
}
