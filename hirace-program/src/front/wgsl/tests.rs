use super::*;
use crate::program::Program;
use std::collections::{BTreeMap, BTreeSet};

fn error(text: &str) -> Diagnostic {
    *parse("a.wgsl", text).unwrap_err()
}

/// Returns the text that the first label of a diagnostic points to.
fn place(error: &Diagnostic) -> &str {
    error.source_map.as_ref().unwrap().snippet(error.labels[0].0)
}

const KERNEL: &str = "@compute @workgroup_size(1) fn main() {}";

#[test]
fn syntax_errors_stand_at_their_token() {
    let error = error("fn main( { }");
    assert_eq!(error.message, "expected identifier, found \"{\"");
    assert_eq!(place(&error), "{");
}

#[test]
fn the_innermost_reason_of_a_validation_error_is_its_message() {
    let error = error(
        "var<workgroup> w: array<u32, 4>;
         fn helper() -> f32 { let x = w[9]; return f32(x); }
         @compute @workgroup_size(1) fn main() { _ = helper(); }",
    );
    assert_eq!(error.message, "Accessing index 9 is out of bounds");
    assert_eq!(error.notes, ["Function 'helper' is invalid"]);
    assert_eq!(place(&error), "w[9]");
}

#[test]
fn templates_are_recognized_by_their_tool() {
    let templates = [
        ("#import bevy_pbr::mesh\nfn f() {}", "naga_oil", "#import bevy_pbr::mesh"),
        ("#define_import_path a::b\n#ifdef X\n#endif", "naga_oil", "#define_import_path a::b"),
        (
            "@group(#{GROUP}) @binding(0) var<uniform> a: f32;",
            "naga_oil",
            "#{GROUP}) @binding(0) var<uniform> a: f32;",
        ),
        ("// x\n  #ifdef WIDE\nconst a = 1;\n  #endif", "preprocessor", "#ifdef WIDE"),
        ("const size = {{ size }};", "tera", "{{ size }};"),
        ("{% for i in x %} {% endfor %}", "tera", "{% for i in x %} {% endfor %}"),
        ("import package::a::b;\nfn f() {}", "WESL", "import package::a::b;"),
        ("const n = ${n};", "JavaScript", "${n};"),
        ("const n = {workgroup_size}u;", "`{name}`", "{workgroup_size}u;"),
    ];
    for (text, tool, sign) in templates {
        let error = error(text);
        assert!(error.message.contains("is a template"), "{text}: {}", error.message);
        assert!(error.message.contains(tool), "{text}: {}", error.message);
        assert_eq!(place(&error), sign);
        assert!(error.help.is_some());
    }
}

#[test]
fn signs_of_templates_in_comments_are_none() {
    let text = "// #import a\n/* {{ b }} */\nfn broken( {";
    assert!(!error(text).message.contains("template"));
    parse("a.wgsl", &format!("// #ifdef X\n{KERNEL}")).unwrap();
}

#[test]
fn a_forgotten_semicolon_makes_no_template() {
    assert!(!error("fn f() { if true {return} }").message.contains("template"));
}

#[test]
fn blocks_within_blocks_are_no_template() {
    parse("a.wgsl", "@compute @workgroup_size(1) fn main() {{ var x = 1; {{}} }}").unwrap();
    assert!(!error("fn f() {{ x = 1; }} }").message.contains("template"));
}

#[test]
fn a_file_without_compute_says_what_it_has() {
    let error = error(
        "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
         @fragment fn fs() -> @location(0) vec4f { return vec4f(); }",
    );
    assert_eq!(error.message, "`a.wgsl` has no compute entry point");
    assert_eq!(error.notes, ["its entry points are `vs` (vertex), `fs` (fragment)"]);
}

#[test]
fn an_empty_file_has_no_entry_point() {
    for text in ["", "\n\n", "// nothing\n", "fn helper() {}"] {
        let error = error(text);
        assert_eq!(error.message, "`a.wgsl` has no compute entry point", "{text:?}");
        assert!(error.notes[0].contains("no entry points"));
    }
}

#[test]
fn names_of_other_files_are_looked_for_there() {
    let error = error("@compute @workgroup_size(1) fn main() { shared_helper(); }");
    assert!(error.message.contains("shared_helper"), "{}", error.message);
    assert!(error.help.unwrap().contains("another file"));
}

#[test]
fn text_that_is_not_utf8_is_reported_by_byte_and_line() {
    let error = parse_bytes("a.wgsl", b"// a\n// \xff\n").unwrap_err();
    assert_eq!(error.message, "`a.wgsl` is not UTF-8: invalid byte at offset 8 (0xff) in line 2");
    let wide: Vec<u8> = KERNEL.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let bom = [&[0xfe, 0xff][..], &wide].concat();
    assert!(parse_bytes("a.wgsl", &bom).unwrap_err().message.contains("byte at offset 0 (0xfe)"));
}

#[test]
fn byte_order_marks_and_carriage_returns_are_fine() {
    let text = format!(
        "\u{feff}var<workgroup> w: u32;\r\n{}",
        KERNEL.replace("{}", "{\r\n  w = 1u;\r\n}\r\n")
    );
    let parsed = parse_bytes("a.wgsl", text.as_bytes()).unwrap();
    let program = crate::program::Program::new(&parsed, &Default::default()).unwrap();
    let (_, site, _) = program.sites.accesses().next().unwrap();
    assert_eq!(program.source.snippet(site.span), "w");
    assert_eq!(program.source.position(site.span.start).line, 3);
}

#[test]
fn nesting_is_limited_and_never_overflows() {
    let n = 100_000;
    let kernel =
        |body: &str| format!("@compute @workgroup_size(1) fn main() {{ var x = 1u; {body} }}");
    let deep = [
        format!("x = {}x{};", "(".repeat(n), ")".repeat(n)),
        format!("x = {}x;", "~".repeat(n)),
        format!("x = {}x;", "x + ".repeat(n)),
        format!("x = x{};", "[0]".repeat(n)),
        format!("x = {}x{};", "min(x, ".repeat(n), ")".repeat(n)),
        "{".repeat(n) + &"}".repeat(n),
        format!("if x == 1u {{}} {}", "else if x == 2u {} ".repeat(1000)),
        format!("if x == 1u {{}} {}", "else if x == 2u {} ".repeat(n)),
        format!("var y: {}u32{};", "array<".repeat(n), ">".repeat(n)),
    ];
    for body in deep {
        assert!(parse("a.wgsl", &kernel(&body)).is_err(), "{}", &body[..40]);
    }
    let calls: String = (0..300).map(|i| format!("fn f{i}() {{ f{}(); }}\n", i + 1)).collect();
    assert!(
        error(&format!("{calls} fn f300() {{}} {}", kernel("f0();")))
            .message
            .contains("calls may nest")
    );
    let types: String = (0..300).map(|i| format!("struct S{} {{ x: S{i} }}\n", i + 1)).collect();
    assert!(
        error(&format!("struct S0 {{ x: u32 }} {types} {KERNEL}"))
            .message
            .contains("types may nest")
    );
    parse(
        "a.wgsl",
        &kernel(&"if x == 1u { ".repeat(100).to_string()).replace(" }", &"}".repeat(101)),
    )
    .unwrap();
}

#[test]
fn rays_are_refused_by_name() {
    let error = error(
        "enable wgpu_ray_query;
         @group(0) @binding(0) var tree: acceleration_structure;
         @compute @workgroup_size(1) fn main() { var query: ray_query; _ = tree; }",
    );
    assert_eq!(error.message, "hirace does not run programs that need RAY_QUERY");
}

#[test]
fn only_directives_name_what_has_to_be_defined() {
    let text = "#import a::b\n#if SIZE > 3\n#else ifdef WIDE\n#endif\n\
                fn f() { if lum < 3.0 { } if 3.0 < lum { } }\nfn g() {\n  if deep < 1 {\n } }";
    let help = error(text).help.unwrap();
    assert!(help.contains("--define SIZE=VALUE") && help.contains("WIDE"), "{help}");
    assert!(!help.contains("lum") && !help.contains("deep"), "{help}");
}

#[test]
fn extensions_of_browsers_are_accepted() {
    for directive in [
        "enable subgroups;",
        "enable f16, subgroups;",
        "enable subgroups, f16;",
        "enable subgroups,;",
        "enable subgroup_size_control;\nrequires subgroup_id, linear_indexing;",
        "diagnostic(off, subgroup_uniformity); requires unrestricted_pointer_parameters;",
        "requires uniform_buffer_standard_layout; requires subgroup_uniformity;",
        "requires texture_and_sampler_let, texture_formats_tier1, immediate_address_space;",
        "requires swizzle_assignment, fragment_depth, buffer_view, sized_binding_array;",
        "enable primitive_index, clip_distances, dual_source_blending;",
        "// enable x;\n/* enable y; */ enable subgroups /* z */ ;",
    ] {
        let uses_f16 = directive.contains("f16");
        let value = if uses_f16 { "let h = 1h;" } else { "" };
        let text = format!("{directive}\n@compute @workgroup_size(1) fn main() {{ {value} }}");
        parse("a.wgsl", &text).unwrap_or_else(|error| panic!("{directive}: {}", error.message));
    }
}

#[test]
fn unknown_extensions_are_named() {
    for (directive, name) in [
        ("enable wide_registers;", "wide_registers"),
        ("enable subgroups, f64;", "f64"),
        ("requires subgroups;", "subgroups"),
        ("enable linear_indexing;", "linear_indexing"),
    ] {
        let error = error(&format!("{directive}\n{KERNEL}"));
        assert_eq!(error.message, format!("unknown extension `{name}`"));
        assert_eq!(place(&error), name);
    }
}

#[test]
fn errors_after_a_rewritten_construct_are_at_their_token() {
    let error = error(
        "enable subgroups;\n@compute @workgroup_size(1) fn main() { if subgroupElect() { x = 1; } }",
    );
    assert_eq!(place(&error), "x");
}

#[test]
fn spans_of_a_rewritten_text_are_those_of_the_source() {
    let text = "enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u,) {
    var v = vec4f(1);
    v.xy = vec2(2, 3);
    v.zw += v.yx;
    if subgroupElect() { out[i] = v; }
    out[i].wz = v.xy;
}";
    let parsed = parse("a.wgsl", text).unwrap();
    let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
    let spans = program.sites.accesses().map(|(_, site, _)| site.span);
    let shown: BTreeSet<&str> = spans.map(|span| program.source.snippet(span)).collect();
    assert!(shown.contains("out[i]"), "{shown:?}");
    assert!(shown.iter().all(|text| !text.contains("hirace")), "{shown:?}");
}

#[test]
fn what_an_assignment_to_a_swizzle_names_is_evaluated_once() {
    let with = |statement: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> a: array<vec4u>;
             var<private> count: u32; fn vec_next() -> vec2u {{ count += 1u; return vec2u(count); }}
             fn next() -> u32 {{ count += 1u; return count; }}
             @compute @workgroup_size(1)
             fn main(@builtin(global_invocation_id) id: vec3u) {{ var v = vec4u(); {statement} }}"
        )
    };
    for right in [
        "v.xy = vec_next();",
        "a[id.x].zw = v.yx;",
        "(*&v).xy += vec2u(1, 2);",
        "a[id.x + 1u].x = 1u;",
    ] {
        parse("a.wgsl", &with(right)).unwrap_or_else(|error| panic!("{right}: {error}"));
    }
    // The function is called once.
    let module = parse("a.wgsl", &with("v.xy = vec_next();")).unwrap().module;
    let body = &module.entry_points[0].function.body;
    let mut calls = 0;
    crate::ir::walk::statements(body, &mut |_, statement, _| {
        calls += usize::from(matches!(statement, naga::Statement::Call { .. }));
    });
    assert_eq!(calls, 1);
    assert!(parse("a.wgsl", &with("v.xx = vec2u(1);")).is_err());
    for (statement, expected) in
        [("a[a[0].x].xy = vec2u(1, 4);", 1), ("a[next()].xy = vec2u();", 1)]
    {
        let module = parse("a.wgsl", &with(statement)).unwrap().module;
        let function = &module.entry_points[0].function;
        let indices = function
            .expressions
            .iter()
            .filter(|(_, expression)| matches!(expression, naga::Expression::Access { .. }));
        assert_eq!(indices.count(), expected, "{statement}");
    }
}

#[test]
fn directives_without_a_semicolon_are_errors_at_their_end() {
    let error = error(&format!("enable subgroups\n{KERNEL}"));
    assert!(!error.message.contains("extension `compute`"), "{}", error.message);
    for wrong in ["enable f16 subgroups;", "enable subgroups,,f16;", "enable(subgroups);"] {
        assert!(parse("a.wgsl", &format!("{wrong}\n{KERNEL}")).is_err(), "{wrong}");
    }
}

#[test]
fn a_required_subgroup_size_is_known() {
    let text = "enable subgroups, subgroup_size_control; const N = 16u;
@compute @workgroup_size(64) @subgroup_size(N) fn first() {}
@subgroup_size(8) @compute @workgroup_size(64) fn second() {}
@compute @workgroup_size(64) fn third() {}";
    let program = Program::new(&parse("a.wgsl", text).unwrap(), &BTreeMap::new()).unwrap();
    let sizes: Vec<_> = (0..3).map(|entry| program.required_subgroup_size(entry)).collect();
    assert_eq!(sizes, [Some(16), Some(8), None]);
    let local = "const N = 32u; fn f() { const N = 8u; } @compute @workgroup_size(64) @subgroup_size(N) fn main() {}";
    let program = Program::new(&parse("a.wgsl", local).unwrap(), &BTreeMap::new()).unwrap();
    assert_eq!(program.required_subgroup_size(0), Some(32));
    for wrong in ["@subgroup_size(3)", "@subgroup_size(256)", "@subgroup_size(f())"] {
        let error = error(&format!("@compute @workgroup_size(64) {wrong} fn main() {{}}"));
        assert_eq!(place(&error), wrong);
    }
}

#[test]
fn uniform_buffers_may_have_the_layout_of_storage_buffers() {
    let with = |ty: &str| {
        format!("struct P {{ a: {ty}, n: u32 }} @group(0) @binding(0) var<uniform> p: P; {KERNEL}")
    };
    parse("a.wgsl", &with("array<f32, 8>")).unwrap();
    parse("a.wgsl", &with("array<vec2u, 3>")).unwrap();
    assert!(parse("a.wgsl", &with("bool")).is_err());
    assert!(parse("a.wgsl", &with("array<atomic<u32>, 4>")).is_err());
}

#[test]
fn atomics_are_assigned_by_functions_only() {
    let with = |statement: &str| {
        format!(
            "struct S {{ n: atomic<u32> }} var<workgroup> a: array<S, 4>; var<workgroup> b: atomic<i32>;
             fn put(p: ptr<workgroup, atomic<u32>>) {{ atomicStore(p, 1u); }}
             @compute @workgroup_size(1) fn main() {{ {statement} }}"
        )
    };
    for right in ["atomicStore(&a[1].n, 2u);", "put(&a[0].n);", "atomicStore ( & b , 1i ) ;"] {
        parse("a.wgsl", &with(right)).unwrap();
    }
    for (wrong, place_of_error) in
        [("a[1].n = 2u;", "a[1].n = 2u"), ("b = 1;", "b = 1"), ("let p = &b; *p = 1;", "*p = 1")]
    {
        let error = error(&with(wrong));
        assert_eq!(error.message, "an atomic cannot be assigned to");
        assert!(place(&error).starts_with(place_of_error), "{}", place(&error));
    }
}

#[test]
fn values_do_not_contain_atomics() {
    let with = |access: &str, statement: &str| {
        format!(
            "struct S {{ n: atomic<u32>, m: u32 }}
             @group(0) @binding(0) var<storage, {access}> all: array<S>;
             @compute @workgroup_size(1) fn main() {{ {statement} }}"
        )
    };
    parse("a.wgsl", &with("read_write", "all[0].m = all[1].m + atomicLoad(&all[2].n);")).unwrap();
    for (access, statement, message, at) in [
        ("read_write", "let c = all[0];", "a value cannot contain atomics", "all[0]"),
        ("read_write", "all[1] = all[0];", "a value cannot contain atomics", "all[0]"),
        ("read", "_ = atomicLoad(&all[0].n);", "an atomic cannot be in read-only memory", "var"),
    ] {
        let error = error(&with(access, statement));
        assert_eq!(error.message, message);
        assert!(place(&error).contains(at), "{}", place(&error));
    }
}

#[test]
fn an_operator_that_a_type_does_not_have_is_named() {
    let text = |expression: &str| {
        format!(
            "struct K {{ index: u32, order: u32 }} struct L {{ a: array<u32, 4> }}
             @group(0) @binding(0) var<storage, read_write> keys: array<K>; var<private> l: L;
             @compute @workgroup_size(1) fn main() {{ let x = {expression}; }}"
        )
    };
    for (expression, operator, ty) in [
        ("keys[1] > keys[0]", ">", "the structure `K`"),
        ("keys[1] <= keys[0]", "<=", "the structure `K`"),
        ("l < l", "<", "the structure `L`"),
        ("l.a >= l.a", ">=", "an array"),
    ] {
        let error = error(&text(expression));
        let expected = format!("operator `{operator}` cannot be applied to {ty}");
        assert_eq!(error.message, expected);
        assert_eq!(place(&error), operator);
    }
}
