#[hirace::monitor(workgroup_size(64))]
fn branches(#[builtin(local_invocation_index)] lane: u32, out: &mut [i32]) {
    let a = if lane < 3 { 1 } else if lane < 5 { 2 } else { return };
    let b = {
        let c = a + 1;
        c * 2
    };
    let c = match lane {
        0 => 1,
        1 | 2 => 2,
        3..=5 => 3,
        6..9 => 4,
        x if x % 2 == 0 => x as i32,
        y @ (11 | 13) => y as i32 + 1,
        u32::MAX => 6,
        100.. => 7,
        _ => return,
    };
    let d = match (a, lane) {
        (1, 0) => 10,
        (2, n) => n as i32,
        (_, 3 | 4) => 12,
        (m, _) => m,
    };
    match out[lane] {
        -1 => out[lane] = 1,
        i32::MIN..=-2 => {}
        _ => out[lane] -= 1,
    }
    let flag = match a == b {
        true => 1,
        false => 0,
    };
    let e = 'block: {
        if lane == 9 {
            break 'block 1;
        }
        if lane == 10 {
            break 'block 2;
        }
        3
    };
    if let 3..=5 = lane {
        out[0] = 1;
    } else {
        out[0] = 2;
    }
    out[lane] = if lane == 63 {
        return;
    } else {
        b + c + d + e + flag
    };
}

#[hirace::monitor(workgroup_size(64))]
fn loops(#[builtin(local_invocation_index)] lane: u32, #[uniform] step: u32, out: &mut [u32]) {
    let mut sum = 0;
    for i in 0..10 {
        sum += i;
    }
    for i in 1..=lane {
        if i == 3 {
            continue;
        }
        sum += i;
    }
    for i in (0..10).rev() {
        sum ^= i;
    }
    for i in (0..lane).step_by(2) {
        sum += i;
    }
    for i in (0..=100).rev().step_by(step) {
        sum += i;
    }
    for i in (0..100).step_by(2).step_by(3) {
        sum += i;
    }
    for i in (3..lane).step_by(4).rev() {
        sum = sum * 2 + i;
    }
    for i in (-3..12).step_by(5).rev() {
        sum += (i + 3) as u32;
    }
    for i in -3..3 {
        sum += (i + 3) as u32;
    }
    for _ in 0..4 {
        sum += 1;
    }
    'outer: for i in 0..8 {
        for j in i..8 {
            if j == 5 {
                continue 'outer;
            }
            if i == 6 {
                break 'outer;
            }
            sum += i * j;
        }
    }
    let mut n = lane;
    while n > 0 {
        n /= 2;
        sum += 1;
    }
    let found = loop {
        n += 1;
        if n > 5 {
            break n * 2;
        }
        if n == 100 {
            break 0;
        }
    };
    'wait: loop {
        loop {
            n += 1;
            if n > 20 {
                break 'wait;
            }
        }
    }
    while let 1..=30 = n {
        n += 1;
    }
    out[lane] = sum + found;
}

#[hirace::monitor(workgroup_size(64))]
fn complete(#[builtin(local_invocation_index)] lane: u32, ints: &mut [i32], hits: &Atomic<u32>) {
    let a = match lane {
        0..=9 => 1,
        10 => 2,
        11..20 | 20.. => 3,
    };
    let b = match (lane == 1, a) {
        (true, ..=0) => 1,
        (false, _) => 2,
        (true, 1..) => 3,
    };
    let c = match hits.compare_exchange(0, 1) {
        Ok(_) => 0,
        Err(0 | 2..) => 1,
        Err(1) => 2,
    };
    ints[lane] = a + b + c;
}

#[hirace::monitor]
mod ways_back {
    use hirace::prelude::*;

    fn early(x: u32) -> f32 {
        if x > 3 {
            return 1.0;
        }
        2.0
    }

    fn both(x: u32) -> u32 {
        if x > 3 {
            return 1;
        } else {
            return 2;
        }
    }

    fn forever(x: u32) -> u32 {
        let mut i = x;
        loop {
            i += 1;
            if i > 10 {
                return i;
            }
        }
    }

    fn pair(x: u32) -> (f32, u32) {
        match x {
            0 => (1.0, 2),
            1 => return (2.0, 3),
            _ => {
                let y = x as f32;
                (y, x)
            }
        }
    }

    fn nothing(x: &mut u32) {
        if *x == 0 {
            return;
        }
        *x -= 1;
    }

    fn total(values: &[f32]) -> f32 {
        let mut sum = 0.0;
        for i in 0..values.len() {
            sum += values[i];
        }
        sum
    }

    struct Pair {
        counts: [u32; 4],
        sum: u32,
    }

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(local_invocation_index)] lane: u32,
        out: &mut [f32],
        #[workgroup] tile: &mut [f32; 64],
        #[uniform] at: &Vec2,
    ) {
        let (a, b) = pair(lane);
        let mut words = [1_u32, 2, 3];
        let mut held = Pair { counts: [0; 4], sum: 0 };
        nothing(&mut words[1]);
        nothing(&mut words[lane % 3]);
        nothing(&mut held.sum);
        nothing(&mut held.counts[lane & 3]);
        tile[lane] = early(lane) + a + at.x;
        workgroup_barrier();
        out[lane] = total(tile) + total(out) + (both(b) + forever(lane) + held.sum + words[1]) as f32;
        let own = [1.0, 2.0];
        out[lane] += total(&own);
    }
}

/// Jumps in the middle of an expression.
#[hirace::monitor]
mod leaving {
    use hirace::prelude::*;

    fn operand(lane: u32) -> u32 {
        let mut a = lane;
        a ^ { return 3 }
    }

    fn first(lane: u32) -> u32 {
        ({ return 3 }) + lane
    }

    fn argument(lane: u32) -> u32 {
        max(lane, return 5)
    }

    fn index(lane: u32) -> u32 {
        let a = [1, 2, 3];
        a[{ if lane > 1 { return 3; } lane }]
    }

    #[kernel(workgroup_size(1))]
    fn kernel(out: &mut [u32]) {
        out[0] = operand(1) + first(2) + argument(3) + index(4);
    }
}
