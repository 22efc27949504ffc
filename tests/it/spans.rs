//! Tests of the spans of access sites. Each file in `spans/` annotates its lines with the sites there.
//!
//! All reads, writes and atomics must be annotated. Sites of another kind must be annotated if the file annotates any of that
//! kind.

use crate::annotations::{self, Annotation};
use hirace::raw::front::wgsl;
use hirace::raw::ir::access::Action;
use hirace::raw::ir::sites::{Site, SiteKind};
use hirace::raw::program::Program;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Returns a trial for each file.
pub fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/it/spans");
    let files = std::fs::read_dir(folder).expect("the folder of fixtures exists");
    let mut paths: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.sort();
    let trial = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("spans::{name}"), move || check(&path))
    };
    paths.into_iter().map(trial).collect()
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let parsed = wgsl::parse("fixture.wgsl", &text).map_err(|error| format!("{error:?}"))?;
    let program =
        Program::new(&parsed, &Default::default()).map_err(|error| format!("{error:?}"))?;

    let expected: BTreeSet<Annotation> = annotations::all(&text).into_iter().collect();
    let checked_kinds: BTreeSet<&str> = (["read", "write", "atomic"].into_iter())
        .chain(expected.iter().map(|annotation| annotation.text.as_str()))
        .collect();
    let sites = &program.sites.list;
    let mut found = BTreeSet::new();
    let mut add = |span, kind| {
        if checked_kinds.contains(kind) {
            found.insert(Annotation::of(&program.source, span, kind));
        }
    };
    for site in sites {
        add(site.span, kind(site));
        add(site.statement, "statement");
        if !site.close.is_empty() {
            add(site.close, "close");
        }
    }

    let show = |annotations: Vec<&Annotation>| {
        let lines = annotations.into_iter().map(|a| {
            let line = program.source.line(a.line);
            let under: String =
                line.chars().skip(a.start as usize - 1).take((a.end - a.start) as usize).collect();
            format!("  {}:{}: {} `{under}`\n", a.line, a.start, a.text)
        });
        lines.collect::<String>()
    };
    let missing = show(expected.difference(&found).collect());
    let surplus = show(found.difference(&expected).collect());
    if missing.is_empty() && surplus.is_empty() {
        return Ok(());
    }
    Err(format!("not found:\n{missing}not expected:\n{surplus}").into())
}

fn kind(site: &Site) -> &'static str {
    match &site.kind {
        SiteKind::Access(access) => match access.action {
            Action::Read => "read",
            Action::Write => "write",
            Action::Atomic | Action::AtomicInWorkgroup => "atomic",
        },
        SiteKind::Barrier(_) => "barrier",
        SiteKind::Fence => "fence",
        SiteKind::Branch => "branch",
        SiteKind::Loop => "loop",
        SiteKind::Call => "call",
        SiteKind::Return => "return",
        SiteKind::Subgroup => "subgroup",
    }
}
