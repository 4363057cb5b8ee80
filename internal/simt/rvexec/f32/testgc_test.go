package f32

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
