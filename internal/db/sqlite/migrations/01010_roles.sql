-- Roles of users.

-- +goose Up

-- reader, writer, sender, manager, owner, or one of the roles that cannot be given (enlist/role.go); '': level and
-- may_send say what the user may do. It counts only with the level and may_send with which it was stored (users/role.go).
ALTER TABLE membership ADD COLUMN role TEXT NOT NULL DEFAULT '';
