package gpu

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
)

// checker verifies what the tags of Description cannot say. d has been bound
// from root, so both have the same shape.
type checker struct {
	d    *Description
	root *conf.Node
	errs *conf.ErrorList
}

func validate(d *Description, root *conf.Node, errs *conf.ErrorList) {
	c := checker{d, root, errs}
	c.sizes()
	c.queue()
	c.unitNames()
	c.rules()
	c.pipeline()
	c.frontEnd()
	c.caches()
	c.cpus()
}

// pos is the place of the value at a path, or of the innermost part of the path
// that the file has.
func (c *checker) pos(path ...any) conf.Pos {
	n := c.root
	for _, step := range path {
		var next *conf.Node
		switch step := step.(type) {
		case string:
			next = n.Get(step)
		case int:
			next = n.Items[step]
		}
		if next == nil {
			break
		}
		n = next
	}
	return n.Pos
}

func (c *checker) sizes() {
	sm := &c.d.SM
	if most := sm.MaxWarps * int64(sm.WarpSize); sm.MaxThreads > most {
		c.errs.Addf(c.pos("sm", "max_threads"), "sm.max_threads is %d, expected at most max_warps x warp_size = %d", sm.MaxThreads, most)
	}
	if sm.MaxThreadsPerBlock > sm.MaxThreads {
		c.errs.Addf(c.pos("sm", "max_threads_per_block"), "sm.max_threads_per_block is %d, expected at most max_threads = %d", sm.MaxThreadsPerBlock, sm.MaxThreads)
	}
	if sm.SharedMemoryPerBlockBytes > sm.SharedMemoryBytes {
		c.errs.Addf(c.pos("sm", "shared_memory_per_block_bytes"), "sm.shared_memory_per_block_bytes is %d, expected at most shared_memory_bytes = %d", sm.SharedMemoryPerBlockBytes, sm.SharedMemoryBytes)
	}
	if sm.Registers%sm.RegisterPartitions != 0 {
		c.errs.Addf(c.pos("sm", "register_partitions"), "sm.register_partitions is %d, expected a divisor of registers = %d", sm.RegisterPartitions, sm.Registers)
	}
	if m := &c.d.Memory; m.SharedBanks&(m.SharedBanks-1) != 0 {
		c.errs.Addf(c.pos("memory", "shared_banks"), "memory.shared_banks is %d, expected a power of two", m.SharedBanks)
	}
	if m := &c.d.Memory; m.BankWordBytes&(m.BankWordBytes-1) != 0 {
		c.errs.Addf(c.pos("memory", "bank_word_bytes"), "memory.bank_word_bytes is %d, expected a power of two", m.BankWordBytes)
	}
	if m := &c.d.Memory; m.SegmentBytes&(m.SegmentBytes-1) != 0 {
		c.errs.Addf(c.pos("memory", "segment_bytes"), "memory.segment_bytes is %d, expected a power of two", m.SegmentBytes)
	}
}

func (c *checker) queue() {
	q := &c.d.Queue
	sized := q.Kind == "slots" || q.Kind == "pooled"
	if sized && q.Slots == 0 {
		c.errs.Addf(c.pos("queue"), "no key \"slots\" in queue, expected one for kind = %q", q.Kind)
	}
	if !sized && q.Slots != 0 {
		c.errs.Addf(c.pos("queue", "slots"), "queue.slots is %d, expected none for kind = %q", q.Slots, q.Kind)
	}
	if q.Order == "fifo" && !q.KeepsWarpOrder {
		c.errs.Addf(c.pos("queue", "keeps_warp_order"), "queue.keeps_warp_order is false, expected true for order = \"fifo\"")
	}
}

// pipeline checks that the units it names exist and that a collector serves
// every unit.
func (c *checker) pipeline() {
	p := c.d.Pipeline
	if p == nil {
		if c.d.Model == "pipeline" {
			c.errs.Addf(c.pos("model"), "model is \"pipeline\" but there is no [pipeline], expected the table or model = \"abstract\"")
		}
		return
	}
	units := c.d.unitNames()
	if !slices.Contains(units, p.LoadStoreUnit) {
		c.errs.Addf(c.pos("pipeline", "load_store_unit"), "pipeline.load_store_unit is %q, %s", p.LoadStoreUnit, conf.Suggest(p.LoadStoreUnit, units))
	}
	for i := range p.CollectorPools {
		for j, name := range p.CollectorPools[i].Units {
			if name != "*" && !slices.Contains(units, name) {
				c.errs.Addf(c.pos("pipeline", "collector_pools", i, "units", j), "unit %q, %s", name, conf.Suggest(name, units))
			}
		}
	}
	for _, name := range units {
		if !slices.ContainsFunc(p.CollectorPools, func(pool CollectorPool) bool { return pool.Serves(name) }) {
			c.errs.Addf(c.pos("pipeline", "collector_pools"), "no collector pool serves unit %q, expected one", name)
		}
	}
}

func (d *Description) unitNames() []string {
	names := make([]string, len(d.Units))
	for i, u := range d.Units {
		names[i] = u.Name
	}
	return names
}

var unitName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func (c *checker) unitNames() {
	if len(c.d.Units) == 0 {
		c.errs.Addf(c.pos("units"), "units is empty, expected at least one")
	}
	for i, u := range c.d.Units {
		pos := c.pos("units", i, "name")
		if !unitName.MatchString(u.Name) {
			c.errs.Addf(pos, "unit name %q, expected letters, digits, - and _, a letter first", u.Name)
		}
		if slices.ContainsFunc(c.d.Units[:i], func(o Unit) bool { return o.Name == u.Name }) {
			c.errs.Addf(pos, "a second unit %q, expected another name", u.Name)
		}
	}
}

func (c *checker) rules() {
	units := c.d.unitNames()
	names := map[string]bool{}
	writtenIn := map[string]string{} // class and file to the rule
	ok := true
	for i := range c.d.Timing {
		r := &c.d.Timing[i]
		at := func(keys ...any) conf.Pos { return c.pos(append([]any{"timing", i}, keys...)...) }
		where := "timing." + r.label(i)
		if r.Name != "" && (!unitName.MatchString(r.Name) || names[r.Name]) {
			c.errs.Addf(at("name"), "rule name %q, expected a unique name of letters, digits, - and _, a letter first", r.Name)
		}
		names[r.Name] = true
		if !slices.Contains(units, r.Unit) {
			c.errs.Addf(at("unit"), "%s.unit is %q, %s", where, r.Unit, conf.Suggest(r.Unit, units))
		}
		if repeats := r.Transactions == "banks" || r.Transactions == "segments"; repeats && r.TransactionCycles == 0 {
			c.errs.Addf(at(), "no key \"transaction_cycles\" in %s, expected one for transactions = %q", where, r.Transactions)
		} else if !repeats && r.TransactionCycles != 0 {
			c.errs.Addf(at("transaction_cycles"), "%s.transaction_cycles is %d, expected none without transactions", where, r.TransactionCycles)
		}
		if len(r.Classes) == 0 {
			c.errs.Addf(at("classes"), "%s.classes is empty, expected at least one class", where)
		}
		for j, class := range r.Classes {
			pos := at("classes", j)
			if _, err := parsePattern(class); err != nil {
				c.errs.Addf(pos, "%s: %v", where, err)
				ok = false
			}
			key := pos.File + "\x00" + class
			if other, twice := writtenIn[key]; twice {
				c.errs.Addf(pos, "class %q is in %s already, expected it once in a file", class, other)
			}
			writtenIn[key] = where
		}
	}
	if !ok {
		return
	}
	table := compileRules(c.d.Timing)
	c.notIssued(table)
	if missing := uncovered(table); len(missing) > 0 {
		shown := missing[:min(len(missing), 5)]
		more := ""
		if len(missing) > len(shown) {
			more = fmt.Sprintf(" and %d more", len(missing)-len(shown))
		}
		c.errs.Addf(c.pos("timing"), "no rule for %v%s, expected one for every class, such as a first rule for \"*\"", shown, more)
	}
}

// notIssued holds rules that take no issue slot to instructions that do nothing
// to registers or memory: what costs nothing can be left out of every stream.
func (c *checker) notIssued(table ruleTable) {
	reported := map[int]bool{}
	forEachClass(func(class isa.Class) {
		i := int(table.rule[table.index(class)])
		if i < 0 || !c.d.Timing[i].NotIssued || reported[i] {
			return
		}
		switch class.Family {
		case isa.Nop, isa.ExitLanes, isa.ReturnFrom:
			return
		}
		reported[i] = true
		c.errs.Addf(c.pos("timing", i, "not_issued"), "timing.%s is not_issued and covers %s, expected only nop, exit and return", c.d.Timing[i].label(i), class)
	})
}

// label names a rule in messages and reports: its name, or else its index.
func (r *Rule) label(i int) string {
	if r.Name != "" {
		return r.Name
	}
	return strconv.Itoa(i)
}
