//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// killGroup makes the end of the command's context kill the program and all
// it started.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
