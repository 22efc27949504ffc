use super::*;
use crate::front::wgsl;
use naga::proc::Layouter;
use std::collections::BTreeMap;

/// Entry points with every kind of id, and every way to end.
const ENTRIES: &str = include_str!("tests/entries.wgsl");

fn program(text: &str) -> Program {
    let parsed = wgsl::parse("test.wgsl", text).unwrap();
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

/// Returns the result of the pass for all entry points, as WGSL that was parsed and validated again.
fn text_of(program: &Program, technique: OrderingTechnique) -> String {
    let entries: Vec<usize> = (0..program.module.entry_points.len()).collect();
    let text = target_first(program, &entries, technique).unwrap().derived.wgsl().unwrap();
    if let Err(error) = wgsl::parse("first.wgsl", &text) {
        panic!("{error} {:?}\n{text}", error.notes);
    }
    text
}

/// Returns the lines of the function whose first line begins with `head`.
fn lines<'t>(text: &'t str, head: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| !line.starts_with(head)).skip(1);
    lines.take_while(|line| *line != "}").map(str::trim).collect()
}

#[test]
fn all_entry_points_are_valid_with_all_techniques() {
    let program = program(ENTRIES);
    for technique in OrderingTechnique::ALL {
        let text = text_of(&program, technique);
        for entry in &program.module.entry_points {
            let body = lines(&text, &format!("fn {}(", entry.name));
            let called = |name: &str| {
                let call = format!("hirace_{name}(");
                body.iter().filter(|line| line.contains(&call)).count()
            };
            assert_eq!(called("begin"), 1, "{technique:?} {}\n{text}", entry.name);
            assert_eq!(called(&entry.name), 1, "{technique:?} {}\n{text}", entry.name);
            assert_eq!(called("end"), usize::from(technique.waits()), "{technique:?}\n{text}");
            assert!(!body.contains(&"return;"), "only the kernel's own function returns early");
        }
    }
}

#[test]
fn one_entry_point_alone_can_be_asked_for() {
    let program = program(ENTRIES);
    for index in 0..program.module.entry_points.len() {
        let made = target_first(&program, &[index], OrderingTechnique::WaitForTarget).unwrap();
        let names = made.derived.module.entry_points.iter().map(|entry| entry.name.as_str());
        let name = program.module.entry_points[index].name.as_str();
        assert_eq!(names.collect::<Vec<_>>(), [name]);
    }
}

#[test]
fn ids_are_taken_where_the_kernel_has_some_and_local_ones_stay() {
    let program = program(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4, 2) fn main(
            @builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>,
            @builtin(num_workgroups) n: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>,
        ) { out[g.x + l.y] = w.x + n.z; }",
    );
    let text = text_of(&program, OrderingTechnique::Remapped);
    let body = lines(&text, "fn main(");
    assert_eq!(
        body,
        [
            "let _e5 = hirace_begin(hirace_local_invocation_index, 8u, w, n);",
            "hirace_main(((_e5 * vec3<u32>(4u, 2u, 1u)) + l), l, n, _e5);",
        ],
        "{text}"
    );
}

#[test]
fn order_buffer_and_workgroup_memory_have_the_declared_sizes() {
    let program = program("@compute @workgroup_size(1) fn main() {}");
    for technique in OrderingTechnique::ALL {
        let made = target_first(&program, &[0], technique).unwrap();
        let module = &made.derived.module;
        let mut globals = module.global_variables.iter();
        let (_, order) = globals.find(|(_, g)| g.binding == Some(made.binding)).unwrap();
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).unwrap();
        assert_eq!(layouter[order.ty].size as usize, 4 * WORDS);
        let in_workgroups = |(_, g): (_, &naga::GlobalVariable)| {
            let bytes = module.types[g.ty].inner.try_size(module.to_ctx()).unwrap();
            (g.space == naga::AddressSpace::WorkGroup).then_some(bytes)
        };
        let bytes: u32 = module.global_variables.iter().filter_map(in_workgroups).sum();
        assert_eq!(bytes, if technique.remaps() { 4 } else { 0 }, "{technique:?}");
    }
}

#[test]
fn an_iteration_polls_as_often_as_the_constant_says() {
    let wait = include_str!("wait.wgsl");
    assert!(wait.contains(&format!("polls += {POLLS_PER_ITERATION}u")));
    assert!(
        wait.contains(&format!(
            "is_done = hirace_poll_{POLLS_PER_ITERATION}_times(workgroup_size)"
        ))
    );
}

#[test]
fn names_and_bindings_of_the_kernel_stay_its_own() {
    let program = program(
        "@group(0) @binding(0) var<storage, read_write> hirace_order: array<u32>;
        fn hirace_begin() -> u32 { return 1u; }
        @compute @workgroup_size(2) fn hirace_main() { hirace_order[0] = hirace_begin(); }",
    );
    for technique in OrderingTechnique::ALL {
        let made = target_first(&program, &[0], technique).unwrap();
        assert_ne!(made.binding, ResourceBinding { group: 0, binding: 0 });
        text_of(&program, technique);
    }
}

#[test]
fn sites_of_the_kernel_are_still_known() {
    let program = program(ENTRIES);
    let entries: Vec<usize> = (0..program.module.entry_points.len()).collect();
    let made = target_first(&program, &entries, OrderingTechnique::WaitForTarget).unwrap();
    let derived = made.derived.program(&BTreeMap::new()).unwrap();
    for (site, _, _) in program.sites.accesses() {
        let copies = derived.sites.accesses().filter(|(id, _, _)| derived.origin_of(*id) == site);
        assert_eq!(copies.count(), 1, "{site:?}");
    }
}

#[test]
fn words_are_read_where_they_are_written() {
    let mut left = words(3, 100);
    assert_eq!(left[..2], [3, 100]);
    assert_eq!(read(&left), WaitCounts::default());
    left[5] = 2;
    left[6] = 1;
    assert_eq!(read(&left), WaitCounts { timed_out: 2, absent: 1 });
    assert!(words(0, u32::MAX)[1].checked_add(POLLS_PER_ITERATION).is_some());
}
