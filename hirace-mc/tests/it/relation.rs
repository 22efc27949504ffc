//! Relations as boolean matrices, with the operators of the axioms.

/// A relation on the numbers below `n`.
#[derive(Clone)]
pub struct Rel(pub Vec<Vec<bool>>);

impl Rel {
    pub fn of(n: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        Self((0..n).map(|a| (0..n).map(|b| holds(a, b)).collect()).collect())
    }
    pub fn n(&self) -> usize {
        self.0.len()
    }
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.0[a][b]
    }
    pub fn or(&self, other: &Self) -> Self {
        Self::of(self.n(), |a, b| self.has(a, b) || other.has(a, b))
    }
    pub fn and(&self, other: &Self) -> Self {
        Self::of(self.n(), |a, b| self.has(a, b) && other.has(a, b))
    }
    pub fn then(&self, other: &Self) -> Self {
        Self::of(self.n(), |a, b| (0..self.n()).any(|via| self.has(a, via) && other.has(via, b)))
    }
    pub fn maybe(&self) -> Self {
        Self::of(self.n(), |a, b| a == b || self.has(a, b))
    }
    pub fn inverse(&self) -> Self {
        Self::of(self.n(), |a, b| self.has(b, a))
    }
    pub fn closed(&self) -> Self {
        let mut out = self.clone();
        for via in 0..self.n() {
            out = Self::of(self.n(), |a, b| out.has(a, b) || out.has(a, via) && out.has(via, b));
        }
        out
    }
    pub fn irreflexive(&self) -> bool {
        (0..self.n()).all(|a| !self.has(a, a))
    }
    pub fn acyclic(&self) -> bool {
        self.closed().irreflexive()
    }
}
