//! Lowers expressions: the registers of their values, and the instructions that compute them.

use super::function::Body;
use super::image::Texel;
use super::{constants, types};
use crate::diagnostic::Result;
use crate::ir::claims::Claim;
use crate::ir::sites::SiteId;
use crate::source_map::Span;
use crate::vm::code::{Computation, Instruction, Operation, Range, Register, ResultClaim};
use naga::{BinaryOperator, Expression, Handle, MathFunction, Scalar, TypeInner};

impl Body<'_, '_> {
    /// Returns the first register of a value. Constants and arguments have registers without being emitted.
    pub(super) fn value(&mut self, expression: Handle<Expression>) -> Result<Register> {
        if let Some(register) = self.values[expression.index()] {
            return Ok(register);
        }
        if let Expression::FunctionArgument(index) = self.function.expressions[expression] {
            return Ok(self.arguments[index as usize].start);
        }
        if let Some(register) = self.constant(expression) {
            self.values[expression.index()] = Some(register);
            return Ok(register);
        }
        if matches!(
            self.inner(expression),
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
        ) {
            return self.pointer_value(expression);
        }
        Err(self.unsupported_error(self.span(expression), "an expression of this kind"))
    }

    /// Returns the registers of a value.
    pub(super) fn range(&mut self, expression: Handle<Expression>) -> Result<Range> {
        let module = &self.lowering.program.module;
        let count = types::registers(module, self.inner(expression)).unwrap_or(0);
        Ok(Range { start: self.value(expression)?, count })
    }

    fn constant(&mut self, expression: Handle<Expression>) -> Option<Register> {
        let module = &self.lowering.program.module;
        let words = constants::words(module, &self.function.expressions, expression)?;
        Some(self.lowering.constant(words))
    }

    /// Returns a register with the number of the first register of a pointer's target in function or private
    /// memory.
    fn pointer_value(&mut self, pointer: Handle<Expression>) -> Result<Register> {
        let place = self.place(pointer)?;
        let span = self.span(pointer);
        let usage = super::place::Use { site: SiteId::NONE, span };
        Ok(match self.register_number(&place, usage) {
            Ok(register) => register,
            Err(number) => self.lowering.constant(vec![number]),
        })
    }

    /// Computes an expression that an `Emit` reaches.
    pub(super) fn emit(&mut self, expression: Handle<Expression>) -> Result<()> {
        let is_pointer = matches!(
            self.inner(expression),
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
        );
        if is_pointer {
            return Ok(());
        }
        let register = match self.function.expressions[expression] {
            Expression::Load { pointer } => {
                let site = self.load_site(expression);
                let used_up = self.used_up.contains(&expression);
                self.load(pointer, site, self.span(expression), used_up)?.start
            }
            Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
                let site = self.load_site(expression);
                let texel = Texel { image, coordinate, layer: array_index };
                self.image_load(expression, texel, sample, level, site)?
            }
            _ => {
                let claim = self.lowering.program.sites.claim(self.id, expression);
                match claim {
                    Some((claim, span)) => self.emit_with_claim(expression, claim, span)?,
                    None if self.info[expression].ref_count == 0 => return Ok(()),
                    None => self.emit_pure(expression)?,
                }
            }
        };
        self.values[expression.index()] = Some(register);
        Ok(())
    }

    /// Returns the access site of a load, and makes it the current place of the lowering.
    fn load_site(&mut self, expression: Handle<Expression>) -> SiteId {
        let site = self.lowering.program.sites.load(self.id, expression);
        self.lowering.place = site.unwrap_or(self.lowering.place);
        site.unwrap_or(SiteId::NONE)
    }

    /// Computes an expression that accesses no memory.
    fn emit_pure(&mut self, expression: Handle<Expression>) -> Result<Register> {
        if let Some(register) = self.constant(expression) {
            return Ok(register);
        }
        let span = self.span(expression);
        match self.function.expressions[expression] {
            Expression::Compose { ref components, .. } => {
                let out = self.allocate_result(expression)?;
                let mut start = out.start;
                for component in components {
                    let from = self.range(*component)?;
                    let to = Range { start, count: from.count };
                    self.push(Instruction::Copy { to, from: from.start });
                    start += from.count;
                }
                Ok(out.start)
            }
            Expression::Splat { value, .. } => {
                let out = self.allocate_result(expression)?;
                let from = self.range(value)?;
                for start in (out.start..out.start + out.count).step_by(from.count.max(1) as usize)
                {
                    let to = Range { start, count: from.count };
                    self.push(Instruction::Copy { to, from: from.start });
                }
                Ok(out.start)
            }
            Expression::Swizzle { size, vector, pattern } => {
                let from = self.value(vector)?;
                let pattern = &pattern[..size as usize];
                let registers_per_component = self.scalar(vector)?.1;
                let ascending = pattern.windows(2).all(|pair| pair[0] as u32 + 1 == pair[1] as u32);
                if ascending {
                    return Ok(from + pattern[0] as u32 * registers_per_component);
                }
                let out = self.allocate_result(expression)?;
                for (index, component) in (0..).zip(pattern) {
                    let to = Range {
                        start: out.start + index * registers_per_component,
                        count: registers_per_component,
                    };
                    self.push(Instruction::Copy {
                        to,
                        from: from + *component as u32 * registers_per_component,
                    });
                }
                Ok(out.start)
            }
            Expression::Access { .. } | Expression::AccessIndex { .. } => {
                let place = self.place(expression)?;
                let usage = super::place::Use { site: SiteId::NONE, span };
                match self.register_number(&place, usage) {
                    Ok(address) => {
                        let to = self.allocate_result(expression)?;
                        self.push(Instruction::Gather { to, address });
                        Ok(to.start)
                    }
                    Err(register) => Ok(register),
                }
            }
            Expression::Unary { op, expr } => {
                let (scalar, _) = self.scalar(expr)?;
                let operand = self.value(expr)?;
                let out = self.allocate_result(expression)?;
                self.push(Instruction::Unary { op, scalar, out, operand });
                Ok(out.start)
            }
            Expression::Binary { op, left, right } => self.binary(expression, op, left, right),
            Expression::Select { condition, accept, reject } => {
                let (scalar, _) = self.scalar(accept)?;
                self.compute(expression, Operation::Select(scalar), &[condition, accept, reject])
            }
            Expression::Relational { fun, argument } => {
                let (scalar, _) = self.scalar(argument)?;
                self.compute(expression, Operation::Relational(fun, scalar), &[argument])
            }
            Expression::As { expr, kind, convert } => {
                let (from, _) = self.scalar(expr)?;
                let operation = match convert {
                    Some(width) => Operation::Convert { from, to: Scalar { kind, width } },
                    None => Operation::Bitcast { from, to: kind },
                };
                self.compute(expression, operation, &[expr])
            }
            Expression::Math { fun: MathFunction::Transpose, arg, .. } => {
                let (scalar, _) = self.scalar(arg)?;
                let Some(shape) = types::shape(self.inner(arg)) else {
                    return Err(self.unsupported_error(span, "this operand"));
                };
                self.compute(expression, Operation::Transpose(scalar, shape), &[arg])
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let (scalar, _) = self.scalar(arg)?;
                let arguments: Vec<_> =
                    [Some(arg), arg1, arg2, arg3].into_iter().flatten().collect();
                self.compute(expression, Operation::Math(fun, scalar), &arguments)
            }
            Expression::ArrayLength(array) => {
                let place = self.place(array)?;
                let module = &self.lowering.program.module;
                let inner = place.ty.inner_with(&module.types);
                let Some(elements) = types::elements(module, inner) else {
                    return Err(self.unsupported_error(span, "the length of this expression"));
                };
                let length = self.runtime_length(&place, elements.bytes, span)?;
                let length = self.lowering.length(length);
                let out = self.allocate_result(expression)?;
                self.push(Instruction::Length { to: out.start, length });
                Ok(out.start)
            }
            Expression::ImageSample { .. } => self.image_sample(expression),
            Expression::ImageQuery { image, query } => self.image_query(expression, image, query),
            Expression::Derivative { .. } => {
                Err(self
                    .unsupported_error(span, "a derivative, which compute shaders do not have,"))
            }
            _ => Err(self.unsupported_error(span, "an expression of this kind")),
        }
    }

    /// Computes an operator and checks the source's claim about it.
    fn emit_with_claim(
        &mut self,
        expression: Handle<Expression>,
        claim: Claim,
        span: Span,
    ) -> Result<Register> {
        let register = self.emit_pure(expression)?;
        if let Expression::Binary { op, left, right } = self.function.expressions[expression] {
            let (scalar, _) = self.scalar(left)?;
            let (left, right) = (self.range(left)?, self.range(right)?);
            let module = &self.lowering.program.module;
            let count = types::registers(module, self.inner(expression)).unwrap_or(0);
            let result = Range { start: register, count };
            let claimed = ResultClaim { claim, op, scalar, left, right, result, span };
            self.lowering.code.claims.push(claimed);
            let index = self.lowering.code.claims.len() as u32 - 1;
            self.push(Instruction::Claim { index });
        }
        Ok(register)
    }

    fn binary(
        &mut self,
        expression: Handle<Expression>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Register> {
        let (scalar, _) = self.scalar(left)?;
        let (l, r) = (self.inner(left), self.inner(right));
        let is_matrix = |inner: &TypeInner| matches!(inner, TypeInner::Matrix { .. });
        if op == BinaryOperator::Multiply
            && (is_matrix(l) || is_matrix(r))
            && let (Some(mut left_shape), Some(right_shape)) = (types::shape(l), types::shape(r))
        {
            if !is_matrix(l) {
                // A vector on the left is a row vector.
                std::mem::swap(&mut left_shape.columns, &mut left_shape.rows);
            }
            let operation = Operation::Multiply(scalar, left_shape, right_shape);
            return self.compute(expression, operation, &[left, right]);
        }
        let (op, right) = match self.power_of_two(op, scalar, right) {
            Some((op, word)) => (op, Range { start: self.lowering.constant(vec![word]), count: 1 }),
            None => (op, self.range(right)?),
        };
        let left = self.range(left)?;
        let out = self.allocate_result(expression)?;
        self.push(Instruction::Binary { op, scalar, out, left, right });
        Ok(out.start)
    }

    /// Returns the operator and operand that replace a division by a constant power of two. Processors have
    /// no vector instruction for integer division.
    fn power_of_two(
        &self,
        op: BinaryOperator,
        scalar: Scalar,
        right: Handle<Expression>,
    ) -> Option<(BinaryOperator, u32)> {
        if scalar != Scalar::U32 || !matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo) {
            return None;
        }
        let module = &self.lowering.program.module;
        let words = constants::words(module, &self.function.expressions, right)?;
        let divisor = *words.first()?;
        if !divisor.is_power_of_two() || words.iter().any(|word| *word != divisor) {
            return None;
        }
        Some(match op {
            BinaryOperator::Divide => (BinaryOperator::ShiftRight, divisor.trailing_zeros()),
            _ => (BinaryOperator::And, divisor - 1),
        })
    }

    /// Emits a computation with these operands.
    pub(super) fn compute(
        &mut self,
        expression: Handle<Expression>,
        operation: Operation,
        arguments: &[Handle<Expression>],
    ) -> Result<Register> {
        let mut operands = [Range::NONE; 4];
        for (operand, argument) in operands.iter_mut().zip(arguments) {
            *operand = self.range(*argument)?;
        }
        let out = self.allocate_result(expression)?;
        self.lowering.code.computations.push(Computation { operation, out, operands });
        let index = self.lowering.code.computations.len() as u32 - 1;
        self.push(Instruction::Compute { index });
        Ok(out.start)
    }

    /// Allocates registers for the value of an expression.
    fn allocate_result(&mut self, expression: Handle<Expression>) -> Result<Range> {
        self.temporary(self.inner(expression), self.span(expression))
    }

    /// Returns the scalar type of a value, and the number of registers of each scalar.
    pub(super) fn scalar(&self, expression: Handle<Expression>) -> Result<(Scalar, u32)> {
        match types::scalar(self.inner(expression)) {
            Some(scalar) => Ok((scalar, types::scalar_registers(scalar))),
            None => Err(self.unsupported_error(self.span(expression), "an operand of this type")),
        }
    }
}
