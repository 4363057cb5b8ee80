// Package policy holds the policies of the simulator: which ready warp a scheduler
// issues, and which of the instructions that wait for a unit it serves. A policy sees
// the warps of its scheduler as sets and keys (Candidates) and nothing of the model
// that asks it, so that every model asks the same ones.
//
//	Policy         names an issue policy; Parse reads one, Names lists them
//	Picker         its state in one scheduler
//	TurnPicker     of one whose turns end by what their holder executes
//	DispatchOrder  names an order of dispatch; Chooser is its state in one SM
//
// Policies of the stages of a front end are gpu.FrontPolicy's, and package sim's.
package policy
