package bound

import "errors"

// ErrOverflow reports a number of cycles or instructions too large to compute with.
// Every method checks its sums against a limit of its own, at least 2^60: nothing
// wraps.
var ErrOverflow = errors.New("a number of cycles or instructions is too large to compute with")
