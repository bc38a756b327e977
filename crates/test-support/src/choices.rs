//! Random choices that can be repeated, cut and made simpler: how a generator gets seeds, and how what it makes is reduced.
//!
//! A generator that asks [`Choices`] for everything it decides is a function from a list of numbers to a program. To make a
//! program smaller, numbers are removed from the list or made smaller ([`shrink`]): whatever list comes out is a program
//! again. So 0 must be the simplest choice everywhere.

use fastrand::Rng;

/// Where a generator's decisions come from: a seed, or a list of earlier decisions.
#[derive(Debug)]
pub struct Choices {
    rng: Option<Rng>,
    replayed: std::vec::IntoIter<u32>,
    made: Vec<u32>,
}

impl Choices {
    /// Choices that are the same for the same seed.
    pub fn of_seed(seed: u64) -> Choices {
        Choices { rng: Some(Rng::with_seed(seed)), replayed: Vec::new().into_iter(), made: Vec::new() }
    }

    /// The choices of a list, and then the simplest ones.
    pub fn replay(choices: Vec<u32>) -> Choices {
        Choices { rng: None, replayed: choices.into_iter(), made: Vec::new() }
    }

    /// All choices so far.
    pub fn made(&self) -> &[u32] {
        &self.made
    }

    /// One of so many possibilities, of which the first is the simplest.
    pub fn below(&mut self, count: usize) -> usize {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let choice = match &mut self.rng {
            Some(rng) => rng.u32(0..count),
            None => self.replayed.next().unwrap_or(0).min(count - 1),
        };
        self.made.push(choice);
        choice as usize
    }

    /// A number of a range, of which the first is the simplest.
    pub fn within(&mut self, range: std::ops::RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end().saturating_sub(*range.start()) + 1)
    }

    /// Something that happens so many times in ten; it is simpler if it does not.
    pub fn chance(&mut self, in_ten: usize) -> bool {
        self.below(10) + in_ten >= 10
    }

    /// One of a list that is not empty.
    ///
    /// # Panics
    /// If it is.
    pub fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// One of a table with weights, of which the first row is the simplest.
    ///
    /// # Panics
    /// If the table has no weight at all.
    pub fn weighted<T: Copy>(&mut self, table: &[(T, usize)]) -> T {
        let mut number = self.below(table.iter().map(|(_, weight)| weight).sum());
        for &(what, weight) in table {
            if number < weight {
                return what;
            }
            number -= weight;
        }
        table[0].0
    }
}

/// How many choices the simplest alternative is expected to take less than another, at most.
const MOST_FEWER: usize = 12;

/// Parts of at most so many choices, about what a statement takes, are tried at every place and in every length: what is left
/// of a larger one is no statement.
const SMALL: usize = 8;

/// Makes a list of choices for which `fails` holds smaller, as long as it holds, with at most so many tries.
pub fn shrink(choices: Vec<u32>, mut tries: usize, mut fails: impl FnMut(&[u32]) -> bool) -> Vec<u32> {
    let mut best = choices;
    let mut attempt = |best: &mut Vec<u32>, candidate: Vec<u32>| {
        let is_smaller = (candidate.len(), candidate.iter().map(|&choice| u64::from(choice)).sum::<u64>())
            < (best.len(), best.iter().map(|&choice| u64::from(choice)).sum());
        if !is_smaller || tries == 0 {
            return false;
        }
        tries -= 1;
        let holds = fails(&candidate);
        if holds {
            *best = candidate;
        }
        holds
    };
    loop {
        let before = best.clone();
        // Whole parts go first.
        let mut size = best.len().next_power_of_two();
        while size > 0 {
            let mut start = best.len().saturating_sub(size);
            loop {
                let end = (start + size).min(best.len());
                let mut candidate = best.clone();
                candidate.drain(start..end);
                if !attempt(&mut best, candidate) {
                    let mut candidate = best.clone();
                    candidate[start..end].fill(0);
                    attempt(&mut best, candidate);
                }
                if start == 0 {
                    break;
                }
                start = start.min(best.len()).saturating_sub(if size > SMALL { size } else { 1 });
            }
            size = if size > SMALL { size / 2 } else { size - 1 };
        }
        // Then each choice becomes simpler.
        for index in (0..best.len()).rev() {
            while index < best.len() && best[index] > 0 {
                let mut candidate = best.clone();
                candidate[index] /= 2;
                if attempt(&mut best, candidate) {
                    continue;
                }
                let mut candidate = best.clone();
                candidate[index] -= 1;
                if attempt(&mut best, candidate) {
                    continue;
                }
                // What is simpler takes fewer choices: those that it does not take would be taken by what comes after it.
                let is_shortened = (1..=MOST_FEWER).any(|fewer| {
                    let mut candidate = best.clone();
                    candidate[index] = 0;
                    candidate.drain(index + 1..(index + 1 + fewer).min(candidate.len()));
                    attempt(&mut best, candidate)
                });
                if !is_shortened {
                    break;
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Choices, shrink};

    #[test]
    fn a_list_repeats_what_a_seed_made() {
        let mut first = Choices::of_seed(3);
        let numbers: Vec<usize> = (1..50).map(|count| first.below(count)).collect();
        let mut again = Choices::replay(first.made().to_vec());
        assert_eq!((1..50).map(|count| again.below(count)).collect::<Vec<_>>(), numbers);
        assert_eq!(again.below(10), 0, "after its end a list gives the simplest choice");
    }

    #[test]
    fn what_does_not_matter_is_removed() {
        // Fails where a number above 20 comes before one above 30.
        let fails = |choices: &[u32]| {
            let first = choices.iter().position(|&choice| choice > 20);
            first.is_some_and(|first| choices[first + 1..].iter().any(|&choice| choice > 30))
        };
        let mut choices = Choices::of_seed(5);
        let list: Vec<u32> = (0..100).map(|_| choices.below(60) as u32).collect();
        assert!(fails(&list));
        assert_eq!(shrink(list, 10_000, fails), [21, 31]);
    }
}
