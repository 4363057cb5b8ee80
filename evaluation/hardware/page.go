package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"
)

// The files of the page, below the root of the module.
const (
	page          = "docs/hardware.md"
	launchesFile  = "docs/results/h100-launches.csv"
	drawnFile     = "docs/results/h100-drawn.csv"
	latenciesFile = "docs/results/h100-latencies.csv"
)

// header are the columns of launchesFile.
var header = []string{"launch", "registers", "status", "elements", "different", "worst", "min_ns", "median_ns", "cycles", "machine_instructions", "ptx_instructions"}

// records reads comma-separated values with the columns given, without the head.
func records(file string, columns ...string) ([][]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(all) == 0 || strings.Join(all[0], ",") != strings.Join(columns, ",") {
		return nil, fmt.Errorf("%s: expected the columns %s", file, strings.Join(columns, ","))
	}
	return all[1:], nil
}

// join puts what run printed and what ncu counted, which go through the launches of a
// directory in the same order, into one table.
func join(dir, measured, ncu string) ([]byte, error) {
	rows, err := records(measured, header[:8]...)
	if err != nil {
		return nil, err
	}
	executed, err := records(filepath.Join(dir, executedFile), "launch", "warp_instructions")
	if err != nil {
		return nil, err
	}
	counted, err := profiled(ncu)
	if err != nil {
		return nil, err
	}
	if len(executed) != len(rows) || len(counted) != len(rows) {
		return nil, fmt.Errorf("%d launches measured, %d profiled, %d in %s: expected the same", len(rows), len(counted), len(executed), dir)
	}
	out := [][]string{header}
	for i, r := range rows {
		if executed[i][0] != r[0] {
			return nil, fmt.Errorf("launch %d is %s in %s and %s in %s", i, r[0], measured, executed[i][0], dir)
		}
		out = append(out, append(r, counted[i]["sm__cycles_elapsed.max"], counted[i]["smsp__inst_executed.sum"], executed[i][1]))
	}
	return kit.Encode(out), nil
}

// profiled reads what ncu --csv printed: the metrics of each launch.
func profiled(file string) ([]map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	from := bytes.Index(data, []byte("\"ID\","))
	if from < 0 {
		return nil, fmt.Errorf("%s: no line that begins with \"ID\"", file)
	}
	all, err := csv.NewReader(bytes.NewReader(data[from:])).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	column := map[string]int{}
	for i, name := range all[0] {
		column[name] = i
	}
	var out []map[string]string
	for _, r := range all[1:] {
		id, err := strconv.Atoi(r[column["ID"]])
		if err != nil || id != len(out) && id != len(out)-1 {
			return nil, fmt.Errorf("%s: launch %q out of order", file, r[column["ID"]])
		}
		if id == len(out) {
			out = append(out, map[string]string{})
		}
		out[id][r[column["Metric Name"]]] = strings.ReplaceAll(r[column["Metric Value"]], ",", "")
	}
	return out, nil
}

// writePage writes the tables of the page.
func writePage(root string) error {
	tables, err := tables(root)
	if err != nil {
		return err
	}
	name := filepath.Join(root, filepath.FromSlash(page))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	filled, err := kit.FillPage(page, string(text), tables)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(filled), 0o644)
}

// suite is the launches of one row of the page.
type suite struct {
	name            string
	launches, equal int64
	elements        int64
	least, most     float64 // machine instructions for one of PTX
	logs            float64
}

func tables(root string) (map[string]string, error) {
	rows, err := records(filepath.Join(root, filepath.FromSlash(launchesFile)), header...)
	if err != nil {
		return nil, err
	}
	var suites []*suite
	var differ strings.Builder
	fmt.Fprintln(&differ, "| launch | elements | not equal | farthest, in units in the last place |\n| --- | ---: | ---: | --- |")
	all := &suite{name: "all"}
	for _, r := range rows {
		name := suiteOf(r[0])
		at := slices.IndexFunc(suites, func(s *suite) bool { return s.name == name })
		if at < 0 {
			at = len(suites)
			suites = append(suites, &suite{name: name})
		}
		numbers := make([]int64, len(r))
		for _, i := range []int{3, 4, 9, 10} {
			if numbers[i], err = strconv.ParseInt(r[i], 10, 64); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", launchesFile, r[0], err)
			}
		}
		for _, s := range []*suite{suites[at], all} {
			s.launches++
			s.elements += numbers[3]
			if r[2] == "equal" {
				s.equal++
			}
			ratio := float64(numbers[9]) / float64(numbers[10])
			if s.least = min(s.least, ratio); s.launches == 1 {
				s.least = ratio
			}
			s.most = max(s.most, ratio)
			s.logs += math.Log(ratio)
		}
		if r[2] != "equal" {
			fmt.Fprintf(&differ, "| `%s` | %s | %s | %s |\n", r[0], r[3], r[4], r[5])
		}
	}
	var launches strings.Builder
	fmt.Fprintln(&launches, "| launches of | launches | every bit equal | elements compared | machine instructions for one of PTX: mean | least | most |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, s := range append(suites, all) {
		fmt.Fprintf(&launches, "| %s | %d | %d | %d | %.2f | %.2f | %.2f |\n", s.name, s.launches, s.equal, s.elements, math.Exp(s.logs/float64(s.launches)), s.least, s.most)
	}
	drawn, err := records(filepath.Join(root, filepath.FromSlash(drawnFile)), "status", "kernels")
	if err != nil {
		return nil, err
	}
	var outcomes strings.Builder
	fmt.Fprintln(&outcomes, "| outcome | kernels |\n| --- | ---: |")
	for _, r := range drawn {
		fmt.Fprintf(&outcomes, "| %s | %s |\n", r[0], r[1])
	}
	latencies, err := records(filepath.Join(root, filepath.FromSlash(latenciesFile)), "instruction", "latency_cycles", "sm_cycles")
	if err != nil {
		return nil, err
	}
	var times strings.Builder
	fmt.Fprintln(&times, "| instruction | latency, cycles | cycles of an SM |\n| --- | ---: | ---: |")
	for _, r := range latencies {
		fmt.Fprintf(&times, "| %s | %s | %s |\n", strings.ReplaceAll(r[0], "*", `\*`), r[1], r[2])
	}
	return map[string]string{"launches": launches.String(), "differ": differ.String(), "drawn": outcomes.String(), "latencies": times.String()}, nil
}

// suiteOf is the suite of a launch: the folder of an example, the scheme of a PREM
// kernel.
func suiteOf(launch string) string {
	parts := strings.Split(launch, "/")
	if parts[0] != "prem" {
		return "`" + strings.Join(parts[:2], "/") + "`"
	}
	_, scheme, _ := strings.Cut(parts[1], "-")
	return "`prem --scheme " + scheme + "`"
}
