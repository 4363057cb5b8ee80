//go:build !linux

package guard

import (
	"errors"
	"testing"
	"time"
)

func TestThreadsAreNotSupported(t *testing.T) {
	token, err := NewToken(make([]uint32, TokenWords))
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(Config{Token: token, Budgets: testBudgets, Threads: &ThreadConfig{Cores: []int{0}, MaxHold: time.Second}})
	if !errors.Is(err, ErrNotSupported) {
		t.Errorf("got %v, want ErrNotSupported", err)
	}
}
