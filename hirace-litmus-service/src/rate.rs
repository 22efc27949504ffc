//! A rate limiter by address.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;

/// The number of addresses from which inactive ones are dropped.
const MANY: usize = 10_000;

/// A rate limiter by address.
#[derive(Debug)]
pub struct Rate {
    limiter: Option<DefaultKeyedRateLimiter<IpAddr>>,
}

impl Rate {
    /// Creates a limiter with a number of requests per minute; 0 is unlimited.
    pub fn new(a_minute: u32) -> Self {
        let quota = NonZeroU32::new(a_minute).map(Quota::per_minute);
        Self { limiter: quota.map(RateLimiter::keyed) }
    }

    /// Counts a request. If it exceeds the limit, returns the number of seconds to wait.
    pub fn take(&self, address: IpAddr) -> Result<(), u64> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        if limiter.len() > MANY {
            limiter.retain_recent();
        }
        limiter.check_key(&network(address)).map_err(|until| {
            until.wait_time_from(DefaultClock::default().now()).as_secs().saturating_add(1)
        })
    }
}

/// Returns the network of an IPv6 address, since a client can use all addresses of its network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.into(),
            None => Ipv6Addr::from_bits(address.to_bits() & !(u128::from(u64::MAX))).into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_own_count_and_a_network_one() {
        let rate = Rate::new(2);
        let of = |text: &str| rate.take(text.parse().unwrap()).is_ok();
        assert_eq!(["10.0.0.1"; 3].map(of), [true, true, false]);
        assert!(of("10.0.0.2"));
        assert!(!of("::ffff:10.0.0.1"));
        assert_eq!(["2001:db8::1", "2001:db8::2", "2001:db8::3"].map(of), [true, true, false]);
        assert!(of("2001:db8:0:1::1"));
    }

    #[test]
    fn none_is_no_limit() {
        let rate = Rate::new(0);
        assert!((0..1000).all(|_| rate.take([127, 0, 0, 1].into()).is_ok()));
    }
}
