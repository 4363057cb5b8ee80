package examples

//go:generate go run ./internal/gen
