//! Prints a random kernel as WGSL.
//!
//! Every touch is on a separate line, so that a site of the engine is identified by its line.

use super::kernel::{
    AccessMode, Atomic, Class, ELEMENTS, Guard, Index, Kernel, Memory, Shape, Space, Step,
    TEXTURE_WIDTH, Touch,
};
use super::layout::{Type, place};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text of a kernel, and the lines of its touches.
pub struct PrintedKernel {
    pub wgsl: String,
    /// The line (from 1) of each touch and uniform load, in the order of the description, in which the model numbers them.
    pub lines: Vec<u32>,
}

/// Prints `kernel`.
pub fn print(kernel: &Kernel) -> PrintedKernel {
    let mut printer =
        Printer { kernel, helpers: String::new(), main: String::new(), next: 0, helper: 0 };
    printer.steps(&kernel.body, 1);
    let head = head(kernel);
    let Printer { helpers, main, next, .. } = printer;
    let size = kernel.grid.workgroup_size;
    let marked = format!(
        "{head}\n{helpers}@compute @workgroup_size({size})\n\
         fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) gid: vec3<u32>, \
         @builtin(workgroup_id) wid: vec3<u32>) {{\n    let group = wid.x;\n    let global = gid.x;\n    \
         let turn = 0u;\n{main}    results[global] = seen;\n}}\n"
    );
    unmark(&marked, next)
}

/// Removes the marks from a text and records the lines of the marks.
fn unmark(marked: &str, marks: usize) -> PrintedKernel {
    let mut lines = vec![0; marks];
    let mut wgsl = String::with_capacity(marked.len());
    for (number, line) in marked.lines().enumerate() {
        let (text, mark) = line.split_once(MARK).map_or((line, None), |(t, m)| (t, Some(m)));
        if let Some(mark) = mark.and_then(|mark| mark.parse::<usize>().ok()) {
            lines[mark] = number as u32 + 1;
        }
        wgsl.push_str(text);
        wgsl.push('\n');
    }
    PrintedKernel { wgsl, lines }
}

/// A character that no WGSL text contains, which precedes a touch's number at the end of its line.
const MARK: char = '\u{1}';

struct Printer<'a> {
    kernel: &'a Kernel,
    helpers: String,
    main: String,
    next: usize,
    helper: usize,
}

impl Printer<'_> {
    fn steps(&mut self, steps: &[Step], depth: usize) {
        let indent = "    ".repeat(depth);
        for step in steps {
            match step {
                Step::Touch(touch) => self.touch(touch, depth),
                Step::Barrier(class) => {
                    let name = match class {
                        Class::Workgroup => "workgroupBarrier",
                        Class::Storage => "storageBarrier",
                        Class::Texture => "textureBarrier",
                        Class::Subgroup => "subgroupBarrier",
                    };
                    self.line(&format!("{indent}{name}();"));
                }
                Step::UniformLoad(index) => {
                    let name = Memory::scalars(Space::Workgroup).name();
                    let mark = self.mark();
                    self.line(&format!(
                        "{indent}seen ^= workgroupUniformLoad(&{name}[{index}]);{mark}"
                    ));
                }
                Step::Guard(guard, touches) => {
                    self.line(&format!("{indent}if ({}) {{", self.guard(*guard)));
                    touches.iter().for_each(|touch| self.touch(touch, depth + 1));
                    self.line(&format!("{indent}}}"));
                }
                Step::InGroup(group, steps) => {
                    self.line(&format!("{indent}if (group == {group}u) {{"));
                    self.steps(steps, depth + 1);
                    self.line(&format!("{indent}}}"));
                }
                Step::Repeat(times, steps) => {
                    self.line(&format!("{indent}for (var turn = 0u; turn < {times}u; turn++) {{"));
                    self.steps(steps, depth + 1);
                    self.line(&format!("{indent}}}"));
                }
                Step::Helper(touches) => self.helper(touches, &indent),
            }
        }
    }

    fn helper(&mut self, touches: &[Touch], indent: &str) {
        let name = format!("helper_{}", self.helper);
        self.helper += 1;
        self.line(&format!("{indent}{name}(lane, global, group, turn);"));
        let main = std::mem::take(&mut self.main);
        self.line(&format!("fn {name}(lane: u32, global: u32, group: u32, turn: u32) {{"));
        touches.iter().for_each(|touch| self.touch(touch, 1));
        self.line("}");
        self.helpers.push_str(&std::mem::replace(&mut self.main, main));
    }

    fn touch(&mut self, touch: &Touch, depth: usize) {
        let mark = self.mark();
        let statement = statement(self.kernel, touch);
        self.line(&format!("{}{statement}{mark}", "    ".repeat(depth)));
    }

    fn guard(&self, guard: Guard) -> String {
        match guard {
            Guard::EvenLane => "lane % 2u == 0u".into(),
            Guard::LaneIs(lane) => format!("lane == {lane}u"),
            Guard::LaneBelow(lanes) => format!("lane < {lanes}u"),
            Guard::OddGroup => "group % 2u == 1u".into(),
            Guard::Data(space) => {
                let data = data(space);
                format!("{data} % 2u == 0u")
            }
        }
    }

    fn mark(&mut self) -> String {
        self.next += 1;
        format!("{MARK}{}", self.next - 1)
    }

    fn line(&mut self, line: &str) {
        self.main.push_str(line);
        self.main.push('\n');
    }
}

/// Returns a read of memory that may race.
fn data(space: Space) -> String {
    let index = if space == Space::Storage { "global" } else { "lane" };
    format!("{}[{index}]", Memory::scalars(space).name())
}

fn statement(kernel: &Kernel, touch: &Touch) -> String {
    let index = index(kernel, touch.index);
    let name = touch.memory.name();
    if touch.memory.space == Space::Texture {
        return texture_statement(touch, name, &index);
    }
    let place = place(touch.memory.shape, touch.part, 0);
    let mut target = format!("{name}[{index}]{}", place.suffix);
    let mut before = String::new();
    if touch.through_pointer && place.addressable() {
        // In a block, so that the name can be reused.
        before = format!("let p = &{target}; ");
        target = "(*p)".into();
    }
    let access = match touch.how {
        AccessMode::Read if touch.is_plain_access_of_atomic() => {
            atomic_statement(Atomic::Load, &format!("&{target}"), place.type_)
        }
        AccessMode::Write if touch.is_plain_access_of_atomic() => {
            atomic_statement(Atomic::Store, &format!("&{target}"), place.type_)
        }
        AccessMode::Read => format!("seen ^= {};", fold(place.type_, &target)),
        AccessMode::Write => format!("{target} = {};", value(place.type_)),
        AccessMode::Update => match place.type_ {
            Type::Record | Type::Array3U => {
                format!(
                    "{{ var copy = {target}; seen ^= {}; {target} = copy; }}",
                    fold(place.type_, "copy")
                )
            }
            Type::Mat2x3F => format!("{target} = {target} + {};", value(place.type_)),
            type_ => format!("{target} += {};", value(type_)),
        },
        AccessMode::Atomic(atomic) => {
            let pointer = if before.is_empty() { format!("&{target}") } else { "p".into() };
            atomic_statement(atomic, &pointer, place.type_)
        }
    };
    if before.is_empty() { access } else { format!("{{ {before}{access} }}") }
}

fn texture_statement(touch: &Touch, name: &str, index: &str) -> String {
    let at = format!("vec2<u32>(({index}) % {TEXTURE_WIDTH}u, ({index}) / {TEXTURE_WIDTH}u)");
    match touch.how {
        AccessMode::Write => format!("textureStore({name}, {at}, vec4<u32>(seen));"),
        AccessMode::Update => {
            format!("textureStore({name}, {at}, textureLoad({name}, {at}) + vec4<u32>(seen));")
        }
        AccessMode::Read => format!("seen ^= textureLoad({name}, {at}).x;"),
        AccessMode::Atomic(Atomic::Max) => format!("textureAtomicMax({name}, {at}, seen);"),
        AccessMode::Atomic(_) => format!("textureAtomicAdd({name}, {at}, seen);"),
    }
}

fn atomic_statement(atomic: Atomic, pointer: &str, type_: Type) -> String {
    let signed = type_ == Type::I32;
    let value = if signed { "i32(seen)" } else { "seen" };
    let read = |call: String| {
        if signed { format!("seen ^= u32({call});") } else { format!("seen ^= {call};") }
    };
    match atomic {
        Atomic::Load => read(format!("atomicLoad({pointer})")),
        Atomic::Store => format!("atomicStore({pointer}, {value});"),
        Atomic::Add => read(format!("atomicAdd({pointer}, {value})")),
        Atomic::Count => format!("atomicAdd({pointer}, 1);"),
        Atomic::Max => format!("atomicMax({pointer}, {value});"),
        Atomic::Exchange => read(format!("atomicExchange({pointer}, {value})")),
        Atomic::CompareExchange => {
            read(format!("atomicCompareExchangeWeak({pointer}, 0, {value}).old_value"))
        }
    }
}

/// Returns an expression that reads `target` once and reduces it to a `u32`.
fn fold(type_: Type, target: &str) -> String {
    match type_ {
        Type::U32 => target.to_owned(),
        Type::I32 => format!("u32({target})"),
        Type::F32 => format!("bitcast<u32>({target})"),
        Type::Vec2F => format!("bitcast<vec2<u32>>({target}).y"),
        Type::Vec3F => format!("bitcast<vec3<u32>>({target}).y"),
        Type::Vec3U => format!("fold_three({target})"),
        Type::Vec4U => format!("fold_four({target})"),
        Type::Mat2x3F => format!("fold_matrix({target})"),
        Type::Array3U => format!("fold_array({target})"),
        Type::Record => format!("fold_record({target})"),
    }
}

fn value(type_: Type) -> &'static str {
    match type_ {
        Type::U32 => "seen + 1u",
        Type::I32 => "i32(seen) + 1",
        Type::F32 => "f32(seen)",
        Type::Vec2F => "vec2<f32>(f32(seen))",
        Type::Vec3F => "vec3<f32>(f32(seen))",
        Type::Vec3U => "vec3<u32>(seen)",
        Type::Vec4U => "vec4<u32>(seen)",
        Type::Mat2x3F => "mat2x3<f32>(vec3<f32>(f32(seen)), vec3<f32>(1.0))",
        Type::Array3U => "array<u32, 3>(seen, 1u, 2u)",
        Type::Record => "Record(seen, vec2<f32>(1.0, 2.0), array<u32, 3>(seen, 1u, 2u))",
    }
}

fn index(kernel: &Kernel, index: Index) -> String {
    let grid = kernel.grid;
    match index {
        Index::Constant(n) => format!("{}u", n % ELEMENTS),
        Index::Lane => "lane".into(),
        Index::Global => "global".into(),
        Index::Neighbor(n) => format!("(lane + {n}u) % {}u", grid.workgroup_size),
        Index::GlobalNeighbor(n) => format!("(global + {n}u) % {}u", grid.invocations()),
        Index::Shared(n) => format!("lane >> {n}u"),
        Index::Mirror => format!("{}u - lane", grid.workgroup_size - 1),
        Index::Group => "group".into(),
        Index::Subgroup => format!("lane / {}u", grid.subgroup_size),
        Index::Iteration => "turn".into(),
        Index::LanePlusIteration => format!("(lane + turn) % {}u", grid.workgroup_size),
        Index::Data(space) => format!("{} % {ELEMENTS}u", data(space)),
    }
}

/// Returns the declarations of everything the kernel uses.
fn head(kernel: &Kernel) -> String {
    let mut used: BTreeSet<Memory> = kernel.touches().iter().map(|touch| touch.memory).collect();
    for step in kernel.steps() {
        match step {
            Step::UniformLoad(_) => used.extend([Memory::scalars(Space::Workgroup)]),
            Step::Guard(Guard::Data(space), _) => used.extend([Memory::scalars(*space)]),
            _ => {}
        }
    }
    used.extend(kernel.touches().iter().filter_map(|touch| match touch.index {
        Index::Data(space) => Some(Memory::scalars(space)),
        _ => None,
    }));

    let shapes: BTreeSet<Shape> = used.iter().map(|memory| memory.shape).collect();
    let mut head = String::new();
    if shapes.contains(&Shape::Record) {
        head.push_str("struct Record { id: u32, pos: vec2<f32>, tail: array<u32, 3> }\n");
    }
    head.push_str("@group(0) @binding(0) var<storage, read_write> results: array<u32>;\n");
    for (binding, memory) in used.iter().enumerate() {
        let name = memory.name();
        let element = match memory.shape {
            Shape::Scalar => "u32",
            Shape::Vector => "vec4<u32>",
            Shape::PaddedVector => "vec3<u32>",
            Shape::Matrix => "mat2x3<f32>",
            Shape::Record => "Record",
            Shape::Nested => "array<u32, 3>",
            Shape::AtomicU => "atomic<u32>",
            Shape::AtomicI => "atomic<i32>",
            Shape::Texel => "texture_storage_2d<r32uint, read_write>",
            Shape::AtomicTexel => "texture_storage_2d<r32uint, atomic>",
        };
        let at = format!("@group(0) @binding({})", binding + 1);
        let _ = match memory.space {
            Space::Storage => {
                writeln!(head, "{at} var<storage, read_write> {name}: array<{element}>;")
            }
            Space::Workgroup => {
                writeln!(head, "var<workgroup> {name}: array<{element}, {ELEMENTS}>;")
            }
            Space::Texture => writeln!(head, "{at} var {name}: {element};"),
        };
    }
    head.push_str("var<private> seen: u32;\n");
    for (shapes_that_need_it, fold) in FOLDS {
        if shapes_that_need_it.iter().any(|shape| shapes.contains(shape)) {
            head.push_str(fold);
        }
    }
    head
}

/// Functions that reduce a value of many words to a `u32`, so that it is loaded once and all of it is used.
const FOLDS: [(&[Shape], &str); 5] = [
    (&[Shape::PaddedVector], "fn fold_three(v: vec3<u32>) -> u32 { return v.x ^ v.y ^ v.z; }\n"),
    (&[Shape::Vector], "fn fold_four(v: vec4<u32>) -> u32 { return v.x ^ v.y ^ v.z ^ v.w; }\n"),
    (
        &[Shape::Matrix],
        "fn fold_matrix(m: mat2x3<f32>) -> u32 { return bitcast<u32>(m[0].x + m[1].z); }\n",
    ),
    (
        &[Shape::Nested, Shape::Record],
        "fn fold_array(a: array<u32, 3>) -> u32 { return a[0] ^ a[1] ^ a[2]; }\n",
    ),
    (&[Shape::Record], "fn fold_record(r: Record) -> u32 { return r.id ^ fold_array(r.tail); }\n"),
];
