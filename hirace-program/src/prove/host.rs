//! Values that the host gives to a dispatch, and sums of them.

use naga::{GlobalVariable, Handle};

/// A value that the host gives to a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostValue {
    /// The number of workgroups in this dimension.
    Workgroups(usize),
    /// The number of elements of the runtime-sized array in this buffer.
    Length(Handle<GlobalVariable>),
    /// The 32-bit integer at this byte offset of a buffer that is not written while the dispatch runs.
    Word {
        /// The buffer.
        global: Handle<GlobalVariable>,
        /// The offset in bytes.
        offset: u32,
        /// Whether the integer is an `i32`.
        signed: bool,
    },
}

/// Limits on the values of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// The maximum number of workgroups in each dimension.
    pub max_workgroups: u32,
    /// The minimum number of elements of a runtime-sized array.
    pub min_length: u32,
}

impl HostLimits {
    /// Limits that hold for every API.
    pub const ANY: Self = Self { max_workgroups: u32::MAX, min_length: 0 };
    /// WebGPU's default limits.
    pub const WEBGPU: Self = Self { max_workgroups: 65_535, min_length: 1 };
}

/// A sum of values that the host gives, over the unbounded integers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostSum {
    /// The constant term.
    pub constant: i64,
    /// The other terms with their factors.
    pub terms: Vec<(HostTerm, i64)>,
}

/// A term of a [`HostSum`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostTerm {
    /// A value.
    Value(HostValue),
    /// The product of two sums.
    Product(Box<[HostSum; 2]>),
}

impl HostSum {
    /// Returns whether the condition that the sum is not negative is plausible as a requirement of a kernel on its host: it sets no
    /// upper bound on the length of an array, and bounds a product from above only by the length of an array.
    pub(super) fn is_plausible(&self) -> bool {
        let is_length = |term: &HostTerm| matches!(term, HostTerm::Value(HostValue::Length(_)));
        let is_product = |term: &HostTerm| matches!(term, HostTerm::Product(_));
        let has = |is: &dyn Fn(&HostTerm) -> bool, sign: i64| {
            self.terms.iter().any(|(term, factor)| is(term) && factor.signum() == sign)
        };
        !has(&is_length, -1) && (!has(&is_product, -1) || has(&is_length, 1))
    }

    /// Returns whether the sum contains a value for which `is` returns true.
    pub(super) fn contains(&self, is: &dyn Fn(HostValue) -> bool) -> bool {
        self.terms.iter().any(|(term, _)| match term {
            HostTerm::Value(value) => is(*value),
            HostTerm::Product(factors) => factors.iter().any(|factor| factor.contains(is)),
        })
    }

    fn mentions_grid(&self) -> bool {
        self.contains(&|value| matches!(value, HostValue::Workgroups(_)))
    }

    /// Returns a cost that is lower for conditions that are more plausible as a requirement of a kernel on its host.
    pub(super) fn cost(&self) -> u32 {
        let mut cost = 4 * self.terms.len() as u32;
        for (term, factor) in &self.terms {
            cost += match (term, *factor) {
                // A minimum number of elements.
                (HostTerm::Value(HostValue::Length(_)), _) => 0,
                // A limit on the grid.
                (HostTerm::Value(HostValue::Workgroups(_)), ..0) => 6,
                (HostTerm::Value(HostValue::Workgroups(_)), _) => 20,
                (HostTerm::Value(HostValue::Word { .. }), _) => 2,
                (HostTerm::Product(factors), _) => {
                    let is_grid = |sum: &HostSum| sum.mentions_grid();
                    if factors.iter().any(is_grid) { 20 } else { 5 }
                }
            };
            cost += u32::from(!factor.unsigned_abs().is_power_of_two());
        }
        // Large numbers come from the maximum size of a grid instead of its actual size.
        let is_grid = |term: &HostTerm| matches!(term, HostTerm::Value(HostValue::Workgroups(_)));
        let others = self.terms.iter().filter(|(term, _)| !is_grid(term));
        let mut numbers = others.map(|(_, factor)| *factor).chain([self.constant]);
        if numbers.any(|number| number.unsigned_abs() > 1 << 12) {
            cost += 60;
        }
        cost
    }
}
