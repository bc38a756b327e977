//! What a float may be, however it was rounded on the way.

use crate::Scalar;

/// All numbers from `low` to `high`. Each operation adds what rounding may change ([`SLACK`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounded {
    low: f64,
    high: f64,
}

/// Units in the last place that an operation may be wrong by: Vulkan allows quotients two and a half, all else less.
const SLACK: f64 = 3.0;

/// Devices may flush numbers below this to zero.
const LEAST: f64 = 1e-30;

impl Rounded {
    pub(crate) fn point(value: f64) -> Rounded {
        Rounded { low: value, high: value }
    }

    pub(crate) fn low(self) -> f64 {
        self.low
    }

    pub(crate) fn high(self) -> f64 {
        self.high
    }

    pub(crate) fn hull(self, other: Rounded) -> Rounded {
        Rounded { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub(crate) fn negated(self) -> Rounded {
        Rounded { low: -self.high, high: -self.low }
    }

    pub(crate) fn plus(self, other: Rounded, scalar: Scalar) -> Option<Rounded> {
        Rounded { low: self.low + other.low, high: self.high + other.high }.widened(scalar)
    }

    pub(crate) fn times(self, other: Rounded, scalar: Scalar) -> Option<Rounded> {
        self.of_ends(other, |a, b| a * b).widened(scalar)
    }

    pub(crate) fn over(self, other: Rounded, scalar: Scalar) -> Option<Rounded> {
        let has_zero = other.low <= 0.0 && other.high >= 0.0;
        if has_zero { None } else { self.of_ends(other, |a, b| a / b).widened(scalar) }
    }

    /// In another width.
    pub(crate) fn converted(self, scalar: Scalar) -> Option<Rounded> {
        self.widened(scalar)
    }

    /// `None` if it depends on how the numbers are rounded.
    pub(crate) fn is_less(self, other: Rounded) -> Option<bool> {
        match () {
            () if self.high < other.low => Some(true),
            () if self.low >= other.high => Some(false),
            () => None,
        }
    }

    pub(crate) fn is_equal(self, other: Rounded) -> Option<bool> {
        let is_apart = self.high < other.low || other.high < self.low;
        let is_one = self.low == self.high && self == other;
        (is_apart || is_one).then_some(is_one)
    }

    /// The range, if what devices make of its numbers is known: they may flush the smallest ones to zero, and differ in
    /// what is not finite.
    pub(crate) fn settled(self, scalar: Scalar) -> Option<Rounded> {
        let largest = match scalar {
            Scalar::F16 => 65504.0,
            Scalar::F64 => f64::MAX,
            _ => f64::from(f32::MAX),
        };
        let is_settled = |end: f64| end == 0.0 || (end.abs() > LEAST && end.abs() <= largest);
        (is_settled(self.low) && is_settled(self.high)).then_some(self)
    }

    fn of_ends(self, other: Rounded, of: impl Fn(f64, f64) -> f64) -> Rounded {
        let ends =
            [of(self.low, other.low), of(self.low, other.high), of(self.high, other.low), of(self.high, other.high)];
        Rounded {
            low: ends.into_iter().fold(f64::INFINITY, f64::min),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// With what rounding may change. A whole number that each width holds stays what it is: sums of such numbers are
    /// right everywhere.
    fn widened(self, scalar: Scalar) -> Option<Rounded> {
        let digits = match scalar {
            Scalar::F16 => 11,
            Scalar::F64 => 53,
            _ => 24,
        };
        if self.low == self.high && is_exact(self.low, digits) {
            return self.settled(scalar);
        }
        let slack = SLACK * 0.5f64.powi(digits - 1);
        Rounded { low: self.low - self.low.abs() * slack, high: self.high + self.high.abs() * slack }.settled(scalar)
    }
}

/// Whether a number has at most so many binary digits, so that no width rounds it. What fills a double nearly was most
/// likely rounded to it.
fn is_exact(value: f64, digits: i32) -> bool {
    let trailing = (value.to_bits() | 1 << 52).trailing_zeros() as i32;
    value == 0.0 || 53 - trailing <= digits.min(48)
}
