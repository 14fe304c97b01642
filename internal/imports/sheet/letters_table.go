package sheet

import "math"

// This file has the encodings that are guessed, and the letters of their languages, the most usual ones first: those
// that are not ASCII, and of Chinese, Japanese and Korean those of usual names and places.

// encodingLetters is an encoding that can be guessed.
type encodingLetters struct {
	name      string
	prior     float64 // points before any letter: how usual files in this encoding are
	isLatin   bool
	languages []languageLetters
}

// languageLetters are the points of the letters of a language.
type languageLetters struct {
	letters map[rune]float64
	others  float64 // points of any other letter of thousands; 0: the language has none
}

const (
	german     = "üöäß"
	french     = "éèçêàëôâîïûùœ"
	polish     = "łąęóżśćńź"
	czech      = "áíéřýščžěůúňťďó"
	slovak     = "áíéýčšžúľťôňďäóĺŕ"
	hungarian  = "áéöóüőíúű"
	russian    = "оаеинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"
	ukrainian  = "оаниівртеслкмудпябзьгйчхцжюєїшщґф"
	serbian    = "аоеинрстувкдмлпјзбгчшцњжћљхђфџ"
	greek      = "αοιετσνηυρπκμλςωγδάίόέχθφύήβώξζψϊϋΐΰ"
	turkish    = "ıüşöçğİâî"
	hebrew     = "יוהלארתבשמנקדפעחכגצסזטםןךףץ"
	arabic     = "اليمنرتوبدعسفحهقكجةأصطشخضذغزإىئظءآؤثًٌَُِّْ"
	persian    = "اینردمهوتسشبکگلپخزفعقجچژحطصغآثذض"
	lithuanian = "ėšžųįąčūę"
	latvian    = "āīēšņūļžģķč"
	thai       = "านรอกเงมลวยสทตดัคขบปพหีิุู่้์ะแไใโจชซถธญณภศษผฝฟฉฐฤฎฏฑฒฬฮฆฌ็ำๆฯึื๊๋"
	simplified = "王李张刘陈杨黄赵周吴徐孙朱马胡郭林何高梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁于董余苏叶吕魏蒋田杜丁沈姜范江傅钟卢汪戴崔任陆廖姚方金邱夏谭韦贾邹石熊孟秦阎薛侯雷白龙段郝孔邵史毛常万顾赖武康贺严尹钱施牛洪龚" +
		"伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰文建国志红海波飞鹏辉宇浩天子雨欣晨佳梅琳婷雪丹春云东南西北京市上海广州深圳省区路号小大中人民姓名电话邮箱地址公司客户备注新老一二三"
	traditional = "王李張劉陳楊黃趙周吳徐孫朱馬胡郭林何高梁鄭羅宋謝唐韓曹許鄧蕭馮曾程蔡彭潘袁于董余蘇葉呂魏蔣田杜丁沈姜范江傅鍾盧汪戴崔任陸廖姚方金邱夏譚" +
		"偉芳娜敏靜麗強志豪明美玲小惠雅淑英華玉蘭文建國紅海家宏俊怡君佳婷雪春雲東南西北台臺市新竹高雄中人姓名電話信箱地址公司區路號大一二三"
	japanese = "田山本中村小川原木大藤井野佐上松島林石清水橋口谷森池内前崎岡長西橋和三高斎加吉渡辺伊鈴斉近後遠青坂福太平金杉増新菅武丸今河久保安千葉" +
		"郎子一花美太二次夫雄介輔健誠真由奈恵香里織優翔陽結衣菜愛明正博之幸弘文彦智裕樹哲也直人秀男信義和浩司隆光氏名姓東京都大阪府市県区町北海道名古屋横浜様株式会社" +
		"あいうえおかがきぎくぐけげこごさざしじすせそただちつづてでとなにのはばひびふぶへほまみむめもやゆよらりるれろわをんっゃゅょ" +
		"アイウエオカガキギクグケゲコゴサザシジスズセゼソゾタダチツテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモヤユヨラリルレロワヲンッャュョァィゥェォー"
	korean = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공현함변염여추도소석선설마길연위표명기반라왕금옥육인맹제모탁국어은편" +
		"철수영희준민서현우지훈동성호재진미경숙자순정혜은주연아름다빈예원상태식용규범석환찬욱울부산대광시인천도로구성이메일전화번호주소회사고객가나다라마바사" +
		"이다는에의가하고을로지도리기어자아인시대라있해일서를부니사만되것들과여보게적할면비세와개체계관음말물월년분명건수합간당통반실식역산행차교력집법업내각결정격" +
		"량제품항목사번순총액금별현황구군읍면종류기타비율평균연령층성남녀학회상품처리등록자료소계출발도착관리담당부서직급입력확인완료취소신청접수변경삭제"
)

// western are the languages of Windows-1252.
var western = []string{german, french, "áéíñóúü", "ãçáéíóêâúõôà", "àèòùìé", "éëèïöüêáó", "äöåé", "øåæéö", "áíóðéöúþýæ", "éàóíçèúòïü"}

// encodings are the encodings that are guessed. Where two are equally likely, the first one wins.
var encodings = []encodingLetters{
	{ansiName, 0, true, alphabets(western...)},
	{"windows-1250", -1, true, alphabets(polish, czech, slovak, hungarian, "ăîâşţ", "čšžćđ", german, "ëç")},
	{"windows-1251", -1, false, alphabets(russian, ukrainian, serbian)},
	{"shift_jis", -1, false, characters(japanese)},
	{"gbk", -1, false, characters(simplified)},
	{"macintosh", -1.5, true, alphabets(western...)},
	{"windows-1254", -1, true, alphabets(turkish, german, french)},
	{"windows-1253", -1.5, false, alphabets(greek)},
	{"windows-1255", -1.5, false, alphabets(hebrew)},
	{"windows-1256", -1.5, false, alphabets(arabic, persian)},
	{"windows-1257", -1.5, true, alphabets(lithuanian, latvian, "äüõöšž")},
	{"windows-874", -1.5, false, alphabets(thai)},
	{"big5", -1.5, false, characters(traditional)},
	{"euc-kr", -1.5, false, characters(korean)},
	{"koi8-r", -2.5, false, alphabets(russian)},
	{"ibm866", -2.5, false, alphabets(russian)},
	{"ibm850", -2.5, true, alphabets(western...)},
	{"iso-8859-2", -2.5, true, alphabets(polish, czech, slovak, hungarian, "čšžćđ")},
	{"euc-jp", -2.5, false, characters(japanese)},
}

// alphabets returns the points of the letters of alphabets. The letter of rank n has a share of about 1/(n+2).
func alphabets(letters ...string) (all []languageLetters) {
	for _, language := range letters {
		of, sum := map[rune]float64{}, 0.0
		for n := range []rune(language) {
			sum += 1 / float64(n+3)
		}
		for n, r := range []rune(language) {
			of[r] = math.Log(128 / sum / float64(n+3))
		}
		all = append(all, languageLetters{letters: of})
	}
	return all
}

// characters returns the points of a script with thousands of characters, each of two bytes. Half of a text are the
// usual ones.
func characters(usual string) []languageLetters {
	of := map[rune]float64{}
	for _, r := range usual {
		of[r] = 0
	}
	for r := range of {
		of[r] = math.Log(128 * 128 / 2 / float64(len(of)))
	}
	return []languageLetters{{letters: of, others: math.Log(128 * 128 / 2 / 12000.0)}}
}
