//! One random edit: a piece is lost, doubled, moved, replaced or scrambled, or something is put beside it.

use crate::random::Random;
use std::ops::Range;

/// Falls an input into pieces, one way or another.
pub type Pieces = fn(&[u8], &mut Random) -> Vec<Range<usize>>;

/// Damages an input; pieces may come from others.
pub fn one(input: &mut Vec<u8>, others: &[Vec<u8>], pieces: Pieces, random: &mut Random) {
    let mine = pieces(input, random);
    if mine.is_empty() {
        return;
    }
    let [here, there] = [(); 2].map(|()| random.pick(&mine).clone());
    let edit = match random.below(9) {
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
        // Rarely: little is left.
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

/// Bytes, words with what stands between them, lines, or stretches of some bytes.
pub fn of_text(input: &[u8], random: &mut Random) -> Vec<Range<usize>> {
    match random.below(5) {
        0 => ranges(input.chunks(1)),
        1 | 2 => ranges(input.chunk_by(|a, b| is_word(*a) && is_word(*b))),
        3 => ranges(input.split_inclusive(|byte| *byte == b'\n')),
        _ => ranges(input.chunks(1 + random.below(40) as usize)),
    }
}

/// Bytes, words of 32 bits, or stretches of these.
#[cfg(feature = "spirv")]
pub fn of_words(input: &[u8], random: &mut Random) -> Vec<Range<usize>> {
    match random.below(4) {
        0 => ranges(input.chunks(1)),
        1 | 2 => ranges(input.chunks(4)),
        _ => ranges(input.chunks(4 + 4 * random.below(8) as usize)),
    }
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
