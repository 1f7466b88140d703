-- +goose Up
-- JSON Schemas that answers are held to. One of model_pattern and route_id says which answers.
CREATE TABLE output_schema (
  id                TEXT PRIMARY KEY,
  model_pattern     TEXT NOT NULL,
  route_id          TEXT NOT NULL,
  schema            TEXT NOT NULL,
  max_retries       BIGINT NOT NULL,
  correction_prompt TEXT NOT NULL,
  enabled           BIGINT NOT NULL,
  version           BIGINT NOT NULL,
  created_at        BIGINT NOT NULL,
  updated_at        BIGINT NOT NULL
);

-- +goose Down
DROP TABLE output_schema;
