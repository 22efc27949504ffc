//! Small programs as lists of instructions over registers, and random programs.

use hirace_mc::program::{
    Access, Atomic, Class, Classes, Location, MemoryOrder, Operation, Program, Scope,
    ScopePosition, Step, Update, Value,
};

/// A value to write, add or compare: a number or a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    Number(Value),
    Register(usize),
}

/// The location of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    Of(u64),
    /// One of the first two locations, selected by the lowest bit of a register.
    By(usize),
}

/// The order and scope of an access; `None` for a plain access.
pub type Mode = Option<(MemoryOrder, Scope)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Do {
    Load(usize, Address, Mode),
    Store(Address, Operand, Mode),
    Add(usize, Address, Operand, Mode),
    Exchange(usize, Address, Operand, Mode),
    /// Compares with the number, and writes the operand if they are equal.
    Compare(usize, Address, Value, Operand, Mode),
    Fence(MemoryOrder, Scope),
    /// Waits for all invocations of the scope at the barrier with this number, and orders these classes.
    Barrier(Scope, u32, u32),
    Fails,
    /// Waits for another value of the register.
    Await(usize),
    /// Waits until both registers are equal, by reading another value into the second.
    AwaitSame(usize, usize),
}

/// An instruction, which is executed if the register holds the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    pub when: Option<(usize, Value)>,
    pub what: Do,
}

impl From<Do> for Line {
    fn from(what: Do) -> Self {
        Self { when: None, what }
    }
}

#[derive(Clone, Debug)]
pub struct Script {
    pub scope_positions: Vec<ScopePosition>,
    pub code: Vec<Vec<Line>>,
    /// The number of bits of values.
    pub bits: u32,
    /// Whether invocations with the same code are alike.
    pub alike: bool,
    /// Whether the final values of registers that no instruction uses are ignored.
    pub forgets: bool,
    /// The storage classes that the atomics and fences order: two bits per line, where 0 means both.
    pub names: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    pub line: usize,
    pub registers: [Value; 4],
    /// The reads on which each register depends.
    depends: [Vec<u32>; 4],
    control: Vec<u32>,
    reads: u32,
    /// The register that receives the next answer.
    target: Option<usize>,
}

fn merge(into: &mut Vec<u32>, from: &[u32]) {
    into.extend(from);
    into.sort_unstable();
    into.dedup();
}

impl Script {
    /// Creates a script with each invocation in its own workgroup, except for pairs that share one.
    pub fn new(code: Vec<Vec<Line>>) -> Self {
        let one = |n: usize| ScopePosition {
            subgroup: n as u32,
            workgroup: n as u32,
            queue_family: 0,
            device: 0,
        };
        Self {
            scope_positions: (0..code.len()).map(one).collect(),
            code,
            bits: 64,
            alike: false,
            forgets: false,
            names: 0,
        }
    }

    /// Returns the script with all invocations in one subgroup.
    pub fn at_one_place(mut self) -> Self {
        let first = self.scope_positions[0];
        self.scope_positions.iter_mut().for_each(|place| *place = first);
        self
    }

    /// Returns the script with all invocations in one workgroup.
    pub fn together(mut self) -> Self {
        self.scope_positions.iter_mut().for_each(|place| place.workgroup = 0);
        self
    }

    /// Returns whether an instruction of the invocation uses the register.
    pub fn looks_at(&self, invocation: usize, register: usize) -> bool {
        self.code[invocation].iter().any(|line| {
            let address = |address| address == Address::By(register);
            let value = |value| value == Operand::Register(register);
            let looks = match line.what {
                Do::Load(_, at, _) => address(at),
                Do::Store(at, of, _) | Do::Add(_, at, of, _) | Do::Exchange(_, at, of, _) => {
                    address(at) || value(of)
                }
                Do::Compare(_, at, _, of, _) => address(at) || value(of),
                Do::Await(of) => of == register,
                Do::AwaitSame(one, other) => one == register || other == register,
                Do::Fence(..) | Do::Barrier(..) | Do::Fails => false,
            };
            looks || line.when.is_some_and(|(of, _)| of == register)
        })
    }

    fn named(&self, invocation: usize, line: usize) -> Classes {
        match self.names >> (2 * ((8 * invocation + line) % 32)) & 3 {
            0 => Classes::ALL,
            bits => Classes(bits as u32),
        }
    }

    fn access(
        address: Address,
        mode: Mode,
        orders: Classes,
        state: &State,
        depends: &mut Vec<u32>,
    ) -> Access {
        let location = match address {
            Address::Of(location) => Location(location),
            Address::By(register) => {
                merge(depends, &state.depends[register]);
                Location(state.registers[register] & 1)
            }
        };
        let atomic = mode.map(|(order, scope)| Atomic { order, scope, orders });
        Access { location, class: Class((location.0 % 2) as u8), atomic, available: None }
    }

    pub fn masked(&self, value: Value) -> Value {
        value & Value::MAX >> (64 - self.bits)
    }
}

impl Program for Script {
    type State = State;

    fn invocations(&self) -> &[ScopePosition] {
        &self.scope_positions
    }

    fn classes(&self) -> u8 {
        2
    }

    fn initial(&self, _: Location) -> Value {
        0
    }

    fn start(&self, _: usize) -> State {
        State::default()
    }

    fn alike(&self, one: usize, other: usize) -> bool {
        self.alike
            && self.code[one] == self.code[other]
            && self.scope_positions[one] == self.scope_positions[other]
    }

    fn is_result_unused(&self, invocation: usize, state: &State) -> bool {
        self.forgets && state.target.is_some_and(|register| !self.looks_at(invocation, register))
    }

    fn step(&self, invocation: usize, state: &mut State, answer: Option<Value>) -> Step {
        if let Some(answer) = answer {
            let target = state.target.take().expect("an answer to a read");
            state.registers[target] = answer;
            state.depends[target] = vec![state.reads];
            state.reads += 1;
        }
        loop {
            let Some(line) = self.code[invocation].get(state.line) else {
                let control = state.control.clone();
                return Step {
                    operation: Operation::End,
                    depends: control.clone(),
                    control,
                    site: state.line as u32,
                };
            };
            let orders = self.named(invocation, state.line);
            let site = (if self.alike { 0 } else { invocation * 100 } + state.line) as u32;
            state.line += 1;
            if let Some((register, value)) = line.when {
                let on = state.depends[register].clone();
                merge(&mut state.control, &on);
                if state.registers[register] != value {
                    continue;
                }
            }
            let mut depends = state.control.clone();
            let operand = |operand: Operand, depends: &mut Vec<u32>| match operand {
                Operand::Number(number) => number,
                Operand::Register(register) => {
                    merge(depends, &state.depends[register]);
                    state.registers[register]
                }
            };
            let mut target = None;
            let operation = match line.what {
                Do::Load(into, address, mode) => {
                    target = Some(into);
                    Operation::Read(Self::access(address, mode, orders, state, &mut depends))
                }
                Do::Store(address, value, mode) => {
                    let value = operand(value, &mut depends);
                    Operation::Write(
                        Self::access(address, mode, orders, state, &mut depends),
                        value,
                    )
                }
                Do::Add(into, address, value, mode) => {
                    target = Some(into);
                    let value = operand(value, &mut depends);
                    let access = Self::access(address, mode, orders, state, &mut depends);
                    Operation::Update(access, Update::Add(value, self.bits))
                }
                Do::Exchange(into, address, value, mode) => {
                    target = Some(into);
                    let value = operand(value, &mut depends);
                    Operation::Update(
                        Self::access(address, mode, orders, state, &mut depends),
                        Update::Exchange(value),
                    )
                }
                Do::Compare(into, address, expected, with, mode) => {
                    target = Some(into);
                    let with = operand(with, &mut depends);
                    let access = Self::access(address, mode, orders, state, &mut depends);
                    // Half of the compare-exchanges have another order on failure than on success.
                    let order = access.atomic.map_or(MemoryOrder::Relaxed, |atomic| atomic.order);
                    let failed = if expected % 2 == 0 { MemoryOrder::Relaxed } else { order };
                    Operation::Update(access, Update::CompareExchange { expected, with, failed })
                }
                Do::Fence(order, scope) => Operation::Fence(Atomic { order, scope, orders }),
                Do::Barrier(waits, barrier, orders) => {
                    let atomic = Atomic {
                        order: MemoryOrder::AcquireRelease,
                        scope: waits,
                        orders: Classes(orders),
                    };
                    Operation::Barrier {
                        group: waits,
                        barrier,
                        orders: (orders != 0).then_some(atomic),
                    }
                }
                Do::Fails => Operation::AssertionFailure,
                Do::Await(register) => Operation::Spins(state.depends[register].clone()),
                Do::AwaitSame(one, other) => {
                    let on = [state.depends[one].clone(), state.depends[other].clone()].concat();
                    merge(&mut state.control, &on);
                    if state.registers[one] == state.registers[other] {
                        continue;
                    }
                    Operation::Spins(state.depends[other].clone())
                }
            };
            state.target = target;
            return Step { operation, depends, control: state.control.clone(), site };
        }
    }
}

/// A small random number generator (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % n
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// The operations of random programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    /// Relaxed atomics of one scope, and barriers that order classes.
    Relaxed,
    /// All orders, scopes and fences.
    Ordered,
}

/// Returns a random program of 2 to 4 invocations.
pub fn random(random: &mut Random, flavor: Flavor) -> Script {
    let invocations = 2 + random.below(3);
    let locations = 1 + random.below(3);
    let (most, mut reads, mut writes) = (2 + random.below(4), 0, 0);
    let barriers = random.below(3) == 0;
    let plain = random.below(3);
    let strong = random.below(3) == 0;
    let scopes = match random.below(3) {
        0 => vec![Scope::Workgroup, Scope::Device],
        _ => vec![Scope::Device],
    };
    let mode = |random: &mut Random| {
        if random.below(6) < plain {
            return None;
        }
        let order = match flavor {
            Flavor::Relaxed => MemoryOrder::Relaxed,
            Flavor::Ordered if strong => {
                random.one(&[MemoryOrder::SequentiallyConsistent, MemoryOrder::Relaxed])
            }
            Flavor::Ordered => random.one(&[
                MemoryOrder::Relaxed,
                MemoryOrder::Acquire,
                MemoryOrder::Release,
                MemoryOrder::AcquireRelease,
                MemoryOrder::SequentiallyConsistent,
            ]),
        };
        Some((order, random.one(&scopes)))
    };
    let mut code = Vec::new();
    for _ in 0..invocations {
        let mut lines: Vec<Line> = Vec::new();
        let mut loaded = 0;
        for _ in 0..1 + random.below(most) {
            if reads + writes >= 9 {
                break;
            }
            let value = match loaded {
                0 => Operand::Number(1 + random.below(2)),
                _ if random.below(2) == 0 => Operand::Register(random.below(loaded) as usize),
                _ => Operand::Number(1 + random.below(2)),
            };
            let address = match loaded {
                1.. if random.below(8) == 0 => Address::By(random.below(loaded) as usize),
                _ => Address::Of(random.below(locations)),
            };
            let when = (loaded > 0 && random.below(4) == 0)
                .then(|| (random.below(loaded) as usize, random.below(2)));
            let into = loaded.min(3) as usize;
            let can_read = reads < 5;
            let what = match random.below(12) {
                0..=3 if can_read => Do::Load(into, address, mode(random)),
                4..=7 if writes < 6 => Do::Store(address, value, mode(random)),
                8 if can_read && writes < 6 => Do::Add(
                    into,
                    address,
                    value,
                    mode(random).or(Some((MemoryOrder::Relaxed, Scope::Device))),
                ),
                9 if can_read && writes < 6 => {
                    let mode = mode(random).or(Some((MemoryOrder::Relaxed, Scope::Device)));
                    match random.below(2) {
                        0 => Do::Exchange(into, address, value, mode),
                        _ => Do::Compare(into, address, random.below(2), value, mode),
                    }
                }
                10 if flavor == Flavor::Ordered => Do::Fence(
                    random.one(&[
                        MemoryOrder::Acquire,
                        MemoryOrder::Release,
                        MemoryOrder::AcquireRelease,
                        MemoryOrder::SequentiallyConsistent,
                        MemoryOrder::SequentiallyConsistent,
                    ]),
                    random.one(&scopes),
                ),
                11 if random.below(4) == 0 => Do::Fails,
                _ => continue,
            };
            match what {
                Do::Load(..) => reads += 1,
                Do::Store(..) => writes += 1,
                Do::Add(..) | Do::Exchange(..) | Do::Compare(..) => {
                    (reads, writes) = (reads + 1, writes + 1)
                }
                _ => {}
            }
            if matches!(what, Do::Load(..) | Do::Add(..) | Do::Exchange(..) | Do::Compare(..))
                && when.is_none()
            {
                loaded = (loaded + 1).min(4);
            }
            lines.push(Line { when, what });
        }
        code.push(lines);
    }
    let together = random.below(2) == 0;
    if barriers {
        let classes = random.below(4) as u32;
        let count = 1 + random.below(2) as u32;
        for number in 0..count {
            for lines in &mut code {
                let at = random.below(lines.len() as u64 + 1) as usize;
                let at = lines[..at]
                    .iter()
                    .rposition(|line| matches!(line.what, Do::Barrier(..)))
                    .map_or(at, |b| at.max(b + 1));
                let after = lines
                    .iter()
                    .rposition(|line| matches!(line.what, Do::Barrier(..)))
                    .map_or(0, |b| b + 1);
                lines.insert(at.max(after), Do::Barrier(Scope::Workgroup, number, classes).into());
            }
        }
    }
    let mut script = Script::new(code);
    script.bits = 2;
    if flavor == Flavor::Ordered && random.below(2) == 0 {
        script.names = random.below(u64::MAX);
    }
    for (n, place) in script.scope_positions.iter_mut().enumerate() {
        place.workgroup = if together || barriers && n < 2 { 0 } else { n as u32 };
    }
    script
}
