//go:build !linux && !darwin

package main

import "os"

// terminalColumns is 0: only COLUMNS says how wide a terminal is.
func terminalColumns(*os.File) int { return 0 }
