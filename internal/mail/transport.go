package mail

import (
	"errors"
	"log/slog"

	"enlist/internal/audience"
)

// Transport says how finished messages leave.
type Transport struct {
	SMTP          string  // smtp[s]://user:password@host:port; "": into Dir
	Dir           string  // folder for .eml files
	Connections   int     // to the mail server at once; 0: 8
	Rate          float64 // messages a second; 0: no limit
	BounceAddress string  // where bounces are to go: local@host becomes local+TAG@host; "": to the sender
	DKIMKey       string  // file with a private key in PEM; "": messages are not signed
	DKIMDomain    string
	DKIMSelector  string
	Key           audience.LinkKey
	Log           *slog.Logger
}

func newSender(t Transport) (sender, error) { return nil, errors.ErrUnsupported }
