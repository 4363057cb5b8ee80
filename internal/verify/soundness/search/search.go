// Package search is the whole search for a violated bound: random instruction programs
// and kernels, kernels executed again, small scopes tried completely, and climbs
// towards a violation of one method. It makes one document of what it tried.
package search

import (
	"context"
	"slices"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/verify/soundness"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
	"github.com/warpbound/warpbound/internal/verify/soundness/kernels"
	"github.com/warpbound/warpbound/internal/version"
)

// kernelShare is how many cases of instruction programs are tried for each
// random kernel: a kernel costs as much as some hundred of them.
const kernelShare = 50

// Climbs and steps of one attack on one machine: enough to find that the
// published bound is unsafe even with unbounded queues.
const attackClimbs, attackSteps = 192, 400

// nothingSeen is the closest of an attack on a method that was never offered.
const nothingSeen = 1 << 30

// How many of the small scopes are tried.
const (
	NoScopes    = "none"
	QuickScopes = "quick" // seconds
	AllScopes   = "all"   // minutes
)

// Plan is what to try.
type Plan struct {
	Seeds   int
	First   uint64
	Plant   string   // an unsafe method treated as safe in the kernel search
	Scopes  string   // NoScopes, QuickScopes or AllScopes
	Attacks []string // methods
	// Watch is told what is tried next; it returns what is told how far that is, and
	// what is called when it has ended.
	Watch func(what string) (shown func(done, total int), end func())
}

// Document is the JSON form of a search (docs/json.md).
type Document struct {
	Warpbound version.Info `json:"warpbound"`
	// Complete is false where the search was cut short: what it has is then what was
	// tried.
	Complete bool               `json:"complete"`
	Programs *soundness.Summary `json:"programs"`
	Kernels  *kernels.Summary   `json:"kernels"`
	Claims   *claims.Summary    `json:"claims"`
	Scopes   []Scope            `json:"scopes"`
	Attacks  []Attack           `json:"attacks"`
}

// Scope is a small scope tried completely.
type Scope struct {
	Scope string `json:"scope"`
	*soundness.ScopeResult
}

// Attack is a climb towards a violation of one bound on one machine.
type Attack struct {
	Method  string `json:"method"`
	Machine string `json:"machine"`
	*soundness.AttackResult
}

// Attackable names the methods that a plan can attack.
func Attackable() []string { return multiphase.Methods() }

// check refuses what cannot be tried, with a *warpbound.OptionError.
func (p *Plan) check() error {
	plantable := analysis.Names(method.Plain)
	switch {
	case p.Seeds < 1:
		return &warpbound.OptionError{Option: "Seeds", Value: p.Seeds, Msg: "expected 1 or more"}
	case p.Plant != "" && !slices.Contains(plantable, p.Plant):
		return &warpbound.OptionError{Option: "Plant", Value: p.Plant, Msg: conf.Suggest(p.Plant, plantable)}
	}
	for _, m := range p.Attacks {
		if !slices.Contains(Attackable(), m) {
			return &warpbound.OptionError{Option: "Attacks", Value: m, Msg: conf.Suggest(m, Attackable())}
		}
	}
	if scopes := []string{NoScopes, QuickScopes, AllScopes}; !slices.Contains(scopes, p.Scopes) {
		return &warpbound.OptionError{Option: "Scopes", Value: p.Scopes, Msg: conf.Suggest(p.Scopes, scopes)}
	}
	return nil
}

// Run searches until the plan is carried out. With an error, such as that of an
// interruption, the document has what was tried before; it is nil where the plan is
// wrong.
func Run(ctx context.Context, p Plan) (*Document, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	d := &Document{Warpbound: version.Get(), Scopes: []Scope{}, Attacks: []Attack{}}
	err := d.search(ctx, p)
	d.Complete = err == nil
	return d, err
}

// search fills the document as far as it gets.
func (d *Document) search(ctx context.Context, p Plan) error {
	err := p.watched("programs", func(shown func(done, total int)) (err error) {
		d.Programs, err = soundness.Run(ctx, soundness.Config{Seed: p.First, Cases: p.Seeds, Progress: shown})
		return err
	})
	if err != nil {
		return err
	}
	err = p.watched("kernels", func(shown func(done, total int)) (err error) {
		d.Kernels, err = kernels.Run(ctx, kernels.Config{Seed: p.First, Cases: (p.Seeds + kernelShare - 1) / kernelShare, Plant: p.Plant, Progress: shown})
		return err
	})
	if err != nil {
		return err
	}
	err = p.watched("claims", func(shown func(done, total int)) (err error) {
		d.Claims, err = claims.Run(ctx, claims.Config{Seed: p.First, Cases: p.Seeds, Progress: shown})
		return err
	})
	if err != nil {
		return err
	}
	for _, n := range soundness.Scopes() {
		if p.Scopes == NoScopes || p.Scopes == QuickScopes && !n.Quick {
			continue
		}
		err := p.watched(n.Name, func(shown func(done, total int)) error {
			n.Scope.Progress = shown
			r, err := n.Scope.Run(ctx)
			if err == nil {
				d.Scopes = append(d.Scopes, Scope{n.Name, r})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return d.attack(ctx, p)
}

// watched does something while it is shown.
func (p *Plan) watched(what string, do func(shown func(done, total int)) error) error {
	if p.Watch == nil {
		return do(nil)
	}
	shown, end := p.Watch(what)
	defer end()
	return do(shown)
}

// attack climbs against each method on every kind of machine. A machine that
// does not offer the method has nothing to attack.
func (d *Document) attack(ctx context.Context, p Plan) error {
	for _, method := range p.Attacks {
		for _, m := range soundness.Machines() {
			err := p.watched("attacking "+method, func(shown func(done, total int)) error {
				r, err := soundness.Attack(ctx, soundness.AttackConfig{
					Seed: p.First, Method: method, Machine: m, Climbs: attackClimbs, Steps: attackSteps, Progress: shown,
				})
				if err == nil && r.Closest < nothingSeen {
					d.Attacks = append(d.Attacks, Attack{method, m.String(), r})
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Violations counts the bounds and claims that were violated.
func (d *Document) Violations() int {
	n := 0
	if d.Programs != nil {
		n += len(d.Programs.Violations)
	}
	if d.Kernels != nil {
		n += len(d.Kernels.Violations)
	}
	if d.Claims != nil {
		n += len(d.Claims.Violations)
	}
	for _, s := range d.Scopes {
		n += len(s.Violations)
	}
	for _, a := range d.Attacks {
		if a.Violation != nil {
			n++
		}
	}
	return n
}
