package gpu

import "testing"

// By hand for the gtx480: pieces of 256 bytes go round 12 slices of 6 channels;
// rows of 4096 bytes hold 8 pieces of each of the two slices of a channel, and
// go round 16 banks.
func TestMemoryMap(t *testing.T) {
	m, err := Preset("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	places := m.MemoryMap()
	type where struct {
		slice, set, channel, bank int
		row                       int64
	}
	for addr, want := range map[uint64]where{
		0:                 {},
		128:               {set: 1},
		256:               {slice: 1, channel: 1},
		6*256 + 130:       {slice: 6, set: 1},
		12 * 256:          {set: 2},
		12 * 256 * 8:      {set: 16, bank: 1, row: 1},
		12*256*8 - 256:    {slice: 11, set: 14, channel: 5},
		12 * 256 * 8 * 16: {bank: 0, row: 16},
		12 * 256 * 32:     {set: 0, bank: 4, row: 4},
	} {
		var got where
		var local uint64
		got.slice, local = places.Slice(addr)
		got.set, got.channel = places.Set(local), places.Channel(got.slice)
		got.bank, got.row = places.Row(got.slice, local)
		if got != want {
			t.Errorf("%d: %+v, want %+v", addr, got, want)
		}
		if back := places.Global(got.slice, local); back != addr {
			t.Errorf("%d is at %d of slice %d, which is %d", addr, local, got.slice, back)
		}
	}
}
