//! Tests that a schema with a mutant enabled has the same outputs and races as the program of the edited text.

use super::*;
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{Executor, Outcome, Watch};
use hirace_core::ir::sites::SiteId;
use hirace_core::launch::Launch;
use hirace_core::launch::build::{self, Grown};
use hirace_core::launch::candidates::candidates;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::vm::memory::{Buffer, Resource};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("wgsl" | "rs") => into.push(path),
            None => files(&path, into),
            _ => {}
        }
    }
}

/// The outputs and findings of a run, and whether it ran to completion.
type RunOutputs = (Vec<Option<Vec<u8>>>, BTreeSet<String>, bool);

fn left(outcome: &Outcome, count: usize) -> RunOutputs {
    let bytes = |resource: &Option<Resource>| match resource {
        Some(Resource::Buffer(buffer)) => Some(buffer.bytes()),
        _ => None,
    };
    let memory = outcome.resources.by_global.iter().take(count).map(bytes).collect();
    let mut found = BTreeSet::new();
    for dispatched in &outcome.dispatches {
        found.extend(dispatched.racy.keys().map(|granule| format!("{granule:?}")));
        found.extend(dispatched.run.out_of_bounds.iter().map(|of| format!("{:?}", of.length)));
        found.extend(dispatched.run.divergences.iter().map(|_| "divergence".to_owned()));
    }
    let ended = outcome.dispatches.iter().all(|dispatched| dispatched.run.is_complete());
    (memory, found, ended)
}

fn run(program: &Program, launch: &Launch, count: usize) -> Option<RunOutputs> {
    Some(left(&Embedded.run(program, launch, &Watch::default(), None).ok()?, count))
}

/// The numbers of mutants, of mutants in a schema, and of mutants with other outputs than the program.
#[derive(Default, Debug)]
struct SchemaCounts {
    mutants: usize,
    fit: usize,
    compared: usize,
    killed: usize,
    brought: usize,
    misfits: BTreeMap<String, [usize; 2]>,
}

/// Returns the number of accesses that only mutants have. They must have spans of statements of the program.
fn brought(program: &Program, schema: &Schema) -> usize {
    let own = program.module.global_variables.len();
    let sites = (0..schema.program.sites.list.len() as u32).map(SiteId);
    let brought = sites.filter(|site| {
        let access = schema.program.sites.access(*site);
        let is_shared = access.is_some_and(|access| access.global.index() < own);
        is_shared && schema.program.origin_of(*site) == SiteId::NONE
    });
    let brought: Vec<SiteId> = brought.collect();
    for site in &brought {
        let span = schema.program.sites.get(*site).expect("it is there").span;
        assert!(!span.is_empty(), "{site:?} of {} is nowhere", program.source.name());
    }
    brought.len()
}

fn of_source(source: &Source, found: &mut SchemaCounts) {
    let Ok(mutants) = source.mutants() else { return };
    let parsed = source.programs(&source.text).expect("it is read");
    let none = BTreeMap::new();
    let others = source.map_mutants(&mutants, parsed.len(), |parsed| {
        parsed.iter().map(|parsed| Program::new(parsed, &none).ok()).collect::<Vec<_>>()
    });
    let mut is_in = vec![true; mutants.len()];
    for (at, parsed) in parsed.iter().enumerate() {
        let Ok(program) = Program::new(parsed, &none) else { return };
        let others: Vec<Option<Program>> =
            others.iter().map(|programs| programs.as_ref()?[at].clone()).collect();
        let schema = Schema::of(&program, &others).expect("there is a schema");
        found.brought += brought(&program, &schema);
        for (is_in, number) in is_in.iter_mut().zip(&schema.numbers) {
            *is_in &= number.is_some();
        }
        for (entry, _) in program.entries() {
            let spec = LaunchSpec { workgroups: Some([2, 1, 1]), ..LaunchSpec::default() };
            let Ok(all) = candidates(&program, &spec, entry) else { continue };
            let Ok(mut launch) = build::launch(&program, &spec, &all[0], &Grown::new()) else {
                continue;
            };
            launch.limits.steps = 20_000;
            launch.limits.total = 200_000;
            launch.pins = Arc::default();
            let count = program.module.global_variables.len();
            let Some(original) = run(&program, &launch, count) else { continue };
            let mut with = launch.clone();
            with.resources.by_global.push(None);
            with.inferred_contents.push(false);
            with.inferred_lengths.push(false);
            let mut schema_run = |number: u32| {
                let on = Resource::Buffer(Buffer::new(&number.to_le_bytes()));
                with.resources.by_global[count] = Some(on);
                run(&schema.program, &with, count)
            };
            assert_eq!(schema_run(0).as_ref(), Some(&original), "{} without", source.file);
            for ((mutant, other), number) in mutants.iter().zip(&others).zip(&schema.numbers) {
                let (Some(other), Some(number)) = (other, number) else { continue };
                let Some(expected) = run(other, &launch, count) else { continue };
                let Some(got) = schema_run(*number) else { panic!("{}", source.file) };
                // Runs that are cut off stop at different points.
                if !expected.2 || !got.2 {
                    continue;
                }
                let of = &mutant.mutant;
                assert_eq!(
                    got, expected,
                    "{}:{}:{} {} {} -> {}",
                    source.file, of.line, of.column, of.operator, of.original, of.replacement
                );
                found.compared += 1;
                found.killed += usize::from(expected != original);
            }
        }
    }
    found.mutants += mutants.len();
    found.fit += is_in.iter().filter(|is_in| **is_in).count();
    for (mutant, is_in) in mutants.iter().zip(is_in) {
        let counts = found.misfits.entry(mutant.mutant.operator.clone()).or_default();
        counts[usize::from(is_in)] += 1;
    }
}

/// Compares the mutants of these files in a schema with their texts.
fn all_of(paths: &[PathBuf]) -> SchemaCounts {
    let mut found = SchemaCounts::default();
    for path in paths {
        let text = std::fs::read_to_string(path).expect("it is there");
        if let Some(source) = Source::new(&path.display().to_string(), &text) {
            of_source(&source, &mut found);
        }
    }
    for (operator, [out, is_in]) in &found.misfits {
        println!("{operator:<40} {out:>5} not in, {is_in:>5} in");
    }
    println!("{found:?}");
    found
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels")
}

#[test]
fn a_schema_with_a_mutant_on_is_its_text() {
    let mut paths = Vec::new();
    for part in ["rules", "bench"] {
        files(&folder().join(part), &mut paths);
    }
    // Rust sources know more about accesses than naga's module.
    paths.extend(["histogram", "tree_sum"].map(|name| folder().join(format!("src/{name}.rs"))));
    paths.sort();
    // Only the full tier has time for all kernels.
    let step = if hirace_testing::runs(hirace_testing::Tier::Full) { 1 } else { 3 };
    let paths: Vec<_> = paths.into_iter().step_by(step).collect();
    let found = all_of(&paths);
    assert!(found.fit * 10 >= found.mutants * 8, "{} of {}", found.fit, found.mutants);
    assert!(found.brought > 0, "{found:?}");
    assert!(found.killed * 2 >= found.compared, "{} of {}", found.killed, found.compared);
}

#[test]
#[ignore = "takes minutes"]
fn a_schema_with_a_mutant_on_is_its_text_in_all_kernels() {
    let mut paths = Vec::new();
    files(&folder().join("src"), &mut paths);
    paths.sort();
    all_of(&paths);
}
