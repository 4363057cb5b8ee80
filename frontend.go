package warpbound

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
)

// FrontEnd says how the front end of a GPU is used. Empty fields mean what the
// description says; the zero value asks for a front end only where the model of the
// description has one.
type FrontEnd struct {
	Variant     string // gpu.Baseline or gpu.SWaS
	FetchPolicy string // of the baseline, as gpu.ParseFrontPolicy reads it
	IssuePolicy string // of the issue stage, and with gpu.SWaS of both
}

// given names a field that is set, "" where none is.
func (f FrontEnd) given() string {
	switch {
	case f.FetchPolicy != "":
		return "FrontEnd.FetchPolicy"
	case f.IssuePolicy != "":
		return "FrontEnd.IssuePolicy"
	case f.Variant != "":
		return "FrontEnd.Variant"
	}
	return ""
}

// on is the front end of a machine that is used so.
func (f FrontEnd) on(m *gpu.Machine) (*method.FrontEnd, error) {
	if m.Desc.FrontEnd == nil {
		none := &OptionError{Option: f.given(), Msg: fmt.Sprintf("%s has no table [front_end], expected a GPU with a front end such as vortex-32x32", m.Desc.Name)}
		if none.Option == "" {
			none.Option, none.Value = "Model", ModelFrontend
		}
		return nil, none
	}
	out := &method.FrontEnd{Variant: strings.ToLower(f.Variant)}
	var err error
	if out.FetchPolicy, err = parseFrontPolicy("FrontEnd.FetchPolicy", f.FetchPolicy); err != nil {
		return nil, err
	}
	if out.IssuePolicy, err = parseFrontPolicy("FrontEnd.IssuePolicy", f.IssuePolicy); err != nil {
		return nil, err
	}
	if out.Variant != "" {
		if err := oneOf("FrontEnd.Variant", out.Variant, gpu.Baseline, gpu.SWaS); err != nil {
			return nil, err
		}
	}
	return out, oneScheduler(m.Desc, out)
}

// parseFrontPolicy reads a policy of a front end, "" being none.
func parseFrontPolicy(option, s string) (string, error) {
	if s == "" {
		return "", nil
	}
	p, err := gpu.ParseFrontPolicy(s)
	if err == nil {
		return p.String(), nil
	}
	name, _, _ := strings.Cut(strings.ToLower(s), ":")
	if err := oneOf(option, name, gpu.FrontPolicyNames()...); err != nil {
		return "", err
	}
	return "", &OptionError{Option: option, Value: s, Msg: "expected " + frontPolicyForms + ", and no argument for the others"}
}

// frontPolicyForms are the policies that take an argument.
const frontPolicyForms = "atlrr:N or atlo:N with how many instructions a warp may be ahead"

// oneScheduler checks what variant swas needs, where it is that.
func oneScheduler(d *gpu.Description, f *method.FrontEnd) error {
	on := f.On(d)
	if on.Variant != gpu.SWaS {
		return nil
	}
	if why := whyNoSWaS(d); why != "" {
		return &OptionError{Option: "FrontEnd.Variant", Value: gpu.SWaS, Msg: why}
	}
	if f.FetchPolicy != "" && f.FetchPolicy != on.IssuePolicy {
		return &OptionError{Option: "FrontEnd.FetchPolicy", Value: f.FetchPolicy, Msg: fmt.Sprintf("variant %s has one scheduler for both stages, whose policy is that of the issue stage (%s)", gpu.SWaS, on.IssuePolicy)}
	}
	return nil
}

// whyNoSWaS says why a front end has no variant swas, "" where it has.
func whyNoSWaS(d *gpu.Description) string {
	switch f := d.FrontEnd; {
	case f.Kind == gpu.Stall:
		return fmt.Sprintf("the front end of %s stalls at control instructions, expected one that predicts", d.Name)
	case f.QueueEntries != f.SWaSEntries():
		return fmt.Sprintf("%s has queues of %d entries, expected fetch_cycles + 1 = %d", d.Name, f.QueueEntries, f.SWaSEntries())
	}
	return ""
}

// analyzed is the front end that an analysis is about, nil where it is about a
// machine without one. Other is the option that asks for another machine, "" where
// none does.
func (f FrontEnd) analyzed(m *gpu.Machine, other string) (*method.FrontEnd, error) {
	option := f.given()
	switch {
	case option == "" && (m.Desc.Model != sim.Frontend || other != ""):
		return nil, nil
	case other == "Policy":
		return nil, &OptionError{Option: option, With: other, Msg: "expected one of them, a front end has two policies of its own"}
	case other != "":
		return nil, &OptionError{Option: option, With: other, Other: L1Reorder, Msg: "expected one of them, a replay is without caches for data"}
	}
	return f.on(m)
}
