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
