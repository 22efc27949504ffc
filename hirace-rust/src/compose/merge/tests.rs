use super::*;
use crate::compose::key;
use crate::lower::lower;
use crate::print::{Selection, print};

fn foreign(text: &str, uses: &[(&str, &ForeignItem)]) -> ForeignItem {
    let items = syn::parse_file(text).unwrap().items;
    let name = free::declared(&items[0]).unwrap().clone();
    let key = key(&name, &items[0]);
    ForeignItem { key, uses: paths(uses), items, of: None }
}

fn paths(uses: &[(&str, &ForeignItem)]) -> Vec<(String, String)> {
    uses.iter().map(|(path, foreign)| ((*path).to_owned(), foreign.key.clone())).collect()
}

fn wgsl(item: &str, uses: &[(&str, &ForeignItem)], all: &[&ForeignItem]) -> String {
    let all: Vec<ForeignItem> = all.iter().map(|foreign| (*foreign).clone()).collect();
    let merged = merge(&syn::parse_str(item).unwrap(), &paths(uses), &all);
    let module = lower(&merged).unwrap_or_else(|error| panic!("{error}"));
    print(&module, &Selection::All).unwrap().wgsl
}

#[test]
fn used_items_are_added_next_to_their_user() {
    let square = foreign("#[hirace::monitor] pub fn square(x: u32) -> u32 { x * x }", &[]);
    let tile = foreign("#[hirace::monitor] const TILE: usize = 4;", &[]);
    let params = foreign(
        "#[hirace::monitor] struct Params { values: [u32; size::TILE] }",
        &[("size::TILE", &tile)],
    );
    let kernel = "#[hirace::monitor(workgroup_size(TILE))]
        fn k(p: &Params, out: &mut [u32]) { out[0] = m::square(p.values[TILE as u32 - 1]); }";
    let uses = [("TILE", &tile), ("Params", &params), ("m::square", &square)];
    let alone = wgsl(kernel, &uses, &[&tile, &params, &square, &tile]);
    let module = "#[hirace::monitor] mod all {
        #[kernel(workgroup_size(TILE))]
        fn k(p: &Params, out: &mut [u32]) { out[0] = square(p.values[TILE as u32 - 1]); }
        const TILE: usize = 4; struct Params { values: [u32; TILE] } fn square(x: u32) -> u32 { x * x } }";
    assert_eq!(alone, wgsl(module, &[], &[]));
}

#[test]
fn names_that_are_taken_are_changed_for_what_comes_from_elsewhere() {
    let one = foreign("fn scale(x: u32) -> u32 { x + 1 }", &[]);
    let two = foreign("fn scale(x: u32) -> u32 { one::scale(x) * 2 }", &[("one::scale", &one)]);
    let module = "#[hirace::monitor] mod m {
        fn scale(x: u32) -> u32 { x }
        #[kernel(workgroup_size(1))] fn k(out: &mut [u32]) {
            let scale_1 = scale(1);
            out[0] = a::scale(scale_1) + b::scale(2);
        } }";
    let text = wgsl(module, &[("a::scale", &one), ("b::scale", &two)], &[&one, &two]);
    assert!(
        text.contains("out[0i] = scale_2(scale_1_) + scale_3(2u)") || text.contains("scale_2("),
        "{text}"
    );
    assert!(text.contains("return scale_2(x) * 2u"), "{text}");
}

#[test]
fn a_local_hides_no_path() {
    let scale = foreign("fn scale(x: u32) -> u32 { x + 1 }", &[]);
    let kernel = "#[hirace::monitor(workgroup_size(1))]
        fn k(out: &mut [u32]) { let scale = m::scale(1); out[0] = m::scale(scale); }";
    assert!(wgsl(kernel, &[("m::scale", &scale)], &[&scale]).contains("out[0i] = scale_1("));
}

#[test]
fn unreachable_items_are_not_merged() {
    let used = foreign("fn used() -> u32 { 1 }", &[]);
    let unused = foreign("fn unused() -> u32 { 2 }", &[]);
    let kernel = "#[hirace::monitor(workgroup_size(1))] fn k(out: &mut [u32]) { out[0] = used(); }";
    assert!(!wgsl(kernel, &[("used", &used)], &[&used, &unused]).contains("unused"));
}
