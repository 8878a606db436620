//! Memory: `operator_memory.csv`, `memory_record.csv`, `npu_module_mem.csv`, `static_op_mem.csv`.

use npuscope_tables::number::push_ns_as_us;
use npuscope_tables::table::{mem_event, mem_sample};

use super::cell::{Codec, Device, Int, Kib, KiloKib, Mib, Text, UsLife, UsTime};
use super::{Column, Layout, Texts, column};

pub static OPERATOR_MEMORY: Layout<mem_event::Row> = Layout {
    kind: "operator_memory",
    columns: &[
        column!(name: Text, "Name"),
        column!(bytes: Kib, "Size(KB)"),
        column!(start: UsTime, "Allocation Time(us)"),
        column!(release: UsTime, "Release Time(us)"),
        column!(active_release: UsTime, "Active Release Time(us)"),
        LIFE,
        column!(active_duration: UsLife, "Active Duration(us)"),
        column!(start_allocated: Mib, "Allocation Total Allocated(MB)"),
        column!(start_reserved: Mib, "Allocation Total Reserved(MB)"),
        column!(start_active: Mib, "Allocation Total Active(MB)"),
        column!(release_allocated: Mib, "Release Total Allocated(MB)"),
        column!(release_reserved: Mib, "Release Total Reserved(MB)"),
        column!(release_active: Mib, "Release Total Active(MB)"),
        column!(stream_ptr: Int, "Stream Ptr"),
        column!(device: Device, "Device Type" | "Device"),
        // CANN's own file of that name.
        column!(start_allocated: Kib, "Allocation Total Allocated(KB)"; Superseded),
        column!(start_reserved: Kib, "Allocation Total Reserved(KB)"; Superseded),
        column!(release_allocated: Kib, "Release Total Allocated(KB)"; Superseded),
        column!(release_reserved: Kib, "Release Total Reserved(KB)"; Superseded),
    ],
    blank: |strings, _| mem_event::Row { kind: strings.intern("operator"), ..mem_event::Row::default() },
    implied: &["Device_id"],
    other: None,
};

/// CANN's own allocations, which torch_npu adds to its file, have a plain number of microseconds.
const LIFE: Column<mem_event::Row> = Column {
    write: |row, texts, out| match row.duration {
        #[expect(clippy::cast_precision_loss, reason = "durations are below 2^53 ns, which is 104 days")]
        Some(ns) if texts.text(row.name).starts_with("cann::") => {
            push_ns_as_us(out, ns as f64);
            true
        }
        duration => <UsLife as Codec<Option<i64>>>::write(duration, texts, out),
    },
    ..column!(duration: UsLife, "Duration(us)")
};

/// MindSpore's encoding: totals in thousands of KiB, `N/A` for what is missing.
pub static OPERATOR_MEMORY_MINDSPORE: Layout<mem_event::Row> = Layout {
    kind: "operator_memory",
    columns: &[
        column!(name: Text, "Name"),
        column!(bytes: Kib, "Size(KB)", null "N/A"),
        column!(start: UsTime, "Allocation Time(us)", null "N/A"),
        column!(release: UsTime, "Release Time(us)", null "N/A"),
        column!(active_release: UsTime, "Active Release Time(us)", null "N/A"),
        column!(duration: UsLife, "Duration(us)", null "N/A"),
        column!(active_duration: UsLife, "Active Duration(us)", null "N/A"),
        column!(start_allocated: KiloKib, "Allocation Total Allocated(MB)", null "N/A"),
        column!(start_reserved: KiloKib, "Allocation Total Reserved(MB)", null "N/A"),
        column!(start_active: KiloKib, "Allocation Total Active(MB)", null "N/A"),
        column!(release_allocated: KiloKib, "Release Total Allocated(MB)", null "N/A"),
        column!(release_reserved: KiloKib, "Release Total Reserved(MB)", null "N/A"),
        column!(release_active: KiloKib, "Release Total Active(MB)", null "N/A"),
        column!(stream_ptr: Int, "Stream Ptr", null "N/A"),
        column!(device: Device, "Device Type" | "Device", null "N/A"),
    ],
    blank: OPERATOR_MEMORY.blank,
    implied: &[],
    other: None,
};

pub static STATIC_OP_MEM: Layout<mem_event::Row> = Layout {
    kind: "static_op_mem",
    columns: &[
        column!(device: StaticDevice, "Device_id"),
        column!(name: Text, "Op Name"),
        column!(model: Text, "Model Name"),
        column!(graph: Int, "Graph ID"),
        column!(node_start: Int, "Node Index Start"),
        column!(node_end: Int, "Node Index End"),
        column!(bytes: Kib, "Size(KB)"),
    ],
    blank: |strings, _| mem_event::Row { kind: strings.intern("static"), ..mem_event::Row::default() },
    implied: &[],
    other: None,
};

/// Statically planned memory belongs to no device: the column says `host`.
struct StaticDevice;

impl Codec<Option<i64>> for StaticDevice {
    fn read(cell: &str, strings: &mut npuscope_tables::Interner) -> Option<Option<i64>> {
        if cell == "host" { Some(None) } else { Int::read(cell, strings) }
    }

    fn write(value: Option<i64>, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
        match value {
            Some(device) => Int::write(device, strings, out),
            None => {
                out.extend_from_slice(b"host");
                true
            }
        }
    }
}

pub static MEMORY_RECORD: Layout<mem_sample::Row> = Layout {
    kind: "memory_record",
    columns: &[
        column!(component: Text, "Component"),
        column!(time: UsTime, "Timestamp(us)"),
        column!(allocated: Mib, "Total Allocated(MB)"),
        column!(reserved: Mib, "Total Reserved(MB)"),
        column!(active: Mib, "Total Active(MB)"),
        column!(stream_ptr: Int, "Stream Ptr"),
        column!(device: Device, "Device Type" | "Device"),
        // CANN's own file of that name.
        column!(allocated: Kib, "Total Allocated(KB)"; Superseded),
        column!(reserved: Kib, "Total Reserved(KB)"; Superseded),
    ],
    blank: |strings, _| mem_sample::Row { kind: strings.intern("allocator"), ..mem_sample::Row::default() },
    implied: &["Device_id"],
    other: None,
};

pub static MEMORY_RECORD_MINDSPORE: Layout<mem_sample::Row> = Layout {
    kind: "memory_record",
    columns: &[
        column!(component: Text, "Component"),
        column!(time: UsTime, "Timestamp(us)"),
        column!(allocated: KiloKib, "Total Allocated(MB)"),
        column!(reserved: KiloKib, "Total Reserved(MB)"),
        column!(active: KiloKib, "Total Active(MB)"),
        column!(device: Device, "Device Type" | "Device"),
    ],
    blank: MEMORY_RECORD.blank,
    implied: &[],
    other: None,
};

pub static NPU_MODULE_MEM: Layout<mem_sample::Row> = Layout {
    kind: "npu_module_mem",
    columns: &[
        column!(component: Text, "Component"),
        column!(time: UsTime, "Timestamp(us)"),
        column!(reserved: Mib, "Total Reserved(MB)"),
        column!(reserved: Kib, "Total Reserved(KB)"; Superseded),
        column!(device: Device, "Device"),
    ],
    blank: |strings, _| mem_sample::Row { kind: strings.intern("module"), ..mem_sample::Row::default() },
    implied: &["Device_id"],
    other: None,
};
