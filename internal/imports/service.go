package imports

import (
	"sync/atomic"

	"enlist/internal/db"
	"enlist/internal/files"
	"enlist/internal/imports/sheet"
	"enlist/internal/lists"
)

// Service has the calls about Imports, and runs them. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	lists *lists.Service
	files *files.Service

	memory atomic.Pointer[sheet.Memory] // of all workbooks
}

// New returns a Service over a database.
func New(database *db.DB, l *lists.Service, f *files.Service) *Service {
	s := &Service{db: database, lists: l, files: f}
	s.SetMemory(sheet.NewMemory(512 << 20))
	return s
}

// SetMemory sets what all workbooks that are read at the same time may use together.
func (s *Service) SetMemory(m *sheet.Memory) { s.memory.Store(m) }

// ErrNoMemory is the error of AddImport and RunImport if other workbooks have the memory at the moment.
var ErrNoMemory = sheet.ErrNoMemory
