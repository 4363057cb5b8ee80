// Package certificate is the format of certificates of bounds (docs/certificates.md):
// what an analysis writes (package witness) and a checker that shares nothing else with
// it reads (package certify).
package certificate
