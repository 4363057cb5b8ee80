package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// dataDir holds the CSV files, below the root of the module.
const dataDir = "docs/results"

var rowHeader = []string{"gpu", "model", "scope", "launch", "policy", "simulated_cycles", "gub_cycles", "best_cycles", "best_method", "refused"}

func encodeRows(rows []row) []byte {
	records := [][]string{rowHeader}
	for _, r := range rows {
		records = append(records, []string{
			r.GPU, r.Model, r.Scope, r.Launch, r.Policy, number(r.Simulated), number(r.GUB), number(r.Best), r.Method, r.Refused,
		})
	}
	return encode(records)
}

var blockHeader = []string{
	"launch", "warps", "own_cycles", "other_warps_cycles", "alone_cycles", "idle_cycles", "instructions", "initiation_cycles",
	"busiest_unit", "busiest_unit_cycles", "simulated_cycles", "gub_cycles", "best_cycles", "best_method",
}

func encodeBlocks(blocks []block) []byte {
	records := [][]string{blockHeader}
	for _, b := range blocks {
		records = append(records, []string{
			b.Launch, number(b.Warps), number(b.Own), number(b.Others), number(b.Alone), number(b.Idle), number(b.Instructions),
			number(b.Initiation), b.Unit, number(b.UnitCycles), number(b.Simulated), number(b.GUB), number(b.Best), b.Method,
		})
	}
	return encode(records)
}

var schemeHeader = []string{
	"gpu", "launch", "layers", "size_kb", "ways", "scheme", "blocks", "rounds", "cycles", "sms", "schedulers", "resident_warp_cycles",
	"warp_instructions", "thread_instructions", "accesses", "issued", "withheld", "memory", "turn", "channel_full", "idle", "other",
	"requests", "misses", "estimated_requests", "estimated_misses",
}

func encodeSchemes(rows []cached) []byte {
	records := [][]string{schemeHeader}
	for i := range rows {
		r := &rows[i]
		cells := []string{r.GPU, r.Launch, number(r.Layers), number(r.KB), number(r.Ways), r.Scheme}
		for _, n := range r.numbers() {
			cells = append(cells, number(*n))
		}
		records = append(records, cells)
	}
	return encode(records)
}

func decodeScheme(f *fields) cached {
	r := cached{GPU: f.text(), Launch: f.text(), Layers: f.number(), KB: f.number(), Ways: f.number(), Scheme: f.text()}
	for _, n := range r.numbers() {
		*n = f.number()
	}
	return r
}

// numbers are what was measured, in the order of the file.
func (r *cached) numbers() []*int64 {
	return []*int64{
		&r.Blocks, &r.Rounds, &r.Cycles, &r.SMs, &r.Schedulers, &r.ResidentWarpCycles, &r.WarpInstructions, &r.ThreadInstructions, &r.Accesses,
		&r.Issued, &r.Withheld, &r.Memory, &r.Turn, &r.Full, &r.Idle, &r.Other,
		&r.Requests, &r.Misses, &r.EstimatedRequests, &r.EstimatedMisses,
	}
}

var wcetHeader = []string{
	"gpu", "launch", "size_kb", "simulated_cycles", "unknown_cycles", "estimated_cycles", "bound_cycles", "other_sms_cycles", "bound_method", "claimed", "refused",
}

func encodeWCET(rows []foretold) []byte {
	records := [][]string{wcetHeader}
	for i := range rows {
		r := &rows[i]
		records = append(records, []string{
			r.GPU, r.Launch, number(r.KB), number(r.Simulated), number(r.Unknown), number(r.Estimated), number(r.Bound), number(r.OtherSMs), r.Method, r.Claimed, r.Refused,
		})
	}
	return encode(records)
}

func decodeWCET(f *fields) foretold {
	return foretold{
		GPU: f.text(), Launch: f.text(), KB: f.number(), Simulated: f.number(), Unknown: f.number(), Estimated: f.number(), Bound: f.number(),
		OtherSMs: f.number(), Method: f.text(), Claimed: f.text(), Refused: f.text(),
	}
}

func encode(records [][]string) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, r := range records {
		_ = w.Write(r) // a bytes.Buffer takes everything
	}
	w.Flush()
	return out.Bytes()
}

// number prints a count; 0 stands for none and is left empty.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// fields reads the cells of a record one after another.
type fields struct {
	cells []string
	err   error
}

func (f *fields) text() string {
	s := f.cells[0]
	f.cells = f.cells[1:]
	return s
}

func (f *fields) number() int64 {
	s := f.text()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && f.err == nil {
		f.err = err
	}
	return n
}

func decodeRow(f *fields) row {
	return row{
		GPU: f.text(), Model: f.text(), Scope: f.text(), Launch: f.text(), Policy: f.text(),
		Simulated: f.number(), GUB: f.number(), Best: f.number(), Method: f.text(), Refused: f.text(),
	}
}

func decodeBlock(f *fields) block {
	return block{
		Launch: f.text(), Warps: f.number(), Own: f.number(), Others: f.number(), Alone: f.number(), Idle: f.number(),
		Instructions: f.number(), Initiation: f.number(), Unit: f.text(), UnitCycles: f.number(),
		Simulated: f.number(), GUB: f.number(), Best: f.number(), Method: f.text(),
	}
}

func decode[T any](data []byte, header []string, record func(*fields) T) ([]T, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = len(header)
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var out []T
	for i, cells := range records {
		if i == 0 {
			continue
		}
		f := &fields{cells: cells}
		out = append(out, record(f))
		if f.err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, f.err)
		}
	}
	return out, nil
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

const (
	blocksFile  = "blocks.csv"
	schemesFile = "schemes.csv"
	wcetFile    = "wcet.csv"
)

// writeBounds stores the measurements of Jeanmougin2025 below root.
func (r *results) writeBounds(root string) error {
	dir := filepath.Join(root, filepath.FromSlash(dataDir))
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), encodeRows(*f.rows(r)), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, blocksFile), encodeBlocks(r.blocks), 0o644)
}

// writeSchemes stores the measurements of Huangfu2017 below root.
func (r *results) writeSchemes(root string) error {
	dir := filepath.Join(root, filepath.FromSlash(dataDir))
	if err := os.WriteFile(filepath.Join(dir, wcetFile), encodeWCET(r.wcet), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, schemesFile), encodeSchemes(r.schemes), 0o644)
}

// writeFrontend stores the measurements of Crouzet2024 below root.
func (r *results) writeFrontend(root string) error {
	return os.WriteFile(filepath.Join(root, filepath.FromSlash(dataDir), frontFile), encodeFronted(r.frontend), 0o644)
}

// read loads what was stored.
func read(root string) (*results, error) {
	dir := filepath.Join(root, filepath.FromSlash(dataDir))
	var out results
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.name))
		if err != nil {
			return nil, err
		}
		if *f.rows(&out), err = decode(data, rowHeader, decodeRow); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, blocksFile))
	if err != nil {
		return nil, err
	}
	if out.blocks, err = decode(data, blockHeader, decodeBlock); err != nil {
		return nil, fmt.Errorf("%s: %w", blocksFile, err)
	}
	if data, err = os.ReadFile(filepath.Join(dir, schemesFile)); err != nil {
		return nil, err
	}
	if out.schemes, err = decode(data, schemeHeader, decodeScheme); err != nil {
		return nil, fmt.Errorf("%s: %w", schemesFile, err)
	}
	if data, err = os.ReadFile(filepath.Join(dir, wcetFile)); err != nil {
		return nil, err
	}
	if out.wcet, err = decode(data, wcetHeader, decodeWCET); err != nil {
		return nil, fmt.Errorf("%s: %w", wcetFile, err)
	}
	if data, err = os.ReadFile(filepath.Join(dir, frontFile)); err != nil {
		return nil, err
	}
	if out.frontend, err = decode(data, frontHeader, decodeFronted); err != nil {
		return nil, fmt.Errorf("%s: %w", frontFile, err)
	}
	return &out, out.readPrem(root)
}
