use super::*;

const AROUND: FillContext<'_> = FillContext {
    patience: Deadline::NEVER,
    seed: 7,
    stream: 0,
    elements: 4,
    below: 16,
    sentinels: &[],
};

fn filled(declaration: &str, contents: &str) -> Result<FilledBuffer> {
    let module = naga::front::wgsl::parse_str(declaration).unwrap();
    let ty = module.global_variables.iter().next().unwrap().1.ty;
    fill(&module, "data", ty, &Contents::parse(contents).unwrap(), &AROUND)
}

fn words(declaration: &str, contents: &str) -> Vec<u32> {
    let filled = filled(declaration, contents).unwrap();
    filled.bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn refused(declaration: &str, contents: &str) -> String {
    filled(declaration, contents).unwrap_err().message
}

const ARRAY: &str = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;";
const FIXED: &str = "@group(0) @binding(0) var<storage, read_write> a: array<u32, 3>;";
const PARAMS: &str = "struct Params { n: u32, scale: f32, shift: vec2i }
                      @group(0) @binding(0) var<uniform> params: Params;";
const PADDED: &str = "@group(0) @binding(0) var<storage, read_write> a: array<vec3u>;";

#[test]
fn a_length_counts_elements_of_the_runtime_sized_array() {
    assert_eq!(words(ARRAY, "iota:5"), [0, 1, 2, 3, 4]);
    assert_eq!(words(PADDED, "iota:2"), [0, 1, 2, 0, 3, 4, 5, 0]);
    assert_eq!(words(ARRAY, "fill:2:7"), [7, 7]);
}

#[test]
fn a_length_left_out_is_guessed_and_said_so() {
    let guessed = filled(ARRAY, "zeros").unwrap();
    assert_eq!((guessed.bytes.len(), guessed.length_given), (16, false));
    let fixed = filled(FIXED, "zeros").unwrap();
    assert_eq!((fixed.bytes.len(), fixed.length_given), (12, true));
    assert!(refused(ARRAY, "zeros:4x4").contains("not a texture"));
}

#[test]
fn a_length_that_the_type_fixes_is_accepted_and_any_other_is_refused() {
    const SCALAR: &str = "@group(0) @binding(0) var<uniform> n: u32;";
    const ONE: &str = "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>, 1>;";
    for (declaration, length, other) in [
        (FIXED, 3, "expected 3 elements, got 4"),
        (ONE, 1, "expected 1 element, got 2"),
        (PARAMS, 1, "expected 1 element, got 2"),
        (SCALAR, 1, "expected 1 element, got 2"),
    ] {
        for (generator, argument) in
            [("zeros", ""), ("iota", ""), ("random", ""), ("fill", ":7"), ("below", ":7")]
        {
            let given = format!("{generator}:{length}{argument}");
            let omitted = match generator {
                "zeros" | "iota" | "random" => filled(declaration, generator).unwrap(),
                _ => filled(declaration, &given).unwrap(),
            };
            let filled = filled(declaration, &given).unwrap();
            assert_eq!(filled.bytes, omitted.bytes, "{declaration} {given}");
            assert!(filled.length_given, "{declaration} {given}");
            let wrong = refused(declaration, &format!("{generator}:{}{argument}", length + 1));
            assert!(wrong.contains(other), "{wrong}");
        }
    }
    assert!(refused(FIXED, "zeros:4x4").contains("not a texture"));
}

#[test]
fn a_struct_takes_its_scalars_in_the_order_of_the_layout() {
    assert_eq!(words(PARAMS, "64,0.5,-1,2"), [64, 0.5f32.to_bits(), u32::MAX, 2]);
    assert!(refused(PARAMS, "64,0.5").contains("takes 4 scalars, got 2"));
    assert!(
        refused(PARAMS, "-1,0.5,1,2")
            .contains("number 0 (counted from 0) must be of type u32, got -1")
    );
    assert!(refused(PADDED, "1,2,3,4").contains("a multiple of 3 scalars, got 4"));
}

#[test]
fn a_value_that_its_type_cannot_hold_is_refused() {
    assert!(refused(ARRAY, "fill:4:-1").contains("-1 is not a value of its scalar type u32"));
    assert!(refused(ARRAY, "1,2.5").contains("must be of type u32, got 2.5"));
    assert!(refused(ARRAY, "zeros:4000000000").contains("1024 MiB"));
}

#[test]
fn random_integers_make_sense_as_indices_and_repeat_with_the_seed() {
    let numbers = words(ARRAY, "random:1000");
    assert!(numbers.iter().all(|&n| n < AROUND.below));
    assert!((0..16).all(|n| numbers.contains(&n)));
    assert_eq!(numbers, words(ARRAY, "random:1000"));
    assert_ne!(numbers, words(ARRAY, "random:1000:8"));
}

#[test]
fn a_guess_leaves_atomics_at_zero() {
    let module = naga::front::wgsl::parse_str(
        "struct S { lock: atomic<u32>, x: array<f32, 7> }
         @group(0) @binding(0) var<storage, read_write> s: S;",
    )
    .unwrap();
    let ty = module.global_variables.iter().next().unwrap().1.ty;
    let bytes = guess(&module, "s", ty, &AROUND).unwrap();
    assert_eq!(bytes[..4], [0; 4]);
    assert!(bytes[4..].iter().any(|&b| b != 0));
}

#[test]
fn files_must_fit_the_type() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        format!("@{}", path.display())
    };
    let raw = write("raw.bin", &[1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(words(ARRAY, &raw), [1, 2]);
    assert!(refused(FIXED, &raw).contains("takes 12 bytes"));
    assert!(refused(ARRAY, "@/no/such/file.bin").contains("cannot read"));
}

#[cfg(feature = "npy")]
#[test]
fn numbers_of_npy_files_must_fit_the_type() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        format!("@{}", path.display())
    };
    let mut npy = Vec::new();
    ndarray_npy::WriteNpyExt::write_npy(&ndarray::array![1.0f64, 2.0], &mut npy).unwrap();
    assert_eq!(words(ARRAY, &write("whole.npy", &npy)), [1, 2]);
    let mut npy = Vec::new();
    ndarray_npy::WriteNpyExt::write_npy(&ndarray::array![0.5f64, 0.1], &mut npy).unwrap();
    let floats = "@group(0) @binding(0) var<storage> a: array<f32>;";
    let inexact = refused(floats, &write("inexact.npy", &npy));
    assert!(
        inexact.contains("number 1 (counted from 0) must be exactly representable as f32, got 0.1")
    );
    assert!(refused(ARRAY, &write("broken.npy", b"not numpy")).contains("cannot use"));
}

/// Published results depend on these exact numbers: the generator may change, but the numbers must not.
#[test]
fn random_contents_stay_what_they_are() {
    let drawn = [words(ARRAY, "random:6"), words(ARRAY, "random:6:8")];
    let floats = words(&ARRAY.replace("u32", "f32"), "random:4:9");
    assert_eq!(drawn, [[8, 4, 15, 14, 10, 5], [14, 14, 14, 12, 15, 0]]);
    assert_eq!(floats, [3_205_926_628, 3_160_257_664, 1_063_625_208, 1_041_340_984]);
}

#[test]
fn numbers_below_one_are_whole_where_the_type_is_and_come_from_a_seed() {
    let some = words(ARRAY, "below:200:3");
    assert_eq!([0, 1, 2].map(|n| some.contains(&n)), [true; 3], "each of them");
    assert!(some.iter().all(|&n| n < 3));
    assert_ne!(words(ARRAY, "below:200:3:8"), some, "another seed");
    let floats = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;";
    let floats: Vec<f32> = words(floats, "below:200:3").into_iter().map(f32::from_bits).collect();
    assert!(floats.iter().all(|n| (0.0..3.0).contains(n)));
    assert!(floats.iter().any(|n| n.fract() != 0.0));
}
