//! The measures as SQL functions, so that a query computes a number with the function that everything else uses.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow::datatypes::{DataType, Float64Type};
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use npuscope_measures::{communication, statistics};

/// A function that queries may call beside those of SQL.
pub struct SqlFunction {
    pub name: &'static str,
    /// Names of its arguments.
    pub arguments: &'static [&'static str],
    pub about: &'static str,
    body: Body,
}

/// What computes a function, by the types of its arguments and its result. Null gives null.
enum Body {
    TextToText(fn(&str) -> String),
    TextToBool(fn(&str) -> bool),
    TextToInt(fn(&str) -> Option<i64>),
    RealsToReal(fn(f64, f64) -> Option<f64>),
}

/// All functions, in the order of the manual.
pub static FUNCTIONS: &[SqlFunction] = &[
    SqlFunction {
        name: "comm_kind",
        arguments: &["name"],
        about: "Type of a communication operation, in lower case: `allreduce` for `hcom_allReduce__586_0_1`",
        body: Body::TextToText(communication::kind),
    },
    SqlFunction {
        name: "is_point_to_point",
        arguments: &["name"],
        about: "Whether a communication operation is a send, a receive, or a batch of sends and receives",
        body: Body::TextToBool(communication::is_point_to_point),
    },
    SqlFunction {
        name: "is_communication_core",
        arguments: &["core"],
        about: "Whether a kernel on this core is a communication operation",
        body: Body::TextToBool(communication::is_communication_core),
    },
    SqlFunction {
        name: "element_bytes",
        arguments: &["dtype"],
        about: "Size of an element of this type, in bytes",
        body: Body::TextToInt(communication::bytes_of_element),
    },
    SqlFunction {
        name: "wait_ratio",
        arguments: &["wait", "transit"],
        about: "wait / (wait + transit); null if both are 0",
        body: Body::RealsToReal(communication::wait_ratio),
    },
    SqlFunction {
        name: "synchronization_ratio",
        arguments: &["synchronization", "transit"],
        about: "synchronization / (synchronization + transit); null if both are 0",
        body: Body::RealsToReal(communication::synchronization_ratio),
    },
    SqlFunction {
        name: "bandwidth",
        arguments: &["bytes", "ns"],
        about: "Bandwidth in GB/s: bytes / ns; null if ns is 0",
        body: Body::RealsToReal(communication::bandwidth),
    },
    SqlFunction {
        name: "large_packet_share",
        arguments: &["large", "packets"],
        about: "large / packets; null if packets is 0",
        body: Body::RealsToReal(communication::large_packet_share),
    },
    SqlFunction {
        name: "weighted_mean",
        arguments: &["weighted_sum", "weight"],
        about: "weighted_sum / weight, for sum(value * weight) and sum(weight); null if weight is 0",
        body: Body::RealsToReal(statistics::weighted_mean),
    },
];

impl SqlFunction {
    /// The function as DataFusion calls it.
    pub(crate) fn scalar(&'static self) -> ScalarUDF {
        let (argument, result) = match self.body {
            Body::TextToText(_) => (DataType::Utf8View, DataType::Utf8View),
            Body::TextToBool(_) => (DataType::Utf8View, DataType::Boolean),
            Body::TextToInt(_) => (DataType::Utf8View, DataType::Int64),
            Body::RealsToReal(_) => (DataType::Float64, DataType::Float64),
        };
        let call = |arguments: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(arguments)?;
            Ok(ColumnarValue::Array(self.call(&arrays)?))
        };
        create_udf(self.name, vec![argument; self.arguments.len()], result, Volatility::Immutable, Arc::new(call))
    }

    fn call(&self, arguments: &[ArrayRef]) -> Result<ArrayRef> {
        let text = |at: usize| arguments.get(at).and_then(|array| array.as_string_view_opt());
        let real = |at: usize| arguments.get(at).and_then(|array| array.as_primitive_opt::<Float64Type>());
        let texts = || text(0).into_iter().flatten();
        let made: ArrayRef = match self.body {
            Body::TextToText(of) => Arc::new(texts().map(|text| text.map(of)).collect::<StringViewArray>()),
            Body::TextToBool(of) => Arc::new(texts().map(|text| text.map(of)).collect::<BooleanArray>()),
            Body::TextToInt(of) => Arc::new(texts().map(|text| text.and_then(of)).collect::<Int64Array>()),
            Body::RealsToReal(of) => {
                let pairs = real(0).into_iter().flatten().zip(real(1).into_iter().flatten());
                Arc::new(pairs.map(|(a, b)| of(a?, b?)).collect::<Float64Array>())
            }
        };
        debug_assert_eq!(made.len(), arguments.first().map_or(0, |array| array.len()));
        Ok(made)
    }
}
