package guard

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// The layout of a [Token] in 32-bit words. Request and grant lie 128 bytes
// apart from each other and from the header, so that neither side's polling
// takes the line that the other writes. Byte order is that of the machine.
const (
	// MagicWord holds Magic, VersionWord holds Version.
	MagicWord, VersionWord = 0, 1
	// RequestWord is written by the GPU alone.
	RequestWord = 32
	// GrantWord is written by the CPU alone.
	GrantWord = 64
	// TokenWords is the length; TokenBytes the same in bytes.
	TokenWords = 96
	TokenBytes = 4 * TokenWords

	// Magic marks memory that holds a token.
	Magic = 0x57425447
	// Version is that of the layout and of [Word].
	Version = 1
)

// ErrToken is wrapped by the error for memory that cannot hold, or does not
// hold, a token.
var ErrToken = errors.New("guard: not a token")

// A Token is the memory that both sides see. All access is atomic.
type Token struct {
	words []uint32
	unmap func() error
}

// NewToken sets up a token in words: a view of memory that the GPU can reach
// (mapped host memory of the CUDA or OpenCL runtime), or for a simulated device
// any slice. A token that is there already keeps its numbers, so that a new
// guard continues where the previous one stopped.
func NewToken(words []uint32) (*Token, error) {
	t, err := view(words)
	if err != nil {
		return nil, err
	}
	if t.valid() == nil {
		return t, nil
	}
	atomic.StoreUint32(&words[RequestWord], 0)
	atomic.StoreUint32(&words[GrantWord], 0)
	atomic.StoreUint32(&words[VersionWord], Version)
	atomic.StoreUint32(&words[MagicWord], Magic)
	return t, nil
}

// OpenToken returns the token that somebody else has set up in words.
func OpenToken(words []uint32) (*Token, error) {
	t, err := view(words)
	if err != nil {
		return nil, err
	}
	return t, t.valid()
}

func view(words []uint32) (*Token, error) {
	if len(words) < TokenWords {
		return nil, fmt.Errorf("%w: %d words, want %d", ErrToken, len(words), TokenWords)
	}
	return &Token{words: words[:TokenWords:TokenWords]}, nil
}

func (t *Token) valid() error {
	magic, version := atomic.LoadUint32(&t.words[MagicWord]), atomic.LoadUint32(&t.words[VersionWord])
	if magic != Magic {
		return fmt.Errorf("%w: word %d is %#x, want %#x", ErrToken, MagicWord, magic, uint32(Magic))
	}
	if version != Version {
		return fmt.Errorf("%w: layout version %d, want %d", ErrToken, version, Version)
	}
	return nil
}

// Request returns what the GPU asks for.
func (t *Token) Request() Word { return Word(atomic.LoadUint32(&t.words[RequestWord])) }

// SetRequest is the GPU's write.
func (t *Token) SetRequest(w Word) { atomic.StoreUint32(&t.words[RequestWord], uint32(w)) }

// Granted returns what the CPU has granted last.
func (t *Token) Granted() Word { return Word(atomic.LoadUint32(&t.words[GrantWord])) }

// setGranted is the CPU's write.
func (t *Token) setGranted(w Word) { atomic.StoreUint32(&t.words[GrantWord], uint32(w)) }

// Close unmaps the memory of a token made by [MapToken]; of others it only
// drops the reference. The token must not be used after that.
func (t *Token) Close() error {
	t.words = nil
	if t.unmap == nil {
		return nil
	}
	unmap := t.unmap
	t.unmap = nil
	return unmap()
}
