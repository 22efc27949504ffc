//! Tests of the parser on valid and damaged files.

use super::{Dialect, Quantifier, Test};
use crate::program::{MemoryOrder, Operation, Program, Scope};
use hirace_core::random::Random;
use hirace_core::source_map::SourceMap;
use std::path::PathBuf;

/// Returns the name and text of all test files.
pub fn files() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for dialect in ["vulkan", "ptx"] {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("litmus").join(dialect);
        for entry in std::fs::read_dir(&folder).expect("the folder of tests") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            all.push((
                format!("{dialect}/{name}"),
                std::fs::read_to_string(&path).expect("a text"),
            ));
        }
    }
    all.sort();
    all
}

fn read(text: &str) -> hirace_core::diagnostic::Result<Test> {
    Test::read(&SourceMap::new("it.litmus", text))
}

#[test]
fn all_files_are_read() {
    let files = files();
    assert!(files.len() >= 35, "there are {}", files.len());
    for (name, text) in files {
        let test = read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(name.ends_with(&format!("/{}", test.name)), "{name} is called {}", test.name);
        assert!(test.claim.is_some(), "{name}");
    }
}

const PASSING: &str = "VULKAN MP\n{ x=7; P1:r1=x; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n \
    st.atom.rel.dv.sc1.semsc0.semsc1 x, 1 | LC00: ld.atom.acq.wg.sc1.semsc1 r0, r1 ;\n | bne r0, 1, LC00 ;\n \
    | st.av.qf.sc0 [r1], r0 ;\n~exists (P1:r0 == 2 /\\ x == 1)\n";

#[test]
fn instructions_are_parsed() {
    let test = read(PASSING).expect("a test");
    assert_eq!((test.dialect, test.name.as_str()), (Dialect::Vulkan, "MP"));
    assert_eq!(test.claim.as_ref().expect("a claim").quantifier, Quantifier::Never);
    let [first, second] = test.invocations() else { panic!("two columns") };
    assert!(first.share(*second, Scope::QueueFamily) && !first.share(*second, Scope::Subgroup));

    let mut state = test.start(0);
    let step = test.step(0, &mut state, None);
    let Operation::Write(access, 1) = step.operation else { panic!("{step:?}") };
    let atomic = access.atomic.expect("atomic");
    assert_eq!(
        (atomic.order, atomic.scope, atomic.orders.0),
        (MemoryOrder::Release, Scope::Device, 0b11)
    );
    assert_eq!((access.class.0, test.initial(access.location)), (1, 7));
    assert_eq!(test.step(0, &mut state, None).operation, Operation::End);

    // The column reads 5, repeats the loop and reads 1. Its write depends on both reads through control flow.
    let mut state = test.start(1);
    let step = test.step(1, &mut state, None);
    assert!(
        matches!(step.operation, Operation::Read(read) if read.location == access.location),
        "{step:?}"
    );
    let step = test.step(1, &mut state, Some(5));
    assert_eq!((step.operation, step.control), (Operation::Spins(vec![0]), vec![0]));
    let step = test.step(1, &mut state, None);
    assert_eq!(step.depends, [0], "{step:?}");
    let step = test.step(1, &mut state, Some(1));
    let Operation::Write(written, 1) = step.operation else { panic!("{step:?}") };
    assert_eq!((written.available, step.depends), (Some(Scope::QueueFamily), vec![0, 1]));
    assert_eq!(test.place(step.site).range(PASSING).len(), "st.av.qf.sc0".len());
}

#[test]
fn a_loop_that_reads_the_same_spins() {
    let test = read(PASSING).expect("a test");
    let mut state = test.start(1);
    test.step(1, &mut state, None);
    let step = test.step(1, &mut state, Some(0));
    assert_eq!(step.operation, Operation::Spins(vec![0]));
}

#[test]
fn errors_are_reported_at_their_location() {
    let head = "VULKAN T\n{ x=0; }\n P0@sg 0, wg 0, qf 0 ;\n";
    let cases = [
        ("HERD T\n".to_owned(), (1, 1)),
        (format!("{head} ld.sc0 x, r0 ;\nexists (x == 0)"), (4, 9)),
        (format!("{head} ld.sc0 r0, y ;\nexists (x == 0)"), (4, 13)),
        (format!("{head} ld.sc9 r0, x ;\nexists (x == 0)"), (4, 2)),
        (format!("{head} ld.atom.sc0 r0, x ;\nexists (x == 0)"), (4, 2)),
        (format!("{head} goto LC7 ;\nexists (x == 0)"), (4, 7)),
        (format!("{head} st.sc0 x, 1 | ;\nexists (x == 0)"), (4, 14)),
        (format!("{head} st.sc0 x, 1 ;\nexists (x == )"), (5, 14)),
        (format!("{head} st.sc0 x, 1 ;\nexists (P1:r0 == 1)"), (5, 9)),
        (format!("{head} st.sc0 x, 99999999999 ;\nexists (x == 0)"), (4, 12)),
        (format!("{head} cbar.dv 0 ;\nexists (x == 0)"), (4, 2)),
        (
            format!("{head} st.sc0 x, 1 ;\nexists {}x == 0{}", "(".repeat(99), ")".repeat(99)),
            (5, 72),
        ),
        ("VULKAN T\n{ x=0; (* and".to_owned(), (2, 8)),
        (format!("{head}{}exists (x == 0)", " st.sc0 x, 1 ;\n".repeat(513)), (3 + 513, 2)),
    ];
    for (text, place) in cases {
        let error = read(&text).expect_err(&text);
        let at = error.source_map.as_ref().expect("a text").position(error.labels[0].0.start);
        assert_eq!((at.line, at.column), place, "{text}\n{error}");
    }
}

#[test]
fn a_test_of_the_maximum_length_is_read() {
    let rows = " st.sc0 x, 1 | st.sc0 x, 1 ;\n".repeat(256);
    let text = format!("VULKAN T\n{{ x=0; }}\n P0 | P1 ;\n{rows}exists (x == 0)");
    assert_eq!(read(&text).expect("a test").places.len(), 512);
}

#[test]
fn damaged_files_are_refused_or_read() {
    let files = files();
    let mut random = Random::new(7);
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..4000 {
        let (_, text) = &files[random.below(files.len())];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(3_u64) {
            let at = random.below(bytes.len());
            let other = bytes[random.below(bytes.len())];
            match random.below(3_u64) {
                0 => bytes[at] = other,
                1 => bytes.insert(at, other),
                _ => drop(bytes.remove(at)),
            }
        }
        match read(&String::from_utf8_lossy(&bytes)) {
            Ok(test) => {
                taken += 1;
                // Every invocation can be stepped with arbitrary answers.
                for invocation in 0..test.invocations().len() {
                    let mut state = test.start(invocation);
                    let steps = (0..40)
                        .map(|_| test.step(invocation, &mut state, Some(random.below(3_u64))));
                    assert!(steps.filter(|step| step.operation == Operation::End).count() <= 40);
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.labels.is_empty(), "{error}");
            }
        }
    }
    assert!(refused > 500 && taken > 500, "{refused} refused, {taken} taken");
}
