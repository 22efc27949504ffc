//! Tests operations over the lanes of a subgroup.

use super::super::lane::*;
use super::super::subgroup::{ballot, collective, gather};
use super::{slots, values};
use naga::{Arena, CollectiveOperation as Collective, Direction, Expression, Handle, Literal};
use naga::{GatherMode, Scalar, Span, SubgroupOperation as Op};
use proptest::prelude::*;

const COLLECTIVES: [Collective; 3] =
    [Collective::Reduce, Collective::InclusiveScan, Collective::ExclusiveScan];

fn apply<L: Lane, const N: usize>(
    op: Op,
    kind: Collective,
    scalar: Scalar,
    operand: [L::Value; N],
    active: u64,
) -> [L::Value; N] {
    let mut out = vec![[0; N]; L::SLOTS];
    collective(op, kind, scalar, &slots::<L, N>(&[operand]), active, &mut out);
    values::<L, N>(&out)[0]
}

/// Returns the lanes whose values make up the result in `lane`.
fn heard(kind: Collective, lane: usize, active: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |other| {
        active >> other & 1 == 1
            && match kind {
                Collective::Reduce => true,
                Collective::InclusiveScan => *other <= lane,
                Collective::ExclusiveScan => *other < lane,
            }
    })
}

proptest! {
    #[test]
    fn integers_are_folded_over_active_lanes(operand in prop::array::uniform32(any::<i32>()), active: u32) {
        let active = u64::from(active);
        for kind in COLLECTIVES {
            let check = |op, start: i32, f: fn(i32, i32) -> i32| {
                let found = apply::<I32, 32>(op, kind, Scalar::I32, operand, active);
                for lane in (0..32).filter(|lane| active >> lane & 1 == 1) {
                    let expected = heard(kind, lane, active).map(|l| operand[l]).fold(start, f);
                    assert_eq!(found[lane], expected, "{op:?} {kind:?} lane {lane} of {active:#x}");
                }
            };
            check(Op::Add, 0, i32::wrapping_add);
            check(Op::Mul, 1, i32::wrapping_mul);
            check(Op::Min, i32::MAX, i32::min);
            check(Op::Max, i32::MIN, i32::max);
            check(Op::And, -1, |a, b| a & b);
            check(Op::Or, 0, |a, b| a | b);
            check(Op::Xor, 0, |a, b| a ^ b);
        }
    }

    #[test]
    fn wide_and_float_values_are_folded_in_order(operand in prop::array::uniform8(-100i32..100), active: u8) {
        let active = u64::from(active);
        for kind in COLLECTIVES {
            let wide = apply::<U64, 8>(Op::Add, kind, Scalar::U64, operand.map(|v| v as i64 as u64), active);
            let float = apply::<F64, 8>(Op::Add, kind, Scalar::F64, operand.map(|v| f64::from(v) / 8.0), active);
            let least = apply::<F32, 8>(Op::Min, kind, Scalar::F32, operand.map(|v| v as f32), active);
            for lane in (0..8).filter(|lane| active >> lane & 1 == 1) {
                let heard = || heard(kind, lane, active).map(|l| operand[l]);
                prop_assert_eq!(wide[lane] as i64, i64::from(heard().sum::<i32>()));
                prop_assert_eq!(float[lane], f64::from(heard().sum::<i32>()) / 8.0);
                let smallest = heard().min().map_or(f32::INFINITY, |v| v as f32);
                prop_assert_eq!(least[lane], smallest);
            }
        }
    }

    #[test]
    fn a_ballot_counts_active_lanes_that_agree(words in prop::array::uniform32(0u32..2), upper in prop::array::uniform32(0u32..2), active: u64) {
        let predicate: [u32; 64] = std::array::from_fn(|i| if i < 32 { words[i] } else { upper[i - 32] });
        let mut out = [[0; 64]; 4];
        ballot(Some(&predicate), active, &mut out);
        for lane in 0..64 {
            let expected = u32::from(predicate[lane] != 0 && active >> lane & 1 == 1);
            prop_assert_eq!(out[lane / 32][0] >> (lane % 32) & 1, expected);
        }
        prop_assert_eq!((out[2][0], out[3][0]), (0, 0));
        ballot(None, active, &mut out);
        prop_assert_eq!([out[0][63], out[1][63]], [active as u32, (active >> 32) as u32]);
        let agree = apply::<Bool, 64>(Op::All, Collective::Reduce, Scalar::BOOL, predicate.map(|p| p != 0), active);
        prop_assert_eq!(agree[0], heard(Collective::Reduce, 0, active).all(|lane| predicate[lane] != 0));
        let some = apply::<Bool, 64>(Op::Any, Collective::Reduce, Scalar::BOOL, predicate.map(|p| p != 0), active);
        prop_assert_eq!(some[0], heard(Collective::Reduce, 0, active).any(|lane| predicate[lane] != 0));
    }
}

/// Returns an arbitrary expression: its value is passed separately.
fn expression() -> Handle<Expression> {
    Arena::new().append(Expression::Literal(Literal::U32(0)), Span::UNDEFINED)
}

/// Returns the source lanes of eight lanes, of which all but lane 5 are active.
fn sources(mode: GatherMode, index: Option<[u32; 8]>) -> [u32; 8] {
    let numbers = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut out = [[99; 8]];
    gather(&mode, index.as_ref(), &[numbers], 0b1101_1111, &mut out);
    out[0]
}

#[test]
fn lanes_read_from_each_other_and_keep_their_own_where_nobody_answers() {
    let e = expression();
    assert_eq!(sources(GatherMode::Broadcast(e), Some([3; 8])), [3; 8]);
    assert_eq!(sources(GatherMode::Broadcast(e), Some([5; 8])), [0, 1, 2, 3, 4, 5, 6, 7]);
    let reversed = [7, 6, 5, 4, 3, 2, 1, u32::MAX];
    assert_eq!(sources(GatherMode::Shuffle(e), Some(reversed)), [7, 6, 2, 4, 3, 2, 1, 7]);
    assert_eq!(sources(GatherMode::ShuffleDown(e), Some([2; 8])), [2, 3, 4, 3, 6, 7, 6, 7]);
    assert_eq!(sources(GatherMode::ShuffleUp(e), Some([2; 8])), [0, 1, 0, 1, 2, 3, 4, 7]);
    assert_eq!(sources(GatherMode::ShuffleXor(e), Some([1; 8])), [1, 0, 3, 2, 4, 4, 7, 6]);
    assert_eq!(
        sources(GatherMode::ShuffleDown(e), Some([u32::MAX; 8])),
        sources(GatherMode::ShuffleUp(e), Some([u32::MAX; 8]))
    );
    assert_eq!(sources(GatherMode::QuadBroadcast(e), Some([2; 8])), [2, 2, 2, 2, 6, 6, 6, 6]);
    assert_eq!(sources(GatherMode::QuadSwap(Direction::X), None), [1, 0, 3, 2, 4, 4, 7, 6]);
    assert_eq!(sources(GatherMode::QuadSwap(Direction::Y), None), [2, 3, 0, 1, 6, 7, 4, 7]);
    assert_eq!(sources(GatherMode::QuadSwap(Direction::Diagonal), None), [3, 2, 1, 0, 7, 6, 6, 4]);
}

#[test]
fn broadcast_first_copies_the_first_active_lane() {
    let mut out = [[0; 4]; 2];
    let operand = [[10, 20, 30, 40], [1, 2, 3, 4]];
    gather(&GatherMode::BroadcastFirst, None, &operand, 0b1100, &mut out);
    assert_eq!(out, [[30; 4], [3; 4]]);
}
