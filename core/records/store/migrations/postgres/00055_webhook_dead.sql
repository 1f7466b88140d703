-- +goose Up
-- Deliveries that were given up, which metrics count every few seconds.
CREATE INDEX webhook_delivery_dead ON webhook_delivery (ended_at) WHERE state = 'dead';
-- +goose Down
DROP INDEX webhook_delivery_dead;
