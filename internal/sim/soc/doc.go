// Package soc is what is around a simulated GPU on its chip: the cores of CPUs that send
// to the DRAM they share with it, and agents that act beside it.
//
//	Config   which cores send what (Traffic), and the agents
//	Agent    acts at cycles of its own choice: a timer, an interrupt handler, a task
//	Watcher  an agent that looks at what the SMs did
//	Cores    the cores as agents see them: to hold and to release
//	SoC      all of it while a run lasts
//
// It knows the memory (package memory) and nothing of SMs and warps.
package soc
