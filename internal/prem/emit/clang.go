package emit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// ErrNoClang is the error of ClangPTX where there is no clang.
var ErrNoClang = errors.New("no clang with a PTX back end found")

// clangNames are looked for on PATH, in order.
var clangNames = []string{"clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"}

// Clang finds clang on PATH. The error wraps ErrNoClang.
func Clang() (string, error) {
	for _, n := range clangNames {
		if p, err := exec.LookPath(n); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%w: none of %s is on PATH", ErrNoClang, strings.Join(clangNames, ", "))
}

// clangArch is the GPU that clang writes PTX for: that of the Tegra X1.
const clangArch = "sm_53"

// ClangPTX compiles the CUDA text, which CUDA wrote, to PTX, with the clang at
// path, or where that is empty the one that Clang finds. It needs no CUDA
// installation: what the text uses of CUDA's headers is defined here, except exp,
// log, pow and the trigonometric functions; a text that calls one of them is an
// error. Loops are not unrolled, so that they stay those of the source, and
// products are rounded before they are added to, as the source says: clang up to 18
// would fuse even __fmul_rn with the addition that takes its value. The values of
// Module.Scalars are named as the CUDA text names them.
func ClangPTX(ctx context.Context, path, cuda string) (string, error) {
	if path == "" {
		p, err := Clang()
		if err != nil {
			return "", err
		}
		path = p
	}
	dir, err := os.MkdirTemp("", "emit")
	if err != nil {
		return "", fmt.Errorf("emit: %w", err)
	}
	defer os.RemoveAll(dir)
	prelude, source := filepath.Join(dir, "prelude.h"), filepath.Join(dir, "kernels.cu")
	for name, text := range map[string]string{prelude: clangPrelude, source: cuda} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("emit: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, path, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch="+clangArch,
		"--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", // the same PTX whether there is a toolkit or not
		"-std=c++14", "-O2", "-ffp-contract=off", "-fno-unroll-loops", "-Wall", "-Wno-unknown-cuda-version",
		"-include", prelude, "-S", "-o", "-", source)
	cmd.WaitDelay = 5 * time.Second
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		} else if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%w: %w", ErrNoClang, err)
		}
		return "", fmt.Errorf("emit: %s: %w\n%s", path, err, diag.Bytes())
	}
	if m := externFunc.FindStringSubmatch(out.String()); m != nil {
		return "", fmt.Errorf("emit: the kernels call %s, which clang has no code for without CUDA's library", m[1])
	}
	return fixedNotes(cuda) + out.String(), nil
}

// fixedNotes gives the lines that name the parameter values for which a text is
// valid: clang keeps no comments.
func fixedNotes(cuda string) string {
	var b strings.Builder
	for line := range strings.Lines(cuda) {
		if strings.HasPrefix(line, fixedMark) {
			b.WriteString(line)
		}
	}
	return b.String()
}

var externFunc = regexp.MustCompile(`\.extern \.func[^;]*?\)?\s(\w+)\s*\n?\(`)

// clangPrelude defines of CUDA's headers what CUDA writes.
const clangPrelude = `#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#define __forceinline__ inline __attribute__((always_inline))
struct wb_index { unsigned x; };
#define threadIdx (wb_index{(unsigned)__nvvm_read_ptx_sreg_tid_x()})
#define blockIdx (wb_index{(unsigned)__nvvm_read_ptx_sreg_ctaid_x()})
#define WB_FUNCTION extern "C" __device__ __forceinline__
WB_FUNCTION float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
WB_FUNCTION float __fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
WB_FUNCTION float __fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
WB_FUNCTION double __dmul_rn(double a, double b) { return __nvvm_mul_rn_d(a, b); }
WB_FUNCTION double __ddiv_rn(double a, double b) { return __nvvm_div_rn_d(a, b); }
WB_FUNCTION double __dsqrt_rn(double a) { return __nvvm_sqrt_rn_d(a); }
WB_FUNCTION float __int_as_float(int x) { return __nvvm_bitcast_i2f(x); }
WB_FUNCTION double __longlong_as_double(long long x) { return __nvvm_bitcast_ll2d(x); }
WB_FUNCTION float fabsf(float a) { return __builtin_fabsf(a); }
WB_FUNCTION double fabs(double a) { return __builtin_fabs(a); }
WB_FUNCTION float floorf(float a) { return __nvvm_floor_f(a); }
WB_FUNCTION double floor(double a) { return __nvvm_floor_d(a); }
WB_FUNCTION float ceilf(float a) { return __nvvm_ceil_f(a); }
WB_FUNCTION double ceil(double a) { return __nvvm_ceil_d(a); }
WB_FUNCTION float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
WB_FUNCTION double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
WB_FUNCTION float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
WB_FUNCTION double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
#define WB_LIBRARY(name) extern "C" __device__ float name##f(float); extern "C" __device__ double name(double);
WB_LIBRARY(exp) WB_LIBRARY(log) WB_LIBRARY(sin) WB_LIBRARY(cos) WB_LIBRARY(tan) WB_LIBRARY(tanh)
extern "C" __device__ float powf(float, float);
extern "C" __device__ double pow(double, double);
static __device__ __forceinline__ unsigned atomicAdd(unsigned *p, unsigned x)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)x);
}
static __device__ __forceinline__ unsigned atomicSub(unsigned *p, unsigned x)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, -(int)x);
}
static __device__ __forceinline__ void __threadfence_system() { __nvvm_membar_sys(); }
static __device__ __forceinline__ void __trap() { asm volatile("trap;"); }
`
