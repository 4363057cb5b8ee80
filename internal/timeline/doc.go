// Package timeline writes traces of what happened when, for viewers that zoom through
// them: tracks in groups of groups, slices and instants on tracks, counters, flows from
// one slice to another.
//
// A trace is written in one of two formats, which say the same:
//
//   - Perfetto: a sequence of TracePacket messages (Perfetto's public protocol
//     definitions, protos/perfetto/trace in its repository, of which perfetto.go has the
//     numbers of the fields), which ui.perfetto.dev and trace_processor read.
//   - Chrome: JSON in Google's Trace Event Format, which chrome://tracing, Perfetto and
//     others read.
//
// A trace is written as it goes and never held: memory does not grow with its length.
// Each track is a packet sequence of its own, on which time does not go back; between
// tracks there is no order.
//
// Times are nanoseconds to those who read a trace. What they mean is the writer's
// affair: the simulator's traces have 1,000 of them a cycle.
package timeline
