package highs

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/warpbound/warpbound/internal/milp"
)

// errBrokenOff: the solve was given up from outside.
var errBrokenOff = errors.New("broken off")

// sandbox is what one instance sees of the world: a clock, a log, a limit of
// memory. The host functions find it in the context.
type sandbox struct {
	start      time.Time
	expired    atomic.Bool // set from another goroutine: the clock jumps
	broken     atomic.Bool // set from another goroutine: the next host call does not return
	progress   func(line string)
	line       []byte // the log's unfinished line
	pages      uint32 // most memory, in WebAssembly pages
	outOfPages bool   // a request for memory was refused
	fault      error  // why the module gave up, when it did
}

type sandboxKey struct{}

// clockJump is more than any time limit that HiGHS is given.
const clockJump = 1e9 * time.Second

// unlimited is the time limit given where there is none, so that the jump of
// the clock still exceeds it.
const unlimited = 1e8 * time.Second

func (s *sandbox) now() time.Duration {
	d := time.Since(s.start)
	if s.expired.Load() {
		d += clockJump
	}
	return d
}

// give breaks the module off; the call into it returns an error.
func (s *sandbox) give(err error) {
	if s.fault == nil {
		s.fault = err
	}
	panic(sys.NewExitError(1))
}

// errno values of the C library the module was built with.
const (
	errnoBadFile = 8
	errnoFault   = 21
	errnoNoFile  = 44
	errnoNotTTY  = 59
)

const wasmPage = 65536

// hostFunctions implements the imports, by the names of the JavaScript loader.
// The module solves a model that is passed in memory: there is no file system,
// no environment and no timer for it, only the log on descriptors 1 and 2.
var hostFunctions = map[string]api.GoModuleFunc{
	"___cxa_throw": func(ctx context.Context, _ api.Module, _ []uint64) {
		// Nothing catches exceptions in this build; the one that matters is
		// the allocation that failed.
		s := from(ctx)
		if s.outOfPages {
			s.give(milp.ErrMemory)
		}
		s.give(errors.New("HiGHS threw an exception"))
	},
	"__abort_js": func(ctx context.Context, _ api.Module, _ []uint64) {
		s := from(ctx)
		if s.outOfPages {
			s.give(milp.ErrMemory)
		}
		s.give(errors.New("HiGHS aborted"))
	},
	"_exit":                                hostExit,
	"_proc_exit":                           hostExit,
	"__emscripten_runtime_keepalive_clear": func(context.Context, api.Module, []uint64) {},
	"__setitimer_js":                       answer(0),
	"__tzset_js":                           hostTimezone,
	"_clock_time_get":                      hostClock,
	"_emscripten_date_now":                 hostDate,
	"_emscripten_get_now":                  hostNow,
	"_emscripten_resize_heap":              hostGrow,
	"_environ_get":                         answer(0),
	"_environ_sizes_get":                   hostEnvironSizes,
	"___syscall_fcntl64":                   answer(-errnoBadFile),
	"___syscall_ioctl":                     answer(-errnoNotTTY),
	"___syscall_openat":                    answer(-errnoNoFile),
	"_fd_close":                            answer(0),
	"_fd_read":                             answer(errnoBadFile),
	"_fd_seek":                             answer(errnoBadFile),
	"_fd_write":                            hostWrite,
}

// from returns the sandbox of the calling instance. HiGHS reads the clock in
// every loop that may take long, so this is where it is broken off.
func from(ctx context.Context) *sandbox {
	s := ctx.Value(sandboxKey{}).(*sandbox)
	if s.broken.Load() {
		s.give(errBrokenOff)
	}
	return s
}

// answer makes a host function that returns a constant.
func answer(v int32) api.GoModuleFunc {
	return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = api.EncodeI32(v) }
}

func hostExit(ctx context.Context, _ api.Module, _ []uint64) {
	from(ctx).give(errors.New("HiGHS exited"))
}

// hostTimezone answers UTC: (timezone, daylight, standard name, summer name).
func hostTimezone(_ context.Context, m api.Module, stack []uint64) {
	mem := m.Memory()
	mem.WriteUint32Le(uint32(stack[0]), 0)
	mem.WriteUint32Le(uint32(stack[1]), 0)
	mem.Write(uint32(stack[2]), []byte("UTC\x00"))
	mem.Write(uint32(stack[3]), []byte("UTC\x00"))
}

func hostClock(ctx context.Context, m api.Module, stack []uint64) {
	if !m.Memory().WriteUint64Le(uint32(stack[2]), uint64(from(ctx).now())) {
		stack[0] = errnoFault
		return
	}
	stack[0] = 0
}

func milliseconds(d time.Duration) uint64 {
	return math.Float64bits(float64(d) / float64(time.Millisecond))
}

// hostDate does not tell the date: HiGHS only takes differences.
func hostDate(ctx context.Context, _ api.Module, stack []uint64) {
	stack[0] = milliseconds(from(ctx).now())
}

func hostNow(ctx context.Context, _ api.Module, stack []uint64) {
	stack[0] = milliseconds(from(ctx).now())
}

// hostGrow grows the memory to at least the requested number of bytes, by a
// fifth where that is allowed, and says whether it did.
func hostGrow(ctx context.Context, m api.Module, stack []uint64) {
	s, mem := from(ctx), m.Memory()
	have := mem.Size() / wasmPage
	want := uint32((uint64(uint32(stack[0])) + wasmPage - 1) / wasmPage)
	if want > s.pages {
		s.outOfPages = true
		stack[0] = 0
		return
	}
	ample := min(have+have/5, s.pages)
	if ample > want {
		if _, ok := mem.Grow(ample - have); ok {
			stack[0] = 1
			return
		}
	}
	if want > have {
		if _, ok := mem.Grow(want - have); !ok {
			s.outOfPages = true
			stack[0] = 0
			return
		}
	}
	stack[0] = 1
}

func hostEnvironSizes(_ context.Context, m api.Module, stack []uint64) {
	ok := m.Memory().WriteUint32Le(uint32(stack[0]), 0) && m.Memory().WriteUint32Le(uint32(stack[1]), 0)
	stack[0] = 0
	if !ok {
		stack[0] = errnoFault
	}
}

// hostWrite is fd_write(descriptor, vector, count, written).
func hostWrite(ctx context.Context, m api.Module, stack []uint64) {
	s, mem := from(ctx), m.Memory()
	vector, count, written := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	total := uint32(0)
	for i := uint32(0); i < count; i++ {
		ptr, ok1 := mem.ReadUint32Le(vector + 8*i)
		size, ok2 := mem.ReadUint32Le(vector + 8*i + 4)
		data, ok3 := mem.Read(ptr, size)
		if !ok1 || !ok2 || !ok3 {
			stack[0] = errnoFault
			return
		}
		s.log(data)
		total += size
	}
	stack[0] = 0
	if !mem.WriteUint32Le(written, total) {
		stack[0] = errnoFault
	}
}

// log hands whole lines to progress. data is the module's memory: it is not
// kept.
func (s *sandbox) log(data []byte) {
	if s.progress == nil {
		return
	}
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			s.line = append(s.line, data...)
			return
		}
		s.progress(string(append(s.line, data[:i]...)))
		s.line, data = s.line[:0], data[i+1:]
	}
}
