package report

// cacheColumn is a column of configurations.
type cacheColumn = Of[CacheConfiguration]

// ratesSheet has a row a configuration: what is known without simulation.
func (d *CacheDocument) ratesSheet() *Sheet {
	return NewSheet("caches[]", d.Caches, append(sizeColumns(),
		cacheColumn{Column{ID: "sets", Heading: "sets", Unit: "sets", Type: Integer}, func(c *CacheConfiguration) any { return int64(c.Sets) }},
		cacheColumn{Column{ID: "replacement", Heading: "policy"}, func(c *CacheConfiguration) any { return c.Replacement }},
		cacheColumn{Column{ID: "index", Heading: "index"}, func(c *CacheConfiguration) any { return c.Index }},
		cacheColumn{Column{ID: "requests", JSON: "estimated.both.requests", Heading: "requests", Unit: "requests", Type: Amount}, func(c *CacheConfiguration) any { return c.Estimated.Both.Requests }},
		cacheColumn{Column{ID: "load_miss_rate", JSON: "estimated.loads.miss_rate", Heading: "load misses", Unit: "ratio", Type: Share}, func(c *CacheConfiguration) any { return maybe(c.Estimated.Loads.MissRate) }},
		cacheColumn{Column{ID: "store_miss_rate", JSON: "estimated.stores.miss_rate", Heading: "store misses", Unit: "ratio", Type: Share}, func(c *CacheConfiguration) any { return maybe(c.Estimated.Stores.MissRate) }},
		cacheColumn{Column{ID: "misses", JSON: "estimated.both.misses", Heading: "misses", Unit: "requests", Type: Amount}, func(c *CacheConfiguration) any { return c.Estimated.Both.Misses }},
		cacheColumn{Column{ID: "miss_rate", JSON: "estimated.both.miss_rate", Heading: "miss rate", Unit: "ratio", Type: Share}, func(c *CacheConfiguration) any { return maybe(c.Estimated.Both.MissRate) }},
		cacheColumn{Column{ID: "least_misses", JSON: "any_order.least_misses", Heading: "any order: least", Unit: "requests", Type: Amount}, func(c *CacheConfiguration) any { return c.AnyOrder.LeastMisses }},
		cacheColumn{Column{ID: "most_misses", JSON: "any_order.most_misses", Heading: "most", Unit: "requests", Type: Amount}, func(c *CacheConfiguration) any { return c.AnyOrder.MostMisses }},
	))
}

// sizeColumns name a configuration.
func sizeColumns() []cacheColumn {
	return []cacheColumn{
		{Column{ID: "size_kb", Heading: "size (kB)"}, func(c *CacheConfiguration) any { return kilobytes(c.SizeBytes) }},
		{Column{ID: "ways", Heading: "ways", Unit: "ways", Type: Integer}, func(c *CacheConfiguration) any { return int64(c.Ways) }},
	}
}

// simulationSheet has a row a simulated configuration: the simulations beside the
// estimate.
func (d *CacheDocument) simulationSheet() *Sheet {
	var rows []CacheConfiguration
	for i := range d.Caches {
		if d.Caches[i].Reordered != nil {
			rows = append(rows, d.Caches[i])
		}
	}
	columns := append(sizeColumns(), cacheColumn{
		Column{ID: "estimated_miss_rate", JSON: "estimated.both.miss_rate", Heading: "estimated", Unit: "ratio", Type: Share},
		func(c *CacheConfiguration) any { return maybe(c.Estimated.Both.MissRate) },
	})
	var cycles []cacheColumn
	for _, x := range []struct {
		name string
		of   func(*CacheConfiguration) *CacheSimulation
	}{
		{"reordered", func(c *CacheConfiguration) *CacheSimulation { return c.Reordered }},
		{"dynamic", func(c *CacheConfiguration) *CacheSimulation { return c.Dynamic }},
	} {
		columns = append(columns,
			cacheColumn{Column{ID: x.name + "_miss_rate", JSON: x.name + ".rates.both.miss_rate", Heading: x.name, Unit: "ratio", Type: Share}, func(c *CacheConfiguration) any { return maybe(x.of(c).Rates.Both.MissRate) }},
			cacheColumn{Column{ID: x.name + "_ratio", JSON: x.name + ".ratio", Heading: "ratio", Unit: "ratio", Type: Number, Digits: 4}, func(c *CacheConfiguration) any { return maybe(x.of(c).Ratio) }})
		cycles = append(cycles, cacheColumn{Column{ID: x.name + "_cycles", JSON: x.name + ".cycles", Heading: x.name + " cycles", Unit: "cycles", Type: Amount}, func(c *CacheConfiguration) any { return x.of(c).Cycles }})
	}
	return NewSheet("caches[]", rows, append(columns, cycles...))
}

// identityColumns begin the rows of comma-separated values with their configuration.
func identityColumns[R any](d *CacheDocument, of func(*R) *CacheConfiguration, in Forms) []Of[R] {
	column := func(c Column, value func(*CacheConfiguration) any) Of[R] {
		c.In = in
		return Of[R]{c, func(r *R) any { return value(of(r)) }}
	}
	return []Of[R]{
		column(Column{ID: "launch", Type: File}, func(*CacheConfiguration) any { return d.Launch }),
		column(Column{ID: "gpu"}, func(*CacheConfiguration) any { return d.GPU }),
		column(Column{ID: "size_bytes", Unit: "bytes", Type: Integer}, func(c *CacheConfiguration) any { return c.SizeBytes }),
		column(Column{ID: "ways", Unit: "ways", Type: Integer}, func(c *CacheConfiguration) any { return int64(c.Ways) }),
		column(Column{ID: "sets", Unit: "sets", Type: Integer}, func(c *CacheConfiguration) any { return int64(c.Sets) }),
		column(Column{ID: "line_bytes", Unit: "bytes", Type: Integer}, func(c *CacheConfiguration) any { return int64(c.LineBytes) }),
		column(Column{ID: "sector_bytes", Unit: "bytes", Type: Integer}, func(c *CacheConfiguration) any { return int64(c.SectorBytes) }),
		column(Column{ID: "replacement"}, func(c *CacheConfiguration) any { return c.Replacement }),
		column(Column{ID: "index"}, func(c *CacheConfiguration) any { return c.Index }),
		column(Column{ID: "exact", Type: Flag}, func(*CacheConfiguration) any { return d.Exact }),
	}
}

// instructionRow is an instruction with a configuration.
type instructionRow struct {
	*CacheAtPosition
	cache *CacheConfiguration
}

// instructionSheet has a row for each instruction with each of the configurations,
// which the text has one by one.
func (d *CacheDocument) instructionSheet(caches []CacheConfiguration, in Forms) *Sheet {
	var rows []instructionRow
	for i := range caches {
		for j := range caches[i].Instructions {
			rows = append(rows, instructionRow{&caches[i].Instructions[j], &caches[i]})
		}
	}
	amount := func(id, heading string, value func(*instructionRow) int64) Of[instructionRow] {
		return Of[instructionRow]{Column{ID: id, Heading: heading, Unit: "requests", Type: Amount}, func(r *instructionRow) any { return value(r) }}
	}
	path := "caches[].instructions[]"
	if in == InText {
		path = ""
	}
	return NewSheet(path, rows, append(identityColumns(d, func(r *instructionRow) *CacheConfiguration { return r.cache }, InCSV),
		Of[instructionRow]{Column{ID: "pc", Unit: "instructions", Type: Integer, In: InCSV}, func(r *instructionRow) any { return int64(r.PC) }},
		Of[instructionRow]{Column{ID: "position", Heading: "instruction"}, func(r *instructionRow) any { return r.Position }},
		Of[instructionRow]{Column{ID: "kind", Heading: "kind"}, func(r *instructionRow) any { return r.Kind }},
		amount("accesses", "accesses", func(r *instructionRow) int64 { return r.Accesses }),
		amount("requests", "requests", func(r *instructionRow) int64 { return r.Requests }),
		Of[instructionRow]{Column{ID: "most_of_one", Heading: "most of one", Unit: "requests", Type: Integer}, func(r *instructionRow) any { return int64(r.MostOfOne) }},
		amount("hits", "hits", func(r *instructionRow) int64 { return r.Hits }),
		amount("misses", "misses", func(r *instructionRow) int64 { return r.Misses }),
		Of[instructionRow]{Column{ID: "miss_rate", Heading: "miss rate", Unit: "ratio", Type: Share}, func(r *instructionRow) any { return maybe(r.MissRate) }},
		Of[instructionRow]{Column{ID: "gpu_settings", In: InCSV}, func(*instructionRow) any { return d.settings() }},
	))
}

// kindRow is loads, stores or both with a configuration.
type kindRow struct {
	*CacheConfiguration
	kind string
}

// kindSheet has a row for loads, stores and both of every configuration. What is of
// both has no value in the other rows.
func (d *CacheDocument) kindSheet() *Sheet {
	var rows []kindRow
	for i := range d.Caches {
		for _, kind := range []string{"loads", "stores", "both"} {
			rows = append(rows, kindRow{&d.Caches[i], kind})
		}
	}
	column := func(c Column, value func(*kindRow) any) Of[kindRow] { return Of[kindRow]{c, value} }
	both := func(id, unit string, value func(*kindRow) any) Of[kindRow] {
		return column(Column{ID: id, Unit: unit, Type: Integer}, func(r *kindRow) any {
			if r.kind != "both" {
				return nil
			}
			return value(r)
		})
	}
	misses := func(s *CacheSimulation, kind string) any {
		if s == nil {
			return nil
		}
		return s.Rates.of(kind).Misses
	}
	cycles := func(s *CacheSimulation) any {
		if s == nil {
			return nil
		}
		return s.Cycles
	}
	return NewSheet("", rows, append(identityColumns(d, func(r *kindRow) *CacheConfiguration { return r.CacheConfiguration }, All),
		column(Column{ID: "kind"}, func(r *kindRow) any { return r.kind }),
		column(Column{ID: "requests", Unit: "requests", Type: Integer}, func(r *kindRow) any { return r.Estimated.of(r.kind).Requests }),
		column(Column{ID: "misses", Unit: "requests", Type: Integer}, func(r *kindRow) any { return r.Estimated.of(r.kind).Misses }),
		column(Column{ID: "miss_rate", Unit: "ratio", Type: Share}, func(r *kindRow) any { return maybe(r.Estimated.of(r.kind).MissRate) }),
		column(Column{ID: "reordered_misses", Unit: "requests", Type: Integer}, func(r *kindRow) any { return misses(r.Reordered, r.kind) }),
		column(Column{ID: "dynamic_misses", Unit: "requests", Type: Integer}, func(r *kindRow) any { return misses(r.Dynamic, r.kind) }),
		both("least_misses", "requests", func(r *kindRow) any { return r.AnyOrder.LeastMisses }),
		both("most_misses", "requests", func(r *kindRow) any { return r.AnyOrder.MostMisses }),
		both("reordered_cycles", "cycles", func(r *kindRow) any { return cycles(r.Reordered) }),
		both("dynamic_cycles", "cycles", func(r *kindRow) any { return cycles(r.Dynamic) }),
		column(Column{ID: "gpu_settings"}, func(*kindRow) any { return d.settings() }),
	))
}
