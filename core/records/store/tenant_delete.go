package store

import (
	"context"
	"fmt"
)

// owned are the tables whose rows are deleted with their tenant, by tenant_id: a later tenant with the same id must not
// inherit anything. A kind logs the deletion of each row by its id. Foreign keys delete API keys and what depends on
// the rows listed here. Usage, costs, reports, the audit chain, and unsettled batches stay.
var owned = []struct{ table, kind, where string }{
	{table: "api_key", kind: "key"},
	{table: "admin_user", kind: changedUser},
	{table: "policy_shadow_event"},
	{table: "policy", kind: "policy"},
	{table: "webhook", kind: "webhook"},
	{table: "guardrail_plugin", kind: "guardrail_plugin"},
	{table: "budget", kind: "budget"},
	{table: "approval", where: " AND status = 'PENDING'"}, // keep decided ones
	{table: "batch_file"},
	{table: "batch_job", where: " AND settled = 1"},
	{table: "vault_token"},
	{table: "vault_key"},
}

// Delete deletes a tenant with its keys, which become invalid with the next configuration version, its policies and its
// sealed values. It returns ErrNotFound if there is no such tenant. check is optional; its error prevents the deletion.
func (ts Tenants) Delete(ctx context.Context, id string, check func(Tenant) error) error {
	err := ts.db.mutate(ctx, func(tx *Tx) (bool, error) {
		t, err := tenantTable.lock(ctx, tx, id)
		if err == nil && check != nil {
			err = check(t)
		}
		if err != nil {
			return false, err
		}
		for _, o := range owned {
			if err := tx.deleteOwned(ctx, o.table, o.kind, "tenant_id = ?"+o.where, id); err != nil {
				return false, fmt.Errorf("rows in %s: %w", o.table, err)
			}
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM tenant WHERE id = ?", id)
		tx.noteChange("tenant", id)
		tx.noteChange("vault_key", id) // gateways that have the key open must stop sealing with it
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete tenant: %w", err)
	}
	return ts.db.emptyLog(ctx) // the log holds sealed values and their key
}

// deleteOwned deletes rows and, if they have a kind, logs the changes.
func (tx *Tx) deleteOwned(ctx context.Context, table, kind, where string, args ...any) error {
	if kind == "" {
		_, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE "+where, args...)
		return err
	}
	var ids []string
	if err := tx.SelectContext(ctx, &ids, "DELETE FROM "+table+" WHERE "+where+" RETURNING id", args...); err != nil {
		return err
	}
	for _, id := range ids {
		tx.noteChange(kind, id)
	}
	return nil
}
