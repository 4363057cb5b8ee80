package l1d

import "github.com/warpbound/warpbound/l1d/cache"

func smallCache() cache.Config {
	return cache.Config{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 128}
}
