-- Lists of tenants and keys are in the order of their making.

-- +goose Up
CREATE INDEX tenant_made ON tenant (created_at, id);
CREATE INDEX api_key_made ON api_key (created_at, id);
CREATE INDEX api_key_tenant_made ON api_key (tenant_id, created_at, id);
DROP INDEX api_key_tenant;

-- +goose Down
CREATE INDEX api_key_tenant ON api_key (tenant_id);
DROP INDEX api_key_tenant_made;
DROP INDEX api_key_made;
DROP INDEX tenant_made;
