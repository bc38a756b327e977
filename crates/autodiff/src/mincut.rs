//! Minimum cuts of small graphs, by Dinic's algorithm.

use std::collections::VecDeque;

/// A capacity that no cut goes through.
pub(crate) const UNLIMITED: u64 = u64::MAX / 4;

#[derive(Debug, Default)]
pub(crate) struct Network {
    /// Outgoing arcs of each node.
    arcs_of: Vec<Vec<usize>>,
    /// Arcs in pairs: an arc and its reverse.
    arcs: Vec<Arc>,
}

#[derive(Debug)]
struct Arc {
    to: usize,
    capacity: u64,
}

impl Network {
    pub(crate) fn node(&mut self) -> usize {
        self.arcs_of.push(Vec::new());
        self.arcs_of.len() - 1
    }

    pub(crate) fn arc(&mut self, from: usize, to: usize, capacity: u64) {
        if capacity == 0 {
            return;
        }
        self.arcs_of[from].push(self.arcs.len());
        self.arcs.push(Arc { to, capacity });
        self.arcs_of[to].push(self.arcs.len());
        self.arcs.push(Arc { to: from, capacity: 0 });
    }

    /// For each node, whether it is on the source's side of a minimum cut (the one closest to the source).
    pub(crate) fn cut(mut self, source: usize, sink: usize) -> Vec<bool> {
        loop {
            let levels = self.levels(source);
            if levels[sink].is_none() {
                return levels.into_iter().map(|level| level.is_some()).collect();
            }
            let mut next_arc = vec![0; self.arcs_of.len()];
            while self.push(source, sink, &levels, &mut next_arc) {}
        }
    }

    fn levels(&self, source: usize) -> Vec<Option<u32>> {
        let mut levels = vec![None; self.arcs_of.len()];
        levels[source] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let level = levels[node].unwrap_or(0);
            for &arc in &self.arcs_of[node] {
                let arc = &self.arcs[arc];
                if arc.capacity > 0 && levels[arc.to].is_none() {
                    levels[arc.to] = Some(level + 1);
                    queue.push_back(arc.to);
                }
            }
        }
        levels
    }

    /// Pushes flow along one path of the level graph; without recursion, since paths may be long.
    fn push(&mut self, source: usize, sink: usize, levels: &[Option<u32>], next_arc: &mut [usize]) -> bool {
        let mut path: Vec<usize> = Vec::new();
        let mut node = source;
        while node != sink {
            let arcs = &self.arcs_of[node];
            let found = (next_arc[node]..arcs.len()).find(|&index| {
                let arc = &self.arcs[arcs[index]];
                arc.capacity > 0 && levels[arc.to] == levels[node].map(|level| level + 1)
            });
            match found {
                Some(index) => {
                    next_arc[node] = index;
                    path.push(arcs[index]);
                    node = self.arcs[arcs[index]].to;
                }
                None => {
                    next_arc[node] = arcs.len();
                    let Some(arc) = path.pop() else {
                        return false;
                    };
                    node = self.arcs[arc ^ 1].to;
                    next_arc[node] += 1;
                }
            }
        }
        let flow = path.iter().map(|&arc| self.arcs[arc].capacity).min().unwrap_or(0);
        for arc in path {
            self.arcs[arc].capacity -= flow;
            self.arcs[arc ^ 1].capacity += flow;
        }
        flow > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ways of capacity 3 and 5 that meet in an arc of capacity 4: the cut is that arc.
    #[test]
    fn cuts_the_narrowest_place() {
        let mut network = Network::default();
        let [source, a, b, meet, sink] = std::array::from_fn(|_| network.node());
        network.arc(source, a, 3);
        network.arc(source, b, 5);
        network.arc(a, meet, UNLIMITED);
        network.arc(b, meet, UNLIMITED);
        network.arc(meet, sink, 4);
        assert_eq!(network.cut(source, sink), [true, true, true, true, false]);
    }

    #[test]
    fn prefers_the_cheap_arcs() {
        let mut network = Network::default();
        let [source, a, b, sink] = std::array::from_fn(|_| network.node());
        network.arc(source, a, 1);
        network.arc(source, b, 10);
        network.arc(a, sink, 10);
        network.arc(b, sink, 1);
        network.arc(b, a, 1);
        assert_eq!(network.cut(source, sink), [true, false, true, false]);
    }
}
