//! The traffic of each memory channel: the number of recent accesses. Lines are distributed round-robin over the
//! channels, as on GPUs, so accesses to one line affect others.

/// The size of a line in words.
pub const LINE: u32 = 16;

/// The number of channels.
const CHANNELS: usize = 16;

/// The length of a window in steps. The traffic is the number of accesses in this window and the previous one.
const WINDOW: u64 = 16;

/// The number of recent accesses per channel.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    now: [u32; CHANNELS],
    before: [u32; CHANNELS],
}

impl Traffic {
    /// Returns the traffic of the channel of a word.
    pub fn of(&self, word: u32) -> u32 {
        let channel = channel(word);
        self.now[channel] + self.before[channel]
    }

    /// Counts an access.
    pub fn count(&mut self, word: u32) {
        self.now[channel(word)] += 1;
    }

    /// Ends a step with this number.
    pub fn step(&mut self, number: u64) {
        if number.is_multiple_of(WINDOW) {
            self.before = std::mem::take(&mut self.now);
        }
    }
}

fn channel(word: u32) -> usize {
    (word / LINE) as usize % CHANNELS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_counts_for_all_lines_of_a_channel_until_it_decays() {
        let mut traffic = Traffic::default();
        traffic.count(5);
        traffic.count(LINE - 1);
        let far = LINE * CHANNELS as u32;
        assert_eq!([0, LINE, far, far + LINE].map(|word| traffic.of(word)), [2, 0, 2, 0]);
        (1..=WINDOW).for_each(|number| traffic.step(number));
        traffic.count(far);
        assert_eq!(traffic.of(0), 3);
        traffic.step(2 * WINDOW);
        assert_eq!(traffic.of(0), 1);
        traffic.step(3 * WINDOW);
        assert_eq!(traffic.of(0), 0);
    }
}
