package gpu

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/isa"
)

// frontTable is a front end for any description with one scheduler.
const frontTable = `
[front_end]
kind                  = "predict"
variant               = "baseline"
fetch_policy          = "lrr"
issue_policy          = "GTLRR"
queue_entries         = 4
fetch_cycles          = 3
branch_resolve_cycles = 9
start_gap_cycles      = 0
instruction_bytes     = 8
source                = "test"

[front_end.icache]
perfect     = false
sets        = 256
ways        = 1
line_bytes  = 64
miss_cycles = 40
source      = "test"
`

// withFront is the preset ecrts2025-200 with a front end.
func withFront(t *testing.T, table string, set ...string) (*Description, error) {
	t.Helper()
	text := "format = 1\nbase = \"ecrts2025-200\"\nname = \"front\"\ndescription = \"with a front end\"\n" + table
	return load("front.toml", []byte(text), set)
}

func TestFrontEnd(t *testing.T) {
	d, err := withFront(t, frontTable)
	if err != nil {
		t.Fatal(err)
	}
	f := d.FrontEnd
	if f == nil || f.QueueEntries != 4 || f.ICache.Sets != 256 || f.SWaSEntries() != 4 {
		t.Fatalf("front end %+v", f)
	}
	// 8 instructions of 8 bytes a line, 16 of 4 bytes.
	for _, l := range []struct {
		bytes int64
		pc    int32
		want  int64
	}{{0, 7, 0}, {0, 8, 1}, {0, 17, 2}, {4, 15, 0}, {4, 16, 1}} {
		if got := f.Line(&isa.Program{InstructionBytes: l.bytes}, l.pc); got != l.want {
			t.Errorf("instruction %d of %d bytes is in line %d, want %d", l.pc, l.bytes, got, l.want)
		}
	}
}

// What is wrong with a front end is said with its key.
func TestBadFrontEnd(t *testing.T) {
	for settings, want := range map[string]string{
		"front_end.kind=guess":                                  `front_end.kind is "guess", expected`,
		"front_end.variant=both":                                `front_end.variant is "both", expected`,
		"front_end.fetch_policy=gto":                            `front_end.fetch_policy: policy "gto", expected one of lrr, `,
		"front_end.issue_policy=atlrr":                          "front_end.issue_policy: policy atlrr, expected how many instructions",
		`front_end.issue_policy="lrr:3"`:                        "front_end.issue_policy: policy lrr takes no argument",
		`front_end.issue_policy="atlo:x"`:                       `front_end.issue_policy: policy atlo of "x" instructions`,
		"front_end.queue_entries=0":                             "front_end.queue_entries is 0, expected an integer from 1 to 256",
		"front_end.variant=swas front_end.queue_entries=3":      `front_end.queue_entries is 3, expected fetch_cycles + 1 = 4 for variant = "swas"`,
		"front_end.fetch_cycles=0":                              "front_end.fetch_cycles is 0, expected an integer from 1 to 255",
		"front_end.refetch_cycles=6":                            `front_end.refetch_cycles is 6, expected none for kind = "predict"`,
		"front_end.kind=stall":                                  `no key "refetch_cycles" in front_end`,
		"front_end.kind=stall front_end.variant=swas":           `front_end.variant is "swas", expected "baseline" for kind = "stall"`,
		"front_end.branch_resolve_cycles=0":                     "front_end.branch_resolve_cycles is 0, expected",
		"front_end.icache.sets=3":                               "front_end.icache.sets is 3, expected a power of two",
		"front_end.icache.sets=65536 front_end.icache.ways=256": "front_end.icache.sets is 65536, with 256 ways, expected at most 4194304 lines",
		"front_end.icache.line_bytes=48":                        "front_end.icache.line_bytes is 48, expected a power of two",
		"front_end.icache.line_bytes=4":                         "front_end.icache.line_bytes is 4, expected at least instruction_bytes = 8",
		"front_end.icache.miss_cycles=1":                        "front_end.icache.miss_cycles is 1, expected an integer from 2",
		"model=frontend issue.per_cycle=2":                      `model is "frontend" with schedulers that issue 2 instructions a cycle, expected one each`,
		"front_end.variant=swas sm.schedulers=2":                `front_end.variant is "swas" with 2 schedulers, expected one for both stages`,
	} {
		_, err := withFront(t, frontTable, strings.Fields(settings)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", settings, err, want)
		}
	}
	if _, err := withFront(t, "", "model=frontend"); err == nil || !strings.Contains(err.Error(), `model is "frontend" but there is no [front_end]`) {
		t.Errorf("frontend without a front end: %v", err)
	}
}

func TestFrontPolicies(t *testing.T) {
	for _, name := range FrontPolicyNames() {
		if strings.HasPrefix(name, "at") {
			name += ":7"
		}
		p, err := ParseFrontPolicy(strings.ToUpper(name))
		if err != nil || p.String() != name {
			t.Errorf("%s is read as %s (%v)", name, p, err)
		}
	}
	if p, err := ParseFrontPolicy("atlo:12"); err != nil || p != (FrontPolicy{Algorithm: OldestFirst, Category: Adaptive, Lead: 12}) {
		t.Errorf("atlo:12 is read as %+v (%v)", p, err)
	}
	for _, bad := range []string{"", "rr", "atlrr:-1", "lrr:", "atlo:99999999999999999999"} {
		if _, err := ParseFrontPolicy(bad); err == nil {
			t.Errorf("%q is read without an error", bad)
		}
	}
}
