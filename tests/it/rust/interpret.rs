//! An interpreter of Rust functions by the rules of Rust: it walks over the tree, with numbers, `bool`, tuples and arrays. It
//! shares no code with the printer.

use hirace::raw::front::rust::tree::{
    Binary, Block, Expr, ExprKind, For, FunctionId, LabelId, Literal, LocalId, Module, PassMode,
    Pattern, Statement, Unary,
};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Unit,
    Number(u32),
    Bool(bool),
    Several(Vec<Value>),
}

/// How control leaves an expression.
enum Exit {
    Break(LabelId, Value),
    Continue(LabelId),
    Return(Value),
}

type Result<T = Value> = std::result::Result<T, Exit>;

/// A variable and the path into it.
#[derive(Clone)]
struct Place {
    cell: usize,
    path: Vec<usize>,
}

pub struct Interpreter<'a> {
    module: &'a Module,
    cells: Vec<Value>,
    /// The places of the locals of the current function.
    locals: Vec<Option<Place>>,
}

/// Returns the result of the function of this name for `argument`.
pub fn call(module: &Module, name: &str, argument: u32) -> u32 {
    let found = module.functions.iter().position(|function| function.name.text == name);
    let mut interpreter = Interpreter { module, cells: Vec::new(), locals: Vec::new() };
    let place = interpreter.new_cell(Value::Number(argument));
    match interpreter.run(FunctionId(found.expect("the function exists")), vec![place]) {
        Value::Number(number) => number,
        other => panic!("a number, not {other:?}"),
    }
}

impl Interpreter<'_> {
    fn new_cell(&mut self, value: Value) -> Place {
        self.cells.push(value);
        Place { cell: self.cells.len() - 1, path: Vec::new() }
    }

    fn at(&mut self, place: &Place) -> &mut Value {
        let mut value = &mut self.cells[place.cell];
        for &step in &place.path {
            let Value::Several(parts) = value else { panic!("no parts") };
            // As in hirace's executor and in WGSL, an index is clamped.
            let last = parts.len() - 1;
            value = &mut parts[step.min(last)];
        }
        value
    }

    fn run(&mut self, id: FunctionId, arguments: Vec<Place>) -> Value {
        let function = &self.module.functions[id.0];
        let outer = std::mem::replace(&mut self.locals, vec![None; function.locals.len()]);
        for (parameter, place) in function.parameters.iter().zip(arguments) {
            self.locals[parameter.local.0] = Some(place);
        }
        let value = match self.block(&function.body) {
            Ok(value) | Err(Exit::Return(value)) => value,
            Err(_) => panic!("a break outside of a loop"),
        };
        self.locals = outer;
        value
    }

    fn block(&mut self, block: &Block) -> Result {
        for statement in &block.statements {
            match statement {
                Statement::Let(local, value, _) => {
                    let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                    self.set(*local, value.unwrap_or(Value::Unit));
                }
                Statement::Expr(expr) => {
                    self.value(expr)?;
                }
            }
        }
        block.value.as_ref().map_or(Ok(Value::Unit), |value| self.value(value))
    }

    fn set(&mut self, local: LocalId, value: Value) {
        self.locals[local.0] = Some(self.new_cell(value));
    }

    fn number(&mut self, expr: &Expr) -> Result<u32> {
        match self.value(expr)? {
            Value::Number(number) => Ok(number),
            other => panic!("a number, not {other:?}"),
        }
    }

    fn truth(&mut self, expr: &Expr) -> Result<bool> {
        match self.value(expr)? {
            Value::Bool(truth) => Ok(truth),
            other => panic!("a truth, not {other:?}"),
        }
    }

    /// Returns the place of an expression; for a value, a new one.
    fn place(&mut self, expr: &Expr) -> Result<Place> {
        let (base, step) = match &expr.kind {
            ExprKind::Local(local) => {
                return Ok(self.locals[local.0].clone().expect("the local has been declared"));
            }
            ExprKind::Index(base, index) => {
                let base = self.place(base)?;
                (base, self.number(index)? as usize)
            }
            ExprKind::Member(base, member) => (self.place(base)?, *member),
            _ => {
                let value = self.value(expr)?;
                return Ok(self.new_cell(value));
            }
        };
        let mut place = base;
        place.path.push(step);
        Ok(place)
    }

    fn value(&mut self, expr: &Expr) -> Result {
        Ok(match &expr.kind {
            ExprKind::Literal(Literal::Bool(truth)) => Value::Bool(*truth),
            ExprKind::Literal(Literal::Int(number)) => Value::Number(*number as u32),
            ExprKind::Local(_) | ExprKind::Index(..) | ExprKind::Member(..) => {
                let place = self.place(expr)?;
                self.at(&place).clone()
            }
            ExprKind::Unary(Unary::Not, operand) => Value::Bool(!self.truth(operand)?),
            ExprKind::Binary(Binary::AndThen, a, b) => {
                Value::Bool(self.truth(a)? && self.truth(b)?)
            }
            ExprKind::Binary(Binary::OrElse, a, b) => Value::Bool(self.truth(a)? || self.truth(b)?),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                binary(*op, &a, &b)
            }
            ExprKind::Convert(inner) => match self.value(inner)? {
                Value::Bool(truth) => Value::Number(u32::from(truth)),
                other => other,
            },
            ExprKind::Construct(parts) => {
                let parts =
                    parts.iter().map(|part| self.value(part)).collect::<Result<Vec<_>>>()?;
                if parts.is_empty() { Value::Unit } else { Value::Several(parts) }
            }
            ExprKind::Call(id, arguments) => {
                let parameters = &self.module.functions[id.0].parameters;
                let mut places = Vec::new();
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    places.push(match parameter.passed {
                        PassMode::Mutable | PassMode::Shared => self.place(argument)?,
                        _ => {
                            let value = self.value(argument)?;
                            self.new_cell(value)
                        }
                    });
                }
                self.run(*id, places)
            }
            ExprKind::Assign(place, value) => {
                let value = self.value(value)?;
                let place = self.place(place)?;
                *self.at(&place) = value;
                Value::Unit
            }
            ExprKind::AssignBinary(op, place, value) => {
                let value = self.value(value)?;
                let place = self.place(place)?;
                let new = binary(*op, &self.at(&place).clone(), &value);
                *self.at(&place) = new;
                Value::Unit
            }
            ExprKind::Block(label, block) => match self.block(block) {
                Err(Exit::Break(to, value)) if Some(to) == *label => value,
                other => other?,
            },
            ExprKind::If(condition, then, otherwise) => {
                if self.truth(condition)? {
                    self.block(then)?
                } else {
                    otherwise.as_ref().map_or(Ok(Value::Unit), |expr| self.value(expr))?
                }
            }
            ExprKind::Match(subject, arms) => {
                let subject = self.value(subject)?;
                for arm in arms {
                    if self.takes(&arm.pattern, &subject)?
                        && arm.guard.as_ref().map_or(Ok(true), |guard| self.truth(guard))?
                    {
                        return self.value(&arm.body);
                    }
                }
                panic!("no arm matches {subject:?}")
            }
            ExprKind::Loop(label, block) => loop {
                if let Some(value) = self.turn(*label, block)? {
                    break value;
                }
            },
            ExprKind::While(label, condition, block) => {
                while self.truth(condition)? {
                    if self.turn(*label, block)?.is_some() {
                        break;
                    }
                }
                Value::Unit
            }
            ExprKind::For(inner) => self.for_loop(inner)?,
            ExprKind::Break(label, value) => {
                let value = value.as_ref().map_or(Ok(Value::Unit), |value| self.value(value))?;
                return Err(Exit::Break(*label, value));
            }
            ExprKind::Continue(label) => return Err(Exit::Continue(*label)),
            ExprKind::Return(value) => {
                let value = value.as_ref().map_or(Ok(Value::Unit), |value| self.value(value))?;
                return Err(Exit::Return(value));
            }
            other => panic!("random functions do not contain {other:?}"),
        })
    }

    /// Runs an iteration of a loop, and returns the value of a `break`, if any.
    fn turn(&mut self, label: LabelId, block: &Block) -> Result<Option<Value>> {
        match self.block(block) {
            Ok(_) => Ok(None),
            Err(Exit::Continue(to)) if to == label => Ok(None),
            Err(Exit::Break(to, value)) if to == label => Ok(Some(value)),
            Err(exit) => Err(exit),
        }
    }

    fn for_loop(&mut self, inner: &For) -> Result {
        let (start, end) = (self.number(&inner.start)?, self.number(&inner.end)?);
        let mut numbers: Vec<u32> =
            if inner.inclusive { (start..=end).collect() } else { (start..end).collect() };
        if inner.reversed {
            numbers.reverse();
        }
        let step = inner.step.as_ref().map_or(Ok(1), |step| self.number(step))?;
        for number in numbers.into_iter().step_by(step as usize) {
            self.set(inner.local, Value::Number(number));
            if self.turn(inner.label, &inner.body)?.is_some() {
                break;
            }
        }
        Ok(Value::Unit)
    }

    fn takes(&mut self, pattern: &Pattern, subject: &Value) -> Result<bool> {
        Ok(match (pattern, subject) {
            (Pattern::Wildcard, _) => true,
            (Pattern::Value(value), _) => self.value(value)? == *subject,
            (Pattern::Bind(local, inner), _) => {
                self.set(*local, subject.clone());
                self.takes(inner, subject)?
            }
            (Pattern::Range(start, end, inclusive), Value::Number(number)) => {
                let start = start.as_ref().map_or(Ok(0), |start| self.number(start))?;
                let end = end.as_ref().map(|end| self.number(end)).transpose()?;
                *number >= start
                    && end.is_none_or(|end| *number < end || *inclusive && *number == end)
            }
            (Pattern::Either(patterns), _) => {
                for pattern in patterns {
                    if self.takes(pattern, subject)? {
                        return Ok(true);
                    }
                }
                false
            }
            (Pattern::Tuple(patterns), Value::Several(parts)) => {
                for (pattern, part) in patterns.iter().zip(parts) {
                    if !self.takes(pattern, part)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => panic!("an impossible pattern"),
        })
    }
}

fn binary(op: Binary, a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match op {
            Binary::Add => Value::Number(a.wrapping_add(*b)),
            Binary::Subtract => Value::Number(a.wrapping_sub(*b)),
            Binary::Multiply => Value::Number(a.wrapping_mul(*b)),
            Binary::Remainder => Value::Number(a % b),
            Binary::And => Value::Number(a & b),
            Binary::Or => Value::Number(a | b),
            Binary::Xor => Value::Number(a ^ b),
            Binary::Equal => Value::Bool(a == b),
            Binary::NotEqual => Value::Bool(a != b),
            Binary::Less => Value::Bool(a < b),
            Binary::LessOrEqual => Value::Bool(a <= b),
            Binary::Greater => Value::Bool(a > b),
            Binary::GreaterOrEqual => Value::Bool(a >= b),
            other => panic!("random functions do not contain {other:?}"),
        },
        (Value::Bool(a), Value::Bool(b)) => match op {
            Binary::And => Value::Bool(a & b),
            Binary::Or => Value::Bool(a | b),
            Binary::Xor | Binary::NotEqual => Value::Bool(a ^ b),
            Binary::Equal => Value::Bool(a == b),
            other => panic!("random functions do not contain {other:?}"),
        },
        _ => panic!("{a:?} and {b:?} have different types"),
    }
}
