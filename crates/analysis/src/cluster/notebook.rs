//! A Jupyter notebook that shows the csv files beside it.

use std::io::{self, Write};

use npuscope_formats::result::ResultTable;
use serde_json::{Value, json};

use super::Mode;

pub const FILE: &str = "stats.ipynb";

/// Writes the notebook: a heading, what each table is, and one cell per table that reads it with pandas.
pub fn write(mode: &Mode, tables: &[&ResultTable], out: &mut impl Write) -> io::Result<()> {
    let mut cells = vec![
        markdown(&format!("# {}\n\n{}.", mode.name, mode.about)),
        code(
            "from pathlib import Path\n\nimport pandas as pd\n\npd.set_option(\"display.max_rows\", 200)\nhere = Path(\".\")",
        ),
    ];
    for table in tables {
        cells.push(markdown(&format!("## {}\n\n{} rows.", table.name, table.len())));
        let name = variable(&table.file);
        cells.push(code(&format!("{name} = pd.read_csv(here / \"{}.csv\")\n{name}", table.file)));
    }
    let notebook = json!({
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    serde_json::to_writer_pretty(out, &notebook).map_err(io::Error::from)
}

fn markdown(text: &str) -> Value {
    json!({"cell_type": "markdown", "id": id(text), "metadata": {}, "source": text})
}

fn code(text: &str) -> Value {
    json!({"cell_type": "code", "id": id(text), "metadata": {}, "execution_count": null, "outputs": [], "source": text})
}

/// An id that says which cell it is, whatever else is in the notebook.
fn id(text: &str) -> String {
    let name: String = text.chars().filter(char::is_ascii_alphanumeric).take(48).collect();
    format!("{name}-{}", text.len())
}

fn variable(file: &str) -> String {
    file.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
