package imports

import (
	"enlist/internal/db"
	"enlist/internal/files"
	"enlist/internal/lists"
)

// Service has the calls about Imports, and runs them. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	lists *lists.Service
	files *files.Service
}

// New returns a Service over a database.
func New(database *db.DB, l *lists.Service, f *files.Service) *Service {
	return &Service{db: database, lists: l, files: f}
}
