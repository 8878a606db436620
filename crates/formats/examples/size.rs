use arrow::array::Array;
fn main() {
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let mut p = npuscope_tables::RankPieces::default();
    npuscope_formats::trace_json::read(&bytes, "x", 1, &mut p);
    let t = p.finish();
    println!("strings {} {}", t.strings().len(), t.strings().array().get_array_memory_size());
    for s in npuscope_tables::schema::all() {
        let b = t.batches(s.id);
        let m: usize = b.iter().map(|b| b.get_array_memory_size()).sum();
        if m > 0 { println!("{} rows {} bytes {} per row {:.1} share {:.3}", s.name, t.len(s.id), m, m as f64 / t.len(s.id) as f64, m as f64 / bytes.len() as f64);
        for c in &s.columns { let m: usize = b.iter().filter_map(|b| b.column_by_name(&c.name)).map(|c| c.get_array_memory_size()).sum(); if m>0 {print!(" {}:{:.1}", c.name, m as f64 / t.len(s.id) as f64);} }
        println!(); }
    }
}
