package users

import "strings"

// This file says in words which browser has a session. It knows what the User-Agents of today's browsers have in them;
// where a browser is, nothing here knows: that would take a register of addresses, or another host.

// tokens are parts of User-Agents with what they stand for. The first one that is found counts: most browsers name others too.
type tokens []struct{ part, name string }

var browsers = tokens{{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
	{"Vivaldi/", "Vivaldi"}, {"DuckDuckGo/", "DuckDuckGo"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"}, {"CriOS/", "Chrome"},
	{"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"Trident/", "Internet Explorer"}}

var systems = tokens{{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"CrOS", "ChromeOS"},
	{"Mac OS X", "Mac"}, {"Linux", "Linux"}}

func (t tokens) in(agent string) string {
	for i := range t {
		if strings.Contains(agent, t[i].part) {
			return t[i].name
		}
	}
	return ""
}

// Software returns the browser and the operating system of a session by the User-Agent; "": not known.
func (s *Session) Software() (browser, system string) {
	return browsers.in(s.Agent), systems.in(s.Agent)
}
