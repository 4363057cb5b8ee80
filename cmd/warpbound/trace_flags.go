package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

// traceFlags are those of a command that writes what happens as a timeline.
type traceFlags struct {
	file, window, blocks string
	opt                  warpbound.TraceOptions
	out                  *replacement
}

func (f *traceFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "trace", "", "write what happens when into this .pftrace (Perfetto) or .json (Chrome) file")
	cmd.Flags().StringVar(&f.window, "trace-window", "", "details of these cycles only, FROM..TO, FROM.. or ..TO")
	cmd.Flags().StringVar(&f.blocks, "trace-blocks", "", "details of these blocks only, such as 0,3,8..11")
	_ = cmd.MarkFlagFilename("trace", "pftrace", "perfetto-trace", "json")
	needs(cmd, []string{"trace-window", "trace-blocks"}, "nothing is traced", "trace")
	_ = cmd.RegisterFlagCompletionFunc("trace-window", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("trace-blocks", cobra.NoFileCompletions)
}

// options are what the flags ask of the library, nil where they ask for nothing. What
// is wrong with them is told before anything is computed.
func (f *traceFlags) options() (*warpbound.TraceOptions, error) {
	if f.file == "" {
		return nil, nil
	}
	var err error
	if f.opt.Format, err = warpbound.TraceFormat(f.file); err != nil {
		return nil, fmt.Errorf("--trace %w", err)
	}
	if f.window != "" {
		from, to, ok := strings.Cut(f.window, "..")
		if !ok || !number(from, &f.opt.Window.From) || !number(to, &f.opt.Window.To) {
			return nil, fmt.Errorf("--trace-window %s: expected two cycles, FROM..TO, FROM.. or ..TO", f.window)
		}
		if to != "" && f.opt.Window.To == 0 {
			return nil, fmt.Errorf("--trace-window %s: expected a last cycle after the first", f.window)
		}
	}
	if f.blocks != "" {
		if f.opt.Blocks, err = blockList(f.blocks); err != nil {
			return nil, fmt.Errorf("--trace-blocks %s: %w", f.blocks, err)
		}
	}
	f.opt.To = f
	return &f.opt, nil
}

// number reads a number that may be left out.
func number(s string, to *int64) bool {
	if s == "" {
		return true
	}
	n, err := strconv.ParseInt(s, 10, 64)
	*to = n
	return err == nil
}

// mostTraced is how many blocks a list may have.
const mostTraced = 1 << 16

// blockList reads numbers and ranges of numbers, both ends included.
func blockList(s string) ([]int64, error) {
	var list []int64
	for part := range strings.SplitSeq(s, ",") {
		first, last, ranged := strings.Cut(part, "..")
		if !ranged {
			last = first
		}
		from, err := strconv.ParseInt(first, 10, 64)
		to, errTo := strconv.ParseInt(last, 10, 64)
		switch {
		case err != nil || errTo != nil || from < 0 || to < from:
			return nil, fmt.Errorf("%q: expected the number of a block, or FIRST..LAST", part)
		case to-from >= mostTraced-int64(len(list)):
			return nil, fmt.Errorf("expected at most %d blocks", mostTraced)
		}
		for b := from; b <= to; b++ {
			list = append(list, b)
		}
	}
	return list, nil
}

// Write writes a part of the trace. The file is opened with the first, when the options
// have been checked.
func (f *traceFlags) Write(p []byte) (int, error) {
	if f.out == nil {
		out, err := replace(f.file)
		if err != nil {
			return 0, err
		}
		f.out = out
	}
	return f.out.Write(p)
}

// done puts the trace into its place, or removes it where failed says that it is not
// complete. What it leaves out without having been asked to is told on notes.
func (f *traceFlags) done(t *warpbound.TraceSummary, failed error, notes io.Writer) error {
	switch {
	case f.file == "":
		return failed
	case f.out == nil && failed == nil:
		return fmt.Errorf("--trace %s: nothing was launched that could be traced", f.file)
	case f.out == nil:
		return failed
	case failed != nil:
		return f.out.done(failed)
	}
	if err := f.out.done(nil); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	if t.Ended {
		fmt.Fprintf(notes, "note: %s has details of cycles %v, %d instructions of %d are left out; --trace-window or --trace-blocks choose others\n", f.file, t.Window, t.LeftOut, t.Instructions)
	}
	return nil
}
