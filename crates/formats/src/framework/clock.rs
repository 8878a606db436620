//! When a record was made: from the counter or clock of the machine to time since the epoch.

use npuscope_tables::Ns;
use serde_json::Value;

/// How times in records become times in tables.
///
/// `mono = int((count - start_cnt) * (1000 / freq)) + start_monotonic` where records count ticks of the system counter,
/// else `mono` is what stands there; `time = mono + (collectionTimeEnd - MonotonicTimeEnd)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    ticks: Option<Ticks>,
    /// From the machine's clock to the epoch.
    shift: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ticks {
    start: i64,
    ns_per_tick: f64,
    start_ns: i64,
}

impl Clock {
    /// The clock in the settings of a profiler; nothing if they lack what it takes.
    pub fn of(settings: &Value) -> Option<Clock> {
        let int = |path: &str| match settings.pointer(path)? {
            Value::String(text) => text.parse().ok(),
            value => value.as_i64(),
        };
        let shift = int("/end_info/collectionTimeEnd")?.checked_sub(int("/end_info/MonotonicTimeEnd")?)?;
        let counts_ticks = settings.pointer("/start_info/syscnt_enable").and_then(Value::as_bool).unwrap_or(false);
        if !counts_ticks {
            return Some(Clock { ticks: None, shift });
        }
        let frequency = settings.pointer("/start_info/freq")?.as_f64().filter(|mhz| *mhz > 0.0)?;
        let ticks = Ticks {
            start: int("/start_info/start_cnt")?,
            ns_per_tick: 1000.0 / frequency,
            start_ns: int("/start_info/start_monotonic")?,
        };
        Some(Clock { ticks: Some(ticks), shift })
    }

    /// The time of a record. The product is one of floats and loses its fraction, as in torch_npu.
    #[expect(clippy::cast_precision_loss, reason = "a collection is far shorter than 2^53 ticks")]
    #[expect(clippy::cast_possible_truncation, reason = "that is the definition")]
    pub fn time(&self, count: i64) -> Ns {
        let mono = match self.ticks {
            None => count,
            Some(ticks) => {
                let since = (count.saturating_sub(ticks.start) as f64 * ticks.ns_per_tick) as i64;
                since.saturating_add(ticks.start_ns)
            }
        };
        Ns(mono.saturating_add(self.shift))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ticks_of_the_system_counter_become_time() {
        let settings = json!({
            "start_info": {"syscnt_enable": true, "freq": 100, "start_cnt": 17_238_197_612_056_i64, "start_monotonic": 172_163_581_670_080_i64},
            "end_info": {"collectionTimeEnd": 1_736_408_884_023_552_840_i64, "MonotonicTimeEnd": 172_164_265_133_640_i64},
        });
        let clock = Clock::of(&settings).unwrap();
        let shift = 1_736_408_884_023_552_840 - 172_164_265_133_640;
        assert_eq!(clock.time(17_238_197_612_056), Ns(172_163_581_670_080 + shift));
        assert_eq!(clock.time(17_238_197_612_056 + 7), Ns(172_163_581_670_080 + 70 + shift));
    }

    #[test]
    fn a_frequency_that_divides_no_nanosecond_is_cut_to_whole_ones() {
        let settings = json!({
            "start_info": {"syscnt_enable": true, "freq": 2399.5, "start_cnt": 100, "start_monotonic": "1000"},
            "end_info": {"collectionTimeEnd": 50, "MonotonicTimeEnd": 50},
        });
        // 7 ticks are 2.917 ns.
        assert_eq!(Clock::of(&settings).unwrap().time(107), Ns(1002));
    }

    #[test]
    fn nanoseconds_are_only_moved() {
        let settings = json!({
            "start_info": {"syscnt_enable": false, "freq": 100, "start_cnt": 5, "start_monotonic": 6},
            "end_info": {"collectionTimeEnd": 1000, "MonotonicTimeEnd": 10},
        });
        assert_eq!(Clock::of(&settings).unwrap().time(17), Ns(1007));
    }

    #[test]
    fn without_a_pair_of_times_there_is_no_clock() {
        assert_eq!(Clock::of(&json!({"start_info": {"syscnt_enable": false}})), None);
        let no_frequency =
            json!({"start_info": {"syscnt_enable": true}, "end_info": {"collectionTimeEnd": 1, "MonotonicTimeEnd": 1}});
        assert_eq!(Clock::of(&no_frequency), None);
    }
}
