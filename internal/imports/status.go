package imports

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file recognises what a file of another service says about people who must get no mail: a state such as
// unsubscribed or cleaned, or a flag such as subscribed=false. Without it, a complete export of a service would mail
// all people who have left. decisions.md: 143

// What becomes of rows whose state is such. reference.md: import.status
const (
	StatusLeaveOut    = "leave_out"   // also without an answer
	StatusUnsubscribe = "unsubscribe" // as a row of a file of unsubscribers
	StatusSubscribe   = "subscribe"   // the state is ignored
)

// rowStatus is the state of a row.
type rowStatus struct {
	says   string // "": nothing, or that the person is subscribed
	column int
}

// statusKind is what the values of a column mean.
type statusKind int

const (
	noStatus  statusKind = iota
	isState              // a word
	isStaying            // a flag or a word: no means that the person has left
	isLeft               // a flag, a time or a reason: any other value than no means that the person has left
)

// statusNames are names of columns as plain writes them, by what their values mean. They are of Mailchimp, Ghost,
// listmonk, Brevo, Keila, Mailtrain, Substack, Shopify, Klaviyo, HubSpot, Salesforce, Constant Contact, MailerLite, Kit,
// phpList, CleverReach, Mailjet, Beehiiv and Buttondown, and the words of the languages of pages for subscribers and of
// Japanese.
var statusNames = map[statusKind]string{
	isState: "status,state,subscription,subscription status,subscription state,subscriber status,email status," +
		"email marketing status,email marketing consent,marketing status,mailing status,list status," +
		"contact status,member status,email permission status,email subscriber status,opt in status," +
		"global status,subscribe type,subscription type,abostatus,statut,estado,stato,trạng thái,状态,状態,会員状態," +
		"配信状態,購読状態,ステータス",
	isStaying: "subscribed,is subscribed,subscribed to emails,subscribed to newsletter,opt in,optin,opted in," +
		"email opt in,accepts marketing,accepts email marketing,marketing consent,email consent,active,enabled," +
		"mailable,confirmed,is confirmed,email confirmed,angemeldet,abonniert,aktiv,abonné,inscrit,suscrito," +
		"activo,iscritto,attivo,ingeschreven,actief,inscrito,ativo,已订阅",
	isLeft: "unsub,unsubscribe,unsubscription date,deactivated,deactivated at,excluded," +
		"is excluded from campaigns,bounce,unsubscribed,unsubscribed at,unsubscribed on,unsubscribed date," +
		"unsubscribe date,unsubscribe time,unsub time,unsub reason,unsub campaign title,opt out,optout," +
		"opted out,opt out time,opt out date,opted out at,email opt out,has opted out of email,email optout," +
		"unsubscribed from all email,blocklisted,blacklisted,email blacklisted,blocked,suppressed,bounced," +
		"bounced at,bounce date,hard bounced,hard bounce,cleaned,cleaned at,clean time,clean campaign title," +
		"complained,complained at,spam complaint,email disabled,disabled,do not email,do not contact,dnc," +
		"deleted at,abgemeldet,abgemeldet am,ausgetragen,gesperrt,désabonné,désinscrit,baja,dado de baja," +
		"disiscritto,uitgeschreven,afgemeld,descadastrado,cancelado,已退订",
}

// leftWords are the states in which a person must get no mail, also because the person has not confirmed yet.
// strongWords have this meaning in each column.
const (
	strongWords = "unsubscribed,unsubscribe,opted out,opt out,optout,blocklisted,blacklisted,cleaned," +
		"hard bounced,hard bounce,spam complaint,abgemeldet,désabonné,désinscrit,dado de baja,disiscritto," +
		"uitgeschreven,descadastrado,已退订,unactivated,退会,配信停止,購読解除"
	leftWords = "inactive,cancelled,canceled,validating,unverified,not verified,disabled,bounced,bounce," +
		"soft bounced,undeliverable,unreachable,invalid,suppressed,blocked,banned,suspended,deleted,removed," +
		"archived,pending,unconfirmed,not confirmed,nonsubscribed,non subscribed,not subscribed," +
		"never subscribed,not opted in,transactional,complained,complaint,abuse,spam,junk,no consent," +
		"no permission,inaktiv,gesperrt,ausgetragen,unbestätigt,inactif,inactivo,baja,inattivo,inactief," +
		"afgemeld,inativo,cancelado"
)

// strongFirst are the first letters of the strong words of ASCII: nearly all other cells need no look-up.
const strongFirst = "uobchsad"

var (
	statusByName = byWord(statusNames)
	isStrong     = byWord(map[statusKind]string{isLeft: strongWords})
	isWeak       = byWord(map[statusKind]string{isLeft: leftWords})
)

// byWord splits lists of words.
func byWord(lists map[statusKind]string) map[string]statusKind {
	kinds := make(map[string]statusKind)
	for kind, list := range lists {
		for word := range strings.SplitSeq(list, ",") {
			kinds[word] = kind
		}
	}
	return kinds
}

// inside matches the start of a word inside a name such as HasOptedOutOfEmail.
var inside = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// nameOfColumn is plain for a name that may be written as HasOptedOutOfEmail.
func nameOfColumn(name string) string { return plain(inside.ReplaceAllString(name, "$1 $2")) }

// plain returns a name or a word in lower case, with a space for each other separator: Opt-Out, opt_out and OPT OUT are
// one word.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return c == '_' || c == '-' || c == '.' || unicode.IsSpace(c)
	}), " ")
}

// statusOfColumn returns what the values of a column mean, by its name.
func statusOfColumn(name string) statusKind { return statusByName[nameOfColumn(name)] }

// maxStatus is longer than any word of a state, in bytes.
const maxStatus = 32

// left returns what a cell says of a person who must get no mail, or "".
func (k statusKind) left(cell any) string {
	text := strings.TrimSpace(textOf(cell))
	if text == "" || len(text) > maxStatus && k != isLeft ||
		k == noStatus && text[0] < utf8.RuneSelf && strings.IndexByte(strongFirst, text[0]|0x20) < 0 {
		return ""
	}
	word := plain(text)
	ticked, isFlag := TickOf(word)
	has := isStrong[word] != noStatus
	switch k {
	case isState:
		has = has || isWeak[word] != noStatus
	case isStaying:
		has = has || isWeak[word] != noStatus || isFlag && !ticked
	case isLeft:
		has = !(isFlag && !ticked) && strings.Trim(word, "0 :") != "" && word != "null" && word != "never"
	}
	if !has {
		return ""
	}
	return shorten(text, maxStatus)
}

// reason says why a row is left out.
func (s rowStatus) reason(columns []ImportColumn) string {
	return fmt.Sprintf("the column %s says %s", columns[s.column].Name, s.says)
}

// isLeaving reports whether the row is of a person who must get no mail, and is no Contact to add.
func (r *importRow) isLeaving(o *ImportOptions) bool {
	return r.status.says != "" && o.Status != StatusSubscribe
}
