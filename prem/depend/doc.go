// Package depend tells whether iterations of a kernel's SIMT loops are independent,
// and whether two accesses can touch one element.
package depend
