// Package traces reads traces back for tests: Perfetto's packets and Chrome's JSON, each
// by a reader that shares nothing with what writes them (internal/timeline), and checks
// what makes a trace one. It is strict: what it does not know is an error.
package traces

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Trace is what was read.
type Trace struct {
	Tracks []Track
	Events []Event // in the order of the file
}

// Track is a row, a group or a process.
type Track struct {
	UUID, Parent uint64 // Parent is 0 at the top
	Sequence     uint64 // that declared it
	Name         string
	Process      bool
	Counter      bool
	Unit         string
	Rank         int64
	at           int // event before which it was declared
}

// Kind is what an event is.
type Kind uint8

// The kinds, by Perfetto's numbers.
const (
	Begin   Kind = 1
	End     Kind = 2
	Instant Kind = 3
	Counter Kind = 4
)

// Event is something on a track. Args are strings and int64s.
type Event struct {
	Kind              Kind
	Track             uint64
	Sequence          uint64
	At                int64
	Name, Category    string
	Args              map[string]any
	Value             float64
	FlowsOut, FlowsIn []uint64
}

// field is one field of a message: a number, or bytes.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	value uint64
	bytes []byte
}

// fields splits a message. wire is the type of each field that it may have.
func fields(b []byte, what string, wire map[protowire.Number]protowire.Type) ([]field, error) {
	var out []field
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, fmt.Errorf("%s: %w", what, protowire.ParseError(n))
		}
		b = b[n:]
		if want, ok := wire[num]; !ok || want != typ {
			return nil, fmt.Errorf("%s: field %d of wire type %d", what, num, typ)
		}
		f := field{num: num, typ: typ}
		switch typ {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		}
		if n < 0 {
			return nil, fmt.Errorf("%s, field %d: %w", what, num, protowire.ParseError(n))
		}
		b = b[n:]
		out = append(out, f)
	}
	return out, nil
}

const (
	varint = protowire.VarintType
	fixed  = protowire.Fixed64Type
	bytes  = protowire.BytesType
)

type wires = map[protowire.Number]protowire.Type

// The messages, by the definitions of Perfetto (protos/perfetto/trace).
var (
	wireTrace      = wires{1: bytes}
	wirePacket     = wires{8: varint, 10: varint, 11: bytes, 12: bytes, 13: varint, 60: bytes}
	wireDescriptor = wires{1: varint, 2: bytes, 3: bytes, 5: varint, 8: bytes, 11: varint, 12: varint}
	wireProcess    = wires{1: varint, 6: bytes}
	wireCounter    = wires{6: bytes}
	wireEvent      = wires{3: varint, 4: bytes, 9: varint, 10: varint, 11: varint, 30: varint, 44: fixed, 47: fixed, 48: fixed}
	wireAnnotation = wires{1: varint, 4: varint, 17: varint}
	wireInterned   = wires{1: bytes, 2: bytes, 3: bytes, 29: bytes}
	wireString     = wires{1: varint, 2: bytes}
)

// sequence is what a packet sequence has been told.
type sequence struct {
	cleared bool
	strings map[protowire.Number]map[uint64]string
}

type reader struct {
	trace     Trace
	sequences map[uint64]*sequence
}

// Perfetto reads a sequence of packets.
func Perfetto(data []byte) (*Trace, error) {
	packets, err := fields(data, "trace", wireTrace)
	if err != nil {
		return nil, err
	}
	r := &reader{sequences: map[uint64]*sequence{}}
	for i, p := range packets {
		if err := r.packet(p.bytes); err != nil {
			return nil, fmt.Errorf("packet %d: %w", i, err)
		}
	}
	return &r.trace, nil
}

func (r *reader) packet(b []byte) error {
	list, err := fields(b, "TracePacket", wirePacket)
	if err != nil {
		return err
	}
	one := map[protowire.Number]field{}
	for _, f := range list {
		if _, twice := one[f.num]; twice {
			return fmt.Errorf("TracePacket: field %d twice", f.num)
		}
		one[f.num] = f
	}
	id := one[10].value
	if id == 0 {
		return errors.New("no sequence")
	}
	s := r.sequences[id]
	if s == nil {
		s = &sequence{strings: map[protowire.Number]map[uint64]string{}}
		r.sequences[id] = s
	}
	flags := one[13].value
	if flags&1 != 0 {
		s.cleared, s.strings = true, map[protowire.Number]map[uint64]string{}
	}
	if flags&2 != 0 && !s.cleared {
		return fmt.Errorf("sequence %d needs a state that it does not have", id)
	}
	if x, ok := one[12]; ok {
		if err := s.intern(x.bytes); err != nil {
			return err
		}
	}
	event, isEvent := one[11]
	descriptor, isDescriptor := one[60]
	_, timed := one[8]
	switch {
	case isEvent == isDescriptor || isEvent != timed:
		return errors.New("expected a descriptor, or an event with its time")
	case isDescriptor && flags == 1:
		return r.descriptor(id, descriptor.bytes)
	case isDescriptor || flags != 2:
		return fmt.Errorf("sequence flags %d", flags)
	}
	return r.event(s, id, int64(one[8].value), event.bytes)
}

func (s *sequence) intern(b []byte) error {
	list, err := fields(b, "InternedData", wireInterned)
	if err != nil {
		return err
	}
	for _, f := range list {
		parts, err := fields(f.bytes, "interned string", wireString)
		if err != nil {
			return err
		}
		if len(parts) != 2 || parts[0].num != 1 || parts[1].num != 2 || parts[0].value == 0 {
			return fmt.Errorf("interned string: %v", parts)
		}
		if s.strings[f.num] == nil {
			s.strings[f.num] = map[uint64]string{}
		}
		if _, twice := s.strings[f.num][parts[0].value]; twice {
			return fmt.Errorf("interned string %d twice", parts[0].value)
		}
		s.strings[f.num][parts[0].value] = string(parts[1].bytes)
	}
	return nil
}

// text is an interned string.
func (s *sequence) text(in protowire.Number, id uint64) (string, error) {
	t, ok := s.strings[in][id]
	if !ok {
		return "", fmt.Errorf("string %d of InternedData field %d is not there", id, in)
	}
	return t, nil
}

func (r *reader) descriptor(id uint64, b []byte) error {
	list, err := fields(b, "TrackDescriptor", wireDescriptor)
	if err != nil {
		return err
	}
	t := Track{Sequence: id, at: len(r.trace.Events)}
	for _, f := range list {
		switch f.num {
		case 1:
			t.UUID = f.value
		case 2:
			t.Name = string(f.bytes)
		case 3:
			t.Process = true
			parts, err := fields(f.bytes, "ProcessDescriptor", wireProcess)
			if err != nil {
				return err
			}
			if len(parts) != 2 || parts[0].value != t.UUID || string(parts[1].bytes) != t.Name {
				return fmt.Errorf("ProcessDescriptor of %q: %v", t.Name, parts)
			}
		case 5:
			t.Parent = f.value
		case 8:
			t.Counter = true
			parts, err := fields(f.bytes, "CounterDescriptor", wireCounter)
			if err != nil {
				return err
			}
			for _, p := range parts {
				t.Unit = string(p.bytes)
			}
		case 11:
			if f.value != 3 {
				return fmt.Errorf("child_ordering %d, expected 3, by rank", f.value)
			}
		case 12:
			t.Rank = int64(f.value)
		}
	}
	r.trace.Tracks = append(r.trace.Tracks, t)
	return nil
}

func (r *reader) event(s *sequence, id uint64, at int64, b []byte) error {
	list, err := fields(b, "TrackEvent", wireEvent)
	if err != nil {
		return err
	}
	e := Event{Sequence: id, At: at}
	for _, f := range list {
		var err error
		switch f.num {
		case 3:
			e.Category, err = s.text(1, f.value)
		case 4:
			err = s.annotation(&e, f.bytes)
		case 9:
			e.Kind = Kind(f.value)
		case 10:
			e.Name, err = s.text(2, f.value)
		case 11:
			e.Track = f.value
		case 30:
			e.Value = float64(int64(f.value))
		case 44:
			e.Value = math.Float64frombits(f.value)
		case 47:
			e.FlowsOut = append(e.FlowsOut, f.value)
		case 48:
			e.FlowsIn = append(e.FlowsIn, f.value)
		}
		if err != nil {
			return err
		}
	}
	r.trace.Events = append(r.trace.Events, e)
	return nil
}

func (s *sequence) annotation(e *Event, b []byte) error {
	list, err := fields(b, "DebugAnnotation", wireAnnotation)
	if err != nil {
		return err
	}
	if len(list) != 2 || list[0].num != 1 {
		return fmt.Errorf("DebugAnnotation: %v", list)
	}
	key, err := s.text(3, list[0].value)
	if err != nil {
		return err
	}
	if e.Args == nil {
		e.Args = map[string]any{}
	}
	if _, twice := e.Args[key]; twice {
		return fmt.Errorf("argument %q twice", key)
	}
	e.Args[key] = int64(list[1].value)
	if list[1].num == 17 {
		if e.Args[key], err = s.text(29, list[1].value); err != nil {
			return err
		}
	}
	return nil
}
