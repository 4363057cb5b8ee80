// Package schema derives the JSON schema (draft 2020-12) of a Go value as
// encoding/json writes it, so that the published schemas cannot drift from the
// documents. Values that write themselves as the keys of a settings file do
// (gpu.Description) are described by their toml tags.
//
// It describes types, not values: what a field means is in docs/json.md.
package schema
