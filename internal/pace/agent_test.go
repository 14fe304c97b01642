package pace

import "testing"

// The User-Agents are of real programs.
//
// covers: spec batch.events, decision 60
func TestReadAgent(t *testing.T) {
	const webKit = " AppleWebKit/605.1.15 (KHTML, like Gecko)"
	for _, test := range []struct {
		header string
		want   Agent
	}{
		{"", Agent{UnknownDevice, "unknown", true}},
		{"Mozilla/5.0", Agent{UnknownDevice, "apple_mail", true}},
		{"Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)", Agent{UnknownDevice, "gmail", false}},
		{"YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html", Agent{UnknownDevice, "yahoo", false}},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)" + webKit + " Mobile/15E148", Agent{Mobile, "apple_mail", false}},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)" + webKit, Agent{Desktop, "apple_mail", false}},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)" + webKit + " Version/18.5 Safari/605.1.15", Agent{Desktop, "safari", false}},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Thunderbird/140.0", Agent{Desktop, "thunderbird", false}},
		{"Mozilla/4.0 (compatible; ms-office; MSOffice 16)", Agent{UnknownDevice, "outlook", false}},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0", Agent{Desktop, "edge", false}},
		{"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36", Agent{Mobile, "chrome", false}},
		{"Mozilla/5.0 (compatible; Googlebot/2.1)", Agent{UnknownDevice, "unknown", true}},
		{"Mozilla/5.0 (compatible; MailRuImageProxy/1.0)", Agent{UnknownDevice, "unknown", false}},
		{"Mozilla/5.0 (Linux; Android 9; CUBOT_X18_Plus Build/PPR1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36", Agent{Mobile, "chrome", false}},
		{"UCWEB/2.0 (Linux; U; Adr 5.1; en-US; CUBOT X9) U2/1.0.0 UCBrowser/10.9.8.1006 Mobile", Agent{Mobile, "unknown", false}},
		{"Dalvik/2.1.0 (Linux; U; Android 13; SM-G991B Build/TP1A.220624.014)", Agent{Mobile, "unknown", false}},
		{"Dalvik/2.1.0 (Linux; U; Android 12; Robot Scan 5 Build/SP1A) okhttp/4.9.3", Agent{Mobile, "unknown", false}},
		{"Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0", Agent{Mobile, "firefox", false}},
		{"ScanSnap Home/2.0 (Windows NT 10.0)", Agent{Desktop, "unknown", false}},
		{"okhttp/4.12.0", Agent{UnknownDevice, "unknown", true}},
		{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1)", Agent{UnknownDevice, "chrome", true}},
		{"Mozilla/5.0 (compatible; Android; AdsBot-Google-Mobile)", Agent{UnknownDevice, "unknown", true}},
		{"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", Agent{UnknownDevice, "unknown", true}},
		{"Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5", Agent{UnknownDevice, "unknown", true}},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/138.0.0.0 Safari/537.36", Agent{UnknownDevice, "chrome", true}},
		{"python-requests/2.32.3", Agent{UnknownDevice, "unknown", true}},
		{"Apache-HttpClient/4.5.14 (Java/17.0.2)", Agent{UnknownDevice, "unknown", true}},
		{"Go-http-client/2.0", Agent{UnknownDevice, "unknown", true}},
		{"Some Mail/1.0", Agent{UnknownDevice, "unknown", false}},
	} {
		if got := ReadAgent(test.header); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.header, got, test.want)
		}
	}
}
