package timeline

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of the fields that are written, of the messages of
// github.com/google/perfetto, protos/perfetto/trace: trace.proto, trace_packet.proto,
// track_event/track_event.proto, track_event/track_descriptor.proto,
// track_event/counter_descriptor.proto, track_event/process_descriptor.proto,
// track_event/debug_annotation.proto, interned_data/interned_data.proto and
// profiling/profile_common.proto.
const (
	tracePacket protowire.Number = 1

	packetTimestamp     protowire.Number = 8
	packetSequence      protowire.Number = 10 // trusted_packet_sequence_id
	packetTrackEvent    protowire.Number = 11
	packetInterned      protowire.Number = 12
	packetSequenceFlags protowire.Number = 13
	packetDescriptor    protowire.Number = 60

	sequenceCleared = 1 // SEQ_INCREMENTAL_STATE_CLEARED
	sequenceNeeds   = 2 // SEQ_NEEDS_INCREMENTAL_STATE

	descriptorUUID     protowire.Number = 1
	descriptorName     protowire.Number = 2
	descriptorProcess  protowire.Number = 3
	descriptorParent   protowire.Number = 5
	descriptorCounter  protowire.Number = 8
	descriptorOrdering protowire.Number = 11 // child_ordering
	descriptorRank     protowire.Number = 12 // sibling_order_rank

	orderingExplicit = 3

	processPID  protowire.Number = 1
	processName protowire.Number = 6

	counterUnitName protowire.Number = 6

	eventCategory     protowire.Number = 3 // category_iids
	eventAnnotation   protowire.Number = 4
	eventType         protowire.Number = 9
	eventName         protowire.Number = 10 // name_iid
	eventTrack        protowire.Number = 11
	eventCounterInt   protowire.Number = 30
	eventCounterFloat protowire.Number = 44
	eventFlows        protowire.Number = 47 // fixed64
	eventFlowEnds     protowire.Number = 48 // terminating_flow_ids, fixed64

	typeSliceBegin = 1
	typeSliceEnd   = 2
	typeInstant    = 3
	typeCounter    = 4

	annotationName   protowire.Number = 1 // name_iid
	annotationInt    protowire.Number = 4
	annotationString protowire.Number = 17 // string_value_iid

	internedID   protowire.Number = 1 // of every interned message
	internedText protowire.Number = 2
)

// table is a kind of interned strings.
type table uint8

const (
	categories table = iota
	names
	annotationNames
	annotationStrings
	numTables
)

// internedField is the field of InternedData for a kind of strings.
var internedField = [numTables]protowire.Number{categories: 1, names: 2, annotationNames: 3, annotationStrings: 29}

// perfetto encodes packets. Strings have one number in the whole trace, and each
// sequence gets those that it uses.
type perfetto struct {
	ids                      [numTables]map[string]uint64
	packet, message, strings []byte
	annotation               []byte
}

func (p *perfetto) begin(*Writer) {
	for i := range p.ids {
		p.ids[i] = map[string]uint64{}
	}
}

func (p *perfetto) end(*Writer) {}

// id is the number of a string, which the sequence of the track is sent where it does
// not have it.
func (p *perfetto) id(t *Track, in table, s string) uint64 {
	id, ok := p.ids[in][s]
	if !ok {
		id = uint64(len(p.ids[in])) + 1
		p.ids[in][s] = id
	}
	word := int(id / 64)
	for len(t.sent[in]) <= word {
		t.sent[in] = append(t.sent[in], 0)
	}
	if bit := uint64(1) << (id % 64); t.sent[in][word]&bit == 0 {
		t.sent[in][word] |= bit
		n := protowire.SizeTag(internedID) + protowire.SizeVarint(id) + protowire.SizeTag(internedText) + protowire.SizeBytes(len(s))
		p.strings = protowire.AppendTag(p.strings, internedField[in], protowire.BytesType)
		p.strings = protowire.AppendVarint(p.strings, uint64(n))
		p.strings = appendUint(p.strings, internedID, id)
		p.strings = appendText(p.strings, internedText, s)
	}
	return id
}

func appendUint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendText(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendMessage(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}

func appendFixed(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), v)
}

// track implements encoder.
func (p *perfetto) track(w *Writer, t *Track) {
	m := appendUint(p.message[:0], descriptorUUID, uint64(t.number))
	m = appendText(m, descriptorName, t.name)
	if t.parent == nil {
		process := appendUint(nil, processPID, uint64(t.number))
		m = appendMessage(m, descriptorProcess, appendText(process, processName, t.name))
	} else {
		m = appendUint(m, descriptorParent, uint64(t.parent.number))
		m = appendUint(m, descriptorRank, uint64(t.rank))
	}
	if t.counter {
		m = appendMessage(m, descriptorCounter, appendText(nil, counterUnitName, t.unit))
	} else {
		m = appendUint(m, descriptorOrdering, orderingExplicit)
	}
	p.message = m
	b := appendUint(p.packet[:0], packetSequence, uint64(t.number))
	b = appendUint(b, packetSequenceFlags, sequenceCleared)
	p.send(w, appendMessage(b, packetDescriptor, m))
}

// send writes a packet.
func (p *perfetto) send(w *Writer, packet []byte) {
	p.packet = packet
	var head [16]byte
	h := protowire.AppendTag(head[:0], tracePacket, protowire.BytesType)
	w.write(protowire.AppendVarint(h, uint64(len(packet))))
	w.write(packet)
}

var eventTypes = [...]uint64{sliceBegin: typeSliceBegin, sliceEnd: typeSliceEnd, instant: typeInstant, sample: typeCounter}

// event implements encoder.
func (p *perfetto) event(w *Writer, t *Track, e *event) {
	p.strings = p.strings[:0]
	m := appendUint(p.message[:0], eventType, eventTypes[e.kind])
	m = appendUint(m, eventTrack, uint64(t.number))
	if e.label != nil {
		if e.label.Category != "" {
			m = appendUint(m, eventCategory, p.id(t, categories, e.label.Category))
		}
		m = appendUint(m, eventName, p.id(t, names, e.label.Name))
	}
	for a := range e.args {
		m = p.arg(m, t, a)
	}
	if e.kind == sample {
		if i := int64(e.value); float64(i) == e.value {
			m = appendUint(m, eventCounterInt, uint64(i))
		} else {
			m = appendFixed(m, eventCounterFloat, math.Float64bits(e.value))
		}
	}
	if e.flows != nil {
		for _, f := range e.flows.out {
			m = appendFixed(m, eventFlows, f)
		}
		for _, f := range e.flows.in {
			m = appendFixed(m, eventFlowEnds, f)
		}
	}
	p.message = m
	b := appendUint(p.packet[:0], packetTimestamp, uint64(e.at))
	b = appendUint(b, packetSequence, uint64(t.number))
	b = appendUint(b, packetSequenceFlags, sequenceNeeds)
	if len(p.strings) > 0 {
		b = appendMessage(b, packetInterned, p.strings)
	}
	p.send(w, appendMessage(b, packetTrackEvent, m))
}

// arg appends a debug annotation to an event.
func (p *perfetto) arg(m []byte, t *Track, a Arg) []byte {
	b := appendUint(p.annotation[:0], annotationName, p.id(t, annotationNames, a.Key))
	if a.Text != "" {
		b = appendUint(b, annotationString, p.id(t, annotationStrings, a.Text))
	} else {
		b = appendUint(b, annotationInt, uint64(a.Int))
	}
	p.annotation = b
	return appendMessage(m, eventAnnotation, b)
}
