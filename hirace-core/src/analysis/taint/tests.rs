use super::*;
use crate::front::wgsl;
use crate::ir::globals::{Role, role};

/// Returns guesses of contents and lengths for the variables that `guessed` selects.
fn guess_all(guessed: &[bool]) -> ByVariable<'_> {
    ByVariable { contents: guessed, lengths: guessed, ..ByVariable::default() }
}

const DECLARATIONS: &str = "
    struct Params { n: u32, stride: u32 }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage> data: array<u32>;
    @group(0) @binding(2) var<storage, read_write> out: array<u32>;
    var<workgroup> tile: array<u32, 64>;
    var<private> mine: u32;
";

/// Returns a kernel with this body, and its taint if the contents and lengths of all its buffers are guessed.
fn program_taint(helpers: &str, body: &str) -> (Program, Taint) {
    let text = format!(
        "{DECLARATIONS} {helpers}
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
    );
    let parsed = wgsl::parse("test.wgsl", text.as_str()).unwrap();
    let program = Program::new(&parsed, &Default::default()).unwrap();
    // Workgroup and private memory are never guessed.
    let guessed: Vec<bool> = program
        .module
        .global_variables
        .iter()
        .map(|(handle, _)| role(&program.module, handle) != Role::Internal)
        .collect();
    let taint = Taint::new(&program, &[0], guess_all(&guessed));
    (program, taint)
}

/// Returns the taint of the accesses of a kernel with this body, by the text of their memory expression.
fn taints(helpers: &str, body: &str) -> Vec<(String, SiteTaint, bool)> {
    let (program, taint) = program_taint(helpers, body);
    program
        .sites
        .accesses()
        .map(|(id, site, _)| {
            let snippet = program.source.snippet(site.span);
            let memory = snippet.split_once(" = ").map_or(snippet, |(memory, _)| memory);
            (memory.to_owned(), taint.site(id), taint.is_possible(id))
        })
        .collect()
}

/// Returns whether a race at the access with source `text` is only possible.
#[track_caller]
fn possible(helpers: &str, body: &str, text: &str) -> bool {
    let taints = taints(helpers, body);
    let mut found = taints.iter().filter(|(snippet, ..)| snippet == text);
    match (found.next(), found.next()) {
        (Some((_, _, possible)), None) => *possible,
        _ => panic!("`{text}` should stand once among {taints:?}"),
    }
}

#[test]
fn the_reason_names_the_variables() {
    let reason = |body: &str| {
        let text = format!(
            "{DECLARATIONS} @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
        );
        let parsed = wgsl::parse("test.wgsl", text.as_str()).unwrap();
        let program = Program::new(&parsed, &Default::default()).unwrap();
        let taint = Taint::new(
            &program,
            &[0],
            ByVariable { contents: &[true; 3], ..ByVariable::default() },
        );
        let write =
            program.sites.accesses().find(|(.., a)| a.action == crate::ir::access::Action::Write);
        taint.doubt(&program, write.unwrap().0)
    };
    assert_eq!(reason("tile[l] = data[l];"), None);
    let contents = |names: &[&str]| {
        let contents = names.iter().map(|name| (*name).to_owned()).collect();
        facts::InferredInputs { contents, ..facts::InferredInputs::default() }
    };
    assert_eq!(
        reason("tile[data[l] + params.n] = 1u;"),
        Some(Doubt::Address(contents(&["params", "data"])))
    );
    assert_eq!(
        reason("if (out[l] > params.n) { tile[l] = 1u; }"),
        Some(Doubt::Control(contents(&["params", "out"])))
    );
}

#[test]
fn a_site_that_depends_only_on_ids_is_certain() {
    assert!(!possible("", "tile[l] = 1u;", "tile[l]"));
    assert!(!possible("", "for (var i = 0u; i < 4u; i++) { tile[i] = l; }", "tile[i]"));
}

#[test]
fn values_are_not_addresses() {
    assert!(!possible("", "tile[l] = data[l] * params.n;", "tile[l]"));
}

#[test]
fn an_index_from_data_or_parameters_is_a_guess() {
    assert!(possible("", "tile[data[l]] = 1u;", "tile[data[l]]"));
    assert!(possible("", "tile[l * params.stride] = 1u;", "tile[l * params.stride]"));
    assert!(possible("", "let i = min(data[l], 3u); tile[i] = 1u;", "tile[i]"));
}

#[test]
fn a_guard_on_a_guess_makes_a_race_possible() {
    assert!(possible("", "if (l >= params.n) { return; } tile[0] = l;", "tile[0]"));
    assert!(possible("", "for (var i = 0u; i < params.n; i++) { tile[i] = l; }", "tile[i]"));
    assert!(possible("", "if (data[l] > 3u) { tile[0] = l; }", "tile[0]"));
    assert!(possible("", "if (data[l] > 3u) { return; } tile[0] = l;", "tile[0]"));
    assert!(possible("", "switch data[l] { case 1u { tile[0] = l; } default {} }", "tile[0]"));
    assert!(possible("", "if (l < arrayLength(&data)) { tile[0] = l; }", "tile[0]"));
}

#[test]
fn a_barrier_that_depends_on_a_guess_makes_races_of_a_workgroup_possible() {
    let doubt = |helpers: &str, body: &str| program_taint(helpers, body).1.doubt_of_barriers();
    let on = |name: &str| {
        let contents = vec![name.to_owned()];
        Some(Doubt::Barriers(facts::InferredInputs { contents, ..Default::default() }))
    };
    let body = "tile[l] = l; if (params.n != 0u) { workgroupBarrier(); } out[l] = tile[63u - l];";
    assert_eq!(doubt("", body), on("params"));
    let body = "tile[l] = l; if (data[0] == 7u) { workgroupBarrier(); } out[l] = tile[63u - l];";
    assert_eq!(doubt("", body), on("data"));
    let wait = "fn wait() { workgroupBarrier(); }";
    let body = "for (var i = 40u; i < params.n; i++) { wait(); } out[l] = tile[63u - l];";
    assert_eq!(doubt(wait, body), on("params"));
    let body = "for (var i = 0u; i < 4u; i++) { wait(); } if (l < params.n) { out[l] = tile[l]; }";
    assert_eq!(doubt(wait, body), None);
}

#[test]
fn breaking_out_of_a_loop_taints_its_body_and_not_what_follows() {
    let body = "loop { tile[0] = l; if (data[l] > 3u) { break; } } tile[1] = l;";
    assert!(possible("", body, "tile[0]"));
    assert!(!possible("", body, "tile[1]"));
    let body = "for (var i = 0u; i < 4u; i++) { if (data[i] > 1u) { continue; } tile[0] = l; } tile[1] = l;";
    assert!(possible("", body, "tile[0]"));
    assert!(!possible("", body, "tile[1]"));
}

#[test]
fn variables_carry_guesses_also_under_control_flow() {
    assert!(possible("", "mine = data[l]; tile[mine] = 1u;", "tile[mine]"));
    let body = "var k = 0u; if (data[l] > 3u) { k = 1u; } tile[k] = 1u;";
    assert!(possible("", body, "tile[k]"));
    let body = "var k = 0u; if (params.n > 3u) { k = 1u; } tile[k] = 1u;";
    assert!(possible("", body, "tile[k]"));
}

#[test]
fn memory_carries_guesses() {
    let body = "tile[l] = data[l]; workgroupBarrier(); let k = tile[0]; out[k] = 1u;";
    assert!(possible("", body, "out[k]"));
    let body = "tile[l] = l; workgroupBarrier(); let k = tile[0]; out[k] = 1u;";
    assert!(!possible("", body, "out[k]"));
}

#[test]
fn an_index_from_a_guessed_length_is_a_guess() {
    let mirrored = "tile[arrayLength(&data) - 1u - l] = l;";
    assert!(possible("", mirrored, "tile[arrayLength(&data) - 1u - l]"));
}

#[test]
fn calls_carry_guesses_both_ways() {
    let helpers = "fn pick(i: u32) -> u32 { return data[i]; } fn same(i: u32) -> u32 { return i; }";
    assert!(possible(helpers, "tile[pick(l)] = 1u;", "tile[pick(l)]"));
    assert!(!possible(helpers, "tile[same(l)] = 1u;", "tile[same(l)]"));
    let helpers = "fn fill(p: ptr<function, u32>) { *p = data[0]; }";
    assert!(possible(helpers, "var k = 0u; fill(&k); tile[k] = 1u;", "tile[k]"));
    let helpers = "fn put(i: u32) { tile[i] = 1u; }";
    assert!(possible(helpers, "put(l); put(data[l]);", "tile[i]"));
    assert!(!possible(helpers, "put(l); put(l + 1u);", "tile[i]"));
    assert!(possible(helpers, "if (data[l] > 0u) { put(l); }", "tile[i]"));
}

#[test]
fn results_of_atomics_depend_on_previous_contents() {
    let helpers = "@group(0) @binding(3) var<storage, read_write> next: atomic<u32>;
                   var<workgroup> count: atomic<u32>;";
    assert!(possible(helpers, "let k = atomicAdd(&next, 1u); tile[k] = 1u;", "tile[k]"));
    assert!(!possible(helpers, "let k = atomicAdd(&count, 1u); tile[k] = 1u;", "tile[k]"));
}

#[test]
fn given_contents_are_not_guesses() {
    let text = format!(
        "{DECLARATIONS} @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32) {{ tile[data[l]] = params.n; }}"
    );
    let parsed = wgsl::parse("test.wgsl", text.as_str()).unwrap();
    let program = Program::new(&parsed, &Default::default()).unwrap();
    let taint = Taint::new(&program, &[0], ByVariable::default());
    assert!(program.sites.accesses().all(|(id, ..)| !taint.is_possible(id)));
}

#[test]
fn a_loop_whose_exit_depends_on_a_guess_may_be_endless() {
    let text = format!(
        "{DECLARATIONS} @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32) {{
             for (var i = 0u; i < 64u; i += params.stride) {{ tile[i] = l; }}
             for (var i = 0u; i < 64u; i += 1u) {{ tile[i] = l; }}
         }}"
    );
    let parsed = wgsl::parse("test.wgsl", text.as_str()).unwrap();
    let program = Program::new(&parsed, &Default::default()).unwrap();
    let taint =
        Taint::new(&program, &[0], ByVariable { contents: &[true; 5], ..ByVariable::default() });
    let loops = program.sites.list.iter().enumerate().filter(|(_, s)| s.kind == SiteKind::Loop);
    let endless: Vec<bool> = loops.map(|(id, _)| taint.may_be_endless(SiteId(id as u32))).collect();
    assert_eq!(endless, [true, false]);
}

#[test]
fn the_number_of_workgroups_is_a_guess_and_the_ids_next_to_it_are_not() {
    let text = format!(
        "{DECLARATIONS} struct Ids {{ @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_id) lane: vec3u }}
         fn add(ids: Ids) -> u32 {{ return ids.lane.x; }}
         @compute @workgroup_size(64) fn main(ids: Ids, @builtin(workgroup_id) group: vec3u) {{
             tile[ids.lane.x] = 1u; tile[ids.groups.x] = 1u; tile[group.x] = 1u; tile[add(ids)] = 1u;
         }}"
    );
    let parsed = wgsl::parse("test.wgsl", text.as_str()).unwrap();
    let program = Program::new(&parsed, &Default::default()).unwrap();
    let possible = |num_workgroups| {
        let guesses = ByVariable { num_workgroups, ..ByVariable::default() };
        let taint = Taint::new(&program, &[0], guesses);
        program.sites.accesses().map(|(id, ..)| taint.is_possible(id)).collect::<Vec<bool>>()
    };
    // An argument of a helper is followed as a whole.
    assert_eq!(possible(true), [false, true, false, true]);
    assert_eq!(possible(false), [false; 4]);
}
