//! The dimensions of the grid that a kernel asks about: by which components of its ids it tells
//! workgroups apart.
//!
//! An id is followed as a vector through arithmetic, variables and calls until a component is taken of
//! it. Where it goes elsewhere as a whole (into a dot product, a structure), it counts as the plane.

use crate::ir::walk::{self, FunctionId};
use naga::{
    Binding, BuiltIn, EntryPoint, Expression, Function, Handle, LocalVariable, MathFunction,
    Module, Statement, SwizzleComponent, TypeInner,
};
use rustc_hash::FxHashSet;

/// The dimensions in which `entry` reads the workgroup's id, the global id or the size of the grid.
pub fn dimensions(module: &Module, entry: &EntryPoint) -> [bool; 3] {
    let mut search = Search {
        module,
        // The plane, and depth where the workgroup has it.
        all: [true, true, entry.workgroup_size[2] > 1],
        used: [false; 3],
        seen: FxHashSet::default(),
    };
    let is_id = |binding: Option<&Binding>| {
        matches!(
            binding,
            Some(Binding::BuiltIn(
                BuiltIn::GlobalInvocationId | BuiltIn::WorkGroupId | BuiltIn::NumWorkGroups
            ))
        )
    };
    let (mut arguments, mut members) = (Vec::new(), Vec::new());
    for (index, argument) in entry.function.arguments.iter().enumerate() {
        if is_id(argument.binding.as_ref()) {
            arguments.push(index as u32);
        }
        if let TypeInner::Struct { members: list, .. } = &module.types[argument.ty].inner {
            let ids = list.iter().enumerate().filter(|(_, member)| is_id(member.binding.as_ref()));
            members.extend(ids.map(|(member, _)| (index as u32, member as u32)));
        }
    }
    search.function(&entry.function, &arguments, &members);
    search.used
}

struct Search<'a> {
    module: &'a Module,
    all: [bool; 3],
    used: [bool; 3],
    /// Functions that were searched with these arguments holding ids.
    seen: FxHashSet<(FunctionId, Vec<u32>)>,
}

/// What of a function holds an id as a vector.
struct Holders {
    expressions: Vec<bool>,
    locals: FxHashSet<Handle<LocalVariable>>,
}

impl Search<'_> {
    fn read(&mut self, dimensions: [bool; 3]) {
        for (used, read) in self.used.iter_mut().zip(dimensions) {
            *used |= read;
        }
    }

    /// Searches a function whose `arguments` hold ids, or `members` of arguments that are structures.
    fn function(&mut self, function: &Function, arguments: &[u32], members: &[(u32, u32)]) {
        let mut holders = Holders {
            expressions: vec![false; function.expressions.len()],
            locals: FxHashSet::default(),
        };
        loop {
            let before = holders.locals.len();
            for (handle, expression) in function.expressions.iter() {
                let holds = match *expression {
                    Expression::FunctionArgument(index) => arguments.contains(&index),
                    Expression::AccessIndex { base, index } => match function.expressions[base] {
                        Expression::FunctionArgument(argument) => {
                            members.contains(&(argument, index))
                        }
                        _ => false,
                    },
                    Expression::LocalVariable(local) => holders.locals.contains(&local),
                    Expression::Load { pointer } => holders.expressions[pointer.index()],
                    ref other if is_componentwise(other) => {
                        let mut any = false;
                        walk::operands(other, &mut |operand| {
                            any |= holders.expressions[operand.index()];
                        });
                        any
                    }
                    _ => false,
                };
                holders.expressions[handle.index()] = holds;
            }
            for (local, variable) in function.local_variables.iter() {
                if variable.init.is_some_and(|init| holders.expressions[init.index()]) {
                    holders.locals.insert(local);
                }
            }
            walk::statements(&function.body, &mut |_, statement, _| {
                if let Statement::Store { pointer, value } = *statement
                    && let Expression::LocalVariable(local) = function.expressions[pointer]
                    && holders.expressions[value.index()]
                {
                    holders.locals.insert(local);
                }
            });
            if holders.locals.len() == before {
                break;
            }
        }
        self.expressions(function, &holders);
        self.statements(function, &holders);
    }

    fn expressions(&mut self, function: &Function, holders: &Holders) {
        for (handle, expression) in function.expressions.iter() {
            match *expression {
                Expression::AccessIndex { base, index } if holders.expressions[base.index()] => {
                    self.read([0, 1, 2].map(|dimension| dimension == index));
                }
                Expression::Swizzle { size, vector, pattern }
                    if holders.expressions[vector.index()] =>
                {
                    let pattern = &pattern[..size as usize];
                    let has = |dimension| pattern.iter().any(|&c| component(c) == dimension);
                    self.read([0, 1, 2].map(has));
                }
                // Still the vector.
                _ if holders.expressions[handle.index()] => {}
                _ => {
                    let mut read = false;
                    walk::operands(expression, &mut |operand| {
                        read |= holders.expressions[operand.index()];
                    });
                    if read {
                        self.read(self.all);
                    }
                }
            }
        }
    }

    fn statements(&mut self, function: &Function, holders: &Holders) {
        let holds = |value: &Handle<Expression>| holders.expressions[value.index()];
        let mut calls = Vec::new();
        let mut is_used = false;
        walk::statements(&function.body, &mut |_, statement, _| match statement {
            Statement::Call { function, arguments, .. } => {
                let given = arguments.iter().enumerate().filter(|(_, argument)| holds(argument));
                let given: Vec<u32> = given.map(|(index, _)| index as u32).collect();
                if !given.is_empty() {
                    calls.push((FunctionId::Helper(*function), given));
                }
            }
            Statement::Store { pointer, value } => {
                let local = matches!(function.expressions[*pointer], Expression::LocalVariable(_));
                is_used |= holds(value) && !local;
            }
            Statement::Return { value: Some(value) } => is_used |= holds(value),
            Statement::ImageStore { coordinate, value, .. } => {
                is_used |= holds(coordinate) || holds(value);
            }
            _ => {}
        });
        if is_used {
            self.read(self.all);
        }
        for (callee, given) in calls {
            if self.seen.insert((callee, given.clone())) {
                self.function(callee.get(self.module), &given, &[]);
            }
        }
    }
}

/// Whether each component of the result is computed of that component of the operands.
fn is_componentwise(expression: &Expression) -> bool {
    match *expression {
        Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::As { .. }
        | Expression::Select { .. } => true,
        Expression::Math { fun, .. } => matches!(
            fun,
            MathFunction::Abs
                | MathFunction::Min
                | MathFunction::Max
                | MathFunction::Clamp
                | MathFunction::Floor
                | MathFunction::Ceil
                | MathFunction::Round
                | MathFunction::Trunc
                | MathFunction::Fract
                | MathFunction::Fma
                | MathFunction::Mix
                | MathFunction::Step
                | MathFunction::Sign
        ),
        _ => false,
    }
}

fn component(component: SwizzleComponent) -> u32 {
    match component {
        SwizzleComponent::X => 0,
        SwizzleComponent::Y => 1,
        SwizzleComponent::Z => 2,
        SwizzleComponent::W => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(size: &str, body: &str) -> [bool; 3] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             fn row(id: vec3u) {{ out[id.x] = 1u; }}
             fn plane(id: vec3u) {{ row(id); out[id.y] = 1u; }}
             @compute @workgroup_size({size})
             fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {{ {body} }}"
        );
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        dimensions(&module, &module.entry_points[0])
    }

    const X: [bool; 3] = [true, false, false];
    const XY: [bool; 3] = [true, true, false];

    #[test]
    fn components_are_read_by_name() {
        assert_eq!(read("64", "out[id.x] = l.y;"), X);
        assert_eq!(read("64", "let p = id.xy; out[p.x] = p.y;"), XY);
        assert_eq!(read("64", "out[id.z] = 1u;"), [false, false, true]);
        assert_eq!(read("64", "out[l.x] = 1u;"), [false; 3]);
    }

    #[test]
    fn an_id_is_followed_through_arithmetic_variables_and_calls() {
        assert_eq!(read("64", "let p = id * 2u + l; out[p.x] = 1u;"), X);
        assert_eq!(read("64", "var p = id; p = p + vec3u(1u); out[p.x] = 1u;"), X);
        assert_eq!(read("64", "let p = vec3i(id); out[p.y] = 1u;"), [false, true, false]);
        assert_eq!(read("64", "row(id);"), X);
        assert_eq!(read("64", "plane(id);"), XY);
    }

    #[test]
    fn an_id_that_is_used_as_a_whole_counts_as_the_plane() {
        assert_eq!(read("64", "out[dot(id, vec3u(1u, 64u, 64u))] = 1u;"), XY);
        assert_eq!(read("4, 4, 4", "out[dot(id, vec3u(1u))] = 1u;"), [true; 3]);
    }

    #[test]
    fn ids_may_be_members_of_a_structure() {
        let text = "
            struct Input { @builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u }
            @group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(8, 8) fn main(in: Input) { out[in.w.x + in.l.y] = 1u; }";
        let module = naga::front::wgsl::parse_str(text).unwrap();
        assert_eq!(dimensions(&module, &module.entry_points[0]), X);
    }
}
