package pace

import (
	"regexp"
	"slices"
	"strings"
)

// This file reads the header User-Agent of a request for a link in a mail. Only the groups that it returns are stored,
// never the header or the address of the client. decisions.md: 60

// Device is the group of devices to which a User-Agent belongs.
type Device string

// The devices.
const (
	Desktop       Device = "desktop"
	Mobile        Device = "mobile"
	UnknownDevice Device = "unknown"
)

// MailClient is a group of mail programs. A mail that is read in a browser belongs to the group of the browser.
type MailClient struct {
	Key   string
	Title string
}

// unknownClient is the key of the group of all other programs.
const unknownClient = "unknown"

// mailClients are the groups. A User-Agent belongs to the first group that has one of its words.
var mailClients = []struct {
	MailClient
	words []string // in lower case
}{
	{MailClient{"gmail", "Gmail"}, []string{"googleimageproxy", "gmail"}},
	{MailClient{"yahoo", "Yahoo! Mail"}, []string{"yahoomailproxy", "yahoomobilemail"}},
	{MailClient{"outlook", "Outlook"}, []string{"outlook", "msoffice", "microsoft office"}},
	{MailClient{"thunderbird", "Thunderbird"}, []string{"thunderbird"}},
	{MailClient{"samsung", "Samsung Email"}, []string{"samsung"}},
	{MailClient{"lotus_notes", "HCL Notes"}, []string{"lotus-notes", "hcl notes"}},
	{MailClient{"edge", "Edge"}, []string{"edg/", "edge/", "edga/", "edgios/"}},
	{MailClient{"opera", "Opera"}, []string{"opr/", "opera"}},
	{MailClient{"firefox", "Firefox"}, []string{"firefox/", "fxios/"}},
	{MailClient{"chrome", "Chrome"}, []string{"chrome/", "crios/", "chromium/"}},
	{MailClient{"safari", "Safari"}, []string{"safari/"}},
	{MailClient{"apple_mail", "Apple Mail"}, []string{"applewebkit/"}}, // browsers have one more of the words above
	{MailClient{unknownClient, "Unknown"}, []string{""}},
}

// machineNames are the programs that fetch images or links of their own accord: virus scanners, previews and libraries.
// A name is a whole word, and * stands for any letters. So "bot" does not match CUBOT, which makes phones.
// An image proxy such as Gmail's is none: it fetches an image when a person opens the mail.
var machineNames = strings.Fields(`*bot *bots *crawl *crawler *crawling *spider *scan *scanner scanning *preview
	*previewer proofpoint mimecast barracuda symantec fireeye messagelabs safelinks facebookexternalhit headless*
	phantomjs curl wget python* java libwww httpclient okhttp axios`)

// machinePhrases are names of several words.
var machinePhrases = []string{"office existence discovery", "go-http-client", "node-fetch"}

// Agent is what a User-Agent says about a request.
type Agent struct {
	Device  Device
	Client  string // key of a MailClient
	Machine bool   // a program that no person operates
}

// ReadAgent returns the groups of a User-Agent. Apple Mail fetches all images of a mail through a proxy, whether or not
// a person reads the mail. This proxy sends only "Mozilla/5.0". Other proxies hide the device of the person.
func ReadAgent(header string) Agent {
	text := strings.ToLower(strings.TrimSpace(header))
	switch text {
	case "":
		return Agent{UnknownDevice, unknownClient, true}
	case "mozilla/5.0":
		return Agent{UnknownDevice, "apple_mail", true}
	}
	a := Agent{Device: deviceOf(text), Machine: isMachine(text)}
	for i := range mailClients {
		if hasAny(text, mailClients[i].words) {
			a.Client = mailClients[i].Key
			break
		}
	}
	if a.Machine || hasAny(text, []string{"imageproxy", "mailproxy"}) {
		a.Device = UnknownDevice
	}
	return a
}

// isMachine reports whether a User-Agent in lower case names a program that no person operates. The name of a phone is
// not searched. Apps of phones fetch images with okhttp.
func isMachine(text string) bool {
	rest, isPhone := withoutPhone(text)
	if hasAny(rest, machinePhrases) {
		return true
	}
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return r < 'a' || r > 'z' }) {
		isName := func(name string) bool { return matches(name, word) }
		if slices.ContainsFunc(machineNames, isName) && word != "cubot" && (word != "okhttp" || !isPhone) {
			return true
		}
	}
	return false
}

// matches reports whether a word is a name of machineNames.
func matches(name, word string) bool {
	if end, ok := strings.CutPrefix(name, "*"); ok {
		return strings.HasSuffix(word, end)
	}
	if begin, ok := strings.CutSuffix(name, "*"); ok {
		return strings.HasPrefix(word, begin)
	}
	return name == word
}

// androidComment matches the comment in which Android names the phone, as in "(Linux; Android 9; CUBOT_X18 Build/O1)".
// A comment that begins with "compatible" names a program.
var androidComment = regexp.MustCompile(`\((?:linux|android|mobile)[^()]*\bandroid\b[^()]*\)`)

// withoutPhone removes the name of an Android phone from a User-Agent.
func withoutPhone(text string) (rest string, isPhone bool) {
	rest = androidComment.ReplaceAllString(text, " ")
	return rest, rest != text
}

// deviceOf returns the device of a User-Agent in lower case.
func deviceOf(text string) Device {
	switch {
	case hasAny(text, []string{"iphone", "ipad", "ipod", "android", "mobile", "windows phone"}):
		return Mobile
	case hasAny(text, []string{"windows", "macintosh", "mac os x", "x11", "linux", "cros"}):
		return Desktop
	}
	return UnknownDevice
}

func hasAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// MailClients returns the groups of mail programs.
func MailClients() []MailClient {
	all := make([]MailClient, len(mailClients))
	for i := range mailClients {
		all[i] = mailClients[i].MailClient
	}
	return all
}

// MailClientOf returns the group with a key.
func MailClientOf(key string) MailClient {
	for i := range mailClients {
		if mailClients[i].Key == key {
			return mailClients[i].MailClient
		}
	}
	return MailClient{key, key} // a later version stored it
}
