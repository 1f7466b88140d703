// Package backend is the interface of a provider's service for files and batches. The
// gateway's batch endpoints call it, and the providers implement it.
package backend
