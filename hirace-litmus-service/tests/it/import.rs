//! Published results are imported from files and give the published analysis.

use crate::running::{Running, folder, program};
use hirace_litmus::analysis::{Options, Source, analyze};
use hirace_litmus::environment::Preset;
use hirace_litmus::results::published::PublishedResults;
use hirace_litmus::results::table::Side;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[path = "../../../tests/mc-mutants/read.rs"]
mod read;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("import::published_results_give_the_published_analysis", published),
        Trial::test("import::what_is_no_result_is_named_and_what_came_before_is_kept", damaged),
    ]
}

type Files = BTreeMap<(String, String), String>;

fn files() -> Files {
    read::files(&serde_json::to_value(Preset::Basic.parameters()).unwrap())
}

fn write(folder: &Path, files: &Files) {
    for ((side, device), text) in files {
        fs::create_dir_all(folder.join(side)).unwrap();
        fs::write(folder.join(side).join(format!("{device}.json")), text).unwrap();
    }
}

fn import(folder: &Path) -> (Option<i32>, String, String) {
    let ended = program(folder).arg("import").arg(folder.join("published")).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
}

fn published() -> Result<(), Failed> {
    let folder = folder();
    let files = files();
    assert_eq!(files.len(), 19);
    write(&folder.path().join("published"), &files);
    let service = Running::start(folder.path(), &[]);
    // The import runs while the service does.
    let (status, said, log) = import(folder.path());
    assert_eq!(
        (status, &said[..]),
        (Some(0), "imported 19 files, 0 were already stored\n"),
        "{log}"
    );
    let (_, said, _) = import(folder.path());
    assert_eq!(said, "imported 0 files, 19 were already stored\n");
    let analyzed = service.get("/api/analysis").json();
    // The figures of the paper.
    let killed = |side: &str| -> Value {
        let sides = analyzed["sides"].as_array().unwrap();
        let of = sides.iter().find(|of| of["side"] == side).unwrap();
        json!([of["mutants"]["killed"], of["mutants"]["total"]])
    };
    let sides = ["site_baseline", "site", "pte_baseline", "pte"].map(killed);
    assert_eq!(json!(sides), json!([[8, 128], [59, 128], [93, 128], [107, 128]]));
    // All other figures are those of `hirace litmus analyze`.
    let sources: Vec<Source> = files
        .iter()
        .map(|((side, device), text)| {
            let file = format!("{side}/{device}.json");
            let published = PublishedResults::parse(&file, text).unwrap();
            let side = Side::of_folder(side).unwrap();
            Source::of_published(file, &published, device, side, None).unwrap()
        })
        .collect();
    let expected = serde_json::to_value(analyze(&sources, Options::default()))?;
    for (own, expected) in
        analyzed["sides"].as_array().unwrap().iter().zip(expected["sides"].as_array().unwrap())
    {
        assert_eq!(own, expected);
    }
    assert_eq!(analyzed["miscounted"], expected["miscounted"]);
    let page = service.get("/api/analysis?format=html");
    assert!(page.text.contains("107/128"));
    Ok(())
}

fn damaged() -> Result<(), Failed> {
    let folder = folder();
    let first: Files = files().into_iter().take(1).collect();
    let published = folder.path().join("published");
    write(&published, &first);
    // A link to an enclosing folder is not followed.
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", published.join("back"))?;
    fs::write(published.join("z.json"), "{\"0\": {\"Rr\": {\"seq\": -1}}}")?;
    let (status, _, said) = import(folder.path());
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("z.json") && said.contains("0.Rr.seq"), "{said}");
    let service = Running::start(folder.path(), &[]);
    assert_eq!(service.get("/api/health").json()["submissions"], 1);
    Ok(())
}
