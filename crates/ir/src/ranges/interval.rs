//! Sets of integers without gaps, and what the operations make of them.

use crate::Scalar;

/// All integers from `low` to `high`, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The least of them.
    pub low: i128,
    /// The greatest of them.
    pub high: i128,
}

/// Bounds of offsets between values of one type lie within.
pub(super) const FAR: i128 = 1 << 80;

impl Interval {
    /// Zero alone.
    pub const ZERO: Interval = Interval { low: 0, high: 0 };

    /// From `low` to `high`, which is not less.
    pub const fn new(low: i128, high: i128) -> Interval {
        Interval { low, high }
    }

    /// One integer.
    pub const fn only(value: i128) -> Interval {
        Interval { low: value, high: value }
    }

    /// The values of a type, `None` for floats.
    pub fn of_type(scalar: Scalar) -> Option<Interval> {
        if scalar == Scalar::Bool {
            return Some(Interval::new(0, 1));
        }
        let bits = scalar.bits();
        scalar.is_integer().then(|| match scalar.is_signed() {
            true => Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => Interval::new(0, (1 << bits) - 1),
        })
    }

    /// The one value that there is.
    pub fn single(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether all of `other` is in it.
    pub fn contains(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether an integer is in it.
    pub fn has(self, value: i128) -> bool {
        self.contains(Interval::only(value))
    }

    /// The least interval that holds both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// What is in both; `None` if nothing is.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Interval { low, high })
    }

    /// The sums of one of each.
    pub fn plus(self, other: Interval) -> Interval {
        Interval::new(self.low + other.low, self.high + other.high).clamped()
    }

    /// The differences of one of each.
    pub fn minus(self, other: Interval) -> Interval {
        self.plus(Interval::new(-other.high, -other.low))
    }

    /// The products of one of each.
    pub fn times(self, other: Interval) -> Interval {
        let products = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        Interval::over(products.map(|(a, b)| a.saturating_mul(b))).clamped()
    }

    /// Division that rounds to zero, by numbers none of which is zero.
    pub fn divided_by(self, other: Interval) -> Option<Interval> {
        if other.has(0) {
            return None;
        }
        let quotients =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let hull = Interval::over(quotients.map(|(a, b)| a / b));
        // Between a negative and a positive dividend there is zero.
        Some(if self.has(0) { hull.hull(Interval::ZERO) } else { hull })
    }

    /// What times one of `other` can be one of these: if all of `other` are of one sign.
    pub fn factor(self, other: Interval) -> Option<Interval> {
        if other.high < 0 {
            return Interval::ZERO.minus(self).factor(Interval::ZERO.minus(other));
        }
        if other.low < 1 {
            return None;
        }
        // The furthest from zero are by the least factor, those next to it by the greatest.
        let most = |product: i128| match product >= 0 {
            true => product / other.low,
            false => -((-product - 1) / other.high + 1),
        };
        Some(Interval { low: -most(-self.low), high: most(self.high) })
    }

    /// What divided by one of `other`, rounded to zero, can be one of these: if all of `other` are greater than zero.
    pub fn dividend(self, other: Interval) -> Option<Interval> {
        if other.low < 1 {
            return None;
        }
        let most = |quotient: i128| match quotient >= 0 {
            true => (quotient + 1).saturating_mul(other.high) - 1,
            false => quotient.saturating_mul(other.low),
        };
        Some(Interval { low: -most(-self.low), high: most(self.high) }.clamped())
    }

    /// The remainder, with the sign of the dividend, by numbers none of which is zero.
    pub fn remainder(self, other: Interval) -> Option<Interval> {
        if other.has(0) {
            return None;
        }
        if let (Some(a), Some(b)) = (self.single(), other.single()) {
            return Some(Interval::only(a % b));
        }
        let most = other.low.abs().max(other.high.abs()) - 1;
        let low = if self.low >= 0 { 0 } else { (-most).max(self.low) };
        let high = if self.high <= 0 { 0 } else { most.min(self.high) };
        Some(Interval::new(low, high))
    }

    /// `a >> b` with the sign kept, for counts within the width of the type.
    pub fn shifted_right(self, count: Interval) -> Interval {
        let (least, most) = (count.low as u32, count.high as u32);
        Interval::over([self.low >> least, self.low >> most, self.high >> least, self.high >> most])
    }

    fn over(values: [i128; 4]) -> Interval {
        values.into_iter().map(Interval::only).reduce(Interval::hull).unwrap_or(Interval::ZERO)
    }

    /// Keeps sums of sums from leaving the numbers that are computed with.
    fn clamped(self) -> Interval {
        Interval::new(self.low.clamp(-FAR, FAR), self.high.clamp(-FAR, FAR))
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;

    const SMALL: std::ops::RangeInclusive<i128> = -4..=4;

    fn intervals() -> impl Iterator<Item = Interval> {
        SMALL.flat_map(|low| (low..=4).map(move |high| Interval { low, high }))
    }

    /// `of` holds every result of `op` on members, and its ends are reached.
    fn check(of: impl Fn(Interval, Interval) -> Option<Interval>, op: impl Fn(i128, i128) -> i128, is_tight: bool) {
        for a in intervals() {
            for b in intervals() {
                let Some(found) = of(a, b) else { continue };
                let results: Vec<i128> = (a.low..=a.high)
                    .flat_map(|x| (b.low..=b.high).map(move |y| (x, y)))
                    .map(|(x, y)| op(x, y))
                    .collect();
                let (least, most) = (*results.iter().min().unwrap(), *results.iter().max().unwrap());
                assert!(found.contains(Interval::new(least, most)), "{a:?} {b:?}: {found:?}");
                assert!(!is_tight || found == Interval::new(least, most), "{a:?} {b:?}: {found:?}");
            }
        }
    }

    /// `of` holds every operand for which `op` gives a member.
    fn check_inverse(of: impl Fn(Interval, Interval) -> Option<Interval>, op: impl Fn(i128, i128) -> i128) {
        for results in intervals() {
            for others in intervals() {
                let Some(found) = of(results, others) else { continue };
                for operand in -40..=40 {
                    let fits = (others.low..=others.high).any(|other| results.has(op(operand, other)));
                    assert!(
                        !fits || (found.low <= operand && operand <= found.high),
                        "{results:?} {others:?} {operand}: {found:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn inverses_hold_all_operands() {
        check_inverse(Interval::factor, |x, y| x * y);
        check_inverse(Interval::dividend, |x, y| x / y);
        let product = Interval::new(-7, 50);
        assert_eq!(product.factor(Interval::only(2)), Some(Interval::new(-3, 25)));
        assert_eq!(Interval::new(7, 50).factor(Interval::new(2, 3)), Some(Interval::new(3, 25)));
        assert_eq!(Interval::new(1, 4).dividend(Interval::only(2)), Some(Interval::new(2, 9)));
        assert_eq!(Interval::new(-1, 0).dividend(Interval::only(2)), Some(Interval::new(-3, 1)));
    }

    #[test]
    fn operations_on_intervals_hold_what_they_give_on_numbers() {
        check(|a, b| Some(a.plus(b)), |x, y| x + y, true);
        check(|a, b| Some(a.minus(b)), |x, y| x - y, true);
        check(|a, b| Some(a.times(b)), |x, y| x * y, true);
        check(Interval::divided_by, |x, y| x / y, true);
        check(Interval::remainder, |x, y| x % y, false);
        check(|a, b| (b.low >= 0).then(|| a.shifted_right(b)), |x, y| x >> y, true);
    }
}
