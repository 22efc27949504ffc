//! Relations on a small set of events, as bit matrices.

/// A relation on the numbers below `n`.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    n: usize,
    width: usize,
    words: Vec<u64>,
}

impl Relation {
    /// Creates the relation of the pairs for which `holds` is true.
    pub(super) fn of(n: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let width = n.div_ceil(64);
        let mut words = vec![0; n * width];
        for a in 0..n {
            for b in (0..n).filter(|&b| holds(a, b)) {
                words[a * width + b / 64] |= 1 << (b % 64);
            }
        }
        Self { n, width, words }
    }

    fn row(&self, a: usize) -> &[u64] {
        &self.words[a * self.width..(a + 1) * self.width]
    }

    pub(super) fn has(&self, a: usize, b: usize) -> bool {
        self.row(a)[b / 64] >> (b % 64) & 1 == 1
    }

    /// Returns the union.
    pub(super) fn or(mut self, other: &Self) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(into, word)| *into |= word);
        self
    }

    /// Returns the composition of `self` and `other`.
    pub(super) fn then(&self, other: &Self) -> Self {
        let mut words = vec![0; self.words.len()];
        for a in 0..self.n {
            let into = &mut words[a * self.width..(a + 1) * self.width];
            for b in (0..self.n).filter(|&b| self.has(a, b)) {
                into.iter_mut().zip(other.row(b)).for_each(|(into, word)| *into |= word);
            }
        }
        Self { n: self.n, width: self.width, words }
    }

    /// Returns whether the relation is acyclic.
    pub(super) fn acyclic(mut self) -> bool {
        for via in 0..self.n {
            let through = self.row(via).to_vec();
            for a in (0..self.n).filter(|&a| a != via) {
                if self.has(a, via) {
                    let into = &mut self.words[a * self.width..(a + 1) * self.width];
                    into.iter_mut().zip(&through).for_each(|(into, word)| *into |= word);
                }
            }
        }
        (0..self.n).all(|a| !self.has(a, a))
    }
}
