package huangfu2017

import "github.com/warpbound/warpbound/evaluation/internal/kit"

var schemeHeader = []string{
	"gpu", "launch", "layers", "size_kb", "ways", "scheme", "blocks", "rounds", "cycles", "sms", "schedulers", "resident_warp_cycles",
	"warp_instructions", "thread_instructions", "accesses", "issued", "withheld", "memory", "turn", "channel_full", "idle", "other",
	"requests", "misses", "estimated_requests", "estimated_misses",
}

func encodeSchemes(rows []cached) []byte {
	records := [][]string{schemeHeader}
	for i := range rows {
		r := &rows[i]
		cells := []string{r.GPU, r.Launch, kit.Number(r.Layers), kit.Number(r.KB), kit.Number(r.Ways), r.Scheme}
		for _, n := range r.numbers() {
			cells = append(cells, kit.Number(*n))
		}
		records = append(records, cells)
	}
	return kit.Encode(records)
}

func decodeScheme(f *kit.Fields) cached {
	r := cached{GPU: f.Text(), Launch: f.Text(), Layers: f.Number(), KB: f.Number(), Ways: f.Number(), Scheme: f.Text()}
	for _, n := range r.numbers() {
		*n = f.Number()
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

func encodeWCET(rows []prediction) []byte {
	records := [][]string{wcetHeader}
	for i := range rows {
		r := &rows[i]
		records = append(records, []string{
			r.GPU, r.Launch, kit.Number(r.KB), kit.Number(r.Simulated), kit.Number(r.Unknown), kit.Number(r.Estimated), kit.Number(r.Bound), kit.Number(r.OtherSMs), r.Method, r.Claimed, r.Refused,
		})
	}
	return kit.Encode(records)
}

func decodeWCET(f *kit.Fields) prediction {
	return prediction{
		GPU: f.Text(), Launch: f.Text(), KB: f.Number(), Simulated: f.Number(), Unknown: f.Number(), Estimated: f.Number(), Bound: f.Number(),
		OtherSMs: f.Number(), Method: f.Text(), Claimed: f.Text(), Refused: f.Text(),
	}
}

const (
	schemesFile = "schemes.csv"
	wcetFile    = "wcet.csv"
)

// write stores the measurements below root.
func (r *results) write(root string) error {
	if err := kit.Store(root, wcetFile, encodeWCET(r.wcet)); err != nil {
		return err
	}
	return kit.Store(root, schemesFile, encodeSchemes(r.schemes))
}

// read loads what was stored.
func read(root string) (*results, error) {
	var out results
	var err error
	if out.schemes, err = kit.Load(root, schemesFile, schemeHeader, decodeScheme); err != nil {
		return nil, err
	}
	out.wcet, err = kit.Load(root, wcetFile, wcetHeader, decodeWCET)
	return &out, err
}
