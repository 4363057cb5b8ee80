package sim

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/sim/frontend"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// The names of the models.
const (
	Abstract = "abstract" // the SM model of docs/soundness/model.md, section 1
	Pipeline = "pipeline" // fetch, collectors, ports, result buses, LSU
	Frontend = "frontend" // fetch, instruction cache and queues before the units of Abstract
)

// Model is what the SMs of a run are, with the settings that mean something there:
// AbstractModel, PipelineModel, FrontModel, or OwnModel for that of the description.
type Model interface {
	String() string
	// settle puts the settings into those of the run.
	settle(*settings) error
}

// OwnModel is the model that the description names. Policy is as with that model; a front
// end, which has no use for it, refuses one.
type OwnModel struct{ Policy policy.Policy }

// AbstractModel is the model the bounds are proved for.
type AbstractModel struct {
	// Policy picks among ready warps; the zero value means the description's.
	Policy policy.Policy
	// DispatchOrder picks among the instructions waiting for a unit where the
	// description's queues serve in any order; the zero value is oldest first.
	DispatchOrder policy.DispatchOrder
}

// PipelineModel is a pipeline in the manner of the field's reference simulator.
type PipelineModel struct{ Policy policy.Policy } // as in AbstractModel, without scripts

// FrontModel is the abstract model behind a front end. What is empty is as the description
// says.
type FrontModel struct {
	FetchPolicy, IssuePolicy string
	Variant                  string               // gpu.Baseline or gpu.SWaS
	DispatchOrder            policy.DispatchOrder // as in AbstractModel

	ablation frontend.Ablation
}

func (OwnModel) String() string      { return "" }
func (AbstractModel) String() string { return Abstract }
func (PipelineModel) String() string { return Pipeline }
func (FrontModel) String() string    { return Frontend }

// NamedModel is the model of a name, that of the description for "", whose schedulers
// follow a policy, the description's for the zero value. It is for those who let users
// choose: a front end, whose two stages have policies of their own, refuses one.
//
// Errors: ErrConfig.
func NamedModel(name string, p policy.Policy) (Model, error) {
	m, err := namedModel(name, p)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return m, nil
}

func namedModel(name string, p policy.Policy) (Model, error) {
	switch name {
	case "":
		return OwnModel{p}, nil
	case Abstract:
		return AbstractModel{Policy: p}, nil
	case Pipeline:
		return PipelineModel{p}, nil
	case Frontend:
		if p.Name != "" {
			return nil, fmt.Errorf("policy %s with model %s, expected a fetch policy and an issue policy", p, Frontend)
		}
		return FrontModel{}, nil
	}
	return nil, fmt.Errorf("model %q: expected %s, %s or %s", name, Abstract, Pipeline, Frontend)
}

func (m OwnModel) settle(s *settings) error {
	of := s.Machine.Desc.Model
	if of == "" {
		return fmt.Errorf("model %q: expected %s, %s or %s", of, Abstract, Pipeline, Frontend)
	}
	named, err := namedModel(of, m.Policy)
	if err != nil {
		return err
	}
	return named.settle(s)
}

func (m AbstractModel) settle(s *settings) error {
	s.model, s.policy, s.dispatchOrder = Abstract, m.Policy, m.DispatchOrder
	return nil
}

func (m PipelineModel) settle(s *settings) error {
	s.model, s.policy = Pipeline, m.Policy
	return nil
}

func (m FrontModel) settle(s *settings) error {
	s.model, s.dispatchOrder = Frontend, m.DispatchOrder
	var err error
	s.front, err = frontend.Configure(s.Machine.Desc, frontend.Settings{FetchPolicy: m.FetchPolicy, IssuePolicy: m.IssuePolicy, Variant: m.Variant, Ablation: m.ablation})
	return err
}
