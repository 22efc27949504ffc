#[hirace::monitor]
mod enums {
    use hirace::prelude::*;
    use Kind::{Flat, Round};

    #[derive(Clone, Copy, PartialEq)]
    enum Rule {
        Add = 1,
        Take,
        Keep = 7,
    }

    #[derive(Clone, Copy)]
    enum Kind {
        Round(f32),
        Flat { width: f32, height: f32 },
        Many(u32, f32),
        None,
    }

    impl Kind {
        fn area(self) -> f32 {
            match self {
                Kind::Round(r) => 3.0 * r * r,
                Self::Flat { width, height } => width * height,
                Kind::Many(n, each) if n > 2 => n as f32 * each,
                Kind::Many(..) => 1.0,
                Kind::None => 0.0,
            }
        }
    }

    impl Kind {
        fn longest(&self) -> f32 {
            match self {
                Kind::Round(r) => *r * 2.0,
                Kind::Flat { width, height } => width.max(*height),
                Kind::Many(n, each) => each * *n as f32,
                &Kind::None => 0.0,
            }
        }
    }

    impl Rule {
        fn of(n: u32) -> Option<Rule> {
            match n {
                0 => Some(Rule::Add),
                1 => Some(Rule::Take),
                2 | 3 => Some(Rule::Keep),
                _ => None,
            }
        }
    }

    fn half(n: u32) -> Option<u32> {
        if n % 2 == 0 { Some(n / 2) } else { None }
    }

    fn quarter(n: u32) -> Option<u32> {
        let half_of = half(n)?;
        half(half_of)
    }

    fn divide(a: u32, b: u32) -> Result<u32, Rule> {
        if b == 0 {
            return Err(Rule::Keep);
        }
        Ok(a / b)
    }

    fn ratio(a: u32, b: u32) -> Result<f32, Rule> {
        let whole = divide(a, b)?;
        Ok(whole as f32 + 0.5)
    }

    #[kernel(workgroup_size(64))]
    fn main(#[builtin(global_invocation_id)] id: UVec3, out: &mut [f32], words: &[u32]) {
        let n = words[id.x];
        let kind = match n % 4 {
            0 => Round(2.0),
            1 => Flat { width: 2.0, height: 3.0 },
            2 => Kind::Many(n, 0.5),
            _ => Kind::None,
        };
        let first = &words[0];
        let mut sum = kind.area() + kind.longest() + *first as f32;
        if let Some(m) = &half(n) {
            sum += *m as f32;
        }
        if let Some(rule) = Rule::of(n) {
            sum += rule as u32 as f32;
            if rule == Rule::Add {
                sum += 100.0;
            }
        }
        if let Kind::Many(m, _) = kind {
            sum += m as f32;
        }
        let Some(quarter_of) = quarter(n) else {
            out[id.x] = sum;
            return;
        };
        sum += quarter_of as f32 + half(n).unwrap_or(3) as f32;
        sum += half(n).map(|h| h * 2).unwrap_or_default() as f32;
        sum += match ratio(n, n % 3) {
            Ok(value) => value,
            Err(Rule::Keep) => -1.0,
            Err(_) => -2.0,
        };
        let mut left = half(n);
        while let Some(m) = left {
            sum += 1.0;
            left = half(m).filter(|h| *h > 1);
        }
        let pair = (half(n), n > 3);
        sum += match pair {
            (Some(h), true) => h as f32,
            (None, true) => 5.0,
            (_, false) => 6.0,
        };
        out[id.x] = sum + half(n).is_some() as u32 as f32;
    }
}
