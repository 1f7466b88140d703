-- +goose Up
-- The format of a subscription's calls: the gateway's own, or that of a service that takes alerts.
ALTER TABLE webhook ADD COLUMN format TEXT NOT NULL DEFAULT 'headgate';

-- +goose Down
ALTER TABLE webhook DROP COLUMN format;
