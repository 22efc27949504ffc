#[hirace::monitor]
mod optional {
    use hirace::prelude::*;
    use std::cmp::Ordering;

    #[derive(Clone, Copy, Default)]
    struct State {
        sum: f32,
        count: u32,
    }

    #[derive(Clone, Copy, Default, PartialEq)]
    enum Mode {
        Slow,
        #[default]
        Fast,
    }

    fn sign(a: f32, b: f32) -> i32 {
        match a.partial_cmp(&b) {
            Some(Ordering::Less) => -1,
            Some(Ordering::Equal) => 0,
            Some(Ordering::Greater) => 1,
            None => 2,
        }
    }

    #[kernel(workgroup_size(64))]
    fn main(#[builtin(global_invocation_id)] id: UVec3, out: &mut [f32], words: &[u32]) {
        let i = id.x as usize;
        let n = words[i];
        let mut state = State::default();
        let other: State = Default::default();
        let mode = Mode::default();
        state.sum += other.sum + sign(1.0, n as f32) as f32;
        let before = i.checked_sub(1).map_or(0, |j| words[j]);
        let product = n.checked_mul(3).unwrap_or(u32::MAX);
        let sum = n.checked_add(before).unwrap_or_default();
        let signed = (n as i32).checked_sub(5).unwrap_or(i32::MIN);
        let part = n.checked_div(before).unwrap_or(9) + n.checked_rem(7).unwrap();
        let even = (n % 2 == 0).then_some(n / 2).unwrap_or(1) + (n > 3).then(|| n * 2).unwrap_or(3);
        let order = match n.cmp(&before) {
            Ordering::Less => 1,
            Ordering::Equal => 2,
            Ordering::Greater => 3,
        };
        let values = [3.0, 1.0, 2.0];
        let nearest = values.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map(|(j, _)| j);
        let furthest = (0..3_u32).max_by_key(|j| words[*j]).unwrap_or(0);
        if mode == Mode::Fast && n.cmp(&4).is_lt() {
            state.count += 1;
        }
        out[i] = state.sum + (product + sum + part + even + order + furthest + state.count) as f32;
        out[i] += nearest.unwrap_or(5) as f32 + signed as f32;
    }
}
