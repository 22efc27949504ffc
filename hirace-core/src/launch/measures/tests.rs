use super::*;
use crate::front::wgsl;
use crate::ir::access::Action;

const HEAD: &str = "
    struct Params { n: u32, width: u32, size: vec2u }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage, read_write> out: array<u32>;
    @group(0) @binding(2) var<storage> order: array<u32>;
    var<workgroup> tile: array<u32, 16>;
    var<private> own: vec3u;
    fn row(id: vec3u) { out[id.x] = 1u; }
    fn plane(id: vec3u) { row(id); out[id.y] = 1u; }
    fn limit() -> u32 { return params.n; }
    fn whole() -> Params { return params; }
    fn of_private() { out[own.y] = 1u; }";

fn program(size: &str, body: &str) -> Program {
    let text = format!(
        "{HEAD} @compute @workgroup_size({size})
         fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u,
                 @builtin(num_workgroups) groups: vec3u) {{ {body} }}"
    );
    Program::new(&wgsl::parse("test.wgsl", text.as_str()).unwrap(), &Default::default()).unwrap()
}

fn measures(size: &str, body: &str) -> Measures {
    Measures::of(&program(size, body), 0)
}

fn read(size: &str, body: &str) -> [bool; 3] {
    measures(size, body).reads
}

/// Returns the uses of the scalar at `offset` of `params`.
fn uses(body: &str, offset: u32) -> Vec<Use> {
    let measures = measures("8, 8", body);
    let of = |(slot, uses): (&Slot, &Vec<Use>)| (slot.offset == offset).then(|| uses.clone());
    measures.uses.iter().find_map(of).unwrap_or_default()
}

const X: [bool; 3] = [true, false, false];
const XY: [bool; 3] = [true, true, false];

#[test]
fn components_are_read_by_name() {
    assert_eq!(read("64", "out[id.x] = l.y;"), X);
    assert_eq!(read("64", "let p = id.xy; out[p.x] = p.y;"), XY);
    assert_eq!(read("64", "out[id.z] = 1u;"), [false, false, true]);
    assert_eq!(read("64", "out[l.x] = 1u;"), [false; 3]);
    assert_eq!(read("64", "out[l.x] = groups.x;"), X);
}

#[test]
fn an_id_is_followed_through_arithmetic_variables_and_calls() {
    assert_eq!(read("64", "let p = id * 2u + l; out[p.x] = 1u;"), X);
    assert_eq!(read("64", "var p = id; p = p + vec3u(1u); out[p.x] = 1u;"), X);
    assert_eq!(read("64", "let p = vec3i(id); out[p.y] = 1u;"), [false, true, false]);
    assert_eq!(read("64", "row(id);"), X);
    assert_eq!(read("64", "plane(id);"), XY);
}

#[test]
fn unused_id_is_not_recorded() {
    assert_eq!(read("64", "let i = id.x; let j = i * 2u; out[l.x] = 1u;"), [false; 3]);
}

#[test]
fn a_copy_in_a_private_variable_is_an_id_by_its_components() {
    assert_eq!(read("64", "own = id; out[own.x] = 1u;"), X);
    assert_eq!(read("64", "own = id; of_private();"), [false, true, false]);
    assert_eq!(read("64", "own = id; out[l.x] = 1u;"), [false; 3]);
}

#[test]
fn an_id_that_is_used_as_a_whole_counts_in_all_its_dimensions() {
    assert_eq!(read("64", "out[dot(id, vec3u(1u, 64u, 64u))] = 1u;"), [true; 3]);
    assert_eq!(read("64", "out[dot(id.xy, vec2u(1u, 64u))] = 1u;"), XY);
}

#[test]
fn ids_may_be_members_of_a_structure() {
    let text = "
        struct Input { @builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u }
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8, 8) fn main(in: Input) { out[in.w.x + in.l.y] = 1u; }";
    let parsed = wgsl::parse("test.wgsl", text).unwrap();
    let program = Program::new(&parsed, &Default::default()).unwrap();
    assert_eq!(Measures::of(&program, 0).reads, X);
}

#[test]
fn a_given_number_is_followed_through_variables_structures_and_calls() {
    let bound = [Use::Bound(Ids::global(0))];
    assert_eq!(uses("if (id.x < params.n) { out[id.x] = 1u; }", 0), bound);
    assert_eq!(uses("let n = params.n - 1u; if (n > id.x) { out[id.x] = 1u; }", 0), bound);
    assert_eq!(uses("if (i32(id.x) < i32(limit())) { out[id.x] = 1u; }", 0), bound);
    assert_eq!(uses("var p = params; if (id.x < p.n) { out[id.x] = 1u; }", 0), bound);
    assert_eq!(uses("let p = whole(); if (id.x < p.n) { out[id.x] = 1u; }", 0), bound);
    assert_eq!(uses("out[min(id.x, params.n)] = 1u;", 0), bound);
}

#[test]
fn uses_determine_the_meaning_of_a_number() {
    assert_eq!(uses("for (var i = 0u; i < params.n; i++) { out[id.x] += i; }", 0), [Use::Count]);
    let strided = "for (var i = id.x; i < params.n; i += 64u) { out[i] = i; }";
    assert_eq!(uses(strided, 0), [Use::Bound(Ids::global(0))]);
    assert_eq!(uses("out[id.y * params.width + id.x] = 1u;", 4), [Use::Stride(Ids::global(1))]);
    assert_eq!(uses("out[id.x / params.width] = 1u;", 4), [Use::Divisor(Ids::global(0))]);
    assert_eq!(uses("out[id.x % params.width] = 1u;", 4), [Use::Modulus(Ids::global(0))]);
    assert_eq!(uses("out[id.x] = 1u << params.width;", 4), [Use::Shift]);
    assert_eq!(uses("out[params.width] = id.x;", 4), [Use::Index]);
    let both = "if (all(id.xy < params.size)) { out[id.x] = 1u; }";
    assert_eq!(uses(both, 8), [Use::Bound(Ids::global(0))]);
    assert_eq!(uses(both, 12), [Use::Bound(Ids::global(1))]);
}

/// Returns whether only one invocation reaches the last write, in workgroups of 8 by 8.
fn is_alone(body: &str, workgroups: [u32; 3]) -> bool {
    let program = program("8, 8", body);
    let measures = Measures::of(&program, 0);
    let writes = program.sites.accesses().filter(|(.., access)| access.action == Action::Write);
    let (last, ..) = writes.filter(|(id, ..)| measures.pins.contains_key(id)).last().unwrap();
    measures.pins[&last].identify_one_invocation([8, 8, 1], workgroups)
}

#[test]
fn a_guard_that_one_invocation_passes_pins_all_its_ids() {
    let one = "if (id.x == 0u && id.y == 0u) { out[0] = 1u; }";
    assert!(is_alone(one, [5, 3, 1]));
    assert!(is_alone("if (id.x != 3u || id.y > 0u) { return; } out[0] = 1u;", [5, 3, 1]));
    assert!(is_alone("if (all(id == vec3u(0u))) { out[0] = 1u; }", [5, 3, 1]));
    assert!(is_alone("if (any(id.xy != params.size)) { return; } out[0] = 1u;", [5, 3, 1]));
    assert!(is_alone(
        "let i = id.x; if (i < 1u) { if (id.y == params.n) { out[0] = 1u; } }",
        [5, 3, 1]
    ));
    assert!(is_alone("if (id.x == 0u && id.y == 0u) { row(id); }", [5, 3, 1]));
    let local = "if (l.x == 0u && l.y == 0u) { out[0] = 1u; }";
    assert!(is_alone(local, [1, 1, 1]));
    assert!(!is_alone(local, [2, 1, 1]), "one of each workgroup");
}

#[test]
fn a_guard_that_several_pass_does_not() {
    assert!(!is_alone("if (id.x == 0u) { out[0] = 1u; }", [1, 1, 1]), "eight have that id");
    assert!(!is_alone("if (id.x == 0u || id.y == 0u) { out[0] = 1u; }", [1, 1, 1]));
    assert!(!is_alone("if (id.x == 0u && id.y == order[l.x]) { out[0] = 1u; }", [1, 1, 1]));
    assert!(!is_alone("if (id.x == 0u && id.y == 0u) { row(id); } row(id);", [1, 1, 1]));
    assert!(!is_alone("if (id.x + id.y == 1u) { out[0] = 1u; }", [1, 1, 1]));
}

#[test]
fn elements_that_index_an_array_of_fixed_length_are_below_it() {
    let measures = measures("8, 8", "tile[order[id.x]] = 1u; out[id.y * 8u] = tile[l.x * 3u];");
    assert_eq!(measures.indices.values().copied().collect::<Vec<_>>(), [Some(16)]);
    assert_eq!(measures.rows, [(Ids::global(1), 8), (Ids::local(0), 3)]);
}
