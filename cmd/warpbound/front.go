package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
)

// frontEndFlags are the flags of a front end.
func frontEndFlags(cmd *cobra.Command, f *warpbound.FrontEnd) {
	cmd.Flags().StringVar(&f.FetchPolicy, "fetch-policy", "", "policy of the fetch stage in a front end, variant baseline (default: the description's)")
	cmd.Flags().StringVar(&f.IssuePolicy, "issue-policy", "", "policy of the issue stage in a front end, with variant swas of both stages (default: the description's)")
	cmd.Flags().StringVar(&f.Variant, "variant", "", "variant of the front end: "+gpu.Baseline+" or "+gpu.SWaS+" (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("fetch-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("issue-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("variant", words(gpu.Baseline, gpu.SWaS))
}

// frontPolicyWords are the names of policies as they can be typed, an example for
// those with an argument.
func frontPolicyWords() []string {
	names := gpu.FrontPolicyNames()
	for i, name := range names {
		if _, err := gpu.ParseFrontPolicy(name); err != nil {
			names[i] = name + ":16"
		}
	}
	return names
}
