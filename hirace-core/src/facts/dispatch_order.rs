//! An order for one dispatch of a launch, as reports show it and `--replay` accepts it.

use crate::vm::order::{Order, OrderError};
use std::fmt;
use std::str::FromStr;

/// An order for one dispatch of a launch; all other dispatches run in the serial order.
///
/// The text form is the order, preceded by the number of the dispatch if that is not the first: `target-first:3`,
/// `2/choices:0x5,1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DispatchOrder {
    /// The index of the dispatch, from 0.
    pub dispatch: usize,
    /// The order of the dispatch.
    #[doc(hidden)]
    pub order: Order,
}

impl DispatchOrder {
    /// Creates an order for the dispatch with this index.
    #[doc(hidden)]
    pub fn new(dispatch: usize, order: Order) -> Self {
        Self { dispatch, order }
    }
}

impl fmt::Display for DispatchOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dispatch {
            0 => self.order.fmt(f),
            dispatch => write!(f, "{}/{}", dispatch + 1, self.order),
        }
    }
}

/// The reason why a text is not a valid [`DispatchOrder`].
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchOrderError {
    /// The part before the slash is not the number of a dispatch.
    #[error("`{0}` is not the number of a dispatch: the first is 1")]
    Dispatch(String),
    /// The remaining text is not an order.
    #[error(transparent)]
    Order(
        #[doc(hidden)]
        #[from]
        OrderError,
    ),
}

impl FromStr for DispatchOrder {
    type Err = DispatchOrderError;

    fn from_str(text: &str) -> Result<Self, DispatchOrderError> {
        let (number, order) = text.split_once('/').unwrap_or(("1", text));
        let dispatch = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let dispatch = dispatch.ok_or_else(|| DispatchOrderError::Dispatch(number.to_owned()))?;
        Ok(Self { dispatch, order: order.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_parse_round_trip() {
        for text in ["serial", "target-first:3", "2/choices:0x5,1", "17/pct:1:2:40"] {
            let scheduled: DispatchOrder = text.parse().unwrap();
            assert_eq!(scheduled.to_string(), text);
        }
        assert_eq!("1/serial".parse::<DispatchOrder>().unwrap().to_string(), "serial");
    }

    #[test]
    fn invalid_texts_are_rejected() {
        for text in ["", "0/serial", "x/serial", "1/", "/serial", "-1/serial", "2/3/serial"] {
            assert!(text.parse::<DispatchOrder>().is_err(), "{text}");
        }
    }
}
