package enlist

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// This file adds UTM parameters to the links of mails, by which web statistics tell from which mail a visitor came. A
// value is the same in all mails of a Batch, so that no data of a person gets into the statistics. decisions.md: 156

// UTM is what an Account or a Message says about UTM parameters. An empty value is that of the Account, and then the
// name of the List as source, "email" as medium, and the name of the Batch or the Message as campaign.
type UTM struct {
	Use                                     UTMUse
	Source, Medium, Campaign, Content, Term string
	Domains                                 string // those whose links get them, with their subdomains, separated by spaces; "": all
}

// UTMUse says whether links get UTM parameters.
type UTMUse string

// The values.
const (
	UTMOfAccount UTMUse = "account" // a Message does what its Account says
	UTMOn        UTMUse = "on"
	UTMOff       UTMUse = "off"
)

// UTMAttributes are the keys of a UTM, in their order on the wire.
var UTMAttributes = []Attribute[UTM]{
	useKey,
	TextKey("utm_source", func(u *UTM) *string { return &u.Source }, ReadUTMValue),
	TextKey("utm_medium", func(u *UTM) *string { return &u.Medium }, ReadUTMValue),
	TextKey("utm_campaign", func(u *UTM) *string { return &u.Campaign }, ReadUTMValue),
	TextKey("utm_content", func(u *UTM) *string { return &u.Content }, ReadUTMValue),
	TextKey("utm_term", func(u *UTM) *string { return &u.Term }, ReadUTMValue),
	TextKey("utm_domains", func(u *UTM) *string { return &u.Domains }, ReadUTMDomains),
}

var useKey = func() Attribute[UTM] {
	a := EnumKey("utm", func(u *UTM) *UTMUse { return &u.Use }, string(UTMOfAccount), string(UTMOn), string(UTMOff))
	a.Get = func(u *UTM) Value { return TextValue(cmp.Or(u.Use, UTMOfAccount)) }
	return a
}()

// utmKeys are the keys of a stored UTM.
func (u *UTM) utmKeys() map[string]*string {
	return map[string]*string{"use": (*string)(&u.Use), "source": &u.Source, "medium": &u.Medium, "campaign": &u.Campaign,
		"content": &u.Content, "term": &u.Term, "domains": &u.Domains}
}

// String returns a UTM as it is stored: "" for the zero value, "on", "off", or in the form source=News&medium=email.
func (u UTM) String() string {
	if u.Use == UTMOfAccount {
		u.Use = ""
	}
	values := make(url.Values)
	for key, at := range u.utmKeys() {
		if *at != "" {
			values.Set(key, *at)
		}
	}
	if u.Use != "" && len(values) == 1 {
		return string(u.Use)
	}
	return values.Encode()
}

// ParseUTM reads what String has written.
func ParseUTM(text string) (u UTM, err error) {
	if use := UTMUse(text); use == UTMOn || use == UTMOff {
		return UTM{Use: use}, nil
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return u, errUTM
	}
	at := u.utmKeys()
	for key, all := range values {
		if at[key] == nil || len(all) > 1 {
			return u, errUTM
		}
		*at[key] = all[0]
	}
	for _, key := range []string{"source", "medium", "campaign", "content", "term"} {
		if *at[key], err = ReadUTMValue(*at[key]); err != nil {
			return u, err
		}
	}
	if u.Use != "" && u.Use != UTMOn && u.Use != UTMOff {
		return u, errUTM
	}
	u.Domains, err = ReadUTMDomains(u.Domains)
	return u, err
}

const errUTM = Expected("on, off, or values such as source=News&medium=email&campaign=Spring&domains=example.com")

// maxUTM is the length of a value and of the domains in bytes.
const maxUTM = 200

// ReadUTMValue reads the value of a parameter. It has no merge fields: see UTM.
func ReadUTMValue(text string) (string, error) {
	text, err := ReadLine(text)
	if err != nil || len(text) > maxUTM || strings.Contains(text, "{{") {
		return "", Expected("a text of at most 200 bytes without merge fields")
	}
	return text, nil
}

// ReadUTMDomains reads domains, which spaces or commas separate.
func ReadUTMDomains(text string) (string, error) {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' })
	for _, domain := range all {
		if len(text) > 2000 || !strings.Contains(domain, ".") || strings.ContainsAny(domain, "/:@?#%") {
			return "", Expected("domains such as example.com, separated by spaces")
		}
	}
	return strings.Join(all, " "), nil
}

// Tag returns what is added to the links of a mail of a Message, or nil. u is that of the Message, and account that of
// its Account. key has signed the links to files, which get nothing.
func (u UTM) Tag(account UTM, list, campaign string, key *LinkKey) *LinkTag {
	if u.Use == UTMOff || u.Use != UTMOn && !account.IsOn() {
		return nil
	}
	t := &LinkTag{key: key, domains: strings.Fields(cmp.Or(u.Domains, account.Domains))}
	for i, value := range [...]string{cmp.Or(u.Source, account.Source, list), cmp.Or(u.Medium, account.Medium, "email"),
		cmp.Or(u.Campaign, account.Campaign, campaign), cmp.Or(u.Content, account.Content),
		cmp.Or(u.Term, account.Term)} {
		if value != "" {
			t.parts = append(t.parts, utmNames[i]+"="+url.QueryEscape(value))
			t.names = append(t.names, utmNames[i])
		}
	}
	t.all = strings.Join(t.parts, "&")
	return t
}

// IsOn reports whether the links of an Account get parameters if a Message says nothing else.
func (u UTM) IsOn() bool { return u.Use != UTMOff && u != UTM{} }

var utmNames = [...]string{"utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"}

// LinkTag is what is added to the links of a mail. A nil LinkTag adds nothing.
type LinkTag struct {
	key     *LinkKey
	domains []string // nil: all
	names   []string
	parts   []string // name=value, in the order of names
	all     string   // the parts
}

// String returns the parameters as a link has them.
func (t *LinkTag) String() string { return t.all }

// Domains returns the domains whose links get the parameters, or nil for all.
func (t *LinkTag) Domains() []string { return t.domains }

// Add returns a link with the parameters. A parameter that the link has already stays as it is, and the fragment stays at
// the end. Links that do not begin with http or https, links to other domains than those chosen, and those to files are
// returned as they are.
func (t *LinkTag) Add(link string) string {
	if t == nil || !t.holdsFor(link) {
		return link
	}
	before, fragment := link, ""
	if at := strings.IndexByte(link, '#'); at >= 0 {
		before, fragment = link[:at], link[at:]
	}
	query, added := "", t.all
	at := strings.IndexByte(before, '?')
	if at >= 0 {
		query = before[at+1:]
	}
	if strings.Contains(query, "utm_") {
		added = t.without(query)
	}
	switch {
	case added == "":
		return link
	case at < 0:
		return before + "?" + added + fragment
	case query == "" || strings.HasSuffix(query, "&"):
		return before + added + fragment
	}
	return before + "&" + added + fragment
}

// without returns the parameters that a query does not have.
func (t *LinkTag) without(query string) string {
	var known []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		known = append(known, strings.TrimPrefix(name, "amp;"))
	}
	var added []string
	for i, name := range t.names {
		if !slices.Contains(known, name) {
			added = append(added, t.parts[i])
		}
	}
	return strings.Join(added, "&")
}

func (t *LinkTag) holdsFor(link string) bool {
	scheme, rest, ok := strings.Cut(link, "://")
	if !ok || !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") {
		return false
	}
	if at := strings.LastIndex(link, "/"+string(LinkFile)+"/"); at >= 0 {
		if _, isFile := t.key.ReadFilePath(link[at:]); isFile {
			return false
		}
	}
	if len(t.domains) == 0 {
		return true
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	host := strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:])
	if at := strings.LastIndexByte(host, ':'); at >= 0 {
		host = host[:at]
	}
	host = strings.TrimSuffix(host, ".")
	return slices.ContainsFunc(t.domains, func(domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}
