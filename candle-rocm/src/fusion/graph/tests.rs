//! Random operations, and launches in place of some, against a reference that runs them in their places and looks what is there.

use candle_core::{DType, Layout};
use smallvec::smallvec;

use super::*;

/// Operations here are nothing but whether they have effects.
#[derive(Clone, Copy)]
struct HasEffects(bool);

impl Recordable for HasEffects {
    fn has_effects(&self) -> bool {
        self.0
    }

    fn write_key(&self, words: &mut Vec<u64>) {
        words.push(self.0.into());
    }
}

/// xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    fn is_one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

struct Launch {
    nodes: Covers,
    written: Vec<usize>,
    place: usize,
}

/// Operations of which each reads up to three others, or what was there before.
struct Program {
    nodes: Vec<Node<HasEffects>>,
    at: Timestamp,
}

impl Program {
    fn random(random: &mut Random) -> Self {
        let view = View::new(Layout::contiguous(1));
        let mut nodes: Vec<Node<HasEffects>> = Vec::new();
        for i in 0..2 + random.below(6) {
            let operands = (0..1 + random.below(3)).map(|_| {
                let there = i == 0 || random.is_one_in(4);
                let value = match there {
                    true => Arc::new(Value::recorded(DType::F32, 1)),
                    false => nodes[i - 1 - random.below(i.min(4))].result.clone(),
                };
                (value, view.clone())
            });
            let (operands, result) = (operands.collect(), Arc::new(Value::recorded(DType::F32, 1)));
            // What has effects is never left out.
            let has_effects = random.is_one_in(12);
            if !has_effects && !random.is_one_in(4) {
                result.release();
            }
            nodes.push(Node { operation: HasEffects(has_effects), operands, result });
        }
        // A program has its last result.
        nodes.push(Node {
            operation: HasEffects(false),
            operands: smallvec![(nodes[nodes.len() - 1].result.clone(), view)],
            result: Arc::new(Value::recorded(DType::F32, 1)),
        });
        Self { nodes, at: Timestamp::now() }
    }

    fn launch(&self, random: &mut Random) -> Launch {
        let first = random.below(self.nodes.len());
        let mut nodes: Covers = (first..self.nodes.len()).filter(|_| !random.is_one_in(3)).take(4).collect();
        nodes.retain(|_| !random.is_one_in(5));
        if nodes.is_empty() {
            nodes.push(first);
        }
        let place = nodes[if random.is_one_in(2) { nodes.len() - 1 } else { random.below(nodes.len()) }];
        let written = nodes.iter().copied().filter(|&i| i == place || random.is_one_in(2)).collect();
        Launch { nodes, written, place }
    }

    fn sources(&self, i: usize) -> impl Iterator<Item = usize> {
        let given = |value: &Arc<Value>| self.nodes.iter().position(|node| Arc::ptr_eq(&node.result, value));
        self.nodes[i].operands.iter().filter_map(move |(value, _)| given(value))
    }

    fn is_held(&self, i: usize) -> bool {
        self.nodes[i].result.was_held(self.at)
    }

    /// Whether somebody reads a result who is read.
    fn is_read(&self, i: usize) -> bool {
        self.is_held(i)
            || (i + 1..self.nodes.len()).any(|j| self.is_read(j) && self.sources(j).any(|from| from == i))
    }

    /// Runs all operations that somebody reads, and says whether each found what it reads, tensors have what they had, and effects were
    /// between the same operations.
    fn runs(&self, launches: &[Launch]) -> bool {
        let mut order = Vec::new();
        let mut there = vec![false; self.nodes.len()];
        for place in 0..self.nodes.len() {
            if let Some(launch) = launches.iter().find(|launch| launch.place == place) {
                let mut inside = there.clone();
                for &i in &launch.nodes {
                    if !self.is_read(i)
                        || self.nodes[i].operation.0
                        || !self.sources(i).all(|from| inside[from])
                    {
                        return false;
                    }
                    inside[i] = true;
                    order.push(i);
                }
                launch.written.iter().for_each(|&i| there[i] = true);
            } else if self.is_read(place) && !launches.iter().any(|launch| launch.nodes.contains(&place)) {
                if !self.sources(place).all(|from| there[from]) {
                    return false;
                }
                there[place] = true;
                order.push(place);
            }
        }
        let between = |(at, &i): (usize, &usize)| {
            !self.nodes[i].operation.0
                || (order[..at].iter().all(|&before| before < i)
                    && order[at..].iter().all(|&after| after >= i))
        };
        order.iter().enumerate().all(between) && (0..self.nodes.len()).all(|i| !self.is_held(i) || there[i])
    }
}

/// What is proved runs, and what runs is proved.
#[test]
fn launches_are_sound() {
    let random = &mut Random(0x9e37_79b9_7f4a_7c15);
    let (mut sound, mut several, mut refused) = (0, 0, 0);
    for case in 0..40_000 {
        let program = Program::random(random);
        let outline = Outline::new(&program.nodes, program.at);
        let mut graph = Graph::new(&outline);
        let mut launches = Vec::new();
        assert!(program.runs(&launches), "case {case}");
        for _ in 0..6 {
            let launch = program.launch(random);
            // Each operation is part of one launch at most: the reference does not know.
            let is_free = launch.nodes.iter().all(|&i| graph.is_free(i));
            let cover = graph.cover(launch.nodes.clone(), &launch.written, launch.place);
            launches.push(launch);
            if !is_free {
                assert!(cover.is_none(), "case {case}");
                launches.pop();
                continue;
            }
            assert_eq!(cover.is_some(), program.runs(&launches), "case {case}");
            match cover {
                Some(cover) => {
                    sound += 1;
                    several += usize::from(cover.nodes().len() > 1 && launches.len() > 1);
                    graph.take(&cover);
                }
                None => {
                    refused += 1;
                    launches.pop();
                }
            }
        }
    }
    assert!(sound > 10_000 && several > 1_000 && refused > 10_000, "{sound}, {several}, {refused}");
}

#[test]
fn what_is_no_part_of_a_launch_is_refused() {
    let value = || Arc::new(Value::recorded(DType::F32, 1));
    let (x, view) = (value(), View::new(Layout::contiguous(1)));
    let node = |of: &Arc<Value>| Node {
        operation: HasEffects(false),
        operands: smallvec![(of.clone(), view.clone())],
        result: value(),
    };
    let first = node(&x);
    let second = node(&first.result);
    first.result.release();
    let nodes = [first, second];
    let outline = Outline::new(&nodes, Timestamp::now());
    let graph = Graph::new(&outline);
    assert!(graph.cover(smallvec![1, 0], &[1], 1).is_some(), "in any order");
    assert!(graph.cover(smallvec![0, 0, 1], &[1], 1).is_none(), "twice");
    assert!(graph.cover(smallvec![1], &[0, 1], 1).is_none(), "writes what it does not compute");
    assert!(graph.cover(smallvec![0], &[0], 1).is_none(), "in the place of another");
}
