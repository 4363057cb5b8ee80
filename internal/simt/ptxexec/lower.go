package ptxexec

import (
	"fmt"
	"math"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// maxFunctions bounds what one kernel may need.
const maxFunctions = 4096

// lowerer turns a module's AST into Code.
type lowerer struct {
	file  *ptx.File
	files map[int32]string // .file directives
	// inlined are the calls in whose place stands what is behind each .loc.
	inlined [][]isa.Inlined
	out     *Code
	prog    *isa.Program
	global  *scope
	byName  map[string]*ptx.Func
	order   []*ptx.Func
	// taken are the functions whose address is taken, nil until first needed;
	// addressed are those that were given an address.
	taken, addressed []*ptx.Func
	index            map[*ptx.Func]int32
	states           []*funcState
	labels           map[string]int // how often each label name has been seen
	consts           map[uint64]int32
	specials         map[string]int32
	dynamic          []*symbol // extern shared variables in use
	dynAlign         uint64
	inits            []pendingInit
	constEnd         uint64 // first free address of the constant window
	errs             conf.ErrorList
	regTypes         []ptx.Type // of each register of the static program

	fn *funcState // the function being lowered
	sc *scope     // the scope of the statement being lowered
	in *instr     // and what it becomes
	is *isa.Instruction
	// dynamicSpecials are the special registers the instruction reads that must
	// be set anew each time.
	dynamicSpecials []special
}

// funcState is what is known of a function while it is lowered.
type funcState struct {
	decl         *ptx.Func
	scope        *scope
	rets, params []*symbol
	frame        uint64 // bytes of the frame so far
	local        uint64 // of those, local variables
	items        []item
	entry        int32
	calls        []pendingCall
	own          []*symbol // shared variables that the function declares
}

// item is a statement that becomes an instruction, with the scope it is in.
type item struct {
	stmt  ptx.Stmt
	scope *scope
}

// Lower prepares kernel entry of a module for execution, with every function it
// can call. Instructions that are not executed here are errors that name
// position and reason and wrap simt.ErrUnsupported; those in kernels and
// functions that entry does not use do not matter. At most 20 errors are
// reported, as a conf.ErrorList.
func Lower(file *ptx.File, entry string) (*Code, error) {
	l := &lowerer{
		file: file, files: map[int32]string{},
		prog:   &isa.Program{Name: entry, Labels: map[string]int32{}},
		global: newScope(nil), byName: map[string]*ptx.Func{}, index: map[*ptx.Func]int32{},
		labels: map[string]int{}, consts: map[uint64]int32{}, specials: map[string]int32{}, dynAlign: 1,
	}
	l.out = &Code{isa: l.prog, addressBits: file.AddressSize}
	l.constant(0)
	l.module()
	l.inlinedCalls()
	fn := l.byName[entry]
	if fn == nil || !fn.Entry || fn.Body == nil {
		return nil, fmt.Errorf("%s: no kernel named %q", file.Name, entry)
	}
	l.reach(fn)
	for i, f := range l.order {
		l.states = append(l.states, l.declare(f, i == 0))
	}
	if l.failed() {
		return nil, l.errs.Err()
	}
	for _, st := range l.states {
		l.function(st)
	}
	for _, st := range l.states {
		l.linkCalls(st)
	}
	if l.failed() {
		return nil, l.errs.Err()
	}
	l.finish()
	if err := l.prog.Check(); err != nil {
		return nil, fmt.Errorf("%s: lowering made a wrong program: %w", file.Name, err)
	}
	if err := l.analyse(); err != nil {
		return nil, err
	}
	awaitCopies(l.prog)
	return l.out, nil
}

func (l *lowerer) failed() bool { return len(l.errs) > 0 }

// position is a place in the module.
func (l *lowerer) position(pos ptx.Pos) isa.Position {
	return isa.Position{File: l.file.Name, Line: int(pos.Line), Col: int(pos.Col)}
}

// errorf records an error at a position.
func (l *lowerer) errorf(pos ptx.Pos, format string, args ...any) {
	if len(l.errs) < conf.MaxErrors {
		l.errs.Addf(l.position(pos), format, args...)
	}
}

// refuse records that something is not executed here.
func (l *lowerer) refuse(pos ptx.Pos, what, reason string) {
	l.errorf(pos, "%s: %w: %s", what, simt.ErrUnsupported, reason)
}

// reach collects the functions that fn can call, fn first.
func (l *lowerer) reach(fn *ptx.Func) {
	l.index[fn] = 0
	l.order = append(l.order, fn)
	for i := 0; i < len(l.order) && i < maxFunctions; i++ {
		eachStmt(l.order[i].Body, func(s ptx.Stmt) {
			c, ok := s.(*ptx.Call)
			if !ok {
				return
			}
			callees := []*ptx.Func{l.byName[c.Callee.Name]}
			if callees[0] == nil && c.Targets != "" {
				callees = l.indirectTargets(l.order[i], c)
			}
			for _, callee := range callees {
				if callee == nil || callee.Body == nil {
					continue
				}
				if _, seen := l.index[callee]; !seen {
					l.index[callee] = int32(len(l.order))
					l.order = append(l.order, callee)
				}
			}
		})
	}
	if len(l.order) > maxFunctions {
		l.errorf(fn.Pos, "kernel %s calls more than %d functions", fn.Name, maxFunctions)
		l.order = l.order[:1]
	}
}

// eachStmt visits the statements of a block and of those inside it.
func eachStmt(b *ptx.Block, visit func(ptx.Stmt)) {
	stack := [][]ptx.Stmt{b.Stmts}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(*top) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		s := (*top)[0]
		*top = (*top)[1:]
		if inner, ok := s.(*ptx.Block); ok {
			stack = append(stack, inner.Stmts)
			continue
		}
		visit(s)
	}
}

// declare makes the scope of a function with its parameters.
func (l *lowerer) declare(f *ptx.Func, kernel bool) *funcState {
	st := &funcState{decl: f, scope: newScope(l.global)}
	for _, d := range f.Rets {
		st.rets = append(st.rets, l.formal(st, d, false))
	}
	for _, d := range f.Params {
		st.params = append(st.params, l.formal(st, d, kernel))
	}
	if st.frame > maxLocalBytes {
		l.errorf(f.NamePos, "the parameters of %s take more than %d bytes", f.Name, maxLocalBytes)
	}
	if !kernel {
		return st
	}
	for _, d := range f.Directives {
		l.launchBound(d)
	}
	return st
}

// launchBound keeps what .reqntid and .maxntid demand of a launch.
func (l *lowerer) launchBound(d ptx.Directive) {
	if d.Name != "reqntid" && d.Name != "maxntid" || len(d.Args) == 0 {
		return
	}
	want := [3]int64{1, 1, 1}
	copy(want[:], d.Args)
	l.out.launchChecks = append(l.out.launchChecks, func(b [3]int) error {
		switch {
		case d.Name == "reqntid" && (int64(b[0]) != want[0] || int64(b[1]) != want[1] || int64(b[2]) != want[2]):
			return fmt.Errorf("the block is %v, .reqntid wants %v", b, want)
		case d.Name == "maxntid" && int64(b[0])*int64(b[1])*int64(b[2]) > want[0]*want[1]*want[2]:
			return fmt.Errorf("the block %v has more threads than .maxntid %v", b, want)
		}
		return nil
	})
}

// formal declares a parameter or return value.
func (l *lowerer) formal(st *funcState, d *ptx.VarDecl, kernel bool) *symbol {
	if len(d.Vars) != 1 {
		l.errorf(d.Pos, "a parameter declaration with %d names", len(d.Vars))
		return &symbol{kind: symFrame}
	}
	v := &d.Vars[0]
	if d.Space == ptx.SpaceReg {
		st.scope.declareRegisters(d)
		return st.scope.syms[v.Name]
	}
	size, align, unsized := layout(d, v)
	if unsized {
		l.refuse(v.Pos, "parameter "+v.Name, "parameters without a size are not modelled")
	}
	if d.Type.Class() == ptx.ClassOpaque {
		l.refuse(v.Pos, "parameter "+v.Name, "textures, samplers and surfaces as parameters are not modelled, their handles are")
	}
	sym := &symbol{kind: symFrame, name: v.Name, typ: d.Type, space: isa.Param, size: size}
	if kernel {
		sym.kind = symMemory
		sym.addr = alignUp(l.out.paramBytes, align)
		l.out.paramBytes = sym.addr + size
		typ := d.Type.String()
		if len(v.Dims) > 0 {
			typ = fmt.Sprintf("%s[%d]", typ, size/max(1, uint64(d.Type.Bytes())))
		}
		l.out.params = append(l.out.params, param{name: v.Name, typ: typ, bytes: size, offset: sym.addr, pointer: d.Ptr != nil})
		if sym.addr+size > windowBytes {
			l.errorf(v.Pos, "the parameters take more than %d bytes", windowBytes)
		}
	} else {
		sym.addr = st.place(size, align)
	}
	if v.Name != "" {
		st.scope.syms[v.Name] = sym
	}
	return sym
}

// place gives bytes of the frame.
func (st *funcState) place(size, align uint64) uint64 {
	at := alignUp(st.frame, align)
	st.frame = at + size
	return at
}

// constant returns the register that holds a constant.
func (l *lowerer) constant(x uint64) int32 {
	if r, ok := l.consts[x]; ok {
		return r
	}
	r := l.newRegister(initConst, x)
	l.consts[x] = r
	return r
}

func (l *lowerer) newRegister(init uint8, x uint64) int32 {
	l.out.regInit = append(l.out.regInit, init)
	l.out.consts = append(l.out.consts, x)
	l.out.valNames = append(l.out.valNames, "")
	l.out.regBits = append(l.out.regBits, 64)
	return int32(len(l.out.regInit) - 1)
}

// finish computes what depends on all functions together.
func (l *lowerer) finish() {
	p := l.out
	p.dynamicBase = int64(alignUp(uint64(l.prog.SharedBytes), l.dynAlign))
	p.funcs[0].frameBytes = alignUp(l.states[0].frame, 16)
	p.usesDynamic = len(l.dynamic) > 0
	for _, sym := range l.dynamic {
		p.sharedArrays = append(p.sharedArrays, sharedArray{sym.name, uint64(p.dynamicBase), math.MaxUint64 - uint64(p.dynamicBase)})
	}
	for _, fn := range l.addressed {
		at, ok := l.index[fn]
		if !ok {
			at = -1
		}
		p.functionAt = append(p.functionAt, at)
	}
	for i := range p.code {
		in := &p.code[i]
		p.leavesOpen = p.leavesOpen || in.open != nil
		if in.group != gBarrier || in.x.mode != barArrive {
			continue
		}
		if p.regInit[in.a] == initConst {
			p.arrives |= 1 << (p.consts[in.a] & (numBarriers - 1))
		} else {
			p.arrives = 1<<numBarriers - 1
		}
	}
}

// analyse builds what execution needs of the control-flow graphs, and counts
// registers.
func (l *lowerer) analyse() error {
	p := l.out
	p.reconv = make([]int32, len(p.code))
	p.barrierAhead, p.meetingAhead = reaches(l.prog, isBarrier), reaches(l.prog, isMeeting)
	for fn := range l.prog.Functions {
		c, err := isa.BuildCFG(l.prog, fn)
		if err != nil {
			return err
		}
		f := l.prog.Functions[fn]
		for pc := f.Entry; pc < f.End; pc++ {
			p.reconv[pc] = c.Reconvergence(pc)
			if p.reconv[pc] == isa.NoPC {
				p.reconv[pc] = pcLeave
			}
		}
	}
	l.prog.RegisterUnits, l.prog.RegisterRule = registerUnits(l.prog, l.units())
	return nil
}
