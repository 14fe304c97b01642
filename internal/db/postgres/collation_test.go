package postgres_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/search/searchtest"

	"github.com/jackc/pgx/v5"
)

// Texts are compared and sorted in the same way in databases with different locales. The
// databases of the other tests have the locale C. This test uses a Turkish locale, which
// sorts ä with a, and in which the lower-case letter of I is ı.
func TestSearchIsTheSameInEveryLocale(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow on PostgreSQL: run it with "make faults"`)
	}
	at, conn := databaseLike(t, "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C.UTF-8'")
	var different bool
	if err := conn.QueryRow(t.Context(), "SELECT 'ä' < 'b' AND lower('I') = 'ı'").Scan(&different); err != nil {
		t.Fatal(err)
	}
	if !different {
		t.Fatal("the database does not compare texts by the Turkish locale")
	}
	searchtest.Search(t, func(t *testing.T) db.Engine {
		store, err := dbtest.Open(t.Context(), at, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		return store
	}, nil)
}

// databaseLike returns the URL of a new, empty database with a locale, and a connection to it.
func databaseLike(t *testing.T, locale string) (string, *pgx.Conn) {
	t.Helper()
	at, err := url.Parse(pgtest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), at.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	var icu bool
	if err := conn.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_collation WHERE collprovider = 'i')").Scan(&icu); err != nil || !icu {
		t.Skipf("PostgreSQL was built without ICU; error %v", err)
	}
	name := at.Path[1:] + "_like"
	if _, err := conn.Exec(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE template0 ENCODING 'UTF8' %s", name, locale)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := conn.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	at.Path = "/" + name
	in, err := pgx.Connect(t.Context(), at.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(context.Background()) })
	return at.String(), in
}
