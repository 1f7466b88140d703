-- +goose Up
-- When the identity provider issued the token that the roles are of; null for those that it does not give.
ALTER TABLE admin_user ADD COLUMN roles_at INTEGER;

-- +goose Down
ALTER TABLE admin_user DROP COLUMN roles_at;
