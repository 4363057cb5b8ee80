package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

const (
	// watchEvery is how often files are looked at: by their times and sizes, which works on
	// every file system, those of networks among them.
	watchEvery = 200 * time.Millisecond
	// watchSettles is how long they have to stay as they are: editors write in steps.
	watchSettles = 100 * time.Millisecond
)

// watchFlag lets a command run again when a file that it reads changes.
func watchFlag(cmd *cobra.Command) {
	var watch bool
	cmd.Flags().BoolVar(&watch, "watch", false, "run again whenever a file that the command reads is saved, until interrupted")
	once := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !watch {
			return once(cmd, args)
		}
		return watching(cmd, args, once)
	}
}

// stamp is what tells one version of a file from the next.
type stamp struct {
	file     string
	modified time.Time
	size     int64
}

// stamps are those of the files that a command reads. A file that is not there has one, too.
func stamps(cmd *cobra.Command, args []string) []stamp {
	var out []stamp
	files := readFiles(cmd, args)
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		s := stamp{file: file, size: -1}
		if info, err := os.Stat(file); err == nil {
			s.modified, s.size = info.ModTime(), info.Size()
		}
		out = append(out, s)
	}
	return out
}

// watching runs a command again and again. What is running when a file changes is given up.
func watching(cmd *cobra.Command, args []string, once func(*cobra.Command, []string) error) error {
	whole := cmd.Context()
	for {
		before := stamps(cmd, args)
		files := 0
		for _, s := range before {
			if s.size >= 0 {
				files++
			}
		}
		if _, ok := screen(cmd.OutOrStdout()); ok {
			io.WriteString(unescaped(cmd.OutOrStdout()), "\x1b[H\x1b[2J\x1b[3J") // the top of an empty screen
		}
		ctx, giveUp := context.WithCancel(whole)
		changed := make(chan bool, 1)
		go func() {
			changed <- untilChanged(whole, func() bool { return !slices.Equal(before, stamps(cmd, args)) }, giveUp)
		}()
		cmd.SetContext(ctx)
		err := once(cmd, args)
		cmd.SetContext(whole)
		if ctx.Err() == nil {
			if err != nil {
				complain(cmd.ErrOrStderr(), cmd, err)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "watching %d files; Ctrl-C ends\n", files)
		}
		if !<-changed {
			giveUp()
			return nil
		}
	}
}

// untilChanged waits until something has changed, gives up what is running, and waits until
// nothing changes any more; false where ctx ends it.
func untilChanged(ctx context.Context, changed func() bool, giveUp func()) bool {
	for !changed() {
		if !pause(ctx, watchEvery) {
			return false
		}
	}
	giveUp()
	return pause(ctx, watchSettles)
}

// pause is false where ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
