package jeanmougin2025

import (
	"github.com/warpbound/warpbound/evaluation/internal/kit"
)

var rowHeader = []string{"gpu", "model", "scope", "launch", "policy", "simulated_cycles", "gub_cycles", "best_cycles", "best_method", "refused"}

func encodeRows(rows []row) []byte {
	records := [][]string{rowHeader}
	for _, r := range rows {
		records = append(records, []string{
			r.GPU, r.Model, r.Scope, r.Launch, r.Policy, kit.Number(r.Simulated), kit.Number(r.GUB), kit.Number(r.Best), r.Method, r.Refused,
		})
	}
	return kit.Encode(records)
}

var blockHeader = []string{
	"launch", "warps", "own_cycles", "other_warps_cycles", "alone_cycles", "idle_cycles", "instructions", "initiation_cycles",
	"busiest_unit", "busiest_unit_cycles", "simulated_cycles", "gub_cycles", "best_cycles", "best_method",
}

func encodeBlocks(blocks []block) []byte {
	records := [][]string{blockHeader}
	for _, b := range blocks {
		records = append(records, []string{
			b.Launch, kit.Number(b.Warps), kit.Number(b.Own), kit.Number(b.Others), kit.Number(b.Alone), kit.Number(b.Idle), kit.Number(b.Instructions),
			kit.Number(b.Initiation), b.Unit, kit.Number(b.UnitCycles), kit.Number(b.Simulated), kit.Number(b.GUB), kit.Number(b.Best), b.Method,
		})
	}
	return kit.Encode(records)
}

func decodeRow(f *kit.Fields) row {
	return row{
		GPU: f.Text(), Model: f.Text(), Scope: f.Text(), Launch: f.Text(), Policy: f.Text(),
		Simulated: f.Number(), GUB: f.Number(), Best: f.Number(), Method: f.Text(), Refused: f.Text(),
	}
}

func decodeBlock(f *kit.Fields) block {
	return block{
		Launch: f.Text(), Warps: f.Number(), Own: f.Number(), Others: f.Number(), Alone: f.Number(), Idle: f.Number(),
		Instructions: f.Number(), Initiation: f.Number(), Unit: f.Text(), UnitCycles: f.Number(),
		Simulated: f.Number(), GUB: f.Number(), Best: f.Number(), Method: f.Text(),
	}
}

// file is one data file: its name and where its rows are.
type file struct {
	name string
	rows func(*results) *[]row
}

var files = []file{
	{"rodinia.csv", func(r *results) *[]row { return &r.rodinia }},
	{"sgemm.csv", func(r *results) *[]row { return &r.sgemm }},
	{"policies.csv", func(r *results) *[]row { return &r.policies }},
	{"launches.csv", func(r *results) *[]row { return &r.launches }},
	{"pipeline.csv", func(r *results) *[]row { return &r.pipeline }},
}

const blocksFile = "blocks.csv"

// write stores the measurements below root.
func (r *results) write(root string) error {
	for _, f := range files {
		if err := kit.Store(root, f.name, encodeRows(*f.rows(r))); err != nil {
			return err
		}
	}
	return kit.Store(root, blocksFile, encodeBlocks(r.blocks))
}

// read loads what was stored.
func read(root string) (*results, error) {
	var out results
	var err error
	for _, f := range files {
		if *f.rows(&out), err = kit.Load(root, f.name, rowHeader, decodeRow); err != nil {
			return nil, err
		}
	}
	out.blocks, err = kit.Load(root, blocksFile, blockHeader, decodeBlock)
	return &out, err
}
