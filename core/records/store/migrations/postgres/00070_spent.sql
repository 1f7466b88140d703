-- +goose Up
-- What may be used once to sign in, by its SHA-256 hash, until it is worth nothing anyway.
CREATE TABLE spent (
  hash       BYTEA PRIMARY KEY CHECK (length(hash) = 32),
  expires_at BIGINT NOT NULL
);
CREATE INDEX spent_expires ON spent (expires_at);

-- +goose Down
DROP TABLE spent;
