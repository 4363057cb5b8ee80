package soundness

// NamedScope is a scope worth trying as a whole. Quick ones take seconds, the
// others minutes.
type NamedScope struct {
	Name  string
	Quick bool
	Scope Scope
}

// Scopes lists them, all over two units and on all of Machines, or of
// BarrierMachines if they have several sections.
func Scopes() []NamedScope {
	one, two := []int{0}, []int{0, 1}
	all, barriers := Machines(), BarrierMachines()
	return []NamedScope{
		{"two warps, 4 instructions in all", true, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 4, Inits: []int{1, 2}, Lats: one, MaxSources: 1, Machines: all}},
		{"two equal warps of 3", true, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 6, Inits: []int{1, 3}, Lats: one, MaxSources: 2, Equal: true, Machines: all}},
		{"three equal warps of 2", true, Scope{Warps: 3, Units: 2, PerWarp: 2, Total: 6, Inits: []int{1, 2}, Lats: two, MaxSources: 1, Equal: true, Machines: all}},
		{"two warps of 2 in two sections", true, Scope{Warps: 2, Units: 2, PerWarp: 2, Total: 4, Inits: []int{1, 2}, Lats: []int{2}, MaxSources: 1, Sections: 2, Machines: barriers}},
		{"two equal warps of 3 in three sections", true, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 6, Inits: []int{3}, Lats: two, MaxSources: 2, Sections: 3, Equal: true, Machines: barriers}},
		{"two warps, 4 instructions in all, latencies", false, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 4, Inits: []int{1, 2}, Lats: two, MaxSources: 2, Machines: all}},
		{"two warps, 5 instructions in all", false, Scope{Warps: 2, Units: 2, PerWarp: 4, Total: 5, Inits: []int{1, 2}, Lats: one, MaxSources: 1, Machines: all}},
		{"two equal warps of 4", false, Scope{Warps: 2, Units: 2, PerWarp: 4, Total: 8, Inits: []int{1, 2}, Lats: two, MaxSources: 1, Equal: true, Machines: all}},
		{"two equal warps of 4, all sources", false, Scope{Warps: 2, Units: 2, PerWarp: 4, Total: 8, Inits: []int{1, 3}, Lats: one, MaxSources: 3, Equal: true, Machines: all}},
		{"three equal warps of 4", false, Scope{Warps: 3, Units: 2, PerWarp: 4, Total: 12, Inits: []int{1, 2}, Lats: one, MaxSources: 1, Equal: true, Machines: all}},
		{"three warps, 5 instructions in all", false, Scope{Warps: 3, Units: 2, PerWarp: 3, Total: 5, Inits: []int{1, 2}, Lats: one, MaxSources: 1, Machines: all}},
		{"two warps, 4 instructions in all, two sections", false, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 4, Inits: []int{1, 2}, Lats: []int{0, 2}, MaxSources: 1, Sections: 2, Machines: barriers}},
		{"two warps, 4 instructions in all, three sections", false, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 4, Inits: []int{1, 3}, Lats: []int{2}, MaxSources: 2, Sections: 3, Machines: barriers}},
		{"two warps, 5 instructions in all, two sections", false, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 5, Inits: []int{1, 2}, Lats: []int{1}, MaxSources: 1, Sections: 2, Machines: barriers}},
		{"two equal warps of 3 in two sections", false, Scope{Warps: 2, Units: 2, PerWarp: 3, Total: 6, Inits: []int{1, 3}, Lats: []int{0, 2}, MaxSources: 2, Sections: 2, Equal: true, Machines: barriers}},
		{"two equal warps of 4 in two sections", false, Scope{Warps: 2, Units: 2, PerWarp: 4, Total: 8, Inits: []int{1, 3}, Lats: []int{1}, MaxSources: 1, Sections: 2, Equal: true, Machines: barriers}},
		{"three warps, 4 instructions in all, two sections", false, Scope{Warps: 3, Units: 2, PerWarp: 2, Total: 4, Inits: []int{1, 3}, Lats: []int{0, 2}, MaxSources: 1, Sections: 2, Machines: barriers}},
		{"three warps, 5 instructions in all, two sections", false, Scope{Warps: 3, Units: 2, PerWarp: 3, Total: 5, Inits: []int{1, 2}, Lats: []int{1}, MaxSources: 1, Sections: 2, Machines: barriers}},
	}
}
