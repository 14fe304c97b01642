package accounts

import (
	"cmp"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file has the table of the settings: what the operator sets for the whole service, and some of it for
// single Accounts. setting_edit.go changes and reads them, setting_sql.go stores them. The flags of a process are
// in package config: addresses, the database, TLS, memory, the mail server, logging. "enlist settings list" and
// doc/settings.md are made from this table. decisions.md: 63, 107, 110

// Settings are the values of all settings. They do not change: ReadSettings replaces them.
type Settings struct {
	FromName string // display name of From; "": the name of the List
	From     string // sender of a mail if neither its Message nor its List has a sender; "": none
	MailRate float64
	Bounces  BounceAddress
	DKIM     *enlist.SigningKey // for the mails from domains that are no sending domain; nil: they are not signed

	Rates    *pace.RateLimits
	Calendar *pace.Calendar
	Warmup   *pace.Warmup

	KeyRate       enlist.CallRate // Calls is 0 or less without a limit
	MaxFile       int64           // largest size of a file, in bytes
	MaxFiles      int64           // largest sum of the sizes of an Account's files, in bytes
	MaxImport     int64           // largest file to import over HTTP, in bytes
	SearchIndexes int             // largest number of automatic indexes in a place
	TimeZone      string          // of a new Account; "": that of the server
	CountryCode   int64           // telephone code of new Lists; 0: not chosen
	UTM           enlist.UTM      // of the links in mails
	ApproveAbove  int64           // Contacts to whom a Batch goes without the approval of a second user; 0: to all
	ApproveKeys   bool            // also for Batches of API keys
	SendDelay     int64           // minutes in which a person can stop a Batch before it begins

	dkimKey                  crypto.Signer
	dkimDomain, dkimSelector string

	accounts map[enlist.AccountID]*Settings // those of Accounts that have a value of their own
}

// ListCountry returns the telephone country code of a List that a command makes.
func (s *Settings) ListCountry() int64 { return cmp.Or(s.CountryCode, enlist.DefaultCountryCode) }

// Of returns the values for an Account.
func (s *Settings) Of(account enlist.AccountID) *Settings {
	return cmp.Or(s.accounts[account], s)
}

// BounceAddress is the address to which undeliverable mails are returned. The zero value is no address.
type BounceAddress struct{ Local, Domain string } // the domain in ASCII

// Setting is a row of the table.
type Setting struct {
	Name      string
	Default   string // "": none
	Example   string // a value that is accepted
	Says      string
	OfAccount bool // an Account can have a value of its own
	IsFile    bool // the value is the text of a file, which is never shown
	parse     func(s *Settings, text string) error
}

// SettingTable has all settings, in the order in which they are printed.
var SettingTable = []Setting{
	{Name: "mail-from", Example: "News <news@example.com>", OfAccount: true, parse: parseFrom,
		Says: "Sender of a mail if neither its Message nor its List has a sender: an address, or a name and an address. " +
			"Without it, such mails wait."},
	{Name: "mail-rate", Default: "0", Example: "20", parse: parseMailRate,
		Says: "Largest number of mails that each server sends per second; 0: no limit."},
	{Name: "bounce-address", Example: "bounces@example.com", parse: parseBounceAddress,
		Says: "Address for bounces, LOCAL@HOST. Mails are sent with the envelope sender LOCAL+TAG@HOST, and " +
			"the mail server passes mails to it on to enlist bounce."},
	{Name: "dkim-key", Example: "@/etc/enlist/dkim.pem", IsFile: true, parse: parseDKIMKey,
		Says: "Private key that signs mails from all domains but the sending domains of Accounts: @ and the path of a file " +
			"in PEM format, RSA or Ed25519. The key is copied into the database."},
	{Name: "dkim-domain", Example: "example.com", parse: parseDKIMDomain,
		Says: "Domain of these signatures. The default is the domain of mail-from."},
	{Name: "dkim-selector", Default: "enlist", Example: "enlist", parse: parseDKIMSelector,
		Says: "Selector of these signatures: the DNS record of the public key is at SELECTOR._domainkey of the domain."},
	{Name: "batch-rate", Example: "relay=100/second recipient:gmail=20/second,5000/day", parse: parseBatchRate,
		Says: "Limits of the mails of Batches, which all servers share, separated by spaces: relay (all mails), sender " +
			"(each domain of senders), sender:DOMAIN, recipient (each domain of recipients), recipient:GROUP, where " +
			"GROUP is gmail, microsoft, yahoo, apple or a domain. The periods are second, minute, hour and day."},
	{Name: "batch-calendar", Example: "mon-fri 8:00-18:00 Europe/Berlin", parse: parseBatchCalendar,
		Says: "Days, hours and time zone in which the mails of Batches are sent. By default they are sent at any time."},
	{Name: "batch-warmup", Example: "2027-01-31 500 1.5", parse: parseBatchWarmup,
		Says: "Largest number of mails of Batches a day for a new mail server: the first day, the mails on this day, and " +
			"the factor by which each following day has more."},
	{Name: "key-rate", Default: "none", Example: "600/minute,burst=50", OfAccount: true, parse: parseKeyRate,
		Says: "Largest rate of the calls of a key that has no rate of its own. A call over it is refused. Each server " +
			"counts its own calls."},
	{Name: "max-file", Default: "10MiB", Example: "20MiB", OfAccount: true, parse: parseMaxFile,
		Says: "Largest size of an uploaded file. A request has the file in base64 and must be at most 1/16 of " +
			"serve --memory."},
	{Name: "max-files", Default: "1GiB", Example: "5GiB", OfAccount: true, parse: parseMaxFiles,
		Says: "Largest size of all files of one Account together. The database stores them."},
	{Name: "max-import", Default: "1GiB", Example: "2GiB", OfAccount: true, parse: parseMaxImport,
		Says: "Largest file that is imported over HTTP. The database stores it until the import ends."},
	{Name: "search-indexes", Default: "64", Example: "0", parse: parseSearchIndexes,
		Says: "Largest number of indexes that the server builds by itself for searches: in a SQLite file, or in each of " +
			"the 16 partitions on PostgreSQL; 0: none."},
	{Name: "timezone", Example: "Europe/Berlin", parse: parseTimeZone,
		Says: "Time zone of a new Account, and of the first one. By default it is that of the server."},
	{Name: "country-code", Example: "49", OfAccount: true, parse: parseCountryCode,
		Says: "Telephone country code for numbers without one in Lists that pages and commands make. By default pages ask, " +
			"and commands use 61, as the method addList does."},
	{Name: "utm", Default: "off", Example: "source=News&domains=example.com", OfAccount: true, parse: parseUTM,
		Says: "UTM parameters of the links in mails, if the Message says nothing else: off, on, or values: source (else the " +
			"List's name), medium (else email), campaign (else the name of the Batch or the Message), content, term, and " +
			"domains whose links get them (else all)."},
	{Name: "send-delay", Default: "1", Example: "5", OfAccount: true, parse: parseSendDelay,
		Says: "Minutes, 0 to 10, in which a user can stop a campaign to more than 100 Contacts after the button Send now."},
	{Name: "approve-above", Default: "0", Example: "1000", OfAccount: true, parse: parseApproveAbove,
		Says: "A campaign to more Contacts than this begins only after a second user has approved it; 0: no campaign needs it."},
	{Name: "approve-keys", Default: "no", Example: "yes", OfAccount: true, parse: parseApproveKeys,
		Says: "Whether approve-above is also for Batches that programs add with API keys: yes or no."},
}

// FindSetting returns the row of a name. Errors: InvalidParameters.
func FindSetting(name string) (*Setting, error) {
	i := slices.IndexFunc(SettingTable, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return nil, enlist.Refuse(enlist.InvalidParameters, "there is no setting %q: enlist settings list prints all",
			name)
	}
	return &SettingTable[i], nil
}

// read parses a value into s. The error has an example. Errors: InvalidParameters.
func (row *Setting) read(s *Settings, value string) error {
	if err := row.parse(s, value); err != nil {
		return enlist.Refuse(enlist.InvalidParameters, "%s: %v; for example: %s='%s'", row.Name, err, row.Name,
			row.Example)
	}
	return nil
}

// defaultSettings returns the values without any stored setting.
func defaultSettings() *Settings {
	s := new(Settings)
	for i := range SettingTable {
		if row := &SettingTable[i]; row.Default != "" {
			if err := row.read(s, row.Default); err != nil {
				panic(err) // a default of the table is invalid
			}
		}
	}
	return s
}

// newSettings parses stored settings and checks that they fit together. It ignores names that this version of the
// program does not know: a newer one may have stored them. Errors: InvalidParameters.
func newSettings(stored []StoredSetting) (*Settings, error) {
	service := defaultSettings()
	if err := service.apply(stored, 0); err != nil {
		return nil, err
	}
	service.accounts = make(map[enlist.AccountID]*Settings)
	for _, v := range stored {
		if v.Account != 0 && service.accounts[v.Account] == nil {
			of := *service
			of.accounts = nil
			if err := of.apply(stored, v.Account); err != nil {
				return nil, err
			}
			service.accounts[v.Account] = &of
		}
	}
	return service, nil
}

// apply parses the values of an Account, or with 0 those of the service.
func (s *Settings) apply(stored []StoredSetting, account enlist.AccountID) error {
	for _, v := range stored {
		row, err := FindSetting(v.Name)
		if err != nil || v.Account != account {
			continue
		}
		if err := row.read(s, v.Value); err != nil {
			return err
		}
	}
	return s.complete()
}

// complete checks settings that depend on each other, and joins the three of DKIM.
func (s *Settings) complete() error {
	s.DKIM = nil
	domain := cmp.Or(s.dkimDomain, address.Domain(s.From))
	switch {
	case s.MaxFiles < s.MaxFile:
		return enlist.Refuse(enlist.InvalidParameters, "max-files must be at least max-file")
	case s.dkimKey == nil && s.dkimDomain != "":
		return enlist.Refuse(enlist.InvalidParameters, "dkim-domain needs dkim-key, the private key")
	case s.dkimKey != nil && domain == "":
		return enlist.Refuse(enlist.InvalidParameters,
			"dkim-key needs dkim-domain, or mail-from, whose domain is the default")
	case s.dkimKey != nil:
		s.DKIM = &enlist.SigningKey{Domain: domain, Selector: s.dkimSelector, Signer: s.dkimKey}
	}
	return nil
}

func parseFrom(s *Settings, text string) error {
	name, from := "", text
	if strings.Contains(text, "<") {
		parsed, err := mail.ParseAddress(text)
		if err != nil {
			return errors.New("expected an address, or a name and an address")
		}
		name, from = parsed.Name, parsed.Address
	}
	if _, _, ok := address.ParseEmail(from); !ok {
		return fmt.Errorf("%q is not an address", from)
	}
	s.FromName, s.From = name, from
	return nil
}

func parseMailRate(s *Settings, text string) (err error) {
	s.MailRate, err = strconv.ParseFloat(text, 64)
	if err != nil || !(s.MailRate >= 0 && s.MailRate < 1e9) {
		return errors.New("expected a number of mails, 0 or more")
	}
	return nil
}

// MaxBounceLocal is the greatest length of the local part of a bounce address, in bytes. Each
// mail server accepts 64 octets before the @ (RFC 5321, 4.5.3.1.1). The other octets are for the
// plus sign and the tag of a delivery. In the tag, the ID of the List can have five digits, and
// the ID of the Contact nine.
const MaxBounceLocal = 12

func parseBounceAddress(s *Settings, text string) error {
	spelling, key, ok := address.ParseEmail(text)
	if !ok || spelling[0] == '"' {
		return fmt.Errorf("%q is not an address", text)
	}
	at := strings.LastIndexByte(spelling, '@')
	if at > MaxBounceLocal {
		return fmt.Errorf("use at most %d characters before the @, because +TAG is added there, the name of the delivery",
			MaxBounceLocal)
	}
	s.Bounces = BounceAddress{spelling[:at], key[strings.LastIndexByte(key, '@')+1:]}
	return nil
}

// minRSA is the shortest RSA key that receivers accept, in bits. RFC 8301, 3.2
const minRSA = 1024

func parseDKIMKey(s *Settings, text string) error {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return errors.New("the file is not a private key in PEM format, RSA or Ed25519")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if err != nil { // the cause could show a part of the key
		return errors.New("the file is not a private key in PEM format, RSA or Ed25519")
	}
	switch key := key.(type) {
	case *rsa.PrivateKey:
		if key.N.BitLen() < minRSA {
			return fmt.Errorf("the key has %d bits, which receivers reject: create a key of 2048 bits", key.N.BitLen())
		}
		s.dkimKey = key
	case ed25519.PrivateKey:
		s.dkimKey = key
	default:
		return errors.New("the file has a key of another type than RSA and Ed25519")
	}
	return nil
}

func parseDKIMDomain(s *Settings, text string) (err error) {
	s.dkimDomain, err = readDomain(text)
	return err
}

func parseDKIMSelector(s *Settings, text string) error {
	for label := range strings.SplitSeq(text, ".") {
		if !selectorForm.MatchString(strings.ToLower(label)) {
			return errors.New("expected letters, digits and hyphens")
		}
	}
	s.dkimSelector = text
	return nil
}

func parseBatchRate(s *Settings, text string) (err error) {
	s.Rates, err = pace.ParseRateLimits(strings.Fields(text))
	return err
}

func parseBatchCalendar(s *Settings, text string) (err error) {
	s.Calendar, err = pace.ParseCalendar(text)
	return err
}

func parseBatchWarmup(s *Settings, text string) (err error) {
	s.Warmup, err = pace.ParseWarmup(text)
	return err
}

func parseKeyRate(s *Settings, text string) (err error) {
	s.KeyRate, err = enlist.ParseCallRate(text)
	if err == nil && s.KeyRate == (enlist.CallRate{}) {
		err = errors.New("expected a rate, or none") // "default" is a value of keys
	}
	return err
}

func parseMaxFile(s *Settings, text string) error   { return parseSize(&s.MaxFile, text) }
func parseMaxFiles(s *Settings, text string) error  { return parseSize(&s.MaxFiles, text) }
func parseMaxImport(s *Settings, text string) error { return parseSize(&s.MaxImport, text) }

func parseSize(to *int64, text string) error {
	var size enlist.Size
	if err := size.UnmarshalText([]byte(text)); err != nil {
		return err
	}
	if size < 1 {
		return errors.New("the size must be at least 1")
	}
	*to = int64(size)
	return nil
}

func parseSearchIndexes(s *Settings, text string) (err error) {
	s.SearchIndexes, err = strconv.Atoi(text)
	if err != nil || s.SearchIndexes < 0 {
		return errors.New("expected a number, 0 or more")
	}
	return nil
}

func parseTimeZone(s *Settings, text string) error {
	s.TimeZone = text
	return enlist.CheckTimeZone(text)
}

func parseUTM(s *Settings, text string) (err error) {
	s.UTM, err = enlist.ParseUTM(text)
	return err
}

func parseSendDelay(s *Settings, text string) (err error) {
	s.SendDelay, err = strconv.ParseInt(text, 10, 64)
	if err != nil || s.SendDelay < 0 || s.SendDelay > 10 {
		return errors.New("expected a number of minutes, 0 to 10")
	}
	return nil
}

func parseApproveAbove(s *Settings, text string) (err error) {
	s.ApproveAbove, err = strconv.ParseInt(text, 10, 64)
	if err != nil || s.ApproveAbove < 0 || s.ApproveAbove > maxApproveAbove {
		return errors.New("expected a number of Contacts, 0 to 1000000000")
	}
	return nil
}

const maxApproveAbove = 1_000_000_000

func parseApproveKeys(s *Settings, text string) error {
	s.ApproveKeys = text == "yes"
	if text != "yes" && text != "no" {
		return errors.New("expected yes or no")
	}
	return nil
}

func parseCountryCode(s *Settings, text string) (err error) {
	s.CountryCode, err = strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
	if err != nil || !address.KnownCountryCode(s.CountryCode) {
		return errors.New("expected a telephone country code")
	}
	return nil
}
