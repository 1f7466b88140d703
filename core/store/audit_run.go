package store

import "context"

// AuditRun is a run of segments of a node's chain, on their way to the control plane.
type AuditRun struct{}

// AuditAfter is not there yet.
func (db *DB) AuditAfter(context.Context, string, int64) (*AuditRun, error) { return nil, nil }
