package forsberg2021

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
