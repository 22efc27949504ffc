//! A graph of modules: which of them use which, and the circles in it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Modules, the modules that each of them uses, and the paths by which it does.
#[derive(Debug, Default, PartialEq)]
pub struct Graph(BTreeMap<String, BTreeMap<String, BTreeSet<String>>>);

impl Graph {
    pub fn add_module(&mut self, module: &str) {
        self.0.entry(module.to_owned()).or_default();
    }

    /// Adds that `module` uses `used` by this path.
    pub fn add(&mut self, module: &str, used: &str, path: &str) {
        if module != used {
            let uses = self.0.entry(module.to_owned()).or_default();
            uses.entry(used.to_owned()).or_default().insert(path.to_owned());
        }
    }

    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the edges: a module, the module that it uses, and the paths.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str, &BTreeSet<String>)> {
        self.0.iter().flat_map(|(module, uses)| {
            uses.iter().map(move |(used, paths)| (&module[..], &used[..], paths))
        })
    }

    fn used_by<'a>(&'a self, module: &str) -> impl Iterator<Item = &'a str> {
        self.0.get(module).into_iter().flat_map(|uses| uses.keys().map(String::as_str))
    }

    /// Returns the shortest circle through each module that is in one: its modules in order, with the first repeated at the
    /// end. Circles of the same modules are returned once.
    pub fn circles(&self) -> Vec<Vec<&str>> {
        let mut known = BTreeSet::new();
        let mut circles: Vec<_> = self.modules().filter_map(|start| self.circle(start)).collect();
        circles.retain(|circle| known.insert(circle.iter().copied().collect::<BTreeSet<_>>()));
        circles
    }

    /// Returns the shortest circle through `start`.
    fn circle<'a>(&'a self, start: &'a str) -> Option<Vec<&'a str>> {
        let mut reached_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut next = VecDeque::from([start]);
        while let Some(at) = next.pop_front() {
            for used in self.used_by(at) {
                if reached_from.contains_key(used) {
                    continue;
                }
                reached_from.insert(used, at);
                if used == start {
                    let mut circle = vec![start];
                    let mut module = at;
                    while module != start {
                        circle.push(module);
                        module = reached_from[module];
                    }
                    circle.push(start);
                    circle.reverse();
                    return Some(circle);
                }
                next.push_back(used);
            }
        }
        None
    }

    /// Describes a circle: which module uses which, and how.
    pub fn describe(&self, circle: &[&str]) -> String {
        let step = |pair: &[&str]| {
            let paths: Vec<&str> = self.0[pair[0]][pair[1]].iter().map(String::as_str).collect();
            format!("{} uses {} ({})", pair[0], pair[1], paths.join(", "))
        };
        circle.windows(2).map(step).collect::<Vec<_>>().join(";\n  ")
    }
}
