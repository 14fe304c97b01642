package demo

// This file has the names of the people. A name that is not written in Latin letters has its Latin form after "=".

// origin is a group of names that belong together.
type origin struct {
	weight      int // how many of 100 people have such a name
	first, last []string
}

var origins = []origin{
	{37,
		[]string{"Olivia", "Jack", "Charlotte", "Noah", "Amelia", "William", "Isla", "Thomas", "Ruby",
			"Lachlan", "Grace", "Henry", "Matilda", "Angus", "Evelyn", "George", "Harriet", "Samuel",
			"Margaret", "Bruce", "Heather", "Ian", "Wendy", "Graham", "Fiona", "Neil", "Beverley", "Keith",
			"Rosemary", "Alan", "Siobhán", "Ewan", "Maeve", "Declan"},
		[]string{"Smith", "Jones", "Williams", "Brown", "Wilson", "Taylor", "Anderson", "Thompson", "Walker",
			"Harris", "Robinson", "Kelly", "King", "Wright", "Campbell", "Murphy", "O'Brien", "McDonald",
			"Fraser", "Fitzgerald", "Hughes", "Bennett", "Marsh", "Greenwood", "Thorne", "Whitlock", "Ashby",
			"Penrose", "Hartley", "Llewellyn"},
	},
	{11,
		[]string{"Giulia", "Marco", "Francesca", "Luca", "Chiara", "Antonio", "Elisabetta", "Niccolò", "Rosa",
			"Domenico", "Paola", "Salvatore", "Lucia", "Enrico"},
		[]string{"Rossi", "Russo", "Ferrari", "Esposito", "Bianchi", "Romano", "Colombo", "Ricci", "Marino",
			"Greco", "Bruno", "Gallo", "Conti", "De Luca", "Giordano", "D'Angelo"},
	},
	{9,
		[]string{"Ngọc", "Minh", "Thị Hoa", "Quang", "Linh", "Đức", "Mai", "Tuấn", "Hương", "Phúc", "Thảo",
			"Dũng"},
		[]string{"Trần", "Nguyễn", "Lê", "Phạm", "Hoàng", "Huỳnh", "Vũ", "Võ", "Đặng", "Bùi", "Đỗ", "Ngô"},
	},
	{8,
		[]string{"Wei", "Xiu", "Jun", "Mei Ling", "Hao", "Yan", "Jing", "Ming", "Fang", "Lei"},
		[]string{"Wang", "Li", "Zhang", "Liu", "Chen", "Yang", "Huang", "Zhao", "Wu", "Zhou", "Lǚ", "Ouyang"},
	},
	{7,
		[]string{"Priya", "Arjun", "Ananya", "Rohan", "Kavya", "Vikram", "Lakshmi", "Sanjay", "Meera",
			"Harpreet"},
		[]string{"Patel", "Sharma", "Singh", "Kumar", "Reddy", "Iyer", "Nair", "Gupta", "Desai", "Bhattacharya"},
	},
	{6,
		[]string{"Eleni", "Giorgos", "Katerina", "Dimitris", "Sofia", "Kostas", "Voula", "Spiros"},
		[]string{"Papadopoulos", "Georgiou", "Nikolaidis", "Pappas", "Vlahos", "Karras", "Economou"},
	},
	{5,
		[]string{"Agnieszka", "Łukasz", "Małgorzata", "Paweł", "Zofia", "Stanisław", "Grażyna"},
		[]string{"Kowalska", "Nowak", "Wiśniewski", "Wójcik", "Zieliński", "Dąbrowska", "Łuczak"},
	},
	{5,
		[]string{"Jürgen", "Anneliese", "Björn", "Käthe", "Sören", "Ingrid", "Günther", "Astrid"},
		[]string{"Müller", "Schmidt", "Weiß", "Grünwald", "Jørgensen", "Lindström", "Bäcker", "Krüger"},
	},
	{4,
		[]string{"María", "José", "Lucía", "Andrés", "Begoña", "Iñigo", "João", "Conceição"},
		[]string{"García", "Fernández", "Muñoz", "Ibáñez", "Gonçalves", "Peña", "Araújo"},
	},
	{3,
		[]string{"Ayşe", "Mehmet", "Zeynep", "Çağlar", "Layla", "Omar", "Yasmin", "Ahmed"},
		[]string{"Yılmaz", "Kaya", "Şahin", "Özdemir", "Haddad", "El-Masri", "Khoury"},
	},
	{2,
		[]string{"Aroha", "Tāne", "Mere", "Wiremu", "Sina", "Tevita"},
		[]string{"Ngata", "Te Rangi", "Parata", "Tuimaleali'ifano", "Fonoti", "Kāwhia"},
	},
	{1,
		[]string{"陽子=yoko", "健太=kenta", "さくら=sakura", "直樹=naoki"},
		[]string{"田中=tanaka", "佐藤=sato", "山本=yamamoto"},
	},
	{1,
		[]string{"민준=minjun", "서연=seoyeon", "지우=jiwoo"},
		[]string{"김=kim", "박=park", "최=choi"},
	},
	{1,
		[]string{"Ольга=olha", "Дмитро=dmytro", "Оксана=oksana"},
		[]string{"Шевченко=shevchenko", "Коваленко=kovalenko", "Бондар=bondar"},
	},
}

// domain is a domain of addresses.
type domain struct {
	weight int // of 100 people
	name   string
}

// domains are reserved for examples: no mail server can have one.
var domains = []domain{{34, "gmail.example"}, {14, "outlook.example"}, {10, "bigpond.example"}, {8, "icloud.example"},
	{7, "yahoo.example"}, {5, "optus.example"}, {9, "example.com"}, {7, "example.net"}, {6, "example.org"}}

// state is an Australian state with its first postcode.
type state struct {
	weight   int // of 100 people
	name     string
	postcode int
}

var states = []state{{46, "VIC", 3000}, {22, "NSW", 2000}, {10, "QLD", 4000}, {8, "SA", 5000}, {6, "WA", 6000},
	{4, "TAS", 7000}, {3, "ACT", 2600}, {1, "NT", 800}}

// interests are the choices of the Field Interests.
var interests = []string{"Vegetables", "Roses", "Native plants", "Compost", "Indoor plants", "Fruit trees"}
