package inputs

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
