package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

// emitFlags say which text of the kernels prem writes.
func emitFlags(cmd *cobra.Command, to *warpbound.PremEmitOptions) {
	forms := []string{warpbound.EmitCUDA, warpbound.EmitOpenCL, warpbound.EmitPTX, warpbound.EmitClangPTX, warpbound.EmitHarness, warpbound.EmitLaunch}
	schemes := []string{warpbound.SchemeBase, warpbound.SchemeCMPT, warpbound.SchemeDAE, warpbound.SchemeSDMA}
	cmd.Flags().StringVar(&to.Emit, "emit", "", "write the kernels: "+strings.Join(forms, ", ")+" (launch files with PTX and arguments, in the directory of --output)")
	cmd.Flags().StringVar(&to.Scheme, "scheme", warpbound.SchemeSDMA, "for --emit: "+strings.Join(schemes, ", "))
	cmd.Flags().BoolVar(&to.Guard, "guard", false, "for --emit, but not launch: with the guard's protocol in the kernels")
	cmd.Flags().IntVar(&to.Unroll, "unroll", 1, fmt.Sprintf("for warpbound's own PTX (--emit ptx or launch, --schedule): iterations of a copy loop that are made one, all loads before all stores, 1 to %d", warpbound.MaxUnroll))
	cmd.Flags().BoolVar(&to.Approx, "approx", false, "let exp, log, pow and the trigonometric functions be approximations (warpbound's own PTX)")
	_ = cmd.RegisterFlagCompletionFunc("unroll", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("emit", words(forms...))
	_ = cmd.RegisterFlagCompletionFunc("scheme", words(schemes...))
	positive(cmd, "unroll")
	needs(cmd, []string{"scheme", "guard"}, "nothing is written", "emit")
	needs(cmd, []string{"unroll", "approx"}, "nothing is compiled", "emit", "schedule")
}

// writeCode writes the kernels of a program: a text, or files into the directory of
// --output, which it lists.
func writeCode(cmd *cobra.Command, out *output, p *warpbound.PremProgram, opt warpbound.PremEmitOptions) error {
	if out.file != "" {
		opt.Output = func(name string, data []byte) error {
			if err := os.MkdirAll(out.file, 0o777); err != nil {
				return err
			}
			name = filepath.Join(out.file, name)
			if err := apart("output", name, append([]string{p.File}, p.Headers...)); err != nil {
				return err
			}
			return writeFile(name, data)
		}
	}
	code, err := p.Emit(cmd.Context(), opt)
	if err != nil {
		return err
	}
	if len(code.Files) == 0 {
		return out.raw(cmd, []byte(code.Text))
	}
	for _, name := range code.Files {
		fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(out.file, name))
	}
	return nil
}
