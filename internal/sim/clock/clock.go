// Package clock says what the parts of the simulator share about time, which is an
// integer number of cycles from the start of the launch.
package clock

// Never is a cycle that does not come.
const Never = int64(1)<<62 - 1
