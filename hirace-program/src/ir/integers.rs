//! Operators on constants of the types `i32` and `u32`.

use naga::BinaryOperator;

/// Returns the result of an operator on two numbers of a type, wrapped to the type, or `None` if it has no result, or is not an
/// operator of integers.
pub fn folded(operator: BinaryOperator, signed: bool, a: i64, b: i64) -> Option<i64> {
    let exact = match operator {
        BinaryOperator::Add => a.checked_add(b)?,
        BinaryOperator::Subtract => a.checked_sub(b)?,
        BinaryOperator::Multiply => a.wrapping_mul(b),
        BinaryOperator::Divide => a.checked_div(b)?,
        BinaryOperator::Modulo => a.checked_rem(b)?,
        BinaryOperator::And => a & b,
        BinaryOperator::InclusiveOr => a | b,
        BinaryOperator::ExclusiveOr => a ^ b,
        BinaryOperator::ShiftLeft if (0..32).contains(&b) => a << b,
        BinaryOperator::ShiftRight if (0..32).contains(&b) => a >> b,
        _ => return None,
    };
    // The low 32 bits do not depend on whether the operands were extended by zeros or by the sign.
    Some(if signed { i64::from(exact as i32) } else { i64::from(exact as u32) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::BinaryOperator as B;

    #[test]
    fn results_wrap_to_the_type() {
        let (least, most) = (i64::from(i32::MIN), i64::from(u32::MAX));
        assert_eq!(folded(B::Subtract, false, 0, 1), Some(most));
        assert_eq!(folded(B::Multiply, false, most, most), Some(1));
        assert_eq!(folded(B::ShiftLeft, true, 1, 31), Some(least));
        assert_eq!(folded(B::ShiftRight, true, least, 31), Some(-1));
        assert_eq!(folded(B::ShiftRight, false, most, 31), Some(1));
        assert_eq!(folded(B::Divide, true, least, -1), Some(least));
        assert_eq!(folded(B::Modulo, true, -7, 4), Some(-3));
    }

    #[test]
    fn what_has_no_result_is_not_folded() {
        assert_eq!(folded(B::Divide, false, 5, 0), None);
        assert_eq!(folded(B::Modulo, true, 5, 0), None);
        assert_eq!(folded(B::ShiftLeft, false, 1, 32), None);
        assert_eq!(folded(B::Less, false, 1, 2), None);
    }
}
