package store

import (
	"context"
	"encoding/json"
	"time"
)

// configChanged is the event type of record changes, as package outbox documents it.
const configChanged = "CONFIG_CHANGED"

// maxResources is the maximum number of records that one event names.
const maxResources = 100

// emitChanges writes the event of an administrative change to the outbox within the change's transaction, so that both
// happen or neither does.
func (tx *Tx) emitChanges(ctx context.Context, v int64, now time.Time) error {
	if len(tx.changes) == 0 {
		return nil
	}
	data := struct {
		Version   int64    `json:"version"`
		Resources []string `json:"resources"`
	}{Version: v}
	seen := map[Change]bool{}
	for _, c := range tx.changes {
		if !seen[c] && len(data.Resources) < maxResources {
			seen[c] = true
			data.Resources = append(data.Resources, c.Kind+":"+c.ID)
		}
	}
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return insertEvent(ctx, tx, &WebhookEvent{Type: configChanged, Data: string(b)}, now)
}

// approvalRequested is the type of the event of a request for approval.
const approvalRequested = "APPROVAL_REQUESTED"

// emitRequest writes the event of a request for approval to the outbox within the transaction that stores the request.
func (tx *Tx) emitRequest(ctx context.Context, a *Approval) error {
	b, err := json.Marshal(struct {
		Approval string `json:"approval"`
		Kind     string `json:"kind"`
	}{a.ID, a.Kind})
	if err != nil {
		return err
	}
	return insertEvent(ctx, tx, &WebhookEvent{Type: approvalRequested, Tenant: a.TenantID, Data: string(b)}, a.CreatedAt)
}
