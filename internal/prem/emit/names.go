package emit

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// words that no variable may be called: keywords of C and C++, of CUDA C++ and
// OpenCL C, names that their headers define as macros, and the functions that
// generated text calls.
var words = func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(`
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch char
char8_t char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return
co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if
inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reflexpr
register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
synchronized template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void
volatile wchar_t while xor xor_eq
threadIdx blockIdx blockDim gridDim warpSize dim3
kernel global local constant generic read_only write_only read_write half quad uchar ushort uint ulong event_t sampler_t
size_t ptrdiff_t intptr_t uintptr_t pipe uniform complex imaginary image1d_t image2d_t image3d_t image1d_array_t
image2d_array_t image1d_buffer_t image2d_msaa_t
linux unix i386 NULL EOF TRUE FALSE INFINITY NAN MAXFLOAT HUGE_VAL HUGE_VALF CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE
errno stdin stdout stderr assert main I
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
barrier mem_fence get_local_id get_group_id get_global_id get_local_size get_num_groups atomic_add atomic_sub atomic_or
atomicAdd atomicSub convert_float convert_double as_float as_double as_int as_long min max abs
sqrt sqrtf fabs fabsf exp expf log logf sin sinf cos cosf tan tanf tanh tanhf floor floorf ceil ceilf pow powf fmin fminf
fmax fmaxf
enter_mem enter_comp guard_t guard_begin guard_wait guard_leave`) {
		m[w] = true
	}
	return m
}()

var vectorType = regexp.MustCompile(`^(u?(char|short|int|long|longlong)|float|double|half)(2|3|4|8|16)$`)

// reserved reports whether a variable or a kernel of that name would clash with
// the languages, or with the names that begin in wb_, which are the harness's.
func reserved(name string) bool {
	if words[name] || vectorType.MatchString(name) || strings.HasPrefix(name, "__") || strings.HasPrefix(name, "wb_") || strings.HasPrefix(name, "cuda") {
		return true
	}
	return len(name) > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z'
}

// cleaned makes an identifier of C of a name: other characters become `_`.
func cleaned(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9' && i > 0:
			b.WriteByte(c)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// names gives every variable and array of a text a name of its own in its scope.
// A name may return where its first bearer is out of scope.
type names struct {
	of     map[any]string
	taken  map[string]int // how many scopes hold it; never negative
	scopes [][]string
}

func newNames(taken ...string) *names {
	n := &names{of: make(map[any]string), taken: make(map[string]int)}
	for _, w := range taken {
		n.taken[w]++
	}
	n.push()
	return n
}

// nested gives a table for a function: it sees the names of n, which stay taken.
func (n *names) nested() *names {
	out := &names{of: maps.Clone(n.of), taken: maps.Clone(n.taken)}
	out.push()
	return out
}

func (n *names) push() { n.scopes = append(n.scopes, nil) }

func (n *names) pop() {
	last := len(n.scopes) - 1
	for _, w := range n.scopes[last] {
		n.taken[w]--
	}
	n.scopes = n.scopes[:last]
}

// bind names a variable or an array (a pointer) in the innermost scope.
func (n *names) bind(key any, wish string) string {
	name := cleaned(wish)
	if strings.Trim(name, "_") == "" {
		name = "v"
	}
	if reserved(name) {
		name = strings.TrimLeft(name, "_") + "_"
		if reserved(name) || name[0] >= '0' && name[0] <= '9' {
			name = "v_" + name
		}
	}
	unique := name
	for i := 2; n.taken[unique] > 0; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	n.taken[unique]++
	last := len(n.scopes) - 1
	n.scopes[last] = append(n.scopes[last], unique)
	n.of[key] = unique
	return unique
}

// name is the name bound to key. A key without a name is a mistake in the tree,
// which the checkers refuse; the text would not compile.
func (n *names) name(key any) string {
	if w, ok := n.of[key]; ok {
		return w
	}
	return "undeclared"
}
