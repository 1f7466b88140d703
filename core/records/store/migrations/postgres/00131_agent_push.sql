-- +goose Up
-- push_to are the addresses at which clients may be notified of an agent's tasks.
ALTER TABLE agent ADD COLUMN push_to TEXT NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE agent DROP COLUMN push_to;
