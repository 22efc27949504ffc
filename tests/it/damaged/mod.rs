//! Shaders with random damage: whatever a file holds, `hirace check` ends, and does not panic.
//!
//! `HIRACE_MUTANTS` sets how many there are; they end after a minute in any case.

use crate::random::Random;
use crate::support::{hirace, root, run, scratch};
use libtest_mimic::{Failed, Trial};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const MUTANTS: u64 = 150;
const BUDGET: Duration = Duration::from_secs(60);
/// A mutant that runs longer hangs: launches have step limits.
const LIMIT: Duration = Duration::from_secs(60);

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("damaged::shaders_never_panic_or_hang", check)]
}

fn check() -> Result<(), Failed> {
    let sources = sources()?;
    let mutants =
        std::env::var("HIRACE_MUTANTS").map_or(Ok(MUTANTS), |number| number.parse::<u64>())?;
    let start = Instant::now();
    for seed in 0..mutants {
        if start.elapsed() > BUDGET {
            break;
        }
        let mut random = Random::new(seed);
        let mut text = random.pick(&sources).clone();
        for _ in 0..1 + random.below(3) {
            text = damage(&mut random, text);
        }
        let file = scratch("mutants").join(format!("{seed}.wgsl"));
        std::fs::write(&file, &text)?;
        let arguments = ["check".as_ref(), file.as_os_str(), "--workgroups".as_ref(), "2".as_ref()];
        let ended = run(&mut hirace(&arguments), LIMIT);
        let file = file.display();
        if ended.timed_out {
            return Err(format!("{file} hangs").into());
        }
        if ended.stderr.contains("panicked") || !matches!(ended.status, Some(0..=4)) {
            return Err(format!("{file}: status {:?}\n{}", ended.status, ended.stderr).into());
        }
        std::fs::remove_file(scratch("mutants").join(format!("{seed}.wgsl")))?;
    }
    Ok(())
}

/// The shaders that are in the repository, and those of published crates that are here.
fn sources() -> Result<Vec<Vec<u8>>, Failed> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(root().join("kernels/rules"))? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut sources: Vec<Vec<u8>> = Vec::new();
    for path in paths {
        sources.push(std::fs::read(path)?);
    }
    sources.extend(crate::corpus::sources().into_iter().map(String::into_bytes));
    Ok(sources)
}

/// Deletes, doubles, swaps or changes a byte, a token or a line.
fn damage(random: &mut Random, text: Vec<u8>) -> Vec<u8> {
    let pieces: Vec<&[u8]> = match random.below(4) {
        0 => text.chunks(1).collect(),
        1 | 2 => tokens(&text),
        _ => text.split_inclusive(|byte| *byte == b'\n').collect(),
    };
    if pieces.is_empty() {
        return text;
    }
    let mut pieces: Vec<Vec<u8>> = pieces.into_iter().map(<[u8]>::to_vec).collect();
    let at = random.below(pieces.len() as u32) as usize;
    let other = random.below(pieces.len() as u32) as usize;
    match random.below(5) {
        0 => drop(pieces.remove(at)),
        1 => pieces.insert(at, pieces[at].clone()),
        2 => pieces.swap(at, other),
        3 => pieces[at] = pieces[other].clone(),
        _ => {
            for byte in &mut pieces[at] {
                *byte = random.bits() as u8;
            }
        }
    }
    pieces.concat()
}

/// Words, and what stands between them.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    text.chunk_by(|a, b| is_word(*a) && is_word(*b)).collect()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
