package webhooks

import (
	"crypto/rand"
	"encoding/base64"
	"strings"

	"enlist/internal/enlist"
)

// This file has the secrets with which the server signs events. A secret has the form that the
// specification Standard Webhooks defines: "whsec_" and the key in base64.

const (
	secretPrefix   = "whsec_"
	newSecretBytes = 32 // length of a key that the server creates
	minSecretBytes = 24
	maxSecretBytes = 64
)

// readWebhookSecret accepts a secret, or "" if the server should create one.
func readWebhookSecret(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	if _, ok := WebhookKey(text); !ok {
		return "", enlist.Expected(`a secret, "whsec_" and 24 to 64 bytes in base64`)
	}
	return text, nil
}

// WebhookKey returns the key in a secret. A key has 24 to 64 bytes. ok is false if the text is
// not a secret. Each key has only one valid spelling. decisions.md: 52
func WebhookKey(secret string) (key []byte, ok bool) {
	encoded, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		return nil, false
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(key) < minSecretBytes || len(key) > maxSecretBytes {
		return key, false
	}
	return key, base64.StdEncoding.EncodeToString(key) == encoded // DecodeString skips line breaks
}

// NewWebhookSecret returns a random secret.
func NewWebhookSecret() string {
	var key [newSecretBytes]byte
	rand.Read(key[:]) // crypto/rand never returns an error
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}
