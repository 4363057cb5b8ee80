package ptxgen

import (
	"github.com/warpbound/warpbound/internal/prem/device"
)

// The token's words that kernels use, in bytes from its start: see package guard.
const (
	RequestBytes = 32 * 4 // the kernel's request
	GrantBytes   = 64 * 4 // the CPU's grant
	// ArrivalBytes is the place of the word in which the teams of a launch count
	// themselves: the low 16 bits hold how many have arrived at the end of the
	// phase, the high 16 bits how many have not left the kernel. Before a launch the
	// host sets it to its teams << 16.
	ArrivalBytes = 96 * 4
)

// The kinds of requests (guard.Kind).
const (
	kindMemory  = 2
	kindCompute = 3
	kindJoin    = 4
	kindAbort   = 5
)

// guardState are the registers of the guard's protocol, which thread 0 uses.
type guardState struct {
	token, first  string // address, and the predicate of thread 0
	seq, now, key string // number and kind of the running phase, the word wanted
}

// enterGuard reads the number of the phase that the launch began in.
func (g *gen) enterGuard(token string) {
	s := &g.guard
	*s = guardState{token, g.newPred(), g.newReg(1), g.newReg(1), g.newReg(1)}
	g.put(comment, "guard: the launch's phase")
	g.emit("mov.b32 %s, 0", s.now)
	g.emit("mov.b32 %s, 0", s.seq)
	g.emit("setp.eq.s32 %s, %s, 0", s.first, g.thread)
	skip := g.label("guard_begin")
	g.putGuarded("!"+s.first, "bra %s", skip)
	g.put(fixed, "ld.volatile.global.u32 %s, %s", s.seq, at(token, GrantBytes))
	g.put(fixed, "shr.u32 %s, %s, 3", s.seq, s.seq)
	g.mark(skip)
}

// sync ends a phase. With the guard, the last of the teams to arrive asks for the
// next one on behalf of all; each waits until it is granted.
func (g *gen) sync(s *device.Sync) {
	number, kind := BarrierMemory, kindMemory
	if s.Phase == device.Compute {
		number, kind = BarrierCompute, kindCompute
	}
	g.put(comment, "%s", s.Phase)
	g.put(fixed, "bar.sync %d", number)
	if !g.opt.Guard {
		return
	}
	gs := &g.guard
	spin, done := g.label("guard_spin"), g.label("guard_done")
	// The trap of an abort stands where the warp is together again: an exit inside
	// would leave no place at which the lanes of the first warp meet.
	ok := g.newPred()
	g.put(fixed, "setp.ge.s32 %s, %s, 0", ok, g.thread)
	g.putGuarded("!"+gs.first, "bra %s", done)
	g.put(fixed, "membar.sys") // the phase's accesses are done
	g.put(fixed, "add.u32 %s, %s, 1", gs.seq, gs.seq)
	g.put(fixed, "mov.b32 %s, %d", gs.now, kind)
	g.want(gs.key, kind)
	old, arrived, live, p := g.newReg(1), g.newReg(1), g.newReg(1), g.newPred()
	g.put(fixed, "atom.global.add.u32 %s, %s, 1", old, at(gs.token, ArrivalBytes))
	g.put(fixed, "and.b32 %s, %s, 65535", arrived, old)
	g.put(fixed, "add.u32 %s, %s, 1", arrived, arrived)
	g.put(fixed, "shr.u32 %s, %s, 16", live, old)
	g.put(fixed, "setp.ne.u32 %s, %s, %s", p, arrived, live)
	g.putGuarded(p, "bra %s", spin)
	g.put(comment, "the last team")
	g.put(fixed, "neg.s32 %s, %s", arrived, arrived)
	g.put(fixed, "atom.global.add.u32 %s, %s, %s", old, at(gs.token, ArrivalBytes), arrived)
	g.put(fixed, "membar.sys")
	g.put(fixed, "st.volatile.global.u32 %s, %s", at(gs.token, RequestBytes), gs.key)
	g.mark(spin)
	grant, q, k := g.newReg(1), g.newPred(), g.newReg(1)
	granted := g.label("guard_granted")
	g.put(fixed, "ld.volatile.global.u32 %s, %s", grant, at(gs.token, GrantBytes))
	g.put(fixed, "setp.eq.u32 %s, %s, %s", ok, grant, gs.key)
	g.putGuarded(ok, "bra %s", granted)
	g.put(fixed, "and.b32 %s, %s, 7", k, grant)
	g.put(fixed, "setp.ne.u32 %s, %s, %d", q, k, kindAbort)
	g.putGuarded(q, "bra %s", spin)
	g.mark(granted)
	g.put(fixed, "membar.sys")
	g.mark(done)
	g.putGuarded("!"+ok, "trap")
	g.put(fixed, "bar.sync %d", number)
}

// want puts the word that asks for phase seq into a register.
func (g *gen) want(reg string, kind int) {
	g.put(fixed, "shl.b32 %s, %s, 3", reg, g.guard.seq)
	g.put(fixed, "or.b32 %s, %s, %d", reg, reg, kind)
}

// leaveGuard takes the team out of the launch. The last one asks for join; where
// all others have arrived already, it is this team that asks for the phase they
// wait for: the one that is not like the running one.
func (g *gen) leaveGuard() {
	gs := &g.guard
	end := g.label("guard_left")
	g.put(comment, "guard: the team leaves")
	g.put(fixed, "bar.sync %d", BarrierPlain)
	g.putGuarded("!"+gs.first, "bra %s", end)
	g.put(fixed, "membar.sys")
	old, arrived, live, p := g.newReg(1), g.newReg(1), g.newReg(1), g.newPred()
	g.put(fixed, "add.u32 %s, %s, 1", gs.seq, gs.seq)
	g.put(fixed, "atom.global.add.u32 %s, %s, %d", old, at(gs.token, ArrivalBytes), -1<<16)
	g.put(fixed, "and.b32 %s, %s, 65535", arrived, old)
	g.put(fixed, "shr.u32 %s, %s, 16", live, old)
	g.put(fixed, "sub.u32 %s, %s, 1", live, live)
	join := g.label("guard_join")
	g.put(fixed, "setp.eq.u32 %s, %s, 0", p, live)
	g.putGuarded(p, "bra %s", join)
	q := g.newPred()
	g.put(fixed, "setp.ne.u32 %s, %s, %s", q, live, arrived)
	g.putGuarded(q, "bra %s", end)
	g.put(comment, "the others wait")
	m, next, neg := g.newPred(), g.newReg(1), g.newReg(1)
	g.put(fixed, "neg.s32 %s, %s", neg, arrived)
	g.put(fixed, "atom.global.add.u32 %s, %s, %s", old, at(gs.token, ArrivalBytes), neg)
	g.put(fixed, "setp.eq.u32 %s, %s, %d", m, gs.now, kindMemory)
	g.put(fixed, "selp.b32 %s, %d, %d, %s", next, kindCompute, kindMemory, m)
	g.put(fixed, "shl.b32 %s, %s, 3", gs.key, gs.seq)
	g.put(fixed, "or.b32 %s, %s, %s", gs.key, gs.key, next)
	g.put(fixed, "membar.sys")
	g.put(fixed, "st.volatile.global.u32 %s, %s", at(gs.token, RequestBytes), gs.key)
	g.put(fixed, "bra %s", end)
	g.mark(join)
	g.want(gs.key, kindJoin)
	g.put(fixed, "st.volatile.global.u32 %s, %s", at(gs.token, RequestBytes), gs.key)
	g.mark(end)
}
