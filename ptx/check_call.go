package ptx

// call checks a call against its callee.
func (c *checker) call(s *Call) {
	c.guard(s.Guard)
	c.form("call", s.Mods, 0, s.Pos)
	for i := range s.Rets {
		c.argument(&s.Rets[i], true)
	}
	for i := range s.Args {
		c.argument(&s.Args[i], false)
	}
	obj, ok := c.known(s.Callee.Pos, s.Callee.Name, objFunc, objReg)
	if !ok {
		return
	}
	if obj.kind == objReg {
		c.indirect(s, obj)
		return
	}
	if obj.fn.Entry {
		c.errorf(s.Callee.Pos, "call of entry %s, expected a .func", quoteShort(s.Callee.Name))
		return
	}
	c.callCounts(s, obj.fn.Rets, obj.fn.Params)
}

// indirect checks a call through a register.
func (c *checker) indirect(s *Call, reg object) {
	if !(want{address: true}).takes(reg.typ) {
		c.fits(&s.Callee, reg.typ, want{address: true})
	}
	if s.Targets == "" {
		c.errorf(s.Pos, "indirect call without targets, expected a .callprototype or .calltargets at the end")
		return
	}
	obj, ok := c.known(s.TargetsPos, s.Targets, objPrototype, objCallTargets, objVar)
	if ok && obj.proto != nil {
		c.callCounts(s, obj.proto.Rets, obj.proto.Params)
	}
}

func (c *checker) callCounts(s *Call, rets, params []*VarDecl) {
	if len(s.Rets) != len(rets) {
		c.errorf(s.Pos, "call takes %d results, expected %d", len(s.Rets), len(rets))
	}
	if len(s.Args) != len(params) {
		c.errorf(s.Pos, "call passes %d arguments, expected %d", len(s.Args), len(params))
	}
}

// argument checks an argument or result of a call: a .param variable, a
// register, or a constant to pass.
func (c *checker) argument(o *Operand, ret bool) {
	switch o.Kind {
	case KindName:
		obj, ok := c.known(o.Pos, o.Base(), objReg, objVar)
		if ok && obj.space == SpaceSreg {
			c.errorf(o.Pos, "special register %s, expected a .param variable or a register that is declared", quoteShort(o.Name))
		}
		if ok && obj.kind == objReg && o.Imm != 0 {
			c.errorf(o.Pos, "offset added to %s, expected a register alone", quoteShort(o.Name))
		}
		if ok && obj.kind == objVar && obj.space != SpaceParam {
			c.errorf(o.Pos, "%s is in .%s, expected a .param variable or a register", quoteShort(o.Name), obj.space)
		}
	case KindSink:
	case KindInt, KindF32, KindF64:
		if ret {
			c.errorf(o.Pos, "constant takes a result, expected a .param variable or a register")
		}
	default:
		c.names(o)
	}
}
