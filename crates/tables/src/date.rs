//! Dates of the proleptic Gregorian calendar as days since 1970-01-01.

/// Days from 0000-03-01 to 1970-01-01. Years that begin in March have the leap day at their end.
const EPOCH: i64 = 719_468;

/// Days of 400 years.
const ERA: i64 = 146_097;

/// Year, month and day of a day counted from 1970-01-01.
pub fn date_of_day(day: i64) -> (i64, i64, i64) {
    let days = day + EPOCH;
    let era = days.div_euclid(ERA);
    let day_of_era = days.rem_euclid(ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year_of_era + era * 400 + carry, month, day)
}

/// The day of a date, counted from 1970-01-01. `month` is 1 to 12.
pub fn day_of_date(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - EPOCH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_dates_have_their_days() {
        for (date, day) in [((1970, 1, 1), 0), ((2000, 2, 29), 11_016), ((2025, 1, 9), 20_097)] {
            assert_eq!((date_of_day(day), day_of_date(date.0, date.1, date.2)), (date, day));
        }
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn a_day_reads_back_from_its_date(day in -1_000_000i64..4_000_000) {
            let (year, month, of_month) = date_of_day(day);
            prop_assert_eq!(day_of_date(year, month, of_month), day);
        }
    }
}
