package multiphase

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
