//! The options of a test run, as one value of an environment variable.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The environment variable that holds [`Options`]. `cargo xtask test` sets it; nothing else reads or writes it.
pub const VARIABLE: &str = "HIRACE_TEST";

/// The set of tests that run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The tests that `cargo test` runs.
    #[default]
    Quick,
    /// The tests that `.ci/run` runs, in 25 minutes.
    Ci,
    /// All tests, except the trials that run only by name.
    Full,
}

/// A program or device that some tests need. Without it they are ignored, unless it is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Facility {
    /// A web browser.
    Browser,
    /// Readers of coverage reports: `genhtml` and `xmllint`.
    CoverageTools,
    /// A device with a Vulkan driver.
    Gpu,
    /// Oclgrind.
    Oclgrind,
    /// The registry of crates.
    Registry,
    /// rust-analyzer.
    RustAnalyzer,
    /// The built program `hirace-litmus-service`.
    Service,
    /// Producers of SPIR-V: `glslangValidator`, `glslc` and `spirv-as`.
    SpirvTools,
}

impl Facility {
    /// All facilities.
    pub const ALL: [Self; 8] = [
        Self::Browser,
        Self::CoverageTools,
        Self::Gpu,
        Self::Oclgrind,
        Self::Registry,
        Self::RustAnalyzer,
        Self::Service,
        Self::SpirvTools,
    ];

    /// Returns the name that `--require` accepts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::CoverageTools => "coverage-tools",
            Self::Gpu => "gpu",
            Self::Oclgrind => "oclgrind",
            Self::Registry => "registry",
            Self::RustAnalyzer => "rust-analyzer",
            Self::Service => "service",
            Self::SpirvTools => "spirv-tools",
        }
    }

    /// Parses a list of names, separated by commas. `all` names all of them.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn parse_list(text: &str) -> Result<BTreeSet<Self>, String> {
        let mut found = BTreeSet::new();
        for name in text.split(',').filter(|name| !name.is_empty()) {
            match Self::ALL.into_iter().find(|facility| facility.name() == name) {
                Some(facility) => drop(found.insert(facility)),
                None if name == "all" => found.extend(Self::ALL),
                None => {
                    let known = Self::ALL.map(Self::name).join(", ");
                    return Err(format!("unknown facility `{name}`: use all, {known}"));
                }
            }
        }
        Ok(found)
    }
}

/// The options of a run of the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The set of tests that run.
    pub tier: Tier,
    /// Whether tests regenerate checked-in output instead of comparing it.
    pub bless: bool,
    /// Facilities without which tests fail instead of being ignored.
    pub required: BTreeSet<Facility>,
    /// The first seed of random suites.
    pub seed: u64,
}

impl Options {
    /// Returns whether a test that needs this facility has to run.
    pub fn requires(&self, facility: Facility) -> bool {
        self.required.contains(&facility)
    }
}

/// Writes the value of [`VARIABLE`]: `tier=ci seed=7 require=gpu,oclgrind bless`.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tier = match self.tier {
            Tier::Quick => "quick",
            Tier::Ci => "ci",
            Tier::Full => "full",
        };
        write!(f, "tier={tier} seed={}", self.seed)?;
        if !self.required.is_empty() {
            let names: Vec<&str> = self.required.iter().map(|facility| facility.name()).collect();
            write!(f, " require={}", names.join(","))?;
        }
        if self.bless { f.write_str(" bless") } else { Ok(()) }
    }
}

impl FromStr for Options {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("tier", "quick")) => options.tier = Tier::Quick,
                Some(("tier", "ci")) => options.tier = Tier::Ci,
                Some(("tier", "full")) => options.tier = Tier::Full,
                Some(("seed", seed)) => options.seed = parse_seed(seed)?,
                Some(("require", names)) => options.required = Facility::parse_list(names)?,
                None if word == "bless" => options.bless = true,
                _ => return Err(format!("unknown option `{word}`")),
            }
        }
        Ok(options)
    }
}

/// Parses a seed. Seeds are below 2^32, so that adding a number of inputs to a seed never overflows.
fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse::<u32>().map(u64::from).map_err(|error| format!("seed `{text}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_are_written() {
        let options = Options {
            tier: Tier::Ci,
            bless: true,
            required: [Facility::Gpu, Facility::SpirvTools].into(),
            seed: 4_294_967_295,
        };
        let text = options.to_string();
        assert_eq!(text, "tier=ci seed=4294967295 require=gpu,spirv-tools bless");
        assert_eq!(text.parse(), Ok(options));
        assert_eq!("".parse(), Ok(Options::default()));
        assert_eq!("require=all".parse::<Options>().unwrap().required.len(), Facility::ALL.len());
    }

    #[test]
    fn an_unknown_word_is_an_error() {
        for text in
            ["tier=long", "seed=4294967296", "seed=-1", "require=gpus", "blessed", "bless=1"]
        {
            assert!(text.parse::<Options>().is_err(), "{text}");
        }
        let error = Facility::parse_list("gpu,vulkan").unwrap_err();
        assert!(error.contains("`vulkan`") && error.contains("spirv-tools"), "{error}");
    }

    #[test]
    fn tiers_are_ordered() {
        assert!(Tier::Quick < Tier::Ci && Tier::Ci < Tier::Full);
    }
}
