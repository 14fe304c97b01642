package sheet

import (
	"fmt"
	"strings"
	"testing"
)

// The encoding of a short list of names is guessed by its letters.
//
// covers: decision 66
func TestEncodingIsGuessedByTheLetters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		encoding, names string
		sure            bool
	}{
		{"windows-1251", "Иван;Ольга", true},
		{"windows-1251", "Сергей Петров;Анна Иванова;Наталья;Дмитрий Смирнов;Москва;Юлия", true},
		{"windows-1251", "ИВАН;ОЛЬГА ПЕТРОВА", true},
		{"windows-1251", "Олексій Шевченко;Ганна;Юрій;Київ", true},
		{"koi8-r", "Иван;Ольга;Сергей Петров;Анна Иванова;Наталья;Москва;Юлия", true},
		{"ibm866", "Иван;Ольга;Сергей Петров;Анна Иванова;Наталья;Москва;Юлия", true},
		{"windows-1252", "Jörg;Müller;René;François;Zoë;Günther Groß;José Núñez;João;Åsa;Søren;Köln", true},
		{"windows-1252", "Jörg;Ann", true}, {"windows-1252", "José;Ann", true}, {"windows-1252", "Müller;Bob;Carl", true},
		{"windows-1252", "Hélène;Chloé;Benoît;Élodie;Gaëlle", true},
		{"windows-1252", "O’Brien;Ann", false},
		{"windows-1252", "MÜLLER;GRÜN", true},
		{"windows-1250", "Łukasz;Małgorzata;Brzęczyszczykiewicz;Wałęsa;Paweł;Michał;Zażółć", true},
		{"windows-1250", "Dvořák;Jiří;Tomáš Novák;Černý;Věra;Růžena;Škoda", true},
		{"windows-1250", "Jiří;Ann", true}, {"windows-1250", "Paweł;Ann", true},
		{"windows-1250", "Kovács Gergő;Szűcs Tamás;Erdős;Nagy Lőrinc", true},
		{"macintosh", "Jörg;Müller;René;François;Zoë;José Núñez", true},
		{"macintosh", "José;Ann", false}, {"macintosh", "Jörg;Ann", true},
		{"windows-1254", "Gökçe;Ayşe Yılmaz;Çağlar;Şükrü;İbrahim;Işık;Doğan", true},
		{"windows-1253", "Γιώργος;Μαρία Παπαδοπούλου;Αθήνα;Ελένη", true},
		{"windows-1255", "דוד כהן;שרה לוי;תל אביב", true},
		{"windows-1256", "محمد;فاطمة الزهراء;القاهرة", true},
		{"windows-1257", "Žydrūnė;Kęstutis;Jūratė;Ąžuolas", true},
		{"windows-874", "สมชาย;สมหญิง;กรุงเทพ", true},
		{"shift_jis", "太郎", true},
		{"shift_jis", "山田太郎;佐藤花子;鈴木一郎;タナカ;さくら;東京都", true},
		{"euc-jp", "山田太郎;佐藤花子;鈴木一郎;タナカ;さくら;東京都", true},
		{"gbk", "王伟;李娜;张敏;刘洋;北京市", true}, {"gbk", "王伟", true},
		{"big5", "王小明;陳美玲;林志豪;台北市", true},
		{"euc-kr", "김철수;이영희;박지성;서울", true},
		{"ibm850", "Jörg;Müller;René;Jürgen;Günther", true},
		{"windows-1252", "Jürgen;Köln;Zoë;Gießen", true}, // Windows-1250 reads the same
		{"windows-1252", "Histórico;Número do documento;Descrição", true},
		{"windows-1252", "Título;Benefício;cartão;Transferência;Cartão;Número;Cobrança;Depósito;Histórico", true},
		{"windows-1252", "Payscale Minimum (£);Payscale Maximum (£)", false},
		{"windows-1252", "£512;£852;Payscale Minimum (£)", true},
		{"windows-1254", "Şükrü;Ayşegül", false},
		{"euc-kr", "01월 20일;01월 21일;1명 (+1)", true},
		{"euc-kr", "기간;세대;인구;한국인;등록외국인", true},
	} {
		t.Run(c.encoding+" "+c.names, func(t *testing.T) {
			t.Parallel()
			text := "Email,First Name\r\n"
			names := strings.Split(c.names, ";")
			for i, name := range names {
				text += fmt.Sprintf("user%d@example.com,%s\r\n", i, name)
			}
			enc, err := lookUp(c.encoding)
			check(t, err)
			file, err := enc.NewEncoder().String(text)
			check(t, err)
			r, err := Open(strings.NewReader(file), int64(len(file)), Options{})
			check(t, err)
			about := r.About()
			if about.Encoding != c.encoding || about.Guess == nil || about.Guess.Sure != c.sure {
				t.Fatalf("recognised %s %+v, want %s, sure %v", about.Encoding, about.Guess, c.encoding, c.sure)
			}
			if about.Guess.Samples[0] != names[0] {
				t.Errorf("the first sample is %q, want %q", about.Guess.Samples, names[0])
			}
		})
	}
}
