#[hirace::monitor]
mod kernels {
    fn early(x: u32) -> u32 {
        if x == 0 {
            return 1;
        }
        2
    }

    #[kernel(workgroup_size(64))]
    fn control(#[builtin(local_invocation_index)] l: u32, #[uniform] n: u32, data: &mut [u32]) {
        if l < n && data[l] > 3 || n == 7 {
            data[l] = early(l);
        } else if l == 5 {
        } else {
            data[l] += 1;
        }
        match l {
            1 | 2 => data[l] = 3,
            3 => {}
            _ => data[l] = 4,
        }
        match (l, n) {
            (1, _) if n > 4 => data[l] = 3,
            (1 | 2, 5) => data[l] = 6,
            _ => data[l] = 4,
        }
        'outer: for i in 0..n {
            let mut j = i;
            while j > 0 && data[j] != 0 {
                j -= 1;
                if data[j] == 9 {
                    continue 'outer;
                }
            }
        }
        for k in l..=n {
            data[k] = 1;
        }
        loop {
            data[l] += 2;
            if data[l] > 8 {
                break;
            }
        }
    }
}
