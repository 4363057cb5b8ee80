package conf

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// MaxBytes is the size of the largest file that Parse reads. Finding duplicate
// keys takes time that grows with the square of their number; this keeps the
// worst file at a second or two.
const MaxBytes = 1 << 18

// maxDepth bounds the nesting of arrays and inline tables.
const maxDepth = 32

// Kind is the type of a value.
type Kind uint8

// The kinds of values.
const (
	Table Kind = iota
	Array
	String
	Integer
	Float
	Bool
	Time // dates and times, which no file of ours uses
)

// String names the kind with its article, as messages need it.
func (k Kind) String() string {
	return [...]string{"a table", "an array", "a string", "an integer", "a float", "a boolean", "a date or time"}[k]
}

// Node is a value with its place in the file.
type Node struct {
	Pos     Pos
	Kind    Kind
	Text    string  // a string's value; of other scalars what the file says
	Items   []*Node // of an array
	Entries []Entry // of a table, in the order of the file
}

// Entry is one key of a table.
type Entry struct {
	Key   string
	Pos   Pos // of the key
	Value *Node
}

// Get returns the value of a key, nil where n lacks it or is no table.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return n.Entries[i].Value
		}
	}
	return nil
}

// Set replaces the value of a key, and where the key stands, or appends it.
func (n *Node) Set(e Entry) {
	for i := range n.Entries {
		if n.Entries[i].Key == e.Key {
			n.Entries[i] = e
			return
		}
	}
	n.Entries = append(n.Entries, e)
}

// Clone copies a tree.
func (n *Node) Clone() *Node {
	c := *n
	c.Items, c.Entries = slices.Clone(n.Items), slices.Clone(n.Entries)
	for i, item := range c.Items {
		c.Items[i] = item.Clone()
	}
	for i := range c.Entries {
		c.Entries[i].Value = c.Entries[i].Value.Clone()
	}
	return &c
}

// Int returns an integer that fits int64.
func (n *Node) Int() (int64, error) {
	if n.Kind != Integer {
		return 0, fmt.Errorf("%s, expected an integer", n.Kind)
	}
	v, err := strconv.ParseInt(integerText(n.Text), 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s, expected an integer of at most 64 bits", n.Text)
	}
	return v, nil
}

// Uint returns a non-negative integer that fits uint64. TOML itself promises
// only 63 bits; the files of this project may use all 64.
func (n *Node) Uint() (uint64, error) {
	if n.Kind != Integer {
		return 0, fmt.Errorf("%s, expected an integer", n.Kind)
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(integerText(n.Text), "+"), 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s, expected a non-negative integer of at most 64 bits", n.Text)
	}
	return v, nil
}

func integerText(s string) string { return strings.ReplaceAll(s, "_", "") }

// Describe says what a value is, for messages: its kind, and of scalars the text.
func (n *Node) Describe() string {
	switch n.Kind {
	case Table, Array:
		return n.Kind.String()
	case String:
		return strconv.Quote(n.Text)
	}
	return n.Text
}

// Parse reads TOML text. The file name is used in positions only. An error is
// an ErrorList.
func Parse(file string, data []byte) (*Node, error) {
	var errs ErrorList
	if len(data) > MaxBytes {
		errs.Addf(Pos{File: file}, "%d bytes, expected at most %d", len(data), MaxBytes)
		return nil, errs
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		errs.Addf(Pos{File: file}, "UTF-16, expected UTF-8")
		return nil, errs
	}
	// Some editors put a byte order mark first. Columns count from behind it, as
	// editors show them.
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	// Decoding into nothing makes the library check what its raw parser leaves
	// open: duplicate keys and tables.
	var nothing struct{}
	if err := toml.Unmarshal(data, &nothing); err != nil {
		pos := Pos{File: file}
		var de *toml.DecodeError
		if errors.As(err, &de) {
			pos.Line, pos.Col = de.Position()
		}
		errs.Addf(pos, "%s", strings.TrimPrefix(err.Error(), "toml: "))
		return nil, errs
	}
	b := builder{file: file, lines: lineStarts(data), errs: &errs}
	root := &Node{Pos: Pos{File: file, Line: 1, Col: 1}, Kind: Table}
	b.parser.Reset(data)
	current := root
	for b.parser.NextExpression() {
		switch e := b.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			current = b.header(root, e)
		case unstable.KeyValue:
			b.keyValue(current, e, 0)
		}
	}
	if err := b.parser.Error(); err != nil {
		errs.Addf(Pos{File: file}, "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return root, errs.Err()
}

// builder turns the library's expressions into a tree.
type builder struct {
	file   string
	lines  []int // offset of the first byte of each line
	parser unstable.Parser
	errs   *ErrorList
}

func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (b *builder) pos(n *unstable.Node) Pos {
	offset := int(n.Raw.Offset)
	line, exact := slices.BinarySearch(b.lines, offset)
	if exact {
		line++
	}
	return Pos{File: b.file, Line: line, Col: offset - b.lines[line-1] + 1}
}

// header returns the table that a [header] or [[header]] opens.
func (b *builder) header(root *Node, e *unstable.Node) *Node {
	t := root
	it := e.Key()
	for it.Next() {
		key := it.Node()
		if e.Kind == unstable.ArrayTable && it.IsLast() {
			list := b.child(t, key, Array)
			item := &Node{Pos: b.pos(key), Kind: Table}
			list.Items = append(list.Items, item)
			return item
		}
		t = b.child(t, key, Table)
		if t.Kind == Array && len(t.Items) > 0 {
			t = t.Items[len(t.Items)-1]
		}
	}
	return t
}

// child returns the value of a key and creates it where there is none.
func (b *builder) child(t *Node, key *unstable.Node, kind Kind) *Node {
	if v := t.Get(string(key.Data)); v != nil {
		return v
	}
	v := &Node{Pos: b.pos(key), Kind: kind}
	t.Entries = append(t.Entries, Entry{Key: string(key.Data), Pos: v.Pos, Value: v})
	return v
}

func (b *builder) keyValue(t *Node, e *unstable.Node, depth int) {
	it := e.Key()
	for it.Next() {
		key := it.Node()
		if !it.IsLast() {
			t = b.child(t, key, Table)
			continue
		}
		v := b.value(e.Value(), b.pos(key), depth)
		t.Entries = append(t.Entries, Entry{Key: string(key.Data), Pos: b.pos(key), Value: v})
	}
}

// value converts a value; at is the place of its key, used for arrays, whose
// own place the library does not record.
func (b *builder) value(n *unstable.Node, at Pos, depth int) *Node {
	v := &Node{Pos: at}
	if depth > maxDepth {
		b.errs.Addf(at, "values nested deeper than %d, expected a plain value", maxDepth)
		return v
	}
	switch n.Kind {
	case unstable.Array:
		v.Kind = Array
		it := n.Children()
		for it.Next() {
			v.Items = append(v.Items, b.value(it.Node(), at, depth+1))
		}
		return v
	case unstable.InlineTable:
		v.Kind, v.Pos = Table, b.pos(n)
		it := n.Children()
		for it.Next() {
			b.keyValue(v, it.Node(), depth+1)
		}
		return v
	case unstable.String:
		v.Kind = String
	case unstable.Integer:
		v.Kind = Integer
	case unstable.Float:
		v.Kind = Float
	case unstable.Bool:
		v.Kind = Bool
	default:
		v.Kind = Time
	}
	v.Pos, v.Text = b.pos(n), string(n.Data)
	return v
}
