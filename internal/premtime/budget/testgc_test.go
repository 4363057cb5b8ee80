package budget

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
