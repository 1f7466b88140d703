package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// tokenBatchSQL does what tokenUpsertSQL does.
const tokenBatchSQL = `INSERT INTO vault_token AS v
	(tenant_id, token, kind, digest, sealed, bindings, created_at, last_seen_at, expires_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)
	ON CONFLICT (tenant_id, token) DO UPDATE SET
		last_seen_at = greatest(v.last_seen_at, excluded.last_seen_at), expires_at = greatest(v.expires_at, excluded.expires_at),
		bindings = CASE WHEN length(v.bindings) >= 4096 THEN v.bindings ELSE v.bindings
			|| CASE WHEN position(substring($6 FROM 1 FOR 16) IN v.bindings) > 0 THEN '' ELSE substring($6 FROM 1 FOR 16) END
			|| CASE WHEN position(substring($6 FROM 17) IN v.bindings) > 0 THEN '' ELSE substring($6 FROM 17) END END
	WHERE v.digest = excluded.digest`

// tokenBatch stores the tokens of a batch, all sent at once.
type tokenBatch struct{}

func (tokenBatch) run(ctx context.Context, tx pgx.Tx, q *queue) error {
	if len(q.tokens) == 0 {
		return nil
	}
	// The same order on all nodes, so that two with the same values cannot deadlock. Repeated values keep their order.
	slices.SortStableFunc(q.tokens, func(a, b tokenEntry) int {
		return cmp.Or(strings.Compare(q.readText(a.tenant), q.readText(b.tenant)), strings.Compare(q.readText(a.token), q.readText(b.token)))
	})
	var b pgx.Batch
	for i := range q.tokens {
		e := &q.tokens[i]
		b.Queue(tokenBatchSQL, q.readText(e.tenant), q.readText(e.token), q.readText(e.kind), q.readBytes(e.digest), q.readBytes(e.sealed),
			q.readBytes(e.bindings), e.seen, e.expires)
	}
	return tx.SendBatch(ctx, &b).Close()
}
