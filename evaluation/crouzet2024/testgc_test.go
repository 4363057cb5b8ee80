package crouzet2024

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
