-- +goose Up
-- scope is what requests are counted by beside kind and tenant, as the rule of a policy.
ALTER TABLE approval ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX approval_waiting ON approval (kind, tenant_id, scope) WHERE status = 'PENDING';
CREATE INDEX approval_asked ON approval (requester, kind, created_at);
CREATE INDEX approval_given ON approval (digest) WHERE status = 'APPROVED';
CREATE INDEX approval_end ON approval (expires_at);

-- +goose Down
DROP INDEX approval_end;
DROP INDEX approval_given;
DROP INDEX approval_asked;
DROP INDEX approval_waiting;
ALTER TABLE approval DROP COLUMN scope;
