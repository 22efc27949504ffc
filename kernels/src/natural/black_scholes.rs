//! Prices of options by the Black–Scholes formula.

/// A price for each option.
#[hirace::monitor]
pub mod black_scholes {
    use hirace::prelude::*;
    use std::f32::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

    /// The kind of an option.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// The right to buy.
        Call,
        /// The right to sell.
        Put,
        /// A fixed payment if the stock is above the strike.
        Digital,
    }

    impl Kind {
        const fn from_code(code: u32) -> Option<Self> {
            Some(match code {
                0 => Self::Call,
                1 => Self::Put,
                2 => Self::Digital,
                _ => return None,
            })
        }
    }

    /// An option.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Contract {
        /// Kind: 0 for a call, 1 for a put, 2 for a digital option.
        pub kind: u32,
        /// Current price of the stock.
        pub spot: f32,
        /// Strike price.
        pub strike: f32,
        /// Time to expiry in years.
        pub expiry: f32,
    }

    /// Parameters that are the same for all options.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Market {
        /// Risk-free interest rate.
        pub rate: f32,
        /// Volatility of the stock.
        pub volatility: f32,
    }

    /// Approximates the error function, by formula 7.1.26 of Abramowitz and Stegun.
    fn erf(x: f32) -> f32 {
        const COEFFICIENTS: [f32; 5] =
            [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
        let t = 1.0 / (1.0 + 0.3275911 * x.abs());
        let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, c| (sum + c) * t);
        (1.0 - polynomial * (-x * x).exp()).copysign(x)
    }

    fn normal_cdf(x: f32) -> f32 {
        0.5 * (1.0 + erf(x * FRAC_1_SQRT_2))
    }

    fn normal_density(x: f32) -> f32 {
        (-0.5 * x * x).exp() / (PI.sqrt() * SQRT_2)
    }

    fn price(contract: &Contract, market: Market) -> Option<(f32, f32)> {
        let &Contract { kind, spot, strike, expiry } = contract;
        let Market { rate, volatility } = market;
        let kind = Kind::from_code(kind)?;
        let spread = volatility * expiry.sqrt();
        let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility.powi(2)) * expiry) / spread;
        let d2 = d1 - spread;
        let discount = (-rate * expiry).exp();
        let value = match kind {
            Kind::Call => spot * normal_cdf(d1) - strike * discount * normal_cdf(d2),
            Kind::Put => strike * discount * normal_cdf(-d2) - spot * normal_cdf(-d1),
            Kind::Digital => discount * normal_cdf(d2),
        };
        let vega = if matches!(kind, Kind::Call | Kind::Put) {
            spot * normal_density(d1) * expiry.sqrt()
        } else {
            0.0
        };
        Some((value, vega))
    }

    /// Computes prices and their derivative with respect to volatility; -1 for an unknown kind.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] market: Market,
        contracts: &[Contract],
        prices: &mut [f32],
        vegas: &mut [f32],
    ) {
        let i = id.x as usize;
        if let Some(contract) = contracts.get(i) {
            (prices[i], vegas[i]) = price(contract, market).unwrap_or((-1.0, -1.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::black_scholes::{self, Contract, Market};
    use crate::support::{assert_close, clean, floats};
    use hirace::Launch;

    /// Returns the cumulative normal distribution, integrated numerically.
    fn cdf(x: f64) -> f64 {
        let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let step = (x + 10.0) / 4000.0;
        (0..4000).map(|i| density(-10.0 + (f64::from(i) + 0.5) * step) * step).sum()
    }

    #[test]
    fn options_have_prices() {
        let contracts: Vec<Contract> = floats(300, 240)
            .chunks(3)
            .zip(0..)
            .map(|(f, i)| Contract {
                kind: i % 4,
                spot: 10.0 + f[0],
                strike: 10.0 + 2.0 * f[1],
                expiry: 1.5 + f[2],
            })
            .collect();
        let launch =
            Launch::new().workgroups(2).buffer("market", &Market { rate: 0.03, volatility: 0.2 });
        let launch = launch.buffer("contracts", &contracts).zeros("prices", 100);
        let run = clean(&black_scholes::clean::kernel(), launch.zeros("vegas", 100));
        let (mut prices, mut vegas) = (Vec::new(), Vec::new());
        for contract in contracts {
            let (s, k) = (f64::from(contract.spot), f64::from(contract.strike));
            let t = f64::from(contract.expiry);
            let spread = 0.2 * t.sqrt();
            let d1 = ((s / k).ln() + 0.05 * t) / spread;
            let d2 = d1 - spread;
            let discounted = (-0.03 * t).exp();
            let vega = s * t.sqrt() * (-d1 * d1 / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            let (price, vega) = match contract.kind {
                0 => (s * cdf(d1) - k * discounted * cdf(d2), vega),
                1 => (k * discounted * (1.0 - cdf(d2)) - s * (1.0 - cdf(d1)), vega),
                2 => (discounted * cdf(d2), 0.0),
                _ => (-1.0, -1.0),
            };
            prices.push(price as f32);
            vegas.push(vega as f32);
        }
        assert_close(&run.read::<f32>("prices"), &prices, 1e-3);
        assert_close(&run.read::<f32>("vegas"), &vegas, 1e-3);
    }
}
