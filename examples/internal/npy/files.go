package npy

// Files returns every input file, in order of path.
func Files() []File {
	return nil
}
