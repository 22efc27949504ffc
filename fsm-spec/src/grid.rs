//! Small grids of invocations, for the search of [`crate::proof`].

use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// Maximum number of invocations of a [`Grid`]: a product state must fit in a word.
pub const MAX_INVOCATIONS: usize = 6;

/// The invocations of a grid and how they are grouped.
///
/// The text form is the sizes of subgroups, with `,` between subgroups and `/` between workgroups: `2,1/1` is
/// two invocations in one subgroup, one in another subgroup of the same workgroup, and one in another
/// workgroup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    members: Vec<Member>,
}

/// The workgroup and subgroup of one invocation. Subgroups are numbered over the whole grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub workgroup: usize,
    pub subgroup: usize,
}

impl Grid {
    /// Returns the invocations, by number.
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }
}

/// An error in the text of a [`Grid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridError {
    /// A subgroup's size is not a number of at least 1.
    Size,
    /// There are more than [`MAX_INVOCATIONS`] invocations.
    TooMany,
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => write!(
                f,
                "expected the sizes of the subgroups, with `,` between subgroups and `/` between \
                 workgroups, as in `2,1/1`"
            ),
            Self::TooMany => write!(f, "a grid can have at most {MAX_INVOCATIONS} invocations"),
        }
    }
}

impl core::error::Error for GridError {}

impl FromStr for Grid {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let mut members = Vec::new();
        let mut subgroup = 0;
        for (workgroup, subgroups) in text.split('/').enumerate() {
            for size in subgroups.split(',') {
                let size: usize = size.trim().parse().map_err(|_| GridError::Size)?;
                if size == 0 {
                    return Err(GridError::Size);
                }
                if size > MAX_INVOCATIONS - members.len() {
                    return Err(GridError::TooMany);
                }
                members.resize(members.len() + size, Member { workgroup, subgroup });
                subgroup += 1;
            }
        }
        Ok(Self { members })
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut size = 0;
        for (i, member) in self.members.iter().enumerate() {
            size += 1;
            match self.members.get(i + 1) {
                Some(next) if next.subgroup == member.subgroup => continue,
                Some(next) if next.workgroup == member.workgroup => write!(f, "{size},")?,
                Some(_) => write!(f, "{size}/")?,
                None => write!(f, "{size}")?,
            }
            size = 0;
        }
        Ok(())
    }
}
