use npuscope_formats::trace_json::{read, scan_in};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use std::borrow::Cow;
use std::time::Instant;

#[derive(Deserialize)]
struct Ev<'a> {
    #[serde(borrow)]
    ph: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    cat: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow, default)]
    pid: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow, default)]
    tid: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow, default)]
    ts: Option<Cow<'a, str>>,
    #[serde(default)]
    dur: Option<f64>,
    #[serde(borrow, default)]
    args: Option<&'a serde_json::value::RawValue>,
}
#[derive(Default)]
struct Sink {
    n: usize,
    d: f64,
    names: npuscope_tables::Interner,
    args: usize,
    cols: Vec<(i64, f64, u32, u32)>,
}
struct V<'s>(&'s mut Sink);
impl<'de, 's> Visitor<'de> for V<'s> {
    type Value = ();
    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("array")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(e) = seq.next_element::<Ev<'de>>()? {
            self.0.n += 1;
            let name = self.0.names.intern(&e.name).0;
            let cat = self.0.names.intern(e.cat.as_deref().unwrap_or("")).0;
            let ts = e.ts.as_deref().and_then(|t| npuscope_tables::Ns::parse_us(t.as_bytes())).unwrap_or_default();
            self.0.d += e.dur.unwrap_or(0.0);
            self.0.args += e.args.map_or(0, |a| a.get().len());
            self.0.cols.push((ts.0, e.dur.unwrap_or(0.0), name, cat));
            std::hint::black_box((e.ph, e.id, e.pid, e.tid));
        }
        Ok(())
    }
}
fn main() {
    let path = std::env::var("TRACE").unwrap_or("/tmp/big/trace_view.json".into());
    let bytes = std::fs::read(path).unwrap();
    let mb = bytes.len() as f64 / 1e6;
    for _ in 0..5 {
        let t = Instant::now();
        let (ev, end) = scan_in(&bytes, 1, 1);
        let ev = &ev[0];
        let ours = mb / t.elapsed().as_secs_f64();
        let n = ev.len();
        let t2 = Instant::now();
        let mut p = npuscope_tables::RankPieces::default();
        let sum = read(&bytes, "x", 1, &mut p);
        let all = mb / t2.elapsed().as_secs_f64();
        let tb = p.finish();
        println!("all {all:.0} MB/s mem {:.3} {:?}", tb.memory() as f64 / bytes.len() as f64, sum.problems.len());

        let t = Instant::now();
        let mut s = Sink::default();
        serde_json::Deserializer::from_slice(&bytes).deserialize_seq(V(&mut s)).unwrap();
        let theirs = mb / t.elapsed().as_secs_f64();
        println!("{n} {end:?} {ours:.0} MB/s; serde {} {theirs:.0} MB/s ratio {:.2}", s.n, ours / theirs);
    }
}
