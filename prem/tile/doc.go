// Package tile decides how a loop nest is cut into intervals whose data fit the
// scratchpad (Forsberg2021, section 3.2, algorithms 1 and 2).
package tile
