package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// mostTexelBytes is the longest texel: four channels of four bytes.
const mostTexelBytes = 16

// fetch executes a fetch from a texture of the lanes of m; those of unsure may take part.
// Nobody writes textures. Where a coordinate is not known, or the texture is not, each
// texel that a lane may read counts as one far from all others, of its own size, so that
// no execution makes more transactions.
func (w *coverWarp) fetch(in *instr, m, unsure uint32) error {
	info, t := in.x.tex, w.taint()
	known, names := true, t.vals[in.a]
	if info.sampler >= 0 {
		names |= t.vals[info.sampler]
	}
	may := m | unsure
	if names&may == 0 {
		// A lane that may not be there and names no such texture is not.
		for left := may & (w.loose | unsure); left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			if _, _, _, err := w.lookup(in, i); err != nil {
				may &^= 1 << i
			}
		}
		m, unsure = m&may, unsure&may
	}
	unknown := uint32(0)
	for _, r := range info.coords[:info.dims] {
		unknown |= t.vals[r] & may
	}
	rows, width := 1, 0
	for left := may; left != 0; left &= left - 1 {
		filtered, bytes := true, mostTexelBytes
		if names&may == 0 {
			tex, s, _, err := w.lookup(in, bits.TrailingZeros32(left)&31)
			if err != nil {
				return w.wrong(err)
			}
			known = known && !tex.any && !s.any
			filtered = s.Filtered || s.any
			if !tex.any {
				bytes = tex.Channels * tex.Channel.Bytes()
			}
		} else {
			known = false
		}
		if info.float && (filtered || info.gather >= 0) {
			rows = 1 << info.dims
		}
		if width != 0 && bytes != width && (unknown != 0 || !known) {
			return w.refuse("lanes fetch texels of several sizes, at coordinates that depend on data")
		}
		width = max(width, bytes)
	}
	if !known && !w.oneTexture(in.a, may) {
		return w.refuse("which texture it fetches from depends on data")
	}
	for _, t := range w.taints {
		if known {
			texelTaint(t, w.warp, in, m, unsure)
		} else {
			t.results(in, may, may)
		}
	}
	s := &w.run.step
	if known {
		if err := in.run(w.warp, in, may); err != nil {
			return w.wrong(err)
		}
	}
	s.Exec, s.Space = simt.Mask(may), isa.Global
	if known && unknown == 0 || may == 0 {
		return nil
	}
	s.WidthBytes, s.MoreCount, s.More = int32(width), rows-1, w.blk.moreAddresses()
	for i := range s.Addresses {
		s.Addresses[i] = uint64(i) * farApart
		for k := range s.MoreCount {
			s.More[k][i] = uint64((k+1)*simt.MaxLanes+i) * farApart
		}
	}
	return nil
}

// oneTexture says that the lanes of m name the same texture.
func (w *coverWarp) oneTexture(r int32, m uint32) bool {
	if m == 0 {
		return true
	}
	if w.taint().vals[r]&m == 0 {
		v := w.src(r)
		first := v[bits.TrailingZeros32(m)&31]
		for ; m != 0; m &= m - 1 {
			if v[bits.TrailingZeros32(m)&31] != first {
				return false
			}
		}
		return true
	}
	return w.closed != nil && w.closed.unknowns.uniform(w.affine(r, m))
}
