package huangfu2017

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
