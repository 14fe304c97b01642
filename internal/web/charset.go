package web

import (
	"mime"
	"net/http"
	"net/url"

	"golang.org/x/text/encoding/htmlindex"
)

// This file reads forms that a page or a program has sent in another encoding than UTF-8.

// charsetInput is a hidden input into which a browser writes the encoding of the form. HTML standard, 4.10.22.5
const charsetInput = "_charset_"

// decodeForm converts the values of a form to UTF-8 from the encoding that the form or its header Content-Type names.
// It leaves a form with an unknown encoding as it is, whose values are then refused if they are not UTF-8.
func decodeForm(r *http.Request) {
	name := r.PostForm.Get(charsetInput)
	if name == "" {
		_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil {
			return
		}
		name = parameters["charset"]
	}
	encoding, err := htmlindex.Get(name)
	if err != nil {
		return
	}
	decoded := make(url.Values, len(r.PostForm))
	for key, values := range r.PostForm {
		for _, value := range values {
			if text, err := encoding.NewDecoder().String(value); err == nil {
				value = text
			}
			decoded.Add(key, value)
		}
	}
	r.PostForm = decoded
}
