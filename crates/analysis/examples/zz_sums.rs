use npuscope_analysis::cluster::{self, Job, Options};
use npuscope_engine::{Ranks, SessionOptions};
use std::path::Path;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let compat = a.get(3).is_some_and(|x| x == "compat");
    let options = Options { compat, baseline: a.get(4).map(Into::into), ..Options::default() };
    let opened = Ranks::open(Path::new(&a[1]), &SessionOptions::new("/tmp/sums/nocache")).unwrap();
    let job = Job::new(&opened, None, &options);
    let mode = cluster::find(&a[2]).unwrap();
    let answer = cluster::run(mode, &job).unwrap();
    println!("{:?}", answer.notes);
    let w = cluster::write(mode, &job, answer, Path::new(&format!("/tmp/sums/out/{}", a[2]))).unwrap();
    println!("{:?}", w.tables);
    for l in job.left_out().iter().take(3) {
        println!("{l:?}");
    }
}
