package cache

// Kind is what an access does.
type Kind uint8

const (
	Load Kind = iota
	Store
)

// String is "L" or "S", as in the listings of Huangfu2017.
func (k Kind) String() string {
	if k == Store {
		return "S"
	}
	return "L"
}

// Result is what one access met and did.
type Result struct {
	Outcome
	Victim uint64 // byte address of the line that was evicted
}

// Outcome is the yes and no of a Result: a struct of its own because the compiler
// keeps structs of up to four fields in registers.
type Outcome struct {
	Hit        bool // the line was here, and the sector in it
	SectorMiss bool // the line was here, the sector was not
	Evicted    bool // the line at Victim made room for this one
	WroteBack  bool // the victim was dirty
}

// noLine is the tag of an empty way. No line has this number, because a line has
// at least four bytes.
const noLine = ^uint64(0)

// scanWays is the largest number of ways that are searched one after the other;
// beyond it a table finds the line.
const scanWays = 16

// Cache is one cache. A slot is a way of a set: set x Ways + way.
type Cache struct {
	cfg         Config
	ways        int
	lineShift   uint
	sectorShift uint
	sectorMask  uint64 // sectors of a line, less 1
	setMask     uint64

	tags  []uint64 // by slot: line number or noLine
	valid []uint32 // by slot: bit s: sector s is here; kept only if there are sectors
	dirty []uint32 // by slot: bit s: sector s is dirty; kept only for write-back
	order recency  // LRU, FIFO
	tree  trees    // PLRU
	where table    // more than scanWays ways
}

// New is an empty cache.
func New(c Config) (*Cache, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	n := c.Sets * c.Ways
	m := &Cache{
		cfg:         c,
		ways:        c.Ways,
		lineShift:   log2(c.LineBytes),
		sectorShift: log2(c.SectorBytes),
		sectorMask:  uint64(c.LineBytes/c.SectorBytes - 1),
		setMask:     uint64(c.Sets - 1),
		tags:        make([]uint64, n),
	}
	if m.sectorMask > 0 {
		m.valid = make([]uint32, n)
	}
	if c.WriteBack {
		m.dirty = make([]uint32, n)
	}
	if c.Replacement == PLRU {
		m.tree = newTrees(c.Sets, c.Ways)
	} else {
		m.order = newRecency(c.Sets, c.Ways)
	}
	if c.Ways > scanWays {
		m.where = newTable(n)
	}
	m.Reset()
	return m, nil
}

// Config is the configuration that the cache was made with.
func (c *Cache) Config() Config { return c.cfg }

// Reset empties the cache; nothing is written back.
func (c *Cache) Reset() {
	for i := range c.tags {
		c.tags[i] = noLine
	}
	c.tree.reset()
	c.order.reset()
	c.where.reset()
}

// Lookup says whether a load at addr would hit. Nothing changes.
func (c *Cache) Lookup(addr uint64) bool {
	line := addr >> (c.lineShift & 63)
	slot := c.find(line, c.set(line))
	return slot >= 0 && (c.sectorMask == 0 || c.valid[slot]&c.sector(addr) != 0)
}

// Access is one access to the sector that holds the byte at addr. It changes the
// tags at once: on a miss that allocates, the line is here when Access returns.
//
// A use, for LRU and PLRU, is a load, a store that hits and stays, or a store that
// allocates. A store that misses its sector and does not allocate is no use of the
// line. A store that removes the line reports no victim.
func (c *Cache) Access(addr uint64, k Kind) Result {
	line := addr >> (c.lineShift & 63)
	set := c.set(line)
	slot := c.find(line, set)
	if slot < 0 {
		if k == Store && !c.cfg.WriteAllocate {
			return Result{}
		}
		return c.fill(addr, line, set, k)
	}
	var r Result
	r.Hit = true
	if c.sectorMask > 0 {
		if bit := c.sector(addr); c.valid[slot]&bit == 0 {
			r.Hit, r.SectorMiss = false, true
			if k == Store && !c.cfg.WriteAllocate && !c.cfg.WriteEvict {
				return r
			}
			c.valid[slot] |= bit
		}
	}
	if k == Store {
		if c.cfg.WriteEvict {
			c.remove(line, set, slot)
			return r
		}
		if c.cfg.WriteBack {
			c.dirty[slot] |= c.sector(addr)
		}
	}
	switch c.cfg.Replacement {
	case LRU:
		c.order.touch(set, slot-set*c.ways)
	case PLRU:
		c.tree.touch(set, slot-set*c.ways)
	}
	return r
}

// Count is a row of accesses, one after the other, that adds to counts.
func (c *Cache) Count(addrs []uint64, k Kind, counts *Counts) {
	var hits, sectorMisses int64
	for _, addr := range addrs {
		r := c.Access(addr, k).Outcome
		hits += one(r.Hit)
		sectorMisses += one(r.SectorMiss)
	}
	t := &counts.Loads
	if k == Store {
		t = &counts.Stores
	}
	t.Accesses += int64(len(addrs))
	t.Hits += hits
	t.SectorMisses += sectorMisses
}

// fill brings the line in, in place of the line that the policy picks.
func (c *Cache) fill(addr, line uint64, set int, k Kind) Result {
	var way int
	if c.cfg.Replacement == PLRU {
		way = c.tree.fill(set)
	} else {
		way = c.order.fill(set)
	}
	slot := set*c.ways + way
	var r Result
	if old := c.tags[slot]; old != noLine {
		r.Evicted = true
		r.Victim = old << (c.lineShift & 63)
		r.WroteBack = c.cfg.WriteBack && c.dirty[slot] != 0
		if c.ways > scanWays {
			c.where.remove(old)
		}
	}
	c.tags[slot] = line
	if c.ways > scanWays {
		c.where.add(line, slot)
	}
	if c.sectorMask > 0 {
		c.valid[slot] = c.sector(addr)
	}
	if c.cfg.WriteBack {
		c.dirty[slot] = 0
		if k == Store {
			c.dirty[slot] = c.sector(addr)
		}
	}
	return r
}

// remove empties a slot.
func (c *Cache) remove(line uint64, set, slot int) {
	c.tags[slot] = noLine
	if c.ways > scanWays {
		c.where.remove(line)
	}
	if c.cfg.Replacement == PLRU {
		c.tree.free(set, slot-set*c.ways)
	} else {
		c.order.free(set, slot-set*c.ways)
	}
}

// find is the slot of a line, -1 if it is not here.
func (c *Cache) find(line uint64, set int) int {
	if c.ways > scanWays {
		return c.where.find(line)
	}
	base := set * c.ways
	for i, t := range c.tags[base : base+c.ways] {
		if t == line {
			return base + i
		}
	}
	return -1
}

func (c *Cache) set(line uint64) int {
	if c.cfg.Index == FermiHash {
		return int(fermiHash(line, c.setMask+1))
	}
	return int(line & c.setMask)
}

// sector is the bit of the sector that holds the byte at addr.
func (c *Cache) sector(addr uint64) uint32 {
	return 1 << (addr >> (c.sectorShift & 63) & c.sectorMask)
}
