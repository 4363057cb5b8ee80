// Package frontend is what is before the units of a simulated SM (Crouzet2024, Section IV):
// a fetch stage, an instruction cache and an instruction queue for each warp, from whose
// head alone it issues, with separate schedulers or one for both stages. docs/frontend.md
// has the rules.
//
//	FrontEnd  one SM's; the SM calls Advance, Select for each scheduler, and Fetch in
//	          each cycle
//	SM        what it asks of its SM
//	Events    sees what it does
//	Config    a front end as a run uses it (Configure)
//	Use       what it counted
//
// Beside the policies run the oracles of Section VI-A (oracle.go). Units, registers and
// barriers are the SM's.
package frontend
