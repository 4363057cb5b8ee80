package ptxexec

import (
	"fmt"
	"sort"

	"github.com/warpbound/warpbound/internal/host"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/taint"
)

// Arg is the argument of one parameter: either its bytes or a buffer, whose
// device address is passed. It is also a buffer that is no argument, or what a
// variable of the module holds.
type Arg struct {
	Name string // for messages, and to read a buffer back
	// Bytes is the value of a scalar or by-value structure parameter, little
	// endian. Its length is the parameter's size.
	Bytes []byte
	// Buffer, where not nil, is allocated and its address passed.
	Buffer *Buffer
	// Range, where not nil, says that a scalar may be any integer in it. Executions use
	// that of Bytes, which is one of them.
	Range *Integers
	// Pointers are addresses in the bytes or in the buffer's contents.
	Pointers []Pointer
}

// Buffer is a region of global memory. Buffers start at multiples of 256 bytes
// and are kept apart, so that an access outside is always noticed.
type Buffer struct {
	Contents []byte // copied
	// Fill, if not nil, writes the contents in place of Contents, Bytes of them that
	// are zero before, when the first block is executed: a kernel whose blocks are
	// only followed does not need them.
	Fill         func(contents []byte) error
	Bytes        int64
	ElementBytes int // for messages; 0 where unknown
	// Known says that an analysis may rely on the contents.
	Known bool
	// Unknown are parts of them on which it may not.
	Unknown []Range
	// Elements, where not nil, says what integers the elements are, whatever the contents.
	Elements *Elements
	// Before and After are the bytes around the contents that may be accessed,
	// too. They are zero, and an analysis may not rely on it.
	Before, After int64
}

// Integers are those from Min to Max.
type Integers struct{ Min, Max int64 }

// Elements says what is known of the integers in a buffer that nobody writes.
type Elements struct {
	Integers
	// Ascending says that each is at least the one before it, and at most MaxStep more.
	Ascending bool
	MaxStep   int64
}

// size is that of the contents, in bytes.
func (b *Buffer) size() uint64 {
	if b.Fill != nil {
		return uint64(b.Bytes)
	}
	return uint64(len(b.Contents))
}

// Range is the bytes from From to before To.
type Range struct{ From, To int64 }

// Pointer is an address, Bytes wide, at byte At: that of a buffer or variable of
// the module, Add bytes further on; 0 where Target is "".
type Pointer struct {
	At, Bytes int64
	Target    string
	Add       int64
}

// Variable is a variable of the module in global or constant memory.
type Variable struct {
	Name     string
	Bytes    int64
	Constant bool
}

// Variables lists those of the module and of the kernel's functions.
func (p *Code) Variables() []Variable {
	out := make([]Variable, len(p.variables))
	for i := range p.variables {
		v := &p.variables[i]
		out[i] = Variable{Name: v.name, Bytes: int64(v.size), Constant: v.constant}
	}
	return out
}

// allocate places the module's variables and the buffers of a launch, and writes
// the parameters.
func (k *Kernel) allocate(l *LaunchConfig, limit int64) error {
	p := k.prog
	var total uint64
	for i := range p.variables {
		total += p.variables[i].size
	}
	for _, list := range [][]Arg{l.Args, l.Buffers} {
		for i := range list {
			if b := list[i].Buffer; b != nil {
				total += b.size() + uint64(b.Before) + uint64(b.After)
			}
		}
	}
	if total > uint64(limit) {
		return fmt.Errorf("the buffers take %d bytes, more than %d", total, limit)
	}
	if err := k.placeVariables(l.Variables); err != nil {
		return err
	}
	k.params = make([]byte, p.paramBytes+pad)
	next := p.nextGlobal
	for i := range l.Args {
		a, par := &l.Args[i], p.params[i]
		if a.Buffer == nil {
			if uint64(len(a.Bytes)) != par.bytes {
				return fmt.Errorf("argument %d (%s) has %d bytes, parameter %s has %d (%s)", i, a.Name, len(a.Bytes), par.name, par.bytes, par.typ)
			}
			copy(k.params[par.offset:], a.Bytes)
			if a.Range != nil {
				k.ranges = append(k.ranges, rangedParam{par.offset, par.bytes, *a.Range})
				k.declared = append(k.declared, simt.Range{Name: a.Name, Min: a.Range.Min, Max: a.Range.Max})
			}
			continue
		}
		if par.bytes != 8 && par.bytes != 4 || par.bytes*8 < uint64(p.addressBits) {
			return fmt.Errorf("argument %d (%s) is a buffer, parameter %s has %d bytes, not an address", i, a.Name, par.name, par.bytes)
		}
		name := a.Name
		if name == "" {
			name = par.name
		}
		g, err := k.placeBuffer(name, a.Buffer, &next)
		if err != nil {
			return err
		}
		writeBytes(k.params[par.offset:], par.bytes, g.base+g.before)
	}
	for i := range l.Buffers {
		if _, err := k.placeBuffer(l.Buffers[i].Name, l.Buffers[i].Buffer, &next); err != nil {
			return err
		}
	}
	sort.Slice(k.memory, func(i, j int) bool { return k.memory[i].base < k.memory[j].base })
	return k.point(l)
}

// placeVariables gives the variables of the module their memory and contents.
func (k *Kernel) placeVariables(given []Arg) error {
	filled := 0
	for i := range k.prog.variables {
		v := &k.prog.variables[i]
		g := newSegment(v.name, v.base, v.size)
		g.constant, g.given = v.constant, v.init != nil
		copy(g.data, v.init)
		for j := range given {
			b := given[j].Buffer
			if given[j].Name != v.name || k.args[v.name] != nil {
				continue
			}
			if b.size() != v.size {
				return fmt.Errorf("variable %s has %d bytes, its contents %d", v.name, v.size, b.size())
			}
			if err := b.write(g.contents()); err != nil {
				return fmt.Errorf("variable %s: %w", v.name, err)
			}
			g.given = b.Known && len(b.Unknown) == 0
			k.args[v.name] = g
			filled++
			k.own(g, b.Known)
			g.doubt(b.Unknown)
		}
		if k.args[v.name] != g {
			k.own(g, v.init != nil)
		}
		k.memory = append(k.memory, g)
	}
	if filled != len(given) {
		return fmt.Errorf("contents for %d variables, of which the module has %d", len(given), filled)
	}
	return nil
}

// placeBuffer gives a buffer its memory from *next on.
func (k *Kernel) placeBuffer(name string, b *Buffer, next *uint64) (*segment, error) {
	if k.args[name] != nil {
		return nil, fmt.Errorf("two buffers are named %s", name)
	}
	// The contents themselves are aligned, whatever lies before them.
	before, after := uint64(b.Before), uint64(b.After)
	start := alignUp(*next+before, bufferAlign)
	g := &segment{name: name, base: start - before, size: before + b.size() + after, before: before, after: after, elements: b.Elements, elementBytes: uint64(b.ElementBytes)}
	if b.Fill != nil {
		k.pending = append(k.pending, pendingBuffer{g, b})
	} else if err := k.makeBuffer(g, b); err != nil {
		return nil, err
	}
	k.args[name] = g
	k.memory = append(k.memory, g)
	if e := b.Elements; e != nil {
		k.declared = append(k.declared, simt.Range{Name: name, Min: e.Min, Max: e.Max, Buffer: true, Ascending: e.Ascending, MaxStep: e.MaxStep})
	}
	*next = nextBuffer(g.base, g.size)
	if k.prog.addressBits == 32 && *next > 1<<32 {
		return nil, fmt.Errorf("the buffers do not fit a 32-bit address space")
	}
	return g, nil
}

// pendingBuffer is a segment without memory, and what is to be in it.
type pendingBuffer struct {
	*segment
	of *Buffer
}

// fill makes the memory of the buffers that have none yet.
func (k *Kernel) fill() error {
	for len(k.pending) > 0 {
		if err := k.makeBuffer(k.pending[0].segment, k.pending[0].of); err != nil {
			return err
		}
		k.pending = k.pending[1:]
	}
	return nil
}

// makeBuffer makes the memory of a buffer.
func (k *Kernel) makeBuffer(g *segment, b *Buffer) error {
	if k.scratch != nil && !b.Known {
		g.data = k.scratch.take(g.name, g.size+pad)
	} else {
		g.data = make([]byte, g.size+pad)
		if err := b.write(g.contents()); err != nil {
			return fmt.Errorf("kernel %s: buffer %s: %w", k.prog.isa.Name, g.name, err)
		}
	}
	k.own(g, b.Known)
	g.doubt(b.Unknown)
	length := int64(b.size())
	g.doubt([]Range{{-b.Before, 0}, {length, length + b.After}})
	return nil
}

// Scratch is memory of buffers that may hold anything, by name, for one kernel after the
// other. They are large, and an execution for every input hardly uses them.
type Scratch struct{ of map[string][]byte }

// take is the memory of a buffer, as it was left.
func (s *Scratch) take(name string, size uint64) []byte {
	if uint64(len(s.of[name])) < size {
		if s.of == nil {
			s.of = map[string][]byte{}
		}
		s.of[name] = host.Lazy(s, size)
	}
	return s.of[name][:size]
}

// write writes the contents to memory that is zero.
func (b *Buffer) write(to []byte) error {
	if b.Fill != nil {
		return b.Fill(to)
	}
	copy(to, b.Contents)
	return nil
}

// doubt marks parts of a known segment as unreliable; offsets count from the
// buffer's own contents.
func (g *segment) doubt(parts []Range) {
	for _, t := range g.taint {
		if t == nil {
			continue
		}
		for _, r := range parts {
			if r.From == r.To {
				continue
			}
			from, to := uint64(r.From)+g.before, uint64(r.To)+g.before
			for i := from / granule; i <= (to-1)/granule; i++ {
				t.granules[i].Taint(taint.AllBytes)
			}
		}
	}
}

// point writes the addresses that parameters and contents hold.
func (k *Kernel) point(l *LaunchConfig) error {
	write := func(data []byte, name string, p Pointer) error {
		var address uint64
		if p.Target != "" {
			base, ok := k.BufferAddress(p.Target)
			if !ok {
				return fmt.Errorf("%s holds the address of %s, which is no buffer or variable", name, p.Target)
			}
			address = base + uint64(p.Add)
		}
		if p.Bytes != 4 && p.Bytes != 8 || p.Bytes*8 < int64(k.prog.addressBits) || p.At < 0 || p.At > int64(len(data))-p.Bytes {
			return fmt.Errorf("%s holds an address of %d bytes at byte %d, expected one of %d in %d bytes", name, p.Bytes, p.At, k.prog.addressBits/8, len(data))
		}
		writeBytes(data[p.At:], uint64(p.Bytes), address)
		return nil
	}
	for i, list := range [][]Arg{l.Args, l.Buffers, l.Variables} {
		for j := range list {
			a := &list[j]
			if len(a.Pointers) == 0 {
				continue
			}
			data := k.Buffer(a.Name)
			if i == 0 && a.Buffer == nil {
				par := &k.prog.params[j]
				data = k.params[par.offset : par.offset+par.bytes]
			}
			for _, p := range a.Pointers {
				if err := write(data, a.Name, p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// nextBuffer is the address of the buffer after one of size bytes at base.
func nextBuffer(base, size uint64) uint64 {
	return (base + size + bufferGuard + bufferAlign - 1) &^ (bufferAlign - 1)
}

// own prepares the taint state of a segment.
func (k *Kernel) own(g *segment, known bool) {
	if !known {
		return
	}
	for v := range k.views {
		g.taint[v] = newBufferTaint(g)
	}
}

// own bytes of a segment, without what may be accessed before and after them.
func (g *segment) contents() []byte {
	end := g.size - g.after
	return g.data[g.before:end:end]
}

// Buffer returns the contents of the buffer of the argument or module variable
// of that name as they are now, nil where there is none, or where they cannot be
// made. The bytes are the kernel's own.
func (k *Kernel) Buffer(name string) []byte {
	if k.fill() != nil {
		return nil
	}
	if g := k.args[name]; g != nil {
		return g.contents()
	}
	for _, g := range k.memory {
		if g.name == name {
			return g.contents()
		}
	}
	return nil
}

// BufferAddress returns the device address of the buffer of that name.
func (k *Kernel) BufferAddress(name string) (address uint64, ok bool) {
	if g := k.args[name]; g != nil {
		return g.base + g.before, true
	}
	for _, g := range k.memory {
		if g.name == name {
			return g.base, true
		}
	}
	return 0, false
}
