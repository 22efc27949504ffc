//! Functions: signatures, arguments and variables.
//!
//! Module-scope variables are parameters of every helper function that uses them. They have the same name everywhere: a
//! pointer to the variable, or to the elements if it is an array.

use super::{Kernel, Parameter, ProgramContext, Result, unsupported};
use hirace_core::ir::sites::SiteId;
use hirace_core::ir::walk::{self, FunctionId, StatementId};
use naga::{
    AddressSpace, ArraySize, BuiltIn, Expression, Function, GlobalVariable, Handle, LocalVariable,
    Statement, TypeInner,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The printer of one function.
pub(super) struct Printer<'a> {
    pub shared: &'a ProgramContext<'a>,
    pub function: &'a Function,
    pub info: &'a naga::valid::FunctionInfo,
    pub id: FunctionId,
    ordinals: HashMap<*const Statement, StatementId>,
    pub text: String,
    pub depth: usize,
    /// The source line of the next line.
    pub line: u32,
    /// The expressions that have a name from the start.
    pub named: HashSet<Handle<Expression>>,
    /// For each enclosing loop, innermost last: the label that `continue` jumps to if the loop has a continuing block.
    pub labels: Vec<Option<usize>>,
    /// The number of labels.
    pub label_count: usize,
}

impl<'a> Printer<'a> {
    pub fn new(shared: &'a ProgramContext<'a>, id: FunctionId) -> Self {
        let program = shared.program;
        let function = id.get(&program.module);
        let info = match id {
            FunctionId::Entry(entry) => program.info.get_entry_point(entry),
            FunctionId::Helper(helper) => &program.info[helper],
        };
        let mut ordinals = HashMap::new();
        walk::statements(&function.body, &mut |ordinal, statement, _| {
            ordinals.insert(std::ptr::from_ref(statement), ordinal);
        });
        let (text, labels, named) = Default::default();
        Self {
            shared,
            function,
            info,
            id,
            ordinals,
            text,
            depth: 1,
            line: 0,
            named,
            labels,
            label_count: 0,
        }
    }

    /// Prints a kernel, without the declarations before it.
    pub fn entry(mut self, name: &str) -> Result<Kernel> {
        let module = &self.shared.program.module;
        let (mut parameters, mut signature, mut variables) =
            (Vec::new(), Vec::new(), String::new());
        for handle in self.memories() {
            let memory = self.memory(handle)?;
            let name = global(handle);
            match module.global_variables[handle].space {
                AddressSpace::WorkGroup => {
                    let _ = writeln!(
                        variables,
                        "    __local {} {name}[{}];",
                        memory.element, memory.count
                    );
                }
                AddressSpace::Private => {
                    let variable = &module.global_variables[handle];
                    let initial = match variable.init {
                        Some(init) => {
                            self.shared.constants.initial(init, variable.ty, &self.shared.types)?
                        }
                        None => self.shared.types.zero(variable.ty)?,
                    };
                    let _ =
                        writeln!(variables, "    {} {name}[1] = {{{initial}}};", memory.element);
                }
                _ => {
                    signature.extend(memory.signature(&name));
                    parameters.push(match memory.is_value {
                        true => Parameter::Value(handle),
                        false => Parameter::Buffer(handle),
                    });
                    if let Some((offset, stride)) = memory.length {
                        parameters.push(Parameter::Length { of: handle, offset, stride });
                    }
                }
            }
        }
        let signature = signature.join(", ");
        let _ = write!(self.text, "__kernel void {name}({signature}) {{\n{variables}");
        for (_, expression) in self.function.expressions.iter() {
            if let Expression::FunctionArgument(index) = *expression {
                let line = self.builtin(index)?;
                if !self.text.contains(&line) {
                    self.text.push_str(&line);
                }
            }
        }
        self.body()?;
        Ok(Kernel { text: self.text, name: name.to_owned(), parameters, signature })
    }

    /// Prints a helper function.
    pub fn helper(mut self, handle: Handle<Function>) -> Result<String> {
        let types = &self.shared.types;
        let module = &self.shared.program.module;
        let mut signature = Vec::new();
        for (index, argument) in self.function.arguments.iter().enumerate() {
            let (base, star) = match module.types[argument.ty].inner {
                TypeInner::Pointer { base, space } if is_own(space) => (base, "*"),
                TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => {
                    return unsupported("parameters that point to shared memory");
                }
                _ => (argument.ty, ""),
            };
            signature.push(format!("{}{star} a{index}", types.name(base)?));
        }
        for handle in self.memories() {
            signature.extend(self.memory(handle)?.signature(&global(handle)));
        }
        let result = match &self.function.result {
            Some(result) => types.name(result.ty)?,
            None => "void".to_owned(),
        };
        let _ = writeln!(self.text, "{result} {}({}) {{", helper(handle), signature.join(", "));
        self.body()?;
        Ok(self.text)
    }

    fn body(&mut self) -> Result<()> {
        let types = &self.shared.types;
        for (handle, variable) in self.function.local_variables.iter() {
            let ty = types.name(variable.ty)?;
            let initial = match variable.init {
                Some(init) => {
                    self.name_constant(init)?;
                    self.value(init)?
                }
                None => types.zero(variable.ty)?,
            };
            let _ = writeln!(self.text, "    {ty} {} = {initial};", local(handle));
        }
        let function = self.function;
        self.block(&function.body)?;
        self.text.push_str("}\n");
        Ok(())
    }

    /// Names the initializer of a variable and its operands, since no statement does.
    fn name_constant(&mut self, constant: Handle<Expression>) -> Result<()> {
        let function = self.function;
        let expression = &function.expressions[constant];
        if expression.needs_pre_emit() || !self.named.insert(constant) {
            return Ok(());
        }
        let mut parts = Vec::new();
        walk::operands(expression, &mut |part| parts.push(part));
        for part in parts {
            self.name_constant(part)?;
        }
        let (ty, value) = (self.type_name(constant)?, self.computed(constant)?);
        let _ = writeln!(self.text, "    {ty} {} = {value};", temporary(constant));
        Ok(())
    }

    /// Returns the module-scope variables that this function and its callees use.
    pub fn memories(&self) -> Vec<Handle<GlobalVariable>> {
        memories(self.shared, self.info)
    }

    /// Returns whether the length of a module-scope variable is passed along with it.
    pub fn memory_has_length(&self, handle: Handle<GlobalVariable>) -> Result<bool> {
        Ok(self.memory(handle)?.length.is_some())
    }

    /// Returns how a module-scope variable is passed.
    fn memory(&self, handle: Handle<GlobalVariable>) -> Result<Memory> {
        let module = &self.shared.program.module;
        let types = &self.shared.types;
        let variable = &module.global_variables[handle];
        let space = word(variable.space)?;
        let inner = &module.types[variable.ty].inner;
        let whole = |is_value| -> Result<Memory> {
            let element = types.name(variable.ty)?;
            Ok(Memory { space, element, count: 1, length: None, is_value })
        };
        match *inner {
            TypeInner::Array { base, size, stride } if !is_own(variable.space) => {
                let (count, length) = match size {
                    ArraySize::Constant(count) => (count.get(), None),
                    ArraySize::Dynamic => (1, Some((0, stride))),
                    ArraySize::Pending(_) => {
                        return unsupported("arrays with an overridable length");
                    }
                };
                Ok(Memory { space, element: types.name(base)?, count, length, is_value: false })
            }
            TypeInner::Struct { ref members, .. } => {
                let last = members.last().and_then(|last| match module.types[last.ty].inner {
                    TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => {
                        Some((last.offset, stride))
                    }
                    _ => None,
                });
                Ok(Memory { length: last, ..whole(false)? })
            }
            TypeInner::Scalar(_) => whole(variable.space == AddressSpace::Uniform),
            _ => whole(false),
        }
    }

    /// Returns the declaration of a built-in value.
    fn builtin(&self, index: u32) -> Result<String> {
        let argument = &self.function.arguments[index as usize];
        let Some(naga::Binding::BuiltIn(builtin)) = argument.binding else {
            return unsupported("parameters of this kind");
        };
        let each = |name: &str| format!("(uint3)({name}(0), {name}(1), {name}(2))");
        let value = match builtin {
            BuiltIn::GlobalInvocationId => each("get_global_id"),
            BuiltIn::LocalInvocationId => each("get_local_id"),
            BuiltIn::WorkGroupId => each("get_group_id"),
            BuiltIn::NumWorkGroups => each("get_num_groups"),
            BuiltIn::LocalInvocationIndex => "(uint)(get_local_id(0) + get_local_size(0) * \
                (get_local_id(1) + get_local_size(1) * get_local_id(2)))"
                .to_owned(),
            _ => return unsupported("subgroups"),
        };
        Ok(format!("    {} a{index} = {value};\n", self.shared.types.name(argument.ty)?))
    }

    /// Returns the id of a statement in the function.
    pub fn ordinal(&self, statement: &Statement) -> Option<StatementId> {
        self.ordinals.get(&std::ptr::from_ref(statement)).copied()
    }

    /// Returns the type of an expression.
    pub fn type_of(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(&self.shared.program.module.types)
    }

    /// Returns the name of the type of an expression.
    pub fn type_name(&self, expression: Handle<Expression>) -> Result<String> {
        self.shared.types.resolved_name(&self.info[expression].ty)
    }

    /// Returns whether this site is an atomic access.
    pub fn is_atomic(&self, site: Option<SiteId>) -> bool {
        let access = site.and_then(|site| self.shared.program.sites.access(site));
        access.is_some_and(|access| access.action == hirace_core::ir::access::Action::Atomic)
    }
}

/// How a module-scope variable is passed.
struct Memory {
    /// The address space qualifier.
    space: &'static str,
    /// The element type, and the number of elements.
    element: String,
    count: u32,
    /// The offset and the stride of a trailing runtime-sized array.
    length: Option<(u32, u32)>,
    /// Whether it is passed by value.
    is_value: bool,
}

impl Memory {
    /// Returns the parameters for the variable.
    fn signature(&self, name: &str) -> Vec<String> {
        let Self { space, element, .. } = self;
        if self.is_value {
            return vec![format!("{element} {name}")];
        }
        let mut all = vec![format!("{space}{element}* {name}")];
        if self.length.is_some() {
            all.push(format!("uint {}", length(name)));
        }
        all
    }
}

/// Returns the module-scope variables that a function with this information and its callees use.
pub(super) fn memories(
    shared: &ProgramContext<'_>,
    info: &naga::valid::FunctionInfo,
) -> Vec<Handle<GlobalVariable>> {
    let all = shared.program.module.global_variables.iter().map(|(handle, _)| handle);
    all.filter(|&handle| !info[handle].is_empty()).collect()
}

/// Returns whether memory of this space is visible to a single invocation only.
pub(super) fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private)
}

/// Returns the address space qualifier of pointers.
pub(super) fn word(space: AddressSpace) -> Result<&'static str> {
    Ok(match space {
        AddressSpace::Function | AddressSpace::Private => "",
        AddressSpace::WorkGroup => "__local ",
        AddressSpace::Storage { .. } => "__global ",
        AddressSpace::Uniform => "__constant ",
        AddressSpace::Handle => return unsupported("textures"),
        _ => return unsupported("memory of this kind"),
    })
}

pub(super) fn global(handle: Handle<GlobalVariable>) -> String {
    format!("g{}", handle.index())
}

/// Returns the name of the parameter with the number of elements of a variable.
pub(super) fn length(global: &str) -> String {
    format!("{global}_length")
}

pub(super) fn local(handle: Handle<LocalVariable>) -> String {
    format!("l{}", handle.index())
}

pub(super) fn temporary(handle: Handle<Expression>) -> String {
    format!("e{}", handle.index())
}

pub(super) fn helper(handle: Handle<Function>) -> String {
    format!("f{}", handle.index())
}
