//! Programs whose number of executions is known from the literature.

use crate::script::{Address, Do, Line, Mode, Operand, Script};
use hirace_mc::program::{MemoryOrder, Scope};

pub const RELAXED: Mode = Some((MemoryOrder::Relaxed, Scope::Device));
pub const ACQUIRE: Mode = Some((MemoryOrder::Acquire, Scope::Device));
pub const RELEASE: Mode = Some((MemoryOrder::Release, Scope::Device));

pub fn load(into: usize, location: u64, mode: Mode) -> Line {
    Do::Load(into, Address::Of(location), mode).into()
}

pub fn store(location: u64, value: u64, mode: Mode) -> Line {
    Do::Store(Address::Of(location), Operand::Number(value), mode).into()
}

pub fn add(into: usize, location: u64, value: u64, mode: Mode) -> Line {
    Do::Add(into, Address::Of(location), Operand::Number(value), mode).into()
}

/// Each invocation reads, and then writes the location that its neighbor reads.
pub fn load_buffering(n: u64) -> Script {
    Script::new((0..n).map(|i| vec![load(0, i, RELAXED), store((i + 1) % n, 1, RELAXED)]).collect())
}

/// Each invocation writes, and then reads the location that its neighbor writes.
pub fn store_buffering(n: u64) -> Script {
    Script::new((0..n).map(|i| vec![store(i, 1, RELAXED), load(0, (i + 1) % n, RELAXED)]).collect())
}

/// `n` invocations take a lock with compare-and-exchange, and increment a plain counter.
pub fn cas_lock(n: usize, acquire: Mode, release: Mode) -> Script {
    let lock = Do::Compare(0, Address::Of(0), 0, Operand::Number(1), acquire).into();
    let wait = Line { when: Some((0, 1)), what: Do::Await(0) };
    let one = vec![lock, wait, load(1, 1, None), store(1, 1, None), store(0, 0, release)];
    Script { alike: true, ..Script::new(vec![one; n]).at_one_place() }
}

/// The same with a ticket lock.
pub fn ticket_lock(n: usize, acquire: Mode, release: Mode) -> Script {
    let wait = Do::AwaitSame(0, 1).into();
    let one = vec![
        add(0, 0, 1, RELAXED),
        load(1, 2, acquire),
        wait,
        load(2, 1, None),
        store(1, 1, None),
        add(3, 2, 1, release),
    ];
    Script { alike: true, ..Script::new(vec![one; n]).at_one_place() }
}
