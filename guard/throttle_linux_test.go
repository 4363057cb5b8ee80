package guard

import (
	"errors"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// procs makes room for throttle threads on a small machine.
func procs(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(max(n, runtime.GOMAXPROCS(0)))
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// aCore returns a core that this process may run on.
func aCore(t *testing.T) int {
	t.Helper()
	var mask [maxCores / 8]byte
	n, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	if e != 0 {
		t.Fatal(e)
	}
	for i := range int(n) * 8 {
		if mask[i/8]>>(i%8)&1 == 1 {
			return i
		}
	}
	t.Fatal("no core")
	return 0
}

func TestThreadsHoldAndRelease(t *testing.T) {
	procs(t, 4)
	th, err := newThreads(ThreadConfig{Cores: []int{aCore(t)}, MaxHold: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if th.Held() {
			t.Error("held before the order")
		}
		th.Hold()
		th.Hold()
		await(th.Held)
		th.Release()
		if th.Held() {
			t.Error("held after the release")
		}
		th.Release()
	}
	th.Hold()
	await(th.Held)
	if err := errors.Join(th.Err(), th.Close()); err != nil {
		t.Error(err)
	}
}

func TestThreadsLetGoByThemselves(t *testing.T) {
	procs(t, 4)
	th, err := newThreads(ThreadConfig{Cores: []int{aCore(t)}, MaxHold: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	th.Hold()
	await(func() bool { return th.Err() != nil })
	if !errors.Is(th.Err(), ErrHeldTooLong) || th.Held() {
		t.Errorf("error %v, held %t", th.Err(), th.Held())
	}
	if err := th.Close(); err != nil {
		t.Error(err)
	}
}

func TestThreadsRefuse(t *testing.T) {
	procs(t, 4)
	_, err := newThreads(ThreadConfig{Cores: []int{aCore(t), maxCores - 1}, MaxHold: time.Second})
	if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "core 1023") {
		t.Errorf("core that is not there: %v", err)
	}
	cores := make([]int, runtime.GOMAXPROCS(0))
	for i := range cores {
		cores[i] = i
	}
	if _, err := newThreads(ThreadConfig{Cores: cores, MaxHold: time.Second}); err == nil || !strings.Contains(err.Error(), "GOMAXPROCS") {
		t.Errorf("too few: %v", err)
	}
}

// TestGuardWithThreads runs kernels on the real clock with a throttle thread on
// one core. How many hand-overs are missed depends on the machine; that all
// take place does not.
func TestGuardWithThreads(t *testing.T) {
	for name, priority := range map[string]int{"normal": 0, "real-time": 1} {
		if priority > 0 && runtime.NumCPU() == 1 {
			// The simulated device would have no core to run on.
			continue
		}
		t.Run(name, func(t *testing.T) {
			procs(t, 4)
			token, err := NewToken(make([]uint32, TokenWords))
			if err != nil {
				t.Fatal(err)
			}
			g, err := New(Config{
				Token:   token,
				Budgets: Budgets{LaunchNanos: 100_000, MemoryNanos: 100_000, ComputeNanos: 100_000, RetryNanos: 20_000},
				Threads: &ThreadConfig{Cores: []int{aCore(t)}, Priority: priority, MaxHold: 10 * time.Second},
			})
			if priority > 0 && errors.Is(err, syscall.EPERM) {
				if !strings.Contains(err.Error(), "CAP_SYS_NICE") {
					t.Errorf("unclear: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			plan := []Kind{Memory, Compute, Memory}
			for range 5 {
				restore, err := g.Elevate()
				if err != nil {
					t.Fatal(err)
				}
				if err := g.Begin(); err != nil {
					t.Fatal(err)
				}
				go spinDevice(token, plan)
				if err := g.End(); err != nil {
					t.Fatal(err)
				}
				if err := restore(); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%+v", g.Stats())
			if got, want := g.Stats().HandOvers, int64(5*(len(plan)+1)); got != want {
				t.Errorf("%d hand-overs, want %d", got, want)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			if k := token.Granted().Kind(); k != Abort {
				t.Errorf("token %v after Close", k)
			}
		})
	}
}
