//! What a trace says about its rank.

use npuscope_tables::RankTables;
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::table::task;
use serde_json::Value;

use crate::info::{Layout, RankInfo, Settings};
use crate::source::WindowSource;

/// Facts about a rank, from the settings, the lanes and the name of its trace.
pub fn rank_info(source: &WindowSource, tables: &RankTables, settings: &Settings) -> RankInfo {
    let device = tables.rows::<task::Row>().find_map(|row| row.device);
    let host_lane = tables.rows::<lane::Row>().find(|row| tables.text(row.layer) == Layer::Framework.name());
    RankInfo {
        device,
        host: settings.text(&["host_name", "hostname"]).or_else(|| {
            let (host, _) = process_in_name(&source.files.first()?.name)?;
            Some(host.to_owned())
        }),
        chip: chip(settings, device),
        process: host_lane.filter(|row| row.pid_text.is_none()).map(|row| row.pid),
        framework_version: settings.text(&["pytorch_version", "torch_version"]),
        layout: Layout { world: settings.int("distributedInfo/world_size"), ..Layout::default() },
        ..RankInfo::default()
    }
}

/// The name of the device that was used, of all those that the trace lists.
fn chip(settings: &Settings, device: Option<i64>) -> Option<String> {
    let devices = settings.get("deviceProperties")?.as_array()?;
    let is_used = |properties: &&Value| device.is_some() && properties.get("id").and_then(Value::as_i64) == device;
    let used = devices.iter().find(is_used).or_else(|| devices.first().filter(|_| device.is_none()))?;
    Some(used.get("name")?.as_str()?.to_owned())
}

/// The host and the process in `{host}_{process}.{time}.pt.trace.json`, the name that PyTorch gives.
pub fn process_in_name(file: &str) -> Option<(&str, &str)> {
    let name = file.rsplit('/').next()?;
    let (name, _) = name.split_once(".pt.trace.json")?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (worker, _) = name.rsplit_once('.').filter(|(_, time)| digits(time))?;
    let (host, process) = worker.rsplit_once('_')?;
    (digits(process) && !host.is_empty()).then_some((host, process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_only_from_names_of_the_usual_form() {
        let usual = "gpu-7.site_2812.1695835542513.pt.trace.json.gz";
        assert_eq!(process_in_name(usual), Some(("gpu-7.site", "2812")));
        assert_eq!(process_in_name("worker0.1695835542513.pt.trace.json"), None);
        assert_eq!(process_in_name("rank0.json"), None);
    }
}
