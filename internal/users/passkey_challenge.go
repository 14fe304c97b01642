package users

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"enlist/internal/db"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// This file has what a browser signs with a passkey: for which site, and a challenge. A challenge is a signed text and
// not a row, so that a stranger who loads the page of the sign-in stores nothing. decisions.md: 135

// relyingParty returns the site that passkeys are for: exactly the host of the public URL. A page at a host below it may
// belong to others. It returns nil for any other host, and where browsers have no passkeys: without HTTPS, except on this
// machine. host is the Host of a request.
func (s *Service) relyingParty(host string) *webauthn.WebAuthn {
	public, err := url.Parse(s.settings.PublicURL)
	if err != nil || public.Hostname() == "" {
		return nil
	}
	id, port := strings.ToLower(public.Hostname()), public.Port()
	if ip, err := netip.ParseAddr(id); err == nil && ip.IsLoopback() {
		id = "localhost" // passkeys are for names
	}
	origin := public.Scheme + "://" + id
	usual := map[string]string{"https": "443", "http": "80"}[public.Scheme]
	if port != "" && port != usual { // browsers leave the usual one out
		origin += ":" + port
	}
	asked := strings.TrimSuffix(public.Scheme+"://"+strings.ToLower(host), ":"+usual)
	if asked != origin || public.Scheme != "https" && id != "localhost" {
		return nil
	}
	w, err := webauthn.New(&webauthn.Config{RPID: id, RPDisplayName: "enlist",
		RPOrigins:             []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired,
			RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired},
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore, // no rule depends on extensions
	})
	if err != nil {
		return nil // the host is an address, or no name that a browser accepts
	}
	return w
}

// ceremony is what the library checks an answer against.
func ceremony(challenge string) webauthn.SessionData {
	return webauthn.SessionData{Challenge: challenge, UserVerification: protocol.VerificationRequired}
}

// handleOf identifies a user in a device. It says nothing about the user.
func handleOf(id UserID) []byte { return []byte("person " + strconv.FormatInt(int64(id), 10)) }

// challengeTime is the time in seconds for which a challenge is valid: as long as a page may stay open.
const challengeTime = 60 * 60

// The purposes of challenges. One is not valid for another.
const signInPasskey = "sign in"

// addPasskey is the purpose of a challenge with which the visitor adds a passkey in the present session.
func addPasskey(v *Visit) string {
	return "add in session " + strconv.FormatInt(int64(v.Session.ID), 10)
}

const challengeRandom = 8 + 24 // bytes of the expiry, and random ones

// newChallenge returns a challenge: when it expires, random bytes, and a signature of both for a purpose.
func (s *Service) newChallenge(purpose string) []byte {
	c := make([]byte, challengeRandom)
	binary.BigEndian.PutUint64(c, uint64(s.db.Now().Unix()+challengeTime))
	rand.Read(c[8:]) // crypto/rand never returns an error
	return append(c, s.settings.Key.Challenge(purpose, c)...)
}

// isChallenge reports whether newChallenge has returned a challenge, in base64url, for a purpose less than
// challengeTime ago.
func (s *Service) isChallenge(text, purpose string) bool {
	c, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(c) < challengeRandom {
		return false
	}
	return hmac.Equal(c[challengeRandom:], s.settings.Key.Challenge(purpose, c[:challengeRandom])) &&
		s.db.Now().Unix() < expiryOf(c)
}

func expiryOf(challenge []byte) int64 { return int64(binary.BigEndian.Uint64(challenge)) }

// useChallenge makes a challenge invalid. Errors: ErrPasskey if it is already.
func useChallenge(tx *db.Tx, text string, now int64) error {
	if err := tx.Do("DELETE FROM passkey_challenge WHERE expiry_time <= ?", now); err != nil {
		return err
	}
	c, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	hash := hashOf(string(c))
	used, err := tx.Number("SELECT count(*) FROM passkey_challenge WHERE hash = ?", hash[:])
	if err != nil {
		return err
	}
	if used > 0 {
		return ErrPasskey
	}
	return tx.Do("INSERT INTO passkey_challenge (hash, expiry_time) VALUES (?, ?)", hash[:], expiryOf(c))
}
