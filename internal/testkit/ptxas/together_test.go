package ptxas

import (
	"reflect"
	"strings"
	"testing"
)

const module = `.version 7.0
.target sm_70
.address_size 64
.file 2 "a.cu"
.global .align 4 .b32 counts[4];
.visible .const .u32 limit = 7;
.func (.param .b32 out) twice(.param .b32 in) { ret; }
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.loc 2 1 0
	ld.const.u32 %r1, [limit];
	st.global.u32 [counts+4], %r1;
	LINE
	ret;
}
`

// What is said of texts together is what is said of each, though they define the same names.
func TestCheckAll(t *testing.T) {
	a := Need(t)
	var texts []string
	for _, line := range []string{"", "mov.u32 %r2, %r1;", "mov.u32 %r2, %r3;", "", "nonsense;", "bar.sync 0;", "add.u32 %r1, limits, 1;"} {
		texts = append(texts, strings.Replace(module, "LINE", line, 1))
	}
	texts = append(texts, "", module)
	got, err := a.CheckAll("sm_70", texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		want, err := a.Check("sm_70", text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("text %d: %+v, want %+v", i, got[i], want)
		}
		if legal := i < 2 || i == 3 || i == 5; legal != (want == nil) {
			t.Errorf("text %d: %+v", i, want)
		}
	}
	if got, err := a.CheckAll("sm_70", nil); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
	if got := apart(module, 3); strings.Count(got, "_of_3") != 6 || !strings.Contains(got, ".file 42 ") || !strings.Contains(got, ".loc 42 1 0") {
		t.Errorf("names in\n%s", got)
	}
}
