package view

import (
	"os"
	"os/exec"
	"runtime"
)

// Open shows a URL in the browser of who is logged in, where there is a screen and a program
// that knows the browser; it does not wait for it, and fails silently, since the URL is
// printed, too.
func Open(url string) {
	var cmd *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", url)
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return
	default:
		cmd = exec.Command("xdg-open", url)
	}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
