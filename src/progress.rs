//! How far long work is, for a person: a bar on a terminal, and elsewhere a line every few seconds. Work of less than a second shows
//! nothing.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long work takes before anything is shown.
const SHORT: Duration = Duration::from_secs(1);
/// The time between two lines.
const BETWEEN: Duration = Duration::from_secs(5);
/// How often a bar that does not advance is drawn.
const TICK: Duration = Duration::from_millis(200);
/// In how many steps of a stage the clock is read.
const STEPS: u64 = 500;
const BAR: &str = "lazuli: {msg} [{bar:32}] {percent:>3} %";

/// Shows the stages of long work one after the other. The default shows nothing.
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<Arc<Display>>);

#[derive(Debug)]
struct Display {
    begun: Instant,
    /// Where lines go. `None`: standard error is a terminal, and there is a bar.
    lines: Option<fn(&str)>,
    pace: Mutex<Pace>,
}

/// A part of the work, of known size. It ends when it is dropped.
#[derive(Debug, Default)]
pub struct Stage(Option<Running>);

#[derive(Debug)]
struct Running {
    display: Arc<Display>,
    name: &'static str,
    total: u64,
    /// The part that is done, and the bar. The bar is hidden until there is something to show.
    state: Mutex<(u64, ProgressBar)>,
}

/// When the next line is due.
#[derive(Debug, Default)]
struct Pace {
    last: Option<Duration>,
}

impl Pace {
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed >= self.last.map_or(SHORT, |last| last + BETWEEN);
        if due {
            self.last = Some(elapsed);
        }
        due
    }
}

impl Progress {
    /// Shows a bar on standard error if that is a terminal, and otherwise passes lines to `lines`.
    #[expect(clippy::disallowed_methods, reason = "this time decides only what is shown")]
    pub fn shown(lines: fn(&str)) -> Progress {
        let lines = if std::io::stderr().is_terminal() { None } else { Some(lines) };
        Progress(Some(Arc::new(Display { begun: Instant::now(), lines, pace: Mutex::default() })))
    }

    /// Begins a stage, which ends when the returned value is dropped. `total` has any unit.
    pub fn begin(&self, name: &'static str, total: u64) -> Stage {
        let running = |display: &Arc<Display>| Running {
            display: display.clone(),
            name,
            total,
            state: Mutex::new((0, ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden()))),
        };
        Stage(self.0.as_ref().filter(|_| total > 0).map(running))
    }
}

impl Stage {
    /// Adds to the part that is done. The stage ends early if that is all of it.
    pub fn advance(&self, by: u64) {
        let Some(Running { display, name, total, state }) = &self.0 else { return };
        let mut state = state.lock();
        let before = state.0;
        state.0 = (before + by).min(*total);
        let (done, bar) = (state.0, &state.1);
        let step = (total / STEPS).max(1);
        if done == *total {
            bar.finish_and_clear();
        } else if done / step > before / step {
            display.show(name, done, *total, bar);
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(running) = &self.0 {
            running.state.lock().1.finish_and_clear();
        }
    }
}

impl Display {
    fn show(&self, name: &'static str, done: u64, total: u64, bar: &ProgressBar) {
        let elapsed = self.begun.elapsed();
        match self.lines {
            Some(lines) if self.pace.lock().is_due(elapsed) => lines(&line(name, done, total)),
            Some(_) => {}
            None if elapsed < SHORT => {}
            None => {
                if bar.is_hidden() {
                    bar.set_style(ProgressStyle::with_template(BAR).unwrap_or_else(|_| ProgressStyle::default_bar()));
                    bar.set_message(name);
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
                bar.set_position(done);
            }
        }
    }
}

fn line(name: &str, done: u64, total: u64) -> String {
    format!("{name}: {} %", u128::from(done) * 100 / u128::from(total.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_comes_after_a_second_and_the_next_ones_every_five() {
        let mut pace = Pace::default();
        let due: Vec<u64> = (0..160).filter(|tenth| pace.is_due(Duration::from_millis(tenth * 100))).collect();
        assert_eq!(due, [10, 60, 110]);
    }

    #[test]
    fn a_line_has_the_stage_and_its_percentage() {
        assert_eq!(line("reading", 0, 3), "reading: 0 %");
        assert_eq!(line("reading", 2, 3), "reading: 66 %");
        assert_eq!(line("reading", u64::MAX, u64::MAX), "reading: 100 %");
    }

    #[test]
    fn a_bar_appears_after_a_second_and_advances_without_lines() {
        let display = |begun| Arc::new(Display { begun, lines: None, pace: Mutex::default() });
        #[expect(clippy::disallowed_methods, reason = "the time at which the display begins is a part of this test")]
        let now = Instant::now();
        let before = now.checked_sub(SHORT).unwrap();
        for (begun, position) in [(now + SHORT * 60, 0), (before, 7)] {
            let stage = Progress(Some(display(begun))).begin("reading", 10);
            stage.advance(7);
            assert_eq!(stage.0.as_ref().unwrap().state.lock().1.position(), position);
        }
    }

    #[test]
    fn a_stage_is_over_when_all_is_done() {
        let stage = Progress::shown(|_| {}).begin("reading", 10);
        stage.advance(4);
        assert!(!stage.0.as_ref().unwrap().state.lock().1.is_finished());
        stage.advance(100);
        let state = stage.0.as_ref().unwrap().state.lock();
        assert!(state.1.is_finished() && state.0 == 10);
    }
}
