// Command warpbound bounds, explains and simulates the worst-case execution
// time of GPU kernels.
package main

func main() {}
