//! Decides whether linear inequalities have no integer solution.
//!
//! Variables are eliminated one by one by Fourier-Motzkin elimination. In between, each inequality is divided by the greatest
//! common divisor of its coefficients and its constant is rounded down, and two opposite inequalities that form an equation are
//! used to substitute a variable (as in Pugh's Omega test). If the result has no solution, the system has no integer
//! solution. The method is incomplete: it may miss that there is no integer solution.

use rustc_hash::FxHashMap;

/// The maximum number of inequalities in a system.
const MAX_ROWS: usize = 400;
/// The maximum absolute value of the numbers in an inequality.
const MAX_NUMBER: i128 = 1 << 90;

/// `constant + Σ factor · variable ≥ 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The constant term.
    pub constant: i128,
    /// Terms sorted by variable; no factor is 0.
    pub terms: Vec<(u32, i128)>,
}

/// The remaining work limits of an analysis.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    /// The inequalities that may be examined.
    inequalities: u64,
    /// The elementary steps that may be made, each of which takes about the same time: a term of an inequality is combined, or
    /// a value is copied.
    steps: u64,
}

impl Effort {
    /// Creates a limit on inequalities.
    pub fn new(inequalities: u64) -> Self {
        Self::with_steps(inequalities, u64::MAX)
    }

    /// Creates limits on inequalities and on steps.
    pub fn with_steps(inequalities: u64, steps: u64) -> Self {
        Self { inequalities, steps }
    }

    /// Returns the number of inequalities that remain.
    pub fn inequalities(&self) -> u64 {
        self.inequalities
    }

    /// Returns the number of steps that remain.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns whether a limit was reached. Then nothing more is proved.
    pub fn is_exhausted(&self) -> bool {
        self.inequalities == 0 || self.steps == 0
    }

    /// Consumes this many steps. Returns whether any remain.
    pub fn spend_steps(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_sub(steps as u64);
        self.steps > 0
    }

    /// Consumes this many inequalities and their terms. Returns whether any work remains.
    fn spend(&mut self, inequalities: usize, terms: usize) -> bool {
        self.inequalities = self.inequalities.saturating_sub(inequalities as u64);
        self.spend_steps(terms);
        !self.is_exhausted()
    }
}

/// The reason why an analysis has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    /// A limit was exceeded.
    TooComplex,
    /// It was stopped.
    Stopped,
}

/// Returns whether no integers satisfy all of `rows`. `false` may also mean that this could not be decided.
pub(super) fn is_impossible(rows: Vec<Row>, effort: &mut Effort) -> bool {
    matches!(project(rows, &|_| false, effort), Projection::Impossible)
}

/// The result of a projection.
pub(super) enum Projection {
    /// No integers satisfy the inequalities.
    Impossible,
    /// These inequalities over the variables that are kept hold in every solution.
    Rows(Vec<Row>),
    /// A limit was exceeded.
    Unknown,
}

/// Eliminates all variables but those that are kept.
pub(super) fn project(
    rows: Vec<Row>,
    is_kept: &dyn Fn(u32) -> bool,
    effort: &mut Effort,
) -> Projection {
    if !effort.spend_steps(rows.iter().map(|row| 1 + row.terms.len()).sum()) {
        return Projection::Unknown;
    }
    let mut system = System::default();
    for row in rows {
        match system.add(row) {
            Ok(()) => {}
            Err(end) => return end.into(),
        }
    }
    loop {
        let (rows, terms) = system.size();
        if !effort.spend(1 + rows, rows + terms) {
            return Projection::Unknown;
        }
        let next = match system.equation(is_kept) {
            Some((equation, variable)) => system.substituted(equation, variable),
            None => match system.cheapest(is_kept) {
                Some(variable) => system.eliminated(variable, effort),
                None if system.is_incomplete => return Projection::Unknown,
                None => return Projection::Rows(system.into_rows()),
            },
        };
        match next {
            Ok(next) => system = next,
            Err(end) => return end.into(),
        }
        if system.size().0 > MAX_ROWS {
            return Projection::Unknown;
        }
    }
}

/// The reason why the search ends.
enum End {
    /// There is no solution.
    Impossible,
    /// A limit is exceeded.
    Unknown,
}

impl From<End> for Projection {
    fn from(end: End) -> Self {
        match end {
            End::Impossible => Self::Impossible,
            End::Unknown => Self::Unknown,
        }
    }
}

/// Statistics of the inequalities that bound a variable from one side.
#[derive(Clone, Copy, Default)]
struct Side {
    /// Number of inequalities.
    rows: usize,
    /// The largest absolute coefficient of the variable in them.
    most: i128,
}

impl Side {
    fn add(&mut self, factor: i128) {
        self.rows += 1;
        self.most = self.most.max(factor);
    }
}

/// The terms of an inequality, sorted by variable, without a common divisor. The first factor is positive.
type Terms = Vec<(u32, i128)>;

/// The constants of the strongest inequalities with certain terms: of `constant + Σ ≥ 0`, and of `constant - Σ ≥ 0`.
#[derive(Clone, Copy, Default)]
struct Bounds {
    lower: Option<i128>,
    upper: Option<i128>,
}

impl Bounds {
    /// Returns the number of inequalities.
    fn len(self) -> usize {
        usize::from(self.lower.is_some()) + usize::from(self.upper.is_some())
    }

    /// Returns whether the sum of the terms can have only one value.
    fn is_equation(self) -> bool {
        matches!((self.lower, self.upper), (Some(lower), Some(upper)) if lower + upper == 0)
    }
}

/// An inequality of a system: `constant + sign · Σ factor · variable ≥ 0`.
#[derive(Clone, Copy)]
struct Inequality<'a> {
    constant: i128,
    /// 1 or -1.
    sign: i128,
    terms: &'a [(u32, i128)],
}

impl Inequality<'_> {
    fn factor_of(&self, variable: u32) -> i128 {
        let at = self.terms.binary_search_by_key(&variable, |term| term.0);
        at.map_or(0, |at| self.sign * self.terms[at].1)
    }
}

/// Inequalities by their terms.
#[derive(Default)]
struct System {
    bounds: FxHashMap<Terms, Bounds>,
    /// Whether an inequality was left out because its numbers are too large.
    is_incomplete: bool,
}

impl System {
    /// Returns the number of inequalities, and of their terms.
    fn size(&self) -> (usize, usize) {
        let add = |(rows, all): (usize, usize), (terms, bounds): (&Terms, &Bounds)| {
            (rows + bounds.len(), all + bounds.len() * terms.len())
        };
        self.bounds.iter().fold((0, 0), add)
    }

    fn inequalities(&self) -> impl Iterator<Item = Inequality<'_>> {
        self.bounds.iter().flat_map(|(terms, bounds)| {
            let of = |constant: Option<i128>, sign| {
                constant.map(|constant| Inequality { constant, sign, terms })
            };
            of(bounds.lower, 1).into_iter().chain(of(bounds.upper, -1))
        })
    }

    fn into_rows(self) -> Vec<Row> {
        let row = |Inequality { constant, sign, terms }: Inequality<'_>| {
            let terms = terms.iter().map(|&(variable, factor)| (variable, sign * factor));
            Row { constant, terms: terms.collect() }
        };
        let mut rows: Vec<Row> = self.inequalities().map(row).collect();
        rows.sort_unstable_by(|one, two| one.terms.cmp(&two.terms));
        rows
    }

    fn add(&mut self, row: Row) -> Result<(), End> {
        let Row { mut constant, mut terms } = row;
        let mut common = 0;
        for &(_, factor) in &terms {
            common = gcd(common, factor);
            if common == 1 {
                break;
            }
        }
        let sign = match terms.first() {
            Some((_, factor)) => factor.signum(),
            None if constant < 0 => return Err(End::Impossible),
            None => return Ok(()),
        };
        if common > 1 {
            constant = constant.div_euclid(common);
        }
        if sign * common != 1 {
            terms.iter_mut().for_each(|(_, factor)| *factor /= sign * common);
        }
        if constant.abs() > MAX_NUMBER || terms.iter().any(|(_, factor)| factor.abs() > MAX_NUMBER)
        {
            // Without an inequality, fewer systems have no solution.
            self.is_incomplete = true;
            return Ok(());
        }
        let bounds = self.bounds.entry(terms).or_default();
        let (own, opposite) = match sign {
            1 => (&mut bounds.lower, bounds.upper),
            _ => (&mut bounds.upper, bounds.lower),
        };
        let strongest = own.map_or(constant, |known| known.min(constant));
        *own = Some(strongest);
        match opposite {
            Some(opposite) if opposite + strongest < 0 => Err(End::Impossible),
            _ => Ok(()),
        }
    }

    /// Adds an inequality unless its numbers are too large.
    fn add_if_small(&mut self, row: Option<Row>) -> Result<(), End> {
        self.is_incomplete |= row.is_none();
        row.map_or(Ok(()), |row| self.add(row))
    }

    /// Returns the shortest equation with a variable of coefficient ±1 that is not kept, and this variable.
    fn equation(&self, is_kept: &dyn Fn(u32) -> bool) -> Option<(Inequality<'_>, u32)> {
        let equations = self.bounds.iter().filter(|(_, bounds)| bounds.is_equation());
        let with_unit = equations.filter_map(|(terms, bounds)| {
            let is_unit =
                |(variable, factor): &&(u32, i128)| factor.abs() == 1 && !is_kept(*variable);
            let &(variable, _) = terms.iter().find(is_unit)?;
            Some((Inequality { constant: bounds.lower?, sign: 1, terms }, variable))
        });
        with_unit.min_by_key(|(equation, _)| (equation.terms.len(), equation.terms))
    }

    /// Returns the variable to eliminate next: the one whose largest coefficient on one side is smallest. If that is 1,
    /// elimination is exact for integers. If it is small, the other variables keep large coefficients, which are more likely to
    /// have a common divisor: of `y * width + x`, `x` is eliminated first. Ties are broken by the number of inequalities that
    /// remain.
    fn cheapest(&self, is_kept: &dyn Fn(u32) -> bool) -> Option<u32> {
        let mut sides: FxHashMap<u32, (Side, Side)> = FxHashMap::default();
        for Inequality { sign, terms, .. } in self.inequalities() {
            for &(variable, factor) in terms.iter().filter(|(variable, _)| !is_kept(*variable)) {
                let (above, below) = sides.entry(variable).or_default();
                if sign * factor > 0 { above } else { below }.add(factor.abs());
            }
        }
        let cost = |&(variable, (above, below)): &(u32, (Side, Side))| {
            let made = (above.rows * below.rows) as i64 - (above.rows + below.rows) as i64;
            (above.most.min(below.most), made, variable)
        };
        sides.into_iter().min_by_key(cost).map(|(variable, _)| variable)
    }

    /// Returns the other inequalities with `variable` substituted by means of the equation.
    fn substituted(&self, equation: Inequality<'_>, variable: u32) -> Result<Self, End> {
        let own = equation.factor_of(variable);
        let mut next = Self { is_incomplete: self.is_incomplete, ..Self::default() };
        for row in self.inequalities() {
            // `own` is 1 or -1, so the variable cancels.
            next.add_if_small(combined(row, 1, equation, -row.factor_of(variable) * own))?;
        }
        Ok(next)
    }

    /// Returns the inequalities that the system implies for all other variables.
    fn eliminated(&self, variable: u32, effort: &mut Effort) -> Result<Self, End> {
        let others =
            self.bounds.iter().filter(|(terms, _)| !terms.iter().any(|(of, _)| *of == variable));
        let mut next = Self {
            bounds: others.map(|(terms, bounds)| (terms.clone(), *bounds)).collect(),
            is_incomplete: self.is_incomplete,
        };
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for row in self.inequalities() {
            match row.factor_of(variable) {
                0 => {}
                factor if factor > 0 => above.push((row, factor)),
                factor => below.push((row, -factor)),
            }
        }
        if above.len() * below.len() > MAX_ROWS {
            return Err(End::Unknown);
        }
        let terms = |(row, _): &(Inequality<'_>, i128)| 1 + row.terms.len();
        let (ups, downs): (usize, usize) =
            (above.iter().map(terms).sum(), below.iter().map(terms).sum());
        if !effort.spend_steps(ups * below.len() + downs * above.len()) {
            return Err(End::Unknown);
        }
        for &(up, own) in &above {
            for &(down, other) in &below {
                next.add_if_small(combined(up, other, down, own))?;
            }
        }
        Ok(next)
    }
}

/// Returns `a · by + b · and_by`, or `None` if its numbers are too large.
fn combined(a: Inequality<'_>, by: i128, b: Inequality<'_>, and_by: i128) -> Option<Row> {
    let constant = a.constant.checked_mul(by)?.checked_add(b.constant.checked_mul(and_by)?)?;
    let (by, and_by) = (a.sign * by, b.sign * and_by);
    let mut terms = Vec::with_capacity(a.terms.len() + b.terms.len());
    let (mut first, mut second) = (a.terms, b.terms);
    loop {
        let (variable, of_first, of_second) = match (first.first(), second.first()) {
            (Some(&(x, of_first)), Some(&(y, of_second))) if x == y => (x, of_first, of_second),
            (Some(&(x, of_first)), Some(&(y, _))) if x < y => (x, of_first, 0),
            (Some(&(x, of_first)), None) => (x, of_first, 0),
            (_, Some(&(y, of_second))) => (y, 0, of_second),
            (None, None) => return Some(Row { constant, terms }),
        };
        let factor = of_first.checked_mul(by)?.checked_add(of_second.checked_mul(and_by)?)?;
        if factor != 0 {
            terms.push((variable, factor));
        }
        first = &first[usize::from(of_first != 0)..];
        second = &second[usize::from(of_second != 0)..];
    }
}

/// Returns the greatest common divisor.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        // Division of 64-bit numbers is much faster.
        let rest = match (u64::try_from(a), u64::try_from(b)) {
            (Ok(a), Ok(b)) => (a % b).into(),
            _ => a % b,
        };
        (a, b) = (b, rest);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn impossible(rows: &[(i128, &[(u32, i128)])]) -> bool {
        let rows = rows.iter().map(|&(constant, terms)| Row { constant, terms: terms.to_vec() });
        is_impossible(rows.collect(), &mut Effort::new(10_000))
    }

    #[test]
    fn what_contradicts_itself_is_impossible() {
        // x ≥ 3, x ≤ 2
        assert!(impossible(&[(-3, &[(0, 1)]), (2, &[(0, -1)])]));
        // x ≥ y + 1, y ≥ z, z ≥ x
        assert!(impossible(&[
            (-1, &[(0, 1), (1, -1)]),
            (0, &[(1, 1), (2, -1)]),
            (0, &[(0, -1), (2, 1)])
        ]));
        assert!(!impossible(&[(-3, &[(0, 1)]), (3, &[(0, -1)])]));
        assert!(!impossible(&[]));
    }

    #[test]
    fn what_only_rationals_fulfil_is_impossible() {
        // 2x = 2y + 1
        assert!(impossible(&[(-1, &[(0, 2), (1, -2)]), (1, &[(0, -2), (1, 2)])]));
        // x = y + 16k, 1 ≤ x - y ≤ 15
        assert!(impossible(&[
            (0, &[(0, 1), (1, -1), (2, -16)]),
            (0, &[(0, -1), (1, 1), (2, 16)]),
            (-1, &[(0, 1), (1, -1)]),
            (15, &[(0, -1), (1, 1)]),
        ]));
        // With ≤ 16 there is a solution.
        assert!(!impossible(&[
            (0, &[(0, 1), (1, -1), (2, -16)]),
            (0, &[(0, -1), (1, 1), (2, 16)]),
            (-1, &[(0, 1), (1, -1)]),
            (16, &[(0, -1), (1, 1)]),
        ]));
    }

    /// Returns random inequalities over four variables, whose values are from 0 to 4.
    fn random_rows(seed: u64) -> Vec<Row> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        let bounds = (0..4).flat_map(|variable| [(0, variable, 1), (4, variable, -1)]);
        let bounds = bounds
            .map(|(constant, variable, factor)| Row { constant, terms: vec![(variable, factor)] });
        let mut rows: Vec<Row> = bounds.collect();
        for _ in 0..2 + below(4) {
            let factors = (0..4).map(|variable| (variable, below(9) as i128 - 4));
            let terms: Vec<(u32, i128)> = factors.filter(|(_, factor)| *factor != 0).collect();
            let constant = below(13) as i128 - 6;
            if below(3) == 0 {
                let negated = terms.iter().map(|&(variable, factor)| (variable, -factor));
                rows.push(Row { constant: -constant, terms: negated.collect() });
            }
            rows.push(Row { constant, terms });
        }
        rows
    }

    fn holds(row: &Row, values: [i128; 4]) -> bool {
        let terms = row.terms.iter().map(|&(variable, factor)| factor * values[variable as usize]);
        row.constant + terms.sum::<i128>() >= 0
    }

    #[test]
    fn no_solution_is_lost() {
        let values = |n: i128| [n % 5, n / 5 % 5, n / 25 % 5, n / 125];
        let (mut without_solution, mut impossible) = (0, 0);
        for seed in 0..600 {
            let rows = random_rows(seed);
            let all = (0..625).map(values);
            let solutions: Vec<[i128; 4]> =
                all.filter(|&values| rows.iter().all(|row| holds(row, values))).collect();
            let result =
                project(rows.clone(), &|variable| variable < 2, &mut Effort::new(1_000_000));
            without_solution += u32::from(solutions.is_empty());
            match result {
                Projection::Impossible => {
                    impossible += 1;
                    assert!(solutions.is_empty(), "{rows:?}: {solutions:?}");
                }
                Projection::Rows(kept) => {
                    assert!(kept.iter().all(|row| row.terms.iter().all(|term| term.0 < 2)));
                    let lost = solutions.iter().find(|&&it| !kept.iter().all(|row| holds(row, it)));
                    assert_eq!(lost, None, "{rows:?}: {kept:?}");
                }
                Projection::Unknown => {}
            }
        }
        assert!(without_solution > 100, "{without_solution}");
        assert!(impossible * 10 > without_solution * 4, "{impossible} of {without_solution}");
    }

    #[test]
    fn without_effort_nothing_is_impossible() {
        let rows = vec![
            Row { constant: -1, terms: vec![(0, 1), (1, -1)] },
            Row { constant: 0, terms: vec![(0, -1), (2, 1)] },
            Row { constant: 0, terms: vec![(1, 1), (2, -1)] },
        ];
        assert!(is_impossible(rows.clone(), &mut Effort::new(100)));
        assert!(!is_impossible(rows.clone(), &mut Effort::new(0)));
        assert!(is_impossible(rows.clone(), &mut Effort::with_steps(100, 100)));
        let mut few_steps = Effort::with_steps(100, 10);
        assert!(!is_impossible(rows, &mut few_steps));
        assert!(few_steps.is_exhausted());
    }
}
