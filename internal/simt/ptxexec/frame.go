package ptxexec

import "math/bits"

// localMemory holds the bytes of each lane's frames, lane after lane: local
// variables, and parameters of functions.
type localMemory struct {
	data   []byte // 32 * stride bytes and pad
	stride uint64 // bytes of one lane
	end    uint64 // bytes of a lane that belong to a frame
	// shadows are the taint of each granule of data, by view; nil outside taint mode.
	shadows [numViews][]bool
	vary    *variation // what it holds at first; nil for zeros
}

func (l *localMemory) reset(size uint64) {
	l.end = 0
	l.grow(0, size)
}

// grow makes [base, end) of each lane a new frame, zeroed.
func (l *localMemory) grow(base, end uint64) {
	if end > l.stride {
		stride := max(end, 2*l.stride)
		stride = (stride + 15) &^ 15
		data := make([]byte, 32*stride+pad)
		for i := uint64(0); i < 32; i++ {
			copy(data[i*stride:], l.data[i*l.stride:i*l.stride+l.end])
		}
		for v, old := range l.shadows {
			if old == nil {
				continue
			}
			l.shadows[v] = make([]bool, 32*stride/granule)
			for i := uint64(0); i < 32; i++ {
				copy(l.shadows[v][i*stride/granule:], old[i*l.stride/granule:(i*l.stride+l.end)/granule])
			}
		}
		l.data, l.stride = data, stride
	}
	for i := uint64(0); i < 32; i++ {
		frame := l.data[i*l.stride+base : i*l.stride+end]
		clear(frame)
		if l.vary != nil {
			l.vary.bytes(frame)
		}
		for _, shadow := range l.shadows {
			if shadow == nil {
				continue
			}
			s := shadow[(i*l.stride+base)/granule : (i*l.stride+end+granule-1)/granule]
			for j := range s {
				s[j] = true
			}
		}
	}
	l.end = end
}

// argument is a register's value on its way from one frame to another.
type argument struct {
	value   lanes
	uniform bool
	taint   [numViews]uint32
}

// readCopy takes the source of c, in the frame at base, where a register is
// involved.
func (w *warp) readCopy(c *copyInfo, base uint64) {
	w.copies = append(w.copies, argument{})
	a := &w.copies[len(w.copies)-1]
	switch {
	case c.from == inReg && w.st[c.fromReg]&uniform != 0:
		a.value[0] = w.vals[c.fromReg][0]
		a.uniform = true
	case c.from == inReg:
		a.value = *w.src(c.fromReg)
	case c.from == inPred:
		for i := range a.value {
			a.value[i] = uint64(w.preds[c.fromReg] >> i & 1)
		}
	case c.to != inMem:
		for i := range a.value {
			a.value[i] = readBytes(w.local.data[uint64(i)*w.local.stride+base+c.fromOff:], c.bytes)
		}
	}
	for _, t := range w.taints {
		a.taint[t.view] = t.copySource(w, c, base)
	}
}

// writeCopy gives the lanes of m argument number i, in the frame at base. from
// is the frame the argument comes from.
func (w *warp) writeCopy(c *copyInfo, i int, from, base uint64, m uint32) {
	a := &w.copies[i]
	for _, t := range w.taints {
		t.copyDest(w, c, a.taint[t.view], from, base, m)
	}
	switch {
	case c.from == inMem && c.to == inMem:
		for ; m != 0; m &= m - 1 {
			lane := w.local.data[uint64(bits.TrailingZeros32(m))*w.local.stride:]
			copy(lane[base+c.toOff:base+c.toOff+c.bytes], lane[from+c.fromOff:])
		}
	case c.to == inReg && a.uniform:
		w.setScalar(c.toReg, m, a.value[0])
	case c.to == inReg:
		d := w.dst(c.toReg, m)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = a.value[i]
		}
	case c.to == inPred:
		var p uint32
		for i := range a.value {
			p |= uint32(a.value[i]&1) << i
		}
		w.setPred(c.toReg, m, p)
	default:
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			v := a.value[i]
			if a.uniform {
				v = a.value[0]
			}
			writeBytes(w.local.data[uint64(i)*w.local.stride+base+c.toOff:], c.bytes, v)
		}
	}
}

// activeFunction says whether function fn is on the call stack.
func (w *warp) activeFunction(fn int32) bool {
	for i := range w.frames {
		if w.frames[i].fn == fn {
			return true
		}
	}
	return false
}

// save copies the registers of a function that is called again before it has
// returned.
func (w *warp) save(fn *function) *savedRegs {
	s := &savedRegs{
		vals:  append([]lanes(nil), w.vals[fn.regLo:fn.regHi]...),
		st:    append([]uint8(nil), w.st[fn.regLo:fn.regHi]...),
		preds: append([]uint32(nil), w.preds[fn.predLo:fn.predHi]...),
	}
	for _, t := range w.taints {
		s.tv[t.view] = append([]uint32(nil), t.vals[fn.regLo:fn.regHi]...)
		s.tp[t.view] = append([]uint32(nil), t.preds[fn.predLo:fn.predHi]...)
	}
	return s
}

func (w *warp) restore(fn *function, s *savedRegs) {
	copy(w.vals[fn.regLo:fn.regHi], s.vals)
	copy(w.st[fn.regLo:fn.regHi], s.st)
	copy(w.preds[fn.predLo:fn.predHi], s.preds)
	for _, t := range w.taints {
		copy(t.vals[fn.regLo:fn.regHi], s.tv[t.view])
		copy(t.preds[fn.predLo:fn.predHi], s.tp[t.view])
	}
}
