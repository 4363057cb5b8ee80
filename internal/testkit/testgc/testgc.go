// Package testgc has the garbage collector run a fifth as often in the tests that import it, for nothing but that:
//
//	import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
//
// Tests that draw thousands of small programs live on a few megabytes and spend a fifth of their time collecting them. GOGC
// in the environment decides, if it is set.
package testgc

import (
	"runtime/debug"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

func init() {
	if settings.Text(settings.CollectorName, "") == "" {
		debug.SetGCPercent(400)
	}
}
