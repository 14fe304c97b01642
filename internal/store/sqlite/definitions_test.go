package sqlite

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

func TestDefinitions(t *testing.T) {
	storetest.Definitions(t, func(t *testing.T) audience.Store { return open(t) })
}
