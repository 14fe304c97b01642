package rpc

import (
	"testing"

	"enlist/internal/store/pgtest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }
