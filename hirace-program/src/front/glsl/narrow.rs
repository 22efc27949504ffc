//! Narrows loads to the parts that are used. For `a[i].b` naga loads `a[i]` and extracts `b`.

use crate::ir::operands;
use crate::ir::walk::{self, StatementId};
use naga::{AddressSpace, Expression, Function, Handle, Module, Statement};
use rustc_hash::FxHashMap;

/// The role of an expression in a narrowed load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A load of which only parts are used. It is replaced by the pointer.
    Root,
    /// A part of which only parts are used. It becomes a pointer.
    Step,
    /// A part that is used. It is loaded.
    Leaf,
}

/// Returns whether a pointer points into memory that invocations share.
pub fn is_shared(module: &Module, function: &Function, pointer: Handle<Expression>) -> bool {
    let global = walk::root_global(function, pointer);
    let space = global.map(|global| module.global_variables[global].space);
    matches!(space, Some(AddressSpace::Storage { .. } | AddressSpace::WorkGroup))
}

/// Returns the roles of the expressions of `function` that are narrowed.
pub fn roles(module: &Module, function: &Function) -> FxHashMap<Handle<Expression>, Role> {
    let mut uses: FxHashMap<Handle<Expression>, Uses> = FxHashMap::default();
    for (handle, expression) in function.expressions.iter() {
        let base = match *expression {
            Expression::AccessIndex { base, .. } | Expression::Access { base, .. } => Some(base),
            _ => None,
        };
        walk::operands(expression, &mut |used| {
            let uses = uses.entry(used).or_default();
            match Some(used) == base {
                true => uses.parts.push(handle),
                false => uses.directly = true,
            }
        });
    }
    let mut emitted: FxHashMap<Handle<Expression>, StatementId> = FxHashMap::default();
    walk::statements(&function.body, &mut |at, statement, _| {
        if let Statement::Emit(range) = statement {
            emitted.extend(range.clone().map(|expression| (expression, at)));
        } else {
            let mut statement = operands::without_blocks(statement);
            operands::of_statement(&mut statement, &mut |used| {
                uses.entry(*used).or_default().directly = true;
            });
        }
    });
    let search = Search { uses: &uses, emitted: &emitted };
    let mut roles = FxHashMap::default();
    for (handle, expression) in function.expressions.iter() {
        let Expression::Load { pointer } = *expression else { continue };
        let mut found = Vec::new();
        if is_shared(module, function, pointer)
            && search.parts(handle, &mut found)
            && found.len() > 1
        {
            found[0].1 = Role::Root;
            roles.extend(found);
        }
    }
    roles
}

/// The uses of an expression.
#[derive(Debug, Default)]
struct Uses {
    /// The expressions that extract a part of it.
    parts: Vec<Handle<Expression>>,
    /// Whether it is used in any other way.
    directly: bool,
}

struct Search<'a> {
    uses: &'a FxHashMap<Handle<Expression>, Uses>,
    emitted: &'a FxHashMap<Handle<Expression>, StatementId>,
}

impl Search<'_> {
    /// Collects the parts extracted from an expression. Returns whether the load can be narrowed: each part is either used as a
    /// whole or only in parts, and all are evaluated by one statement.
    fn parts(&self, of: Handle<Expression>, found: &mut Vec<(Handle<Expression>, Role)>) -> bool {
        let Some(uses) = self.uses.get(&of) else { return false };
        let leaf = uses.parts.is_empty();
        found.push((of, if leaf { Role::Leaf } else { Role::Step }));
        let at_once = uses.parts.iter().all(|part| self.emitted.get(part) == self.emitted.get(&of));
        let both = uses.directly && !leaf;
        at_once && !both && uses.parts.iter().all(|part| self.parts(*part, found))
    }
}
