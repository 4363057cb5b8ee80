package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// Token names the buffer of the guard's token among a kernel's buffers; arrays
// are named as in the source, structures by the name of their array.
const Token = "token"

// TokenBytes is the size of a token with the word in which teams count themselves,
// a cache line further than those of package guard.
const TokenBytes = ptxgen.ArrivalBytes + 128

// Offload is one launch of a run: a kernel with the memory that it finds.
type Offload struct {
	Kernel *Compiled
	Number int64 // of the run's launches, from 0
	// Token is what the guard's token holds before a launch of a guarded kernel:
	// the grant of the launch as phase 0, and all teams as not yet arrived.
	Token []byte

	// args are those of the kernel's parameters in order, without the guard's token. The
	// contents of buffers are the launch's own.
	args []ptxexec.Arg
}

// Runner executes a launch and gives the kernel, of Offload.Fresh, whose memory is
// the result.
type Runner func(ctx context.Context, l *Offload) (*ptxexec.Kernel, error)

// Fresh makes a kernel with the memory that the launch finds, as often as it is
// called. With taint it follows which addresses and branches depend on data.
func (l *Offload) Fresh(taint bool) (*ptxexec.Kernel, error) {
	d := l.Kernel.Device
	args := l.args
	if l.Kernel.guard {
		args = append(args[:len(args):len(args)], ptxexec.Arg{Name: Token, Buffer: &ptxexec.Buffer{Contents: l.Token, ElementBytes: 4}})
	}
	return ptxexec.NewKernel(l.Kernel.Code, ptxexec.LaunchConfig{
		Grid: [3]int{int(d.Teams), 1, 1}, Block: [3]int{int(d.Threads), 1, 1}, DynamicSharedBytes: d.DynamicBytes(),
		Args: args, Options: ptxexec.Options{Taint: taint}})
}

// Run calls the function with args, as loop.Run does, and gives every launch to r.
// The error is that of the host's statements or of the runner, or says that an
// argument is not what the kernels were made for (Fixed).
func (m *Module) Run(ctx context.Context, args loop.Args, r Runner) error {
	_, err := m.Invoke(ctx, args, r)
	return err
}

// Invoke is Run, and gives what the function returns, as loop.Invoke does.
func (m *Module) Invoke(ctx context.Context, args loop.Args, r Runner) (loop.Value, error) {
	fixed := m.Fixed()
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		// An argument that is missing is for loop.Run to report.
		if v, ok := args.Scalars[name]; ok && int64(v.Bits) != fixed[name] {
			return loop.Value{}, &loop.Error{Pos: m.Func.At, Msg: fmt.Sprintf("%s is %d, but the kernels of %s are made for %d only", name, int64(v.Bits), m.Func.Name, fixed[name])}
		}
	}
	launches := int64(0)
	args.OnKernel = func(k *loop.Nest, f *loop.Frame) (bool, error) {
		n, ok := m.numbers[k]
		if !ok {
			return false, &loop.Error{Pos: k.At, Msg: "kernel of another function"}
		}
		l := &Offload{Kernel: m.Kernels[n], Number: launches}
		launches++
		return true, l.run(ctx, f, r)
	}
	poll := args.Poll
	args.Poll = func(statements int64) error {
		if err := ctx.Err(); err != nil || poll == nil {
			return err
		}
		return poll(statements)
	}
	return loop.Invoke(m.Program, m.Func.Name, args)
}

// run executes a launch in the frame of the host's function.
func (l *Offload) run(ctx context.Context, f *loop.Frame, r Runner) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d := l.Kernel.Device
	buffers := make(map[*loop.Array]*loop.Buffer)
	for _, red := range d.Reductions {
		b, err := loop.NewBuffer(red.Partial.Elem, d.Teams)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", d.Name, err)
		}
		buffers[red.Partial] = b
	}
	for _, p := range d.Params {
		if p.Array == nil || buffers[p.Array] != nil {
			continue
		}
		b := f.Buffer(p.Array)
		if b == nil {
			return &loop.Error{Pos: d.At, Msg: fmt.Sprintf("array %s has no buffer", p.Array.Name)}
		}
		buffers[p.Array] = b
	}
	if err := l.bind(f, buffers); err != nil {
		return err
	}
	done, err := r(ctx, l)
	if err != nil {
		return fmt.Errorf("launch %d, kernel %s: %w", l.Number, d.Name, err)
	}
	for i, p := range l.Kernel.Params {
		if p.Array == nil && p.Record == nil {
			continue
		}
		data := done.Buffer(l.args[i].Name)
		if len(data) != len(l.args[i].Buffer.Contents) {
			return fmt.Errorf("launch %d, kernel %s: the runner gives a kernel of another launch", l.Number, d.Name)
		}
		if p.Array != nil {
			unpack(buffers[p.Array], data, 0, p.Array.Elem.Size())
			continue
		}
		for _, q := range p.Record.Members {
			if b := buffers[q.Array]; b != nil {
				unpack(b, data, q.Array.Offset, p.Record.Bytes)
			}
		}
	}
	return l.combine(f, buffers)
}

// bind makes the arguments: scalars from the frame, memory from the buffers.
func (l *Offload) bind(f *loop.Frame, buffers map[*loop.Array]*loop.Buffer) error {
	for _, p := range l.Kernel.Params {
		var a ptxexec.Arg
		switch {
		case p.Token:
			l.Token = NewToken(l.Kernel.Device.Teams)
			continue
		case p.Var != nil:
			v, ok := f.Scalar(p.Var)
			if !ok {
				return &loop.Error{Pos: l.Kernel.Device.At, Msg: fmt.Sprintf("%s is passed to the kernel before it is set", p.Var.Name)}
			}
			a = ptxexec.Arg{Name: p.Var.Name, Bytes: binary.LittleEndian.AppendUint64(nil, v.Bits)[:p.Var.Type.Size()]}
		case p.Array != nil:
			a = memory(p.Array.Name, p.Array.Elem.Size(), packed(buffers[p.Array], 0, p.Array.Elem.Size()))
		default:
			data, err := packRecord(f, p.Record, buffers)
			if err != nil {
				return err
			}
			a = memory(p.Record.Name, p.Record.Bytes, data)
		}
		l.args = append(l.args, a)
	}
	return nil
}

func memory(name string, elementBytes int64, data []byte) ptxexec.Arg {
	return ptxexec.Arg{Name: name, Buffer: &ptxexec.Buffer{Contents: data, ElementBytes: int(elementBytes)}}
}

// NewToken is a token in which a launch of some teams has been granted.
func NewToken(teams int64) []byte {
	token := make([]byte, TokenBytes)
	binary.LittleEndian.PutUint32(token[ptxgen.GrantBytes:], uint32(guard.MakeWord(0, guard.Launch)))
	binary.LittleEndian.PutUint32(token[ptxgen.ArrivalBytes:], uint32(teams)<<16)
	return token
}

// combine folds the partial results of reductions into the host's variables, in
// the order of the teams.
func (l *Offload) combine(f *loop.Frame, buffers map[*loop.Array]*loop.Buffer) error {
	d := l.Kernel.Device
	for _, red := range d.Reductions {
		v, ok := f.Scalar(red.Var)
		if !ok {
			return &loop.Error{Pos: d.At, Msg: fmt.Sprintf("%s is reduced before it is set", red.Var.Name)}
		}
		for _, x := range buffers[red.Partial].Bits {
			var fault string
			if v.Bits, fault = red.Op.Combine(v.Type, v.Bits, x); fault != "" {
				return &loop.Error{Pos: d.At, Msg: fmt.Sprintf("reduction of %s: %s", red.Var.Name, fault)}
			}
		}
		f.SetScalar(red.Var, v)
	}
	return nil
}
