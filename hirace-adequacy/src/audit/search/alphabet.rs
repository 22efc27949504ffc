//! Numbers at which a kernel may behave differently: those in its text, and their neighbors.

use hirace_core::program::Program;
use hirace_core::random::Random;
use naga::{Arena, Expression, Function, Literal};
use std::collections::BTreeSet;

/// Numbers worth passing to a kernel.
#[derive(Clone, Debug, Default)]
pub struct Alphabet {
    ints: Vec<i128>,
    pub(super) floats: Vec<f64>,
}

impl Alphabet {
    /// Collects the numbers of a program.
    pub fn of(program: &Program) -> Self {
        let module = &program.module;
        let (mut ints, mut floats) = (BTreeSet::new(), Vec::new());
        let mut note = |expressions: &Arena<Expression>| {
            for (_, expression) in expressions.iter() {
                let Expression::Literal(literal) = expression else { continue };
                match *literal {
                    Literal::U32(n) => drop(ints.insert(i128::from(n))),
                    Literal::I32(n) => drop(ints.insert(i128::from(n))),
                    Literal::U64(n) => drop(ints.insert(i128::from(n))),
                    Literal::I64(n) | Literal::AbstractInt(n) => drop(ints.insert(i128::from(n))),
                    Literal::F32(x) => floats.push(f64::from(x)),
                    Literal::F64(x) | Literal::AbstractFloat(x) => floats.push(x),
                    _ => {}
                }
            }
        };
        note(&module.global_expressions);
        let all = module.functions.iter().map(|(_, function)| function);
        let all = all.chain(module.entry_points.iter().map(|entry| &entry.function));
        all.for_each(|function: &Function| note(&function.expressions));
        for entry in &module.entry_points {
            ints.extend(entry.workgroup_size.map(i128::from));
        }
        // Cases of `switch` are not expressions.
        for function in module.functions.iter().map(|(_, of)| of) {
            cases(&function.body, &mut ints);
        }
        module.entry_points.iter().for_each(|entry| cases(&entry.function.body, &mut ints));
        ints.extend([0, 1, 2]);
        let beside: BTreeSet<i128> = ints.iter().flat_map(|n| [n - 1, *n, n + 1]).collect();
        floats.retain(|x| x.is_finite());
        floats.extend([0.0, 1.0]);
        floats.sort_by(f64::total_cmp);
        floats.dedup();
        let beside_floats: Vec<f64> =
            floats.iter().flat_map(|x| [*x, -x, x * 1.5, x * 0.5, x + 1.0, x - 1.0]).collect();
        Self { ints: beside.into_iter().collect(), floats: beside_floats }
    }

    /// Picks a number that can be a size or an override.
    pub fn size(&self, random: &mut Random) -> u32 {
        u32::try_from(self.int(random).clamp(1, 4096)).unwrap_or(1)
    }

    /// Picks an integer.
    pub(super) fn int(&self, random: &mut Random) -> i128 {
        self.ints.get(random.below(self.ints.len().max(1))).copied().unwrap_or(0)
    }
}

fn cases(block: &naga::Block, ints: &mut BTreeSet<i128>) {
    use naga::{Statement, SwitchValue};
    for statement in block.iter() {
        match statement {
            Statement::Block(block) => cases(block, ints),
            Statement::If { accept, reject, .. } => {
                cases(accept, ints);
                cases(reject, ints);
            }
            Statement::Loop { body, continuing, .. } => {
                cases(body, ints);
                cases(continuing, ints);
            }
            Statement::Switch { cases: all, .. } => {
                for case in all {
                    match case.value {
                        SwitchValue::I32(n) => drop(ints.insert(n.into())),
                        SwitchValue::U32(n) => drop(ints.insert(n.into())),
                        _ => {}
                    }
                    cases(&case.body, ints);
                }
            }
            _ => {}
        }
    }
}
