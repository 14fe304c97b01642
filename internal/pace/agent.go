package pace

import "strings"

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

// machineWords are parts of the User-Agents of programs that fetch images or links of their own accord: image proxies
// of mail providers, virus scanners, previews and libraries.
var machineWords = []string{"imageproxy", "mailproxy", "bot", "crawl", "spider", "scan", "preview", "proofpoint",
	"mimecast", "barracuda", "symantec", "fireeye", "messagelabs", "office existence discovery", "safelinks",
	"facebookexternalhit", "headless", "phantomjs", "curl/", "wget/", "python", "go-http-client", "java/", "libwww",
	"httpclient", "okhttp", "axios", "node-fetch"}

// Agent is what a User-Agent says about a request.
type Agent struct {
	Device  Device
	Client  string // key of a MailClient
	Machine bool   // a program that no person operates
}

// ReadAgent returns the groups of a User-Agent. Apple Mail fetches all images of a mail through a proxy, whether or not
// a person reads the mail. This proxy sends only "Mozilla/5.0".
func ReadAgent(header string) Agent {
	text := strings.ToLower(strings.TrimSpace(header))
	switch text {
	case "":
		return Agent{UnknownDevice, unknownClient, true}
	case "mozilla/5.0":
		return Agent{UnknownDevice, "apple_mail", true}
	}
	a := Agent{Device: deviceOf(text), Machine: hasAny(text, machineWords)}
	for i := range mailClients {
		if hasAny(text, mailClients[i].words) {
			a.Client = mailClients[i].Key
			break
		}
	}
	if a.Machine {
		a.Device = UnknownDevice
	}
	return a
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
