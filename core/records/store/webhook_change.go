package store

import (
	"context"
	"encoding/json"
	"time"
)

// configChanged is the type of the event that tells of changed records, as package outbox documents it.
const configChanged = "CONFIG_CHANGED"

// mostResources bounds how many records one event names.
const mostResources = 100

// emitChanges puts the event of an administrative change into the outbox, in the transaction of the change: it is told
// if, and only if, the change is made.
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
		if !seen[c] && len(data.Resources) < mostResources {
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
