-- +goose Up
-- JSON Schemas that answers are held to. One of model_pattern and route_id says which answers.
CREATE TABLE output_schema (
  id                TEXT PRIMARY KEY,
  model_pattern     TEXT NOT NULL,
  route_id          TEXT NOT NULL,
  schema            TEXT NOT NULL,
  max_retries       INTEGER NOT NULL,
  correction_prompt TEXT NOT NULL,
  enabled           INTEGER NOT NULL,
  version           INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE output_schema;
