package gpu

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onExample is a file that changes the preset "example"; its own lines begin at
// line 5.
func onExample(lines string) string {
	return "format = 1\nbase = \"example\"\nname = \"mine\"\ndescription = \"d\"\n" + lines
}

func TestBadFiles(t *testing.T) {
	unit := "[[units]]\nname = \"X\"\ncount = 1\nshared = false\nsource = \"s\"\n"
	rule := func(lines string) string {
		return "[[timing]]\nname = \"r\"\nclasses = [\"add\"]\nunit = \"ALU\"\ninitiation_cycles = 1\nlatency_cycles = 1\nsource = \"s\"\n" + lines
	}
	for _, c := range []struct {
		name, text string
		want       []string // each a part of one error, in the file's order
	}{
		{"syntax", "format = \n", []string{"t.toml:1:10: "}},
		{"key twice", "format = 1\nformat = 1\n", []string{"t.toml:2:1: key format is already defined"}},
		{"not UTF-8", "name = \"\xff\"\n", []string{"t.toml:1:9: "}},
		{"no preset of that name", "base = \"rtx3071\"\n", []string{`t.toml:1:8: no preset "rtx3071", did you mean rtx3070?`}},
		{"base is a number", "base = 1\n", []string{"t.toml:1:8: base is an integer, expected the name of a preset"}},
		{"base_reason is a number", "base = \"example\"\nbase_reason = 1\n", []string{"t.toml:2:15: base_reason is an integer, expected a string"}},
		{"base_reason without base", "base_reason = \"x\"\n" + strings.TrimPrefix(full(t), "format"), nil},
		{"base without a name", "base = \"example\"\n", []string{`t.toml:1:1: no key "name", expected one beside base`, `no key "description", expected one beside base`}},
		{"unknown key", onExample("colour = 3\n"), []string{`t.toml:5:1: unknown key "colour", expected one of format, `}},
		{"unknown key with a neighbour", onExample("[sm]\ncuont = 3\nsource = \"s\"\n"), []string{`t.toml:6:1: unknown key "cuont" in sm, did you mean count?`}},
		{"wrong type", onExample("[sm]\ncount = \"3\"\nsource = \"s\"\n"), []string{"t.toml:6:9: sm.count is a string, expected an integer"}},
		{"float for an integer", onExample("[sm]\ncount = 3.0\nsource = \"s\"\n"), []string{"t.toml:6:9: sm.count is a float, expected an integer"}},
		{"date", onExample("[sm]\ncount = 2020-01-01\nsource = \"s\"\n"), []string{"t.toml:6:9: sm.count is a date or time, expected an integer"}},
		{"number for a table", onExample("clock = 3\n"), []string{"t.toml:5:9: clock is an integer, expected a table"}},
		{"table for a list", onExample("[units]\nname = \"X\"\n"), []string{"t.toml:5:2: units is a table, expected an array of tables"}},
		{"number for a boolean", onExample("[barrier]\ndraining = 1\nsource = \"s\"\n"), []string{"t.toml:6:12: barrier.draining is an integer, expected a boolean"}},
		{"number for a string", onExample("model = 1\n"), []string{"t.toml:5:9: model is an integer, expected a string"}},
		{"out of range", onExample("[sm]\nwarp_size = 33\nsource = \"s\"\n"), []string{"t.toml:6:13: sm.warp_size is 33, expected an integer from 1 to 32"}},
		{"negative", onExample("[issue]\ndependency_depth_cycles = -1\nsource = \"s\"\n"), []string{"t.toml:6:27: issue.dependency_depth_cycles is -1, expected an integer from 0 to"}},
		{"beyond 64 bits", onExample("[clock]\ncore_khz = 99999999999999999999\nsource = \"s\"\n"), []string{"t.toml:6:12: clock.core_khz is 99999999999999999999, expected an integer from 1 to"}},
		{"format", onExample("")[len("format = 1\n"):] + "format = 2\n", []string{"t.toml:4:10: format is 2, expected an integer from 1 to 1"}},
		{"no such word", onExample("[issue]\npolicy = \"best\"\nsource = \"s\"\n"), []string{`t.toml:6:10: issue.policy is "best", expected one of lrr, gto,`}},
		{"empty source", onExample("[clock]\ncore_khz = 5\nsource = \" \"\n"), []string{"t.toml:7:10: clock.source is empty, expected where the numbers of the table come from"}},
		{"no source for a change", onExample("[clock]\ncore_khz = 5\n"), []string{`t.toml:5:2: no key "source" in clock, expected where the numbers changed here come from`}},
		{"no source in a rule", onExample("[[timing]]\nclasses = [\"add\"]\nunit = \"ALU\"\ninitiation_cycles = 1\nlatency_cycles = 1\n"), []string{`t.toml:5:3: no key "source" in timing.7, expected where the numbers of the table come from`}},
		{"threads beyond warps", onExample("[sm]\nmax_threads = 2048\nsource = \"s\"\n"), []string{"t.toml:6:15: sm.max_threads is 2048, expected at most max_warps x warp_size = 1024"}},
		{"threads of a block", onExample("[sm]\nmax_threads_per_block = 2048\nsource = \"s\"\n"), []string{"t.toml:6:25: sm.max_threads_per_block is 2048, expected at most max_threads = 1024"}},
		{"shared memory of a block", onExample("[sm]\nshared_memory_per_block_bytes = 70000\nsource = \"s\"\n"), []string{"t.toml:6:33: sm.shared_memory_per_block_bytes is 70000, expected at most"}},
		{"register partitions", onExample("[sm]\nregister_partitions = 3\nsource = \"s\"\n"), []string{"t.toml:6:23: sm.register_partitions is 3, expected a divisor of registers = 32768"}},
		{"bank width", onExample("[memory]\nbank_word_bytes = 6\nsource = \"s\"\n"), []string{"t.toml:6:19: memory.bank_word_bytes is 6, expected a power of two"}},
		{"banks", onExample("[memory]\nshared_banks = 24\nsource = \"s\"\n"), []string{"t.toml:6:16: memory.shared_banks is 24, expected a power of two"}},
		{"tiny segments", onExample("[memory]\nsegment_bytes = 2\nsource = \"s\"\n"), []string{"t.toml:6:17: memory.segment_bytes is 2, expected an integer from 4"}},
		{"loads that are not issued", onExample("[[timing]]\nname = \"free\"\nclasses = [\"load\"]\nunit = \"ALU\"\ninitiation_cycles = 1\nlatency_cycles = 1\nnot_issued = true\nsource = \"s\"\n"), []string{"timing.free is not_issued and covers load"}},
		{"segment", onExample("[memory]\nsegment_bytes = 48\nsource = \"s\"\n"), []string{"t.toml:6:17: memory.segment_bytes is 48, expected a power of two"}},
		{"slots of an unbounded queue", onExample("[queue]\nkind = \"unbounded\"\nsource = \"s\"\n"), []string{`queue.slots is 4, expected none for kind = "unbounded"`}},
		{"fifo that reorders", onExample("[queue]\nkeeps_warp_order = false\nsource = \"s\"\n"), []string{`t.toml:6:20: queue.keeps_warp_order is false, expected true for order = "fifo"`}},
		{"unit name", onExample(strings.Replace(unit, "X", "a b", 1)), []string{`t.toml:6:8: unit name "a b", expected letters`}},
		{"unit twice", onExample(unit + unit), []string{`t.toml:11:8: a second unit "X", expected another name`}},
		{"rule name twice", onExample(rule("") + strings.Replace(rule(""), "add", "sad", 1)), []string{`t.toml:13:8: rule name "r", expected a unique name`}},
		{"unknown unit", onExample(strings.Replace(rule(""), "ALU", "AUL", 1)), []string{`t.toml:8:8: timing.r.unit is "AUL", did you mean ALU?`}},
		{"no classes", onExample(strings.Replace(rule(""), `"add"`, "", 1)), []string{"timing.r.classes is empty, expected at least one class"}},
		{"class of a number", onExample(strings.Replace(rule(""), `"add"`, "1", 1)), []string{"timing.r.classes.0 is an integer, expected a string"}},
		{"unknown family", onExample(strings.Replace(rule(""), "add", "addd", 1)), []string{`t.toml:7:12: timing.r: class "addd": no family "addd", did you mean add?`}},
		{"unknown type", onExample(strings.Replace(rule(""), "add", "add.f31", 1)), []string{`class "add.f31": no type or space "f31", did you mean f32, `}},
		{"space of an addition", onExample(strings.Replace(rule(""), "add", "add.shared", 1)), []string{"only memory families have a space"}},
		{"type before space", onExample(strings.Replace(rule(""), "add", "load.f32.shared", 1)), []string{`"f32" is no state space, expected family.space.type`}},
		{"four parts", onExample(strings.Replace(rule(""), "add", "load.shared.f32.x", 1)), []string{"expected family.space.type"}},
		{"class twice in a rule", onExample(strings.Replace(rule(""), `"add"`, `"add", "add"`, 1)), []string{`t.toml:7:19: class "add" is in timing.r already, expected it once in a file`}},
		{"zero initiation", onExample(strings.Replace(rule(""), "initiation_cycles = 1", "initiation_cycles = 0", 1)), []string{"t.toml:9:21: timing.r.initiation_cycles is 0, expected an integer from 1 to"}},
		{"transactions without cycles", onExample(rule("transactions = \"banks\"\n")), []string{`t.toml:5:3: no key "transaction_cycles" in timing.r, expected one for transactions = "banks"`}},
		{"cycles without transactions", onExample(rule("transaction_cycles = 2\n")), []string{"t.toml:12:22: timing.r.transaction_cycles is 2, expected none without transactions"}},
		{"pipeline model without its table", onExample("model = \"pipeline\"\n"), []string{"t.toml:5:9: model is \"pipeline\" but there is no [pipeline]"}},
		{"two at once", onExample("[sm]\nwarp_size = 0\nmax_blocks = 0\nsource = \"s\"\n"), []string{"t.toml:6:13: sm.warp_size is 0", "t.toml:7:14: sm.max_blocks is 0"}},
	} {
		if c.want == nil {
			c.want = []string{`t.toml:1:1: unknown key "base_reason"`}
			c.text = "base_reason = \"x\"\n" + full(t)
		}
		_, err := Load("t.toml", []byte(c.text))
		var list ErrorList
		if !errors.As(err, &list) {
			t.Errorf("%s: %v, want an ErrorList", c.name, err)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(c.want) {
			t.Errorf("%s: got\n%v\nwant %d errors", c.name, err, len(c.want))
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%s: got\n%s\nwant\n%s", c.name, lines[i], want)
			}
		}
	}
}

// full is a file that needs no base.
func full(t *testing.T) string {
	t.Helper()
	text, err := PresetText("example")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEmptyFile(t *testing.T) {
	_, err := Load("t.toml", nil)
	if err == nil {
		t.Fatal("an empty file loads")
	}
	for _, key := range []string{"format", "name", "model", "clock", "sm", "issue", "queue", "barrier", "block_dispatch", "memory", "units", "timing"} {
		if want := `t.toml:1:1: no key "` + key + `", expected `; !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestUncoveredClasses(t *testing.T) {
	text := strings.Replace(full(t), `classes = ["*"]`, `classes = ["*.f32", "add"]`, 1)
	_, err := Load("t.toml", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "no rule for [move move.pred move.i8 move.i16 move.i32] and ") {
		t.Errorf("%v", err)
	}
}

func TestAtMostTwentyErrors(t *testing.T) {
	text := onExample(strings.Repeat("[[units]]\nname = \"\"\ncount = 0\nshared = 1\n", 10))
	_, err := Load("t.toml", []byte(text))
	var list ErrorList
	if !errors.As(err, &list) || len(list) != 20 {
		t.Errorf("%d errors: %v", len(list), err)
	}
}

func TestLargeFile(t *testing.T) {
	_, err := Load("t.toml", make([]byte, 1<<18+1))
	if err == nil || !strings.Contains(err.Error(), "262145 bytes, expected at most 262144") {
		t.Errorf("%v", err)
	}
}

func TestBase(t *testing.T) {
	_, err := Load("t.toml", []byte(onExample(`
[sm]
count = 7
source = "a data sheet"
[[units]]
name = "NEW"
count = 2
shared = true
source = "s"
[[timing]]
name = "mul"
classes = ["mul"]
unit = "NEW"
initiation_cycles = 3
latency_cycles = 9
source = "s"
`)+`base_reason = "guessed from example"`+"\n"))
	if err == nil {
		t.Fatal("base_reason inside [[timing]] loads")
	}
	d, err := Load("t.toml", []byte("base_reason = \"guessed\"\n"+onExample("[sm]\ncount = 7\nsource = \"a data sheet\"\n[[timing]]\nname = \"mul\"\nclasses = [\"mul\"]\nunit = \"SFU\"\ninitiation_cycles = 3\nlatency_cycles = 9\nsource = \"s\"\n")))
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "mine" || d.SM.Count != 7 || d.SM.WarpSize != 32 {
		t.Errorf("%s: %+v", d.Name, d.SM)
	}
	if d.SM.Source != "a data sheet" || d.Clock.Source != "guessed: made up for this example" {
		t.Errorf("sources %q and %q", d.SM.Source, d.Clock.Source)
	}
	if d.Timing[1].Name != "mul" || d.Timing[1].Unit != "SFU" || len(d.Timing) != 7 {
		t.Errorf("%d rules, second %+v", len(d.Timing), d.Timing[1])
	}
}

func TestPresets(t *testing.T) {
	infos, err := Presets()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
		if info.Description == "" {
			t.Errorf("%s has no description", info.Name)
		}
	}
	want := []string{"ecrts2025-5", "ecrts2025-10", "ecrts2025-25", "ecrts2025-50", "ecrts2025-100", "ecrts2025-200", "ecrts2025-400", "example", "gtx480", "orin", "rtx3070", "tx1", "vortex-v2.2", "vortex-32x32"}
	if !slices.Equal(names, want) {
		t.Errorf("presets %v, want %v", names, want)
	}
	if _, err := Preset("rtx4090"); err == nil || !strings.Contains(err.Error(), "did you mean rtx3070 or gtx480?") {
		t.Errorf("an unknown preset: %v", err)
	}
}

// The preset called example explains every line that holds a key.
func TestExampleTeaches(t *testing.T) {
	before := ""
	for i, line := range strings.Split(full(t), "\n") {
		isKey := strings.Contains(line, "=") && !strings.HasPrefix(line, "#")
		if isKey && !strings.HasPrefix(before, "# ") {
			t.Errorf("line %d, %q, has no comment before it", i+1, line)
		}
		if line != "" && strings.HasPrefix(line, "[") && !strings.HasPrefix(before, "# ") {
			t.Errorf("line %d, %q, has no comment before it", i+1, line)
		}
		before = line
	}
}

func TestEncodeLoadsBack(t *testing.T) {
	for _, name := range presetNames() {
		d, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Load(name+".toml", text)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if diff := cmp.Diff(d, back); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestJSON(t *testing.T) {
	d, err := Open("example", []string{"sm.count=5"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(data), `{"format":1,"name":"example","description":`) {
		t.Errorf("%.80s", data)
	}
	var back struct {
		SM        struct{ Count int64 }
		Timing    []struct{ Classes []string }
		Overrides []string
	}
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.SM.Count != 5 || back.Timing[0].Classes[0] != "*" || !slices.Equal(back.Overrides, []string{"sm.count=5"}) {
		t.Errorf("%+v", back)
	}
}

func TestHash(t *testing.T) {
	if h := Hash(); len(h) != 64 || h != Hash() {
		t.Errorf("hash %q", h)
	}
}

func TestOpenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.toml")
	if err := os.WriteFile(file, []byte(onExample("")), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := Open(file, []string{"issue.policy=lrr"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "mine" || d.Issue.Policy != "lrr" {
		t.Errorf("%+v", d)
	}
	for name, want := range map[string]string{
		"exmple":                       `no GPU preset "exmple", did you mean example?`,
		filepath.Join(file, "x.toml"):  "GPU file: open ",
		filepath.Dir(file) + "/":       "GPU file: ",
		file + ".toml":                 "no such file",
		"zzzzzzzzzzzzzzzzzzzzzzzzzzzz": "expected one of ecrts2025-5, ",
	} {
		if _, err := Open(name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
