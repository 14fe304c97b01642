// Package backup makes backups of a database. A backup is always one SQLite file, also of a PostgreSQL database, so
// the server can open it. It can be encrypted with age.
//
// Write makes a backup while servers use the database (write.go). seal.go encrypts it. The command enlist backup uses
// this package.
package backup
