package dp_test

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
