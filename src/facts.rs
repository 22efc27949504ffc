//! The facts about a launch as types, for programs that base decisions on them: [`Checked::launches`](crate::Checked::launches).
//!
//! A later version may add variants and fields, so a `match` needs an arm for unknown variants. Treat an unknown verdict as
//! inconclusive.

pub use hirace_core::edit::Edit;
pub use hirace_core::facts::assertion::{Operands, Scalar};
pub use hirace_core::facts::assumption::Contents;
pub use hirace_core::facts::contract::{
    Condition, ContractOutcome, Difference, Inequality, Sum, Term, Violation,
};
pub use hirace_core::facts::suggestion::{AtomicFunction, AtomicTarget};
pub use hirace_core::facts::warning::{
    NonUniform, UncheckedBarriersReason, UncheckedMemory, UniformityRequirement,
};
pub use hirace_core::facts::{
    Access, Actor, Assumption, Barrier, BarrierClass, Cause, CauseLink, Certainty, DangerousUse,
    Dependence, Device, DeviceInfo, DispatchOrder, DispatchOrderError, Divergence, Doubt,
    FailedAssertion, FieldValue, Finding, FindingKind, Fingerprint, Fix, Flag, Grid, Hazard,
    HostDispatch, InferredInputs, InputRequest, InvocationLocation, Kind, LaunchFacts, Memory,
    MissingInvocations, NoProgress, Note, NoteKind, Number, OmittedParts, OtherAccess, OutOfBounds,
    OutOfBoundsAccess, Outcome, Picture, Place, Race, RaceConsequences, RaceExtent, Reach,
    Relation, Remark, Replay, RequestedInput, SameValue, Severity, Shadow, ShadowWords, Space,
    Stats, Suggestion, SuppressedBy, SuppressedFinding, Touch, UnlocatedDivergence, Varying,
    Verdict, Waiting, Warning, Word,
};
pub use hirace_core::ir::access::Action;
pub use hirace_core::program::{HostSize, HostValue};
pub use hirace_core::source_map::{LineColumn, SourceMap, Span};
pub use hirace_core::vm::run::Invocation;
pub use hirace_core::vm::schedule::Schedule;
pub use hirace_core::watch::UnwatchedVariable;
pub use hirace_core::webgpu::{Requirement, Variable};
