package ptxexec

import (
	"strings"

	"github.com/warpbound/warpbound/ptx"
)

// videoOp is one of the SIMD video instructions: two half-words or four bytes,
// each chosen among those of the operands a and b, are computed on side by
// side. The results replace elements of c, or are added up and to c.
type videoOp struct {
	n          int // elements: 2 or 4
	width      int // bits of one
	of         func(x, y int64) int64
	sa, sb     bool   // the elements of a and b are signed
	selA, selB [4]int // which of the elements, those of a first, is taken
	mask       int    // results that are used, one bit each
	sat        bool   // clamp to width bits,
	signed     bool   // of a signed type
	accumulate bool
}

// videoOps compute one element from two numbers of at most 17 bits.
var videoOps = map[string]func(x, y int64) int64{
	"add":     func(x, y int64) int64 { return x + y },
	"sub":     func(x, y int64) int64 { return x - y },
	"absdiff": func(x, y int64) int64 { return max(x-y, y-x) },
	"min":     func(x, y int64) int64 { return min(x, y) },
	"max":     func(x, y int64) int64 { return max(x, y) },
	"avrg": func(x, y int64) int64 {
		t := x + y
		if t >= 0 {
			t++
		}
		return t >> 1
	},
}

// video lowers a SIMD video instruction.
func (l *lowerer) video(s *ptx.Inst, f *ptx.Form) {
	v := &videoOp{n: int(s.Op[len(s.Op)-1] - '0'), sat: f.Sat, signed: f.Type.Signed(), accumulate: len(f.Other) > 0}
	v.width = 32 / v.n
	v.sa, v.sb = f.Type2.Signed(), f.Type3.Signed()
	if name := s.Op[1 : len(s.Op)-1]; name == "set" {
		v.sa, v.sb = f.Type.Signed(), f.Type2.Signed()
		cmp, _ := compareInt(f.Cmp, ptx.S64)
		v.of = func(x, y int64) int64 { return int64(cmp(uint64(x), uint64(y), 0)) }
	} else {
		v.of = videoOps[name]
	}
	d, a, b := s.Operands[0], s.Operands[1], s.Operands[2]
	for i := range v.n {
		v.selA[i], v.selB[i] = i, i+v.n
	}
	v.mask = 1<<v.n - 1
	ok := v.choose(&a, &v.selA) && v.choose(&b, &v.selB)
	if sel := v.selector(&d); ok && sel != "" {
		v.mask = 0
		for _, c := range sel {
			v.mask |= 1 << (c - '0')
		}
		// Elements are named once each, the highest first.
		for i := range sel {
			ok = ok && int(sel[i]-'0') < v.n && (i == 0 || sel[i] < sel[i-1])
		}
	} else {
		ok = ok && d.Sel() == ""
	}
	if !ok {
		l.errorf(s.Pos, "a selector of %s is none, expected such as .h10 or .h1 of half-words, .b3210 or .b1 of bytes", s.Opcode())
		return
	}
	plain := func(o ptx.Operand) *ptx.Operand {
		if v.selector(&o) != "" {
			o.Name = o.Base()
		}
		return &o
	}
	l.in.group = gPure
	l.in.a, l.in.b = l.src(plain(a), ptx.B32), l.src(plain(b), ptx.B32)
	l.in.c = l.src(&s.Operands[3], ptx.B32)
	l.in.d = l.dst(plain(d))
	l.in.f = v.lane
	l.refreshed()
}

// selector is the digits of an operand's selector, "" where it has none of the
// right form.
func (v *videoOp) selector(o *ptx.Operand) string {
	letter := "h"
	if v.n == 4 {
		letter = "b"
	}
	digits, ok := strings.CutPrefix(o.Sel(), letter)
	if !ok || o.Kind != ptx.KindName || len(digits) > v.n || strings.Trim(digits, "01234567") != "" {
		return ""
	}
	return digits
}

// choose reads the selector of a source.
func (v *videoOp) choose(o *ptx.Operand, sel *[4]int) bool {
	digits := v.selector(o)
	if digits == "" && !strings.ContainsAny(o.Sel(), "hb") {
		return true // a whole register, perhaps a component of %tid
	}
	if len(digits) != v.n {
		return false
	}
	for i := range v.n {
		sel[i] = int(digits[v.n-1-i] - '0')
		if sel[i] >= 2*v.n {
			return false
		}
	}
	return true
}

// element reads one of the elements of a and b.
func (v *videoOp) element(a, b uint64, which int, signed bool) int64 {
	x := (a&0xffffffff | b<<32) >> (which * v.width)
	if signed {
		return signExtend(x, v.width)
	}
	return int64(x & widthMask(v.width))
}

func (v *videoOp) lane(a, b, c uint64) uint64 {
	d := c
	for i := range v.n {
		if v.mask>>i&1 == 0 {
			continue
		}
		t := uint64(v.clamp(v.of(v.element(a, b, v.selA[i], v.sa), v.element(a, b, v.selB[i], v.sb))))
		if v.accumulate {
			d += t
			continue
		}
		m := widthMask(v.width) << (i * v.width)
		d = d&^m | t<<(i*v.width)&m
	}
	return d & 0xffffffff
}

// clamp applies .sat.
func (v *videoOp) clamp(t int64) int64 {
	switch {
	case v.sat && v.signed:
		return max(-1<<(v.width-1), min(t, 1<<(v.width-1)-1))
	case v.sat:
		return max(0, min(t, 1<<v.width-1))
	}
	return t
}
