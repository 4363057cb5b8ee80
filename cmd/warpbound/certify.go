package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newCertify() *cobra.Command {
	var (
		out  output
		opt  warpbound.CertifyOptions
		gate gateFlags
	)
	cmd := command("certify", "certify CERTIFICATE", "Check the certificate of a bound", func(cmd *cobra.Command, args []string) error {
		if err := gate.check(cmd); err != nil {
			return err
		}
		c, err := warpbound.Certify(args[0], opt)
		if err != nil {
			return err
		}
		doc, err := c.Report()
		if err := out.print(cmd, doc, err); err != nil {
			return err
		}
		if !c.Holds() {
			return errFound
		}
		return gate.judge([]figure{{launch: args[0], gpu: c.GPU, cycles: c.LaunchCycles, allInputs: c.AllInputs}})
	})
	out.flags(cmd, false)
	gate.flags(cmd)
	cmd.Flags().StringVar(&opt.Kernel, "kernel", "", "check against this PTX file instead of the one that the certificate names")
	cmd.Flags().StringVar(&opt.Launch, "launch", "", "check against this launch file instead of the one that the certificate names")
	cmd.Flags().StringVar(&opt.Facts, "facts", "", "check against this file of facts instead of the one that the certificate names")
	return cmd
}

// writeCertificate writes the certificate of an analysis, if a file is named.
func writeCertificate(cmd *cobra.Command, a *warpbound.Analysis, file string) error {
	if file == "" {
		return nil
	}
	data, err := a.Certificate(cmd.Context())
	if err == nil {
		err = writeFile(file, data)
	}
	if err != nil {
		return fmt.Errorf("--certificate: %w", err)
	}
	return nil
}
