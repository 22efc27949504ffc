//! Random edits of an input: a piece is deleted, duplicated, moved, replaced or scrambled, or something is inserted next to it;
//! and edits that know a little of the input: a number becomes a boundary value, a piece is nested in itself, a piece is
//! repeated often.

use crate::random::Random;
use std::ops::Range;

/// A function that splits an input into pieces, by a random criterion.
pub type SplitFn = fn(&[u8], &mut Random) -> Vec<Range<usize>>;

/// The maximum length of an input after repetition.
const LONGEST: usize = 1 << 17;

/// Boundary values as text.
const BOUNDARIES: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "31",
    "32",
    "33",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e38",
    "1e308",
    "1e-46",
    "1e999",
    "nan",
    "inf",
    "0x7fffffff",
    "0xffffffffu",
    "0.0",
    "-0.0",
    "3.4028235e38f",
];

/// Boundary values as 32-bit words.
#[cfg(feature = "spirv")]
const WORDS: [u32; 16] = [
    0,
    1,
    2,
    3,
    4,
    5,
    31,
    32,
    64,
    0xff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
];

/// Damages an input; inserted pieces may come from others.
pub fn damage_once(input: &mut Vec<u8>, others: &[Vec<u8>], pieces: SplitFn, random: &mut Random) {
    let mine = pieces(input, random);
    if mine.is_empty() {
        return;
    }
    let [here, there] = [(); 2].map(|()| random.pick(&mine).clone());
    let edit = match random.below(12) {
        0 => Vec::new(),
        1 => [&input[here.clone()], &input[here.clone()]].concat(),
        2 => return swap(input, here, there),
        3 => input[there].to_vec(),
        4 => {
            let other = random.pick(others);
            let theirs = pieces(other, random);
            if theirs.is_empty() {
                Vec::new()
            } else {
                other[random.pick(&theirs).clone()].to_vec()
            }
        }
        5 => here.clone().map(|_| random.bits() as u8).collect(),
        6 => {
            let mut flipped = input[here.clone()].to_vec();
            if let Some(byte) = flipped.first_mut() {
                *byte ^= 1 << random.below(8);
            }
            flipped
        }
        7 => {
            let mark = *random.pick(b"(){}[];,*&=<>.1ax@\xff");
            [&input[here.clone()], &[mark]].concat()
        }
        8 => return number(input, random),
        9 => return within(input, random),
        10 => {
            let room = LONGEST.saturating_sub(input.len()) / here.len().max(1);
            let times = (1_usize << random.below(13)).min(room).max(1);
            input[here.clone()].repeat(times)
        }
        // Rarely, most of the input is truncated.
        _ if random.chance(20) => return input.truncate(here.start),
        _ => Vec::new(),
    };
    input.splice(here, edit);
}

/// Exchanges two pieces.
fn swap(input: &mut Vec<u8>, one: Range<usize>, two: Range<usize>) {
    let (first, second) = if one.start <= two.start { (one, two) } else { (two, one) };
    if first.end <= second.start {
        let (a, b) = (input[first.clone()].to_vec(), input[second.clone()].to_vec());
        input.splice(second, a);
        input.splice(first, b);
    }
}

/// Replaces a number by a boundary value.
fn number(input: &mut Vec<u8>, random: &mut Random) {
    let words = ranges(input.chunk_by(|a, b| is_word(*a) && is_word(*b)));
    let numbers: Vec<Range<usize>> =
        words.into_iter().filter(|word| input[word.start].is_ascii_digit()).collect();
    if !numbers.is_empty() {
        let at = random.pick(&numbers).clone();
        input.splice(at, random.pick(BOUNDARIES).bytes());
    }
}

/// Nests a bracketed expression in itself, several times.
fn within(input: &mut Vec<u8>, random: &mut Random) {
    let opens: Vec<usize> =
        (0..input.len()).filter(|at| matches!(input[*at], b'(' | b'{' | b'[' | b'<')).collect();
    if opens.is_empty() {
        return;
    }
    let from = *random.pick(&opens);
    let closing = match input[from] {
        b'(' => b')',
        b'{' => b'}',
        b'[' => b']',
        _ => b'>',
    };
    let mut depth = 0_usize;
    let end = (from..input.len()).find(|at| {
        depth += usize::from(input[*at] == input[from]);
        depth -= usize::from(input[*at] == closing);
        depth == 0
    });
    let Some(end) = end else { return };
    // The word before it: `f` of `f(x)`.
    let head = (0..from).rev().take_while(|at| is_word(input[*at])).last().unwrap_or(from);
    let room = LONGEST.saturating_sub(input.len()) / (end + 1 - head);
    let times = (1_usize << random.below(12)).min(room);
    let (before, inside, after) =
        (input[head..=from].to_vec(), input[from + 1..end].to_vec(), vec![closing]);
    let nested = [before.repeat(times + 1), inside, after.repeat(times + 1)].concat();
    input.splice(head..=end, nested);
}

/// Splits an input into bytes, words with the text between them, lines, or runs of several bytes.
pub fn split_text(input: &[u8], random: &mut Random) -> Vec<Range<usize>> {
    match random.below(5) {
        0 => ranges(input.chunks(1)),
        1 | 2 => ranges(input.chunk_by(|a, b| is_word(*a) && is_word(*b))),
        3 => ranges(input.split_inclusive(|byte| *byte == b'\n')),
        _ => ranges(input.chunks(1 + random.below(40) as usize)),
    }
}

/// Damages a SPIR-V module as [`one`] does, or inserts a word with a boundary value: anywhere, or after the first word of an
/// instruction.
#[cfg(feature = "spirv")]
pub fn damage_words(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    if random.below(3) > 0 {
        return damage_once(input, others, split_words, random);
    }
    let all = instructions(input);
    if all.is_empty() {
        return;
    }
    let at = random.pick(&all).clone();
    let word = at.start + 4 * random.below((at.len() / 4).max(1) as u32) as usize;
    if let Some(bytes) = input.get_mut(word..word + 4) {
        bytes.copy_from_slice(&random.pick(&WORDS).to_le_bytes());
    }
}

/// Splits an input into bytes, 32-bit words, runs of these, or instructions.
#[cfg(feature = "spirv")]
pub fn split_words(input: &[u8], random: &mut Random) -> Vec<Range<usize>> {
    match random.below(6) {
        0 => ranges(input.chunks(1)),
        1 | 2 => ranges(input.chunks(4)),
        3 => ranges(input.chunks(4 + 4 * random.below(8) as usize)),
        _ => instructions(input),
    }
}

/// Returns the instructions of a module, as far as their lengths are given.
#[cfg(feature = "spirv")]
fn instructions(input: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut all) = (20, Vec::new());
    while let Some(&[_, _, low, high]) = input.get(at..at + 4) {
        let length = 4 * usize::from(u16::from_le_bytes([low, high])).max(1);
        all.push(at..(at + length).min(input.len()));
        at += length;
    }
    all
}

fn ranges<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |piece: &[u8]| {
        let start = end;
        end += piece.len();
        start..end
    };
    pieces.map(range).collect()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
