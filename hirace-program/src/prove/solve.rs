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
        let terms = system.rows.keys().map(|terms| 1 + terms.len()).sum();
        if !effort.spend(1 + system.rows.len(), terms) {
            return Projection::Unknown;
        }
        let next = match system.equation(is_kept) {
            Some((equation, variable)) => system.substituted(&equation, variable),
            None => match system.cheapest(is_kept) {
                Some(variable) => system.eliminated(variable, effort),
                None if system.is_incomplete => return Projection::Unknown,
                None => {
                    let rows = system.rows.into_iter();
                    return Projection::Rows(
                        rows.map(|(terms, constant)| Row { constant, terms }).collect(),
                    );
                }
            },
        };
        match next {
            Ok(next) => system = next,
            Err(end) => return end.into(),
        }
        if system.rows.len() > MAX_ROWS {
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

/// Inequalities by their coefficients. Of two with equal coefficients, the stronger is kept.
#[derive(Default)]
struct System {
    rows: FxHashMap<Vec<(u32, i128)>, i128>,
    /// Whether an inequality was left out because its numbers are too large.
    is_incomplete: bool,
}

impl System {
    fn add(&mut self, row: Row) -> Result<(), End> {
        let Row { mut constant, mut terms } = row;
        let common = terms.iter().fold(0, |common, &(_, factor)| gcd(common, factor));
        if common == 0 {
            return if constant < 0 { Err(End::Impossible) } else { Ok(()) };
        }
        if common > 1 {
            terms.iter_mut().for_each(|(_, factor)| *factor /= common);
            constant = constant.div_euclid(common);
        }
        if constant.abs() > MAX_NUMBER || terms.iter().any(|(_, factor)| factor.abs() > MAX_NUMBER)
        {
            // Without an inequality, fewer systems have no solution.
            self.is_incomplete = true;
            return Ok(());
        }
        if let Some(&facing) = self.rows.get(&negated(&terms))
            && facing + constant < 0
        {
            return Err(End::Impossible);
        }
        let kept = self.rows.entry(terms).or_insert(constant);
        *kept = constant.min(*kept);
        Ok(())
    }

    /// Adds an inequality unless its numbers are too large.
    fn add_if_small(&mut self, row: Option<Row>) -> Result<(), End> {
        self.is_incomplete |= row.is_none();
        row.map_or(Ok(()), |row| self.add(row))
    }

    /// Returns two opposite inequalities that form an equation with a variable of coefficient ±1 that is not kept.
    fn equation(&self, is_kept: &dyn Fn(u32) -> bool) -> Option<(Row, u32)> {
        self.rows.iter().find_map(|(terms, &constant)| {
            let is_unit =
                |(variable, factor): &&(u32, i128)| factor.abs() == 1 && !is_kept(*variable);
            let &(variable, _) = terms.iter().find(is_unit)?;
            let facing = *self.rows.get(&negated(terms))?;
            (facing + constant == 0).then(|| (Row { constant, terms: terms.clone() }, variable))
        })
    }

    /// Returns the variable to eliminate next: the one whose largest coefficient on one side is smallest. If that is 1,
    /// elimination is exact for integers. If it is small, the other variables keep large coefficients, which are more likely to
    /// have a common divisor: of `y * width + x`, `x` is eliminated first. Ties are broken by the number of inequalities that
    /// remain.
    fn cheapest(&self, is_kept: &dyn Fn(u32) -> bool) -> Option<u32> {
        let mut sides: FxHashMap<u32, (Side, Side)> = FxHashMap::default();
        let terms = self.rows.keys().flatten();
        for &(variable, factor) in terms.filter(|(variable, _)| !is_kept(*variable)) {
            let (above, below) = sides.entry(variable).or_default();
            if factor > 0 { above } else { below }.add(factor.abs());
        }
        let cost = |&(variable, (above, below)): &(u32, (Side, Side))| {
            let made = (above.rows * below.rows) as i64 - (above.rows + below.rows) as i64;
            (above.most.min(below.most), made, variable)
        };
        sides.into_iter().min_by_key(cost).map(|(variable, _)| variable)
    }

    /// Returns the other inequalities with `variable` substituted by means of the equation.
    fn substituted(&self, equation: &Row, variable: u32) -> Result<Self, End> {
        let own = factor_of(&equation.terms, variable);
        let mut next = Self { is_incomplete: self.is_incomplete, ..Self::default() };
        for (terms, &constant) in &self.rows {
            let factor = factor_of(terms, variable);
            let row = Row { constant, terms: terms.clone() };
            // `own` is 1 or -1, so the variable cancels.
            next.add_if_small(combined(&row, 1, equation, -factor * own))?;
        }
        Ok(next)
    }

    /// Returns the inequalities that the system implies for all other variables.
    fn eliminated(&self, variable: u32, effort: &mut Effort) -> Result<Self, End> {
        let mut next = Self { is_incomplete: self.is_incomplete, ..Self::default() };
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (terms, &constant) in &self.rows {
            let row = Row { constant, terms: terms.clone() };
            match factor_of(terms, variable) {
                0 => next.add(row)?,
                factor if factor > 0 => above.push((row, factor)),
                factor => below.push((row, -factor)),
            }
        }
        if above.len() * below.len() > MAX_ROWS {
            return Err(End::Unknown);
        }
        let terms = |(row, _): &(Row, i128)| 1 + row.terms.len();
        let (ups, downs): (usize, usize) =
            (above.iter().map(terms).sum(), below.iter().map(terms).sum());
        if !effort.spend_steps(ups * below.len() + downs * above.len()) {
            return Err(End::Unknown);
        }
        for (up, own) in &above {
            for (down, other) in &below {
                next.add_if_small(combined(up, *other, down, *own))?;
            }
        }
        Ok(next)
    }
}

/// Returns `a · by + b · and_by`, or `None` if its numbers are too large.
fn combined(a: &Row, by: i128, b: &Row, and_by: i128) -> Option<Row> {
    let sum = |x: i128, y: i128| {
        let sum = x.checked_mul(by)?.checked_add(y.checked_mul(and_by)?)?;
        Some(sum)
    };
    let mut terms = Vec::with_capacity(a.terms.len() + b.terms.len());
    let variables = a.terms.iter().chain(&b.terms).map(|&(variable, _)| variable);
    let mut variables: Vec<u32> = variables.collect();
    variables.sort_unstable();
    variables.dedup();
    for variable in variables {
        let factor = sum(factor_of(&a.terms, variable), factor_of(&b.terms, variable))?;
        if factor != 0 {
            terms.push((variable, factor));
        }
    }
    Some(Row { constant: sum(a.constant, b.constant)?, terms })
}

fn factor_of(terms: &[(u32, i128)], variable: u32) -> i128 {
    terms.binary_search_by_key(&variable, |term| term.0).map_or(0, |at| terms[at].1)
}

fn negated(terms: &[(u32, i128)]) -> Vec<(u32, i128)> {
    terms.iter().map(|&(variable, factor)| (variable, -factor)).collect()
}

/// Returns the greatest common divisor.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
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
