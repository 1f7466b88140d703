-- +goose Up
-- models are the patterns of models that a key may ask for; empty: all. owner is the id of the user whose key it is.
ALTER TABLE api_key ADD COLUMN models TEXT NOT NULL DEFAULT '[]';
ALTER TABLE api_key ADD COLUMN owner TEXT NOT NULL DEFAULT '';
-- What the keys may be that members create for themselves, as JSON.
ALTER TABLE tenant ADD COLUMN key_template TEXT NOT NULL DEFAULT '{}';
CREATE INDEX api_key_owner ON api_key (tenant_id, owner, created_at, id) WHERE owner <> '';

-- +goose Down
DROP INDEX api_key_owner;
ALTER TABLE tenant DROP COLUMN key_template;
ALTER TABLE api_key DROP COLUMN owner;
ALTER TABLE api_key DROP COLUMN models;
