package sqlstore

// This file decides whether this program can use a database that another version of it has migrated.

// generation is the number of versions in a generation. The first one has the versions 1 to 999, the
// second one 1000 to 1999.
const generation = 1000

// SupportsVersion reports whether a program can use a database. knows is the last migration that the
// program contains, and has is the last migration of the database. Migrations of one generation only
// add tables and columns, so that the previous program can run during an upgrade and after it. The
// first migration of a new generation may remove something or change its meaning. Programs of an older
// generation must then refuse the database.
func SupportsVersion(has, knows int64) bool { return has/generation <= knows/generation }
