package ptx

import "strings"

// special is a predefined, read-only register.
type special struct {
	typ Type
	vec uint8 // 4 for registers with .x .y .z .w, else 1
}

var specials = func() map[string]special {
	m := make(map[string]special)
	add := func(t Type, vec uint8, names string) {
		for _, n := range strings.Fields(names) {
			m["%"+n] = special{t, vec}
		}
	}
	add(U32, 4, "tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid")
	add(U32, 1, "laneid warpid nwarpid smid nsmid cluster_ctarank cluster_nctarank "+
		"lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt clock clock_hi "+
		"globaltimer_lo globaltimer_hi total_smem_size aggr_smem_size dynamic_smem_size "+
		"reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap "+
		"pm0 pm1 pm2 pm3 pm4 pm5 pm6 pm7")
	add(U64, 1, "gridid clock64 globaltimer current_graph_exec "+
		"pm0_64 pm1_64 pm2_64 pm3_64 pm4_64 pm5_64 pm6_64 pm7_64")
	add(B32, 1, "reserved_smem_offset_0 reserved_smem_offset_1")
	add(Pred, 1, "is_explicit_cluster")
	for _, d := range []string{"", "1", "2", "3"} {
		for _, e := range "0123456789" {
			if n := d + string(e); n <= "31" || len(n) == 1 {
				m["%envreg"+n] = special{B32, 1}
			}
		}
	}
	return m
}()

// SpecialRegister returns the type of a predefined register, named with its
// percent sign and without selector, and its number of components: 4 for
// %tid and the like, else 1.
func SpecialRegister(name string) (t Type, components int, ok bool) {
	s, ok := specials[name]
	return s.typ, int(s.vec), ok
}

// selects tells whether sel picks one of n components: x, y, z, w or
// r, g, b, a.
func selects(sel string, n uint8) bool {
	if len(sel) != 1 {
		return false
	}
	i := strings.IndexByte("xyzw", sel[0])
	if i < 0 {
		i = strings.IndexByte("rgba", sel[0])
	}
	return i >= 0 && i < int(n)
}
