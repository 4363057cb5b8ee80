// Package project reads project files (warpbound.toml, docs/report.md): which launches
// are assessed on which GPUs, within which budgets, and under which assumptions. It opens
// none of the files named; it says where each is named, for messages about them.
package project
