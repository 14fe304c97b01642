package postgres

import (
	"context"
	"testing"

	"enlist/internal/db/pgtest"

	"github.com/jackc/pgx/v5"
)

// The connection that has the lock of a process makes the server look whether the machine of the process is gone.
func TestServerNoticesOutageOfAMachine(t *testing.T) {
	if testing.Short() {
		t.Skip(`the test starts a PostgreSQL server: run it with "make faults"`)
	}
	server, at, err := pgtest.StartTCPServer()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(server.Remove)
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := takeLock(t.Context(), conn, "token"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5",
		"tcp_keepalives_count": "3", "tcp_user_timeout": "30000"} {
		var got string
		// current_setting returns what the socket has.
		if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q; error %v", name, got, want, err)
		}
	}
}
