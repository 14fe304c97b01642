package xmlrpc

import "strings"

// This file reads the tags of a call, and writes the JSON at the start and end of each element.

// markup reads what follows a "<".
func (r *Reader) markup() error {
	b, err := r.in.Peek(1)
	if err != nil {
		return noEOF(err)
	}
	switch b[0] {
	case '?':
		return r.skip("?>")
	case '!':
		return r.declaration()
	case '/':
		r.in.Discard(1)
		return r.endTag()
	}
	return r.startTag()
}

// declaration reads a comment or the start of a CDATA section.
func (r *Reader) declaration() error {
	const comment, cdata = "!--", "![CDATA["
	if b, _ := r.in.Peek(len(comment)); string(b) == comment {
		r.in.Discard(len(comment))
		return r.skip("-->")
	}
	if b, _ := r.in.Peek(len(cdata)); string(b) == cdata {
		r.in.Discard(len(cdata))
		r.cdata = true
		return nil
	}
	return refuse("a document type is not accepted")
}

// startTag reads a start tag or an empty element. It ignores attributes, such as declarations of name spaces.
func (r *Reader) startTag() error {
	name, err := r.tagName()
	if err != nil {
		return err
	}
	empty := false
	var quote byte
	for {
		c, err := r.in.ReadByte()
		switch {
		case err != nil:
			return noEOF(err)
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			if err := r.begin(name); err != nil || !empty {
				return err
			}
			return r.finish()
		}
		empty = c == '/'
	}
}

// endTag reads an end tag after "</".
func (r *Reader) endTag() error {
	tag, err := r.until(">", longestTag)
	if err != nil {
		return err
	}
	tag = strings.TrimRight(tag, whiteSpace)
	if top := r.top(); top.kind == document || tag != top.name {
		return refuse("unexpected </%s>", tag)
	}
	return r.finish()
}

// tagName reads the name of an element. It leaves the byte after the name.
func (r *Reader) tagName() (string, error) {
	tag, err := r.until(whiteSpace+"/>", longestTag)
	if err != nil {
		return "", err
	}
	r.in.UnreadByte() // the last operation was ReadByte
	return tag, nil
}

// begin begins an element.
func (r *Reader) begin(tag string) error {
	k, known := kinds[tag]
	top := r.top()
	if !known || top.text || !top.holds(k, top.n) {
		return refuse("unexpected <%s>", tag)
	}
	if top.n > 0 && top.kind != member {
		r.out = append(r.out, ',')
	}
	top.n++
	r.short = r.short[:0]
	switch k {
	case call, params, array, structure:
		r.depth++
		if r.depth > r.maxDepth {
			return &Error{Detail: "nested too deeply", Invalid: true}
		}
	}
	r.out = append(r.out, opening[k]...)
	r.open = append(r.open, frame{kind: k, name: tag})
	return nil
}

// finish ends the innermost element.
func (r *Reader) finish() error {
	f := *r.top()
	if !f.complete(f.n) {
		return refuse("<%s> is incomplete", f.name)
	}
	switch {
	case f.kind == call || f.kind == params || f.kind == array || f.kind == structure:
		r.depth--
	case f.kind == base64Text:
		if err := r.base64.close(); err != nil {
			return err
		}
	case f.short():
		r.out = appendScalar(r.out, f.kind, string(r.short))
	case f.kind == value && f.text:
		r.out = append(r.out, '"')
	case f.kind == value && f.n == 0:
		r.out = append(appendEscaped(append(r.out, '"'), r.short), '"')
	}
	r.short = r.short[:0]
	r.out = append(r.out, closing[f.kind]...)
	r.open = r.open[:len(r.open)-1]
	return nil
}
