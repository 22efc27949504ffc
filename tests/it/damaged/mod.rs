//! Inputs with random damage, in every language: whatever a file holds, front ends make programs or diagnostics of
//! it whose places lie in the text, and `hirace check` ends without a panic.
//!
//! Damage that no input survives would test error messages alone, and damage that all survive none of them: so many
//! must have been programs, so many must have been refused, and so many must have been checked to the end.
//! `HIRACE_DAMAGED` sets how many inputs of each language there are.

mod damage;
mod stages;

use crate::random::Random;
use crate::support::{root, scratch};
use libtest_mimic::{Failed, Trial};
use stages::Through;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Once enough got through, a trial ends after this time.
const TIME: Duration = Duration::from_secs(30);

/// A language, and how its inputs are damaged.
struct Language {
    name: &'static str,
    /// How files of it end.
    ending: &'static str,
    /// What is damaged.
    originals: fn() -> Result<Vec<Vec<u8>>, Failed>,
    /// What an input falls into.
    pieces: damage::Pieces,
    /// How many inputs there are.
    inputs: u64,
    /// How many of these become programs, are refused, and are checked to the end, at the least.
    least: Through,
}

const LANGUAGES: &[Language] = &[
    Language {
        name: "wgsl",
        ending: "wgsl",
        originals: wgsl,
        pieces: damage::of_text,
        inputs: 1_500,
        least: Through { programs: 60, refused: 400, checked: 30 },
    },
    Language {
        name: "rust",
        ending: "rs",
        originals: rust,
        pieces: damage::of_text,
        inputs: 400,
        least: Through { programs: 20, refused: 100, checked: 10 },
    },
    #[cfg(feature = "glsl")]
    Language {
        name: "glsl",
        ending: "comp",
        originals: glsl,
        pieces: damage::of_text,
        inputs: 400,
        least: Through { programs: 20, refused: 100, checked: 10 },
    },
    #[cfg(feature = "spirv")]
    Language {
        name: "spirv",
        ending: "spv",
        originals: crate::spirv::modules,
        pieces: damage::of_words,
        inputs: 600,
        least: Through { programs: 12, refused: 100, checked: 10 },
    },
];

/// A trial for each language.
pub fn trials() -> Vec<Trial> {
    let trial = |language: &'static Language| {
        let name = format!("damaged::{}_never_panics_or_hangs", language.name);
        Trial::test(name, move || tried(language))
    };
    LANGUAGES.iter().map(trial).collect()
}

fn tried(language: &Language) -> Result<(), Failed> {
    let originals = (language.originals)()?;
    if originals.is_empty() {
        return Err("there is nothing to damage".into());
    }
    let inputs = match std::env::var("HIRACE_DAMAGED") {
        Ok(number) => number.parse()?,
        Err(_) => language.inputs,
    };
    let folder = scratch("damaged");
    let start = Instant::now();
    let mut through = Through::default();
    for seed in 0..inputs {
        if start.elapsed() > TIME && through.reaches(&language.least) {
            break;
        }
        let mut random = Random::new(seed);
        let mut input = random.pick(&originals).clone();
        for _ in 0..1 + random.below(4) {
            damage::one(&mut input, &originals, language.pieces, &mut random);
        }
        let file = folder.join(format!("{seed}.{}", language.ending));
        let is_program = stages::front_end(&file, &input)
            .map_err(|wrong| format!("{}, which is kept: {wrong}", kept(&file, &input)))?;
        if through.counts_program(is_program) {
            let checked = stages::check(&kept(&file, &input))?;
            std::fs::remove_file(&file)?;
            if is_program && !checked {
                let shown = kept(&file, &input);
                return Err(format!("{shown} is a program, and bad input to `check`").into());
            }
            through.checked += u64::from(checked);
        }
    }
    match through.reaches(&language.least) {
        true => Ok(()),
        false => Err(format!("only {through:?} of {:?}", language.least).into()),
    }
}

/// The file, written.
fn kept(file: &std::path::Path, input: &[u8]) -> String {
    match std::fs::write(file, input) {
        Ok(()) => file.display().to_string(),
        Err(error) => format!("{} (not written: {error})", file.display()),
    }
}

/// The shaders that are in the repository, and those of published crates that are here.
fn wgsl() -> Result<Vec<Vec<u8>>, Failed> {
    let mut sources = files(&["tests/it/spans", "kernels/rules", "kernels/examples"], "wgsl")?;
    sources.extend(crate::corpus::sources().into_iter().map(String::into_bytes));
    Ok(sources)
}

fn rust() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["kernels/src", "kernels/src/constructs", "tests/it/rust_files"], "rs")
}

#[cfg(feature = "glsl")]
fn glsl() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["tests/it/spirv"], "comp")
}

/// The files of some folders with this ending, in order.
fn files(folders: &[&str], ending: &str) -> Result<Vec<Vec<u8>>, Failed> {
    let mut texts = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(root().join(folder))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|file| Some(file.ok()?.path())).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == ending)) {
            texts.push(std::fs::read(path)?);
        }
    }
    Ok(texts)
}
