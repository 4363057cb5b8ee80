package cache

import "fmt"

// Sweep counts for many configurations in one pass over the accesses. Those that
// differ in nothing but the ways share a Stack where there is one; the others run
// side by side.
type Sweep struct {
	stacks []*Stack
	caches []*Cache
	counts []Counts // of caches
	of     []source // by configuration
}

// source says where a configuration is counted: stacks[stack] at its ways, or
// caches[cache] if stack is negative.
type source struct{ stack, cache, ways int }

// NewSweep prepares the configurations. An error wraps ErrConfig and names the
// configuration by its number, from 0.
func NewSweep(configs []Config) (*Sweep, error) {
	s := &Sweep{of: make([]source, len(configs))}
	most := map[Config]int{} // ways, by the configuration with Ways = 0
	many := map[Config]bool{}
	for i, c := range configs {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("configuration %d: %w", i, err)
		}
		g := group(c)
		many[g] = most[g] > 0
		most[g] = max(most[g], c.Ways)
	}
	at := map[Config]int{}
	for i, c := range configs {
		g := group(c)
		if !stackable(c) || !many[g] {
			m, err := New(c)
			if err != nil {
				return nil, fmt.Errorf("configuration %d: %w", i, err)
			}
			s.of[i] = source{stack: -1, cache: len(s.caches)}
			s.caches = append(s.caches, m)
			continue
		}
		j, ok := at[g]
		if !ok {
			j = len(s.stacks)
			at[g] = j
			g.Ways = most[g]
			st, err := NewStack(g)
			if err != nil {
				return nil, fmt.Errorf("configuration %d: %w", i, err)
			}
			s.stacks = append(s.stacks, st)
		}
		s.of[i] = source{stack: j, ways: c.Ways}
	}
	s.counts = make([]Counts, len(s.caches))
	return s, nil
}

func group(c Config) Config {
	c.Ways = 0
	return c
}

// Access is one access, in all configurations.
func (s *Sweep) Access(addr uint64, k Kind) {
	for _, st := range s.stacks {
		st.Access(addr, k)
	}
	for i, m := range s.caches {
		s.counts[i].Add(k, m.Access(addr, k))
	}
}

// Counts is what the configuration of that number, from 0, has counted so far.
func (s *Sweep) Counts(i int) (Counts, error) {
	if i < 0 || i >= len(s.of) {
		return Counts{}, fmt.Errorf("%w: no configuration %d in a sweep of %d", ErrConfig, i, len(s.of))
	}
	if o := s.of[i]; o.stack >= 0 {
		return s.stacks[o.stack].Counts(o.ways)
	}
	return s.counts[s.of[i].cache], nil
}
