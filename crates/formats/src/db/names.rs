//! Ids that stand for words: `STRING_IDS` and the `ENUM_*` tables.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use hashbrown::HashMap;
use npuscope_sqlite::{Database, Scan};
use npuscope_tables::{Interner, Str};
use rusqlite::types::ValueRef;

/// How databases write "no string".
pub const NO_STRING: i64 = 4_294_967_295;

/// How null is spelled where a string is demanded.
pub const NOT_AVAILABLE: &str = "N/A";

/// The words of one `ENUM_*` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vocabulary {
    ApiType,
    Module,
    DataType,
    LinkType,
    TransportType,
    RdmaType,
    MstxEventType,
    MemcpyOperation,
    OverlapType,
}

impl Vocabulary {
    pub const ALL: &[Vocabulary] = &[
        Vocabulary::ApiType,
        Vocabulary::Module,
        Vocabulary::DataType,
        Vocabulary::LinkType,
        Vocabulary::TransportType,
        Vocabulary::RdmaType,
        Vocabulary::MstxEventType,
        Vocabulary::MemcpyOperation,
        Vocabulary::OverlapType,
    ];

    pub const fn table(self) -> &'static str {
        match self {
            Vocabulary::ApiType => "ENUM_API_TYPE",
            Vocabulary::Module => "ENUM_MODULE",
            Vocabulary::DataType => "ENUM_HCCL_DATA_TYPE",
            Vocabulary::LinkType => "ENUM_HCCL_LINK_TYPE",
            Vocabulary::TransportType => "ENUM_HCCL_TRANSPORT_TYPE",
            Vocabulary::RdmaType => "ENUM_HCCL_RDMA_TYPE",
            Vocabulary::MstxEventType => "ENUM_MSTX_EVENT_TYPE",
            Vocabulary::MemcpyOperation => "ENUM_MEMCPY_OPERATION",
            Vocabulary::OverlapType => "ENUM_OVERLAP_ANALYSIS_TYPE",
        }
    }

    /// The words of the current schema.
    pub const fn words(self) -> &'static [(i64, &'static str)] {
        match self {
            Vocabulary::ApiType => &[
                (5000, "runtime"),
                (5500, "communication"),
                (10000, "node"),
                (15000, "model"),
                (20000, "acl"),
                (50001, "op"),
                (50002, "queue"),
                (50003, "trace"),
                (50004, "mstx"),
            ],
            Vocabulary::Module => MODULES,
            Vocabulary::DataType => &[
                (0, "INT8"),
                (1, "INT16"),
                (2, "INT32"),
                (3, "FP16"),
                (4, "FP32"),
                (5, "INT64"),
                (6, "UINT64"),
                (7, "UINT8"),
                (8, "UINT16"),
                (9, "UINT32"),
                (10, "FP64"),
                (11, "BFP16"),
                (12, "INT128"),
                (14, "HIF8"),
                (15, "FP8E4M3"),
                (16, "FP8E5M2"),
                (17, "FP8E8M0"),
                (255, "RESERVED"),
                (65534, "N/A"),
                (65535, "INVALID_TYPE"),
            ],
            Vocabulary::LinkType => &[
                (0, "ON_CHIP"),
                (1, "HCCS"),
                (2, "PCIE"),
                (3, "ROCE"),
                (4, "SIO"),
                (5, "HCCS_SW"),
                (6, "STANDARD_ROCE"),
                (7, "UB"),
                (8, "UBoE"),
                (255, "RESERVED"),
                (65534, "N/A"),
                (65535, "INVALID_TYPE"),
            ],
            Vocabulary::TransportType => &[
                (0, "SDMA"),
                (1, "RDMA"),
                (2, "LOCAL"),
                (3, "UB"),
                (4, "ROCE"),
                (255, "RESERVED"),
                (65534, "N/A"),
                (65535, "INVALID_TYPE"),
            ],
            Vocabulary::RdmaType => &[
                (0, "RDMA_SEND_NOTIFY"),
                (1, "RDMA_SEND_PAYLOAD"),
                (2, "RDMA_PAYLOAD_PREPARE"),
                (3, "RDMA_PAYLOAD_CHECK"),
                (4, "RDMA_PAYLOAD_ACK"),
                (5, "RDMA_SEND_OP"),
                (255, "RESERVED"),
                (65534, "N/A"),
                (65535, "INVALID_TYPE"),
            ],
            Vocabulary::MstxEventType => &[(0, "marker"), (1, "push/pop"), (2, "start/end"), (3, "marker_ex")],
            Vocabulary::MemcpyOperation => &[
                (0, "host to host"),
                (1, "host to device"),
                (2, "device to host"),
                (3, "device to device"),
                (4, "managed memory"),
                (5, "addr device to device"),
                (6, "host to device ex"),
                (7, "device to host ex"),
                (65535, "other"),
            ],
            Vocabulary::OverlapType => {
                &[(0, "COMPUTE"), (1, "COMMUNICATION"), (2, "COMM_NOT_OVERLAP_COMP"), (3, "FREE"), (65535, "RESERVE")]
            }
        }
    }
}

/// Modules of the driver whose memory is sampled.
const MODULES: &[(i64, &str)] = &[
    (0, "SLOG"),
    (1, "IDEDD"),
    (2, "IDEDH"),
    (3, "HCCL"),
    (4, "FMK"),
    (5, "HIAIENGINE"),
    (6, "DVPP"),
    (7, "RUNTIME"),
    (8, "CCE"),
    (9, "HDC"),
    (10, "DRV"),
    (11, "MDCFUSION"),
    (12, "MDCLOCATION"),
    (13, "MDCPERCEPTION"),
    (14, "MDCFSM"),
    (15, "MDCCOMMON"),
    (16, "MDCMONITOR"),
    (17, "MDCBSWP"),
    (18, "MDCDEFAULT"),
    (19, "MDCSC"),
    (20, "MDCPNC"),
    (21, "MLL"),
    (22, "DEVMM"),
    (23, "KERNEL"),
    (24, "LIBMEDIA"),
    (25, "CCECPU"),
    (26, "ASCENDDK"),
    (27, "ROS"),
    (28, "HCCP"),
    (29, "ROCE"),
    (30, "TEFUSION"),
    (31, "PROFILING"),
    (32, "DP"),
    (33, "APP"),
    (34, "TS"),
    (35, "TSDUMP"),
    (36, "AICPU"),
    (37, "LP"),
    (38, "TDT"),
    (39, "FE"),
    (40, "MD"),
    (41, "MB"),
    (42, "ME"),
    (43, "IMU"),
    (44, "IMP"),
    (45, "GE"),
    (46, "MDCFUSA"),
    (47, "CAMERA"),
    (48, "ASCENDCL"),
    (49, "TEEOS"),
    (50, "ISP"),
    (51, "SIS"),
    (52, "HSM"),
    (53, "DSS"),
    (54, "PROCMGR"),
    (55, "BBOX"),
    (56, "AIVECTOR"),
    (57, "TBE"),
    (58, "FV"),
    (59, "MDCMAP"),
    (60, "TUNE"),
    (61, "HSS"),
    (62, "FFTS"),
    (63, "OP"),
    (64, "UDF"),
    (65, "HICAID"),
    (66, "TSYNC"),
    (67, "AUDIO"),
    (68, "TPRT"),
    (69, "ASCENDCKERNEL"),
    (70, "ASYS"),
    (71, "ATRACE"),
    (72, "RTC"),
    (73, "SYSMONITOR"),
    (74, "AMP"),
    (75, "ADETECT"),
    (76, "MBUFF"),
    (77, "CUSTOM"),
];

/// How reading a table of words went: its name, how many rows it gave, what could not be read.
pub type WordScan = (&'static str, u64, Scan);

type Strings = HashMap<i64, Str, foldhash::fast::FixedState>;

/// The words that ids of a database stand for.
pub struct Words<'a> {
    database: &'a Database<'a>,
    /// From the first time that one is asked for: what is wanted may have none.
    strings: OnceCell<(Strings, Option<WordScan>)>,
    enums: HashMap<(Vocabulary, i64), Str, foldhash::fast::FixedState>,
    scans: Vec<WordScan>,
    /// The word that stands for no word.
    pub not_available: Str,
}

impl<'a> Words<'a> {
    /// The words of a database. Ids that its own `ENUM_*` tables lack get the words of the
    /// current schema: older ones had no such tables.
    pub fn read(database: &'a Database<'a>, strings: &mut Interner) -> Words<'a> {
        let mut words = Words {
            database,
            strings: OnceCell::new(),
            enums: HashMap::default(),
            scans: Vec::new(),
            not_available: strings.intern(NOT_AVAILABLE),
        };
        for &vocabulary in Vocabulary::ALL {
            for &(id, word) in vocabulary.words() {
                words.enums.insert((vocabulary, id), strings.intern(word));
            }
            words.scans.extend(each_word(database, vocabulary.table(), |id, word| {
                words.enums.insert((vocabulary, id), strings.intern_bytes(word));
            }));
        }
        words
    }

    pub fn string(&self, id: i64, strings: &mut Interner) -> Option<Str> {
        let (known, _) = self.strings.get_or_init(|| {
            let mut known = Strings::default();
            let scan = each_word(self.database, "STRING_IDS", |id, text| {
                known.insert(id, strings.intern_bytes(text));
            });
            (known, scan)
        });
        known.get(&id).copied()
    }

    /// How reading the tables went, as far as they were.
    pub fn scans(&self) -> impl Iterator<Item = &WordScan> {
        self.strings.get().and_then(|(_, scan)| scan.as_ref()).into_iter().chain(&self.scans)
    }

    pub fn word(&self, vocabulary: Vocabulary, id: i64) -> Option<Str> {
        self.enums.get(&(vocabulary, id)).copied()
    }
}

/// Gives every id and word of a table of two columns to `each`.
fn each_word(database: &Database<'_>, name: &'static str, mut each: impl FnMut(i64, &[u8])) -> Option<WordScan> {
    let table = database.table(name)?;
    let mut rows = 0;
    let scan = database.scan(table, |row| {
        rows += 1;
        let mut id = None;
        row.each(|index, value| match (index, value) {
            (0, ValueRef::Integer(number)) => id = Some(number),
            (1, ValueRef::Text(text)) => {
                if let Some(id) = id {
                    each(id, text);
                }
            }
            _ => {}
        });
        ControlFlow::Continue(())
    });
    Some((name, rows, scan))
}
