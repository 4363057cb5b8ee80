package sim

import (
	"fmt"
	"strings"
	"testing"
)

// issueLog notes which warp slot issued when.
type issueLog struct {
	eventLog
	issues []string
}

func (l *issueLog) Issue(e IssueEvent) {
	if !e.NotIssued {
		l.issues = append(l.issues, fmt.Sprintf("%d@%d", e.Slot, e.Cycle))
	}
}

// Who has the turn under the strict policies, by hand.
func TestStrictTurns(t *testing.T) {
	const (
		// Warp 1 can go on in the cycle in which its segment ends.
		ends = "F0/1/2 F1/1/0(0) F1/1/0 ; F0/1/1 F0/1/0 F0/1/0(0)"
		// Warp 0 waits, within its second segment, for the first one.
		inside = "F0/1/9 F0/1/0 F0/1/0(1) F0/1/0(0) ; F0/1/0 F0/1/0(0) F0/1/0"
		// Warp 1 opens the barrier, and would be ready.
		barrier = "F0/1/0 | F0/1/0 ; F0/1/0 F0/1/0 | F0/1/0"
	)
	for _, c := range []struct{ policy, program, want string }{
		{"srr", ends, "0@0 1@1 0@3 1@4 0@5 1@6"},
		{"segments", ends, "0@0 1@1 1@2 0@3 0@4 1@5"},
		{"gsrr", ends, "0@0 1@1 1@2 1@3 0@4 0@5"},
		{"segments", inside, "0@0 0@1 1@2 0@3 0@10 1@11 1@12"},
		{"gsrr", inside, "0@0 0@1 0@2 1@3 1@4 1@5 0@10"},
		{"segments", barrier, "0@0 1@1 1@2 0@3 1@4"},
		{"gsrr", barrier, "0@0 1@1 1@2 0@3 1@4"},
	} {
		log := &issueLog{}
		s := newSetup(t, c.program, 1).policy(t, c.policy)
		s.cfg.Observers = []Observer{log}
		s.run(t)
		if got := strings.Join(log.issues, " "); got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.policy, c.program, got, c.want)
		}
	}
}

// A warp that has ended keeps no turn, from warps of its block or of later ones.
func TestStrictTurnsEndWithWarps(t *testing.T) {
	for _, policy := range []string{"srr", "gsrr", "segments"} {
		s := newSetup(t, "F0/1/0 F0/1/3 ; F0/1/0", 5).policy(t, policy)
		s.cfg.BlocksPerSM = 2
		if r := s.run(t); r.Blocks != 5 {
			t.Errorf("%s: %d blocks", policy, r.Blocks)
		}
	}
}
