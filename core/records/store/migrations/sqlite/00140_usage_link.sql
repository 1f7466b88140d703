-- +goose Up
-- The link of the chain that blocked an exchange; null for exchanges that were not blocked, and for those from before this migration.
-- The view usage_exchange does not show it: gateways of the previous version read all columns of the view and know those of today.
ALTER TABLE usage_record ADD COLUMN blocked_by TEXT;

-- How many exchanges each link blocked, in the units of usage_pace. A row with an empty tenant is for all tenants.
CREATE TABLE usage_link (
  unit      INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  span      INTEGER NOT NULL,
  link      TEXT NOT NULL,
  calls     INTEGER NOT NULL,
  PRIMARY KEY (unit, tenant_id, span, link)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE usage_link;
ALTER TABLE usage_record DROP COLUMN blocked_by;
