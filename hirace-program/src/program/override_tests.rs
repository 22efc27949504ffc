//! Tests that overrides become constants, and that errors in overrides are reported.

use super::*;
use crate::front::wgsl;
use crate::ir::access::Action;

fn program(text: &str, overrides: &[(&str, f64)]) -> Result<Program> {
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Program::new(&wgsl::parse("test.wgsl", text)?, &overrides)
}

const SIZED: &str = "
    override n: u32;
    var<workgroup> tile: array<u32, n>;
    var<workgroup> other: array<u32, 64>;
    @compute @workgroup_size(n) fn main(@builtin(local_invocation_index) l: u32) {
        tile[l] += other[n - 1u - l];
    }";

#[test]
fn overrides_become_constants_everywhere() {
    let program = program(SIZED, &[("n", 64.0)]).unwrap();
    assert_eq!(program.module.entry_points[0].workgroup_size, [64, 1, 1]);
    assert!(program.module.overrides.is_empty());
    let arrays = program.module.types.iter().filter_map(|(_, ty)| match ty.inner {
        naga::TypeInner::Array { size, .. } => Some(size),
        _ => None,
    });
    let size = naga::ArraySize::Constant(std::num::NonZeroU32::new(64).unwrap());
    assert_eq!(arrays.collect::<Vec<_>>(), [size; 2]);
    let actions = program.sites.accesses().map(|(_, _, access)| access.action);
    assert_eq!(actions.collect::<Vec<_>>(), [Action::Read, Action::Read, Action::Write]);
}

#[test]
fn an_override_without_a_value_is_reported_at_its_declaration() {
    let error = program(SIZED, &[]).unwrap_err();
    assert_eq!(error.message, "no value given for override `n`");
    assert_eq!(error.help.as_deref(), Some("give one: `--override n=VALUE`"));
    let map = error.source_map.unwrap();
    assert!(map.snippet(error.labels[0].0).contains("override n"), "{:?}", error.labels);
}

#[test]
fn a_misspelled_override_suggests_the_right_name() {
    let text = SIZED.replace("override n", "override tile_size").replace(", n>", ", tile_size>");
    let text = text.replace("(n)", "(tile_size)").replace("n - 1u", "tile_size - 1u");
    let error = program(&text, &[("tilesize", 1.0)]).unwrap_err();
    assert_eq!(error.message, "`test.wgsl` has no override `tilesize`");
    assert_eq!(error.help.as_deref(), Some("did you mean `tile_size`?"));
}

#[test]
fn an_override_with_an_id_is_set_by_name_or_id() {
    let text = "@id(7) override size: u32 = 2u; override twice = size * 2u;
        @compute @workgroup_size(twice) fn main() {}";
    let x = |overrides: &[(&str, f64)]| {
        program(text, overrides).unwrap().module.entry_points[0].workgroup_size[0]
    };
    assert_eq!(x(&[]), 4);
    assert_eq!(x(&[("size", 8.0)]), 16);
    assert_eq!(x(&[("7", 8.0)]), 16);
    assert_eq!(x(&[("twice", 3.0)]), 3);
}

#[test]
fn invalid_array_lengths_are_rejected() {
    for value in [0.0, -1.0, 1e300, f64::NAN] {
        assert!(program(SIZED, &[("n", value)]).is_err(), "{value}");
    }
}
