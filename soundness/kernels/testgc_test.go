package kernels

import _ "github.com/warpbound/warpbound/internal/testgc"
