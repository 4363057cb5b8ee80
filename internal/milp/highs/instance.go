package highs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"github.com/warpbound/warpbound/internal/milp"
)

// instance is one running module with one HiGHS object. Its methods keep the
// first error, after which they do nothing; memory is never freed, since the
// instance is used for one model.
type instance struct {
	ctx   context.Context
	box   *sandbox
	mod   api.Module
	model uint64 // the HiGHS object
	err   error
}

// call runs an exported function and returns its result, 0 for none.
func (in *instance) call(fn string, args ...uint64) uint64 {
	if in.err != nil {
		return 0
	}
	res, err := in.mod.ExportedFunction(fn).Call(in.ctx, args...)
	if err != nil {
		in.err = in.reason(err)
		return 0
	}
	if len(res) == 0 {
		return 0
	}
	return res[0]
}

// reason puts the sandbox's account of a failure before wazero's, which for a
// trap ends in a stack trace.
func (in *instance) reason(err error) error {
	switch {
	case in.box.fault != nil:
		return in.box.fault
	case in.box.outOfPages:
		return milp.ErrMemory
	default:
		return fmt.Errorf("HiGHS crashed: %w", err)
	}
}

// put copies data to the module's memory and returns its address.
func (in *instance) put(data []byte) uint64 {
	ptr := in.alloc(len(data))
	if in.err == nil && !in.mod.Memory().Write(uint32(ptr), data) {
		in.err = milp.ErrMemory
	}
	return ptr
}

func (in *instance) alloc(size int) uint64 {
	if uint64(size) >= 1<<31 {
		in.err = milp.ErrMemory
		return 0
	}
	// A zero-sized array still needs an address that is not null.
	ptr := in.call(fnMalloc, uint64(max(size, 8)))
	if in.err == nil && uint32(ptr) == 0 {
		in.err = milp.ErrMemory
	}
	return uint64(uint32(ptr))
}

func (in *instance) putString(s string) uint64 { return in.put(append([]byte(s), 0)) }

func (in *instance) putFloats(v []float64) uint64 {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return in.put(b)
}

func (in *instance) putInts(v []int32) uint64 {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return in.put(b)
}

func (in *instance) floats(ptr uint64, n int) []float64 {
	out := make([]float64, n)
	if in.err != nil {
		return out
	}
	b, ok := in.mod.Memory().Read(uint32(ptr), uint32(8*n))
	if !ok {
		in.err = errors.New("HiGHS returned an address outside its memory")
		return out
	}
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// setting calls a function whose result is a HiGHS status: -1 error, 0 done,
// 1 done with a warning. What HiGHS warns of changes the model, so both fail.
func (in *instance) setting(what, fn string, args ...uint64) {
	if status := api.DecodeI32(in.call(fn, args...)); in.err == nil && status != 0 {
		in.err = fmt.Errorf("HiGHS does not accept the %s (status %d)", what, status)
	}
}

func (in *instance) setBool(name string, v bool) {
	var i uint64
	if v {
		i = 1
	}
	in.setting("option "+name, fnSetBool, in.model, in.putString(name), i)
}

func (in *instance) setFloat(name string, v float64) {
	in.setting("option "+name, fnSetDouble, in.model, in.putString(name), api.EncodeF64(v))
}

// info reads an eight-byte (float64, int64) or four-byte (int32) information
// value; ok is false where HiGHS has none.
func (in *instance) info(fn, name string) (bits uint64, ok bool) {
	ptr := in.put(make([]byte, 8))
	status := api.DecodeI32(in.call(fn, in.model, in.putString(name), ptr))
	if in.err != nil || status == -1 {
		return 0, false
	}
	return in.mod.Memory().ReadUint64Le(uint32(ptr))
}

func (in *instance) infoFloat(name string) float64 {
	bits, ok := in.info(fnGetDouble, name)
	if !ok {
		return math.NaN()
	}
	return math.Float64frombits(bits)
}

func (in *instance) infoInt(name string) int32 {
	bits, _ := in.info(fnGetInt, name)
	return int32(uint32(bits))
}
