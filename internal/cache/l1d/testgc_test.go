package l1d

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
