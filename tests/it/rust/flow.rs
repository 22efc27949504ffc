//! Tests of expressions that contain statements: they are evaluated in the same order as in Rust.

// The functions here are unusual on purpose: each tests a case of evaluation order.
#![allow(clippy::all)]

use super::native::functions;
use hirace_testing::harness::Trial;

pub fn trials() -> Vec<Trial> {
    super::native::trials("flow", FUNCTIONS, HELPERS)
}

functions! {
    fn an_if_gives_a_value(lane: u32) -> u32 {
        let x = if lane < 10 { lane * 2 } else if lane < 20 { 7 } else { lane };
        x + 1
    }

    fn operands_are_evaluated_from_left_to_right(lane: u32) -> u32 {
        let mut x = lane;
        x + { x += 10; x } * { x *= 2; x } + x
    }

    fn arguments_are_evaluated_from_left_to_right(lane: u32) -> u32 {
        let mut x = lane;
        weigh(x, { x += 1; x }, bump(&mut x)) + x
    }

    fn a_value_is_evaluated_before_the_place_it_goes_to(lane: u32) -> u32 {
        let mut a = [lane, 1, 2, 3];
        let mut x = 5;
        x += { x += lane; x };
        a[1] = bump(&mut x);
        a[2] += { x += 3; x };
        a[1] * 1000 + a[2] * 10 + x
    }

    fn a_condition_of_a_while_leaves_an_outer_loop(lane: u32) -> u32 {
        let mut n = 0;
        let mut i = 0;
        'outer: while i < 5 {
            i += 1;
            let mut k = 0;
            while k < if lane + i > 8 { break 'outer } else { 3 } {
                k += 1;
                n += i;
            }
            n += 100;
        }
        n * 10 + i
    }

    fn a_condition_of_a_while_continues_an_outer_loop(lane: u32) -> u32 {
        let mut n = 0;
        'outer: for i in 0..6 {
            let mut k = 0;
            while k < if (lane + i) % 3 == k { continue 'outer } else { 2 } {
                k += 1;
                n += i + 1;
            }
            n += 100;
        }
        n
    }

    fn a_condition_of_a_while_leaves_its_own_loop_and_a_block(lane: u32) -> u32 {
        let mut k = 0;
        'own: while if k + lane > 7 { break 'own } else { k < 4 } {
            k += 1;
        }
        let n = 'block: {
            while if lane % 4 == k { break 'block 50 + k } else { k < 6 } {
                k += 2;
            }
            k
        };
        n * 100 + k
    }

    fn a_condition_of_a_while_continues_its_own_loop(lane: u32) -> u32 {
        let mut k = 0;
        let mut n = 0;
        'own: while { k += 1; if k % 3 == lane % 3 { continue 'own } k < 9 } {
            n += k;
        }
        n * 100 + k
    }

    fn a_condition_in_a_constant_leaves_its_own_loop(lane: u32) -> u32 {
        const LEFT: u32 = {
            let mut k = 0;
            'own: while if k > 5 { break 'own } else { k < 9 } {
                k += 4;
            }
            k
        };
        lane * 100 + LEFT
    }

    fn conditions_are_cut_short(lane: u32) -> u32 {
        let mut n = 0;
        let both = lane > 5 && { n += 1; lane < 9 } && { n += 10; true };
        let either = lane > 50 || { n += 100; lane < 3 } || { n += 1000; false };
        n + both as u32 * 10_000 + either as u32 * 20_000
    }

    fn a_match_of_numbers_gives_a_value(lane: u32) -> u32 {
        match lane % 7 {
            0 => 5,
            1 | 2 => lane,
            3 => { let y = lane * 3; y + 1 }
            n => n * 100,
        }
    }

    fn a_match_of_ranges_and_guards_gives_a_value(lane: u32) -> u32 {
        let mut seen = 0;
        let x = match lane {
            0..=3 => 1,
            n if n % 2 == 0 && { seen += 1; n > 20 } => n + 7,
            4..10 | 15 => 3,
            n @ 30..40 => n * 2,
            other => other + seen,
        };
        x * 10 + seen
    }

    fn a_match_of_tuples_gives_a_value(lane: u32) -> u32 {
        match (lane % 3, lane % 2 == 0) {
            (0, true) => 1,
            (0, false) => 2,
            (n, true) => n + 10,
            (1, _) => 50,
            (n, false) => n + 60,
        }
    }

    fn a_loop_gives_a_value(lane: u32) -> u32 {
        let mut n = lane;
        let x = loop {
            n += 3;
            if n % 5 == 0 { break n * 2; }
            if n > 100 { break 1; }
        };
        x + n
    }

    fn labels_leave_outer_loops(lane: u32) -> u32 {
        let mut count = 0;
        'outer: for i in 0..10u32 {
            for j in 0..10u32 {
                if i * j == lane { break 'outer; }
                if j > i { continue 'outer; }
                let mut k = 0;
                while k < 3 {
                    k += 1;
                    if (k + j + lane) % 7 == 0 { continue 'outer; }
                    if k * 20 == lane { break 'outer; }
                }
                count += 1;
            }
            count += 100;
        }
        count
    }

    fn blocks_are_left_with_values(lane: u32) -> u32 {
        let mut n = 0;
        let x = 'found: {
            if lane < 10 { break 'found 1; }
            for i in 0..20u32 {
                n += 1;
                if i * i > lane { break 'found i; }
            }
            lane
        };
        x * 100 + n
    }

    fn a_return_leaves_from_anywhere(lane: u32) -> u32 {
        let x = lane + if lane > 40 { return 3 } else { 4 };
        for i in 0..lane {
            match i {
                5 => return x,
                30 => break,
                _ => continue,
            }
        }
        let y = { if x % 2 == 0 { return 9; } x };
        y + loop { if y > 3 { return y; } break 4; }
    }

    fn ranges_run_as_in_rust(lane: u32) -> u32 {
        let mut sum = 0u32;
        for i in lane..10 { sum += i; }
        for i in 3..=lane { sum += i * 3; }
        for i in (2..lane).rev() { sum = mix(sum, i); }
        for i in (2..=lane).rev() { sum = mix(sum, i); }
        for i in (lane..50).step_by(7) { sum = mix(sum, i); }
        for i in (lane..=50).step_by(5) { sum = mix(sum, i); }
        for i in (0..lane).rev().step_by(3) { sum = mix(sum, i); }
        for i in (1..=lane).rev().step_by(4) { sum = mix(sum, i); }
        sum
    }

    fn ranges_end_where_their_type_does(lane: u32) -> u32 {
        let mut sum = 0u32;
        let start = u32::MAX - lane;
        for i in start..=u32::MAX { sum += i % 10; }
        for i in (start..=u32::MAX).rev().step_by(3) { sum = mix(sum, i); }
        for i in (start..u32::MAX).step_by(7) { sum = mix(sum, i); }
        for i in i32::MAX - 3..=i32::MAX { sum = mix(sum, i as u32); }
        for i in (i32::MIN..=i32::MIN + lane as i32).rev() { sum = mix(sum, i as u32); }
        for i in (i32::MIN..i32::MAX).step_by(1_000_000_000) { sum = mix(sum, i as u32); }
        for i in (-5..lane as i32).step_by(2) { sum = mix(sum, i as u32); }
        sum
    }

    fn ends_of_ranges_are_evaluated_once(lane: u32) -> u32 {
        let mut n = lane;
        let mut turns = 0;
        for i in 0..n {
            n += 1;
            turns += i;
            if turns > 1000 { break; }
        }
        for mut i in 0..n % 10 {
            i += 5;
            turns += i;
        }
        turns + n
    }

    fn shadowing_makes_new_variables(lane: u32) -> u32 {
        let x = lane;
        let x = x * 2;
        let y = { let x = x + 1; let mut x = x; x += 1; x };
        let x = if x > 10 { let x = 3; x } else { x };
        x * 1000 + y
    }

    fn tuples_hold_several_values(lane: u32) -> u32 {
        let (a, b) = split(lane);
        let pair = if lane > 5 { (b, a) } else { (a, b) };
        let mut t = (pair.0, (pair.1, lane > 3));
        t.0 += 1;
        t.0 * 100 + t.1.0 + t.1.1 as u32
    }

    fn names_that_wgsl_reserves_are_names(lane: u32) -> u32 {
        let filter = lane;
        let target = filter + 1;
        let min = target * 2;
        let vec3f = min;
        let _x = 3;
        let __y = vec3f + _x;
        __y
    }

    fn late_values_are_given_once(lane: u32) -> u32 {
        let x;
        let y: u32;
        if lane > 7 { x = 1; y = lane; } else { x = 2; y = 5; }
        x * 100 + y
    }

    fn references_write_back(lane: u32) -> u32 {
        let mut a = [lane, 2, 3];
        let mut p = Pair { first: 1, second: lane };
        let x = bump(&mut a[0]) + bump(&mut p.second);
        swap(&mut p);
        bump_twice(&mut p.first);
        let mut i = 0;
        bump(&mut a[{ i += 1; 2 }]);
        total(&p) * 10 + x + a[0] + a[2] * 7 + i
    }

    fn arrays_are_indexed_by_numbers(lane: u32) -> u32 {
        let squares = [1, 4, 9, 16];
        let zeros = [0u32; 100];
        let mut sum = zeros[99] + TABLE[2];
        sum += squares[0] * squares[3];
        sum + lane
    }

    fn numbers_are_exact(lane: u32) -> u32 {
        let least = i32::MIN;
        let small = -7i32;
        let x = 16777217u32 ^ 0x8000_0000;
        let f = 0.1f32 + lane as f32;
        let g = 1.17549435e-38f32;
        (least / 2) as u32 ^ (small % 3) as u32 ^ x ^ f.to_bits() ^ g.to_bits() ^ (-small) as u32
    }

    with {
        const TABLE: [u32; 3] = [1, 2, 3];

        fn weigh(a: u32, b: u32, c: u32) -> u32 { a * 100 + b * 10 + c }

        fn mix(a: u32, b: u32) -> u32 { (a & 0xffff) * 31 ^ b }

        fn bump(x: &mut u32) -> u32 { *x += 1; *x }

        fn bump_twice(x: &mut u32) { bump(x); bump(x); }

        fn split(x: u32) -> (u32, u32) { (x / 4, x % 4) }

        #[derive(Clone, Copy)]
        struct Pair { first: u32, second: u32 }

        fn swap(p: &mut Pair) { let first = p.first; p.first = p.second; p.second = first; }

        fn total(p: &Pair) -> u32 { p.first * 3 + p.second }
    }
}
