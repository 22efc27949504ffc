use super::*;
use crate::front::wgsl;
use crate::ir::sites::SiteKind;
use crate::prove::Proof;
use std::collections::BTreeMap;

fn program(text: &str) -> Program {
    let parsed = match wgsl::parse("test.wgsl", text) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{error}: {:?}", error.notes),
    };
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

fn global(program: &Program, name: &str) -> Handle<GlobalVariable> {
    let mut globals = program.module.global_variables.iter();
    globals.find(|(_, global)| global.name.as_deref() == Some(name)).unwrap().0
}

/// Returns the answer for each access, by its source text.
fn said<'p>(program: &'p Program, plan: &WatchPlan) -> Vec<(&'p str, Result<(), NotWatched>)> {
    let text = |site| program.source.snippet(program.sites.get(site).unwrap().span);
    plan.sites().map(|(site, answer)| (text(site), answer)).collect()
}

/// Returns the answers for the accesses of `text`, for all entry points, in this scope.
fn judged(text: &str, scope: Scope) -> Vec<Result<(), NotWatched>> {
    let program = program(text);
    let plan = WatchPlan::of_all(&program, &WatchOptions { scope, ..WatchOptions::default() });
    // The plan has an answer for everything that is reached.
    assert_eq!(plan.sites().count(), program.sites.accesses().count());
    said(&program, &plan).into_iter().map(|(_, answer)| answer).collect()
}

/// Returns a kernel over these variables whose invocations have the local index `l`.
fn kernel(variables: &str, body: &str) -> String {
    format!(
        "{variables}
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
    )
}

const A: &str = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;";

#[test]
fn what_may_race_is_watched() {
    for (variables, body, accesses) in [
        (A, "a[l] = 1u;", 1),
        (A, "a[0] += l;", 2),
        ("var<workgroup> w: array<u32, 64>;", "w[l] = w[l ^ 1u];", 2),
        (
            "@group(0) @binding(0) var t: texture_storage_2d<r32uint, write>;",
            "textureStore(t, vec2(l), vec4());",
            1,
        ),
        (
            "@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>>;
            @group(0) @binding(1) var<storage, read_write> s: S; struct S { n: atomic<u32>, k: u32 }",
            "s.k = atomicAdd(&s.n, 1u);",
            2,
        ),
    ] {
        let text = kernel(variables, body);
        for scope in [Scope::MayRace, Scope::Writable, Scope::Accessed] {
            assert_eq!(judged(&text, scope), vec![Ok(()); accesses], "{body}");
        }
    }
}

#[test]
fn memory_that_is_declared_read_only_cannot_race() {
    let text = kernel("@group(0) @binding(0) var<storage> r: array<u32>;", "let v = r[l];");
    assert_eq!(judged(&text, Scope::MayRace), [Err(NotWatched::ReadOnly)]);
    assert_eq!(judged(&text, Scope::Writable), [Err(NotWatched::ReadOnly)]);
    assert_eq!(judged(&text, Scope::Accessed), [Ok(())]);
    let texture = "@group(0) @binding(0) var t: texture_storage_2d<r32uint, read>;";
    let text = kernel(texture, "let v = textureLoad(t, vec2(l));");
    assert_eq!(judged(&text, Scope::Writable), [Err(NotWatched::ReadOnly)]);
}

#[test]
fn memory_that_is_only_read_cannot_race() {
    let text = kernel(A, "let v = a[l] + a[0];");
    assert_eq!(judged(&text, Scope::MayRace), [Err(NotWatched::OnlyRead); 2]);
    assert_eq!(judged(&text, Scope::Writable), [Ok(()); 2]);
}

#[test]
fn memory_of_atomics_that_every_workgroup_knows_cannot_race() {
    let text = kernel(
        "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;",
        "if atomicLoad(&n[l]) == 0u { atomicAdd(&n[0], 1u); }",
    );
    assert_eq!(judged(&text, Scope::MayRace), [Err(NotWatched::OnlyAtomics); 2]);
    assert_eq!(judged(&text, Scope::Writable), [Ok(()); 2]);
}

#[test]
fn atomics_of_a_workgroup_alone_may_race() {
    let text = kernel(
        "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;",
        "atomicAdd(&n[0], 1u); atomicAdd(&n[1], 1u);",
    );
    let mut program = program(&text);
    let of_workgroup = program.sites.list.iter_mut().find_map(|site| match &mut site.kind {
        SiteKind::Access(access) => Some(access),
        _ => None,
    });
    of_workgroup.unwrap().action = Action::AtomicInWorkgroup;
    let plan = WatchPlan::of_all(&program, &WatchOptions::default());
    assert!(plan.sites().all(|(_, answer)| answer == Ok(())));
}

#[test]
fn what_no_entry_point_of_the_dispatch_gets_to_is_not_watched() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        fn first() { a[0] = 1u; }
        fn second() { a[1] = 1u; }
        fn between() { second(); }
        @compute @workgroup_size(64) fn one() { first(); }
        @compute @workgroup_size(64) fn two() { between(); a[2] = 1u; }
        @fragment fn paint() -> @location(0) vec4<f32> { a[3] = 1u; return vec4(); }";
    let program = program(text);
    let watched = |entries: &[usize]| {
        let plan = WatchPlan::new(&program, entries, &WatchOptions::default());
        assert!(
            plan.sites().all(|(_, answer)| matches!(answer, Ok(()) | Err(NotWatched::NotReached)))
        );
        let watched = said(&program, &plan).into_iter().filter(|(_, answer)| answer.is_ok());
        watched.map(|(text, _)| text).collect::<Vec<_>>()
    };
    assert_eq!(watched(&[0]), ["a[0]"]);
    assert_eq!(watched(&[1]), ["a[1]", "a[2]"]);
    assert_eq!(watched(&[0, 1]), ["a[0]", "a[1]", "a[2]"]);
    assert_eq!(watched(&[2]), Vec::<&str>::new());
    assert_eq!(watched(&[3]), Vec::<&str>::new());
    let none = WatchPlan::new(&program, &[2], &WatchOptions::default());
    assert!(none.memories().is_empty() && none.entries().is_empty());
}

#[test]
fn memory_of_which_only_the_length_is_asked_counts_where_all_that_is_writable_does() {
    let program = program(&kernel(A, "let n = arrayLength(&a);"));
    let watched = |scope| {
        let plan = WatchPlan::of_all(&program, &WatchOptions { scope, ..WatchOptions::default() });
        assert_eq!(plan.sites().count(), 0);
        plan.memories()[0].watched
    };
    assert_eq!(watched(Scope::MayRace), Err(NotWatched::NotAccessed));
    assert_eq!(watched(Scope::Accessed), Err(NotWatched::NotAccessed));
    assert_eq!(watched(Scope::Writable), Ok(Granules { space: Space::Storage, shift: 2 }));
}

#[test]
fn what_is_left_out_is_reported_unless_it_cannot_be_written() {
    let program = program(&kernel(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage> r: array<u32>;
        @group(0) @binding(2) var<storage, read_write> n: atomic<u32>;
        @group(0) @binding(3) var<storage, read_write> unused: array<u32>;
        var<workgroup> w: array<u32, 64>;",
        "w[l] = r[l]; a[l] = atomicLoad(&n);",
    ));
    let leave_out: FxHashSet<_> =
        ["a", "r", "n", "unused"].iter().map(|name| global(&program, name)).collect();
    for scope in [Scope::MayRace, Scope::Writable] {
        let request = WatchOptions { scope, leave_out: leave_out.clone() };
        let plan = WatchPlan::of_all(&program, &request);
        let reasons: BTreeMap<&str, _> = said(&program, &plan).into_iter().collect();
        let left_out = Err(NotWatched::ExcludedByRequest);
        let call = reasons.keys().find(|text| text.starts_with("atomicLoad")).unwrap();
        assert_eq!((reasons["w[l]"], reasons["a[l]"]), (Ok(()), left_out));
        assert_eq!((reasons["r[l]"], reasons[call]), (Err(NotWatched::ReadOnly), left_out));
        let unwatched: Vec<_> = plan.unwatched().map(|left| (left.name, left.reason)).collect();
        assert_eq!(
            unwatched,
            ["a", "n"].map(|name| (name.to_owned(), NotWatched::ExcludedByRequest))
        );
    }
}

#[test]
fn an_array_of_bindings_has_no_shadow_and_that_is_reported() {
    let program = program(&kernel(
        "enable wgpu_binding_array;
        struct Rows { row: array<u32> }
        @group(0) @binding(0) var<storage, read_write> many: binding_array<Rows, 4>;",
        "many[1].row[l] = 1u;",
    ));
    let plan = WatchPlan::of_all(&program, &WatchOptions::default());
    let reason = NotWatched::ArrayOfBindings;
    assert!(plan.sites().all(|(_, answer)| answer == Err(reason)) && plan.sites().count() == 1);
    let unwatched: Vec<_> = plan.unwatched().collect();
    assert_eq!(unwatched, [UnwatchedVariable { name: "many".to_owned(), reason }]);
}

#[test]
fn memory_of_a_kind_that_has_no_shadow_is_reported() {
    let mut program = program(&kernel(A, "a[l] = 1u;"));
    let a = global(&program, "a");
    program.module.global_variables.get_mut(a).space = AddressSpace::TaskPayload;
    let plan = WatchPlan::of_all(&program, &WatchOptions::default());
    assert_eq!(said(&program, &plan), [("a[l]", Err(NotWatched::Unsupported))]);
    assert_eq!(plan.unwatched().count(), 1);
}

#[test]
fn a_site_can_be_taken_out_and_the_last_one_takes_its_memory_along() {
    let program = program(&kernel(A, "a[l] = 1u; a[l + 1u] = 2u;"));
    let all = WatchPlan::of_all(&program, &WatchOptions::default());
    let sites: Vec<SiteId> = all.sites().map(|(site, _)| site).collect();
    let a = global(&program, "a");
    let proven = NotWatched::Proven(Proof::OwnWords);
    let one = all.clone().without(sites[0], proven);
    assert_eq!((one.site(sites[0]), one.site(sites[1])), (Some(Err(proven)), Some(Ok(()))));
    assert!(one.memory(a).unwrap().watched.is_ok());
    let none = one.clone().without(sites[1], proven);
    assert_eq!(none.memory(a).unwrap().watched, Err(proven));
    assert_eq!(none.unwatched().count(), 0);
    // Races may be missed unless all sites are proved. Existing reasons are kept.
    let asked = one.excluding(|_| Some(NotWatched::ExcludedByRequest));
    assert_eq!(asked.site(sites[0]), Some(Err(proven)));
    assert_eq!(asked.memory(a).unwrap().watched, Err(NotWatched::ExcludedByRequest));
    let both = all.excluding(|site| {
        Some(if site == sites[0] { NotWatched::ExcludedByRequest } else { proven })
    });
    assert_eq!(both.memory(a).unwrap().watched, Err(NotWatched::ExcludedByRequest));
    assert_eq!(both.site(SiteId::NONE), None);
}
