//! The words of an Ascend trace: which process is which layer, how kinds and units are spelled.

use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::lane::Layer;
use npuscope_tables::table::overlap;

/// The layer of a process, by its name and label. Sort indexes drift between versions; names do not.
pub fn layer_of(process: Option<&str>, label: Option<&str>) -> Layer {
    match process {
        Some("Python" | "MindSpore" | "CPU OP" | "Scope Layer") => Layer::Framework,
        Some("Python GC") => Layer::Gc,
        Some("CANN") => Layer::Cann,
        Some("Ascend Hardware") => Layer::Hardware,
        Some("HCCL" | "Communication") => Layer::Communication,
        Some("Overlap Analysis") => Layer::Overlap,
        Some("Host Counters") => Layer::Counter,
        // A device layer that has slices shows tasks; most have only counters.
        _ if label.is_some_and(|l| l.starts_with("NPU")) => Layer::Counter,
        _ => Layer::Other,
    }
}

/// The category that a framework slice of that kind has in `cat`.
pub fn category_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Op => "cpu_op",
        Kind::Enqueue => "enqueue",
        Kind::Dequeue => "dequeue",
        Kind::Python => "python_function",
        Kind::Gc => "GC",
        Kind::Cann | Kind::Mstx | Kind::Other => "",
    }
}

/// The kind of a host slice, by layer and category.
pub fn host_kind(layer: Layer, category: &str) -> Kind {
    match (layer, category) {
        (_, "cpu_op") => Kind::Op,
        (_, "enqueue") => Kind::Enqueue,
        (_, "dequeue") => Kind::Dequeue,
        (_, "python_function") => Kind::Python,
        (_, "GC") | (Layer::Gc, _) => Kind::Gc,
        (Layer::Cann, _) => Kind::Cann,
        (Layer::Mstx, _) => Kind::Mstx,
        // MindSpore gives its operators no category.
        (Layer::Framework, "") => Kind::Op,
        _ => Kind::Other,
    }
}

/// What stands before the @ in the name of a CANN slice of that level.
pub fn cann_prefix(level: &str) -> &str {
    match level {
        "acl" => "AscendCL",
        "node" => "Node",
        "model" => "Model",
        "runtime" => "Runtime",
        "hccl" => "Hccl",
        "communication" => "Communication",
        other => other,
    }
}

pub fn overlap_name(kind: overlap::Kind) -> &'static str {
    match kind {
        overlap::Kind::Computing => "Computing",
        overlap::Kind::Communication => "Communication",
        overlap::Kind::ExposedCommunication => "Communication(Not Overlapped)",
        overlap::Kind::Free => "Free",
    }
}

pub fn overlap_kind(name: &str) -> Option<overlap::Kind> {
    overlap::Kind::ALL.iter().copied().find(|&kind| overlap_name(kind) == name)
}

/// A counter's argument key as series, unit in the tables, and factor into that unit.
///
/// Sizes become bytes; the factors are powers of two, so nothing is lost on the way back. Keys that
/// name no such unit are series of their own.
pub fn counter_series(key: &str) -> (&str, Option<&'static str>, f64) {
    const MEBI: f64 = 1024.0 * 1024.0;
    if let Some(series) = key.strip_suffix("(MB/s)") {
        return (series, Some("B/s"), MEBI);
    }
    match key {
        "KB" => ("", Some("B"), 1024.0),
        "MHz" => ("", Some("MHz"), 1.0),
        _ => (key, None, 1.0),
    }
}

/// The argument key of a counter, and the factor its value was multiplied by.
pub fn counter_key(series: &str, unit: Option<&str>) -> (String, f64) {
    match unit {
        Some("B/s") => (format!("{series}(MB/s)"), 1024.0 * 1024.0),
        Some("B") if series.is_empty() => ("KB".to_owned(), 1024.0),
        Some("MHz") if series.is_empty() => ("MHz".to_owned(), 1.0),
        _ => (series.to_owned(), 1.0),
    }
}

/// The name of a flow that is implied by its kind and id.
pub fn flow_name(kind: &str, id: &str) -> String {
    match kind {
        "async_task_queue" => "enqueue_to_dequeue".to_owned(),
        "async_npu" => "torch_to_npu".to_owned(),
        "HostToDevice" => format!("HostToDevice{id}"),
        "MsTx" => format!("MsTx_{id}"),
        _ => kind.to_owned(),
    }
}

/// Whether `name` is the one that [`flow_name`] gives, found without making it.
pub fn is_flow_name(name: &str, kind: &str, id: &[u8]) -> bool {
    match kind {
        "async_task_queue" => name == "enqueue_to_dequeue",
        "async_npu" => name == "torch_to_npu",
        "HostToDevice" => name.strip_prefix("HostToDevice").is_some_and(|rest| rest.as_bytes() == id),
        "MsTx" => name.strip_prefix("MsTx_").is_some_and(|rest| rest.as_bytes() == id),
        _ => name == kind,
    }
}

/// Whether the start of a flow of that kind names its binding point; all ends do.
pub fn binds_start(kind: &str) -> bool {
    !matches!(kind, "HostToDevice" | "MsTx")
}

/// Whether ids of that kind are text in the file.
pub fn has_text_id(kind: &str) -> bool {
    matches!(kind, "HostToDevice" | "MsTx")
}

/// The communication group in a lane name such as `Group 10.0.0.1%eth0_60000_0_17 Communication`.
///
/// Older versions count groups instead of naming them; a bare number is no name.
pub fn group_in_lane(thread: &str) -> Option<&str> {
    let name = lane_of_group(thread)?;
    name.bytes().any(|b| !b.is_ascii_digit()).then_some(name)
}

/// The same, where names may be numbers.
pub fn lane_of_group(thread: &str) -> Option<&str> {
    thread.strip_prefix("Group ")?.strip_suffix(" Communication")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_key_survives_the_way_through_the_tables() {
        for key in ["Read(MB/s)", "KB", "MHz", "Hit Rate(%)", "value", "Tx", "L2 Buffer Bw Level"] {
            let (series, unit, factor) = counter_series(key);
            assert_eq!(counter_key(series, unit), (key.to_owned(), factor));
        }
    }

    #[test]
    fn a_flow_name_is_known_from_kind_and_id() {
        for kind in ["async_task_queue", "async_npu", "HostToDevice", "MsTx", "fwdbwd", "other"] {
            assert!(is_flow_name(&flow_name(kind, "12"), kind, b"12"), "{kind}");
            assert!(!is_flow_name("mindspore_to_self", kind, b"12"), "{kind}");
        }
    }

    #[test]
    fn a_group_is_named_only_where_the_lane_names_it() {
        assert_eq!(group_in_lane("Group 10.0.0.1%e_6_0_1 Communication"), Some("10.0.0.1%e_6_0_1"));
        assert_eq!(group_in_lane("Group 0 Communication"), None);
        assert_eq!(group_in_lane("Plane 0"), None);
    }
}
