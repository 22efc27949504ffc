//! Tests control flow.

use super::{expect, out};

#[test]
fn straight_line() {
    assert_eq!(out("", "out[l] = l * 3u + 1u;"), expect(|l| l * 3 + 1));
}

#[test]
fn nested_ifs_split_and_join() {
    let body = "
        var x = 0u;
        if (l % 2u == 0u) {
            if (l % 4u == 0u) { x = 1u; } else { x = 2u; }
            x += 10u;
        } else if (l > 40u) {
            x = 3u;
        }
        out[l] = x + 100u;";
    let want = |l: u32| {
        100 + match l {
            l if l % 4 == 0 => 11,
            l if l % 2 == 0 => 12,
            l if l > 40 => 3,
            _ => 0,
        }
    };
    assert_eq!(out("", body), expect(want));
}

#[test]
fn loops_with_break_and_continue() {
    let body = "
        var sum = 0u;
        for (var i = 0u; i < l; i++) {
            if (i % 3u == 1u) { continue; }
            if (i > 20u) { break; }
            for (var j = 0u; j < i; j++) {
                if (j > l) { break; }
                sum += 1u;
            }
        }
        out[l] = sum;";
    let want = |l: u32| (0..l).filter(|i| i % 3 != 1 && *i <= 20).sum();
    assert_eq!(out("", body), expect(want));
}

#[test]
fn break_if_sees_what_the_body_computed() {
    let body = "
        var i = 0u;
        loop {
            let twice = i * 2u;
            if (i == 5u && l == 7u) { break; }
            continuing {
                i++;
                break if twice >= l;
            }
        }
        out[l] = i;";
    let want = |l: u32| {
        let mut i = 0;
        loop {
            let twice = i * 2;
            i += 1;
            if twice >= l {
                return i;
            }
        }
    };
    assert_eq!(out("", body), expect(want));
}

#[test]
fn switch_with_default_in_the_middle_and_several_values() {
    let body = "
        var x = 0u;
        for (var i = 0u; i < 3u; i++) {
            switch (l % 7u) {
                case 0u: { x += 1u; }
                case 1u, 2u: { x += 2u; if (l > 30u) { break; } x += 4u; }
                default: { x += 8u; continue; }
                case 5u: { x += 16u; }
            }
            x += 100u;
        }
        out[l] = x;";
    let want = |l: u32| {
        3 * match l % 7 {
            0 => 101,
            1 | 2 if l > 30 => 102,
            1 | 2 => 106,
            5 => 116,
            _ => 8,
        }
    };
    assert_eq!(out("", body), expect(want));
}

#[test]
fn early_return_in_a_helper_in_a_loop() {
    let globals = "
        fn first_divisor(n: u32) -> u32 {
            for (var d = 2u; d * d <= n; d++) {
                if (n % d == 0u) { return d; }
            }
            return n;
        }
        fn twice(n: u32) -> u32 { return first_divisor(n) + first_divisor(n + 1u); }";
    let divisor =
        |n: u32| (2..).take_while(|d| d * d <= n).find(|d| n.is_multiple_of(*d)).unwrap_or(n);
    let want = |l: u32| (0..4).map(|i| divisor(l + i) + divisor(l + i + 1)).sum();
    let body = "
        var sum = 0u;
        for (var i = 0u; i < 4u; i++) { sum += twice(l + i); }
        out[l] = sum;";
    assert_eq!(out(globals, body), expect(want));
}

#[test]
fn return_from_the_entry_point_leaves_the_rest_running() {
    let body = "
        out[l] = 1u;
        for (var i = 0u; i < 10u; i++) {
            if (i == l) { return; }
            out[l] += 1u;
        }
        out[l] = 1000u;";
    let want = |l: u32| if l < 10 { 1 + l } else { 1000 };
    assert_eq!(out("", body), expect(want));
}

#[test]
fn logical_operators_are_short_circuits() {
    let globals = "
        var<private> calls: u32;
        fn counted(answer: bool) -> bool { calls += 1u; return answer; }";
    let body = "
        let a = l > 10u && counted(l > 20u);
        let b = l > 50u || counted(l < 5u);
        out[l] = calls * 4u + u32(a) * 2u + u32(b);";
    let want = |l: u32| {
        let calls = u32::from(l > 10) + u32::from(l <= 50);
        calls * 4 + u32::from(l > 20) * 2 + u32::from(!(5..=50).contains(&l))
    };
    assert_eq!(out(globals, body), expect(want));
}

#[test]
fn a_local_variable_starts_anew_at_each_call() {
    let globals = "fn count() -> u32 { var n: u32; n += 1u; var m = 5u; m += n; return m; }";
    assert_eq!(out(globals, "out[l] = count() + count();"), expect(|_| 12));
}

#[test]
fn deep_nesting_is_no_trouble() {
    let depth = 60;
    let open: String = (0..depth).map(|i| format!("if (l >= {i}u) {{ x += 1u; ")).collect();
    let body = format!("var x = 0u; {open} {} out[l] = x;", "}".repeat(depth));
    assert_eq!(out("", &body), expect(|l| (l + 1).min(60)));
}
