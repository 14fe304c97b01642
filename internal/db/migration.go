package db

// This file decides whether this program can use a database that another version of it has migrated.

// generation is the number of schema versions in a generation. The first generation has the versions
// 1 to 999, and the second generation has the versions 1000 to 1999.
const generation = 1000

// SupportsVersion reports whether a program can use a database. The argument knows is the version of
// the last migration that the program contains. The argument has is the version of the last migration
// of the database. Migrations of one generation only add tables and columns, so that the previous
// program can run during an upgrade and after it. Only a new generation can remove a column or change
// its meaning. So a program of an older generation must refuse the database.
func SupportsVersion(has, knows int64) bool { return has/generation <= knows/generation }
