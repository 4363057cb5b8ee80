package witness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// priced is prices of symbols. Those that were tried only have no pairs of limit and price.
type priced struct {
	of    []int64
	pairs certificate.Prices
}

// kindOf are the kinds of facts that limit sums, as certificates call them.
var kindOf = map[facts.Kind]string{facts.PerThread: "total", facts.PerWarp: "warp_total", facts.Counts: "counts", facts.Exclusive: "exclusive"}

// statement is a fact as the certificate states it; false where it cannot be, since the
// checker does not find a place, or does not read the file.
func (m *maker) statement(id int) (certificate.Limit, bool) {
	if id >= len(m.f.Source.Facts) {
		return certificate.Limit{}, false
	}
	f := &m.f.Source.Facts[id]
	l := certificate.Limit{Kind: kindOf[f.Kind], Most: f.Most}
	for i := range f.Places {
		p := &f.Places[i]
		if !m.label(p.Name) && (len(p.PCs) == 0 || !m.line(p)) {
			return l, false
		}
		l.Places = append(l.Places, p.Name)
		if f.Kind == facts.Counts {
			l.Factors = append(l.Factors, p.Factor)
		}
	}
	return l, len(f.Places) > 0 && filepath.Ext(f.Pos.File) != ".ff"
}

// label says that a place is the only label of the name.
func (m *maker) label(name string) bool {
	_, is := m.f.Program.Labels[name]
	_, twice := m.f.Program.Labels[name+"#2"]
	return is && !twice && !strings.Contains(name, "#")
}

// line says that a place is a line of the kernel's file, without directories, with one
// instruction.
func (m *maker) line(p *facts.Place) bool {
	var on []int32
	for pc := range m.f.Program.Instructions {
		if at := &m.f.Program.Instructions[pc].Pos; p.Name == fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line) {
			on = append(on, int32(pc))
		}
	}
	return len(on) == 1 && slices.Equal(p.PCs, on)
}

// stated are the limits that the certificate can state, nil for none.
func (m *maker) stated(of *choice.Limits) *choice.Limits {
	if of == nil {
		return nil
	}
	if out, ok := m.known[of]; ok {
		return out
	}
	out := &choice.Limits{}
	for i := range of.Limits {
		if _, ok := m.statement(of.Limits[i].ID); ok {
			out.Limits = append(out.Limits, of.Limits[i])
		}
	}
	for i := range of.Exclusions {
		if _, ok := m.statement(of.Exclusions[i].ID); ok {
			out.Exclusions = append(out.Exclusions, of.Exclusions[i])
		}
	}
	m.known[of] = out
	return out
}

// limit numbers the limit of a price.
func (m *maker) limit(p *choice.Price) int64 {
	var l certificate.Limit
	if p.Limit != nil {
		l, _ = m.statement(p.Limit.ID)
	} else if l, _ = m.statement(p.Exclusion.ID); p.Side == 1 {
		slices.Reverse(l.Places)
	}
	for i := range m.c.Limits {
		if reflect.DeepEqual(m.c.Limits[i], l) {
			return int64(i)
		}
	}
	m.c.Limits = append(m.c.Limits, l)
	return int64(len(m.c.Limits) - 1)
}

// newPrices numbers prices by a key.
func (m *maker) newPrices(kind byte, numbers []int64, make func() priced) int64 {
	m.key = append(m.key[:0], kind)
	for _, x := range numbers {
		m.key = binary.AppendVarint(m.key, x)
	}
	key := string(m.key)
	id, ok := m.prices[key]
	if !ok {
		id = int64(len(m.priced))
		m.prices[key] = id
		m.priced = append(m.priced, make())
	}
	return id
}

// tried numbers prices of symbols, nil for none.
func (m *maker) tried(price []int64) int64 {
	if price == nil {
		return 0
	}
	return m.newPrices('t', price, func() priced { return priced{of: slices.Clone(price)} })
}

// pricesOf numbers the prices of a case.
func (m *maker) pricesOf(c choice.Case) int64 {
	out := priced{of: make([]int64, len(m.ops))}
	var key []int64
	for i := range c {
		p := &c[i]
		x := [2]int64{m.limit(p), p.Each}
		out.pairs, key = append(out.pairs, x), append(key, x[0], x[1])
		for s := range out.of {
			switch {
			case p.Limit != nil:
				out.of[s] += p.Each * p.Limit.Factor[s]
			case [][]bool{p.Exclusion.A, p.Exclusion.B}[p.Side][s]:
				out.of[s] += p.Each
			}
		}
	}
	return m.newPrices('p', key, func() priced { return out })
}

// figures fills in what a section takes and charges.
func (m *maker) figures(s *certificate.Section, e *choice.Expr, limits *choice.Limits) error {
	s.Node = m.node(e)
	_, cases, err := limits.Under(e, choice.Values{
		Of: func(price []int64) (int64, error) {
			use, err := m.use(s.Node, 0, m.tried(price))
			switch {
			case errors.Is(err, bound.ErrOverflow) && price != nil:
				return 0, choice.ErrOverflow
			case err != nil:
				return 0, err
			}
			behind := m.behind(use, 0)
			return behind.at + m.dense[behind.vector][end], nil
		},
		Run: m.again,
	})
	if err != nil {
		return err
	}
	for _, c := range cases {
		use, err := m.use(s.Node, 0, m.pricesOf(c))
		if err != nil {
			return err
		}
		s.Uses = append(s.Uses, use)
	}
	over := []func(o *op) bool{func(*op) bool { return true }}
	for i, u := range m.f.Machine.Units {
		if u.Shared && m.f.Machine.Desc.SM.Schedulers > 1 {
			over = append(over, func(o *op) bool { return o.unit == units+i })
		}
	}
	for _, of := range over {
		cases, err := m.charge(e, limits, of)
		if err != nil {
			return err
		}
		s.Charges = append(s.Charges, cases)
	}
	return nil
}

// again is how much later a Run ends that is executed behind itself.
func (m *maker) again(run *choice.Expr) int64 {
	v := m.times(state{})
	var ends [2]int64
	for i := range ends {
		for _, s := range run.Run() {
			m.step(&m.ops[s], v)
		}
		ends[i] = v[end]
	}
	return ends[1] - ends[0]
}

// charge is the largest sum of initiations of some symbols along any path, by cases.
func (m *maker) charge(e *choice.Expr, limits *choice.Limits, of func(o *op) bool) ([][2]int64, error) {
	weight := func(s int32) int64 {
		if o := &m.ops[s]; of(o) {
			return o.init
		}
		return 0
	}
	_, cases, err := e.Cases(limits, weight)
	if err != nil {
		return nil, err
	}
	var out [][2]int64
	for _, c := range cases {
		id := m.pricesOf(c)
		most, err := e.MaxWeight(func(s int32) int64 { return weight(s) - m.priced[id].of[s] })
		if err != nil {
			return nil, err
		}
		out = append(out, [2]int64{id, most})
	}
	return out, nil
}

// keepPrices returns what numbers the prices that are kept, and their limits, anew.
func (m *maker) keepPrices() func(id *int64) {
	limits := m.c.Limits
	m.c.Limits, m.c.Prices = []certificate.Limit{}, []certificate.Prices{{}}
	number, limit := map[int64]int64{0: 0}, map[int64]int64{}
	return func(id *int64) {
		if _, ok := number[*id]; !ok {
			var out certificate.Prices
			for _, x := range m.priced[*id].pairs {
				if _, ok := limit[x[0]]; !ok {
					limit[x[0]] = int64(len(m.c.Limits))
					m.c.Limits = append(m.c.Limits, limits[x[0]])
				}
				out = append(out, [2]int64{limit[x[0]], x[1]})
			}
			number[*id] = int64(len(m.c.Prices))
			m.c.Prices = append(m.c.Prices, out)
		}
		*id = number[*id]
	}
}
