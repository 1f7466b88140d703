-- The number of the last batch of traffic records that each writer has stored. SQLite needs none: there a commit has
-- failed or has not.

-- +goose Up
CREATE TABLE traffic_writer (
  id    TEXT PRIMARY KEY,
  batch BIGINT NOT NULL,
  at    BIGINT NOT NULL
);

-- +goose Down
DROP TABLE traffic_writer;
