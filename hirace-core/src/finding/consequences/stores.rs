//! The effects of access sites on values.

use super::uniform_value::{SameFor, same_for};
use crate::ir::access::{Action, Target};
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, statements};
use crate::program::Program;
use naga::{Expression, Function, Handle, Literal, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// The effects of the access sites of a program on values.
pub(super) struct StoreSites<'a> {
    program: &'a Program,
    /// The value that a store site writes, if it is a constant.
    constants: FxHashMap<SiteId, Literal>,
    /// The invocations for which a store site always writes the same value.
    same_for: FxHashMap<SiteId, SameFor>,
    /// The indices of the sites that are loads.
    loads: FxHashSet<usize>,
}

impl<'a> StoreSites<'a> {
    pub fn of(program: &'a Program) -> Self {
        let (mut constants, mut same) = (FxHashMap::default(), FxHashMap::default());
        for id in FunctionId::all(&program.module) {
            let function = id.get(&program.module);
            statements(&function.body, &mut |at, statement, _| {
                let Statement::Store { value, .. } = *statement else { return };
                let Some(site) = program.sites.statement(id, at) else { return };
                // A store of a component may write the other components back unchanged.
                let target = program.sites.access(site).map(|access| &access.target);
                let Some(Target::Pointer { pointer, observed, .. }) = target else { return };
                if pointer != observed {
                    return;
                }
                constants.extend(literal(program, function, value).map(|literal| (site, literal)));
                same.extend(same_for(program, id, value).map(|of| (site, of)));
            });
        }
        Self { program, constants, same_for: same, loads: program.sites.loads() }
    }

    /// Returns the constant that a store writes in every launch.
    pub fn constant(&self, site: SiteId) -> Option<Literal> {
        self.constants.get(&site).copied()
    }

    /// Returns the invocations for which a store writes the same value in every launch, as far as that is known.
    pub fn same_for(&self, site: SiteId) -> Option<SameFor> {
        self.same_for.get(&site).copied()
    }

    /// Returns what the access at `site` does.
    fn action(&self, site: SiteId) -> Option<Action> {
        self.program.sites.access(site).map(|access| access.action)
    }

    /// Returns whether the access is a plain write.
    pub fn is_plain_write(&self, site: SiteId) -> bool {
        self.action(site) == Some(Action::Write)
    }

    /// Returns whether the access is a plain read.
    pub fn is_plain_read(&self, site: SiteId) -> bool {
        self.action(site) == Some(Action::Read)
    }

    /// Returns whether the access changes memory, or may change it.
    pub fn writes(&self, site: SiteId) -> bool {
        self.action(site).is_some()
            && !self.loads.contains(&(site.0 as usize))
            && !self.is_plain_read(site)
    }

    /// Returns whether the access returns the contents of the memory.
    pub fn reads(&self, site: SiteId) -> bool {
        self.action(site).is_some_and(|action| action != Action::Write)
    }
}

fn literal(program: &Program, function: &Function, value: Handle<Expression>) -> Option<Literal> {
    let module = &program.module;
    let of_type = |ty| match module.types[ty].inner {
        naga::TypeInner::Scalar(scalar) => Literal::zero(scalar),
        _ => None,
    };
    match function.expressions[value] {
        Expression::Literal(literal) => Some(literal),
        Expression::ZeroValue(ty) => of_type(ty),
        Expression::Constant(constant) => {
            match module.global_expressions[module.constants[constant].init] {
                Expression::Literal(literal) => Some(literal),
                Expression::ZeroValue(ty) => of_type(ty),
                _ => None,
            }
        }
        _ => None,
    }
}
