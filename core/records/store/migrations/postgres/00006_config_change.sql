-- What changed in the step to each configuration version, as far back as it is kept.

-- +goose Up
CREATE TABLE config_change (
  version   BIGINT NOT NULL,
  kind      TEXT NOT NULL,
  record_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (version, kind, record_id)
);

-- +goose Down
DROP TABLE config_change;
