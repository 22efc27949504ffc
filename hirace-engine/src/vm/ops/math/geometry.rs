//! Functions whose result depends on all components of a vector, such as `dot` and `cross`.

use super::super::Slot;
use super::super::lane::Lane;
use super::super::number::Float;
use naga::MathFunction as Fun;

/// Computes `out = dot(a, b)`; `step(sum, a, b)` adds the product of two components.
pub fn dot<L: Lane, const N: usize>(
    a: &[Slot<N>],
    b: &[Slot<N>],
    out: &mut [Slot<N>],
    step: impl Fn(L::Value, L::Value, L::Value) -> L::Value,
) {
    let mut sums = [L::Value::default(); N];
    for (a, b) in a.chunks_exact(L::SLOTS).zip(b.chunks_exact(L::SLOTS)) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum = step(*sum, L::read(a, lane), L::read(b, lane));
        }
    }
    for (lane, sum) in sums.into_iter().enumerate() {
        L::write(out, lane, sum);
    }
}

pub fn geometry<L: Lane<Value: Float>, const N: usize>(
    fun: Fun,
    args: &[&[Slot<N>]],
    out: &mut [Slot<N>],
) {
    let one = L::Value::ONE;
    let two = L::Value::from_f32(2.0);
    match (fun, args) {
        (Fun::Length, [a]) => {
            each::<L, N>(out, |lane| splat(Vector::read::<L, N>(a, lane).length()))
        }
        (Fun::Distance, [a, b]) => each::<L, N>(out, |lane| {
            let (a, b) = (Vector::read::<L, N>(a, lane), Vector::read::<L, N>(b, lane));
            splat(a.zip(b, |a, b| a - b).length())
        }),
        (Fun::Normalize, [a]) => each::<L, N>(out, |lane| {
            let a = Vector::read::<L, N>(a, lane);
            let length = a.length();
            a.map(|a| a / length)
        }),
        (Fun::Cross, [a, b]) => each::<L, N>(out, |lane| {
            let [ax, ay, az, _] = Vector::read::<L, N>(a, lane).0;
            let [bx, by, bz, _] = Vector::read::<L, N>(b, lane).0;
            let zero = L::Value::default();
            Vector([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx, zero])
        }),
        (Fun::FaceForward, [e1, e2, e3]) => each::<L, N>(out, |lane| {
            let [e1, e2, e3] = [e1, e2, e3].map(|e| Vector::read::<L, N>(e, lane));
            if e2.dot(e3) < L::Value::default() { e1 } else { e1.map(|e| -e) }
        }),
        (Fun::Reflect, [e1, e2]) => each::<L, N>(out, |lane| {
            let [e1, e2] = [e1, e2].map(|e| Vector::read::<L, N>(e, lane));
            let twice = two * e2.dot(e1);
            e1.zip(e2, |e1, e2| e1 - twice * e2)
        }),
        (Fun::Refract, [e1, e2, ratio]) => each::<L, N>(out, |lane| {
            let [e1, e2] = [e1, e2].map(|e| Vector::read::<L, N>(e, lane));
            let ratio = L::read(ratio, lane);
            let cosine = e2.dot(e1);
            let k = one - ratio * ratio * (one - cosine * cosine);
            if k < L::Value::default() {
                return Vector::default();
            }
            let normal = ratio * cosine + k.sqrt();
            e1.zip(e2, |e1, e2| ratio * e1 - normal * e2)
        }),
        _ => {}
    }
}

/// A vector in one lane; components past its size are 0.
#[derive(Clone, Copy, Default)]
struct Vector<F>([F; 4]);

impl<F: Float> Vector<F> {
    #[inline(always)]
    fn read<L: Lane<Value = F>, const N: usize>(slots: &[Slot<N>], lane: usize) -> Self {
        let mut vector = Self::default();
        for (component, slots) in vector.0.iter_mut().zip(slots.chunks_exact(L::SLOTS)) {
            *component = L::read(slots, lane);
        }
        vector
    }

    #[inline(always)]
    fn map(self, f: impl Fn(F) -> F) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(F, F) -> F) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn dot(self, other: Self) -> F {
        self.zip(other, |a, b| a * b).0.into_iter().fold(F::default(), |sum, product| sum + product)
    }

    #[inline(always)]
    fn length(self) -> F {
        self.dot(self).sqrt()
    }
}

fn splat<F: Float>(value: F) -> Vector<F> {
    Vector([value; 4])
}

/// Sets every lane of `out` to the first components of a vector.
#[inline(always)]
fn each<L: Lane<Value: Float>, const N: usize>(
    out: &mut [Slot<N>],
    f: impl Fn(usize) -> Vector<L::Value>,
) {
    for lane in 0..N {
        let vector = f(lane);
        for (out, component) in out.chunks_exact_mut(L::SLOTS).zip(vector.0) {
            L::write(out, lane, component);
        }
    }
}
