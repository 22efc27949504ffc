//! The handles of other expressions in expressions and statements, for code that rebuilds an arena and must renumber them.

use naga::{
    AtomicFunction, Block, Expression, GatherMode, Handle, ImageQuery, RayPipelineFunction,
    RayQueryFunction, SampleLevel, Statement,
};

/// Calls `visit` with every expression that `expression` uses.
pub fn of_expression(expression: &mut Expression, visit: &mut impl FnMut(&mut Handle<Expression>)) {
    use Expression as E;
    match expression {
        E::Literal(_)
        | E::Constant(_)
        | E::Override(_)
        | E::ZeroValue(_)
        | E::FunctionArgument(_)
        | E::GlobalVariable(_)
        | E::LocalVariable(_)
        | E::CallResult(_)
        | E::AtomicResult { .. }
        | E::WorkGroupUniformLoadResult { .. }
        | E::RayQueryProceedResult
        | E::SubgroupBallotResult
        | E::SubgroupOperationResult { .. } => {}
        E::Compose { components, .. } => components.iter_mut().for_each(visit),
        E::Access { base, index } => {
            visit(base);
            visit(index);
        }
        E::AccessIndex { base, .. } => visit(base),
        E::Splat { value, .. } => visit(value),
        E::Swizzle { vector, .. } => visit(vector),
        E::Load { pointer } => visit(pointer),
        E::ImageSample {
            image,
            sampler,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            ..
        } => {
            visit(image);
            visit(sampler);
            visit(coordinate);
            [array_index, offset, depth_ref].into_iter().flatten().for_each(&mut *visit);
            match level {
                SampleLevel::Auto | SampleLevel::Zero => {}
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => visit(level),
                SampleLevel::Gradient { x, y } => {
                    visit(x);
                    visit(y);
                }
            }
        }
        E::ImageLoad { image, coordinate, array_index, sample, level } => {
            visit(image);
            visit(coordinate);
            [array_index, sample, level].into_iter().flatten().for_each(visit);
        }
        E::ImageQuery { image, query } => {
            visit(image);
            match query {
                ImageQuery::Size { level } => level.iter_mut().for_each(visit),
                ImageQuery::NumLevels | ImageQuery::NumLayers | ImageQuery::NumSamples => {}
            }
        }
        E::Unary { expr, .. } | E::Derivative { expr, .. } | E::As { expr, .. } => visit(expr),
        E::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        E::Select { condition, accept, reject } => {
            visit(condition);
            visit(accept);
            visit(reject);
        }
        E::Relational { argument, .. } => visit(argument),
        E::Math { arg, arg1, arg2, arg3, .. } => {
            visit(arg);
            [arg1, arg2, arg3].into_iter().flatten().for_each(visit);
        }
        E::ArrayLength(array) => visit(array),
        E::RayQueryVertexPositions { query, .. } | E::RayQueryGetIntersection { query, .. } => {
            visit(query);
        }
        E::CooperativeLoad { data, .. } => {
            visit(&mut data.pointer);
            visit(&mut data.stride);
        }
        E::CooperativeMultiplyAdd { a, b, c } => {
            visit(a);
            visit(b);
            visit(c);
        }
    }
}

/// Returns the statement with empty nested blocks.
pub fn without_blocks(statement: &Statement) -> Statement {
    let empty = Block::new;
    match statement {
        Statement::Block(_) => Statement::Block(empty()),
        &Statement::If { condition, .. } => {
            Statement::If { condition, accept: empty(), reject: empty() }
        }
        &Statement::Switch { selector, .. } => Statement::Switch { selector, cases: Vec::new() },
        &Statement::Loop { break_if, .. } => {
            Statement::Loop { body: empty(), continuing: empty(), break_if }
        }
        other => other.clone(),
    }
}

/// Calls `visit` with every expression that `statement` itself uses or assigns a result to. Expressions in nested blocks and
/// those that an `Emit` evaluates are not visited.
pub fn of_statement(statement: &mut Statement, visit: &mut impl FnMut(&mut Handle<Expression>)) {
    use Statement as S;
    match statement {
        S::Emit(_)
        | S::Block(_)
        | S::Break
        | S::Continue
        | S::Kill
        | S::ControlBarrier(_)
        | S::MemoryBarrier(_) => {}
        S::If { condition, .. } => visit(condition),
        S::Switch { selector, .. } => visit(selector),
        S::Loop { break_if, .. } => break_if.iter_mut().for_each(visit),
        S::Return { value } => value.iter_mut().for_each(visit),
        S::Store { pointer, value } => {
            visit(pointer);
            visit(value);
        }
        S::ImageStore { image, coordinate, array_index, value }
        | S::ImageAtomic { image, coordinate, array_index, value, fun: _ } => {
            visit(image);
            visit(coordinate);
            array_index.iter_mut().for_each(&mut *visit);
            visit(value);
        }
        S::Atomic { pointer, fun, value, result } => {
            visit(pointer);
            if let AtomicFunction::Exchange { compare: Some(compare) } = fun {
                visit(compare);
            }
            visit(value);
            result.iter_mut().for_each(visit);
        }
        S::WorkGroupUniformLoad { pointer, result } => {
            visit(pointer);
            visit(result);
        }
        S::Call { arguments, result, .. } => arguments.iter_mut().chain(result).for_each(visit),
        S::RayQuery { query, fun } => {
            visit(query);
            match fun {
                RayQueryFunction::Initialize { acceleration_structure, descriptor } => {
                    visit(acceleration_structure);
                    visit(descriptor);
                }
                RayQueryFunction::Proceed { result } => visit(result),
                RayQueryFunction::GenerateIntersection { hit_t } => visit(hit_t),
                RayQueryFunction::ConfirmIntersection | RayQueryFunction::Terminate => {}
            }
        }
        S::RayPipelineFunction(RayPipelineFunction::TraceRay {
            acceleration_structure,
            descriptor,
            payload,
        }) => {
            visit(acceleration_structure);
            visit(descriptor);
            visit(payload);
        }
        S::SubgroupBallot { result, predicate } => {
            predicate.iter_mut().for_each(&mut *visit);
            visit(result);
        }
        S::SubgroupGather { mode, argument, result } => {
            match mode {
                GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => {}
                GatherMode::Broadcast(lane)
                | GatherMode::Shuffle(lane)
                | GatherMode::ShuffleDown(lane)
                | GatherMode::ShuffleUp(lane)
                | GatherMode::ShuffleXor(lane)
                | GatherMode::QuadBroadcast(lane) => visit(lane),
            }
            visit(argument);
            visit(result);
        }
        S::SubgroupCollectiveOperation { argument, result, .. } => {
            visit(argument);
            visit(result);
        }
        S::CooperativeStore { target, data } => {
            visit(target);
            visit(&mut data.pointer);
            visit(&mut data.stride);
        }
    }
}

/// Returns the nested blocks of `statement`, in the order of [`super::walk::children`].
pub fn children(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}
