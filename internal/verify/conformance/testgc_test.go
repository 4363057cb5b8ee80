package conformance

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
