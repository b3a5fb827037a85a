//! Lazuli
pub mod rules;
