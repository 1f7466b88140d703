-- +goose Up
-- Compliance reports. tenant_id is empty for all tenants; sections and proof are JSON; pdf is null until it was rendered.
CREATE TABLE compliance_report (
  id           TEXT PRIMARY KEY,
  type         TEXT NOT NULL,
  tenant_id    TEXT NOT NULL,
  from_at      BIGINT NOT NULL,
  to_at        BIGINT NOT NULL,
  generated_at BIGINT NOT NULL,
  generated_by TEXT NOT NULL,
  sections     TEXT NOT NULL,
  proof        TEXT NOT NULL,
  pdf          BYTEA
);
CREATE INDEX compliance_report_generated ON compliance_report (generated_at);

-- +goose Down
DROP TABLE compliance_report;
