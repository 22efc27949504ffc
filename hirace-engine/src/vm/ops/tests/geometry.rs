//! Tests functions of whole vectors.

use super::super::lane::*;
use super::math;
use naga::{MathFunction as Fun, Scalar};
use proptest::prelude::*;

fn vector(fun: Fun, args: &[&[f64]], components: usize) -> Vec<f64> {
    math::<F64, F64>(fun, Scalar::F64, args, components)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn close(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs().max(1.0))
}

#[test]
fn lengths_and_distances_are_those_of_pythagoras() {
    let narrow = |args: &[&[f32]], fun| math::<F32, F32>(fun, Scalar::F32, args, 1)[0];
    assert_eq!(narrow(&[&[3.0, 4.0]], Fun::Length), 5.0);
    assert_eq!(narrow(&[&[1.0, 2.0, 2.0, 4.0]], Fun::Length), 5.0);
    assert_eq!(narrow(&[&[-3.0]], Fun::Length), 3.0);
    assert_eq!(narrow(&[&[1.0, 1.0, 1.0], &[3.0, 2.0, -1.0]], Fun::Distance), 3.0);
    assert_eq!(math::<F16, F16>(Fun::Length, Scalar::F16, &[&[300.0, 400.0]], 1), [500.0]);
}

#[test]
fn the_cross_product_of_axes_is_the_third() {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for i in 0..3 {
        let found = vector(Fun::Cross, &[&axes[i], &axes[(i + 1) % 3]], 3);
        assert_eq!(found, axes[(i + 2) % 3]);
    }
}

#[test]
fn face_forward_turns_against_the_incident() {
    let e1 = [1.0, -2.0];
    assert_eq!(vector(Fun::FaceForward, &[&e1, &[1.0, 0.0], &[-1.0, 5.0]], 2), e1);
    assert_eq!(vector(Fun::FaceForward, &[&e1, &[1.0, 0.0], &[1.0, 5.0]], 2), [-1.0, 2.0]);
    assert_eq!(vector(Fun::FaceForward, &[&e1, &[1.0, 0.0], &[0.0, 5.0]], 2), [-1.0, 2.0]);
}

#[test]
fn total_reflection_refracts_to_nothing() {
    let incident = [0.8, -0.6, 0.0];
    let normal = [0.0, 1.0, 0.0];
    assert_eq!(vector(Fun::Refract, &[&incident, &normal, &[1.5]], 3), [0.0; 3]);
    assert!(close(&vector(Fun::Refract, &[&incident, &normal, &[1.0]], 3), &incident));
}

proptest! {
    #[test]
    fn vectors_follow_their_formulas(
        a in prop::array::uniform4(-10.0..10.0f64), b in prop::array::uniform4(-10.0..10.0f64), size in 2usize..5,
    ) {
        let (a, b) = (&a[..size], &b[..size]);
        prop_assert!(close(&vector(Fun::Dot, &[a, b], 1), &[dot(a, b)]));
        prop_assert!(close(&vector(Fun::Length, &[a], 1), &[dot(a, a).sqrt()]));
        let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        prop_assert!(close(&vector(Fun::Distance, &[a, b], 1), &[dot(&difference, &difference).sqrt()]));
        let unit = vector(Fun::Normalize, &[b], size);
        prop_assert!(close(&vector(Fun::Length, &[&unit], 1), &[1.0]));
        prop_assert!((dot(&unit, b) - dot(b, b).sqrt()).abs() < 1e-9);
        // A reflection inverts the part along the normal, and two reflections cancel out.
        let reflected = vector(Fun::Reflect, &[a, &unit], size);
        prop_assert!((dot(&reflected, &unit) + dot(a, &unit)).abs() < 1e-9);
        prop_assert!(close(&vector(Fun::Reflect, &[&reflected, &unit], size), a));
        // Snell's law: the part parallel to the surface is multiplied by the ratio.
        let incident = vector(Fun::Normalize, &[a], size);
        if dot(&incident, &unit) < 0.0 {
            let refracted = vector(Fun::Refract, &[&incident, &unit, &[0.7]], size);
            let parallel = |v: &[f64]| -> Vec<f64> {
                let normal_part = dot(v, &unit);
                v.iter().zip(&unit).map(|(v, n)| v - normal_part * n).collect()
            };
            let expected: Vec<f64> = parallel(&incident).iter().map(|v| 0.7 * v).collect();
            prop_assert!(close(&parallel(&refracted), &expected));
            prop_assert!(close(&vector(Fun::Length, &[&refracted], 1), &[1.0]));
        }
    }

    #[test]
    fn a_cross_product_is_perpendicular_to_both(a in prop::array::uniform3(-10.0..10.0f64), b in prop::array::uniform3(-10.0..10.0f64)) {
        let cross = vector(Fun::Cross, &[&a, &b], 3);
        prop_assert!(dot(&cross, &a).abs() < 1e-9 && dot(&cross, &b).abs() < 1e-9);
        let area = dot(&a, &a) * dot(&b, &b) - dot(&a, &b).powi(2);
        prop_assert!((dot(&cross, &cross) - area).abs() < 1e-6);
    }
}
