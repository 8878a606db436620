//! The words for severities: of diagnostics (error, warning, info) and of findings (critical, warning, info).

use crate::messages;

messages! {
    "severity-critical" => critical(),
    "severity-error" => error(),
    "severity-warning" => warning(),
    "severity-info" => info(),
}
