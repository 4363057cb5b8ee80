package vortex

//go:generate go run ./internal/gen
