package jeanmougin2025

import _ "github.com/warpbound/warpbound/internal/testkit/testgc"
