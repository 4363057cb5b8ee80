// Package certify checks certificates of bounds: files in which an analysis writes down
// why its figure for a launch is one (docs/certificates.md).
//
// It shares no package with the analysis but the format of the file. It reads the text
// of the kernel (kernel.go, operands.go), its control flow (flow.go), the description of
// the GPU (machine.go) and the launch file (launch.go) itself, and recomputes, in
// integers and with checked sums, every step: what each symbol is, that paths follow
// the control flow, every potential (potentials.go), charges, and the theorems for
// blocks and launches (bounds.go). It is small so that it can be read.
//
// What it takes from the certificate is in [Report.Trusted]: foremost that the
// expressions hold every path of every warp.
package certify
