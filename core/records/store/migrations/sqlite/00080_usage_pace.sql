-- +goose Up
-- How traffic goes: exchanges by outcome and latency, in minutes of which the last hours are kept, and in hours. They are
-- written in the transaction of each batch of records. A row with an empty tenant is for all tenants. unit is in seconds, and
-- span how many of them have passed since 1970 UTC. A bucket is a half of a doubling of the latency. Of records from before
-- this migration there is nothing, until headgate costs rebuild makes all sums anew: that may take long, and so is not done here.
CREATE TABLE usage_pace (
  unit      INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  span      INTEGER NOT NULL,
  outcome   TEXT NOT NULL,
  bucket    INTEGER NOT NULL,
  calls     INTEGER NOT NULL,
  cost      INTEGER NOT NULL,
  PRIMARY KEY (unit, tenant_id, span, outcome, bucket)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE usage_pace;
