package ptxexec

import "github.com/warpbound/warpbound/ptx"

func (l *lowerer) special2(s *ptx.Inst, f *ptx.Form) bool { return false }
func (l *lowerer) movVector(s *ptx.Inst, f *ptx.Form)     {}
func (l *lowerer) warpBarrier(s *ptx.Inst)                {}
