//! Listeners: receivers of the events of a run.

use super::{Event, Results};

/// A receiver of the events of a run. It can be sent to another thread, so that workers can share one behind a lock.
pub trait Listener: Send {
    /// Handles an event.
    fn event(&mut self, event: &Event<'_>);
}

/// Functions are listeners too.
impl<F: FnMut(&Event<'_>) + Send> Listener for F {
    fn event(&mut self, event: &Event<'_>) {
        self(event);
    }
}

/// A list of listeners. Each receives every event, in the order in which the listeners were added.
#[derive(Default)]
pub struct Listeners<'a> {
    all: Vec<Box<dyn Listener + 'a>>,
}

impl<'a> Listeners<'a> {
    /// Adds a listener, which receives each event after all others.
    pub fn add(&mut self, listener: impl Listener + 'a) {
        self.all.push(Box::new(listener));
    }
}

impl Listener for Listeners<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.all.iter_mut().for_each(|listener| listener.event(event));
    }
}

/// A listener that renders the results of a run as one text at its end, and writes the text.
#[derive(Clone, Copy, Debug)]
pub struct WriteAtEnd<R, W> {
    render: R,
    write: W,
}

impl<R, W> WriteAtEnd<R, W>
where
    R: FnMut(&Results<'_>) -> String + Send,
    W: FnMut(&str) + Send,
{
    /// Creates a listener that passes the text that `render` returns for the results to `write`.
    pub fn new(render: R, write: W) -> Self {
        Self { render, write }
    }
}

impl<R, W> Listener for WriteAtEnd<R, W>
where
    R: FnMut(&Results<'_>) -> String + Send,
    W: FnMut(&str) + Send,
{
    fn event(&mut self, event: &Event<'_>) {
        if let Event::RunEnded { results } = event {
            (self.write)(&(self.render)(results));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{CheckResults, Unit, Verb};
    use std::sync::Mutex;

    #[test]
    fn listeners_receive_all_events_in_registration_order() {
        let heard = Mutex::new(Vec::new());
        let note = |name| {
            let heard = &heard;
            move |event: &Event<'_>| {
                let what = match event {
                    Event::WorkStarted { .. } => "started",
                    _ => "other",
                };
                heard.lock().unwrap().push((name, what));
            }
        };
        let mut both = Listeners::default();
        both.add(note("a"));
        both.add(note("b"));
        both.event(&Event::WorkStarted { unit: Unit::Launch, count: 2 });
        both.event(&Event::WorkEnded);
        drop(both);
        assert_eq!(
            heard.into_inner().unwrap(),
            [("a", "started"), ("b", "started"), ("a", "other"), ("b", "other")]
        );
    }

    #[test]
    fn one_text_is_made_when_the_run_is_over() {
        let mut written = Vec::new();
        let mut at_end = WriteAtEnd::new(
            |results: &Results<'_>| {
                let Results::Check(check) = results;
                format!("{} launches", check.launches.len())
            },
            |text: &str| written.push(text.to_owned()),
        );
        at_end.event(&Event::RunStarted { verb: Verb::Check, inputs: 0 });
        at_end.event(&Event::RunEnded { results: Results::Check(CheckResults::default()) });
        assert_eq!(written, ["0 launches"]);
    }
}
