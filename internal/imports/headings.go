package imports

import (
	"slices"
	"strings"
	"unicode"

	"enlist/internal/enlist"
)

// This file has the headings that other programs write for addresses and names, in the languages of internal/language and
// in Japanese. Texts are compared by headingKey.

// emailNames are headings that mean the email Field, whatever its name is.
var emailNames = []string{"email", "mail", "emailaddress", "mailaddress", "emailadress", "primaryemail",
	"contactemail", "subscriberemail", "useremail", "emails", "email1", "email1value", "email1address",
	"emailadresse", "mailadresse", "elektronischepost", // German
	"correo", "correoelectrónico", "correoelectronico", "direccióndecorreo",
	"direccióndecorreoelectrónico", "direcciondecorreoelectronico", "direccióndeemail", // Spanish
	"courriel", "adressemail", "adresseemail", "adressecourriel", "adresseélectronique",
	"adressedecourriel", "mél", // French
	"indirizzoemail", "indirizzomail", "indirizzodipostaelettronica", "postaelettronica", // Italian
	"emailadres", "mailadres", // Dutch
	"endereçodeemail", "enderecodeemail", "endereçoeletrônico", "endereçoeletrónico",
	"correioeletrônico", "correioeletrónico", "correioeletronico", // Portuguese
	"địachỉemail", "địachỉthưđiệntử", "thưđiệntử", "hộpthư", "diachiemail", // Vietnamese
	"邮箱", "电子邮箱", "邮箱地址", "电子邮件", "电子邮件地址", "邮件", "邮件地址", "電子郵件", "電子信箱", "信箱", // Chinese
	"メール", "メールアドレス", "eメール", "電子メール", "メアド"} // Japanese

// nameHeadings are headings of the parts of a name. Two that stand together mean the same part.
var nameHeadings = [][]string{
	{"firstname", "givenname", "forename", "first", "fname", "vorname", "rufname", "nombre",
		"nombredepila", "prénom", "prenom", "nome", "nomedibattesimo", "voornaam",
		"primeironome", "nomepróprio", "tên", "têngọi", "名", "名字", "名前", "下の名前"},
	{"lastname", "surname", "familyname", "last", "lname", "nachname", "familienname", "zuname",
		"apellido", "apellidos", "nomdefamille", "nom", "cognome", "achternaam",
		"familienaam", "sobrenome", "apelido", "últimonome", "họ", "姓", "姓氏", "苗字", "名字（姓）"},
	{"name", "fullname", "yourname", "contactname", "vollständigername", "vorundnachname",
		"nombrecompleto", "nombreyapellidos", "nomcomplet", "nometprénom", "prénometnom",
		"nomecompleto", "nomeecognome", "volledigenaam", "naam", "họtên", "họvàtên", "姓名", "全名", "氏名", "お名前"},
}

// headingKey returns the letters and digits of a heading in lower case: "E-Mail-Adresse *" is emailadresse.
func headingKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

func isEmailHeading(name string) bool { return slices.Contains(emailNames, headingKey(name)) }

// fieldOfName returns the only Field for the part of a name that a heading means, or nil. It returns nil also if another
// heading of the file means the same part.
func (p *columnPlan) fieldOfName(heading string) (found *enlist.Field) {
	part := partOfName(heading)
	if part < 0 {
		return nil
	}
	same := 0
	for _, name := range p.names {
		if partOfName(name) == part {
			same++
		}
	}
	for i := range p.schema.Fields {
		f := &p.schema.Fields[i]
		if f.Type != enlist.Text || f.AddressType != enlist.AddressNone || partOfName(f.Name) != part {
			continue
		}
		if found != nil || same > 1 {
			return nil
		}
		found = f
	}
	return found
}

// partOfName returns the place of a heading in nameHeadings, or -1.
func partOfName(heading string) int {
	key := headingKey(heading)
	return slices.IndexFunc(nameHeadings, func(same []string) bool { return slices.Contains(same, key) })
}
