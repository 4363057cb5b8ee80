package ptxexec

import "github.com/warpbound/warpbound/ptx"

// extension continues rare with the groups of instructions that have a file of
// their own.
func (l *lowerer) extension(s *ptx.Inst, f *ptx.Form) bool {
	switch s.Op {
	case "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2", "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4":
		l.video(s, f)
	case "tex", "tld4":
		l.texture(s, f)
	case "mma":
		l.mma(s, f)
	case "wmma":
		l.wmma(s, f)
	case "ldmatrix":
		l.ldmatrix(s, f)
	case "mbarrier":
		l.mbarrier(s, f)
	default:
		return false
	}
	return true
}
