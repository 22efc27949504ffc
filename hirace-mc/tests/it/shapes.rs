//! Known shapes.
