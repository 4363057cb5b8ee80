package facts

// Covered is what a covering execution found of a loop.
type Covered struct {
	Entered bool
	// Most is no less than how often any thread goes back to the head for one entry,
	// whatever the input, where the execution came to its end.
	Most int64
	// Data says that data decides whether the loop is left somewhere, and Bounded that a
	// fact ended it for some threads.
	Data, Bounded bool
}
