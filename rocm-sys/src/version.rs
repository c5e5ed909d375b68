//! Library versions.

use std::fmt;

/// A HIP version, such as 6.4.43484.
///
/// Up to 7.2, the first two numbers are those of the ROCm release. ROCm 10.0 contains HIP 7.15: see
/// [`Release`](crate::roots::Release).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 6 in 6.4.43484.
    pub major: u32,
    /// 4 in 6.4.43484.
    pub minor: u32,
    /// HIP's build number.
    pub patch: u32,
}

impl Version {
    /// Decodes the number returned by `hipRuntimeGetVersion`: major * 10^7 + minor * 10^5 + patch.
    pub fn from_hip(number: i32) -> Version {
        let number = number.max(0) as u32;
        Version { major: number / 10_000_000, minor: number / 100_000 % 100, patch: number % 100_000 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hip_version_numbers_are_decoded() {
        assert_eq!(Version::from_hip(60_443_484), Version { major: 6, minor: 4, patch: 43484 });
        assert_eq!(Version::from_hip(50_221_153).to_string(), "5.2.21153");
        assert_eq!(Version::from_hip(71_526_333).to_string(), "7.15.26333");
        assert_eq!(Version::from_hip(-1), Version { major: 0, minor: 0, patch: 0 });
    }
}
