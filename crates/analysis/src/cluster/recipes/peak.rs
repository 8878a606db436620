//! Peak computing performance of chips.

use npuscope_formats::device_info::DeviceInfo;

/// Cores and frequency of chips, as CANN's platform files have them, for profiles whose raw data is gone.
const CHIPS: &[(&str, DeviceInfo)] = &[
    ("Ascend910B1", DeviceInfo { ai_cores: 24, frequency_mhz: 1850.0 }),
    ("Ascend910B2", DeviceInfo { ai_cores: 24, frequency_mhz: 1800.0 }),
    ("Ascend910B2C", DeviceInfo { ai_cores: 24, frequency_mhz: 1800.0 }),
    ("Ascend910B3", DeviceInfo { ai_cores: 20, frequency_mhz: 1800.0 }),
    ("Ascend910B4", DeviceInfo { ai_cores: 20, frequency_mhz: 1500.0 }),
];

/// The figures of a chip by its name. `Ascend910B` alone may be any of several.
pub fn known_chip(name: &str) -> Option<DeviceInfo> {
    CHIPS.iter().find(|(known, _)| *known == name).map(|(_, chip)| *chip)
}

/// Operations a second of the cube units of all cores: cores x frequency x operations a cycle.
pub fn peak(chip: DeviceInfo, per_cycle: f64) -> f64 {
    f64::from(chip.ai_cores) * chip.frequency_mhz * 1e6 * per_cycle
}

/// Operations a cycle of a cube unit in half precision: a product of 16 x 16 matrices, each multiplication and
/// addition counted.
pub const HALF: f64 = 16.0 * 16.0 * 16.0 * 2.0;

/// Operations a cycle of a cube unit for inputs of a type. Twice as many with half the bits; single precision takes
/// four times as long as half. Databases do not say where it is rounded to HF32, which takes twice as long.
pub fn per_cycle(dtype: &str) -> Option<f64> {
    match dtype.strip_prefix("DT_").unwrap_or(dtype) {
        "FLOAT16" | "BF16" | "BFLOAT16" => Some(HALF),
        "FLOAT" | "FLOAT32" => Some(HALF / 4.0),
        "INT8" | "UINT8" => Some(HALF * 2.0),
        "INT4" => Some(HALF * 4.0),
        _ => None,
    }
}

/// The same as msprof-analyze has it: as fast in single precision as in half.
pub fn compat_per_cycle(dtype: &str) -> Option<f64> {
    match dtype {
        "FLOAT" | "FLOAT16" | "BF16" | "DT_BF16" => Some(HALF),
        "INT8" => Some(HALF * 2.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_depends_on_the_type() {
        let chip = known_chip("Ascend910B2").unwrap();
        let tflops = |dtype| per_cycle(dtype).map(|per_cycle| peak(chip, per_cycle) / 1e12);
        assert_eq!(tflops("DT_BF16"), Some(353.8944));
        assert_eq!(tflops("FLOAT"), Some(88.4736));
        assert_eq!(tflops("INT8"), Some(707.7888));
        assert_eq!(tflops("COMPLEX64"), None);
        assert_eq!(known_chip("Ascend910B"), None);
    }
}
