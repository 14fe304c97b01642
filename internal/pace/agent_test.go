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
		{"Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)", Agent{UnknownDevice, "gmail", true}},
		{"YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html", Agent{UnknownDevice, "yahoo", true}},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)" + webKit + " Mobile/15E148", Agent{Mobile, "apple_mail", false}},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)" + webKit, Agent{Desktop, "apple_mail", false}},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)" + webKit + " Version/18.5 Safari/605.1.15", Agent{Desktop, "safari", false}},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Thunderbird/140.0", Agent{Desktop, "thunderbird", false}},
		{"Mozilla/4.0 (compatible; ms-office; MSOffice 16)", Agent{UnknownDevice, "outlook", false}},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0", Agent{Desktop, "edge", false}},
		{"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36", Agent{Mobile, "chrome", false}},
		{"Mozilla/5.0 (compatible; Googlebot/2.1)", Agent{UnknownDevice, "unknown", true}},
		{"Go-http-client/2.0", Agent{UnknownDevice, "unknown", true}},
		{"Some Mail/1.0", Agent{UnknownDevice, "unknown", false}},
	} {
		if got := ReadAgent(test.header); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.header, got, test.want)
		}
	}
}
