package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Format is what a certificate says that it is.
const Format = "warpbound-certificate/2"

// Certificate is a bound by the method sum with everything that it follows from. Ids are
// indices into the lists of the certificate, from 0.
type Certificate struct {
	Format string `json:"format"`
	MadeBy string `json:"made_by"` // version of warpbound
	Method string `json:"method"`

	Kernel Kernel `json:"kernel"`
	Launch *File  `json:"launch,omitempty"` // nil where a program stated the launch
	// FactsFile is the file of facts, where limits are of one.
	FactsFile *File `json:"facts_file,omitempty"`
	GPU       GPU   `json:"gpu"`

	Grid      [3]int64  `json:"grid"`
	Block     [3]int64  `json:"block"`
	Occupancy Occupancy `json:"occupancy"`

	// Registers are the names of those that instructions read and write, in the order of
	// the instructions: what one reads before what it writes, by name.
	Registers    []string      `json:"registers"`
	Instructions []Instruction `json:"instructions"`
	Symbols      []Symbol      `json:"symbols"`
	Limits       []Limit       `json:"limits"`
	Prices       []Prices      `json:"prices"` // the first has none
	Nodes        []Node        `json:"nodes"`  // parts before what contains them
	Vectors      []Vector      `json:"vectors"`
	Uses         []Use         `json:"uses"` // parts before what contains them
	Sections     []Section     `json:"sections"`
	Warps        []Warp        `json:"warps"`
	Stages       []Node        `json:"stages"` // runs are of sections; parts before what contains them
	Blocks       []BlockClass  `json:"blocks"`

	// AllInputs says that the paths are those of every input, rather than of one.
	AllInputs   bool         `json:"holds_for_all_inputs"`
	Facts       []string     `json:"facts"` // that the paths rely on, as the launch states them
	Assumptions []Assumption `json:"assumptions"`
	Result      Result       `json:"result"`
}

// File is a file by its name and the SHA-256 of its bytes, in hexadecimal.
type File struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Kernel is the file with the kernel's PTX, and its entry.
type Kernel struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Entry  string `json:"entry"`
}

// GPU is a description as TOML, complete: without a base, settings applied.
type GPU struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of Text
	Text   string `json:"text"`
}

// Occupancy is what a block takes of an SM, and how many blocks an SM holds.
type Occupancy struct {
	RegistersPerThread int64  `json:"registers_per_thread"` // 32-bit registers
	RegisterRule       string `json:"register_rule"`
	SharedBytes        int64  `json:"shared_bytes"` // of a block
	BlocksPerSM        int64  `json:"blocks_per_sm"`
}

// Instruction is one of the kernel's text, by where it begins.
type Instruction struct {
	Line   int64  `json:"line"`
	Column int64  `json:"column"`
	Opcode string `json:"opcode"`
}

// Symbol is an instruction with a number of memory transactions, and its timing: it
// keeps its unit for Initiation cycles and completes Latency cycles later.
type Symbol struct {
	Instruction  int64  `json:"instruction"`
	Transactions int64  `json:"transactions"` // 1 where they are not counted
	Unit         string `json:"unit"`
	Initiation   int64  `json:"initiation"`
	Latency      int64  `json:"latency"`
	// Back says that the warp goes back to the head of a loop by it.
	Back bool `json:"back,omitempty"`
}

// Limit is a fact of the launch: the sum of Factors times executions of Places, which are
// labels, is at most Most along any path of a warp. Of what Kind says "total", per thread,
// and "warp_total" the one place is the head of a loop, and symbols of it that go back
// there count; with "counts" all symbols do. With "exclusive" a path has no symbol of the
// first place, or none of the second.
type Limit struct {
	Kind    string   `json:"kind"`
	Places  []string `json:"places"`
	Factors []int64  `json:"factors,omitempty"` // of counts
	Most    int64    `json:"most,omitempty"`
}

// Prices are what symbols cost for each unit of their factors in limits: pairs of limit and
// price. The price of an exclusive pair is one of its first place.
type Prices [][2]int64

// Node is an expression: a set of sequences of symbols (docs/soundness/inputs.md,
// section 23).
type Node struct {
	Kind   string  `json:"kind"`             // run, concat, one, any, repeat or at-most
	Run    []int64 `json:"run,omitempty"`    // symbols
	Parts  []int64 `json:"parts,omitempty"`  // nodes
	Body   int64   `json:"body,omitempty"`   // node
	Count  int64   `json:"count,omitempty"`  // how often the body comes, or comes at most
	Reason string  `json:"reason,omitempty"` // for Count: executed, fork, closed or fact
}

// Vector is a normalised vector of times: pairs of a component and how much later it is
// than the earliest next issue. Component 1 is the latest completion; from 2 on there are
// units, when they are free, and behind them registers, when their values are there.
// Components left out are not later.
type Vector [][2]int64

// Use says that a node takes times that are at most Before, k cycles later, to times
// that are at most Behind, k + Weight cycles later, for every k, where each symbol takes
// times back by its prices. Parts are the uses that show it, under the same prices: none
// for a run; for a concat and one-of one of each part; for any-of up to four parts, for
// each set of them by its bits, one of each part in it, behind the others, and for more, as
// often as there are parts, one of each part; for loops those of Rounds. A part may be a
// use from other times than those at which it stands: these are at most so many cycles
// later.
type Use struct {
	Node   int64   `json:"node"`
	Prices int64   `json:"prices,omitempty"`
	Before int64   `json:"before"` // vector
	Behind int64   `json:"behind"` // vector
	Weight int64   `json:"weight"`
	Parts  []int64 `json:"parts,omitempty"`
	Rounds []Round `json:"rounds,omitempty"` // of a loop, in order
}

// Round is some iterations of a loop, Groups times. First are the uses of the body for
// the first group. Where a group moves some times farther than others, Last are those of
// the last group.
type Round struct {
	First  []int64 `json:"first"`
	Groups int64   `json:"groups"`
	Last   []int64 `json:"last,omitempty"`
}

// Section is what a warp executes between two barriers: a node, or -1 where it is empty.
// Each figure of it is the largest of one or two cases: all paths, or those without the
// first place of an exclusive pair and those without the second. Uses are those from the
// vector 0, which has no components, of each case. Charges are the cycles of initiation
// along any path, less the prices of symbols, by pairs of prices and cycles, one of each
// case: in all, and behind it on each unit that schedulers share, in their order.
type Section struct {
	Node    int64        `json:"node"`
	Uses    []int64      `json:"uses,omitempty"`
	Charges [][][2]int64 `json:"charges,omitempty"`
}

// Warp is what some warp executes.
type Warp struct {
	Sections []int64 `json:"sections"`
}

// Group is a number of warps of a block on one scheduler that execute alike.
type Group struct {
	Warp      int64 `json:"warp"`
	Scheduler int64 `json:"scheduler"`
	Count     int64 `json:"count"`
}

// BlockClass is a number of blocks with the same warps. Stages says in which order, and how
// often, their sections come; where it is nil, each comes once.
type BlockClass struct {
	Count  int64   `json:"count"`
	Groups []Group `json:"groups"`
	Stages *int64  `json:"stages,omitempty"`
}

// Assumption is an entry of the bound's ledger.
type Assumption struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Note   string `json:"note,omitempty"`
}

// Result is what follows. Blocks are by class: the longest isolated times of all sections
// added up, what all warps charge, and the bound of the block alone.
type Result struct {
	Blocks   []BlockResult `json:"blocks"`
	Block    int64         `json:"block_cycles"` // the slowest block alone
	Launch   int64         `json:"launch_cycles"`
	Theorems string        `json:"theorems"`
}

// BlockResult are the figures of a class of blocks, in cycles.
type BlockResult struct {
	Isolated int64 `json:"isolated_cycles"`
	Charge   int64 `json:"charge_cycles"`
	Bound    int64 `json:"bound_cycles"`
}

// Read decodes a certificate. A key that is not of the format is an error.
func Read(data []byte) (*Certificate, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	c := &Certificate{}
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("not a certificate: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("not a certificate: something follows it")
	}
	if c.Format != Format {
		return nil, fmt.Errorf("not a certificate: format %q, expected %q", c.Format, Format)
	}
	return c, nil
}

// Hash is how certificates name contents: SHA-256 in hexadecimal.
func Hash(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// Encode is the certificate as JSON, an element of a list a line.
func (c *Certificate) Encode() ([]byte, error) {
	var out bytes.Buffer
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		key, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if option == "omitempty" && v.Field(i).IsNil() {
			continue
		}
		fmt.Fprintf(&out, "%s\n%q: ", between(i, "{"), key)
		f := v.Field(i)
		if f.Kind() != reflect.Slice || f.Len() == 0 {
			if err := encode(&out, f.Interface()); err != nil {
				return nil, err
			}
			continue
		}
		for j := range f.Len() {
			out.WriteString(between(j, "[") + "\n")
			if err := encode(&out, f.Index(j).Interface()); err != nil {
				return nil, err
			}
		}
		out.WriteString("\n]")
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}

// between is what comes before element i of a list.
func between(i int, open string) string {
	if i == 0 {
		return open
	}
	return ","
}

// encode writes a value on the line.
func encode(out *bytes.Buffer, x any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the end of the line
	return nil
}
