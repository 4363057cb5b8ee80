package dp

// Shared lets the workers share diagonals of any size.
func (o Options) Shared() Options {
	o.share = 1
	return o
}
