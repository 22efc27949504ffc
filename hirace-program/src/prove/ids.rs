//! Ids of an invocation, as symbols.

use super::form::{Form, SymbolId};
use super::symbol::{Level, Symbol, Symbols};

/// The ids of an invocation. The id in a dimension of extent 1 is the constant 0.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    /// The invocation's id within the workgroup, by dimension.
    pub local: [Form; 3],
    /// The id of the workgroup, by dimension.
    pub workgroup: [Form; 3],
    /// Number of invocations per workgroup, by dimension.
    pub size: [u32; 3],
    /// Number of workgroups, by dimension, if it is known.
    pub workgroups: Option<[u32; 3]>,
}

impl Ids {
    /// Creates the ids for a dispatch of `workgroups` workgroups of this size.
    pub fn new(symbols: &mut Symbols, size: [u32; 3], workgroups: Option<[u32; 3]>) -> Self {
        let mut id = |extent: u32, level: Level| {
            let high = i64::from(extent.max(1)) - 1;
            let (loops, facts) = (Vec::new(), Vec::new());
            let symbol = Symbol { level, low: 0, high, loops, facts };
            let id = (high > 0).then(|| symbols.add(symbol)).flatten();
            id.map_or_else(Form::default, Form::symbol)
        };
        let local = size.map(|extent| id(extent, Level::Invocation));
        let workgroup =
            workgroups.unwrap_or([u32::MAX; 3]).map(|extent| id(extent, Level::Workgroup));
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
