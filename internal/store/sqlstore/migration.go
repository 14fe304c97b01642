package sqlstore

// This file decides whether a program can use a database that another version has migrated.

// generation is the number of migrations in a generation: 1 to 999, 1000 to 1999.
const generation = 1000

// SupportsVersion reports whether a program whose last migration is knows can use a database whose
// last migration is has. Migrations of one generation only add tables and columns, so that the
// previous version can run during an upgrade, and again after it. The first migration of the next
// generation removes something or changes its meaning, so older programs refuse the database.
func SupportsVersion(has, knows int64) bool { return has/generation <= knows/generation }
