package examples

import (
	"cmp"
	"fmt"
	"slices"
)

// Arg is one kernel argument: a buffer, a scalar as a buffer of one element, or a by-value structure as its bytes.
type Arg struct {
	Type string // PTX fundamental type of an element, as the launch file writes it: "f32", "u32", ...; "b8" for a structure
	Data []byte // elements in order, little endian
}

// Buffers is the state of one launch's arguments, by argument name, and the geometry they are launched with. The contents of
// a texture count as an argument of its name.
type Buffers struct {
	Grid, Block [3]int
	Args        map[string]Arg
}

// Example is one launch of one example kernel.
type Example struct {
	Suite  string // "basic", "rodinia", "polybench", "sgemm", "huangfu", "units", "inputs/kernels" or "vortex/kernels"
	Name   string // directory of the example within the suite
	Launch string // launch file, slash-separated, relative to this directory

	reference func(*state)
}

// Check compares the arguments after a launch with what the host reference computes from the arguments before it.
// Arguments the kernel does not write must be unchanged. The error names the first argument and element that differ,
// or the argument that is missing or has another type or too few elements.
func (e Example) Check(in, out Buffers) error {
	s := newState(in)
	if err := s.run(e.reference); err != nil {
		return fmt.Errorf("%s: reference: %w", e.Launch, err)
	}
	if err := s.compare(out); err != nil {
		return fmt.Errorf("%s: %w", e.Launch, err)
	}
	return nil
}

// Expect returns the arguments as they should be after a launch that starts from in. Elements that Check compares with a
// tolerance are the reference's own.
func (e Example) Expect(in Buffers) (Buffers, error) {
	s := newState(in)
	if err := s.run(e.reference); err != nil {
		return Buffers{}, fmt.Errorf("%s: reference: %w", e.Launch, err)
	}
	return s.expected(), nil
}

// All returns every example launch but those of [Vortex] and [Inputs], ordered by launch file.
func All() []Example {
	all := slices.Concat(basicExamples(), rodiniaExamples(), polybenchExamples(), sgemmExamples(), huangfuExamples(), unitsExamples())
	slices.SortFunc(all, byLaunch)
	return all
}

func byLaunch(a, b Example) int { return cmp.Compare(a.Launch, b.Launch) }

// launches makes the examples of one kernel: the launch files suite/name/<l>.toml, which all share one reference.
func launches(suite, name string, reference func(*state), files ...string) []Example {
	var list []Example
	for _, f := range files {
		list = append(list, Example{
			Suite: suite, Name: name, Launch: suite + "/" + name + "/" + f + ".toml", reference: reference,
		})
	}
	return list
}
