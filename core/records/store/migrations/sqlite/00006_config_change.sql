-- What changed in the step to each configuration version, as far back as it is kept.

-- +goose Up
CREATE TABLE config_change (
  version   INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  record_id TEXT NOT NULL,
  PRIMARY KEY (version, kind, record_id)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE config_change;
