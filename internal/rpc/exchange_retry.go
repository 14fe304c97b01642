package rpc

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"enlist/api"
	"enlist/internal/enlist"
)

// This file reads the header Idempotency-Key and computes the fingerprint of a call. The service
// uses both to recognise a repeated call. The database stores fingerprints, so the computation of
// a fingerprint must not change. reference.md: idempotency

// maxRetryKey is the largest length of an Idempotency-Key in bytes.
const maxRetryKey = 255

// errRetryHeader refuses a call with an invalid Idempotency-Key. The caller asked for protection
// against a second execution, so the server must not execute the call without this protection.
var errRetryHeader = refuse(api.CodeInvalidParameters,
	"Idempotency-Key is 1 to %d visible ASCII characters", maxRetryKey)

// retry returns a copy of the caller with the Idempotency-Key and fingerprint of this call. If the
// request has no Idempotency-Key, it returns the caller unchanged. index is the position of the
// call in a batch, or outsideBatch. The position becomes part of the Idempotency-Key, because all
// calls of a batch have the same header.
func (x *exchange) retry(
	caller *enlist.Caller, m *method, values []enlist.Input, index int,
) (*enlist.Caller, error) {
	headers := x.request.Header["Idempotency-Key"]
	if len(headers) == 0 {
		return caller, nil
	}
	header := headers[0]
	if len(headers) > 1 || header == "" || len(header) > maxRetryKey {
		return nil, errRetryHeader
	}
	for _, c := range []byte(header) {
		if c <= ' ' || c >= 0x7f {
			return nil, errRetryHeader
		}
	}
	if index >= 0 {
		header += " " + strconv.Itoa(index) // unique: a valid header contains no space
	}
	again := *caller
	again.Retry = &enlist.Retry{Header: header, Fingerprint: fingerprint(m.name, values)}
	return &again, nil
}

// fingerprint returns the SHA-256 of a method and its parameters, without the API key. White
// space and the escapes in strings do not change the fingerprint. The order of the members of an
// object and the spelling of a number change it.
func fingerprint(method string, values []enlist.Input) (sum [32]byte) {
	b := appendForHash(nil, &enlist.Input{Kind: enlist.InputText, Text: method})
	for i := 1; i < len(values); i++ {
		b = appendForHash(b, &values[i])
	}
	return sha256.Sum256(b)
}

// kindBytes has one byte for each enlist.InputKind, in the order of the constants.
const kindBytes = `n"0tf[{`

// appendForHash appends the kind of a value, its text and its items. The length of the text and
// the number of items precede them, so that different values have different encodings.
func appendForHash(b []byte, v *enlist.Input) []byte {
	b = append(b, kindBytes[v.Kind])
	b = binary.AppendUvarint(b, uint64(len(v.Text)))
	b = append(b, v.Text...)
	b = binary.AppendUvarint(b, uint64(len(v.Items)))
	for i := range v.Items {
		b = binary.AppendUvarint(b, uint64(len(v.Items[i].Name)))
		b = append(b, v.Items[i].Name...)
		b = appendForHash(b, &v.Items[i])
	}
	return b
}
