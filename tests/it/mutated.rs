//! Shaders with random edits: whatever comes in, what comes out is a program or a diagnostic, whose
//! places lie in the text.

use hirace::raw::front::wgsl;
use hirace::raw::program::Program;
use hirace::raw::source_map::{SourceMap, Span};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// No more than this much time and this many texts.
const TIME: Duration = Duration::from_secs(20);
const TEXTS: u64 = 2_000;

/// The one trial.
pub fn trials() -> Vec<Trial> {
    vec![Trial::test("mutated::shaders_never_panic_the_front_end", run)]
}

fn run() -> Result<(), Failed> {
    let originals = originals()?;
    let start = Instant::now();
    let mut programs = 0;
    for seed in 0..TEXTS {
        if start.elapsed() > TIME {
            break;
        }
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut text = originals[random.below(originals.len())].clone();
        for _ in 0..=random.below(4) {
            edit(&mut text, &originals, &mut random);
        }
        let program = std::panic::catch_unwind(|| check(&text))
            .map_err(|_| format!("seed {seed}: a panic on\n{}", String::from_utf8_lossy(&text)))?;
        programs += u64::from(program.map_err(|error| format!("seed {seed}: {error}"))?);
    }
    // If no edited shader were still valid, this would only test error messages.
    if programs < 20 { Err(format!("only {programs} programs").into()) } else { Ok(()) }
}

/// Whether a text makes a program. Its places must make sense either way.
fn check(text: &[u8]) -> Result<bool, String> {
    let parsed = wgsl::parse_bytes("mutated.wgsl", text);
    match parsed.and_then(|parsed| Program::new(&parsed, &Default::default())) {
        Ok(program) => {
            for site in &program.sites.list {
                inside(&program.source, site.span)?;
                inside(&program.source, site.statement)?;
            }
            Ok(true)
        }
        Err(diagnostic) => {
            for (span, _) in &diagnostic.labels {
                inside(diagnostic.source_map.as_ref().ok_or("labels without a text")?, *span)?;
            }
            if diagnostic.message.is_empty() { Err("an empty message".into()) } else { Ok(false) }
        }
    }
}

fn inside(source: &SourceMap, span: Span) -> Result<(), String> {
    let whole = source.text().get(span.start as usize..span.end as usize);
    whole.map(|_| ()).ok_or_else(|| format!("{span:?} is not in\n{}", source.text()))
}

fn originals() -> Result<Vec<Vec<u8>>, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for folder in ["tests/it/spans", "kernels/rules", "kernels/examples"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join(folder))?
            .filter_map(|file| Some(file.ok()?.path()))
            .collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "wgsl")) {
            texts.push(std::fs::read(path)?);
        }
    }
    if texts.is_empty() { Err("no shaders found".into()) } else { Ok(texts) }
}

/// One random edit: bytes and words removed, doubled, put elsewhere, or taken from another shader.
fn edit(text: &mut Vec<u8>, originals: &[Vec<u8>], random: &mut Random) {
    if text.len() < 8 {
        return;
    }
    let at = random.below(text.len());
    let piece = |text: &[u8], random: &mut Random| {
        let start = random.below(text.len());
        text[start..(start + 1 + random.below(40)).min(text.len())].to_vec()
    };
    match random.below(6) {
        0 => drop(text.remove(at)),
        1 => text.insert(at, b"(){}[];,*&=<>.1ax@\xff"[random.below(19)]),
        2 => drop(text.drain(at..(at + 1 + random.below(20)).min(text.len()))),
        3 => {
            let piece = piece(text, random);
            text.splice(at..at, piece);
        }
        4 => {
            let piece = piece(&originals[random.below(originals.len())], random);
            text.splice(at..at, piece);
        }
        _ => {
            let (here, there) = (word(text, at), word(text, random.below(text.len())));
            let there = text[there].to_vec();
            text.splice(here, there);
        }
    }
}

/// The word around a byte, if it is part of one.
fn word(text: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = text[..at].iter().rposition(|byte| !is_word(byte)).map_or(0, |before| before + 1);
    let end = text[at..].iter().position(|byte| !is_word(byte)).map_or(text.len(), |n| at + n);
    start..end
}

/// xorshift64: the same texts everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}
