package enlist

import (
	"context"
	"net/netip"
)

// This file has the Caller of a call, and the Account of a transaction.

// Actor says who makes a call, for the audit log. The key is in the Caller.
type Actor struct {
	Method  string // as in AuditRow
	User    string // as in AuditRow
	Address string // IP address and port, as in http.Request.RemoteAddr
}

// IP returns the address without its port, or "".
func (a *Actor) IP() string {
	port, err := netip.ParseAddrPort(a.Address)
	if err != nil {
		return ""
	}
	return port.Addr().Unmap().WithZone("").String()
}

// Retry identifies a repeated call by its Idempotency-Key so that it is executed
// once. reference.md: idempotency
type Retry struct {
	Header      string   // the Idempotency-Key
	Fingerprint [32]byte // of method and parameters, without the API key
}

// Caller identifies who makes a call: a valid key, its Account, and the Idempotency-Key of
// the call if it has one.
type Caller struct {
	Account *Account
	Key     *Key
	Retry   *Retry // nil without an Idempotency-Key
	Actor   Actor  // for the audit log

	User int64 // ID of the person who is signed in; 0: a key or the operator

	Hash *KeyHash // of the key that was sent; nil for an operator or a person, who need no key
}

// RequireWholeAccount refuses keys that are restricted to some Lists. reference.md: auth.restricted
func RequireWholeAccount(c *Caller) error {
	if c.Key.Lists != nil {
		return Refuse(Denied, "this key is restricted to some Lists")
	}
	return nil
}

// accountKey is the key of the Account in a context.
type accountKey struct{}

// Context returns a context for the transactions of the Caller.
func (c *Caller) Context(ctx context.Context) context.Context {
	if c.Account == nil {
		return ctx // the key was not in the cache
	}
	return WithAccount(ctx, c.Account.ID)
}

// WithAccount returns a context for transactions of an Account. The engine divides its connections
// between the Accounts.
func WithAccount(ctx context.Context, id AccountID) context.Context {
	return context.WithValue(ctx, accountKey{}, id)
}

// AccountOf returns the Account for which a transaction with this context runs. It returns 0 for
// a transaction of the service itself.
func AccountOf(ctx context.Context) AccountID {
	id, _ := ctx.Value(accountKey{}).(AccountID)
	return id
}

// Plan returns the Retry under which a plan is stored. Its Header differs from every
// Idempotency-Key, because an Idempotency-Key contains no space.
func (r *Retry) Plan() *Retry {
	return &Retry{Header: r.Header + " plan", Fingerprint: r.Fingerprint}
}
