package formula

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
