//! Sites: the places of a program that executors speak of, each with its span.
//!
//! An access, a barrier, a loop, a branch, a call, a return: whatever a finding may point at has a
//! [`SiteId`]. Loads are found by their expression, all else by its statement.

use super::access::Access;
use super::barrier::Barrier;
use super::claims::Claim;
use super::order::Ordering;
use super::walk::{self, FunctionId, StatementId};
use crate::source_map::Span;
use naga::{Expression, Handle, Module, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names a site of one program; an index into [`Sites::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

impl SiteId {
    /// For what has no place in the source (made by a pass).
    pub const NONE: Self = Self(u32::MAX);
}

/// What stands at a site.
#[derive(Clone, Debug, PartialEq)]
pub enum SiteKind {
    /// A read, write or atomic of shared memory.
    Access(Access),
    /// A control barrier, `workgroupUniformLoad` included (which is also an access, at its own site).
    Barrier(Barrier),
    /// A fence: it orders memory and waits for nobody.
    Fence,
    /// An `if`, `switch`, `&&` or `||`.
    Branch,
    /// A loop; the span is that of its head.
    Loop,
    /// A call of a helper function.
    Call,
    /// A `return`.
    Return,
    /// A subgroup operation.
    Subgroup,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The function it stands in.
    pub function: FunctionId,
    /// What it is.
    pub kind: SiteKind,
    /// Where the user wrote it. For a read or write: the memory expression as written there
    /// (`tile[l]`, `*p`, `s.v.x`), not the whole statement. For what is done by a built-in function
    /// (atomics, textures, barriers): the call. For a branch or loop: its head.
    pub span: Span,
    /// The whole statement it is part of, with its `;`; the head of one that holds others.
    pub statement: Span,
    /// The brace that closes the body of a loop; empty for all else.
    pub close: Span,
}

/// What a branch is in the source, where naga's statement does not show it: front ends say so of those that
/// they know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// No branch: the front end made it, to say something else.
    Not,
    /// `&&` or `||`.
    Logic,
    /// An arm of a `match`, tested after those before it; the `if`s of one `match` have one place.
    Match,
}

/// All sites of a program, and how to find them.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// By [`SiteId`].
    pub list: Vec<Site>,
    loads: FxHashMap<(FunctionId, Handle<Expression>), SiteId>,
    statements: FxHashMap<(FunctionId, StatementId), SiteId>,
    barriers: FxHashMap<(FunctionId, StatementId), SiteId>,
    written: FxHashMap<SiteId, Written>,
    orderings: FxHashMap<SiteId, Ordering>,
    claims: FxHashMap<(FunctionId, Handle<Expression>), (Claim, Span)>,
}

impl Sites {
    /// Adds a site for the load or image load `expression`.
    pub fn add_load(&mut self, expression: Handle<Expression>, site: Site) -> SiteId {
        let id = self.push(site);
        self.loads.insert((self.list[id.0 as usize].function, expression), id);
        id
    }

    /// Adds a site for the statement with this number.
    pub fn add_statement(&mut self, statement: StatementId, site: Site) -> SiteId {
        let key = (site.function, statement);
        let barrier = matches!(site.kind, SiteKind::Barrier(_));
        let id = self.push(site);
        if barrier { &mut self.barriers } else { &mut self.statements }.insert(key, id);
        id
    }

    fn push(&mut self, site: Site) -> SiteId {
        self.list.push(site);
        SiteId(self.list.len() as u32 - 1)
    }

    /// The site of a load, if it is an access.
    pub fn load(&self, function: FunctionId, expression: Handle<Expression>) -> Option<SiteId> {
        self.loads.get(&(function, expression)).copied()
    }

    /// The indices of the sites of loads.
    pub fn loads(&self) -> FxHashSet<usize> {
        self.loads.values().map(|site| site.0 as usize).collect()
    }

    /// The indices of the sites of stores in `module`.
    pub fn stores(&self, module: &Module) -> FxHashSet<usize> {
        let mut stores = FxHashSet::default();
        for id in FunctionId::all(module) {
            walk::statements(&id.get(module).body, &mut |at, statement, _| {
                if let Statement::Store { .. } = statement {
                    stores.extend(self.statement(id, at).map(|site| site.0 as usize));
                }
            });
        }
        stores
    }

    /// The site of a statement other than a barrier (for `workgroupUniformLoad`: of its read).
    pub fn statement(&self, function: FunctionId, at: StatementId) -> Option<SiteId> {
        self.statements.get(&(function, at)).copied()
    }

    /// The site of a barrier statement, or of the barrier in a `workgroupUniformLoad`.
    pub fn barrier(&self, function: FunctionId, at: StatementId) -> Option<SiteId> {
        self.barriers.get(&(function, at)).copied()
    }

    /// Says what the source claims of an expression, and where it does.
    pub fn set_claim(
        &mut self,
        function: FunctionId,
        expression: Handle<Expression>,
        claim: Claim,
        span: Span,
    ) {
        self.claims.insert((function, expression), (claim, span));
    }

    /// What the source claims of an expression, and where.
    pub fn claim(
        &self,
        function: FunctionId,
        expression: Handle<Expression>,
    ) -> Option<(Claim, Span)> {
        self.claims.get(&(function, expression)).copied()
    }

    /// Says what the branch at `site` is in the source.
    pub fn set_written(&mut self, site: SiteId, written: Written) {
        self.written.insert(site, written);
    }

    /// What the branch at `site` is in the source, if its statement does not show it.
    pub fn written(&self, site: SiteId) -> Option<Written> {
        self.written.get(&site).copied()
    }

    /// Says how the atomic access or fence at `site` orders memory.
    pub fn set_ordering(&mut self, site: SiteId, ordering: Ordering) {
        self.orderings.insert(site, ordering);
    }

    /// How the atomic access or fence at `site` orders memory, if its language says so.
    pub fn ordering(&self, site: SiteId) -> Option<Ordering> {
        self.orderings.get(&site).copied()
    }

    /// Takes over from `others` what front ends said of sites, each from that of `others` which `origins` says it is.
    pub fn copy_said(&mut self, others: &Self, origins: &[SiteId]) {
        let known = (0..).map(SiteId).zip(origins);
        let written = |(site, origin): (_, &SiteId)| Some((site, others.written(*origin)?));
        self.written = known.clone().filter_map(written).collect();
        let ordering = |(site, origin): (_, &SiteId)| Some((site, others.ordering(*origin)?));
        self.orderings = known.filter_map(ordering).collect();
    }

    /// What the barrier at `site` does, if that is one.
    pub fn barrier_at(&self, site: SiteId) -> Option<Barrier> {
        match self.get(site)?.kind {
            SiteKind::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }

    /// The site itself; `None` for [`SiteId::NONE`].
    pub fn get(&self, id: SiteId) -> Option<&Site> {
        self.list.get(id.0 as usize)
    }

    /// The access at `id`, if that is one.
    pub fn access(&self, id: SiteId) -> Option<&Access> {
        match &self.get(id)?.kind {
            SiteKind::Access(access) => Some(access),
            _ => None,
        }
    }

    /// Every site that is an access.
    pub fn accesses(&self) -> impl Iterator<Item = (SiteId, &Site, &Access)> {
        self.list.iter().enumerate().filter_map(|(i, site)| match &site.kind {
            SiteKind::Access(access) => Some((SiteId(i as u32), site, access)),
            _ => None,
        })
    }
}
