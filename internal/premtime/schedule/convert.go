package schedule

import "fmt"

const nanosecondsPerSecond = 1_000_000_000

// FromCycles returns cycles of a clock of the given frequency in nanoseconds,
// rounded up: a worst-case time, S or R_timer stays one. A base time that is
// rounded up makes a slowdown look smaller by less than a nanosecond's part.
func FromCycles(cycles, hertz int64) (Time, error) {
	if err := checkConversion("cycles", cycles, hertz); err != nil {
		return 0, err
	}
	ns, err := mulDivUp("cycles in nanoseconds", cycles, nanosecondsPerSecond, hertz)
	return Time(ns), err
}

// FromNanoseconds returns nanoseconds in cycles of a clock of the given frequency,
// rounded up.
func FromNanoseconds(nanoseconds, hertz int64) (Time, error) {
	if err := checkConversion("nanoseconds", nanoseconds, hertz); err != nil {
		return 0, err
	}
	cycles, err := mulDivUp("nanoseconds in cycles", nanoseconds, hertz, nanosecondsPerSecond)
	return Time(cycles), err
}

func checkConversion(field string, value, hertz int64) error {
	if value < 0 {
		return &InputError{field, fmt.Sprintf("is %d, expected 0 or more", value)}
	}
	if hertz <= 0 {
		return &InputError{"hertz", fmt.Sprintf("is %d, expected a positive frequency", hertz)}
	}
	return nil
}
