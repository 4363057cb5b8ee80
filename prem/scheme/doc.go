// Package scheme makes GPU kernels from annotated loop nests and their plans.
package scheme
