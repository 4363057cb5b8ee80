package guard

import "fmt"

// A Kind says who may use memory, and what is going on at the GPU.
type Kind uint8

const (
	// Idle: no offload, memory belongs to the CPU.
	Idle Kind = iota
	// Launch: the offload is under way, the CPU is throttled so that nothing
	// delays the offloading task.
	Launch
	// Memory: the GPU loads or stores a tile and owns memory.
	Memory
	// Compute: the GPU works on its scratchpad, memory belongs to the CPU.
	Compute
	// Join: the kernel has left its last phase, the CPU is throttled until the
	// offloading task has seen that.
	Join
	// Abort: the guard has been closed, nothing is protected any more and a
	// device that waits must stop.
	Abort
	kinds
)

var kindNames = [kinds]string{"idle", "launch", "memory", "compute", "join", "abort"}

// String returns the name of k in lower case.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// throttled tells whether the throttle threads hold the cores under k.
func (k Kind) throttled() bool { return k == Launch || k == Memory || k == Join }

const (
	kindBits = 3
	kindMask = 1<<kindBits - 1
	seqMask  = 1<<(32-kindBits) - 1
)

// A Word is what either side writes into shared memory: a sequence number of 29
// bits, which wraps, above a [Kind] of 3 bits. The CPU publishes the phase that
// it has granted, the GPU the phase that it asks for; a request is for the
// sequence number after that of the grant. Numbers are never reused within
// 2^29 phases, so neither side can take a word of an earlier phase, or of an
// earlier offload, for a new one.
type Word uint32

// MakeWord returns the word of phase seq (its low 29 bits) and kind k.
func MakeWord(seq uint32, k Kind) Word { return Word(seq<<kindBits | uint32(k)&kindMask) }

// Seq returns the sequence number of w.
func (w Word) Seq() uint32 { return uint32(w) >> kindBits }

// Kind returns the kind of w; it may be none of the constants when w comes from
// memory that somebody else has written.
func (w Word) Kind() Kind { return Kind(w & kindMask) }

// next returns the word of kind k that follows w.
func (w Word) next(k Kind) Word { return MakeWord((w.Seq()+1)&seqMask, k) }

// String returns the word as "number kind".
func (w Word) String() string { return fmt.Sprintf("%d %v", w.Seq(), w.Kind()) }
