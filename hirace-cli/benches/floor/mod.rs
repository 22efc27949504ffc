//! A lower bound for checking *scatter_add*: a Rust loop on all cores that reads and writes the same words in the same
//! order, and accesses a 32-bit shadow word for each. A checker with a shadow word per buffer word can hardly be faster
//! on the same machine.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Words of the buffer, and iterations of the kernel's loop.
const WORDS: u32 = 1 << 22;
const TURNS: u32 = 64;
/// Invocations that run interleaved, so that their reads overlap.
const TOGETHER: u32 = 32;

/// Returns the fastest of `repeats` runs: without and with shadow words.
pub fn floor(repeats: usize) -> [Duration; 2] {
    let words = || (0..WORDS).map(AtomicU32::new).collect::<Vec<_>>();
    let data = words();
    [false, true].map(|checks| {
        let times = (0..repeats).map(|_| {
            let shadow = words();
            let start = Instant::now();
            run(&data, checks.then_some(&shadow[..]));
            start.elapsed()
        });
        times.min().unwrap_or_default()
    })
}

fn run(data: &[AtomicU32], shadow: Option<&[AtomicU32]>) {
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u32);
    let groups = WORDS / TURNS / TOGETHER;
    thread::scope(|scope| {
        for thread in 0..threads {
            let groups = groups * thread / threads..groups * (thread + 1) / threads;
            scope.spawn(move || groups.for_each(|group| turns(group, data, shadow)));
        }
    });
}

fn turns(group: u32, data: &[AtomicU32], shadow: Option<&[AtomicU32]>) {
    for turn in 0..TURNS {
        let places = std::array::from_fn::<_, { TOGETHER as usize }, _>(|lane| {
            permuted((group * TOGETHER + lane as u32) * TURNS + turn) as usize
        });
        let values = places.map(|place| data[place].load(Relaxed));
        if let Some(shadow) = shadow {
            let seen = places.map(|place| shadow[place].load(Relaxed));
            for (place, seen) in places.into_iter().zip(seen) {
                shadow[place].store(seen ^ group, Relaxed);
            }
        }
        for (place, value) in places.into_iter().zip(values) {
            data[place].store(value.wrapping_add(turn), Relaxed);
        }
    }
}

/// The permutation that the kernel uses.
fn permuted(n: u32) -> u32 {
    let a = n.wrapping_mul(2_654_435_761) & (WORDS - 1);
    let b = a ^ (a >> 11);
    b.wrapping_mul(2_246_822_519) & (WORDS - 1)
}
