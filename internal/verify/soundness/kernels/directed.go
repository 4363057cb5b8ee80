package kernels

// directed are cases that random search does not come near.
func directed() []Case {
	return []Case{publishedBound("script:0,0,1,1,1,1,0,0,1,0"), publishedBound("random:1"), slowBarriers(), branchTable()}
}

// publishedBound is the second counterexample to the published bound of
// docs/soundness.md as a kernel: two warps that execute
//
//	F2/3/0 F2/3/0 F1/2/0 F1/2/0 F0/2/0(0,2)
//
// with multiplications on F2, square roots on F1 and a store on F0, and an exit
// that takes an issue slot and nothing else.
func publishedBound(policy string) Case {
	s := &source{temps: firstTemp, bare: true}
	for _, line := range []string{
		"mul.f32 %f0, %f5, %f5;",
		"mul.f32 %f1, %f5, %f5;",
		"sqrt.approx.f32 %f2, %f5;",
		"sqrt.approx.f32 %f3, %f5;",
		"st.shared.v2.f32 [wide], {%f0, %f2};",
	} {
		s.body = append(s.body, &node{lines: []string{line}})
	}
	return Case{
		PTX: s.text(), source: s, Grid: 1, Block: 64, Base: "ecrts2025-5", Order: "oldest", Policies: []string{policy},
		Set: []string{
			"issue.dependency_depth_cycles=0", "timing.alu.latency_cycles=1",
			"timing.f32.initiation_cycles=3", "timing.f32.latency_cycles=3",
			"timing.sfu.initiation_cycles=2", "timing.sfu.latency_cycles=2",
			"timing.lsu.initiation_cycles=2", "timing.lsu.latency_cycles=2",
		},
	}
}

// slowBarriers is two warps that do nothing but wait for each other, where an
// open barrier takes long.
func slowBarriers() Case {
	s := &source{temps: firstTemp, bare: true}
	for range 8 {
		s.body = append(s.body, &node{lines: []string{"bar.sync 0;"}})
	}
	return Case{PTX: s.text(), source: s, Grid: 2, Block: 64, Base: "ecrts2025-5", Policies: []string{"lrr"}, Set: []string{"barrier.delay_cycles=100"}}
}

// branchTable is a loop around a branch table whose targets jump forwards and
// backwards, one of them with a recursive call: lanes and iterations take
// different ways, and code lies before, behind and inside the loop it belongs to.
func branchTable() Case {
	s := &source{temps: firstTemp + 4, bare: true, calls: true, body: []*node{{lines: []string{
		"mov.u32 %r1, %tid.x;",
		"mov.u32 %r16, 0;",
		"mov.u32 %r17, 0;",
		"bra.uni $HEAD;",
		"$THIRD:",
		"add.u32 %r17, %r17, 2;",
		"bra.uni $NEXT;",
		"$HEAD:",
		"mad.lo.u32 %r18, %r16, %r16, %r1;",
		"shr.u32 %r18, %r18, 1;",
		"and.b32 %r18, %r18, 3;",
		"$TABLE: .branchtargets $FIRST, $SECOND, $THIRD, $NEXT;",
		"brx.idx %r18, $TABLE;",
		"$SECOND:",
		"call (%r17), down, (%r16);",
		"bra.uni $NEXT;",
		"$FIRST:",
		"add.u32 %r17, %r17, 1;",
		"$NEXT:",
		"add.u32 %r16, %r16, 1;",
		"setp.lt.u32 %p1, %r16, 50;",
		"@%p1 bra $HEAD;",
	}}}}
	return Case{PTX: s.text(), source: s, Grid: 2, Block: 96, Base: "gtx480", Policies: []string{"lrr", "gto", "random:3"}}
}
