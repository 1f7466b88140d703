-- +goose Up
-- must_change is 1 while a user has a password that somebody else chose.
ALTER TABLE admin_user ADD COLUMN must_change INTEGER NOT NULL DEFAULT 0;
-- invitation is the SHA-256, in hex, of the code with which a user without a password sets one; NULL without an invitation.
ALTER TABLE admin_user ADD COLUMN invitation TEXT;
ALTER TABLE admin_user ADD COLUMN invited_until INTEGER;
CREATE UNIQUE INDEX admin_user_invitation ON admin_user (invitation);

-- +goose Down
DROP INDEX admin_user_invitation;
ALTER TABLE admin_user DROP COLUMN invited_until;
ALTER TABLE admin_user DROP COLUMN invitation;
ALTER TABLE admin_user DROP COLUMN must_change;
