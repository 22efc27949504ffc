use super::*;

/// Returns the foreign paths of a module's items, or of a standalone item.
fn foreign(text: &str) -> String {
    let items = syn::parse_file(text).unwrap().items;
    let paths: Vec<String> = paths(&items, &Scope::of(&items)).iter().map(path_text).collect();
    paths.join(" ")
}

#[test]
fn names_of_every_kind_are_found_where_they_stand() {
    let text = "#[hirace::monitor(workgroup_size(SIZE, other::SIDE))]
        fn k(p: &Params, #[workgroup] tile: &mut [Cell; TILE], out: &mut [u32]) -> Alias {
            let x: [Elem; LEN] = [FIRST; COUNT];
            let p = Made { a: call(VALUE), ..p };
            match x { LIMIT => 0, Shape { n } => 1, lib::CASE => 2, _ => f::<LANES>(p.method(ARG)) }
            for i in 0..TURNS { out[INDEX] = helpers::square(i) + ::ext::cube(i) as u32; }
        }";
    let expected = "SIZE other::SIDE Params Cell TILE Alias FIRST COUNT Elem LEN Made call VALUE LIMIT Shape \
                    lib::CASE LANES f ARG TURNS INDEX helpers::square ::ext::cube";
    assert_eq!(foreign(text), expected);
}

#[test]
fn locals_and_parameters_are_not_foreign() {
    let text = "fn f<const N: usize, T: Copy>(a: u32, (b, c): (u32, u32), t: T) -> u32 {
            let d = a + b; let (e, mut g) = (c, d);
            for i in 0..N as u32 { g += i; }
            while let h = g { return h; }
            if let k = e { let m = k; m } else { match a { n if n > 1 => n, o @ 3 => o, _ => (|q: u32| q)(a) } }
        }";
    assert_eq!(foreign(text), "");
}

#[test]
fn a_name_is_local_only_where_it_is_in_scope() {
    assert_eq!(foreign("fn f() { let scale = scale(1); scale(2); }"), "scale");
    assert_eq!(foreign("fn f() { { let x = 1; } x; }"), "x");
    assert_eq!(foreign("fn f() { if let y = z { y; } y; }"), "z y");
    assert_eq!(foreign("fn f() { for i in i..3 {} }"), "i");
    assert_eq!(foreign("fn f() { match 1 { w => w, _ => w }; }"), "w");
}

#[test]
fn sibling_and_prelude_names_are_not_foreign() {
    let text =
        "const N: u32 = M; struct P { x: Vec3, t: Atomic<u32> } fn g(p: P) -> u32 { N + self::N }
        fn f(image: &TextureStorage2d<Rgba8Unorm, Write>) {
            g(P { x: Vec3::ZERO }); f32::consts::PI; u32::MAX; consts::PI; std::f32::consts::TAU;
            workgroup_barrier(); hirace::prelude::max(1, 2); Some(1); let v: Vec<u32>; P::new(1);
        }";
    assert_eq!(foreign(text), "M");
}

#[test]
fn paths_lead_to_the_item_that_has_the_rest() {
    assert_eq!(
        foreign("fn f() { Params::new(1); a::b::Params::ZERO; crate::m::f(2); super::N; }"),
        "Params a::b::Params crate::m::f super::N"
    );
    assert_eq!(
        foreign("struct A { b: super::B, c: [C; super::super::N] } type T = [self::D; 3];"),
        "super::B C super::super::N self::D"
    );
}

#[test]
fn impls_traits_and_generics_are_looked_into() {
    let text = "struct P; trait Own { fn h(&self) -> Out; }
        impl<T: Bound> Own for P { fn h(&self) -> Out { Self::g(); self.x + OFFSET } }
        fn g<T>(t: T) where T: Other { T::f(t); let x: T = t; }";
    assert_eq!(foreign(text), "Out Bound OFFSET Other");
}

#[test]
fn what_is_imported_by_name_hides_the_prelude() {
    assert_eq!(
        foreign(
            "use m::{step, other as max, min as smaller}; fn f() { step(1); max(2); min(3); sign(4); }"
        ),
        "step max"
    );
    assert_eq!(foreign("use hirace::prelude::{step}; use m::*; fn f() { step(1); }"), "");
}

#[test]
fn what_is_imported_of_std_is_not_foreign() {
    assert_eq!(
        foreign(
            "use std::ops::{Add, Drop as D}; impl Add for u32 {} impl D for u32 { fn f<T: Mul>(x: T) {} }"
        ),
        ""
    );
}
