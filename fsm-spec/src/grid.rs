//! Small grids of invocations, for the search of [`crate::proof`].

use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// The most invocations a [`Grid`] may have: a product state has to fit a word.
pub const MAX_INVOCATIONS: usize = 6;

/// Which invocations there are, and how they are grouped.
///
/// Written as the sizes of subgroups, `,` between subgroups and `/` between workgroups: `2,1/1` is two
/// invocations in one subgroup, one in another of the same workgroup, and one in another workgroup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    members: Vec<Member>,
}

/// Where one invocation belongs. Subgroups are numbered over the whole grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub workgroup: usize,
    pub subgroup: usize,
}

impl Grid {
    /// The invocations, by number.
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }
}

/// Why a text is no [`Grid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridError {
    /// A subgroup's size is not a number from 1.
    Size,
    /// More than [`MAX_INVOCATIONS`] in all.
    TooMany,
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => write!(
                f,
                "a grid is the sizes of its subgroups, with `,` between subgroups and `/` between \
                 workgroups, as in `2,1/1`"
            ),
            Self::TooMany => write!(f, "a grid has at most {MAX_INVOCATIONS} invocations in all"),
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
