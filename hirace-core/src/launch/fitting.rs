//! Chooses the numbers that a host would probably give: sizes that match the grid, modes that the kernel distinguishes, and
//! offsets of 0.
//!
//! The meaning of a number is derived from its uses ([`super::measures`]), or from its name if the uses do not show it. If
//! neither does, the width of the grid, 1 and 0 are tried.

use super::fields::Field;
use super::measures::{Ids, Measures, Slot, Use};
use super::number::Number;
use naga::{GlobalVariable, Handle, ScalarKind};

/// The number of iterations of a loop of which nothing else is known: more than one for tiles of the usual size.
const ASSUMED_ITERATIONS: u32 = 32;

/// The maximum number of loops that may each run [`TURNS`] iterations.
const MAX_LONG_LOOPS: usize = 2;

/// A small number, such as the length of a row, if nothing else is known.
const FEW: u32 = 4;

/// The minimum number of elements per invocation in a part of a buffer.
const PART: u32 = 16;

/// The minimum size of a part of a buffer, in elements.
const MIN_PART: u32 = 1 << 16;

/// The maximum size of a part of a buffer, in elements.
const MAX_PART: u32 = 1 << 20;

/// The factor by which each level of nesting increases a stride, the maximum number of levels, and the maximum stride.
const LEVEL: u32 = 128;
const MAX_LEVELS: usize = 3;
const MAX_STRIDE: u32 = 1 << 18;

/// The amount by which a size that is not a multiple of the workgroup size falls short of it.
const SHORT: u32 = 3;

/// The maximum number of choices of values that are tried.
const MAX_TRIES: usize = 8;

/// Selects one of the choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValueChoice {
    /// The index of the value for numbers with several known candidates.
    pub nth: usize,
    /// The index of the value for numbers that may have any value.
    pub any: usize,
    /// Whether sizes are slightly smaller than the grid, as if the host rounded the grid up.
    pub is_ragged: bool,
    /// The maximum size in each dimension, if there is less to do than the grid has room for.
    pub most: Option<u32>,
}

/// The shape of a launch, from which sizes are derived.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of invocations in each dimension.
    pub extent: [u32; 3],
    /// The number of workgroups in each dimension.
    pub workgroups: [u32; 3],
}

impl Shape {
    /// Returns the shape with the extent limited to `most` in each dimension.
    fn at_most(self, most: Option<u32>) -> Self {
        let most = most.unwrap_or(u32::MAX);
        Self { extent: self.extent.map(|n| n.min(most)), ..self }
    }

    /// Returns the number of distinct values of these ids.
    fn count(&self, ids: Ids) -> u32 {
        let along = |d: usize| match ids.counts_workgroups(d) {
            true => self.workgroups[d],
            false => self.extent[d],
        };
        // If each workgroup has a part, the invocation within the workgroup says little about the size.
        let across = [0, 1, 2].map(|d| ids.is_across(d));
        let all = if across.contains(&true) { across } else { ids.dimensions() };
        (0..3).filter(|&d| all[d]).fold(1u32, |product, d| product.saturating_mul(along(d)))
    }

    /// Returns the number of distinct values of these ids within a workgroup.
    fn lanes(&self, ids: Ids) -> u32 {
        let along = |d: usize| self.extent[d] / self.workgroups[d].max(1);
        let all = ids.dimensions();
        (0..3).filter(|&d| all[d]).fold(1u32, |product, d| product.saturating_mul(along(d)))
    }

    /// Returns the step of these ids: the number of invocations in all lower dimensions. `None` if each invocation has a row of
    /// its own.
    fn row(&self, ids: Ids) -> Option<u32> {
        let Some(first) = ids.dimensions().iter().position(|&varies| varies) else {
            // A counter, usually of a loop over rows.
            return Some(self.extent[0]);
        };
        let below = self.extent[..first].iter().fold(1u32, |product, n| product.saturating_mul(*n));
        match ids.counts_workgroups(first) {
            true => Some(below.saturating_mul(self.extent[first] / self.workgroups[first].max(1))),
            false => (first > 0).then_some(below),
        }
    }

    /// Returns the number of invocations.
    fn total(&self) -> u32 {
        self.extent.iter().fold(1, |product, n| product.saturating_mul(*n))
    }
}

/// The possible values of a number.
#[derive(Clone, Debug, PartialEq)]
enum Choice {
    /// A size, and whether slightly smaller sizes are tried too.
    Size(u32, bool),
    /// A single value.
    Always(Number),
    /// One of these values, with which the kernel compares the number. All are tried.
    OneOf(Vec<Number>),
    /// One of these values. A host might never give any of them.
    Any(Vec<Number>),
}

/// Returns the possible values of one component of `field`, by what is known about it.
fn choice(measures: &Measures, slot: Slot, field: &Field, component: u32, shape: &Shape) -> Choice {
    let uses = measures.uses.get(&slot).map_or(&[][..], Vec::as_slice);
    let is_float = field.scalar.kind == ScalarKind::Float;
    if let Some(size) = bound(measures, uses, is_float, shape) {
        let is_compared = uses.iter().any(|used| matches!(used, Use::Bound(_) | Use::Lane(_)));
        return Choice::Size(size, is_compared);
    }
    let named = by_name(field, component, shape);
    let always = |value: u32| Choice::Always(Number::Int(value.into()));
    if let Some(column) = field.column {
        // The identity matrix leaves everything in its place.
        return always(u32::from(column == component));
    }
    if is_float {
        let some = vec![Number::Float(1.0), Number::Float(0.5), Number::Int(0)];
        return named.map_or(Choice::Any(some), |size| Choice::Size(size, false));
    }
    let find = |of: fn(&Use) -> bool| uses.iter().any(of);
    if is_stride(uses) {
        return Choice::Size(stride(measures, slot, uses, shape), false);
    }
    if find(|used| matches!(used, Use::Count)) {
        return Choice::Size(iterations(measures).min(shape.extent[0].max(1)), true);
    }
    let divides = uses.iter().find_map(|used| match used {
        Use::Divisor(ids) | Use::Modulus(ids) => Some(shape.count(*ids)),
        _ => None,
    });
    if let Some(divided) = divides {
        return always(root(divided));
    }
    if find(|used| matches!(used, Use::Shift)) {
        return always(FEW);
    }
    let equal: Vec<i64> = uses
        .iter()
        .filter_map(|used| match used {
            Use::Equal(value) => Some(*value),
            _ => None,
        })
        .collect();
    if find(|used| matches!(used, Use::Offset)) {
        // Several parts of one buffer follow one another, each with room for more than one element per invocation.
        let is_before = |(of, uses): &(&Slot, &Vec<Use>)| {
            of.variable == slot.variable && of.offset < slot.offset && uses.contains(&Use::Offset)
        };
        let nth = measures.uses.iter().filter(is_before).count() as u32;
        let room = match field.components {
            // Each invocation may have a row as long as there are invocations.
            1 => shape.total().saturating_mul(shape.total().max(PART)).clamp(MIN_PART, MAX_PART),
            // A vector offset is the start of something.
            _ => 0,
        };
        let part = |nth: u32| Number::Int(room.saturating_mul(nth).into());
        return match equal.contains(&0) {
            // The kernel also checks whether the part exists.
            true => Choice::OneOf(vec![part(nth + 1), part(0)]),
            false => Choice::Always(part(nth)),
        };
    }
    if let Some(largest) = equal.iter().max() {
        let other = largest.saturating_add(1);
        let all = equal.iter().copied().chain([other]).take(MAX_TRIES);
        return Choice::OneOf(all.map(|value| Number::Int(value.into())).collect());
    }
    if find(|used| matches!(used, Use::Pick)) {
        return always(1);
    }
    if find(|used| matches!(used, Use::Index | Use::Before)) {
        return always(0);
    }
    if find(|used| matches!(used, Use::Step)) {
        return always(1);
    }
    match named {
        Some(size) => Choice::Size(size, false),
        None => {
            let extent = shape.extent.get(component as usize).copied().unwrap_or(1);
            Choice::Any([extent.into(), 1, 0].map(Number::Int).to_vec())
        }
    }
}

/// Returns the size of the range that the number bounds.
fn bound(measures: &Measures, uses: &[Use], is_float: bool, shape: &Shape) -> Option<u32> {
    let is_divisor = |used: &Use| matches!(used, Use::Divisor(_));
    // Each lane processes one element.
    let lanes = uses.iter().filter_map(|used| match used {
        Use::Lane(ids) => Some(shape.lanes(*ids)),
        _ => None,
    });
    if let Some(lanes) = lanes.max() {
        return Some(lanes);
    }
    let bounds = uses.iter().filter_map(|used| match used {
        Use::Bound(ids) => Some(shape.count(*ids)),
        Use::Divisor(ids) if is_float => Some(shape.count(*ids)),
        // A flat index is reduced by several numbers, which are lengths of rows.
        Use::Modulus(ids) if !uses.iter().any(is_divisor) && !is_flat(measures, *ids) => {
            Some(shape.count(*ids))
        }
        _ => None,
    });
    bounds.max()
}

/// Returns whether more than one number is used as a modulus of a value computed from these ids.
fn is_flat(measures: &Measures, ids: Ids) -> bool {
    let all = measures.uses.values();
    all.filter(|uses| uses.contains(&Use::Modulus(ids))).count() > 1
}

fn is_stride(uses: &[Use]) -> bool {
    uses.iter().any(|used| matches!(used, Use::Stride(_)))
        && !uses.iter().any(|used| matches!(used, Use::Divisor(_) | Use::Modulus(_)))
}

/// Returns the number of iterations of a loop whose bound was not given.
fn iterations(measures: &Measures) -> u32 {
    // Nested loops run few iterations each, because their product would take too long.
    let counts = measures.uses.values().filter(|uses| uses.contains(&Use::Count)).count();
    let most = if counts > MAX_LONG_LOOPS { FEW } else { ASSUMED_ITERATIONS };
    measures.counted.map_or(most, |length| length.clamp(1, most))
}

/// Returns the distance between rows: at least as large as every other range that indexes the elements of a row. Of nested
/// strides, the first is the largest.
fn stride(measures: &Measures, slot: Slot, uses: &[Use], shape: &Shape) -> u32 {
    let rows = uses.iter().filter_map(|used| match used {
        Use::Stride(ids) => shape.row(*ids),
        _ => None,
    });
    let sizes = measures.uses.values().filter_map(|uses| {
        let counts = uses.contains(&Use::Count).then(|| iterations(measures));
        bound(measures, uses, false, shape).max(counts)
    });
    let row = rows.chain(sizes).chain([FEW]).max().unwrap_or(FEW);
    let ids = |uses: &[Use]| {
        let all = uses.iter().filter_map(|used| match used {
            Use::Stride(ids) => Some(*ids),
            _ => None,
        });
        all.fold(Ids::NONE, |all, ids| all | ids)
    };
    let own = ids(uses);
    let within = measures.uses.iter().filter(|(of, uses)| {
        of.variable == slot.variable
            && of.offset > slot.offset
            && bound(measures, uses, false, shape).is_none()
            && is_stride(uses)
            && ids(uses) == own
    });
    // The stride of workgroups spans all rows that are numbered within a workgroup.
    let of_lanes = measures.uses.iter().filter(|(of, uses)| {
        of.variable == slot.variable
            && own.is_of_workgroups()
            && is_stride(uses)
            && ids(uses).is_within()
            && ids(uses).vary()
    });
    let level = (within.count() + of_lanes.count()).min(MAX_LEVELS) as u32;
    row.saturating_mul(LEVEL.pow(level)).min(MAX_STRIDE.max(row))
}

/// Returns the value of one component of a field.
pub fn value(
    measures: &Measures,
    slot: Slot,
    field: &Field,
    component: u32,
    shape: &Shape,
    of: ValueChoice,
) -> Number {
    match choice(measures, slot, field, component, &shape.at_most(of.most)) {
        Choice::Size(size, true) if of.is_ragged => Number::Int(shortened_size(size).into()),
        Choice::Size(size, _) => Number::Int(size.into()),
        Choice::Always(value) => value,
        Choice::Any(values) => nth(&values, of.any),
        Choice::OneOf(values) => nth(&values, of.nth),
    }
}

fn nth(values: &[Number], nth: usize) -> Number {
    values.get(nth % values.len().max(1)).copied().unwrap_or(Number::Int(0))
}

/// Returns a size slightly smaller than this one.
pub fn shortened_size(size: u32) -> u32 {
    size - SHORT.min(size.saturating_sub(1))
}

/// Returns whether the kernel shows the meaning of a number.
pub fn is_known(measures: &Measures, slot: Slot) -> bool {
    measures.uses.contains_key(&slot)
}

/// The numbers of choices worth trying for some fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChoiceCounts {
    /// The maximum number of known candidate values of a number.
    pub count: usize,
    /// Whether there are sizes that may be slightly smaller.
    pub ragged: bool,
    /// The maximum number of values of a number of which nothing is known.
    pub any: usize,
}

impl ChoiceCounts {
    /// Returns the choices for the fields of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            count: self.count.max(other.count),
            ragged: self.ragged || other.ragged,
            any: self.any.max(other.any),
        }
    }

    /// Returns the choices, the most probable one first.
    pub fn all(self) -> Vec<ValueChoice> {
        let likely = ValueChoice::default();
        let several = (0..self.count.clamp(1, MAX_TRIES)).map(|nth| ValueChoice { nth, ..likely });
        several.chain(self.ragged.then_some(ValueChoice { is_ragged: true, ..likely })).collect()
    }

    /// Returns the choices that a host might never make.
    pub fn unlikely_choices(self) -> Vec<ValueChoice> {
        (1..self.any.min(MAX_TRIES))
            .map(|any| ValueChoice { any, ..ValueChoice::default() })
            .collect()
    }
}

/// Returns the choices worth trying for these fields.
pub fn tries(
    measures: &Measures,
    variable: Handle<GlobalVariable>,
    fields: &[Field],
) -> ChoiceCounts {
    let shape = Shape { extent: [64, 8, 4], workgroups: [1; 3] };
    let mut tries = ChoiceCounts::default();
    for field in fields {
        for (component, offset) in (0..).zip(field.offsets()) {
            let slot = Slot { variable, offset };
            match choice(measures, slot, field, component, &shape) {
                Choice::Size(_, may_be_less) => tries.ragged |= may_be_less,
                Choice::OneOf(values) => tries.count = tries.count.max(values.len()),
                Choice::Any(values) => tries.any = tries.any.max(values.len()),
                Choice::Always(_) => {}
            }
        }
    }
    tries
}

/// Returns the largest power of two whose square is at most `n`, but at least [`FEW`].
fn root(n: u32) -> u32 {
    (1 << (n.max(1).ilog2() / 2)).max(FEW)
}

/// Returns the size that the field's name suggests, if any.
fn by_name(field: &Field, component: u32, shape: &Shape) -> Option<u32> {
    let name = field.name().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let along = |dimension: usize| shape.extent.get(dimension).copied();
    if field.components > 1 {
        let is_size = has(&["size", "dim", "extent", "resolution", "screen", "viewport", "grid"]);
        return if is_size { along(component as usize) } else { None };
    }
    let words: Vec<&str> = name.split('_').collect();
    let is = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if has(&["width", "cols", "column", "stride", "pitch"]) || is(&["w", "nx"]) {
        along(0)
    } else if has(&["height", "rows"]) || is(&["h", "ny"]) {
        along(1)
    } else if has(&["depth", "layers"]) || is(&["nz"]) {
        along(2)
    } else if has(&["count", "size", "length", "total", "elements"]) || is(&["n", "len", "num"]) {
        along(0)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::fields;
    use super::*;
    use crate::front::wgsl;
    use crate::program::Program;

    /// Returns the fields of `params` on a grid of 16 by 24 invocations, for each choice.
    fn tried(members: &str, body: &str) -> Vec<Vec<Number>> {
        let text = format!(
            "struct Params {{ {members} }}
             @group(0) @binding(0) var<uniform> params: Params;
             @group(0) @binding(1) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size(8, 8)
             fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {{ {body} }}"
        );
        let parsed = wgsl::parse("test.wgsl", text.as_str()).unwrap();
        let program = Program::new(&parsed, &Default::default()).unwrap();
        let measures = Measures::of(&program, 0);
        let (variable, global) = program.module.global_variables.iter().next().unwrap();
        let fields = fields(&program.module, global.ty);
        let shape = Shape { extent: [16, 24, 1], workgroups: [2, 3, 1] };
        let of = |of: ValueChoice| -> Vec<Number> {
            let all = fields.iter().flat_map(|field| {
                (0..)
                    .zip(field.offsets())
                    .map(move |(component, offset)| (field, component, offset))
            });
            all.map(|(field, component, offset)| {
                value(&measures, Slot { variable, offset }, field, component, &shape, of)
            })
            .collect()
        };
        let tries = tries(&measures, variable, &fields);
        tries.all().into_iter().chain(tries.unlikely_choices()).map(of).collect()
    }

    fn ints(values: &[i128]) -> Vec<Number> {
        values.iter().copied().map(Number::Int).collect()
    }

    #[test]
    fn bounds_of_ids_match_the_grid_or_are_slightly_smaller() {
        let guard = "if (id.x >= params.a || id.y >= params.b) { return; }
                     out[id.y * params.a + id.x] = 1u;";
        assert_eq!(tried("a: u32, b: u32", guard), [ints(&[16, 24]), ints(&[13, 21])]);
        let vector = "if (any(id.xy >= params.a)) { return; } out[id.x] = 1u;";
        assert_eq!(tried("a: vec2u", vector), [ints(&[16, 24]), ints(&[13, 21])]);
        let flat = "let i = id.x + id.y * 16u; if (i >= params.a) { return; } out[i] = 1u;";
        assert_eq!(tried("a: u32", flat), [ints(&[16 * 24]), ints(&[16 * 24 - 3])]);
        let rows = "if (group.x < params.a) { out[group.x] = 1u; }";
        assert_eq!(tried("a: u32", rows), [ints(&[2]), ints(&[1])]);
        let torus = "out[(id.y % params.b) * params.a + id.x % params.a] = 1u;";
        assert_eq!(tried("a: u32, b: u32", torus), [ints(&[16, 24])], "never less than the grid");
        let lanes = "if (l < params.a) { out[id.x] = 1u; }";
        assert_eq!(tried("a: u32", lanes), [ints(&[64]), ints(&[61])], "as many as there are");
        let flat = "let i = id.x; out[i / params.a * 8u + i % params.a] = 1u;";
        assert_eq!(tried("a: u32", flat), [ints(&[4])]);
    }

    #[test]
    fn row_multipliers_are_row_lengths() {
        assert_eq!(tried("a: u32", "out[id.y * params.a + id.x] = 1u;"), [ints(&[16])]);
        assert_eq!(tried("a: u32", "out[id.x * params.a] = 1u;"), [ints(&[4])]);
        let long = "if (id.x < params.b) { out[group.x * params.a + id.x] = 1u; }";
        assert_eq!(tried("a: u32, b: u32", long)[0], ints(&[16, 16]), "as long as a row is");
        let levels = "out[group.x * params.a + (group.x % 2u) * params.b + id.y] = 1u;";
        assert_eq!(tried("a: u32, b: u32", levels), [ints(&[1024, 8])]);
        let plane = "out[id.z * params.a + id.y * params.b + id.x] = 1u;";
        assert_eq!(tried("a: u32, b: u32", plane), [ints(&[16 * 24, 16])]);
        let own = "out[group.x * params.a] = 1u;";
        assert_eq!(tried("a: u32", own), [ints(&[8])]);
        let counted = "for (var k = 0u; k < 4u; k++) { out[k * params.a + id.x] = 1u; }";
        assert_eq!(tried("a: u32", counted), [ints(&[16])]);
    }

    #[test]
    fn modes_are_those_that_the_kernel_asks_for_and_another() {
        let modes =
            "if (params.a == 7u) { out[id.x] = 1u; } else if (params.a == 2u) { out[id.x] = 2u; }";
        assert_eq!(tried("a: u32", modes), [ints(&[7]), ints(&[2]), ints(&[8])]);
        let cases = "switch params.a { case 3u: { out[id.x] = 1u; } default: {} }";
        assert_eq!(tried("a: u32", cases), [ints(&[3]), ints(&[4])]);
    }

    #[test]
    fn offsets_and_indices_are_0_and_unknown_numbers_vary() {
        assert_eq!(tried("a: u32", "out[id.x + params.a] = 1u;"), [ints(&[0])]);
        let parts = "out[id.x + params.a] = out[id.x + params.b];";
        let all = 16 * 24;
        assert_eq!(tried("a: u32, b: u32", parts), [ints(&[0, all * all])], "each may have a row");
        let maybe = "if (params.a != 0u) { out[id.x + params.a] = 1u; }";
        assert_eq!(tried("a: u32", maybe), [ints(&[all * all]), ints(&[0])]);
        assert_eq!(tried("a: u32", "out[id.x - params.a] = 1u;"), [ints(&[0])]);
        assert_eq!(tried("a: u32", "if (id.x == params.a) { out[0] = 1u; }"), [ints(&[1])]);
        assert_eq!(tried("a: u32", "out[params.a] = 1u;"), [ints(&[0])]);
        let any = "out[id.x] = params.a;";
        assert_eq!(tried("a: u32", any), [ints(&[16]), ints(&[1]), ints(&[0])]);
    }

    #[test]
    fn matrices_leave_everything_in_its_place() {
        let used = "out[id.x] = u32(params.a[1].x);";
        assert_eq!(tried("a: mat2x3f", used), [ints(&[1, 0, 0, 0, 1, 0])]);
    }

    #[test]
    fn nested_loops_run_few_iterations() {
        let of = |name: &str, inner: &str| {
            format!("for (var {name} = 0u; {name} < params.{name}; {name}++) {{ {inner} }}")
        };
        let one = of("a", "out[id.x] += a;");
        assert_eq!(tried("a: u32", &one)[0], ints(&[16]), "no more than the grid is wide");
        let three = of("a", &of("b", &of("c", "out[id.x] += a;")));
        assert_eq!(tried("a: u32, b: u32, c: u32", &three)[0], ints(&[4, 4, 4]));
    }

    #[test]
    fn names_tell_where_uses_do_not() {
        let used = "out[id.x] = params.width; out[id.x] = u32(params.resolution.y); out[id.x] = params.seed;";
        let all = tried("width: u32, seed: u32, resolution: vec2f", used);
        assert_eq!(all[0], ints(&[16, 16, 16, 24]));
        assert_eq!(all[2], ints(&[16, 0, 16, 24]));
    }
}
