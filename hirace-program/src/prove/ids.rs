//! Ids of an invocation, as symbols.

use super::form::{Form, SymbolId};
use super::host::HostValue;
use super::symbol::{Level, Symbols};

/// The ids of an invocation. The id in a dimension of extent 1 is the constant 0.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    /// The invocation's id within the workgroup, by dimension.
    pub local: [Form; 3],
    /// The id of the workgroup, by dimension.
    pub workgroup: [Form; 3],
    /// Number of invocations per workgroup, by dimension.
    pub size: [u32; 3],
    /// Number of workgroups, by dimension.
    pub workgroups: [Form; 3],
}

impl Ids {
    /// Creates the ids for a dispatch of workgroups of this size: of this many, or of at most `max_workgroups` in each dimension.
    pub fn new(
        symbols: &mut Symbols,
        size: [u32; 3],
        workgroups: Option<[u32; 3]>,
        max_workgroups: u32,
    ) -> Self {
        let mut count = |dimension: usize| match workgroups {
            Some(known) => Form::constant(known[dimension].max(1).into()),
            None => {
                let value = HostValue::Workgroups(dimension);
                symbols.host_value(value, (1, max_workgroups.into())).unwrap_or_default()
            }
        };
        let workgroups = [count(0), count(1), count(2)];
        let mut id = |count: &Form, level: Level| match count.as_constant() {
            Some(..2) => Form::default(),
            _ => symbols.add_below(level, count).unwrap_or_default(),
        };
        let local = size.map(|extent| id(&Form::constant(extent.into()), Level::Invocation));
        let workgroup =
            [0, 1, 2].map(|dimension: usize| id(&workgroups[dimension], Level::Workgroup));
        Self { local, workgroup, size, workgroups }
    }

    /// Returns `global_invocation_id` in this dimension.
    pub fn global(&self, dimension: usize) -> Option<Form> {
        let first = self.workgroup[dimension].checked_mul(self.size[dimension].into())?;
        first.plus(&self.local[dimension])
    }

    /// Returns `local_invocation_index`.
    pub fn index(&self) -> Option<Form> {
        let [x, y, z] = &self.local;
        let rows = y.plus(&z.checked_mul(self.size[1].into())?)?;
        x.plus(&rows.checked_mul(self.size[0].into())?)
    }

    /// Returns whether a symbol is an id of a workgroup.
    pub fn is_of_workgroup(&self, symbol: SymbolId) -> bool {
        self.workgroup.iter().any(|form| *form == Form::symbol(symbol))
    }
}
